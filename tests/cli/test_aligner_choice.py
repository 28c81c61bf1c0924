from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forest_align.aligners.model_folder import bundled_models
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.aligners.sultan.parameters import PublishedParameters, save_parameters
from forest_align.cli.aligner_choice import AlignerChoice, contents_of, load_aligner, made_with
from forest_align.cli.arguments import ALL_LINKS
from forest_align.types import InputError, ModelError

from ..command_line import written


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


def options(**changes: Any) -> AlignerChoice:
    return AlignerChoice(**changes)


def test_the_forest_aligner_with_its_own_defaults_is_the_default(loaded: list[Any]) -> None:
    load_aligner(options())
    load_aligner(options(aligner="joint"))
    load_aligner(options(model="my/model"))
    load_aligner(options(model="my/model", words="dictionary"))
    candidates = {"candidates": "dictionary"}
    assert loaded == [("forest", {}), ("joint", {}), ("my/model", {}), ("my/model", candidates)]


def test_a_convention_reaches_the_aligners_that_know_it(loaded: list[Any]) -> None:
    for name in ALL_LINKS:
        load_aligner(options(aligner=name, links="all"))
        assert loaded.pop() == (name, {"links": "all"})
        load_aligner(options(aligner=name, links="sure"))
        assert loaded.pop() == (name, {})
    with pytest.raises(
        InputError, match="the sultan aligner does not support --links all; the aligners contextual"
    ):
        load_aligner(options(aligner="sultan", links="all"))
    with pytest.raises(
        InputError, match="--links cannot be combined with --words given: given links stay as they are"
    ):
        load_aligner(options(words="given", links="all"))
    with pytest.raises(InputError, match="--links cannot be combined with --chunks"):
        load_aligner(options(chunks=True, alignments=1, explain=False, links="all"))
    settings = [
        made_with(options(links=links), SimpleNamespace(name="forest", device="cpu"))
        for links in ("sure", "all")
    ]  # type: ignore[arg-type]
    assert [found["--links"] for found in settings] == ["", "all"]


def test_every_bundled_model_can_be_asked_for_by_name(loaded: list[Any]) -> None:
    for name in sorted(bundled_models()):
        load_aligner(options(aligner=name))
        assert loaded.pop() == (name, {})


def test_paraphrases_reach_every_aligner(loaded: list[Any], tmp_path: Path) -> None:
    table = written(tmp_path / "ppdb.tsv", "quick\tfast\n")
    for kind in ("contextual", "semi-markov", "joint"):
        load_aligner(options(aligner=kind, ppdb=str(table)))
        assert ("quick", "fast") in loaded[-1][1]["ppdb"]
    load_aligner(options(ppdb=str(table), words="dictionary"))
    assert ("quick", "fast") in loaded[-1][1]["ppdb"] and loaded[-1][1]["candidates"] == "dictionary"


@pytest.mark.parametrize("words", ["given", "x"])
def test_paraphrases_that_would_have_no_effect_are_refused(words: str, loaded: list[Any]) -> None:
    with pytest.raises(InputError, match=f"--ppdb cannot be combined with --words {words}"):
        load_aligner(options(words=words, ppdb="table.tsv"))
    assert loaded == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"aligner": "contextual", "words": "dictionary"}, "does not support --words"),
        ({"aligner": "joint", "words": "dictionary"}, "does not support --words"),
        ({"annotator": "spacy"}, "the forest aligner does not support --annotator; the sultan"),
        ({"aligner": "joint", "annotator": "trees"}, "the joint aligner does not support --annotator"),
        ({"model": "contextual", "annotator": "trees"}, "the contextual aligner does not support --annot"),
        ({"aligner": "semi-markov", "words": "dictionary"}, "the semi-markov aligner does not support --w"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    changes: dict[str, str], message: str, loaded: list[Any]
) -> None:
    with pytest.raises(InputError, match=message):
        load_aligner(options(**changes))


def test_a_tuned_sultan_takes_another_annotator(tmp_path: Path) -> None:
    save_parameters(tmp_path, PublishedParameters(), "spacy")
    aligner = load_aligner(options(model=str(tmp_path), annotator="trees"))
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


def test_a_model_of_another_kind_of_aligner_is_refused(loaded: list[Any]) -> None:
    with pytest.raises(ModelError, match="is for the aligner forest, not forest-published"):
        load_aligner(options(aligner="forest-published", model="my/model"))
    with pytest.raises(ModelError, match="is for the aligner forest, not contextual"):
        load_aligner(options(aligner="contextual", model="my/model"))
