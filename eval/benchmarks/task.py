"""A benchmark task: the files that it is read from, sentence pairs to align, and tables of the alignments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

from forest_align.aligners.pair import GivenChunks
from forest_align.alignment import Alignment
from forest_align.data.formats.format import ColumnNames
from forest_align.data.pairs import SentencePair, read_pairs
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
        intervals = {}
        for name, statistic in self.statistics.items():
            if len(statistic.contributions):
                low, high = bootstrap_interval(statistic, samples=1_000, seed=seed)
                intervals[name] = (100 * low, 100 * high)
        return intervals


#: Computes the figures of a task from one alignment per pair.
Scoring = Callable[[Sequence[Alignment]], list[Figures]]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A benchmark, loaded."""

    ids: Sequence[str]
    pairs: Sequence[tuple[Sentence, Sentence]]
    score: Scoring
    # Further figures, with the word similarity of each link.
    score_similar: Callable[[Sequence[Alignment], Sequence[Similarities]], list[Figures]] | None = None
    skipped: Sequence[InputError] = ()  # unusable pairs; they are in no figure
    chunks: Sequence[GivenChunks] = ()  # empty if the corpus has none


@dataclass(frozen=True, slots=True)
class Files:
    """The files that make a benchmark, in its order; ``limit`` reads only so many pairs of each."""

    paths: Sequence[Path]
    limit: int | None = None

    def pairs(self, index: int = 0, columns: ColumnNames | None = None) -> list[SentencePair]:
        """The pairs of one file; of a table, those in two columns.

        Raises InputError if a pair cannot be read, or the file has none: figures over no pairs would be
        perfect.
        """
        pairs = []
        for item in self.items(index, columns):
            if isinstance(item, InputError):
                raise item
            pairs.append(item)
        return pairs

    def items(self, index: int = 0, columns: ColumnNames | None = None) -> list[SentencePair | InputError]:
        """The pairs of one file, with an error in place of each that cannot be read.

        Raises InputError if the file has no pairs.
        """
        items = list(islice(read_pairs(self.paths[index], columns=columns), self.limit))
        if not items:
            raise InputError("expected sentence pairs, found none", file=str(self.paths[index]))
        return items

    def version(self, index: int, first: Sequence[SentencePair]) -> list[SentencePair]:
        """Read another version of the same pairs.

        Raises InputError if its sentences differ from those of the first: names the pair.
        """
        other = self.pairs(index)
        for number, (one, two) in enumerate(zip_longest(first, other), start=1):
            if _words(one) != _words(two):
                raise InputError(
                    f"expected the same sentences as in the corpus's other version; pair {number} differs",
                    file=str(self.paths[index]),
                )
        return other


def tokenized_sentences(pairs: Sequence[SentencePair]) -> list[tuple[Sentence, Sentence]]:
    """The sentences of pairs; those without tokens are tokenized."""
    from forest_align.parsing.tokenize import tokenize

    def tokenized(sentence: Sentence) -> Sentence:
        return sentence if sentence.tokens else Sentence(tokenize(sentence.text), text=sentence.text)

    return [(tokenized(pair.source), tokenized(pair.target)) for pair in pairs]


def _words(pair: SentencePair | None) -> tuple[tuple[str, ...], ...]:
    return () if pair is None else (pair.source.words, pair.target.words)
