"""Conditions of Definition 3.2 of Arase & Tsujii (2017) on pairs of nodes of two chosen trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_align.types import Derivation, ParseForest

NodePair = tuple[int, int, bool]  # source node, target node, compositional


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
        found, todo = set(), [derivation.root]
        while todo:
            node = todo.pop()
            found.add(node)
            edge = derivation.edges.get(node, -1)
            if edge >= 0 and forest.edges[edge, 0] == node:
                left, right = (int(child) for child in forest.edges[edge, 1:])
                children[node] = (left, right)
                todo += [left, right]
        spans = forest.start.tolist(), forest.end.tolist()
        return cls(derivation.root, frozenset(found), children, *spans, forest.is_constituent.tolist())

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


def members_of(
    trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair], pair: NodePair
) -> list[tuple[int, int]]:
    """The pairs that a pair rests on: the largest ones below it, ascending."""

    def is_below(upper: tuple[int, ...], lower: tuple[int, ...]) -> bool:
        return upper[:2] != lower[:2] and all(trees[k].contains(upper[k], lower[k]) for k in (0, 1))

    below = {one[:2] for one in pairs if is_below(pair, one)}
    return [one for one in sorted(below) if not any(is_below(two, one) for two in below)]


def structure_violations(
    trees: tuple[ChosenTree, ChosenTree], roots: tuple[int, int], pairs: Sequence[NodePair]
) -> list[str]:
    """List the violations of monotonicity and relevance by pairs of nodes of two trees.

    Of two pairs that share a node, the one whose other node is above is above.
    """
    source, target = trees
    found = []
    for pair in pairs:
        below = [
            {
                other[:2]
                for other in pairs
                if other != pair
                and trees[k].contains(pair[k], other[k])
                and (other[k] != pair[k] or trees[1 - k].contains(pair[1 - k], other[1 - k]))
            }
            for k in (0, 1)
        ]
        for other in sorted(below[0] ^ below[1]):
            found.append(f"monotonous: {other} lies below {pair[:2]} on one side only")
        members = members_of(trees, pairs, pair)
        if pair[2] and len(members) > 2:
            found.append(f"monotonous: the compositional pair {pair[:2]} rests on {len(members)} pairs")
        elif pair[2] and len(members) == 2:
            one, two = members
            lcas = source.is_lca(pair[0], one[0], two[0]), target.is_lca(pair[1], one[1], two[1])
            # The roots may be above the lowest common ancestor on one side (single support).
            if not (any(lcas) if pair[:2] == roots else all(lcas)):
                found.append(f"relevance: {pair[:2]} is not the lowest common ancestor of {one} and {two}")
        elif not pair[2] and len(members) < 2:
            found.append(f"relevance: the non-compositional pair {pair[:2]} rests on fewer than two pairs")
    return found


def missing_pairs(trees: tuple[ChosenTree, ChosenTree], pairs: Sequence[NodePair]) -> list[tuple[int, int]]:
    """The pairs that the maximum set has beside these (condition 6), by source node.

    Two pairs support one of their lowest common ancestors. It is missing if neither of these is aligned, the
    same pairs lie below both (condition 5), and the pair above keeps another one to rest on (condition 3). A
    source node has at most one such partner, and no two of them exclude each other, so all can be added.
    """
    source, target = trees
    aligned = {s for s, _, _ in pairs}, {t for _, t, _ in pairs}
    found = []
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
            found.append((node, partner))
    return found
