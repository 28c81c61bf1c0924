"""Labelled bracketing as in evalb with COLLINS.prm, for trees and for the best tree of a forest.

Conventions (Collins 1997; evalb's parameter file COLLINS.prm): The root label TOP (also ROOT, S1, VROOT,
none) and part-of-speech tags are not brackets. Words tagged ``,`` ``:`` `````` ``''`` ``.`` and traces are
removed before spans are counted, together with constituents left empty. ADVP and PRT are the same label.
Function tags are cut off at ``-``, ``=`` and (unlike in evalb) ``|``. A unary chain has one bracket for each
label, and equal brackets match one to one. Scores are pooled over sentences; tagging accuracy is over the
remaining words. The *gold* tags decide for both trees which words are removed. In contrast, evalb uses each
tree's own tags and refuses a sentence in which they disagree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.data.trees.penn import TOP_LABELS
from forest_align.data.trees.treebanks import PUNCTUATION_TAGS
from forest_align.eval.metrics.scores import MatchCounts, Scores, Statistic, mean, safe_divide
from forest_align.types import InputError, ParseForest
from forest_align.types.brackets import split_chain

if TYPE_CHECKING:
    from nltk import Tree

Bracket = tuple[str, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class BracketScores:
    """Bracketing and tagging of N sentences."""

    counts: MatchCounts  # per sentence; counts.micro() are evalb's figures
    tags: np.ndarray  # float64, (N, 2): words with the right tag, words that count

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
        Trees over the same words, in the same order; they may have traces and function tags.

    Raises
    ------
    InputError
        If the sequences differ in length, a tree and its gold tree differ in their number of words, or a word
        has no tag: names it.
    """
    if len(gold) != len(predicted):
        raise InputError(f"expected {len(gold)} trees, one a gold tree, found {len(predicted)}")
    rows, tags = [], []
    for number, (gold_tree, predicted_tree) in enumerate(zip(gold, predicted, strict=True), start=1):
        try:
            row, right_tags = _compare(gold_tree, predicted_tree)
        except InputError as error:
            raise InputError(f"tree {number}: {error.message}") from None
        rows.append(row)
        tags.append(right_tags)
    return BracketScores(MatchCounts.of(rows), np.asarray(tags, float).reshape(-1, 2))


def _compare(gold: Tree, predicted: Tree) -> tuple[tuple[int, int, int, int], tuple[int, int]]:
    """Rows of the counts and of the tags of one sentence."""
    gold_tags, predicted_tags = tags_of(gold), tags_of(predicted)
    if len(gold_tags) != len(predicted_tags):
        raise InputError(f"expected {len(gold_tags)} words, found {len(predicted_tags)}")
    kept = [tag not in PUNCTUATION_TAGS for tag in gold_tags]
    wanted, found = brackets_of(gold, kept), brackets_of(predicted, kept)
    right = (wanted & found).total()
    same = [a == b for a, b, keep in zip(gold_tags, predicted_tags, kept, strict=True) if keep]
    return (right, found.total(), right, wanted.total()), (sum(same), len(same))


def tags_of(tree: Tree) -> list[str]:
    """Part-of-speech tags of the words of a tree, without traces."""
    return [tag for _, tag in tree.pos() if tag != "-NONE-"]


