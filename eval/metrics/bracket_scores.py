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
from forest_align.types import InputError

if TYPE_CHECKING:
    from nltk import Tree

_Bracket = tuple[str, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class _BracketScores:
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


def score_brackets(gold: Sequence[Tree], predicted: Sequence[Tree]) -> _BracketScores:
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
    return _BracketScores(MatchCounts.of(rows), np.asarray(tags, float).reshape(-1, 2))


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


def brackets_of(tree: Tree, kept: Sequence[bool] | None = None) -> Counter[_Bracket]:
    """Labelled brackets of a tree, as a multiset of (label, start, end); raises InputError without tags.

    ``kept`` says for each word (without traces) whether spans count it; by default the tree's tags decide.
    """
    if kept is None:
        kept = [tag not in PUNCTUATION_TAGS for tag in tags_of(tree)]
    found: Counter[_Bracket] = Counter()
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
