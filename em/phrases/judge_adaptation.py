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
from forest_align.em.fitting.small_networks import adapt_rectifier
from forest_align.em.phrases.judge_training import SETTINGS, JudgeExamples, examples_of
from forest_align.em.phrases.training import FOLDS
from forest_align.types import InputError

#: Fewer pairs with marked phrases say too little.
FEWEST_PAIRS = 50
ADAPTATION = replace(SETTINGS, batch=128, learning_rate=1e-3)


@dataclass(frozen=True, slots=True)
class AdaptedModel:
    """A forest model whose judge learned from marked phrases, if that helps."""

    model: ForestModel  # With the judge that it had if the other one is not better
    pairs: int  # Sentence pairs with marked phrases
    # before, after: mean cross-entropy, in nats, of the judge that was there, and of judges that had learned
    # from the other four fifths of the sentence pairs
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
) -> AdaptedModel:
    """Train the judge of a model further on marked phrases, and keep it if cross-fitting finds it better.

    Raises an InputError if the model has no judge, there are fewer than :data:`FEWEST_PAIRS` pairs, or word
    vectors cannot be computed. Word candidates are the model's by default.
    """
    judge = model.judge
    if judge is None or model.phrases is None:
        raise InputError("expected a model with a judge of phrases")
    if len(pairs) < FEWEST_PAIRS:
        raise InputError(f"expected at least {FEWEST_PAIRS} pairs with marked phrases, found {len(pairs)}")
    aligner = ForestAligner(
        replace(model, relations=None, judge=None), parser=parser, candidates=words, paraphrases=False
    )
    examples = []
    for pair in pairs:
        source, target = aligner.prepare_pair(pair.source, pair.target)
        candidates = aligner.candidates.candidates(source, target)
        judged = aligner.pairs_to_judge(source, target, candidates)
        if judged is not None:  # None of an empty sentence
            examples.append(examples_of(judged, pair.pair))
        if report is not None:
            report(1)
    before = after = 0.0
    count = sum(len(one.wanted) for one in examples)
    for fold in range(FOLDS):
        unseen = examples[fold::FOLDS]
        learned_from = [one for place, one in enumerate(examples) if place % FOLDS != fold]
        before += _total_loss(judge, unseen) / max(count, 1)
        after += _total_loss(adapted_judge(judge, learned_from, seed), unseen) / max(count, 1)
    if after < before:
        model = replace(model, judge=adapted_judge(judge, examples, seed))
    return AdaptedModel(model, len(pairs), before, after)


def adapted_judge(judge: JudgeModel, examples: Sequence[JudgeExamples], seed: int = 0) -> JudgeModel:
    """A judge that has also learned from these pairs."""
    features = np.concatenate([one.features for one in examples])
    wanted = torch.from_numpy(np.concatenate([one.wanted for one in examples]))

    def loss(scores: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return binary_cross_entropy_with_logits(scores, wanted[batch])

    network = adapt_rectifier(judge.network, features, loss, ADAPTATION, seed)
    marked = {"pairs": len(examples), "phrase pairs": len(wanted)}
    return JudgeModel(network, judge.card | {"adapted to": marked})


def _total_loss(judge: JudgeModel, examples: Sequence[JudgeExamples]) -> float:
    """Sum of the cross-entropies of pairs of phrases, each a mean of both outputs."""
    scores = torch.from_numpy(judge.network.outputs(np.concatenate([one.features for one in examples])))
    wanted = torch.from_numpy(np.concatenate([one.wanted for one in examples]))
    return float(binary_cross_entropy_with_logits(scores, wanted, reduction="none").mean(dim=1).sum())
