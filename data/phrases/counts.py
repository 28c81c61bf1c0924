"""Counts the pairs of phrases of any number of alignments in constant memory."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from forest_align.alignment import RELATION_NAMES, Alignment
from forest_align.data.phrases._phrase_store import Example, PairCount, PairKey, PhraseStore, StoredPair, Sums
from forest_align.data.phrases.occurrences import Occurrence, Selection, occurrences
from forest_align.data.phrases.phrase_table import PhraseEntry
from forest_align.types import InputError

# Probabilities are summed in whole units of this size, because a sum of floats depends on its order.
_UNIT = 1e-9
#: Maximum number of distinct pairs and phrases kept in memory (some 60 MiB) until they are added to the file,
#: and maximum number of alignments that they come from (some ten seconds of work).
BATCH, BATCH_ALIGNMENTS = 100_000, 10_000


def extract(
    alignments: Iterable[Alignment], selection: Selection | None = None, *, min_count: int = 1
) -> Iterator[PhraseEntry]:
    """The phrase table of a stream of alignments; see :class:`PhraseCounts`.

    Parameters
    ----------
    alignments : iterable of Alignment
        Read once. Those with an error are skipped.
    selection : Selection, optional
        What to count.
    min_count : int
        Leave out pairs that were aligned less often.

    Examples
    --------
    >>> from forest_align.data.phrases.counts import extract
    >>> from forest_align import Alignment, Links, Sentence
    >>> source, target = Sentence.from_words(["He", "died"]), Sentence.from_words(["he", "perished"])
    >>> links = Links.of([(0, 0), (1, 1)], scores=[1.0, 0.75])
    >>> [(e.source, e.target, e.expected_count) for e in extract([Alignment(source, target, links)])]
    [('died', 'perished', 0.75)]
    """
    with PhraseCounts(selection) as counts:
        for alignment in alignments:
            counts.add(alignment)
        yield from counts.entries(min_count)


class PhraseCounts(AbstractContextManager["PhraseCounts"]):
    """Counts of phrases and of pairs of phrases, kept in a file.

    The result does not depend on the order of the alignments.

    Parameters
    ----------
    selection : Selection, optional
        What to count.
    path : pathlib.Path, optional
        The file, with which another run can continue; by default a temporary one.
    inputs : sequence of str
        Names of the inputs; a resumed run must have the same.
    resume : bool
        Continue with the counts in an existing file; otherwise start from zero.

    Attributes
    ----------
    alignments : int
        Number of alignments counted.
    failed : int
        Number of alignments skipped because they have an error.
    position : list of int or None
        The position passed with the last alignment; None if there is none.

    Raises
    ------
    InputError
        If the file cannot be used, or was counted from other inputs or with another selection.
    """

    def __init__(
        self,
        selection: Selection | None = None,
        path: Path | None = None,
        *,
        inputs: Sequence[str] = (),
        resume: bool = False,
    ) -> None:
        self._selection = selection or Selection()
        self._made_from = {"inputs": list(inputs), **asdict(self._selection)}
        self._pairs: dict[PairKey, PairCount] = {}
        self._phrases: dict[str, tuple[int, int]] = {}
        self._store = PhraseStore(path, resume=resume)
        state = self._store.state
        if state and state["made_from"] != self._made_from:
            self.close()
            raise _other_settings(self._made_from, state["made_from"], str(path))
        self.alignments: int = state.get("alignments", 0)
        self.failed: int = state.get("failed", 0)
        self.position: list[int] | None = state.get("position")
        self._saved = self.alignments + self.failed

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of distinct pairs found; counted at each call."""
        self.save()
        return len(self._store)

    def add(self, alignment: Alignment, position: Sequence[int] = ()) -> None:
        """Count the pairs of one alignment.

        Parameters
        ----------
        alignment : Alignment
            The alignment.
        position : sequence of int
            Position of the input after it.
        """
        if alignment.error:
            self.failed += 1
        else:
            self.alignments += 1
            for occurrence in occurrences(alignment, self._selection):
                self._add(occurrence, alignment.id)
        self.position = list(position)
        unsaved = self.alignments + self.failed - self._saved
        if len(self._pairs) + len(self._phrases) >= BATCH or unsaved >= BATCH_ALIGNMENTS:
            self.save()

    @classmethod
    def of_parts(cls, parts: Sequence[Path]) -> Self:
        """The sums of the counts in several files, which runs over parts of the same inputs have left.

        Raises
        ------
        InputError
            If a file has no counts, or they were made from other inputs or with another selection.
        """
        made_from = dict(_state_of(parts[0])["made_from"])
        inputs = made_from.pop("inputs")
        counts = cls(Selection(**made_from), inputs=inputs)
        try:
            for part in parts:
                counts._merge(part)
        except BaseException:
            counts.close()
            raise
        return counts

    def _merge(self, part: Path) -> None:
        state = _state_of(part)
        if state["made_from"] != self._made_from:
            raise _other_settings(self._made_from, state["made_from"], str(part), "counts of different runs")
        self.alignments += state["alignments"]
        self.failed += state["failed"]
        self._store.merge(part, self._state())
        self._saved = self.alignments + self.failed

    def _add(self, pair: Occurrence, example: str) -> None:
        symmetric = self._selection.symmetric
        if symmetric and (pair.target, pair.labels[1]) < (pair.source, pair.labels[0]):
            pair = pair.swap()
        units = round(pair.probability / _UNIT)
        other = units if symmetric else 0  # in a symmetric table, a phrase counts on both sides
        for phrase, as_source, as_target in ((pair.source, units, other), (pair.target, other, units)):
            before = self._phrases.get(phrase, (0, 0))
            self._phrases[phrase] = before[0] + as_source, before[1] + as_target
        if pair.listed:
            key = PairKey(pair.source, pair.target, *pair.labels)
            counted = PairCount(_sums(pair, units), Example(len(example), example, pair.links))
            if key in self._pairs:
                sums, first = self._pairs[key]
                counted = PairCount(sums.plus(counted.sums), min(first, counted.example))
            self._pairs[key] = counted

    def save(self) -> None:
        """Add the counts that are in memory to the file."""
        done = self.alignments + self.failed
        if done == self._saved and self._store.state:
            return
        self._store.add(self._pairs, self._phrases, self._state())
        self._pairs, self._phrases, self._saved = {}, {}, done

    def _state(self) -> dict[str, Any]:
        return {
            "made_from": self._made_from,
            "alignments": self.alignments,
            "failed": self.failed,
            "position": self.position,
        }

    def entries(self, min_count: int = 1) -> Iterator[PhraseEntry]:
        """The table: the highest expected counts first, then in the order of the phrases' characters.

        Nothing may be added during the iteration.

        Parameters
        ----------
        min_count : int
            Leave out pairs that were aligned less often.
        """
        self.save()
        return map(self._entry, self._store.rows(min_count))

    def _entry(self, found: StoredPair) -> PhraseEntry:
        key, (sums, example), *totals = found
        # In a symmetric table, a pair of equal phrases is one alignment of each of the two.
        share = sums.units * (2 if self._selection.symmetric and key.source == key.target else 1)
        given = tuple(share / total if total else 0.0 for total in totals)
        most = max(sums.relations)
        relation = RELATION_NAMES[sums.relations.index(most)] if most else ""
        similarity = sums.similarity * _UNIT / sums.similarities if sums.similarities else None
        figures = sums.times, sums.units * _UNIT, given[0], given[1]
        return PhraseEntry(*key, *figures, example.links, example.name, relation, similarity)

    def close(self) -> None:
        """Close the file; counts that are still in memory are lost."""
        self._store.close()

    def delete(self) -> None:
        """Close and delete the file."""
        self._store.delete()


def _sums(pair: Occurrence, units: int) -> Sums:
    """The sums over one occurrence."""
    relation = pair.relation.name if pair.relation is not None else ""
    similarity = (0, 0) if pair.similarity is None else (round(pair.similarity / _UNIT), 1)
    return Sums(1, units, *similarity, *(int(relation == name) for name in RELATION_NAMES))


def _state_of(path: Path) -> dict[str, Any]:
    with PhraseStore(path, resume=True) as store:
        if "made_from" not in store.state:
            raise InputError("expected counts of phrases, found none", file=str(path))
        return store.state


def _other_settings(
    now: dict[str, Any], then: dict[str, Any], path: str, problem: str = "cannot resume"
) -> InputError:
    name = next(name for name in now if now[name] != then.get(name))
    before, after = reprlib.repr(then.get(name)), reprlib.repr(now[name])
    return InputError(
        f"{problem}: {name} was {before} and is {after} now; give the same inputs and "
        "options as before, or leave out --resume to start over",
        file=path,
    )
