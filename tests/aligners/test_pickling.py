"""Aligners and parsers in other processes: loaded there from what they were loaded from here."""

from __future__ import annotations

import gc
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import forest_align
from forest_align.aligners.contextual import ContextualAligner
from forest_align.aligners.forest import ForestAligner
from forest_align.aligners.model_folder import bundled_models
from forest_align.cli.commands.benchmark import IdentityAligner
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.system import origin
from forest_align.types import ModelError

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


def test_identity_has_nothing_to_load() -> None:
    assert isinstance(pickle.loads(pickle.dumps(IdentityAligner())), IdentityAligner)


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


def test_objects_made_by_hand_say_how_to_load_them() -> None:
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
