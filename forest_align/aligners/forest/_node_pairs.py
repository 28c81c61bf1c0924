"""Sets of pairs of nodes of two chosen trees: the conditions of Definition 3.2 of Arase & Tsujii (2017).

Condition 6 asks for the maximum set. The search maximises a product of probabilities, in which every further
pair is a factor below 1. A derivation may therefore lack word candidates that fit in, and pairs that its
pairs support. They are added afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.words.candidate import Candidate
from forest_align.cext.alignment_arrays import BASE, COMPOSITIONAL, NONCOMPOSITIONAL, AlignmentArrays
from forest_align.types import Derivation, ParseForest

NodePair = tuple[int, int, bool]  # source node, target node, compositional
# Log posterior of a pair that the search did not keep.
_LEAST = math.log(1e-9)


@dataclass(frozen=True, slots=True)
class ChosenTree:
    """One tree of a forest: which nodes it has and what lies below each."""

    root: int
    nodes: frozenset[int]
    children: dict[int, tuple[int, int]]
    start: Sequence[int]
    end: Sequence[int]
    is_constituent: Sequence[bool]

    @classmethod
    def of(cls, forest: ParseForest, derivation: Derivation) -> ChosenTree:
        children: dict[int, tuple[int, int]] = {}
        nodes, todo = set(), [derivation.root]
        while todo:
            node = todo.pop()
            nodes.add(node)
            edge = derivation.edges.get(node, -1)
            if edge >= 0 and forest.edges[edge, 0] == node:
                left, right = (int(child) for child in forest.edges[edge, 1:])
                children[node] = (left, right)
                todo += [left, right]
        spans = forest.start.tolist(), forest.end.tolist()
        return cls(derivation.root, frozenset(nodes), children, *spans, forest.is_constituent.tolist())

    def contains(self, upper: int, lower: int) -> bool:
        """Whether a node lies below another one or is the same; spans decide this within one tree."""
        return self.start[upper] <= self.start[lower] and self.end[lower] <= self.end[upper]

    def is_lca(self, top: int, one: int, two: int) -> bool:
        """Whether two nodes lie below different children of ``top``, or of a part of it.

        The second case is a constituent ``top`` with more than two children. It is the lowest common ancestor
        of the nodes in the tree before binarization.
        """
        node: int | None = top
        while node is not None and node in self.children:
            left, right = self.children[node]
            if (self.contains(left, one) and self.contains(right, two)) or (
                self.contains(left, two) and self.contains(right, one)
            ):
                return True
            parts = (child for child in (left, right) if not self.is_constituent[child])
            node = next(
                (part for part in parts if self.contains(part, one) and self.contains(part, two)), None
            )
        return False

    def lowest(self, start: int, end: int) -> int:
        """The lowest node over all tokens of a span."""
        node = self.root
        while node in self.children:
            left, right = self.children[node]
            if end <= self.end[left]:
                node = left
            elif self.start[right] <= start:
                node = right
            else:
                break
        return node


def chain_length(forest: ParseForest, node: int) -> int:
    """How many nodes of the parser's own tree one node stands for: more than one if it is a unary chain."""
    return forest.labels[node].count("::") + 1


def _members(
    trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair], pair: NodePair
) -> list[tuple[int, int]]:
    """The pairs that a pair rests on: the largest ones below it, ascending."""

    def is_below(upper: tuple[int, ...], lower: tuple[int, ...]) -> bool:
        return upper[:2] != lower[:2] and all(
            trees[side].contains(upper[side], lower[side]) for side in (0, 1)
        )

    below = {other[:2] for other in pairs if is_below(pair, other)}
    return [lower for lower in sorted(below) if not any(is_below(upper, lower) for upper in below)]


