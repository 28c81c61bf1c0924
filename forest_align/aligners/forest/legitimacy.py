"""Checks that an alignment of two trees is legitimate (Arase & Tsujii 2017, Definition 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_align.alignment import Alignment
from forest_align.parsing import forest_from_bracket
from forest_align.types import Derivation, InputError, ParseForest

Pair = tuple[int, int, bool]  # source node, target node, compositional


@dataclass(frozen=True, slots=True)
class _Tree:
    """One tree of a forest: which nodes it has and what lies below each."""

    nodes: frozenset[int]
    children: dict[int, tuple[int, int]]
    start: Sequence[int]
    end: Sequence[int]
    is_constituent: Sequence[bool]

    @classmethod
    def of(cls, forest: ParseForest, derivation: Derivation) -> _Tree:
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
        return cls(frozenset(found), children, *spans, forest.is_constituent.tolist())

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


def alignment_violations(alignment: Alignment) -> list[str]:
    """List the errors in the phrases of a forest aligner's alignment, using the two trees that it chose.

    Also works for an alignment that was read from JSON; see :func:`violations`.

    Raises
    ------
    InputError
        If the alignment has no trees, or its trees do not contain its phrases.
    """
    source, target = (forest_from_bracket(tree)[1] for tree in (alignment.source_tree, alignment.target_tree))
    pairs = []
    for pair in alignment.phrases:
        spans = pair.source_node.span, pair.target_node.span
        nodes = source.node_of_span(*spans[0]), target.node_of_span(*spans[1])
        if not all(nodes):
            raise InputError(f"the trees have no phrases over the tokens {spans[0]} and {spans[1]}")
        pairs.append((nodes[0][0], nodes[1][0], pair.compositional))
    trees = source.best_derivation(), target.best_derivation()
    return violations(source, target, *trees, pairs, root_aligned=alignment.root_aligned)


def violations(
    source: ParseForest,
    target: ParseForest,
    source_tree: Derivation,
    target_tree: Derivation,
    pairs: Sequence[Pair],
    *,
    root_aligned: bool = True,
) -> list[str]:
    """List the errors in a set of aligned pairs; an empty list if the set is legitimate.

    The conditions checked are root-pair containment, same tree, relevance, consistency and monotonicity.
    Also, each pair marked compositional must rest on at most two pairs, and its nodes must be their lowest
    common ancestors (Theorem 3.2). The condition that no pair could be added (maximum set) is not checked:
    a beam search cannot guarantee it. Lowest common ancestors may be those of the trees as they are, or
    before they were binarized. Two extensions are legitimate: a pair that rests on only one pair, and roots
    above the lowest common ancestor of their supports.

    Parameters
    ----------
    source, target : ParseForest
        The forests.
    source_tree, target_tree : Derivation
        The trees that the alignment chose.
    pairs : sequence of (int, int, bool)
        Source node, target node, and whether the pair is compositional.
    root_aligned : bool
        Whether the roots are reported as aligned. If not, root-pair containment is not required. If they
        are, every pair lies below the root pair, because its nodes are in the trees.
    """
    trees = _Tree.of(source, source_tree), _Tree.of(target, target_tree)
    found = []
    roots = (source_tree.root, target_tree.root)
    has_root = any((s, t) == roots for s, t, _ in pairs)
    if root_aligned != has_root:
        found.append(f"root pair: {roots} is {'' if has_root else 'not '}aligned")
    for tree, forest, derivation, side in zip(
        trees, (source, target), (source_tree, target_tree), (0, 1), strict=True
    ):
        if derivation.root not in forest.roots:
            found.append(f"same tree: {derivation.root} is no root")
        missing = [pair[side] for pair in pairs if pair[side] not in tree.nodes]
        found += [
            f"same tree: node {node} is not in the {('source', 'target')[side]} tree" for node in missing
        ]
    for side in (0, 1):
        nodes = [pair[side] for pair in pairs]
        twice = {node for node in nodes if nodes.count(node) > 1}
        found += [
            f"consistency: {('source', 'target')[side]} node {node} is aligned twice"
            for node in sorted(twice)
        ]
    if found:
        return found
    return _check_structure(trees, roots, pairs)


def _check_structure(trees: tuple[_Tree, _Tree], roots: tuple[int, int], pairs: Sequence[Pair]) -> list[str]:
    source, target = trees
    found = []
    for pair in pairs:
        below_source = {o[:2] for o in pairs if o != pair and source.contains(pair[0], o[0])}
        below_target = {o[:2] for o in pairs if o != pair and target.contains(pair[1], o[1])}
        for other in sorted(below_source ^ below_target):
            found.append(f"monotonous: {other} lies below {pair[:2]} on one side only")
        members = [
            one
            for one in sorted(below_source)
            if not any(one != two and source.contains(two[0], one[0]) for two in below_source)
        ]
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
