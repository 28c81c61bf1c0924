"""Random small forests, and an enumerator of every legitimate alignment of two trees, for the kernel's tests.

The enumerator knows nothing of packing, hyperedges, paths or partial derivations: it works on explicit sets
of nodes of two fixed binary trees, and resolves the conflicts of a non-compositional pair by opening.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from forest_align.aligners.forest.options import ForestOptions
from forest_align.cext.alignment_arrays import BaseArrays, SearchOptions, SideArrays

# Enough of them that no two alignments have the same score.
CLASSES = 40


#: What the tests vary.
OPTIONS = ForestOptions().search_options()._replace(max_items=100_000)


class Case(NamedTuple):
    """What the kernel takes but for the options."""

    source: SideArrays
    target: SideArrays
    log_pair: np.ndarray
    base: BaseArrays

    def swapped(self) -> Case:
        """The same with the sentences swapped."""
        base = BaseArrays(self.base.target, self.base.source, self.base.log_prior)
        return Case(self.target, self.source, self.log_pair.T, base)

    def scaled(self, factor: float) -> Case:
        """The same with all log-probabilities multiplied."""
        source, target = (
            side._replace(log_null=factor * side.log_null) for side in (self.source, self.target)
        )
        base = self.base._replace(log_prior=factor * self.base.log_prior)
        return Case(source, target, factor * self.log_pair, base)

    def base_pairs(self) -> list[tuple[int, int, float]]:
        """The base pairs, each with its log prior."""
        source, target, log_prior = (part.tolist() for part in self.base)
        return list(zip(source, target, log_prior, strict=True))


def random_forest(
    rng: random.Random, words: int, trees: int, labels: int = 1
) -> tuple[SideArrays, list[int]]:
    """Pack random binary trees whose nodes bear random labels; a random class of each node."""
    keys: set[tuple[int, int, int]] = set()
    edges: set[tuple[Any, Any, Any]] = set()
    roots: list[tuple[int, int, int]] = []

    def grow(start: int, end: int) -> tuple[int, int, int]:
        node = (end - start, start, rng.randrange(labels))
        keys.add(node)
        if end - start > 1:
            middle = rng.randrange(start + 1, end)
            edges.add((node, grow(start, middle), grow(middle, end)))
        return node

    for _ in range(trees):
        root = grow(0, words)
        if root not in roots:
            roots.append(root)
    order = sorted(keys)
    number = {key: index for index, key in enumerate(order)}
    triples = sorted(tuple(number[key] for key in edge) for edge in edges)
    side = SideArrays(
        np.array([key[1] for key in order], np.int32),
        np.array([key[1] + key[0] for key in order], np.int32),
        np.array(triples, np.int32).reshape(-1, 3),
        np.array([number[root] for root in roots], np.int32),
        np.array([-rng.random() * 2 for _ in order]),
    )
    return side, [rng.randrange(CLASSES) for _ in order]


def random_case(seed: int, max_words: int, trees: int, *, labels: int = 1, density: float = 0.5) -> Case:
    """Two forests, pair probabilities and base items, as the kernel takes them."""
    rng = random.Random(seed)
    sides, classes = zip(
        *(random_forest(rng, rng.randint(1, max_words), rng.randint(1, trees), labels) for _ in range(2)),
        strict=True,
    )
    log_pair = np.array([[-rng.random() * 3 for _ in range(CLASSES)] for _ in range(CLASSES)])
    base = []
    for s in range(len(sides[0].start)):
        for t in range(len(sides[1].start)):
            leaves = all(side.end[n] - side.start[n] == 1 for side, n in zip(sides, (s, t), strict=True))
            if rng.random() < (density if leaves else 0.03):
                base.append((s, t, -rng.random()))
    source, target, prior = zip(*base, strict=True) if base else ((), (), ())
    arrays = BaseArrays(np.array(source, np.int32), np.array(target, np.int32), np.array(prior, np.float64))
    return Case(*sides, log_pair[np.ix_(*classes)], arrays)


def all_trees(side: SideArrays) -> list[dict[int, tuple[int, int]]]:
    """Every tree of a forest: inner node to its two children; the root under the key -1."""
    below: dict[int, list[dict[int, tuple[int, int]]]] = {}

    def grow(node: int) -> list[dict[int, tuple[int, int]]]:
        if node not in below:
            found: list[dict[int, tuple[int, int]]] = []
            for parent, left, right in side.edges.tolist():
                if parent == node:
                    for one, two in itertools.product(grow(left), grow(right)):
                        found.append({node: (left, right), **one, **two})
            below[node] = found or [{}]
        return below[node]

    return [{-1: (root, root), **tree} for root in side.roots.tolist() for tree in grow(root)]


class TreeSide:
    """One fixed tree."""

    def __init__(self, tree: dict[int, tuple[int, int]], side: SideArrays) -> None:
        self.children = {node: pair for node, pair in tree.items() if node != -1}
        self.root = tree[-1][0]
        self.words = dict(enumerate((side.end - side.start).tolist()))
        self.log_null = side.log_null
        weights = np.zeros(len(side.edges)) if side.log_edge is None else side.log_edge
        self.log_edge = dict(zip(map(tuple, side.edges.tolist()), weights.tolist(), strict=True))
        self.descendants: dict[int, dict[int, int]] = {}
        self._fill(self.root)

    def _fill(self, node: int) -> None:
        mine = {node: 0}
        for child in self.children.get(node, ()):
            self._fill(child)
            for lower, depth in self.descendants[child].items():
                mine[lower] = depth + 1
        self.descendants[node] = mine

    def nulls(self, top: int, members: Any) -> tuple[int, float]:
        """Words of the largest subtrees below ``top`` without a member; score of them and of hyperedges."""
        if top in members:
            return 0, 0.0
        if not any(member in self.descendants[top] for member in members):
            return self.words[top], self.log_null[top]
        children = self.children[top]
        words, scores = zip(*(self.nulls(child, members) for child in children), strict=True)
        return sum(words), sum(scores) + self.log_edge.get((top, *children), 0.0)


@dataclass(frozen=True)
class Explicit:
    """One derivation: a pair, how it is supported, and the derivations that it rests on."""

    source: int
    target: int
    kind: int
    members: frozenset[Explicit]
    score: float
    null_words: int

    def key(self) -> Any:
        return (self.source, self.target, self.kind, frozenset(member.key() for member in self.members))


def enumerate_alignments(
    source: TreeSide,
    target: TreeSide,
    pair: np.ndarray,
    base: list[tuple[int, int, float]],
    options: SearchOptions,
    merge_all: bool,
) -> dict[tuple[int, int], list[Explicit]]:
    """Every derivation of every pair of nodes of two trees."""
    found: dict[tuple[int, int], dict[Any, Explicit]] = {}
    mu_n, mu_c = options.null_penalty, options.noncompositional_penalty

    def add(s: int, t: int, kind: int, members: frozenset[Explicit], prior: float = 0.0) -> None:
        words, score = 0, prior + pair[s, t] + sum(member.score for member in members)
        if members:
            for side, top, nodes in (
                (source, s, {member.source for member in members}),
                (target, t, {member.target for member in members}),
            ):
                more_words, more_score = side.nulls(top, nodes)
                words, score = words + more_words, score + more_score
        if options.count_all_nulls:
            words += sum(member.null_words for member in members)
        score -= (words + (mu_c if kind == 2 else 0) + 1) ** mu_n
        explicit = Explicit(s, t, kind, members, float(score), words)
        found.setdefault((s, t), {}).setdefault(explicit.key(), explicit)

    def derivations(s: int) -> list[Explicit]:
        return [d for (a, _), mine in found.items() if a == s for d in mine.values()]

    gap = options.generation_gap
    for s in sorted(source.descendants):
        for a, t, prior in base:
            if a == s and t in target.descendants:
                add(s, t, 0, frozenset(), prior)
        if s not in source.children:
            continue
        sides = [
            [d for a, depth in source.descendants[child].items() if depth < gap for d in derivations(a)]
            for child in source.children[s]
        ]
        for one, two in itertools.product(*sides):
            tops = [
                t
                for t, (left, right) in target.children.items()
                for x, y in ((left, right), (right, left))
                if target.descendants[x].get(one.target, gap) < gap
                and target.descendants[y].get(two.target, gap) < gap
            ]
            for t in tops:
                add(s, t, 1, frozenset((one, two)))
            # Merging is not for pairs whose best support is single, unless all are to be tried.
            is_single = any(
                max(found[d.source, d.target].values(), key=lambda other: other.score).kind == 3
                for d in (one, two)
            )
            if not tops and options.noncompositional and (merge_all or not is_single):
                _combine_nested(s, one, two, target, add)
        if options.single_support:
            for a, depth in source.descendants[s].items():
                for d in derivations(a) if 0 < depth <= gap else ():
                    for t, below in target.descendants.items():
                        if 0 < below.get(d.target, 0) <= gap and (s, t) != (source.root, target.root):
                            add(s, t, 3, frozenset((d,)))
    if options.single_support:
        root = (source.root, target.root)
        for (s, t), mine in list(found.items()):
            if (s, t) != root:
                for explicit in list(mine.values()):
                    add(*root, 3, frozenset((explicit,)))
    return {place: list(mine.values()) for place, mine in found.items()}


def _combine_nested(s: int, one: Explicit, two: Explicit, target: TreeSide, add: Any) -> None:
    for upper, lower in ((one, two), (two, one)):
        if lower.target in target.descendants[upper.target]:
            if upper.kind in (1, 2):
                for members in _resolve(upper.members, frozenset((lower,)), target):
                    add(s, upper.target, 2, members)
            return


def _resolve(one: frozenset[Explicit], two: frozenset[Explicit], target: TreeSide) -> Any:
    """Open whatever member stands above (or at the place of) a member of the other set, until none does."""
    for a, b in itertools.product(one, two):
        if b.target in target.descendants[a.target]:
            if a.kind in (1, 2):
                yield from _resolve(one - {a} | a.members, two, target)
            return
        if a.target in target.descendants[b.target]:
            if b.kind in (1, 2):
                yield from _resolve(one, two - {b} | b.members, target)
            return
    yield one | two


def brute_force(
    case: Case, options: SearchOptions, merge_all: bool = False
) -> tuple[float, float, dict[tuple[int, int], float]]:
    """Best score of an alignment of roots, log-sum over all of them, and posteriors of pairs of nodes.

    In both of the latter alignments weigh their score to the power 1 / temperature .
    """
    whole = all_alignments(case, options, merge_all)
    if not whole:
        return -math.inf, -math.inf, {}
    weights = [explicit.score / options.temperature for explicit in whole]
    total = float(np.logaddexp.reduce(weights))
    posteriors: dict[tuple[int, int], float] = {}
    for explicit, weight in zip(whole, weights, strict=True):
        for place in pairs_of(explicit):
            posteriors[place] = posteriors.get(place, 0.0) + math.exp(weight - total)
    return max(explicit.score for explicit in whole), total, posteriors


def all_alignments(case: Case, options: SearchOptions, merge_all: bool = False) -> list[Explicit]:
    """Every alignment of the roots of a pair of trees; of the same pairs in other trees the best one."""
    sides = ([TreeSide(tree, side) for tree in all_trees(side)] for side in (case.source, case.target))
    best: dict[Any, Explicit] = {}
    for source, target in itertools.product(*sides):
        found = enumerate_alignments(source, target, case.log_pair, case.base_pairs(), options, merge_all)
        for explicit in found.get((source.root, target.root), []):
            key = explicit.key()
            if key not in best or explicit.score > best[key].score:
                best[key] = explicit
    return list(best.values())


def spread(alignments: list[Explicit]) -> float:
    """How far the scores of alignments lie apart; at most 20, no support of them is left out as hopeless."""
    scores = [explicit.score for explicit in alignments]
    return max(scores) - min(scores) if scores else 0.0


def pairs_of(explicit: Explicit) -> set[tuple[int, int]]:
    """The pairs of nodes of a derivation."""
    return {(explicit.source, explicit.target)}.union(*(pairs_of(member) for member in explicit.members))


def best_scores(case: Case, options: SearchOptions) -> list[float]:
    """Scores of all alignments of the roots of two single trees, best first."""
    return sorted((explicit.score for explicit in all_alignments(case, options)), reverse=True)