def structure_violations(
    trees: tuple[ChosenTree, ChosenTree], roots: tuple[int, int], pairs: Sequence[NodePair]
) -> list[str]:
    """List the violations of monotonicity and relevance by pairs of nodes of two trees.

    Of two pairs that share a node, the one whose other node is above is above.
    """
    violations = []
    for pair in pairs:
        below = [
            {
                other[:2]
                for other in pairs
                if other != pair
                and trees[side].contains(pair[side], other[side])
                and (other[side] != pair[side] or trees[1 - side].contains(pair[1 - side], other[1 - side]))
            }
            for side in (0, 1)
        ]
        for other in sorted(below[0] ^ below[1]):
            violations.append(f"monotonous: {other} lies below {pair[:2]} on one side only")
        members = _members(trees, pairs, pair)
        if not pair[2] and len(members) < 2:
            violations.append(
                f"relevance: the non-compositional pair {pair[:2]} rests on fewer than two pairs"
            )
        elif pair[2] and len(members) > 2:
            violations.append(f"monotonous: the compositional pair {pair[:2]} rests on {len(members)} pairs")
        elif pair[2] and len(members) == 2:
            lcas = _are_lcas(trees, pair, members)
            # The roots may be above the lowest common ancestor on one side (single support).
            if not (any(lcas) if pair[:2] == roots else all(lcas)):
                one, two = members
                violations.append(
                    f"relevance: {pair[:2]} is not the lowest common ancestor of {one} and {two}"
                )
    return violations


def _are_lcas(
    trees: tuple[ChosenTree, ChosenTree], pair: Sequence[int], members: Sequence[tuple[int, int]]
) -> list[bool]:
    """On each side whether the node of a pair is the lowest common ancestor of those of its two members."""
    one, two = members
    return [tree.is_lca(*nodes) for tree, *nodes in zip(trees, pair, one, two, strict=False)]


def missing_pairs(trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair]) -> list[tuple[int, int]]:
    """The pairs that the maximum set has beside these (condition 6), by source node.

    Two pairs support one of their lowest common ancestors. It is missing if neither of these is aligned, the
    same pairs lie below both (condition 5), and the pair above keeps another one to rest on (condition 3). A
    source node has at most one such partner, and no two of them exclude each other, so all can be added.
    """
    source, target = trees
    aligned = {s for s, _, _ in pairs}, {t for _, t, _ in pairs}
    missing = []
    for node in sorted(source.children.keys() - aligned[0]):
        inside = [pair for pair in pairs if source.contains(node, pair[0])]
        children = source.children[node]
        if not all(any(source.contains(child, pair[0]) for pair in inside) for child in children):
            continue
        partner = target.lowest(
            min(target.start[t] for _, t, _ in inside), max(target.end[t] for _, t, _ in inside)
        )
        if partner in aligned[1] or len(inside) != sum(target.contains(partner, t) for _, t, _ in pairs):
            continue
        around = [pair for pair in pairs if source.contains(pair[0], node)]
        above = min(around, key=lambda pair: source.end[pair[0]] - source.start[pair[0]])
        if sum(source.contains(above[0], s) for s, _, _ in pairs) - 1 > len(inside):
            missing.append((node, partner))
    return missing


def with_maximum_set(
    arrays: AlignmentArrays,
    forests: tuple[ParseForest, ParseForest],
    trees: tuple[Derivation, Derivation],
    base: Mapping[tuple[int, int], Candidate],
) -> AlignmentArrays:
    """Add the word candidates that fit into a derivation, best first, and all pairs that its pairs support.

    The score of the derivation stays that of the search. Without a pair of roots nothing is added: no set of
    pairs is then legitimate. Groups of words in ``base`` are not added. The new pairs come last. Their parent
    is the pair around them, and their posterior that of the search, or almost 0 if the search did not keep
    them.
    """
    if not arrays.root_aligned:
        return arrays
    chosen = ChosenTree.of(forests[0], trees[0]), ChosenTree.of(forests[1], trees[1])
    places = np.flatnonzero(~arrays.absorbed).tolist()
    whole = compositional(arrays)
    pairs: list[NodePair] = [(int(arrays.source[p]), int(arrays.target[p]), bool(whole[p])) for p in places]
    count, leaves = len(pairs), set()
    words = sorted(
        (-candidate.score, leaf)
        for leaf, candidate in base.items()
        if all(
            node in tree.nodes and tree.end[node] - tree.start[node] == 1
            for tree, node in zip(chosen, leaf, strict=True)
        )
    )
    pairs = _completed(chosen, pairs)
    before = -1
    while before < len(pairs):  # a pair that was added may make room for another one
        before = len(pairs)
        for _, leaf in words:
            more = with_link(chosen, pairs, leaf)
            if more is not None:
                pairs = more
                leaves.add(leaf)
    if len(pairs) == count:
        return arrays
    kind = arrays.kind.copy()
    for place, (_, _, is_whole) in zip(places, pairs[:count], strict=True):
        if is_whole and not whole[place]:
            kind[place] = COMPOSITIONAL
            kind[arrays.absorbed & (arrays.parent == place)] = COMPOSITIONAL
    new = pairs[count:]
    kinds = [BASE if pair[:2] in leaves else COMPOSITIONAL if pair[2] else NONCOMPOSITIONAL for pair in new]
    parents = [places[_around(chosen[0], pairs[:count], pair[0])] for pair in new]
    return with_pairs(arrays._replace(kind=kind), forests, [pair[:2] for pair in new], kinds, parents)


