"""Running an aligner over a benchmark, and what the run reports."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from forest_align.alignment import Alignment
from forest_align.cli.benchmark_aligners import IdentityAligner
from forest_align.eval.benchmarks.report import report
from forest_align.eval.benchmarks.runner import Run, run_task
from forest_align.eval.benchmarks.task import Figures, Task
from forest_align.types import ForestAlignError, Sentence

PAIR = Sentence.from_words(["a", "b"]), Sentence.from_words(["a"])
TASK = Task(["1", "2"], [PAIR, PAIR], lambda alignments: [])


def test_a_pair_that_failed_keeps_its_name_and_sentences() -> None:
    def align_many(pairs) -> Iterator[Alignment]:
        first, _ = pairs
        yield replace(Alignment.failed("too long"), aligner="x")
        yield IdentityAligner().align(*first)

    failed, good = (prediction.alignment for prediction in run_task(TASK, align_many))
    assert (failed.id, failed.error, failed.source.words) == ("1", "too long", ("a", "b"))
    assert (good.id, good.words.pairs) == ("2", ((0, 0),))


@pytest.mark.parametrize(("returned", "message"), [(1, "ended before pair '2'"), (3, "more .* than the 2")])
def test_one_alignment_a_pair_is_expected(returned: int, message: str) -> None:
    with pytest.raises(ForestAlignError, match=message):
        list(run_task(TASK, lambda pairs: [IdentityAligner().align(*PAIR)] * returned))


def test_other_tokens_name_the_pair() -> None:
    other = Alignment(PAIR[1], PAIR[0])
    with pytest.raises(ForestAlignError, match="changed the tokens of pair '1'"):
        list(run_task(TASK, lambda pairs: [other] * 2))


def test_a_threshold_that_nothing_reaches_is_null_in_the_report(tmp_path: Path) -> None:
    figures = Figures("msrp", {"accuracy": 50.0, "threshold": math.inf}, {})
    values = report(Run("msrp", "dev", "x", [], [figures], 1.0), [], tmp_path, 0, {}, [])
    json.dumps(values, allow_nan=False)
    table = values["tables"]["msrp"]  # type: ignore[index]
    assert table["values"] == {"accuracy": 50.0, "threshold": None}
