"""Trains the judge of a forest model further on phrases that its users marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.judge import JudgeModel
from forest_align.aligners.forest.model import ForestModel
from forest_align.em.corpus.parsed_pairs import ParsedPair
from forest_align.em.fitting.folds import FOLDS, Keys, folds_of, sentence_key
from forest_align.em.fitting.small_networks import adapt_rectifier
from forest_align.em.phrases.judge_training import SETTINGS, JudgeExamples, aligned_examples
from forest_align.types import InputError

#: Fewer pairs with marked phrases say too little.
FEWEST_PAIRS = 50
_ADAPTATION = replace(SETTINGS, batch=128, learning_rate=1e-3)


@dataclass(frozen=True, slots=True)
class _AdaptedModel:
    """A forest model whose judge learned from marked phrases, if that helps."""

    model: ForestModel  # With the judge that it had if the other one is not better
    pairs: int  # Sentence pairs with marked phrases
    # before, after: mean cross-entropy, in nats, of the judge that was there, and of judges that had learned
    # from sentence pairs of other folds, which share no sentence with those that they are measured on
    before: float
    after: float

    @property
    def is_better(self) -> bool:
        """Whether the judge was replaced."""
        return self.after < self.before


def adapted_to_marks(
    model: ForestModel,
    pairs: Sequence[ParsedPair],
    *,
    parser: str,
    words: str | None = None,
    seed: int = 0,
    report: Callable[[int], None] | None = None,
) -> _AdaptedModel:
    """Train the judge of a model further on marked phrases, and keep it if cross-fitting finds it better.

    Raises an InputError if the model has no judge, there are fewer than :data:`FEWEST_PAIRS` pairs, none
    has phrases that differ, or word vectors cannot be computed. Word candidates are the model's by default.
    """
    judge = model.judge
    if judge is None or model.phrases is None:
        raise InputError("expected a model with a judge of phrases")
    if len(pairs) < FEWEST_PAIRS:
        raise InputError(f"expected at least {FEWEST_PAIRS} pairs with marked phrases, found {len(pairs)}")
    aligner = ForestAligner(
        replace(model, relations=None, judge=None), parser=parser, candidates=words, paraphrases=False
    )
    examples: list[JudgeExamples] = []
    keys: list[Keys] = []
    for pair in pairs:
        source, target = aligner.prepare_pair(pair.source, pair.target)
        learned_from = aligned_examples(pair.pair, source, target, aligner)
        if learned_from is not None:
            examples.append(learned_from)
            keys.append((sentence_key(source.words), sentence_key(target.words)))
        if report is not None:
            report(1)
    fold_of = folds_of(keys)
    before = after = 0.0
    count = sum(len(one.wanted) for one in examples)
    if not count:
        raise InputError("expected pairs of phrases that differ, found none")
    for fold in range(FOLDS):
        unseen, others = (
            [one for one, own in zip(examples, fold_of, strict=True) if (own == fold) == is_unseen]
            for is_unseen in (True, False)
        )
        before += _total_loss(judge, unseen) / count
        after += _total_loss(adapted_judge(judge, others, seed), unseen) / count
    if after < before:
        model = replace(model, judge=adapted_judge(judge, examples, seed))
    return _AdaptedModel(model, len(pairs), before, after)


def adapted_judge(judge: JudgeModel, examples: Sequence[JudgeExamples], seed: int = 0) -> JudgeModel:
    """A judge that has also learned from these pairs; the same one if they hold no phrases to learn from."""
    if not any(len(one.wanted) for one in examples):
        return judge
    features = np.concatenate([one.features for one in examples])
    wanted = torch.from_numpy(np.concatenate([one.wanted for one in examples]))

    def loss(scores: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return binary_cross_entropy_with_logits(scores, wanted[batch])

    network = adapt_rectifier(judge.network, features, loss, _ADAPTATION, seed)
    marked = {"pairs": len(examples), "phrase pairs": len(wanted)}
    return JudgeModel(network, judge.card | {"adapted to": marked})


def _total_loss(judge: JudgeModel, examples: Sequence[JudgeExamples]) -> float:
    """Sum of the cross-entropies of pairs of phrases, each a mean of both outputs."""
    if not examples:
        return 0.0
    scores = torch.from_numpy(judge.network.outputs(np.concatenate([one.features for one in examples])))
    wanted = torch.from_numpy(np.concatenate([one.wanted for one in examples]))
    return float(binary_cross_entropy_with_logits(scores, wanted, reduction="none").mean(dim=1).sum())
