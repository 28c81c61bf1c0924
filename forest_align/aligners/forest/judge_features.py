"""What the judge of a derivation reads about each pair: evidence for its phrases, and about other pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from forest_align.aligners.forest.span_pairs import Rules, contained, derivation_rules, nearness, overlaps
from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.phrases.features import FEATURES, SpanEvidence, phrase_features
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.alignment import Alignment, PhrasePair
from forest_align.types import Node
from forest_align.types.spans import is_different

# Numbers about a pair in its derivation; "first look" is what the phrase-pair model says, in log-odds.
_DERIVATION_FEATURES = (
    "first look",
    "rule",
    "further pair, or rule of one",
    "pairs that a rule lacks",
    "first look at the pair that a rule remains of",
    "least log-odds of the pairs that a rule lacks",
    "best rival of one phrase",
    "best rival of the other phrase",
    "number of rivals",
    "best crossing pair",
    "best near pair",
    "expected number of near pairs",
    "best differing pair inside",
    "expected number of differing pairs inside",
    "differing words linked inside",
    "share of the longer phrase in differing pairs inside",
    "best pair around",
    "first look at the smallest pair around",
    "words differ in number",
    "first words are the same",
    "last words are the same",
    "words that are the same",
    "a phrase is a single word",
)
JUDGE_FEATURES = (*FEATURES, *_DERIVATION_FEATURES)
# Bounds of log-odds.
_MOST_ODDS = 8.0

NodePair = tuple[Node, Node]


@dataclass(frozen=True, slots=True, eq=False)
class DerivationPairs:
    """Pairs with several words on a side: a derivation's own, further ones, and the rules of both."""

    # int64, shape (K, 4): start and end in the source, start and end in the target. The pairs of the
    # derivation come first, then further ones.
    spans: np.ndarray
    rules: Rules  # The last R of the pairs; places are those in `known`
    further: Sequence[NodePair]  # The F pairs before the rules
    # int64, shape (D, 4): the pairs of the derivation, further ones, and links that are no pairs
    known: np.ndarray
    differing: np.ndarray  # bool, shape (K,): whether neither side's words are a subsequence of the other's
    # int64, shape (C, 4): the pairs of the derivation of two single words that differ
    changed_words: np.ndarray
    features: np.ndarray  # float32, shape (K, len(JUDGE_FEATURES))

    @property
    def is_own(self) -> np.ndarray:
        """Whether each pair is one of the derivation, bool (K,)."""
        others = len(self.further) + len(self.rules.whole)
        is_own: np.ndarray = np.arange(len(self.spans)) < len(self.spans) - others
        return is_own


def derivation_pairs(
    alignment: Alignment,
    evidence: SpanEvidence,
    first_look: PhraseModel,
    further: Sequence[NodePair] = (),
) -> DerivationPairs:
    """Gather the pairs of a derivation, further ones and their rules, and what is known about each.

    The first look is a model that judges each pair without regard to the others.
    """
    sentences = alignment.source, alignment.target
    nodes = nodes_by_ends(alignment.phrases, further)
    scores = alignment.words.scores or [0.5] * len(alignment.words)
    links = dict(zip(alignment.words.pairs, scores, strict=True))
    linked = [(i, i + 1, j, j + 1) for i, j in links.keys() - set(alignment.outside)]
    known = np.array(list(dict.fromkeys([*nodes, *sorted(linked)])), np.int64).reshape(-1, 4)
    several = (known[:, 1::2] - known[:, ::2]).max(axis=1) > 1
    is_further = np.zeros(len(known), bool)
    is_further[len(nodes) - len(further) : len(nodes)] = True
    own = np.flatnonzero(several)  # none is a link alone
    rules, words = derivation_rules(known), known[~several]
    # No link of two words leaves a rule.
    inside = [
        (rules.spans[:, None, side] <= words[:, side]) & (words[:, side] < rules.spans[:, None, side + 1])
        for side in (0, 2)
    ]
    uncrossed = (inside[0] == inside[1]).all(axis=1)
    rules = Rules(rules.spans[uncrossed], rules.whole[uncrossed], rules.removed[uncrossed])
    spans = np.concatenate([known[own], rules.spans])
    # The pair itself, or the one that a rule remains of.
    top = np.concatenate([own, rules.whole])
    sides = [
        side.over(
            sentence,
            ends,
            np.array([node.head for node in of_side], np.int64)[top],
            [of_side[place].label for place in top.tolist()],
        )
        for side, sentence, ends, of_side in (
            (evidence.source, sentences[0], spans[:, :2], [ours for ours, _ in nodes.values()]),
            (evidence.target, sentences[1], spans[:, 2:], [theirs for _, theirs in nodes.values()]),
        )
    ]
    features = phrase_features(*evidence.over(sentences, sides))
    looks = np.clip(first_look.log_odds(features).astype(np.float64), -_MOST_ODDS, _MOST_ODDS)
    # Log-odds of all pairs of the derivation; those of single words are their links'.
    odds = np.zeros(len(known))
    odds[own] = looks[: len(own)]
    for place in np.flatnonzero(~several).tolist():
        probability = links.get((int(known[place, 0]), int(known[place, 2])), 0.5)
        odds[place] = np.log(max(probability, 1e-4) / max(1 - probability, 1e-4))
    is_rule = np.arange(len(spans)) >= len(own)
    removed = np.concatenate([np.full((len(own), 2), -1), rules.removed])
    beyond = is_further[top] | (is_further[removed] & (removed >= 0)).any(axis=1)
    lacking = np.where(removed < 0, _MOST_ODDS, odds[removed]).min(axis=1)
    of_rules = np.where(is_rule, [odds[top], lacking], 0.0)
    alone = [looks, is_rule, beyond, (removed >= 0).sum(axis=1), *of_rules]
    lower = tuple([word.lower() for word in sentence.words] for sentence in sentences)
    texts = [(lower[0][a:b], lower[1][c:d]) for a, b, c, d in spans.tolist()]
    differing = np.array([is_different(*both) for both in texts], bool)
    changed = np.array([lower[0][a] != lower[1][c] for a, _, c, _ in known.tolist()], bool)
    changed &= ~several
    together = _in_derivation(spans, looks, differing, known[changed])
    same = np.array([_same_words(*both) for both in texts], np.float64).reshape(-1, 5)
    columns = np.column_stack([features, *alone, together, same]).astype(np.float32)
    changed_words = known[: len(nodes)][changed[: len(nodes)]]
    return DerivationPairs(spans, rules, further, known, differing, changed_words, columns)