def with_pairs(
    arrays: AlignmentArrays,
    forests: tuple[ParseForest, ParseForest],
    pairs: Sequence[tuple[int, int]],
    kinds: Sequence[int],
    parents: Sequence[int],
) -> AlignmentArrays:
    """Append pairs of nodes to a derivation, with the posteriors that the search gave their spans."""
    return arrays._replace(
        source=np.append(arrays.source, np.array([s for s, _ in pairs], np.int32)),
        target=np.append(arrays.target, np.array([t for _, t in pairs], np.int32)),
        kind=np.append(arrays.kind, np.array(kinds, np.int8)),
        parent=np.append(arrays.parent, np.array(parents, np.int32)),
        absorbed=np.append(arrays.absorbed, np.zeros(len(pairs), bool)),
        log_posterior=np.append(
            arrays.log_posterior, [_log_posterior(arrays, forests, pair) for pair in pairs]
        ),
    )


def compositional(arrays: AlignmentArrays) -> np.ndarray:
    """Whether each pair of a derivation is compositional, bool (D,)."""
    whole: np.ndarray = arrays.kind != NONCOMPOSITIONAL
    # A pair that replaces a non-compositional one takes over its supports.
    whole[arrays.parent[arrays.absorbed & ~whole]] = False
    return whole


def with_link(
    trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair], leaf: tuple[int, int]
) -> list[NodePair] | None:
    """Add a pair of two words, and those that it then supports; None if the set would not be legitimate.

    The set so far is legitimate and includes the pair of the roots.
    """
    source, target = trees
    if any(
        leaf[0] == s or leaf[1] == t or source.contains(s, leaf[0]) != target.contains(t, leaf[1])
        for s, t, _ in pairs
    ):
        return None  # a word is aligned by itself, or a pair contains one of the two alone
    around = pairs[_around(source, pairs, leaf[0])]
    beside = _members(trees, pairs, around)
    if not beside:
        return None  # the words of a group are not aligned one by one
    more = [*pairs, (*leaf, True)]
    if len(beside) == 1 and around[2]:
        # The pair around it rests on a single pair; the two may support one of their own in between.
        between = tuple(
            tree.lowest(min(tree.start[one], tree.start[two]), max(tree.end[one], tree.end[two]))
            for tree, one, two in zip(trees, leaf, beside[0], strict=False)
        )
        if between[0] != around[0] and between[1] != around[1]:
            more.append((between[0], between[1], True))
    more = _completed(trees, more)
    return None if structure_violations(trees, (source.root, target.root), more) else more


def _completed(trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair]) -> list[NodePair]:
    """All pairs of the maximum set."""
    missing = missing_pairs(trees, pairs)
    if not missing:
        return list(pairs)
    more = [*pairs, *((s, t, False) for s, t in missing)]

    def is_supported(pair: NodePair) -> bool:
        """Whether a pair rests on exactly two pairs and has their lowest common ancestors."""
        members = _members(trees, more, pair)
        return len(members) == 2 and all(_are_lcas(trees, pair, members))

    return [(*pair[:2], pair[2] or is_supported(pair)) for pair in more]


def _around(tree: ChosenTree, pairs: Sequence[NodePair], node: int) -> int:
    """The place of the smallest pair around a source node."""
    around = [place for place, pair in enumerate(pairs) if tree.contains(pair[0], node)]
    return min(around, key=lambda place: tree.end[pairs[place][0]] - tree.start[pairs[place][0]])


def _log_posterior(
    arrays: AlignmentArrays, forests: tuple[ParseForest, ParseForest], pair: tuple[int, int]
) -> float:
    """Log posterior of the spans of two nodes; almost nothing if the search kept no items that have them."""
    same = np.ones(len(arrays.item_source), bool)
    for forest, items, node in zip(forests, (arrays.item_source, arrays.item_target), pair, strict=True):
        same &= (forest.start[items] == forest.start[node]) & (forest.end[items] == forest.end[node])
    kept = arrays.item_log_posterior[same]
    return max(float(kept[0]), _LEAST) if len(kept) else _LEAST
