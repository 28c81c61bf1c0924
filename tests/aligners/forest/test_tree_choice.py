"""What trees lose in probability by the hyperedges and roots that they use, and which one is chosen."""

from __future__ import annotations

import random

import numpy as np
import pytest
from nltk import Tree

from forest_align.aligners.forest._tree_choice import choose_tree, tree_losses
from forest_align.parsing import forest_from_trees
from forest_align.types import Derivation, ParseForest

from ..random_sentences import random_bracket

TREES = (
    "(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (NP (DT a) (NN dog)) (PP (IN with) (NP (NNS eyes))))))",
    "(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN with) (NP (NNS eyes)))))",
    "(FRAG (NP (DT the) (NN man)) (VP (VBD saw) (NP (DT a) (NN dog) (PP (IN with) (NP (NNS eyes))))))",
)


def forest(logs: list[float]) -> ParseForest:
    return forest_from_trees([Tree.fromstring(bracket) for bracket in TREES], logs)[1]


@pytest.mark.parametrize("logs", [[0.0, 0.0, 0.0], [-0.1, -2.0, -1.0], [-3.0, -0.5, -0.2]])
def test_losses_of_a_tree_add_up_to_its_probability_over_that_of_the_best(logs: list[float]) -> None:
    made = forest(logs)
    edges, roots = tree_losses(made)
    place_of = {root: place for place, root in enumerate(made.roots.tolist())}
    trees = list(made.derivations())
    assert len(trees) > 2
    best = max(tree.log_probability for tree in trees)
    for tree in trees:
        loss = edges[list(tree.edges.values())].sum() + roots[place_of[tree.root]]
        assert loss == pytest.approx(tree.log_probability - best)


def test_no_loss_is_a_gain_and_a_single_tree_loses_nothing() -> None:
    edges, roots = tree_losses(forest([-0.3, -0.9, -1.5]))
    assert (edges <= 0).all() and (roots <= 0).all()
    alone = tree_losses(forest_from_trees([Tree.fromstring(TREES[0])])[1])
    np.testing.assert_allclose(np.concatenate(alone), 0.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_is_the_best_of_all_with_the_hyperedges_and_the_most_nodes(seed: int) -> None:
    rng = random.Random(seed)
    words = list("abcdef"[: rng.randint(2, 6)])
    trees = [Tree.fromstring(random_bracket(rng, words)) for _ in range(rng.randint(1, 5))]
    made = forest_from_trees(trees, [-3 * rng.random() for _ in trees])[1]
    every = list(made.derivations())
    one = rng.choice(every)
    edges = rng.sample(sorted(one.edges.values()), rng.randint(0, 1))
    # Some of these nodes are in other trees.
    nodes = set(rng.sample(range(len(made)), rng.randint(0, 3)))
    root = one.root if edges or rng.random() < 0.5 else None

    def rank(tree: Derivation) -> tuple[int, float]:
        held = {tree.root, *made.edges[list(tree.edges.values())][:, 1:].ravel().tolist()}
        return len(held & nodes), tree.log_probability

    # A hyperedge binds trees that have its node; the callers give none whose node is not in the tree.
    able = [tree for tree in every if root in (None, tree.root)]
    forced = {int(made.edges[edge, 0]): edge for edge in edges}
    able = [tree for tree in able if all(tree.edges.get(n, edge) == edge for n, edge in forced.items())]
    found = choose_tree(made, edges, nodes, root)
    assert found in every and rank(found) == pytest.approx(max(map(rank, able)))
