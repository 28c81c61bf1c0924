"""Training finds the probabilities that packed forests were made from, not being told which tree is right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import nltk
import numpy as np
import pytest

from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.forest.prepared_pair import PreparedPair
from forest_align.em.forest.problem import AlignmentProblem, build_problem
from forest_align.em.forest.state import TrainingSettings
from forest_align.em.forest.trainer import train
from forest_align.parsing import forest_from_trees
from forest_align.types import ParseForest

CATEGORIES = 3
NULL = CATEGORIES
FEATURES = (CATEGORIES + 1) ** 2
FEATURE_IDS = np.arange(FEATURES, dtype=np.int32)
#: Pr(target category | source category); source categories are equally frequent.
PLANTED = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
TREES = 3
#: How often the tree that a pair was made from is the first, second, … of its n-best list.
RANKS = (0.5, 0.3, 0.2)
OPTIONS = ForestOptions(
    beam=200, generation_gap=1, null_penalty=2.0, noncompositional_penalty=None
).search_options()

Bracketing = int | tuple["Bracketing", "Bracketing"]


def random_bracketing(random: np.random.Generator, words: range) -> Bracketing:
    """A random binary tree over words."""
    if len(words) == 1:
        return words[0]
    middle = int(random.integers(1, len(words)))
    return random_bracketing(random, words[:middle]), random_bracketing(random, words[middle:])


def words_of(tree: Bracketing) -> list[int]:
    """Its words, from left to right."""
    return [tree] if isinstance(tree, int) else words_of(tree[0]) + words_of(tree[1])


def phrases_of(tree: Bracketing) -> Iterator[frozenset[int]]:
    """Sets of words of its phrases."""
    yield frozenset(words_of(tree))
    if not isinstance(tree, int):
        yield from phrases_of(tree[0])
        yield from phrases_of(tree[1])


def reordered(tree: Bracketing, place: list[int]) -> Bracketing:
    """The tree over words in another order: children stand in the order of their first words."""
    if isinstance(tree, int):
        return tree
    parts = [reordered(part, place) for part in tree]
    first, second = sorted(parts, key=lambda part: min(place[word] for word in words_of(part)))
    return first, second


def n_best(
    random: np.random.Generator, length: int
) -> tuple[Bracketing, list[Bracketing], np.ndarray, list[int]]:
    """The right tree, all trees, their log-probabilities, and an order of words that keeps phrases together.

    In the other order a sentence has a phrase for each phrase of each tree.
    """
    right = random_bracketing(random, range(length))
    others: list[Bracketing] = []
    while len(others) < TREES - 1:
        other = random_bracketing(random, range(length))
        if other not in (right, *others):
            others.append(other)
    # All trees survive if words are reversed, within a phrase that they have in common or as a whole.
    common = set.intersection(*(set(phrases_of(tree)) for tree in (right, *others)))
    place = list(range(length))
    for phrase in sorted(common, key=len):
        if random.random() < 0.5:
            low, high = min(place[w] for w in phrase), max(place[w] for w in phrase)
            for word in phrase:
                place[word] = low + high - place[word]
    trees = list(others)
    trees.insert(int(random.choice(TREES, p=RANKS)), right)
    return right, trees, np.log(RANKS), place


def forest_of(trees: list[Bracketing], log_probabilities: np.ndarray, place: list[int]) -> ParseForest:
    """The packed forest of trees over words in some order."""

    def nltk_tree(tree: Bracketing) -> nltk.Tree:
        if isinstance(tree, int):
            return nltk.Tree("X", [f"w{tree}"])
        return nltk.Tree("X", [nltk_tree(part) for part in reordered(tree, place)])

    return forest_from_trees([nltk_tree(tree) for tree in trees], log_probabilities.tolist())[1]


def planted_pair(random: np.random.Generator) -> tuple[PreparedPair, np.ndarray, set[tuple[int, int]]]:
    """One pair, and the spans of its right source tree."""
    right, trees, log_probabilities, place = n_best(random, int(random.integers(5, 9)))
    length = len(place)
    identity = list(range(length))
    word_at = np.argsort(place).tolist()
    forests = forest_of(trees, log_probabilities, identity), forest_of(trees, log_probabilities, place)
    sources = {phrase: int(random.integers(CATEGORIES)) for tree in trees for phrase in phrases_of(tree)}
    marginal = PLANTED.mean(0)
    aligned = set(phrases_of(right))
    targets = {
        phrase: int(random.choice(CATEGORIES, p=PLANTED[category] if phrase in aligned else marginal))
        for phrase, category in sorted(sources.items(), key=lambda item: sorted(item[0]))
    }
    categories = [
        np.array([table[frozenset(words[a:b])] for a, b in zip(forest.start, forest.end, strict=True)])
        for forest, table, words in ((forests[0], sources, identity), (forests[1], targets, word_at))
    ]
    (kinds_s, class_s), (kinds_t, class_t) = (np.unique(side, return_inverse=True) for side in categories)
    leaves = [leaves_of(forest) for forest in forests]
    prepared = PreparedPair(
        *forests,
        class_s.astype(np.int32),
        class_t.astype(np.int32),
        np.array([leaves[0][w] for w in range(length)], np.int32),
        np.array([leaves[1][place[w]] for w in range(length)], np.int32),
        np.zeros(length),
        options=ForestOptions(tree_weight=1.0),
    )
    rows = np.append(kinds_s, NULL)[:, None] * (CATEGORIES + 1) + np.append(kinds_t, NULL)[None, :]
    return prepared, rows.astype(np.int32), {(min(phrase), max(phrase) + 1) for phrase in aligned}


def leaves_of(forest: ParseForest) -> list[int]:
    """Its nodes over one word, in order."""
    inner = set(forest.edges[:, 0].tolist())
    found = [node for node in range(len(forest)) if node not in inner]
    return sorted(found, key=lambda node: int(forest.start[node]))


def planted_pairs(count: int) -> tuple[list[PreparedPair], list[np.ndarray], list[set[tuple[int, int]]]]:
    """Pairs, the rows of their classes, and the spans of their right source trees."""
    random = np.random.default_rng(31)
    pairs, pair_rows, right = zip(*(planted_pair(random) for _ in range(count)), strict=True)
    return list(pairs), list(pair_rows), list(right)


def problem_of(
    pairs: list[PreparedPair], pair_rows: list[np.ndarray], ids: np.ndarray = FEATURE_IDS, **options: Any
) -> AlignmentProblem:
    """A problem with a feature for each pair of categories, null among them."""
    searched = [OPTIONS._replace(**options)] * len(pairs)
    return build_problem(pairs, pair_rows, np.arange(FEATURES + 1), ids, FEATURES, searched)


def planted_problem(count: int) -> tuple[AlignmentProblem, list[set[tuple[int, int]]]]:
    """Pairs to learn from, and the right spans."""
    pairs, pair_rows, right = planted_pairs(count)
    return problem_of(pairs, pair_rows), right


SETTINGS = TrainingSettings(epochs=8, batch_size=0, regularization=0.01)


def start_weights() -> np.ndarray:
    """Null is unlikely, the rest alike."""
    weights = np.zeros((CATEGORIES + 1, CATEGORIES + 1))
    weights[:, NULL] = weights[NULL, :] = -2.0
    return weights.ravel()


def associations(weights: np.ndarray) -> np.ndarray:
    """Weights less the means of rows and columns: log odds ratios, the same in both directions."""
    return weights - weights.mean(0) - weights.mean(1, keepdims=True) + weights.mean()


def right_trees(problem: AlignmentProblem, right: list[set[tuple[int, int]]], weights: np.ndarray) -> float:
    """Share of the pairs in which the alignment is over the tree that the pair was made from."""
    logs = problem.table.log_probabilities(weights)
    found = 0
    for number, (pair, spans) in enumerate(zip(problem.pairs, right, strict=True)):
        nodes = problem.align(number, logs).source
        found += set(zip(pair.source.start[nodes], pair.source.end[nodes], strict=True)) <= spans
    return found / problem.pair_count


def test_planted_probabilities_are_recovered_from_packed_forests() -> None:
    problem, right = planted_problem(300)
    assert np.mean([len(pair.source.edges) / (pair.source.token_count - 1) for pair in problem.pairs]) > 2
    state = train(problem, SETTINGS, start_weights())
    weights = state.weights.reshape(CATEGORIES + 1, CATEGORIES + 1)[:NULL, :NULL]
    assert associations(weights) == pytest.approx(associations(np.log(PLANTED)), abs=0.2)
    assert state.history[-1].reachability == 1 and state.history[-1].null_share < 0.02
    before, after = (right_trees(problem, right, found) for found in (start_weights(), state.weights))
    assert before == pytest.approx(RANKS[0], abs=0.1) and after > before + 0.1
    objectives = [report.objective for report in state.history]
    assert (np.diff(objectives) >= -1e-6).all()
