"""Evidence for pairs of phrases beyond their heads: of word links, and of the phrase-pair model.

The features of a phrase pair depend only on its heads (Arase & Tsujii 2017, §5.2). Here every word counts. A
phrase pair is consistent if no word link leads out of it (the condition of phrase extraction in machine
translation). A phrase is null if none of its words is linked. Links are assumed to be independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.phrases.features import ProposedPairs, SpanEvidence
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.sultan.sentence_view import is_mark_or_bracket
from forest_align.aligners.words.candidate import Candidate, link_probabilities
from forest_align.cext.alignment_arrays import AlignmentArrays
from forest_align.lexicon.lexicon import Lexicon
from forest_align.types import ParseForest, Sentence
from forest_align.types.spans import SpanSums

#: Upper bound for the probability of a link, so that a single link cannot forbid a phrase pair.
MOST_CERTAIN = 0.98
#: Bounds for the log-odds of a pair, bias included. Pairs that were not proposed have the lower one.
LEAST_ODDS, MOST_ODDS = -4.0, 3.0
# Log-odds that are reported of pairs that were not proposed, as links forbid them.
_FORBIDDEN = -40.0
# Least agreement: it is finite.
_LEAST = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LinkEvidence:
    """Log-probabilities that words are not linked, summed over rectangles of words."""

    sums: SpanSums  # float64: sums of log Pr(word i is not linked to word j)

    @classmethod
    def of(
        cls,
        candidates: Sequence[Candidate],
        source_length: int,
        target_length: int,
        *,
        lone_groups: bool = False,
    ) -> LinkEvidence:
        """The evidence of word candidates that have a probability; groups add nothing to it.

        Word pairs that are not candidates are certainly not linked. With ``lone_groups``, a group counts if
        none of its word pairs are candidates: all its words are then linked with its probability. If several
        such groups overlap, the most probable one counts.
        """
        words = link_probabilities(candidates, source_length, target_length)
        probability = words.copy()
        for group in candidates if lone_groups else ():
            cells = slice(*group.source), slice(*group.target)
            if group.weighted and group.is_group and not words[cells].any():
                probability[cells] = np.maximum(probability[cells], group.score)
        return cls(SpanSums.of(np.log1p(-np.minimum(probability, MOST_CERTAIN))))

    def log_consistent(
        self, source: ParseForest, target: ParseForest
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Log-probabilities of the claims of an alignment of two forests.

        No link leads out of a pair of nodes: float64 (S, T). No word of a node is linked: float64 (S,) of the
        source, and (T,) of the target.
        """
        of_source = self.sums.between(source.start, source.end)
        of_target = self.sums.between(0, -1, target.start, target.end)
        inside = self.sums.grid(source.start, source.end, target.start, target.end)
        return of_source[:, None] + of_target - 2 * inside, of_source, of_target

    def log_closed(self, spans: np.ndarray) -> np.ndarray:
        """Log-probabilities that no link leads out of pairs of spans, int (K, 4): float64 (K,)."""
        start, end, first, last = spans.T
        of_source, of_target = self.sums.between(start, end), self.sums.between(0, -1, first, last)
        result: np.ndarray = of_source + of_target - 2 * self._inside(spans)
        return result

    def log_linked(self, spans: np.ndarray) -> np.ndarray:
        """Log-probabilities that a link lies inside pairs of spans, int (K, 4): float64 (K,)."""
        with np.errstate(divide="ignore"):
            result: np.ndarray = np.log(-np.expm1(self._inside(spans)))
        return result

    def _inside(self, spans: np.ndarray) -> np.ndarray:
        """Log-probabilities that no link lies inside pairs of spans, float64 (K,)."""
        top, bottom, left, right = spans.T
        sums = self.sums.between(0, bottom, left, right) - self.sums.between(0, top, left, right)
        # If there are no links inside, rounding may leave a sum slightly above 0.
        result: np.ndarray = np.minimum(sums, 0.0)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class PhraseEvidence:
    """What the phrase-pair model says about K pairs of spans; of other pairs it thinks little."""

    # int32, shape (K, 4): start and end in the source, start and end in the target; no two are equal
    spans: np.ndarray
    log_odds: np.ndarray  # float64, shape (K,): that people would align the pair
    # What is known about the phrases of both sentences; None if the rest comes from a cache
    phrases: SpanEvidence | None = None

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """The arrays, in the order of the attributes."""
        return self.spans, self.log_odds

    @property
    def probabilities(self) -> np.ndarray:
        """Probability that people would align each pair, float64 (K,)."""
        return logistic(self.log_odds)

    def spans_from(self, least: float) -> np.ndarray:
        """The spans of the pairs of at least this probability, the best first: int64 (P, 4)."""
        probabilities = self.probabilities
        order = np.argsort(-probabilities, kind="stable")
        return self.spans[order[probabilities[order] >= least]].astype(np.int64)

    def of_nodes(self, source: ParseForest, target: ParseForest, bias: float) -> np.ndarray:
        """Log-odds of pairs of nodes plus a bias, within bounds, float64 (S, T); 0 for pairs of two words."""
        # The numbers of the distinct spans of nodes, ascending, and the place of each node's among them.
        (ours, our_place), (theirs, their_place) = (
            np.unique(_key(forest.start, forest.end), return_inverse=True) for forest in (source, target)
        )
        table = np.full((len(ours), len(theirs)), LEAST_ODDS)
        rows = np.searchsorted(ours, _key(self.spans[:, 0], self.spans[:, 1]))
        columns = np.searchsorted(theirs, _key(self.spans[:, 2], self.spans[:, 3]))
        table[rows, columns] = np.clip(self.log_odds + bias, LEAST_ODDS, MOST_ODDS)
        odds = table[our_place[:, None], their_place]
        odds[(source.end - source.start == 1)[:, None] & (target.end - target.start == 1)] = 0.0
        return odds

    def log_probabilities(self, spans: np.ndarray) -> np.ndarray:
        """Log-probabilities of pairs of spans, float64 (P,); of pairs that links forbid, a very low one."""
        known = dict(zip(map(tuple, self.spans.tolist()), self.log_odds.tolist(), strict=True))
        log_odds = np.array([known.get(tuple(row), _FORBIDDEN) for row in spans.tolist()], np.float64)
        log_probabilities: np.ndarray = -np.logaddexp(0.0, -log_odds)
        return log_probabilities


