"""Scores of trees: labelled bracketing, attachment, and dependencies aligned by links.

*Brackets* follow Collins (1997) and evalb's parameter file COLLINS.prm: The root label TOP (also ROOT, S1,
VROOT, none) and part-of-speech tags are not brackets. Words tagged ``,`` ``:`` `````` ``''`` ``.`` and traces
are removed before spans are counted, together with constituents left empty. ADVP and PRT are the same label.
Function tags are cut off at ``-``, ``=`` and (unlike in evalb) ``|``. A unary chain has one bracket for each
label, and equal brackets match one to one. Scores are pooled over sentences; tagging accuracy is over the
remaining words. The *gold* tags decide for both trees which words are removed. In contrast, evalb uses each
tree's own tags and refuses a sentence in which they disagree.

*Aligned dependencies* are the second alignment measure of Thadani et al. (2012, §6).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.alignment import Links
from forest_align.data.trees.penn import TOP_LABELS
from forest_align.data.trees.treebanks import PUNCTUATION_TAGS
from forest_align.eval.metrics.scores import MatchCounts, Scores, Statistic, mean, safe_divide
from forest_align.types import InputError, ParseForest

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
        return self.statistics()["exact_match"].value

    def statistics(self) -> dict[str, Statistic]:
        """Precision, recall, F1 and exact match, ready for significance tests."""
        right, made, _, wanted = self.counts.rows.T
        return {**self.counts.micro_statistics(), "exact_match": mean((right == made) & (right == wanted))}


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


#: Governor and dependent as token indices; the governor of the root is -1.
Arc = tuple[int, int]


def head_dependencies(forest: ParseForest) -> list[int]:
    """Head of each token in the parser's best tree, derived from the heads of its nodes.

    It is -1 for the root's head and for tokens that the forest does not cover.
    """
    heads = [-1] * int(forest.end.max(initial=0))
    waiting = [int(forest.roots[0])] if len(forest.roots) else []
    while waiting:
        node = waiting.pop()
        edge = int(forest.best_edge[node])
        if edge < 0:
            continue
        head = int(forest.head[node])
        for child in forest.edges[edge, 1:].tolist():
            if int(forest.head[child]) != head:
                heads[int(forest.head[child])] = head
            waiting.append(child)
    return heads


def tree_heads(bracket: str) -> list[int]:
    """Head of each token of a tree in Penn brackets, see :func:`head_dependencies`."""
    from forest_align.parsing import sentence_from_bracket

    forest = sentence_from_bracket(bracket).forest
    assert forest is not None
    return head_dependencies(forest)


def score_attachment(
    gold: Sequence[Sequence[int]],
    predicted: Sequence[Sequence[int]],
    words: Sequence[Sequence[str]] | None = None,
) -> MatchCounts:
    """Count tokens with the right head; ``.micro().recall`` is UAS (and so are precision and F1).

    Parameters
    ----------
    gold, predicted : sequence of sequence of int
        For each sentence the head of each token, -1 for the root.
    words : sequence of sequence of str, optional
        The tokens. Tokens of only Unicode punctuation do not count, as in the CoNLL-X scorer (Buchholz and
        Marsi 2006). Without ``words`` every token counts.

    Raises
    ------
    InputError
        If the numbers of sentences or tokens differ: names the sentence.
    """
    if len(gold) != len(predicted):
        raise InputError(f"expected {len(gold)} sentences, one a gold sentence, found {len(predicted)}")
    if words is not None and len(words) != len(gold):
        raise InputError(f"expected the words of {len(gold)} sentences, found those of {len(words)}")
    rows = []
    for number, (wanted, found) in enumerate(zip(gold, predicted, strict=True), start=1):
        tokens = words[number - 1] if words is not None else [""] * len(wanted)
        if len(found) != len(wanted):
            raise InputError(f"sentence {number}: expected {len(wanted)} heads, found {len(found)}")
        if len(tokens) != len(wanted):
            raise InputError(f"sentence {number}: expected {len(wanted)} words, found {len(tokens)}")
        is_right = [
            a == b for a, b, token in zip(wanted, found, tokens, strict=True) if not _is_punctuation(token)
        ]
        rows.append((sum(is_right), len(is_right)) * 2)
    return MatchCounts.of(rows)


def _is_punctuation(token: str) -> bool:
    """Whether all characters are Unicode punctuation, as attachment scores have it; *$* and *+* are not."""
    return bool(token) and all(unicodedata.category(character).startswith("P") for character in token)


def projected_pairs(
    links: Iterable[tuple[int, int]], source: Sequence[Arc], target: Sequence[Arc]
) -> set[tuple[Arc, Arc]]:
    """Pairs of dependencies whose governors and dependents are linked; two roots count as linked."""
    linked = {*links, (-1, -1)}
    by_ends: dict[int, list[Arc]] = {}
    for arc in target:
        by_ends.setdefault(arc[1], []).append(arc)
    partners: dict[int, list[int]] = {}
    for i, j in linked:
        partners.setdefault(i, []).append(j)
    return {
        (arc, other)
        for arc in source
        for j in partners.get(arc[1], ())
        for other in by_ends.get(j, ())
        if (arc[0], other[0]) in linked
    }


def score_projected(
    gold: Sequence[Links], predicted: Sequence[Links], arcs: Sequence[tuple[Sequence[Arc], Sequence[Arc]]]
) -> dict[str, Statistic]:
    """Score the aligned dependencies of pairs of sentences like word links; all links count.

    ``pair_f1`` is the mean of the F1 of the pairs.
    """
    rows, exact = [], []
    for wanted, found, (source, target) in zip(gold, predicted, arcs, strict=True):
        right, made = (projected_pairs(links, source, target) for links in (wanted, found))
        both = len(right & made)
        rows.append((both, len(made), both, len(right)))
        exact.append(right == made)
    counts = MatchCounts.of(rows)
    return {**counts.macro_statistics(), "exact_match": mean(exact), "pair_f1": mean(counts.pair_f1())}
