"""Aligners found by name, their parsers, and both in other processes: loaded there from the same origin."""

from __future__ import annotations

import gc
import multiprocessing
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import get_overloads

import pytest

import forest_align
from forest_align import __version__
from forest_align.aligners import load
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.forest import ForestAligner
from forest_align.aligners.model_folder import bundled_models
from forest_align.aligners.parsing_aligner import ParsingAligner
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.cli.commands.benchmark import IdentityAligner
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.system import origin
from forest_align.types import InputError, ModelError

DECLARED = {
    name: overload.__annotations__["return"]
    for overload in get_overloads(load)
    for name in re.findall(r"'([a-z-]+)'", overload.__annotations__["name_or_path"])
}
KINDS = ("forest", "contextual", "sultan", "semi-markov", "joint", "projection")


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_the_type_that_is_declared_for_a_name_is_what_is_loaded(name: str) -> None:
    assert type(load(name)).__name__ == DECLARED[name]


def test_every_bundled_model_has_a_type_declared() -> None:
    assert DECLARED.keys() == bundled_models().keys()
    assert set(bundled_models().values()) == set(KINDS)


def test_an_alignment_names_the_version_and_the_model_with_a_digest_of_its_files(tmp_path: Path) -> None:
    aligner = load("semi-markov")
    alignment = aligner.align("He died.", "He passed away.")
    assert alignment.made_by == aligner.made_by
    assert (alignment.made_by["version"], alignment.made_by["model"]) == (__version__, "semi-markov")
    many = aligner.align_many([("He died.", "He passed away."), ("", "He died.")])
    assert [one.made_by for one in many] == [alignment.made_by] * 2  # of a pair that failed as well
    aligner.save(tmp_path / "mine")
    mine = load(tmp_path / "mine").made_by
    assert mine == load(tmp_path / "mine").made_by and mine["model"] == "mine"
    card = tmp_path / "mine" / "model.json"
    card.write_text(card.read_text() + "\n")
    assert load(tmp_path / "mine").made_by["digest"] != mine["digest"]


def test_an_aligner_that_is_not_what_was_loaded_names_the_version_only() -> None:
    assert ContextualAligner().made_by == {"version": __version__}
    assert load("contextual").with_values({"threshold": 0.4}).made_by == {"version": __version__}


@pytest.mark.parametrize("name", ["contextual", "forest", "semi-markov"])
def test_who_asks_for_a_variant_is_shown_the_aligners_that_have_taken_its_place(name: str) -> None:
    with pytest.raises(InputError) as refused:
        load(name, variant="published")
    assert str(refused.value) == "variant is gone: load 'sultan' or 'forest-published'"


