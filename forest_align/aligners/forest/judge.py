"""The judge of a derivation: how probably people mark each pair, and which pairs are reported then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from forest_align.aligners.forest.judge_features import (
    JUDGE_FEATURES,
    DerivationPairs,
    NodePair,
    nodes_by_ends,
)
from forest_align.aligners.forest.span_pairs import contained, largest_below, nearness, overlaps
from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.model_folder import ModelFormat
from forest_align.aligners.phrases.model import NetworkModel, RectifierNetwork
from forest_align.alignment import Alignment, PhrasePair
from forest_align.types import Node, Sentence

#: What the network says about a pair: that people mark it, and that they mark it or one near it.
OUTPUTS = ("exact", "near")
# Least probability of rules and further pairs, that people mark them or a pair near them.
_LEAST_OF_RULES = 0.4
# The same of the smallest differing pairs of a derivation.
_LEAST_OF_NODES = 0.25


class JudgeModel(NetworkModel):
    """A network of two hidden layers: log-odds of :data:`OUTPUTS` from the features of a pair."""

    FORMAT = ModelFormat(
        "judge",
        1,
        "judge.safetensors",
        RectifierNetwork.shapes(len(JUDGE_FEATURES), 2, len(OUTPUTS)),
        {"features": JUDGE_FEATURES},
    )

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """Probabilities of :data:`OUTPUTS` for rows of features, float64 (K, 2)."""
        return logistic(self.network.outputs(features).astype(np.float64))


def with_judged_pairs(alignment: Alignment, pairs: DerivationPairs, judge: JudgeModel) -> Alignment:
    """Leave out the pairs that the judge finds improbable; add rules and further pairs that are probable.

    The probabilities of rules and of the smallest differing pairs are the judge's; all others keep theirs.
    See :func:`chosen_pairs`.
    """
    phrases = alignment.phrases
    probabilities = judge.probabilities(pairs.features)
    near = probabilities[:, 1].tolist()
    chosen, repeating = chosen_pairs(pairs, probabilities, _whole_sentences(alignment, pairs.spans))
    rows = [tuple(row) for row in pairs.spans.tolist()]
    judged = {rows[place]: near[place] for place in np.flatnonzero(chosen & ~repeating).tolist()}
    left_out = {row for row, is_in in zip(rows, chosen.tolist(), strict=True) if not is_in}
    own = [pair for pair in phrases if _ends(pair) not in left_out]
    # Further pairs come after those of the derivation, then rules.
    first_rule = len(rows) - len(pairs.rules.whole)
    first = first_rule - len(pairs.further)
    added = [
        PhrasePair(*nodes, probability=near[place])
        for place, nodes in enumerate(pairs.further, start=first)
        if chosen[place]
    ]
    reported = [
        replace(pair, probability=judged.get(_ends(pair), pair.probability))
        for pair in _with_members([*own, *added], phrases)
    ]
    nodes_of = nodes_by_ends(phrases, pairs.further)
    for place in (first_rule + np.flatnonzero(chosen[first_rule:])).tolist():
        nodes = _rule_nodes(alignment, pairs, place - first_rule, nodes_of)
        reported.append(PhrasePair(*nodes, probability=near[place]))
    return replace(alignment, phrases=tuple(reported))


def chosen_pairs(
    pairs: DerivationPairs, probabilities: np.ndarray, whole: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which pairs are reported, and which only repeat a smaller difference, both bool (K,).

    Rules and further pairs are, best first, if they are probable and neither near nor across a better one.
    The gain that is expected of one is 1 if people mark it, and half if they mark one near it. Of the
    derivation's own pairs the smallest differing ones are left out if they are improbable, and then those
    around them; if a smaller differing pair lies inside, a pair only repeats that one.

    The probabilities are those of :data:`.OUTPUTS`: float64, shape (K, 2). A pair of ``whole``, bool, shape
    (K,), is reported in any case: that of the whole texts, or of two whole sentences of which one says all
    that the other does.
    """
    spans, is_own = pairs.spans, pairs.is_own
    inside, near = np.asarray(contained(spans, spans)), nearness(spans, spans) >= 0.5
    apart = (overlaps(spans, spans) <= 0).all(axis=0)
    excluded = np.asarray(near | ~(apart | inside | inside.T))
    probable = ~is_own & pairs.differing & (probabilities[:, 1] >= _LEAST_OF_RULES)
    order = np.argsort(-probabilities.sum(axis=1), kind="stable")
    others = np.zeros(len(is_own), dtype=bool)
    for place in order[probable[order]].tolist():
        others[place] = not (excluded[place] & others).any()
    judged = (is_own | others) & pairs.differing & ~whole
    repeats = np.asarray(contained(pairs.changed_words, spans).any(axis=0))
    kept, repeating = np.zeros(len(judged), dtype=bool), np.asarray(~judged)
    sizes = (spans[:, 1::2] - spans[:, ::2]).sum(axis=1)
    for place in np.argsort(sizes, kind="stable").tolist():
        if judged[place]:
            repeating[place] = repeats[place] or (inside[:, place] & kept).any()
            kept[place] = repeating[place] or probabilities[place, 1] >= _LEAST_OF_NODES
    return kept | (is_own & ~judged), repeating


