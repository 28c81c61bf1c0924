"""Checks that an alignment of two trees is legitimate (Arase & Tsujii 2017, Definition 3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from forest_align.aligners.forest._node_pairs import (
    ChosenTree,
    NodePair,
    chain_length,
    missing_pairs,
    structure_violations,
    with_link,
)
from forest_align.alignment import Alignment, Span, SpanPair
from forest_align.parsing import forest_from_bracket
from forest_align.types import Derivation, InputError, ParseForest

_SIDES = ("source", "target")


def alignment_violations(alignment: Alignment, *, maximum_set: bool = False) -> list[str]:
    """List the errors in the phrases of a forest aligner's alignment, using the two trees that it chose.

    Also works for an alignment that was read from JSON; see :func:`violations`.

    Parameters
    ----------
    alignment : Alignment
        The alignment.
    maximum_set : bool
        Whether to check condition 6 as well, for all its word links. Only models with the option
        ``maximum_set`` promise it.

    Raises
    ------
    InputError
        If the alignment has no trees, or its trees do not contain its phrases.
    """
    source, target = (forest_from_bracket(tree)[1] for tree in (alignment.source_tree, alignment.target_tree))
    pairs, aligned, rules = [], [], []
    for pair in alignment.phrases:
        spans = pair.source_node.span, pair.target_node.span
        if pair.is_rule:
            rules.append(spans)
            continue
        nodes = source.node_of_span(*spans[0]), target.node_of_span(*spans[1])
        if not all(nodes):
            raise InputError(f"the trees have no phrases over the tokens {spans[0]} and {spans[1]}")
        pairs.append((nodes[0][0], nodes[1][0], pair.compositional))
        aligned.append(spans)
    of_nodes = violations(
        source,
        target,
        source.best_derivation(),
        target.best_derivation(),
        pairs,
        root_aligned=alignment.root_aligned,
        maximum_set_of=alignment.words.pairs if maximum_set else None,
        further=not maximum_set,
    )
    inside = set(alignment.words.pairs) - set(alignment.outside)
    return of_nodes + rule_violations(aligned, rules, sorted(inside))


def rule_violations(
    pairs: Sequence[SpanPair], rules: Sequence[SpanPair], links: Iterable[tuple[int, int]]
) -> list[str]:
    """List the errors in the rules of an alignment, whose phrases are no nodes.

    This extends Definition 3.2, as do pairs that share a node (:func:`violations`, ``further``). A rule lies
    inside an aligned pair on both sides, and no word link leads from inside it to outside. A pair or another
    rule that lies inside it on one side lies inside it on the other. Two rules that share a word lie one
    inside the other on both sides. Spans are half-open.
    """
    wrong = []
    words = [((i, i + 1), (j, j + 1)) for i, j in links]
    for rule in rules:
        if not any(all(map(_contains, pair, rule)) for pair in pairs):
            wrong.append(f"rule: {rule} lies in no aligned pair")
        for other in (*pairs, *rules, *words):
            inside = [_contains(ours, theirs) for ours, theirs in zip(rule, other, strict=True)]
            if inside[0] != inside[1]:
                wrong.append(f"rule: {other} lies inside {rule} on one side only")
    for one, two in combinations(rules, 2):
        shares = any(max(a[0], b[0]) < min(a[1], b[1]) for a, b in zip(one, two, strict=True))
        if shares and not any(all(map(_contains, *both)) for both in ((one, two), (two, one))):
            wrong.append(f"rule: {one} and {two} overlap")
    return wrong


def _contains(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def violations(
    source: ParseForest,
    target: ParseForest,
    source_tree: Derivation,
    target_tree: Derivation,
    pairs: Sequence[NodePair],
    *,
    root_aligned: bool = True,
    maximum_set_of: Sequence[tuple[int, int]] | None = None,
    further: bool = False,
) -> list[str]:
    """List the errors in a set of aligned pairs; an empty list if the set is legitimate.

    The conditions checked are root-pair containment, same tree, relevance, consistency and monotonicity.
    Also, each pair marked compositional must rest on at most two pairs, and its nodes must be their lowest
    common ancestors (Theorem 3.2). Lowest common ancestors may be those of the trees as they are, or before
    they were binarized. Three extensions are legitimate: a pair that rests on only one pair, roots above the
    lowest common ancestor of their supports, and as many pairs of a unary chain as it has nodes, if their
    other nodes lie one below the other.

    Maximum set is checked on demand: no further pair may be added that a word link or two pairs support
    (``with_link``, ``missing_pairs``). Parts of constituents do not count: brackets do not show how a tree
    was binarized. A search for the most probable derivation may leave out pairs that could be added.

    A pair has a source node, a target node and whether it is compositional. If the roots are not aligned,
    root-pair containment and maximum set are not required; if they are, every pair lies below them. The word
    links of ``maximum_set_of`` ask for the check of the maximum set. With ``further`` pairs beside those of a
    derivation, any node may be in several pairs, if their other nodes lie one below the other.
    """
    trees = ChosenTree.of(source, source_tree), ChosenTree.of(target, target_tree)
    roots = (source_tree.root, target_tree.root)
    wrong = []
    has_root = any((s, t) == roots for s, t, _ in pairs)
    if root_aligned != has_root:
        wrong.append(f"root pair: {roots} is {'' if has_root else 'not '}aligned")
    for side, (tree, forest, root) in enumerate(zip(trees, (source, target), roots, strict=True)):
        if root not in forest.roots:
            wrong.append(f"same tree: {root} is no root")
        missing = [pair[side] for pair in pairs if pair[side] not in tree.nodes]
        wrong += [f"same tree: node {node} is not in the {_SIDES[side]} tree" for node in missing]
    if wrong:
        return wrong
    for side, forest in enumerate((source, target)):
        wrong += _repeated(trees[1 - side], None if further else forest, pairs, side)
    wrong = wrong or structure_violations(trees, roots, pairs)
    if wrong or not root_aligned or maximum_set_of is None:
        return wrong
    leaves = [(trees[0].lowest(i, i + 1), trees[1].lowest(j, j + 1)) for i, j in maximum_set_of]
    lacking = [leaf for leaf in leaves if with_link(trees, pairs, leaf) is not None]
    lacking += [
        (s, t)
        for s, t in missing_pairs(trees, pairs)
        if source.is_constituent[s] and target.is_constituent[t]
    ]
    return [f"maximum set: {pair} could be added" for pair in lacking]


def _repeated(
    other_tree: ChosenTree, forest: ParseForest | None, pairs: Sequence[NodePair], side: int
) -> list[str]:
    """The violations of consistency by nodes that are in several pairs; without a forest all may be."""
    partners: dict[int, list[int]] = {}
    for pair in pairs:
        partners.setdefault(pair[side], []).append(pair[1 - side])
    wrong = []
    for node, others in sorted(partners.items()):
        name = f"consistency: {_SIDES[side]} node {node}"
        most = len(others) if forest is None else chain_length(forest, node)
        if len(others) > most or len(set(others)) < len(others):
            wrong.append(f"{name} is aligned {'twice' if len(others) == 2 else f'{len(others)} times'}")
        elif not all(
            other_tree.contains(one, two) or other_tree.contains(two, one)
            for one, two in combinations(others, 2)
        ):
            wrong.append(f"{name} is aligned with nodes that lie apart")
    return wrong
