from __future__ import annotations

import numpy as np

from forest_align.aligners.sentence_pairs.features import FEATURES
from forest_align.em.sentence_pairs.training import LabelledFeatures, cross_fitted, fit_paraphrases, folds


def planted(count: int = 600) -> LabelledFeatures:
    """Strict pairs are paraphrases if the first feature is high, loose ones if the second is."""
    draw = np.random.default_rng(0)
    features = draw.normal(size=(count, len(FEATURES)))
    strict = np.arange(count) % 2 == 0
    features[:, 2] += np.where(strict, 4, -4)  # says which kind a pair is
    labels = np.where(strict, features[:, 0], features[:, 1]) > 0
    return LabelledFeatures(features, labels, strict, [(f"a{k}", f"b{k}") for k in range(count)])


def test_each_kind_of_pair_is_judged_by_its_own_convention() -> None:
    pairs = planted(3_000)
    found = fit_paraphrases(pairs, {"note": 1})
    assert found.card == {"note": 1}
    assert ((found.probabilities(pairs.features) > 0.5) == pairs.labels).mean() > 0.95
    assert ((cross_fitted(pairs) > 0.5) == pairs.labels).mean() > 0.9


def test_cross_fitting_does_not_know_the_label_of_a_pair() -> None:
    pairs = planted()
    noise = np.random.default_rng(1).random(len(pairs.labels)) > 0.5
    unlearnable = LabelledFeatures(pairs.features, noise, pairs.strict, pairs.texts)
    seen = fit_paraphrases(unlearnable).probabilities(pairs.features)
    assert ((seen > 0.5) == noise).mean() > 0.6  # 91 weights fit some of the noise
    assert abs(((cross_fitted(unlearnable) > 0.5) == noise).mean() - 0.5) < 0.08


def test_pairs_that_share_sentences_are_in_one_part() -> None:
    texts = [(f"a{k // 3}", f"b{k}") for k in range(60)] + [("b0", "b59"), ("c", "c")]
    found = folds(texts, 0)
    assert all(len(set(found[k : k + 3].tolist())) == 1 for k in range(0, 60, 3))
    assert found[0] == found[59] == found[60]
    assert len(set(found.tolist())) > 2 and found.tolist() == folds(texts, 0).tolist()
    assert found.tolist() != folds(texts, 1).tolist()
