"""From prepared sentence pairs to a trained model of the forest aligner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from forest_align.aligners.forest.features import GENERAL_FEATURES
from forest_align.aligners.forest.model import ForestModel
from forest_align.em.corpus.corpus import CorpusPair
from forest_align.em.forest._features import CorpusFeatures, number_features
from forest_align.em.forest.dev_set import DevSet, figures
from forest_align.em.forest.expectation import BatchExpectation
from forest_align.em.forest.problem import AlignmentProblem, build_problem
from forest_align.em.forest.state import EpochReport, TrainingSettings
from forest_align.em.forest.trainer import TrainingObserver, train
from forest_align.types import InputError

# Lexicalised weights below this are dropped: they change probabilities by a few percent at most, and there
# are very many.
SMALLEST_WEIGHT = 0.05
# What a description says of parts that training does not change.
_KEPT = ("tuned", "calibrated_on", "phrases_tuned", "phrases_calibrated_on")


@dataclass(frozen=True, slots=True, eq=False)
class TrainedModel:
    """What :func:`train_forest_model` returns: the model, and the reports of the epochs."""

    model: ForestModel
    history: tuple[EpochReport, ...]


def train_forest_model(
    pairs: Sequence[CorpusPair],
    start: ForestModel,
    settings: TrainingSettings,
    *,
    beam: int = 50,
    least_pairs: int = 3,
    dev: DevSet | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    observer: TrainingObserver | None = None,
    expect_on: Callable[[AlignmentProblem], AbstractContextManager[BatchExpectation]] | None = None,
) -> TrainedModel:
    """Train the weights of a model by Viterbi EM.

    The interpolated parse probability is not used in training (Arase & Tsujii 2017, §5.4). The log-linear one
    and the evidence of links are used, as constants.

    Parameters
    ----------
    pairs : sequence of CorpusPair
        Training text, at least one pair; gold links are ignored.
    start : ForestModel
        Source of the initial weights. The trained model keeps everything else of it: options, calibration,
        phrase models, and the description of what was tuned, including the size of forests.
    settings : TrainingSettings
        How to train.
    beam : int
        µ_b during training.
    least_pairs : int
        Lexicalised features are learned for attribute pairs that occur in at least this many sentence pairs.
    dev : DevSet, optional
        Scored after each epoch.
    checkpoint, resume, observer
        See :func:`forest_align.em.forest.trainer.train`.
    expect_on : callable, optional
        Makes, for the problem, what aligns the pairs of a batch: the engine of a cluster. By default, threads
        of this process do.

    Returns
    -------
    TrainedModel

    Raises
    ------
    InputError
        If there are no pairs, or the checkpoint belongs to another run.
    """
    if not pairs:
        raise InputError("expected at least one sentence pair to train on, found none")
    # Each pair is searched as the trained model will search it: by the phrase-pair model's options if that
    # model judges the pair.
    options = [replace(start.options_for(pair.phrases), beam=beam, parser_weight=0.0) for pair in pairs]
    features = number_features([pair.features for pair in pairs], least_pairs)
    problem = build_problem(
        [pair.prepared(own) for pair, own in zip(pairs, options, strict=True)],
        features.pairs,
        features.feature_offsets,
        features.feature_ids,
        features.feature_count,
        [own.search_options() for own in options],
    )

    def evaluate(weights: np.ndarray) -> Mapping[str, float]:
        assert dev is not None
        rows = dev.statistics(_model(features, weights, start))
        return {name: found.value for name, found in figures(rows).items()}

    state = train(
        problem,
        settings,
        features.weights_of(start),
        checkpoint=checkpoint,
        resume=resume,
        evaluate=evaluate if dev is not None else None,
        observer=observer,
        expectation=expect_on(problem) if expect_on is not None else None,
    )
    model = _model(features, state.weights, start)
    kept = {name: value for name, value in start.description.items() if name in _KEPT}
    about = {
        "weights": "trained by Viterbi EM",
        "pairs": len(pairs),
        "training_beam": beam,
        "least_pairs": least_pairs,
        **{name: value for name, value in asdict(settings).items() if name != "workers"},
        "history": [asdict(one) for one in state.history],
        **kept,
    }
    return TrainedModel(replace(model, description=about), state.history)


def _model(features: CorpusFeatures, weights: np.ndarray, start: ForestModel) -> ForestModel:
    lexical = features.lexical_weights(weights, SMALLEST_WEIGHT)
    return replace(start, weights=weights[: len(GENERAL_FEATURES)].copy(), lexical=lexical)
