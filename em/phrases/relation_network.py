"""Trains the network of the relation model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import log_softmax

from forest_align.aligners.phrases.relation_model import RelationModel
from forest_align.alignment import CHUNK_RELATIONS, MOST_SIMILAR, SWAPPED_RELATIONS
from forest_align.em.fitting.small_networks import RectifierSettings, fit_rectifier

#: Number of a relation that is not known, except that it is not the first one, *equivalent*.
ANOTHER = len(CHUNK_RELATIONS)
#: Where people gave no score.
NO_SCORE = -1.0
_SETTINGS = RectifierSettings(hidden=(48,), epochs=60, batch=256, dropout=0.3)
# Weight of the squared error of the similarity.
_OF_SIMILARITY = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class RelationExamples:
    """Pairs of phrases to learn from."""

    # symmetric, signed: float32, see relation_features
    symmetric: np.ndarray
    signed: np.ndarray
    relations: np.ndarray  # int64, shape (K,): numbers of relations, or ANOTHER
    scores: np.ndarray  # float32, shape (K,): similarities from 0 to 5, or NO_SCORE

    @classmethod
    def joined(cls, parts: Sequence[RelationExamples]) -> RelationExamples:
        """All examples of several sentence pairs."""
        names = ("symmetric", "signed", "relations", "scores")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @property
    def swapped(self) -> RelationExamples:
        """The examples of the swapped sentences."""
        turned = np.array([*SWAPPED_RELATIONS, ANOTHER])[self.relations]
        return RelationExamples(self.symmetric, -self.signed, turned, self.scores)


def train_relations(examples: RelationExamples, seed: int = 0) -> RelationModel:
    """Minimize cross-entropy and squared error, in both directions."""
    both = RelationExamples.joined([examples, examples.swapped])
    features = np.concatenate([both.symmetric, both.signed], axis=1)
    relations, scores = torch.from_numpy(both.relations), torch.from_numpy(both.scores)

    def loss(outputs: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return _loss(outputs, relations[batch], scores[batch])

    return RelationModel(fit_rectifier(features, ANOTHER + 1, loss, _SETTINGS, seed))


def _loss(outputs: torch.Tensor, relations: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    log_probabilities = log_softmax(outputs[:, :ANOTHER], dim=1)
    known = relations.clamp(max=ANOTHER - 1)[:, None]
    of_relation = -log_probabilities.gather(1, known).squeeze(1)
    another = -torch.log1p(-log_probabilities[:, 0].exp().clamp(max=1 - 1e-6))
    errors = (MOST_SIMILAR * torch.sigmoid(outputs[:, ANOTHER]) - scores) ** 2 * (scores != NO_SCORE)
    return torch.where(relations == ANOTHER, another, of_relation).mean() + _OF_SIMILARITY * errors.mean()
