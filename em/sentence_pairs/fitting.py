"""Fits the regressions of the paraphrase model to the features of labelled pairs, cross-fitted if wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from forest_align.aligners.sentence_pairs.model import ParaphraseModel, standardised
from forest_align.em.fitting.logistic import fit_logistic

#: Half of this times the squared weights is subtracted from the log-likelihood.
RIDGE = 10.0
#: Parts of cross-fitting.
FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class LabelledFeatures:
    """Features and labels of sentence pairs."""

    features: np.ndarray
    labels: np.ndarray  # bool, shape (N,): whether each is a paraphrase
    # bool, shape (N,): whether each is from a corpus of pairs of nearly the same words, with strict labels
    strict: np.ndarray
    texts: Sequence[tuple[str, str]]  # The two sentences of each pair

    def part(self, chosen: np.ndarray) -> LabelledFeatures:
        """The pairs that are chosen: bool, shape (N,)."""
        texts = [text for text, is_chosen in zip(self.texts, chosen.tolist(), strict=True) if is_chosen]
        return LabelledFeatures(self.features[chosen], self.labels[chosen], self.strict[chosen], texts)


def fit_paraphrases(pairs: LabelledFeatures, card: Mapping[str, Any] | None = None) -> ParaphraseModel:
    """Fit the model to pairs of both kinds, each with and without paraphrases."""
    mean, scale = pairs.features.mean(0), np.maximum(pairs.features.std(0), 1e-3)
    inputs = standardised(pairs.features, mean, scale)
    weights = [fit_logistic(inputs, pairs.strict, ridge=RIDGE)]
    weights += [
        fit_logistic(inputs[chosen], pairs.labels[chosen], ridge=RIDGE)
        for chosen in (pairs.strict, ~pairs.strict)
    ]
    mean, scale, table = (np.asarray(one, dtype=np.float32) for one in (mean, scale, weights))
    return ParaphraseModel(mean, scale, table, card or {})


def cross_fitted(pairs: LabelledFeatures, seed: int = 0) -> np.ndarray:
    """The probability of each pair by a model that was fitted without it: float64, shape (N,).

    Pairs that share a sentence, directly or through others, are in the same part.
    """
    fold = folds(pairs.texts, seed)
    found = np.zeros(len(pairs.labels))
    for number in range(FOLDS):
        left_out = fold == number
        found[left_out] = fit_paraphrases(pairs.part(~left_out)).probabilities(pairs.features[left_out])
    return found


def folds(texts: Sequence[tuple[str, str]], seed: int) -> np.ndarray:
    """Draw a part of cross-fitting for each group of pairs that share sentences; shape (N,)."""
    parents: dict[str, str] = {}

    def group_of(text: str) -> str:
        while (parent := parents.setdefault(text, text)) != text:
            parents[text] = parents[parent]
            text = parents[text]
        return text

    for one, two in texts:
        parents[group_of(one)] = group_of(two)
    names, groups = np.unique([group_of(one) for one, _ in texts], return_inverse=True)
    found: np.ndarray = np.random.default_rng(seed).integers(FOLDS, size=len(names))[groups]
    return found
