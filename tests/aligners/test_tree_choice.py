"""What trees lose in probability by the hyperedges and roots that they use."""

from __future__ import annotations

import numpy as np
import pytest
from nltk import Tree

from forest_align.aligners.tree_choice import tree_losses
from forest_align.parsing import forest_from_trees
from forest_align.types import ParseForest

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
