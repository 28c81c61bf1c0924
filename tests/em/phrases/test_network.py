"""Training of the network: it learns what can be learned, the same every time."""

from __future__ import annotations

import numpy as np

from forest_align.aligners.phrases.features import FEATURES
from forest_align.em.phrases.network import PhraseExamples, train_network


def toy(count: int = 4000) -> PhraseExamples:
    """Pairs are right if the sum of two features is above a bound, which depends on the convention."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(count, len(FEATURES))).astype(np.float32)
    marked = rng.random(count) < 0.5
    right = features[:, 0] + features[:, 5] > np.where(marked, -1.0, 1.0)
    return PhraseExamples(
        features,
        right.astype(np.float32),
        np.ones(count, np.float32),
        np.where(marked, 0.0, 1.0).astype(np.float32),
    )


def test_the_network_learns_both_conventions_and_keeps_one() -> None:
    examples = toy()
    sums = examples.features[:, 0] + examples.features[:, 5]
    for convention, bound in ((0.0, -1.0), (1.0, 1.0)):
        found = train_network(examples, convention).log_odds_of(examples.features) > 0
        assert (found == (sums > bound)).mean() > 0.88  # 0.48 with the other convention
