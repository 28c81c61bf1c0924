"""Calibrates the probabilities of phrase pairs: they estimate how often such pairs are right.

Posteriors alone are overconfident. The powers in the score of a derivation (``candidate_weight``,
``link_weight``, ``tree_weight``) find good alignments but sharpen the distribution over them. If few
alignments compete, the best one gets nearly all of the probability, whether it is good or bad. A temperature
reduces the sharpness; agreement with the word links separates good pairs from bad ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.forest._link_evidence import LinkEvidence, SpanPairs
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.sultan.sentence_view import is_mark_or_bracket
from forest_align.cext.alignment_arrays import BOUNDS, AlignmentArrays
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import is_number

if TYPE_CHECKING:
    from forest_align.aligners.forest.phrase_evidence import PhraseEvidence
    from forest_align.aligners.words.candidate import Candidate

# No phrase pair is reported as impossible.
_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class PhraseCalibration:
    """Formula for the probability of a phrase pair: posterior^a · (agreement with the word links)^b.

    The default does not change the posterior. A number that is out of range raises an InputError.
    """

    # In the distribution behind the posteriors, an alignment has its score raised to the power 1 /
    # temperature, normalised. Above 0; 1 keeps the scores, higher values flatten the distribution.
    temperature: float = 1.0
    posterior_power: float = 1.0  # a, at least 0
    link_power: float = 0.0  # b, at least 0
    # Where the phrase-pair model judges, the probability of a pair is the model's to this power; at least 0
    phrase_power: float = 1.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not is_number(value) or value < 0:
                raise InputError(f"expected a number of at least 0, found {value!r}", field=one.name)
        least, most = BOUNDS["temperature"]
        if not least <= self.temperature <= most:
            message = f"expected a number from {least} to {most}, found {self.temperature}"
            raise InputError(message, field="temperature")

    def probabilities(self, log_posterior: np.ndarray, log_agreement: np.ndarray) -> np.ndarray:
        """Probabilities of phrase pairs.

        They increase with both arguments. So calibration changes the probability reported for a pair, never
        which pairs are reported.

        All are float64, shape (K,): logs, at most 0, and the result in (0, 1]. The posterior is the kernel's,
        at :attr:`temperature`; see :func:`log_agreement`.
        """
        mixed = self.posterior_power * log_posterior + self.link_power * log_agreement
        result: np.ndarray = np.exp(np.clip(mixed, math.log(_LEAST), 0.0))
        return result

    def of_phrases(self, log_probability: np.ndarray) -> np.ndarray:
        """Probabilities of phrase pairs that the phrase-pair model judges: float64, shape (K,), in (0, 1].

        The argument is that of :func:`log_agreement`: float64, shape (K,), at most 0.
        """
        result: np.ndarray = np.exp(np.clip(self.phrase_power * log_probability, math.log(_LEAST), 0.0))
        return result


def log_agreement(
    source: Sentence,
    target: Sentence,
    arrays: AlignmentArrays,
    candidates: Sequence[Candidate],
    phrases: PhraseEvidence | None = None,
) -> np.ndarray:
    """How well the word links, or the phrase-pair model, agree with each pair of a derivation.

    Log-probabilities, float64, shape (K,), finite; those of the phrase-pair model if there is one. Otherwise
    they say that a link lies inside a pair and none leads out of it. Links of punctuation inside a pair do
    not count, unless a phrase is only punctuation. If no candidate has a probability, all are 0.
    """
    one, two = forest_of(source), forest_of(target)
    if phrases is not None:
        ends = one.start, one.end, two.start, two.end
        places = arrays.source, arrays.source, arrays.target, arrays.target
        return phrases.log_probabilities(
            np.stack([end[nodes] for end, nodes in zip(ends, places, strict=True)], axis=1)
        )
    if candidates and not any(found.weighted for found in candidates):
        return np.zeros(len(arrays.source))
    pairs = SpanPairs(
        one.start[arrays.source],
        one.end[arrays.source],
        two.start[arrays.target],
        two.end[arrays.target],
    )
    of_source, of_target = _words_before(source), _words_before(target)

    def links_words(candidate: Candidate) -> bool:
        return _has_words(of_source, *candidate.source) and _has_words(of_target, *candidate.target)

    every, of_words = (
        LinkEvidence.of(found, len(source), len(target), lone_groups=True)
        for found in (candidates, list(filter(links_words, candidates)))
    )
    have_words = _has_words(of_source, *pairs[:2]) & _has_words(of_target, *pairs[2:])
    linked = np.where(have_words, of_words.log_linked(pairs), every.log_linked(pairs))
    result: np.ndarray = np.maximum(every.log_closed(pairs) + linked, math.log(_LEAST))
    return result


def _words_before(sentence: Sentence) -> np.ndarray:
    """Number of words other than punctuation before each position, int, shape (n + 1,)."""
    return np.cumsum([0] + [not is_mark_or_bracket(token.text) for token in sentence.tokens])


def _has_words(words_before: np.ndarray, start: Any, end: Any) -> Any:
    """Whether spans have a word other than punctuation, for integers or arrays of them."""
    return words_before[end] > words_before[start]
