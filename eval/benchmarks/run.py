"""Runs an aligner over a benchmark, so that scorers get one sound alignment a pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from forest_align.alignment import Alignment
from forest_align.eval.benchmarks.predictions import Prediction
from forest_align.eval.benchmarks.task import Figures, Task
from forest_align.types import ForestAlignError, Sentence

AlignMany = Callable[[Iterable[tuple[Sentence, Sentence]]], Iterable[Alignment]]


@dataclass(frozen=True, slots=True)
class Run:
    """One aligner's run over one benchmark.

    Attributes
    ----------
    benchmark, split, aligner : str
        What was run.
    alignments : sequence of Alignment
        Its alignments.
    figures : sequence of Figures
        Its figures.
    seconds : float
        How long aligning took.
    settings : mapping
        Settings of the aligner.
    resumed : int
        How many of the alignments an earlier, interrupted run had made; they are not in the time.
    """

    benchmark: str
    split: str
    aligner: str
    alignments: Sequence[Alignment]
    figures: Sequence[Figures]
    seconds: float
    settings: Mapping[str, object] = field(default_factory=dict)
    resumed: int = 0

    def errors(self) -> dict[str, str]:
        """Why pairs could not be aligned, by their names."""
        return {alignment.id: alignment.error for alignment in self.alignments if alignment.error}


def run_task(task: Task, align_many: AlignMany, start: int = 0) -> Iterator[Prediction]:
    """Align the pairs of a task, in order, from number ``start`` on.

    Parses and word vectors are dropped, so that the alignments of a whole corpus fit in memory. A pair that
    the aligner failed on is returned with the task's sentences and no links.

    Parameters
    ----------
    task : Task
        The benchmark.
    align_many : callable
        From pairs of tokenized sentences to their alignments, in the same order.
    start : int
        The first pair, from 0.

    Raises
    ------
    ForestAlignError
        If the aligner returns another number of alignments, or changes the tokens of a pair: names it.
    """
    ids, pairs = task.ids[start:], task.pairs[start:]
    found = iter(align_many(pairs))
    for name, (source, target) in zip(ids, pairs, strict=True):
        alignment = next(found, None)
        if alignment is None:
            raise ForestAlignError(f"the aligner ended before pair {name!r}")
        if alignment.error:
            alignment = Alignment(source, target, aligner=alignment.aligner, error=alignment.error)
        elif (alignment.source.words, alignment.target.words) != (source.words, target.words):
            raise ForestAlignError(f"the aligner changed the tokens of pair {name!r}")
        yield Prediction.of(replace(alignment, id=name))
    if next(found, None) is not None:
        raise ForestAlignError(f"the aligner returned more alignments than the {len(pairs)} pairs")


def score_task(task: Task, predictions: Sequence[Prediction]) -> list[Figures]:
    """All figures of a task, one alignment a pair."""
    alignments = [prediction.alignment for prediction in predictions]
    found = task.score(alignments)
    if task.score_similar is not None:
        found += task.score_similar(alignments, [prediction.similarities for prediction in predictions])
    return found
