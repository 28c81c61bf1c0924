"""Evidence of the phrase-pair model for the search: factors of pairs of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.phrases.proposals import ProposedPairs
from forest_align.aligners.words.candidate import link_probabilities

if TYPE_CHECKING:
    from forest_align.aligners.phrases.features import SpanEvidence
    from forest_align.aligners.phrases.model import PhraseModel
    from forest_align.aligners.words.candidate import Candidate
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.types import ParseForest, Sentence

#: Bounds for the log-odds of a pair, bias included. Pairs that were not proposed have the lower one.
LEAST_ODDS, MOST_ODDS = -4.0, 3.0
#: Log-odds that are reported of pairs that were not proposed, as links forbid them.
FORBIDDEN = -40.0


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

    def of_nodes(self, source: ParseForest, target: ParseForest, bias: float) -> np.ndarray:
        """Log-odds of pairs of nodes plus a bias, within bounds, float64 (S, T); 0 for pairs of two words."""
        (ours, our_place), (theirs, their_place) = _span_keys(source), _span_keys(target)
        table = np.full((len(ours), len(theirs)), LEAST_ODDS)
        rows = np.searchsorted(ours, _key(self.spans[:, 0], self.spans[:, 1]))
        columns = np.searchsorted(theirs, _key(self.spans[:, 2], self.spans[:, 3]))
        table[rows, columns] = np.clip(self.log_odds + bias, LEAST_ODDS, MOST_ODDS)
        found = table[our_place[:, None], their_place]
        found[(source.end - source.start == 1)[:, None] & (target.end - target.start == 1)] = 0.0
        return found

    def log_probabilities(self, spans: np.ndarray) -> np.ndarray:
        """Log-probabilities of pairs of spans, float64 (P,); of pairs that links forbid, a very low one."""
        known = dict(zip(map(tuple, self.spans.tolist()), self.log_odds.tolist(), strict=True))
        log_odds = np.array([known.get(tuple(one), FORBIDDEN) for one in spans.tolist()], np.float64)
        found: np.ndarray = -np.logaddexp(0.0, -log_odds)
        return found


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
    return PhraseEvidence(proposed.spans, model.log_odds(proposed).astype(np.float64), proposed.phrases)


def _key(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """A number for each span."""
    found: np.ndarray = (start.astype(np.int64) << 32) | end
    return found


def _span_keys(forest: ParseForest) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the distinct spans of nodes, ascending, and the place of each node's among them."""
    keys, places = np.unique(_key(forest.start, forest.end), return_inverse=True)
    return keys, places