def brackets_of(tree: Tree, kept: Sequence[bool] | None = None) -> Counter[Bracket]:
    """Labelled brackets of a tree, as a multiset of (label, start, end); raises InputError without tags.

    ``kept`` says for each word (without traces) whether spans count it; by default the tree's tags decide.
    """
    if kept is None:
        kept = [tag not in PUNCTUATION_TAGS for tag in tags_of(tree)]
    found: Counter[Bracket] = Counter()
    words = kept_so_far = 0
    # Depth first without recursion: a node is visited on the way down and, with its start, on the way up.
    stack: list[tuple[Tree | str, int | None]] = [(tree, None)]
    while stack:
        node, start = stack.pop()
        if isinstance(node, str):
            raise InputError(f"expected a tag above every word, found {node!r} without one")
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
    that maximises 2m − λ(p + g) by dynamic programming over hyperedges, set λ to that tree's F1, and repeat
    until λ no longer changes. Returns right, predicted, right and gold brackets. Raises InputError if numbers
    of words differ, the forest has no root, or a word has no tag.
    """
    tags = tags_of(gold)
    length = int(forest.end.max(initial=0))
    if length != len(tags) or not len(forest.roots):
        raise InputError(f"expected a forest with a root over {len(tags)} words, found {length} words")
    kept = [tag not in PUNCTUATION_TAGS for tag in tags]
    wanted = brackets_of(gold, kept)
    before = np.concatenate([[0], np.cumsum(kept)])
    spans = list(zip(before[forest.start].tolist(), before[forest.end].tolist(), strict=True))
    brackets = _node_brackets(forest, spans)
    rate, best = -1.0, (0, 0)
    while True:
        right, predicted = _best_counts(forest, spans, brackets, wanted, max(rate, 0.0))
        better = 2 * right / max(predicted + wanted.total(), 1)
        if better <= rate + 1e-12:
            break
        rate, best = better, (right, predicted)
    return best[0], best[1], best[0], wanted.total()


def _node_brackets(forest: ParseForest, spans: Sequence[tuple[int, int]]) -> list[Counter[Bracket]]:
    """Brackets of each forest node: one for each label of its unary chain, without a leaf's tag."""
    is_inner = np.zeros(len(forest), bool)
    is_inner[forest.edges[:, 0]] = True
    found = []
    for node, (start, end) in enumerate(spans):
        chain = split_chain(forest.labels[node]) if forest.is_constituent[node] and end > start else []
        chain = chain if is_inner[node] else chain[:-1]
        labels = (_normal_label(label) for label in chain)
        found.append(Counter((label, start, end) for label in labels if label not in TOP_LABELS))
    return found


def _best_counts(
    forest: ParseForest,
    spans: Sequence[tuple[int, int]],
    brackets: Sequence[Counter[Bracket]],
    wanted: Counter[Bracket],
    rate: float,
) -> tuple[int, int]:
    """Right and predicted brackets of the tree with the highest 2 · right − rate · predicted.

    A gold bracket must be found only once. If two nodes of a tree have the same span without punctuation, one
    is above the other: *the dog ran .* above *the dog ran*. For each node, the best tree is therefore kept
    for each set of brackets that it finds over the node's own span.
    """

    def value(counts: tuple[int, int]) -> float:
        return 2 * counts[0] - rate * counts[1]

    below: list[list[tuple[int, ...]]] = [[] for _ in range(len(forest))]
    for parent, left, right in forest.edges.tolist():
        below[parent].append((left, right))
    # Nodes are in bottom-up order. For each: brackets found over its own span -> counts of the best tree.
    tables: list[dict[frozenset[tuple[Bracket, int]], tuple[int, int]]] = []
    for node, hyperedges in enumerate(below):
        table: dict[frozenset[tuple[Bracket, int]], tuple[int, int]] = {}
        for children in hyperedges or [()]:
            ways = [(frozenset[tuple[Bracket, int]](), 0, 0)]
            for child in children:
                own = tables[child]
                if spans[child] != spans[node]:
                    own = {frozenset(): max(own.values(), key=value)}
                ways = [(old | new, a + c, b + d) for old, a, b in ways for new, (c, d) in own.items()]
            for old, right, predicted in ways:
                found = (Counter(dict(old)) + brackets[node]) & wanted
                gained = found.total() - sum(times for _, times in old)
                way = right + gained, predicted + brackets[node].total()
                key = frozenset(found.items())
                if key not in table or value(way) > value(table[key]):
                    table[key] = way
        tables.append(table)
    return max((way for root in forest.roots.tolist() for way in tables[root].values()), key=value)
