"""Train the model of changed spans from marked spans (SSD); run once, its output is committed.

``--folds K`` prints how well the spans of held-out pairs are found, beside simple baselines.

Examples
--------
python -m forest_align.em.phrases.changed_span_training ../shared/data/differences/ssd-dev.tsv OUT --folds 5
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from forest_align.aligners.changed_spans.changed_model import (
    ChangedSpanModel,
    ChangedSpans,
    Regression,
    spans_with_features,
)
from forest_align.aligners.changed_spans.equal_words import equal_word_features, pieces
from forest_align.aligners.loading import load
from forest_align.em.logistic import fit_logistic
from forest_align.em.progress import counted
from forest_align.eval.benchmarks.marked_pairs import MarkedPair, difference_rows, read_marked
from forest_align.types import InputError

#: Half of this times the squared weights is subtracted from the log-likelihoods: of words, of spans.
RIDGES = 10.0, 100.0
# Folds inside a training set: the second regression learns from spans of pairs that the first has not seen.
_INNER = 5


def train_changed_spans(pairs: Sequence[MarkedPair]) -> ChangedSpanModel:
    """Fit both regressions; the second one to spans that the first one finds in pairs left out.

    Raises
    ------
    InputError
        If there are no marked spans of both kinds, or less than five pairs.
    """
    if len(pairs) < _INNER:
        raise InputError(f"expected at least {_INNER} pairs with marked spans, found {len(pairs)}")
    words = [_words(one) for one in pairs]
    rows, labels = [], []
    for fold in range(_INNER):
        held_out = [k for k in range(len(pairs)) if k % _INNER == fold]
        left = [part for k, part in enumerate(words) if k % _INNER != fold]
        regression = fit(
            np.concatenate([x for x, _ in left]), np.concatenate([y for _, y in left]), RIDGES[0]
        )
        for k in held_out:
            found, different = _spans(pairs[k], regression)
            rows.append(found)
            labels.append(different)
    meaning = np.concatenate(labels)
    if not 0 < meaning.sum() < len(meaning):
        raise InputError("expected marked spans that mean the same, and some that do not")
    inputs = np.concatenate([x for x, _ in words]), np.concatenate([y for _, y in words])
    return ChangedSpanModel(fit(*inputs, RIDGES[0]), fit(np.concatenate(rows), meaning, RIDGES[1]))


def fit(inputs: np.ndarray, labels: np.ndarray, ridge: float) -> Regression:
    """A regression on standardised inputs."""
    mean, scale = inputs.mean(axis=0), np.maximum(inputs.std(axis=0), 1e-3)
    return Regression(mean, scale, fit_logistic((inputs - mean) / scale, labels.astype(float), ridge=ridge))


def _words(one: MarkedPair) -> tuple[np.ndarray, np.ndarray]:
    """Features of equal words, and whether both are marked."""
    source, target = one.alignment.source, one.alignment.target
    places, features = equal_word_features(source, target, pieces(source.words, target.words))
    marked = [
        any(s[0] <= i < s[1] for s, _, _ in one.marked) and any(t[0] <= j < t[1] for _, t, _ in one.marked)
        for i, j in places
    ]
    return features, np.array(marked, bool)


def _spans(one: MarkedPair, words: Regression) -> tuple[np.ndarray, np.ndarray]:
    """Features of the spans that are found, and whether the marked spans that they overlap most differ."""
    spans, rows = spans_with_features(one.alignment, words)
    different = [
        not max(one.marked, key=lambda gold: _shared(both[0], gold[0]) + _shared(both[1], gold[1]))[2]
        for both in spans
    ]
    return rows, np.array(different, bool)


def _shared(one: tuple[int, int], two: tuple[int, int]) -> int:
    return max(0, min(one[1], two[1]) - max(one[0], two[0]))


def cross_fitted(pairs: Sequence[MarkedPair], folds: int) -> list[list[ChangedSpans]]:
    """The spans of each pair by a model that has not seen it."""
    found: list[list[ChangedSpans]] = [[] for _ in pairs]
    for fold in range(folds):
        model = train_changed_spans([one for k, one in enumerate(pairs) if k % folds != fold])
        for k in range(fold, len(pairs), folds):
            found[k] = model.spans(pairs[k].alignment)
    return found


def report(pairs: Sequence[MarkedPair], folds: int) -> Iterator[str]:
    """A table of the figures of ``benchmark ssd`` for held-out pairs."""
    spans = cross_fitted(pairs, folds)
    yield from difference_rows(
        pairs,
        {
            "nothing differs": [[] for _ in pairs],
            "every change, held-out pairs": spans,
            "changes that differ, held-out pairs": [
                [s for s in one if s.probability >= 0.5] for one in spans
            ],
        },
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script."""
    options = parse_arguments(arguments)
    torch.set_num_threads(1)  # fixed order of sums: the same weights every time
    aligner = load("forest", paraphrases=False)
    pairs = list(counted(read_marked(options.pairs, aligner, options.limit), "pairs"))
    if options.folds > 1:
        for line in report(pairs, options.folds):
            print(line, flush=True)
    model = train_changed_spans(pairs)
    card = {"trained on": [options.pairs.name], "pairs": len(pairs)}
    ChangedSpanModel(model.words, model.meaning, card).save(options.output)
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", type=Path, help="pairs with marked spans")
    parser.add_argument("output", type=Path, help="folder for the model")
    parser.add_argument("--folds", type=int, default=0, help="measure by cross-fitting in so many folds")
    parser.add_argument("--limit", type=int, help="read only so many pairs")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
