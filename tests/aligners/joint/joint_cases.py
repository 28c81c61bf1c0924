"""Small alignment problems for the joint aligner, and a search through all of their alignments.

The search knows nothing of linear programs: it walks through every set of phrase pairs and, for each, through
every set of arc pairs, and keeps those that the paper's constraints allow. :func:`violations` checks
alignments against these constraints (Thadani et al. 2012, §5.3).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from forest_align.aligners.joint.edit_table import ArcPairs, arc_pairs
from forest_align.parsing.dependencies.typed import Dependency


@dataclass
class Problem:
    lengths: tuple[int, int]
    spans: np.ndarray
    phrase_scores: np.ndarray
    pairs: ArcPairs
    arc_scores: np.ndarray


def random_problem(rng: random.Random, most_words: int = 4, longest: int = 3) -> Problem:
    """Two short sentences with random trees, some of all phrase pairs, random scores."""
    n, m = rng.randint(1, most_words), rng.randint(1, most_words)
    every = [
        (i, e, j, f)
        for i in range(n)
        for e in range(i + 1, min(n, i + longest) + 1)
        for j in range(m)
        for f in range(j + 1, min(m, j + longest) + 1)
    ]
    spans = np.array(sorted(rng.sample(every, min(len(every), 12))), np.int32)
    possible = np.zeros((n, m), dtype=bool)
    for i, e, j, f in spans.tolist():
        possible[i:e, j:f] = True
    pairs = arc_pairs(random_tree(rng, n), random_tree(rng, m), possible)
    if len(pairs) > 8:
        pairs = ArcPairs(pairs.arcs[:8], pairs.governors[:8], pairs.dependents[:8])
    bias, arc_bias = rng.choice([-0.5, 0.2]), rng.choice([-0.6, 0.0, 0.6])
    return Problem(
        (n, m),
        spans,
        np.array([rng.gauss(bias, 1) for _ in spans]),
        pairs,
        np.array([rng.gauss(arc_bias, 0.7) for _ in range(len(pairs))]),
    )


def random_tree(rng: random.Random, words: int) -> list[Dependency]:
    """One governor a word, in a random order; the first is the root."""
    order = list(range(words))
    rng.shuffle(order)
    governors = {order[0]: -1} | {word: rng.choice(order[:k]) for k, word in enumerate(order) if k}
    return [Dependency(governors[word], word, "dep") for word in range(words)]


def all_alignments(problem: Problem) -> Iterator[tuple[float, tuple[int, ...], tuple[int, ...]]]:
    """Score, phrase pairs and arc pairs of every alignment."""
    n, m = problem.lengths
    places = range(len(problem.spans))
    for size in range(min(n, m) + 1):
        for phrases in combinations(places, size):
            linked = links_of(problem, phrases)
            if linked is None:
                continue
            for arcs in arc_sets(problem, linked):
                score = problem.phrase_scores[list(phrases)].sum() + problem.arc_scores[list(arcs)].sum()
                yield float(score), phrases, arcs


def links_of(problem: Problem, phrases: tuple[int, ...]) -> set[tuple[int, int]] | None:
    """The words that are linked; None if a word is in two phrase pairs."""
    used: list[tuple[int, int]] = []
    links = set()
    for i, e, j, f in problem.spans[list(phrases)].tolist():
        used += [(0, k) for k in range(i, e)] + [(1, k) for k in range(j, f)]
        links |= {(a, b) for a in range(i, e) for b in range(j, f)}
    return links if len(set(used)) == len(used) else None


def arc_sets(problem: Problem, linked: set[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """Every set of arc pairs that is consistent with the links."""
    pairs = problem.pairs
    aligned = [
        place
        for place in range(len(pairs))
        if tuple(pairs.dependents[place].tolist()) in linked
        and (pairs.governors[place, 0] < 0 or tuple(pairs.governors[place].tolist()) in linked)
    ]
    for size in range(len(aligned) + 1):
        for chosen in combinations(aligned, size):
            arcs = [[int(pairs.arcs[place, side]) for place in chosen] for side in (0, 1)]
            if any(len(set(side)) < len(side) for side in arcs):
                continue
            left_out = set(aligned) - set(chosen)
            if all(pairs.arcs[p, 0] in arcs[0] or pairs.arcs[p, 1] in arcs[1] for p in left_out):
                yield chosen


def violations(
    lengths: tuple[int, int],
    spans: np.ndarray,
    pairs: ArcPairs,
    phrases: Sequence[int] | np.ndarray,
    arcs: Sequence[int] | np.ndarray,
    deletions: np.ndarray | None = None,
) -> list[str]:
    """List the constraints of the paper that a choice of phrase pairs and arc pairs violates.

    Constraint (9) is checked as in :func:`best_edits`: an arc pair whose words are aligned must be chosen,
    unless one of its arcs is in another chosen pair. As printed, it contradicts (5) if phrases of several
    words contain arcs. ``deletions`` are the phrases of several words that are deleted as wholes, int (K, 3):
    side, start, end.
    """
    problems = []
    linked = np.zeros(lengths, dtype=int)
    used = np.zeros(lengths[0], dtype=int), np.zeros(lengths[1], dtype=int)
    for place in phrases:
        start, end, other_start, other_end = spans[place].tolist()
        linked[start:end, other_start:other_end] += 1
        used[0][start:end] += 1
        used[1][other_start:other_end] += 1
    for side, start, end in () if deletions is None else deletions.tolist():
        used[side][start:end] += 1
    for name, counts in zip(("source", "target"), used, strict=True):
        problems += [f"(4): {name} word {k} is in {counts[k]} edits" for k in np.flatnonzero(counts > 1)]
    taken = {int(place) for place in arcs}
    in_pairs = [{int(pairs.arcs[place, side]) for place in taken} for side in (0, 1)]
    for side, name in ((0, "source"), (1, "target")):
        if len(in_pairs[side]) < len(taken):
            problems.append(f"(5): a {name} arc is in several edits")
    for place in range(len(pairs)):
        governors, dependents = pairs.governors[place].tolist(), pairs.dependents[place].tolist()
        ends = (governors[0] < 0 or linked[tuple(governors)] > 0, linked[tuple(dependents)] > 0)
        if place in taken and not all(ends):
            problems.append(f"(7), (8): arc pair {place} is taken, its words are not aligned")
        excused = any(int(pairs.arcs[place, side]) in in_pairs[side] for side in (0, 1))
        if all(ends) and place not in taken and not excused:
            problems.append(f"(9): arc pair {place} is not taken, its words are aligned")
    return problems