def _whole_sentences(alignment: Alignment, spans: np.ndarray) -> np.ndarray:
    """Whether pairs are of the texts, or of sentences of which one has no unlinked word: bool (K,)."""
    texts = alignment.source, alignment.target
    complete = [_complete_spans(text) for text in texts]
    unlinked = [
        {place for place, word in enumerate(text.words) if any(map(str.isalnum, word))}
        - {link[side] for link in alignment.words.pairs}
        for side, text in enumerate(texts)
    ]

    def is_whole(ours: tuple[int, int], theirs: tuple[int, int]) -> bool:
        if (ours, theirs) == ((0, len(texts[0])), (0, len(texts[1]))):
            return True
        are_complete = ours in complete[0] and theirs in complete[1]
        return are_complete and (
            unlinked[0].isdisjoint(range(*ours)) or unlinked[1].isdisjoint(range(*theirs))
        )

    return np.array([is_whole((a, b), (c, d)) for a, b, c, d in spans.tolist()], dtype=bool)


def _complete_spans(text: Sentence) -> set[tuple[int, int]]:
    """The spans of a text and of its sentences, with and without the marks that end them."""
    spans = set()
    for start, end in [(0, len(text)), *text.sentences]:
        spans.add((start, end))
        while end > start + 1 and not any(map(str.isalnum, text.words[end - 1])):
            end -= 1
        spans.add((start, end))
    return spans


def _with_members(pairs: Sequence[PhrasePair], before: Sequence[PhrasePair]) -> list[PhrasePair]:
    """The pairs; those that rest on others than before are compositional if they rest on fewer than two."""
    if list(pairs) == list(before):
        return list(pairs)
    known = dict(zip(map(_ends, before), _members(before), strict=True))
    return [
        pair if known.get(_ends(pair)) == members else replace(pair, compositional=len(members) < 2)
        for pair, members in zip(pairs, _members(pairs), strict=True)
    ]


def _members(pairs: Sequence[PhrasePair]) -> list[frozenset[tuple[int, ...]]]:
    """The ends of the largest pairs inside each."""
    rows = [_ends(pair) for pair in pairs]
    ends = np.array(rows, np.int64).reshape(-1, 4)
    below = contained(ends, ends).T & (ends[:, None] != ends).any(axis=2)
    return [frozenset(rows[place] for place in np.flatnonzero(row).tolist()) for row in largest_below(below)]


def _rule_nodes(
    alignment: Alignment, pairs: DerivationPairs, rule: int, nodes_of: Mapping[Any, NodePair]
) -> tuple[Node, Node]:
    """The phrases of a rule, with slashed categories."""
    rules = pairs.rules
    removed = [tuple(pairs.known[place].tolist()) for place in rules.removed[rule].tolist() if place >= 0]
    whole = nodes_of[tuple(pairs.known[rules.whole[rule]].tolist())]
    nodes = []
    for side, (top, sentence) in enumerate(zip(whole, (alignment.source, alignment.target), strict=True)):
        start, end = rules.spans[rule, 2 * side : 2 * side + 2].tolist()
        label = _category(top.label)
        for ends in sorted(removed, key=lambda row: row[2 * side]):
            first, pair = ends[2 * side], nodes_of.get(ends)
            # A link of two words need not be a pair.
            lacking = sentence.tags[first] if pair is None else _category(pair[side].label)
            label += f"\\{lacking}" if first < start else f"/{lacking}"
        head = top.head if start <= top.head < end else -1
        nodes.append(Node(start, end, label, is_constituent=False, head=head))
    return nodes[0], nodes[1]


def _ends(pair: PhrasePair) -> tuple[int, int, int, int]:
    return (*pair.source_node.span, *pair.target_node.span)


def _category(label: str) -> str:
    """The topmost label of a unary chain."""
    return label.split("::")[0].rstrip("'")
