"""The k best trees of a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.parsing.forests.decoding import NBest
from forest_align.parsing.forests.forest_builder import Constituent
from forest_align.types import Token

TREES = ["(S (NP (-LRB- -LRB-) (NN _)))", "(X (-LRB- -LRB-) (NN _))"]


@pytest.fixture
def two_trees() -> NBest:
    constituents = [
        Constituent(0, 1, "-LRB-", ()),
        Constituent(1, 2, "NN", ()),
        Constituent(0, 2, "S::NP", (0, 1)),
        Constituent(0, 2, "X", (0, 1)),
    ]
    tokens = (Token("(", "(", "-LRB-", 2, 3), Token("\N{NO-BREAK SPACE}", "", "NN", 3, 4))
    posteriors = np.array([-0.1, -0.2, -0.3, -0.4])
    return NBest(tokens, "  (\N{NO-BREAK SPACE}", constituents, [2, 3], np.log([0.6, 0.2]), posteriors)


def test_the_trees_come_with_their_log_probabilities_and_brackets_by_name(two_trees: NBest) -> None:
    assert len(two_trees) == 2
    assert two_trees.brackets() == TREES
    assert list(two_trees) == [(np.log(0.6), TREES[0]), (np.log(0.2), TREES[1])]


def test_the_forest_has_the_probabilities_of_the_list_and_of_the_chart(two_trees: NBest) -> None:
    forest = two_trees.forest()
    found = {
        label: (probability, posterior)
        for label, probability, posterior in zip(
            forest.labels, np.exp(forest.log_marginal), forest.log_posterior, strict=True
        )
    }
    assert found == {
        "-LRB-": (pytest.approx(1.0), -0.1),
        "NN": (pytest.approx(1.0), -0.2),
        "S::NP": (pytest.approx(0.75), -0.3),
        "X": (pytest.approx(0.25), -0.4),
    }
