from __future__ import annotations

import threading
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from forest_align.aligners.base import Aligner, Text
from forest_align.aligners.model_folder import bundled_models
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.aligners.sultan.parameters import PublishedParameters, save_parameters
from forest_align.alignment import Alignment, Links
from forest_align.cli import main
from forest_align.cli.aligner_choice import ANNOTATORS, Content, GivenLinks, contents_of, load_aligner
from forest_align.parsing.dependencies import annotators as annotation
from forest_align.types import InputError, ModelError, Sentence


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Names and settings that aligners were loaded with; a model folder is always a forest model."""
    calls: list[tuple[str, dict[str, Any]]] = []

    def load(name: str, **settings: Any) -> SimpleNamespace:
        calls.append((name, settings))
        return SimpleNamespace(name=name)

    monkeypatch.setattr("forest_align.aligners.load", load)
    monkeypatch.setattr(
        "forest_align.aligners.loading.kind_of", lambda name: bundled_models().get(name, "forest")
    )
    return calls


def options(**changes: Any) -> Namespace:
    names = ("aligner", "model", "parser", "annotator", "words", "ppdb")
    return Namespace(**(dict.fromkeys(names) | changes))


def test_the_forest_aligner_with_its_own_defaults_is_the_default(loaded: list[Any]) -> None:
    load_aligner(options(), None)
    load_aligner(options(aligner="joint"), None)
    load_aligner(options(model="my/model"), None)
    assert loaded == [("forest", {}), ("joint", {}), ("my/model", {})]


def test_given_links_become_the_candidates(loaded: list[Any]) -> None:
    links = GivenLinks()
    load_aligner(options(words="links.txt"), links)
    assert loaded == [("forest", {"candidates": links})]


class Linker(Aligner):
    """Links what the candidates propose; keeps which sentences it prepared together, and in which threads."""

    name = "linker"

    def __init__(self, given: GivenLinks) -> None:
        self.given = given
        self.batches: list[tuple[tuple[str, ...], ...]] = []
        self.threads: set[int] = set()

    def prepare(self, sentences: Sequence[Text], batch_size: int) -> list[Sentence | InputError]:
        found = [sentence for sentence in sentences if isinstance(sentence, Sentence)]
        self.batches.append(tuple(sentence.words for sentence in found))
        return list(found)

    @property
    def may_fork(self) -> bool:
        return False

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        self.threads.add(threading.get_ident())
        found = self.given.candidates(source, target)
        return Alignment(source, target, Links.of((c.source[0], c.target[0]) for c in found))

    @classmethod
    def load(cls, name_or_path: str | Path) -> Linker:
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        raise NotImplementedError


def pair_of(word: str, link: str) -> tuple[tuple[Sentence, Sentence], Links]:
    return (Sentence.from_words([word, "b"]), Sentence.from_words(["c", "d"])), Links.from_pharaoh(link)


def test_given_links_keep_all_workers_busy() -> None:
    links = GivenLinks()
    aligner = Linker(links)
    pairs = [pair_of(f"a{n}", "0-1") for n in range(12)]
    found = list(links.align(aligner, iter(pairs), batch_size=2, workers=2))
    assert [alignment.source.words[0] for alignment in found] == [f"a{n}" for n in range(12)]
    assert aligner.threads - {threading.get_ident()}


@settings(deadline=None, max_examples=60)
@example(words="aaaa", classes="0011", batch_size=2)
@example(words="abab", classes="0011", batch_size=2)
@given(words=st.text("abc", max_size=12), classes=st.text("01", min_size=12), batch_size=st.integers(1, 4))
def test_given_links_belong_to_their_pairs_with_any_number_of_workers(
    words: str, classes: str, batch_size: int
) -> None:
    pairs: list[Content] = [pair_of(w, f"{k}-{k}") for w, k in zip(words, classes, strict=False)]
    pairs.insert(len(pairs) // 2, InputError("broken"))
    batches = []
    for workers in (1, 3):
        links = GivenLinks()
        aligner = Linker(links)
        found = list(links.align(aligner, iter(pairs), batch_size=batch_size, workers=workers))
        assert [alignment.error or alignment.words for alignment in found] == [
            str(one) if isinstance(one, InputError) else one[1] for one in pairs
        ]
        batches.append(Counter(aligner.batches))
    assert batches[0] <= batches[1]
    # With workers one pair goes first, for models to be loaded.
    assert {len(batch) for batch in batches[1] - batches[0]} <= {2}


def test_the_batches_of_given_links_begin_at_multiples_of_their_size_for_the_sake_of_resume() -> None:
    links = GivenLinks()
    aligner = Linker(links)
    pairs = [pair_of(word, f"{k}-{k}") for word, k in zip("abbcdef", "0010000", strict=True)]
    assert len(list(links.align(aligner, iter(pairs), batch_size=3, workers=1))) == 7
    assert ["".join(words[0] for words in batch[::2]) for batch in aligner.batches] == ["ab", "b", "cde", "f"]


def test_links_are_held_for_the_pairs_in_hand_alone() -> None:
    links = GivenLinks()
    pairs = [pair_of(f"a{n}", "0-1") for n in range(9)]
    stream = links.align(Linker(links), iter(pairs), batch_size=1, workers=1)
    for (source, target), _ in pairs:
        next(stream)
        assert len(links.candidates(source, target)) == 1  # as --explain asks
    with pytest.raises(InputError, match="no word links are given"):
        links.candidates(*pairs[7][0])


def test_a_parser_is_left_to_the_aligner_to_load_if_there_is_one_of_that_name(loaded: list[Any]) -> None:
    load_aligner(options(parser="en"), None)
    assert loaded == [("forest", {"parser": "en"})]
    with pytest.raises(ModelError, match="no parser 'nonesuch'"):
        load_aligner(options(parser="nonesuch"), None)


@pytest.mark.parametrize("name", sorted(bundled_models()))
def test_every_bundled_model_can_be_asked_for_by_name(name: str, loaded: list[Any]) -> None:
    load_aligner(options(aligner=name), None)
    assert loaded == [(name, {})]


@pytest.mark.parametrize("command", [["align", "a.tsv"], ["tune", "a.tsv", "-o", "model"]])
@pytest.mark.parametrize("value", [["--variant", "published"], ["--variant=default"], ["--variant"]])
def test_who_asks_for_a_variant_is_shown_what_has_taken_its_place(
    command: list[str], value: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, *value])
    message = "--variant is gone: use --aligner sultan / --aligner forest-published"
    assert ended.value.code == 2 and message in capsys.readouterr().err


def test_paraphrases_reach_every_aligner(loaded: list[Any], tmp_path: Path) -> None:
    table = tmp_path / "ppdb.tsv"
    table.write_text("quick\tfast\n")
    for kind in ("contextual", "semi-markov", "joint"):
        load_aligner(options(aligner=kind, ppdb=str(table)), None)
        assert ("quick", "fast") in loaded[-1][1]["ppdb"]
    load_aligner(options(ppdb=str(table), words="union"), None)
    assert ("quick", "fast") in loaded[-1][1]["ppdb"] and loaded[-1][1]["candidates"] == "union"


@pytest.mark.parametrize(
    ("words", "links"), [("encoder", None), ("given", GivenLinks()), ("x", GivenLinks())]
)
def test_paraphrases_that_would_have_no_effect_are_refused(
    words: str, links: GivenLinks | None, loaded: list[Any]
) -> None:
    with pytest.raises(InputError, match=f"--words {words} takes no --ppdb"):
        load_aligner(options(words=words, ppdb="table.tsv"), links)
    assert loaded == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"aligner": "contextual", "words": "union"}, "takes no --words"),
        ({"aligner": "joint", "words": "union"}, "takes no --words"),
        ({"annotator": "spacy"}, "the forest aligner takes no --annotator; the sultan"),
        ({"aligner": "joint", "annotator": "trees"}, "the joint aligner takes no --annotator"),
        ({"aligner": "contextual", "annotator": "spacy"}, "the contextual aligner takes no --annotator"),
        ({"model": "contextual", "annotator": "trees"}, "the contextual aligner takes no --annotator"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    changes: dict[str, str], message: str, loaded: list[Any]
) -> None:
    with pytest.raises(InputError, match=message):
        load_aligner(options(**changes), None)


def test_the_annotator_of_sultan_is_asked_for_by_name(loaded: list[Any]) -> None:
    load_aligner(options(aligner="sultan", annotator="spacy"), None)
    assert loaded == [("sultan", {"annotator": "spacy"})]


def test_a_tuned_sultan_takes_another_annotator(tmp_path: Path) -> None:
    save_parameters(tmp_path, PublishedParameters(), "spacy")
    aligner = load_aligner(options(model=str(tmp_path), annotator="trees"), None)
    assert isinstance(aligner, SultanAligner) and aligner.annotator.name == "trees"


@pytest.mark.parametrize("name", ["parameters.json", "weights.safetensors", "scores.bin"])
def test_a_model_is_known_by_the_contents_of_all_its_files(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for one in ("parameters.json", "weights.safetensors", "scores.bin"):
        (folder / one).write_bytes(b"old")
    before = contents_of(str(folder))
    (folder / "notes.txt").write_text("mine")
    assert before == contents_of(str(folder)) and before.startswith("model (")
    (folder / name).write_bytes(b"new")
    assert before != contents_of(str(folder))
    assert (contents_of("en"), contents_of(None)) == ("en", "")


def test_the_annotators_are_those_that_there_are() -> None:
    assert ANNOTATORS == annotation.ANNOTATORS


def test_the_kind_of_aligner_is_that_of_the_model(loaded: list[Any]) -> None:
    links = GivenLinks()
    load_aligner(options(model="my/model", words="given"), links)
    assert loaded == [("my/model", {"candidates": links})]


def test_a_model_of_another_kind_of_aligner_is_refused(loaded: list[Any]) -> None:
    with pytest.raises(ModelError, match="is for the aligner forest, not forest-published"):
        load_aligner(options(aligner="forest-published", model="my/model"), None)
    with pytest.raises(ModelError, match="is for the aligner forest, not contextual"):
        load_aligner(options(aligner="contextual", model="my/model"), None)
