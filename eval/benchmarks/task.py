"""A benchmark task: sentence pairs to align, and a function from alignments to tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from forest_align.aligners.pair import GivenChunks
from forest_align.alignment import Alignment
from forest_align.eval.metrics.scores import Statistic
from forest_align.eval.metrics.significance import bootstrap_interval
from forest_align.types import InputError, Sentence

#: Similarity of the two words of each link of one alignment, in the order of the links, 0 to 1.
Similarities = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one run for one table."""

    table: str  # also the name of its published rows
    values: Mapping[str, float]  # in percent
    statistics: Mapping[str, Statistic]  # figures that can be resampled
    label: str = ""  # the system, if it is not the aligner
    use: str = ""  # use of the alignments, if not the table's usual one

    @classmethod
    def of(
        cls, table: str, statistics: Mapping[str, Statistic], extra: Mapping[str, float] | None = None
    ) -> Figures:
        """Take the values from the statistics; ``extra`` has further ones, in percent."""
        values = {name: 100 * statistic.value for name, statistic in statistics.items()}
        return cls(table, {**values, **(extra or {})}, statistics)

    def intervals(self, seed: int) -> dict[str, tuple[float, float]]:
        """95% bootstrap intervals, in percent, of the figures that can be resampled."""
        found = {}
        for name, statistic in self.statistics.items():
            if not len(statistic.contributions):
                continue
            low, high = bootstrap_interval(statistic, samples=1_000, seed=seed)
            found[name] = (100 * low, 100 * high)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A benchmark, loaded."""

    ids: Sequence[str]
    pairs: Sequence[tuple[Sentence, Sentence]]
    score: Callable[[Sequence[Alignment]], list[Figures]]  # computes figures from one alignment per pair
    # Further figures, with the word similarity of each link.
    score_similar: Callable[[Sequence[Alignment], Sequence[Similarities]], list[Figures]] | None = None
    skipped: Sequence[InputError] = ()  # unusable pairs; they are in no figure
    chunks: Sequence[GivenChunks] = ()  # empty if the corpus has none
