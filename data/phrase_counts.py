"""Counts the pairs of phrases of any number of alignments, in memory that grows with distinct pairs only."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from forest_align.data.phrase_occurrences import Occurrence, Selection, occurrences
from forest_align.data.phrase_table import PhraseEntry
from forest_align.types import Alignment

# Probabilities are summed as whole numbers of this size: a sum of floats depends on its order.
_UNIT = 1e-9
_BITS = 32


def extract(
    alignments: Iterable[Alignment], selection: Selection | None = None, *, min_count: int = 1
) -> Iterator[PhraseEntry]:
    """The phrase table of a stream of alignments; see :class:`PhraseCounts`.

    Parameters
    ----------
    alignments : iterable of Alignment
        Gone through once. Those with an error are passed over.
    selection : Selection, optional
        What to count.
    min_count : int
        Leave out pairs that were aligned less often.

    Examples
    --------
    >>> from forest_align.data.phrase_counts import extract
    >>> from forest_align.types import Alignment, Links, Sentence
    >>> source, target = Sentence.from_words(["He", "died"]), Sentence.from_words(["he", "perished"])
    >>> links = Links.of([(0, 0), (1, 1)], scores=[1.0, 0.75])
    >>> [(e.source, e.target, e.expected_count) for e in extract([Alignment(source, target, links)])]
    [('died', 'perished', 0.75)]
    """
    counts = PhraseCounts(selection)
    for alignment in alignments:
        counts.add(alignment)
    return counts.entries(min_count)


class PhraseCounts:
    """Counts of phrases and of pairs of phrases.

    The result does not depend on the order of the alignments.

    Parameters
    ----------
    selection : Selection, optional
        What to count.

    Attributes
    ----------
    alignments : int
        How many alignments were counted.
    failed : int
        How many were passed over, because they have an error.
    """

    # Arrays and whole numbers for keys take a third of the memory that an object for each pair would.

    def __init__(self, selection: Selection | None = None) -> None:
        self.alignments = self.failed = 0
        self._selection = selection or Selection()
        self._phrases: dict[str, int] = {}
        self._labels: dict[tuple[str, str], int] = {}
        self._links: dict[str, str] = {}
        # Expected count of each phrase, as source and as target; the same array if sides do not matter.
        self._totals = [array("q"), array("q")]
        self._places: dict[int, int] = {}  # pair of phrases → its place in what follows
        self._count, self._expected, self._label = array("q"), array("q"), array("i")
        self._further_labels: dict[int, dict[int, int]] = {}
        self._example: list[str] = []
        self._example_links: list[str] = []

    def __len__(self) -> int:
        """How many distinct pairs were found."""
        return len(self._count)

    def add(self, alignment: Alignment) -> None:
        """Count the pairs of one alignment."""
        if alignment.error:
            self.failed += 1
            return
        self.alignments += 1
        for occurrence in occurrences(alignment, self._selection):
            self._add(occurrence, alignment.id)

    def _add(self, pair: Occurrence, example: str) -> None:
        if self._selection.symmetric and (pair.target, pair.labels[1]) < (pair.source, pair.labels[0]):
            pair = pair.swap()
        units = round(pair.probability / _UNIT)
        numbers = self._number(pair.source), self._number(pair.target)
        for side, number in enumerate(numbers):
            self._totals[0 if self._selection.symmetric else side][number] += units
        if not pair.listed:
            return
        links = self._links.setdefault(pair.links, pair.links)
        label = self._labels.setdefault(pair.labels, len(self._labels))
        key = numbers[0] << _BITS | numbers[1]
        place = self._places.setdefault(key, len(self._count))
        if place == len(self._count):
            self._count.append(1)
            self._expected.append(units)
            self._label.append(label)
            self._example.append(example)
            self._example_links.append(links)
            return
        self._count[place] += 1
        self._expected[place] += units
        if label != self._label[place]:
            further = self._further_labels.setdefault(place, {})
            further[label] = further.get(label, 0) + units
        old = self._example[place]
        if (len(example), example, links) < (len(old), old, self._example_links[place]):
            self._example[place], self._example_links[place] = example, links

    def _number(self, phrase: str) -> int:
        number = self._phrases.setdefault(phrase, len(self._phrases))
        if number == len(self._totals[0]):
            for totals in self._totals:
                totals.append(0)
        return number

    def entries(self, min_count: int = 1) -> Iterator[PhraseEntry]:
        """The table: the highest expected counts first, then in the order of the phrases' characters.

        Nothing may be added while it is gone through.

        Parameters
        ----------
        min_count : int
            Leave out pairs that were aligned less often.
        """
        import numpy as np

        phrases = list(self._phrases)
        rank = np.empty(len(phrases), dtype=np.int64)
        rank[sorted(range(len(phrases)), key=phrases.__getitem__)] = np.arange(len(phrases))
        keys = np.fromiter(self._places, dtype=np.int64, count=len(self._places))
        source, target = keys >> _BITS, keys & ((1 << _BITS) - 1)
        expected = np.array(self._expected, dtype=np.int64)
        order = np.lexsort((rank[target], rank[source], -expected))
        labels = list(self._labels)
        for place in order[np.array(self._count, dtype=np.int64)[order] >= min_count].tolist():
            one, two = int(source[place]), int(target[place])
            yield self._entry(place, (one, two), (phrases[one], phrases[two]), labels)

    def _entry(
        self, place: int, numbers: tuple[int, int], texts: tuple[str, str], labels: list[tuple[str, str]]
    ) -> PhraseEntry:
        units = self._expected[place]
        symmetric = self._selection.symmetric
        totals = [self._totals[0 if symmetric else side][number] for side, number in enumerate(numbers)]
        # Without sides, a pair of equal phrases is one alignment of each of the two.
        share = units * (2 if symmetric and numbers[0] == numbers[1] else 1)
        given = tuple(share / total if total else 0.0 for total in totals)
        source_label, target_label = labels[self._best_label(place, labels)]
        return PhraseEntry(
            *texts,
            source_label,
            target_label,
            self._count[place],
            units * _UNIT,
            given[0],
            given[1],
            self._example_links[place],
            self._example[place],
        )

    def _best_label(self, place: int, labels: list[tuple[str, str]]) -> int:
        further = self._further_labels.get(place, {})
        first = self._label[place]
        units = further | {first: self._expected[place] - sum(further.values())}
        return min(units, key=lambda label: (-units[label], labels[label]))
