"""Word alignment candidates W: words or groups that an aligner may link, with probability and evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from forest_align.types import Sentence

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """Two words, or groups of words, that may be linked.

    Attributes
    ----------
    source, target : (int, int)
        Half-open token spans.
    score : float
        Probability of the link, in (0, 1); for a group, that all its words are linked. 1 if ``weighted`` is
        false.
    evidence : tuple of str
        Names of the evidence: kinds of :class:`~forest_align.lexicon.evidence.Evidence`, kinds of
        :func:`~forest_align.lexicon.groups.lexical_groups`, ``block`` or ``given``; ``context`` if there
        are none of these.
    weighted : bool
        Whether the score is a probability. If not, the link is possible, nothing says how likely it is, and
        it is no evidence for or against others.
    """

    source: Span
    target: Span
    score: float
    evidence: tuple[str, ...] = ()
    weighted: bool = True

    @property
    def is_group(self) -> bool:
        """Whether a side has several words."""
        return self.source[1] - self.source[0] > 1 or self.target[1] - self.target[0] > 1


def link_probabilities(candidates: Iterable[Candidate], source_length: int, target_length: int) -> np.ndarray:
    """Probability of a link between every two words, float64 (n, m); 0 for words that are no candidates.

    Groups, and candidates without a probability, add nothing.
    """
    probabilities = np.zeros((source_length, target_length))
    for candidate in candidates:
        if candidate.weighted and not candidate.is_group:
            probabilities[candidate.source[0], candidate.target[0]] = candidate.score
    return probabilities


class CandidateProvider(Protocol):
    """Anything that proposes candidates for a sentence pair."""

    @property
    def uses_vectors(self) -> bool:
        """Whether sentences should have word vectors."""
        ...

    def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
        """Candidates in ascending order of their spans, each pair of spans once."""
        ...