@pytest.mark.parametrize(
    ("kind", "option", "others"),
    [
        ("forest", "words", "parser, candidates, ppdb, lexicon, alignments, paraphrases, links"),
        ("forest", "model", "parser, candidates, ppdb, lexicon, alignments, paraphrases, links"),
        ("contextual", "annotator", "ppdb, parser, lexicon, threshold, links"),
        ("sultan", "threshold", "ppdb, parser, lexicon, annotator"),
        ("semi-markov", "candidates", "ppdb, parser, lexicon"),
        ("joint", "threshold", "ppdb, parser, lexicon, link_model, links"),
    ],
)
def test_an_option_that_a_kind_does_not_take_is_refused_with_those_that_it_takes(
    kind: str, option: str, others: str
) -> None:
    with pytest.raises(InputError) as refused:
        load(kind, **{option: "x"})
    assert (
        str(refused.value) == f"the {kind} aligner has no option {option!r}; expected one of {others}, device"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_is_described_with_those_of_its_kind(kind: str) -> None:
    items = str(load.__doc__).split("\n        - ")
    described = "".join(item for item in items if item.startswith(("All", f"``{kind}``")))
    with pytest.raises(InputError) as refused:
        load(kind, nonesuch=1)
    options = str(refused.value).partition("expected one of ")[2].split(", ")
    assert [name for name in options if f"``{name}``" not in described] == []


@pytest.mark.parametrize("kind", KINDS)
def test_paraphrases_are_a_table_or_the_path_of_one(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "ppdb.tsv"
    path.write_text("quick\tfast\n", encoding="utf-8")
    table = PairTable([("quick", "fast")])
    assert load(kind, ppdb=table).ppdb is table
    for given in (path, str(path)):
        assert ("fast", "quick") in load(kind, ppdb=given).ppdb


@pytest.mark.parametrize("kind", KINDS)
def test_paraphrases_that_cannot_be_used_are_refused_before_anything_is_aligned(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "broken.tsv"
    path.write_text("quick\tfast\nslow\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"broken\.tsv:2: expected two words or phrases"):
        load(kind, ppdb=path)
    with pytest.raises(InputError, match="expected a PairTable or the path of a file of pairs, found list"):
        load(kind, ppdb=[("quick", "fast")])


@pytest.mark.parametrize(("kind", "trees"), [(SultanAligner, 1), (ContextualAligner, 0)])
@pytest.mark.parametrize("given", [None, "my_parser", Path("models/mine")])
def test_a_parser_is_loaded_by_name_when_it_is_needed_for_as_many_trees_as_are_read(
    given: str | Path | None,
    kind: type[ContextualAligner | SultanAligner],
    trees: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser", lambda name, **options: (name, options["forest_size"])
    )
    aligner: ParsingAligner = kind(parser=given)
    assert aligner.parser == (given or "en", trees)


def test_a_parser_that_is_given_is_the_one_that_is_used() -> None:
    parser = SimpleNamespace()
    assert ContextualAligner(parser=parser).parser is parser  # type: ignore[arg-type]


PAIR = ("He died in New York City.", "He passed away in NYC.")


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Let other tests have the memory."""
    yield
    origin._KEPT.recent.clear()


@pytest.mark.parametrize("name", sorted(bundled_models()))
def test_every_model_is_pickled_by_its_name(name: str) -> None:
    sent = pickle.dumps(forest_align.load(name))
    assert len(sent) < 500
    again = pickle.loads(sent)
    assert pickle.dumps(again) == sent and pickle.loads(sent) is again


@pytest.mark.parametrize(("name", "method"), [("forest", "spawn"), ("contextual", "fork")])
def test_an_aligner_that_was_used_gives_the_same_alignment_in_another_process(name: str, method: str) -> None:
    aligner = forest_align.load(name)
    unused = pickle.dumps(aligner)
    expected = aligner.align(*PAIR).to_dict()
    assert pickle.dumps(aligner) == unused
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(aligner.align, PAIR).to_dict() == expected


def test_options_travel_with_the_aligner() -> None:
    lexicon, parser = load_lexicon(), forest_align.load_parser("en", forest_size=3)
    aligner = forest_align.load(
        "forest", parser=parser, lexicon=lexicon, alignments=2, candidates="dictionary", ppdb=None
    )
    sent = pickle.dumps(aligner)
    del aligner
    gc.collect()
    again = pickle.loads(sent)
    assert isinstance(again, ForestAligner)
    assert (again.parser, again.lexicon, again.alignments) == (parser, lexicon, 2)
    assert again.candidates.uses_vectors is False


def test_a_parser_is_pickled_by_its_name_and_options(tmp_path: Path) -> None:
    parser = forest_align.load_parser("en", forest_size=2, lemmatizer=load_lexicon().lemma)
    expected = parser.parse(PAIR[0]).to_dict()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(parser.parse, PAIR[:1]).to_dict() == expected


def test_a_folder_of_the_user_is_found_from_another_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forest_align.load("contextual").save(tmp_path / "mine")
    (tmp_path / "pairs").write_text("kicked the bucket\tdied\n")
    monkeypatch.chdir(tmp_path)
    aligner = forest_align.load(Path("mine"), threshold=0.3, ppdb="pairs")
    sent, made_by = pickle.dumps(aligner), aligner.made_by
    del aligner
    gc.collect()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = pickle.loads(sent)
    assert isinstance(again, ContextualAligner) and again.ppdb is not None
    assert (again.threshold, again.made_by, len(again.ppdb)) == (0.3, made_by, 1)


@pytest.mark.parametrize(
    ("file", "message"),
    [("mine/model.json", "expected model "), ("pairs", "expected paraphrases "), (None, "no aligner")],
)
def test_files_that_have_changed_or_are_missing_are_refused(
    file: str | None, message: str, tmp_path: Path
) -> None:
    forest_align.load("contextual").save(tmp_path / "mine")
    (tmp_path / "pairs").write_text("kicked the bucket\tdied\n")
    sent = pickle.dumps(forest_align.load(tmp_path / "mine", ppdb=tmp_path / "pairs"))
    gc.collect()
    if file is None:
        (tmp_path / "mine").rename(tmp_path / "gone")
    else:
        (tmp_path / file).write_text((tmp_path / file).read_text() + "\n")
    with pytest.raises(ModelError, match=f"cannot load what was pickled: {message}"):
        pickle.loads(sent)


def test_objects_made_by_hand_say_how_to_load_them_and_identity_has_nothing_to_load() -> None:
    assert isinstance(pickle.loads(pickle.dumps(IdentityAligner())), IdentityAligner)
    for one in (ContextualAligner(), forest_align.load("contextual").with_values({"threshold": 0.4})):  # type: ignore[attr-defined]
        with pytest.raises(TypeError, match=r"this ContextualAligner cannot be pickled.*forest_align\.load"):
            pickle.dumps(one)


def test_a_function_that_holds_an_aligner_is_pickled_by_cloudpickle() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    aligner = forest_align.load("contextual")
    expected = aligner.align(*PAIR).words.to_pharaoh()
    sent = cloudpickle.dumps(lambda: aligner.align(*PAIR).words.to_pharaoh())
    program = "import pickle, sys; print(pickle.load(sys.stdin.buffer)())"
    done = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, check=True)
    assert done.stdout.decode().strip() == expected


@pytest.mark.engine
def test_fingerprints_of_datasets_depend_on_the_origin_alone() -> None:
    fingerprint = pytest.importorskip("datasets.fingerprint", reason="needs datasets")
    aligner = forest_align.load("contextual")

    def work(source: str, target: str) -> str:
        return aligner.align(source, target).words.to_pharaoh()

    before = fingerprint.Hasher.hash(aligner), fingerprint.Hasher.hash(work)
    work(*PAIR)
    assert (fingerprint.Hasher.hash(aligner), fingerprint.Hasher.hash(work)) == before
    assert fingerprint.Hasher.hash(forest_align.load("contextual")) == before[0]
    assert fingerprint.Hasher.hash(forest_align.load("contextual", threshold=0.3)) != before[0]
