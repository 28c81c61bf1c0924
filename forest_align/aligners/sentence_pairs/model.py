"""The paraphrase model: the probability that two sentences with word links mean the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.model_folder import ModelFormat, bundled_folder
from forest_align.aligners.sentence_pairs.features import FEATURES, pair_features
from forest_align.lexicon.tables import is_punctuation
from forest_align.meaning.relation_algebra import (
    DIFFERENT,
    EQUIVALENT,
    OPPOSITE,
    SentenceRelations,
    related_by,
)
from forest_align.meaning.sentence_comparison import atomic_relations
from forest_align.types import ModelError

if TYPE_CHECKING:
    from forest_align.alignment import Alignment, AtomicRelation, Links
    from forest_align.types import Node, Sentence


# The three regressions, in the order of the weights.
_REGRESSIONS = ("nearly the same words", "strict", "loose")

FORMAT = ModelFormat(
    "paraphrases",
    1,
    "weights.safetensors",
    {
        "mean": (len(FEATURES),),
        "scale": (len(FEATURES),),
        "weights": (len(_REGRESSIONS), len(FEATURES) + 1),
    },
    {"regressions": _REGRESSIONS, "features": FEATURES},
)
# Standardised features are clipped to this: no pair is far from all that was seen in training.
_MOST_DEVIATIONS = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class ParaphraseModel:
    """A mixture of two logistic regressions (Jacobs et al. 1991), because people judge by two conventions.

    Where two sentences have nearly the same words, a paraphrase must keep who does what to whom (PAWS, Zhang
    et al. 2019). Where they report the same event in other words, details may be missing (MSRP, Dolan &
    Brockett 2005). A third regression says how probable the first kind of pair is.
    """

    # mean, scale: float32, shape (F,): mean and standard deviation of each of the FEATURES
    mean: np.ndarray
    scale: np.ndarray
    weights: np.ndarray  # float32, shape (3, F + 1): weights of the REGRESSIONS, constants last
    card: Mapping[str, Any] = field(default_factory=dict)

    def probability(
        self, source: Sentence, target: Sentence, links: Links, relations: Sequence[AtomicRelation]
    ) -> float:
        """The probability that two sentences mean the same; that of swapped sentences is equal."""
        values = pair_features(source, target, links, relations)
        return float(self.probabilities(np.array([[values[name] for name in FEATURES]]))[0])

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """The probabilities of several pairs, float64 (N,), by their features (N, F)."""
        inputs = standardised(features, self.mean, self.scale)
        log_odds = inputs @ self.weights[:, :-1].T.astype(np.float64) + self.weights[:, -1]
        near, strict, loose = logistic(log_odds).T
        return np.asarray(near * strict + (1 - near) * loose)

    @classmethod
    def load(cls, folder: str | Path) -> ParaphraseModel:
        """Read a model's folder."""
        saved = FORMAT.load(folder)
        if not (saved.arrays["scale"] > 0).all():
            raise ModelError(f"expected scales above 0 in {str(saved.path)!r}")
        return cls(**saved.arrays, card=saved.notes())

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder."""
        arrays = {name: np.asarray(getattr(self, name), dtype=np.float32) for name in FORMAT.shapes}
        FORMAT.save(folder, {"card": dict(self.card)}, arrays)


def standardised(features: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Features in standard deviations from their means, clipped."""
    return np.asarray(np.clip((features - mean) / scale, -_MOST_DEVIATIONS, _MOST_DEVIATIONS))


def bundled_model() -> ParaphraseModel:
    """The model that comes with the package."""
    with bundled_folder("parts/paraphrases") as folder:
        return ParaphraseModel.load(folder)


# At most of sentences that say something different or opposite; at least of those whose differences cancel.
_HALF = 0.5


def with_paraphrase_probability(
    alignment: Alignment, model: ParaphraseModel, relations: SentenceRelations | None = None
) -> Alignment:
    """Set ``paraphrase_probability``, and let no pair of whole sentences be more probable.

    Word links alone make every pair of whole sentences certain, because no link can leave it. A pair that
    leaves out punctuation alone counts as one, too. The probability of sentences that are known to say
    something different or opposite is 0.5 at most, and that of sentences that say the same because
    differences cancel out is 0.5 at least. A pair of two single words keeps the probability of its
    link. Alignments of sentences without word vectors stay as they are.

    Parameters
    ----------
    alignment : Alignment
        With word links.
    model : ParaphraseModel
        The model.
    relations : SentenceRelations, optional
        The words that do not say the same, if they are known.

    Raises
    ------
    InputError
        If the word vectors cannot be compared.
    """
    source, target = alignment.source, alignment.target
    if source.vectors is None or target.vectors is None or not (len(source) and len(target)):
        return alignment
    if relations is None:
        relations = atomic_relations(source, target, alignment.words.pairs)
    inside = relations.inside((0, len(source)), (0, len(target)))
    probability = model.probability(source, target, alignment.words, inside)
    root = related_by(inside)
    if root in (DIFFERENT, OPPOSITE):
        probability = min(probability, _HALF)
    elif root == EQUIVALENT and relations.hidden:
        probability = max(probability, _HALF)
    phrases = tuple(
        replace(pair, probability=probability)
        if pair.probability > probability
        and any(node.end - node.start > 1 for node in (pair.source_node, pair.target_node))
        and _is_whole(pair.source_node, source)
        and _is_whole(pair.target_node, target)
        else pair
        for pair in alignment.phrases
    )
    return replace(alignment, phrases=phrases, paraphrase_probability=probability)


def _is_whole(node: Node, sentence: Sentence) -> bool:
    """Whether a phrase has all words of its sentence that have a letter or digit."""
    outside = sentence.words[: node.start] + sentence.words[node.end :]
    return all(map(is_punctuation, outside))