def nodes_by_ends(
    phrases: Iterable[PhrasePair], further: Iterable[NodePair]
) -> dict[tuple[int, ...], NodePair]:
    """The nodes of a derivation's pairs and of further ones by their spans; of equal spans the first ones."""
    nodes: dict[tuple[int, ...], NodePair] = {}
    for ours, theirs in chain(((pair.source_node, pair.target_node) for pair in phrases), further):
        nodes.setdefault((*ours.span, *theirs.span), (ours, theirs))
    return nodes


def _in_derivation(
    spans: np.ndarray, looks: np.ndarray, differing: np.ndarray, single: np.ndarray
) -> np.ndarray:
    """The numbers about other pairs of the derivation, float64 (K, 12)."""
    if not len(spans):
        return np.zeros((0, 12))
    probabilities = logistic(looks)
    inside, near = contained(spans, spans), nearness(spans, spans) >= 0.5
    for table in (inside, near):
        np.fill_diagonal(table, False)
    same = [
        (spans[:, None, side : side + 2] == spans[None, :, side : side + 2]).all(axis=2) for side in (0, 2)
    ]
    rivals = [same[side] & ~same[1 - side] for side in (0, 1)]
    crossing = (
        (overlaps(spans, spans) > 0).any(axis=0) & ~inside & ~inside.T & ~np.eye(len(spans), dtype=bool)
    )
    below = inside.T & differing[None, :]  # below[k, l]: l lies inside k and differs
    sizes = (spans[:, 1::2] - spans[:, ::2]).max(axis=1)
    covered = np.where(below, sizes[None, :], 0).max(axis=1, initial=0) / np.maximum(sizes, 1)
    smallest = np.where(inside, sizes[None, :], np.iinfo(np.int64).max)
    nearest = np.where(inside.any(axis=1), looks[smallest.argmin(axis=1)], -_MOST_ODDS)
    best = [_best(table, looks) for table in rivals]
    return np.column_stack(
        [
            np.maximum(*best),
            np.minimum(*best),
            np.log1p((rivals[0] | rivals[1]).sum(axis=1)),
            _best(crossing, looks),
            _best(near, looks),
            np.log1p(near @ probabilities),
            _best(below, looks),
            np.log1p(below @ probabilities),
            np.log1p(contained(single, spans).sum(axis=0)),
            covered,
            _best(inside, looks),
            nearest,
        ]
    )


def _best(table: np.ndarray, looks: np.ndarray) -> np.ndarray:
    best: np.ndarray = np.where(table, looks[None, :], -_MOST_ODDS).max(axis=1, initial=-_MOST_ODDS)
    return best


def _same_words(source: Sequence[str], target: Sequence[str]) -> tuple[float, ...]:
    return (
        float(abs(np.log(len(source) / len(target)))),
        float(source[0] == target[0]),
        float(source[-1] == target[-1]),
        len(set(source) & set(target)) / min(len(source), len(target)),
        float(min(len(source), len(target)) == 1),
    )
