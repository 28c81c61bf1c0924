"""The arXivEdits corpus as a benchmark: the edits between two versions of a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from forest_align.alignment import Alignment
from forest_align.data.corpora.edit_corpus import EditedPair, EditSpans, read_edited_pairs
from forest_align.edits import edits_of
from forest_align.eval.benchmarks.edit_baselines import edit_baselines
from forest_align.eval.benchmarks.reading import Files
from forest_align.eval.benchmarks.task import Figures, Task
from forest_align.eval.metrics.edit_scores import edit_statistics
from forest_align.eval.metrics.scores import Statistic
from forest_align.types import InputError

_TABLE = "edits"


def edit_task(files: Files, split: str) -> Task:
    """Make the task of arXivEdits. Raises InputError if the file cannot be read or has no pairs: names it."""
    pairs = list(islice(read_edited_pairs(files.paths[0]), files.limit))
    if not pairs:
        raise InputError("expected sentence pairs, found none", file=str(files.paths[0]))
    return Task(
        [pair.id for pair in pairs], [(pair.source, pair.target) for pair in pairs], _edit_scorer(pairs)
    )


def _edit_scorer(pairs: Sequence[EditedPair]) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score the edits of alignments, merged and minimal, beside those of programs that compare words."""
    versions = [pair.versions for pair in pairs]

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        figures = []
        for minimal in (False, True):
            found = [changed_spans(alignment, minimal=minimal) for alignment in alignments]
            use = "minimal edits" if minimal else ""
            statistics = edit_statistics(found, versions)
            figures.append(Figures(_TABLE, _percent(statistics), statistics, use=use))
        for label, compare in edit_baselines().items():
            found = [frozenset(compare(pair.source.words, pair.target.words)) for pair in pairs]
            statistics = edit_statistics(found, versions)
            figures.append(Figures(_TABLE, _percent(statistics), statistics, label=label))
        return figures

    return score


def _percent(statistics: Mapping[str, Statistic]) -> dict[str, float]:
    return {name: 100 * statistic.value for name, statistic in statistics.items()}


def changed_spans(alignment: Alignment, *, minimal: bool = False) -> frozenset[EditSpans]:
    """The spans of all edits that the corpus marks: not what is kept or moved; none of a pair that failed."""
    if alignment.error:
        return frozenset()
    return frozenset(
        (_or_none(edit.source), _or_none(edit.target))
        for edit in edits_of(alignment, minimal=minimal)
        if edit.kind not in ("keep", "move")
    )


def _or_none(span: tuple[int, int]) -> tuple[int, int] | None:
    return span if span[0] < span[1] else None