def judged_phrases(
    model: PhraseModel,
    source: Sentence,
    target: Sentence,
    candidates: Sequence[Candidate],
    lexicon: Lexicon,
) -> PhraseEvidence:
    """Judge the pairs of phrases of two sentences that have forests and word vectors."""
    links = link_probabilities(candidates, len(source), len(target))
    proposed = ProposedPairs.of(source, target, links, pair_evidence(source, target, lexicon))
    return PhraseEvidence(
        proposed.spans, model.log_odds(proposed.features).astype(np.float64), proposed.phrases
    )


def _key(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """A number for each span."""
    keys: np.ndarray = (start.astype(np.int64) << 32) | end
    return keys


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
    ours, theirs = arrays.source, arrays.target
    spans = np.stack([one.start[ours], one.end[ours], two.start[theirs], two.end[theirs]], axis=1)
    if phrases is not None:
        return phrases.log_probabilities(spans)
    if candidates and not any(candidate.weighted for candidate in candidates):
        return np.zeros(len(arrays.source))
    # Number of words other than punctuation before each position.
    words = [
        np.cumsum([0] + [not is_mark_or_bracket(token.text) for token in sentence.tokens])
        for sentence in (source, target)
    ]

    def have_words(ends: Any) -> Any:
        """Whether both spans of a pair, or of each of several, have words other than punctuation."""
        start, end, first, last = ends
        return (words[0][end] > words[0][start]) & (words[1][last] > words[1][first])

    of_words = [one for one in candidates if have_words((*one.source, *one.target))]
    every, without_marks = (
        LinkEvidence.of(links, len(source), len(target), lone_groups=True) for links in (candidates, of_words)
    )
    linked = np.where(have_words(spans.T), without_marks.log_linked(spans), every.log_linked(spans))
    result: np.ndarray = np.maximum(every.log_closed(spans) + linked, math.log(_LEAST))
    return result
