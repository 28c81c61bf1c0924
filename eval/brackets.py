"""Labelled bracketing as evalb measures it with COLLINS.prm, for trees and as the best that a forest holds.

Conventions (Collins 1997; evalb's parameter file COLLINS.prm): the root label TOP (also ROOT, S1, VROOT,
none) and part-of-speech tags are no brackets; words tagged ``,`` ``:`` `````` ``''`` ``.`` and traces are
taken out before spans are counted, and constituents left empty with them; ADVP and PRT are the same label;
function tags are cut off, at ``-``, ``=`` and (which evalb does not) ``|``; a unary chain has a bracket a
label, and equal brackets match one to one. Scores are pooled over sentences; tagging accuracy is over the
words that are left. Which words go is decided by the *gold* tags for both trees, where evalb looks at each
tree's own tags and refuses a sentence in which they disagree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.data.penn import TOP_LABELS
from forest_align.eval.scores import MatchCounts, Scores, Statistic, mean, safe_divide
from forest_align.types import InputError, ParseForest
from forest_align.types.label_chain import split_chain

if TYPE_CHECKING:
    from nltk import Tree

Bracket = tuple[str, int, int]

_DELETED_TAGS = frozenset({",", ":", "``", "''", "."})


@dataclass(frozen=True, slots=True, eq=False)
class BracketScores:
    """Bracketing and tagging of N sentences.

    Attributes
    ----------
    counts : MatchCounts
        Matching, predicted and gold brackets a sentence; ``counts.micro()`` are evalb's figures.
    tags : numpy.ndarray
        float64, shape (N, 2): words with the right tag, words that count.
    """

    counts: MatchCounts
    tags: np.ndarray

    @property
    def scores(self) -> Scores:
        """Labelled precision, recall and F1, pooled."""
        return self.counts.micro()

    @property
    def tagging_accuracy(self) -> float:
        """Share of right tags; 1 when no word counts."""
        right, total = self.tags.sum(axis=0)
        return float(safe_divide(right, total))

    @property
    def exact_match(self) -> float:
        """Share of sentences with all brackets right."""
        return mean(_is_exact(self.counts.rows)).value

    def statistics(self) -> dict[str, Statistic]:
        """Precision, recall, F1 and exact match, ready for significance tests."""
        return {**self.counts.micro_statistics(), "exact_match": mean(_is_exact(self.counts.rows))}


def _is_exact(rows: np.ndarray) -> np.ndarray:
    result: np.ndarray = (rows[:, 0] == rows[:, 1]) & (rows[:, 0] == rows[:, 3])
    return result


def score_brackets(gold: Sequence[Tree], predicted: Sequence[Tree]) -> BracketScores:
    """Score predicted trees against gold ones.

    Parameters
    ----------
    gold, predicted : sequence of nltk.Tree
        Trees over the same words, in the same order; traces and function tags may be left in.

    Raises
    ------
    InputError
        If the sequences differ in length, or a tree has another number of words than its gold tree: names it.
    """
    if len(gold) != len(predicted):
        raise InputError(f"expected {len(gold)} trees, one a gold tree, found {len(predicted)}")
    rows, tags = [], []
    for number, (gold_tree, predicted_tree) in enumerate(zip(gold, predicted, strict=True), start=1):
        gold_tags, predicted_tags = tags_of(gold_tree), tags_of(predicted_tree)
        if len(gold_tags) != len(predicted_tags):
            raise InputError(f"tree {number}: expected {len(gold_tags)} words, found {len(predicted_tags)}")
        kept = [tag not in _DELETED_TAGS for tag in gold_tags]
        wanted, found = brackets_of(gold_tree, kept), brackets_of(predicted_tree, kept)
        right = (wanted & found).total()
        rows.append((right, found.total(), right, wanted.total()))
        same = [a == b for a, b, keep in zip(gold_tags, predicted_tags, kept, strict=True) if keep]
        tags.append((sum(same), len(same)))
    return BracketScores(MatchCounts.of(rows), np.asarray(tags, float).reshape(-1, 2))


def tags_of(tree: Tree) -> list[str]:
    """Part-of-speech tags of the words of a tree, traces left out."""
    return [tag for _, tag in tree.pos() if tag != "-NONE-"]


def brackets_of(tree: Tree, kept: Sequence[bool] | None = None) -> Counter[Bracket]:
    """Labelled brackets of a tree, as a multiset of (label, start, end).

    Parameters
    ----------
    tree : nltk.Tree
        Tree down to words.
    kept : sequence of bool, optional
        For each word (traces left out) whether spans count it; by default decided by the tree's own tags.
    """
    if kept is None:
        kept = [tag not in _DELETED_TAGS for tag in tags_of(tree)]
    found: Counter[Bracket] = Counter()
    words = kept_so_far = 0
    # Depth first without recursion: a node comes once on the way down and, with its start, once on the way
    # up.
    stack: list[tuple[Tree, int | None]] = [(tree, None)]
    while stack:
        node, start = stack.pop()
        if start is not None:
            label = _normal_label(node.label())
            if label not in TOP_LABELS and kept_so_far > start:
                found[label, start, kept_so_far] += 1
        elif len(node) == 1 and isinstance(node[0], str):
            if node.label() != "-NONE-":
                kept_so_far += kept[words]
                words += 1
        else:
            stack.append((node, kept_so_far))
            stack.extend((child, None) for child in reversed(node))
    return found


def _normal_label(label: str) -> str:
    if not label.startswith("-"):
        for mark in "-=|":
            label = label.split(mark)[0]
    return "ADVP" if label == "PRT" else label


def oracle_brackets(forest: ParseForest, gold: Tree) -> tuple[int, int, int, int]:
    """Count the brackets of the tree with the highest F1 among all trees of a packed forest.

    F1 = 2m / (p + g) is a ratio of sums over nodes. Dinkelbach's method maximises it exactly: find the tree
    that maximises 2m − λ(p + g) by dynamic programming over hyperedges, set λ to that tree's F1, repeat
    until λ stays.

    Returns
    -------
    tuple of int
        A row of :class:`~forest_align.eval.scores.MatchCounts`: right, predicted, right, gold brackets.
        Where two nodes of one tree have the same label and, punctuation taken out, the same span, the search
        may count a gold bracket twice; the returned counts never do, and are a lower bound then.

    Raises
    ------
    InputError
        If forest and gold tree differ in their number of words, or the forest has no root.
    """
    tags = tags_of(gold)
    length = int(forest.end.max(initial=0))
    if length != len(tags) or not len(forest.roots):
        raise InputError(f"expected a forest with a root over {len(tags)} words, found {length} words")
    kept = [tag not in _DELETED_TAGS for tag in tags]
    wanted = brackets_of(gold, kept)
    brackets = _node_brackets(forest, kept)
    right = np.array([(wanted & found).total() for found in brackets], float)
    predicted = np.array([found.total() for found in brackets], float)
    rate, chosen = -1.0, [0]
    while True:
        chosen = _best_tree(forest, 2 * right - max(rate, 0.0) * predicted)
        better = 2 * right[chosen].sum() / max(predicted[chosen].sum() + wanted.total(), 1)
        if better <= rate + 1e-12:
            break
        rate = better
    found = sum((brackets[node] for node in chosen), Counter[Bracket]())
    matching = (wanted & found).total()
    return matching, found.total(), matching, wanted.total()


def _node_brackets(forest: ParseForest, kept: Sequence[bool]) -> list[Counter[Bracket]]:
    """Brackets that each forest node stands for: one a label of its unary chain, a leaf's tag left out."""
    before = np.concatenate([[0], np.cumsum(kept)])
    is_inner = np.zeros(len(forest), bool)
    is_inner[forest.edges[:, 0]] = True
    found = []
    for node in range(len(forest)):
        start, end = int(before[forest.start[node]]), int(before[forest.end[node]])
        chain = split_chain(forest.labels[node]) if forest.is_constituent[node] and end > start else []
        chain = chain if is_inner[node] else chain[:-1]
        labels = (_normal_label(label) for label in chain)
        found.append(Counter((label, start, end) for label in labels if label not in TOP_LABELS))
    return found


def _best_tree(forest: ParseForest, gain: np.ndarray) -> list[int]:
    """Nodes of the tree with the highest sum of ``gain``; nodes are in bottom-up order, edges by parent."""
    value = gain.astype(float)
    best_below = np.full(len(forest), -np.inf)
    best_edge = np.full(len(forest), -1)
    for edge, (parent, left, right) in enumerate(forest.edges.tolist()):
        below = value[left] + value[right]
        if below > best_below[parent]:
            best_below[parent], best_edge[parent] = below, edge
            value[parent] = gain[parent] + below
    chosen, waiting = [], [int(forest.roots[np.argmax(value[forest.roots])])]
    while waiting:
        node = waiting.pop()
        chosen.append(node)
        if best_edge[node] >= 0:
            waiting.extend(forest.edges[best_edge[node], 1:].tolist())
    return chosen
