"""What the forest aligner refuses: options out of range, forests too large, memory that is not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forest_align.aligners.forest import features as phrase_features
from forest_align.aligners.forest import prepared_pair
from forest_align.aligners.forest.aligner import ForestAligner, bundled_model
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.alignment import Links
from forest_align.cext.alignment_arrays import SideArrays
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, ModelError

SHORT = "(S (NP (PRP They)) (VP (VBD won)))"
LONG = "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"


def aligner() -> ForestAligner:
    return ForestAligner(bundled_model(), candidates=GivenCandidates(Links.of([(0, 0), (1, 1)])))


def pairs() -> list[Any]:
    short, long = sentence_from_bracket(SHORT), sentence_from_bracket(LONG)
    return [(short, short), (short, long), (short, short)]


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("generation_gap", 100),
        ("beam", 2**31 - 1),
    ],
)
def test_options_have_an_upper_bound(name: str, most: int, tmp_path: Path) -> None:
    options = ForestOptions(**{name: most})
    short = sentence_from_bracket(SHORT)
    found = ForestAligner(
        ForestModel(bundled_model().weights, options=options),
        candidates=GivenCandidates(Links.of([(0, 0), (1, 1)])),
    ).align(short, short)
    assert found.root_aligned and not found.error
    with pytest.raises(InputError, match=f"{name}.*at most {most}, found {most + 1}"):
        ForestOptions(**{name: most + 1})
    bundled_model().save(tmp_path)
    card = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    card["options"][name] = 10**10
    (tmp_path / "model.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ModelError, match=f"{name}.*at most {most}"):
        ForestModel.load(tmp_path)


def test_a_forest_too_large_is_the_error_of_its_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrase_features, "MOST_NODES", 10)
    found = list(aligner().align_many(pairs()))
    assert "'forest': expected a forest of at most 10 nodes, found 13" in found[1].error
    assert [one.error for one in found[::2]] == ["", ""]


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        (MemoryError("std::bad_alloc"), "not enough memory to align forests of 3 and 13 nodes"),
        (ValueError("target: too large"), "target: too large"),
    ],
)
def test_what_the_kernel_refuses_is_the_error_of_its_pair(
    refusal: Exception, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: Callable[..., Any] = prepared_pair.kernel.align

    def refuse_long(source: SideArrays, target: SideArrays, *rest: Any) -> Any:
        if len(target.start) > 10:
            raise refusal
        return run(source, target, *rest)

    monkeypatch.setattr(prepared_pair.kernel, "align", refuse_long)
    found = list(aligner().align_many(pairs()))
    assert [one.error for one in found] == ["", message, ""]
    with pytest.raises(InputError, match=message):
        aligner().align(*pairs()[1])
