"""Train the link model of the contextual aligner on hand-aligned corpora.

Corpora: the sure links of the train parts of MSR-RTE (its dev part), Edinburgh++, MultiMWA-MTRef and
MultiMWA-Wiki. First, a projection of the word vectors is learned by aligning with a soft-max over rows and
columns, null included. It is cross-fitted in three folds, so that the link model sees similarities only as
good as on new text. Then the principal directions of the word vectors are computed, and three passes are
fitted: the first (L-BFGS), the second and the message pass (Adam). Each reads the output of the one before.

Examples
--------
python -m forest_align.em.recipes contextual ../shared/data/alignment OUT --cache CACHE
python -m forest_align.em.recipes contextual ../shared/data/alignment OUT --cache CACHE --hold-out 0
python -m forest_align.em.recipes contextual ../shared/data/alignment OUT --cache CACHE --leave-out mtref
python -m forest_align.em.recipes contextual ../shared/data/alignment OUT --cache CACHE --leave-out \
    msr_rte mtref
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment

from forest_align.aligners.contextual.features import SentenceFeatures
from forest_align.aligners.contextual.model import LinkModel
from forest_align.aligners.contextual.passes import UNLIKELY
from forest_align.em.contextual._annotating import save_whole
from forest_align.em.contextual._first_pass import (
    GROUPS,
    LinkSettings,
    Projection,
    fit_first,
    learn_projection,
    principal_directions,
)
from forest_align.em.contextual._message_pass import fit_messages
from forest_align.em.contextual._second_pass import cells_of, fit_second
from forest_align.em.contextual.examples import (
    CONSTRUCTED,
    TRAIN,
    LinkExample,
    read_examples,
    sentences_of_tests,
)
from forest_align.em.corpus.parsed_pairs import parser_fingerprint
from forest_align.em.fitting.cross_fitting import FOLDS
from forest_align.eval.metrics.scores import MatchCounts, calibrate
from forest_align.storage.fingerprints import fingerprint_of


def run(options: argparse.Namespace) -> None:
    """Follow the recipe."""
    torch.set_num_threads(1)  # fixed order of sums: the same weights every time
    settings = LinkSettings(without=tuple(options.without))
    examples = list(read_examples(options.data, options.parser, options.cache, options.leave_out))
    tests = sentences_of_tests(options.data)
    trained, measured = split(examples, tests, options.hold_out, options.leave_out)
    # Which words are alike is learned from sentences that make sense.
    natural = [e for e in trained if e.corpus != CONSTRUCTED]
    mark = fingerprint_of(
        parser_fingerprint(options.parser), settings.dimension, *((e.sentences, e.fold) for e in natural)
    )
    projections = {
        fold: _projection_for(natural, fold, settings, options.cache / f"projection-{mark}-{fold}.npz")
        for fold in sorted({-1} | {e.fold for e in trained})
    }
    in_training = {id(e) for e in trained}

    def project(example: LinkExample) -> LinkExample:
        mean, matrix = projections[example.fold if id(example) in in_training else -1]
        source, target = (_with_projection(side, mean, matrix) for side in (example.source, example.target))
        return replace(example, source=source, target=target)

    projected = [project(e) for e in trained]
    first = fit_first(projected, settings)
    directions = principal_directions(natural)
    cells = cells_of(projected, first, directions)
    second, scores = fit_second(projected, cells, settings)
    third = fit_messages(projected, cells.after(scores, UNLIKELY), settings)
    mean, matrix = projections[-1]
    card = {
        "trained on": [f"{name} ({TRAIN[name]})" for name in TRAIN if name not in options.leave_out],
        "pairs": len(natural),
        "constructed pairs": len(trained) - len(natural),
        "parser": options.parser,
        "left out": [*options.leave_out, *options.without],
        "held-out fold": options.hold_out,
    }
    rounded = matrix.astype(np.float16).astype(np.float32)
    model = LinkModel(mean, rounded, directions, first, second, third, options.threshold, card)
    for line in measure(model, [project(e) for e in (*measured, *unseen(measured, trained))]):
        print(line, flush=True)
    model.save(options.output)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder with msr_rte, edinburgh, mtref and wiki")
    parser.add_argument("output", type=Path, help="folder for the model")
    parser.add_argument("--parser", default="en", help="gives word vectors and tags")
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors and projections")
    parser.add_argument(
        "--threshold", type=float, default=0.5, help="of the saved model, best on held-out pairs"
    )
    parser.add_argument(
        "--without", choices=tuple(GROUPS), nargs="+", default=[], help="leave out groups of features"
    )
    parser.add_argument(
        "--hold-out", type=int, choices=range(FOLDS), help="keep a fold of all corpora for measuring"
    )
    parser.add_argument(
        "--leave-out", choices=tuple(TRAIN), nargs="+", default=[], help="learn nothing from these corpora"
    )


def split(
    examples: Sequence[LinkExample],
    tests: Mapping[str, set[str]],
    hold_out: int | None,
    leave_out: Sequence[str],
) -> tuple[list[LinkExample], list[LinkExample]]:
    """Split the examples into training and measured ones.

    A pair is not used for training if one of its sentences is in the measured part of another corpus. The
    sentences of parts that are measured elsewhere are given by ``tests``, by corpus. MTRef contains five
    pairs of Edinburgh++'s test part, and a sentence from each of 44 more. Within a corpus the published
    parts are kept.
    """
    learned, measured = [], []
    for example in examples:
        if example.fold not in (-1, hold_out) and example.corpus not in leave_out:
            learned.append(example)
        elif not example.is_altered:
            measured.append(example)
    sentences = {name: set(found) for name, found in tests.items()}
    for example in measured:
        sentences.setdefault(example.corpus.removesuffix(" dev"), set()).update(example.sentences)
    kept = []
    for example in learned:
        elsewhere = (found for name, found in sentences.items() if name != example.corpus)
        if all(found.isdisjoint(example.sentences) for found in elsewhere):
            kept.append(example)
    return kept, measured


def unseen(measured: Sequence[LinkExample], learned: Sequence[LinkExample]) -> list[LinkExample]:
    """Measured pairs that share no sentence with training pairs, for corpora where other pairs do."""
    seen = {sentence for example in learned for sentence in example.sentences}
    apart = [e for e in measured if seen.isdisjoint(e.sentences)]
    overlapping = {e.corpus for e in measured if not seen.isdisjoint(e.sentences)}
    return [replace(e, corpus=f"{e.corpus}, unseen") for e in apart if e.corpus in overlapping]


def _projection_for(
    examples: Sequence[LinkExample], fold: int, settings: LinkSettings, cache: Path
) -> Projection:
    """Projection learned from all examples outside a fold, or loaded from the cache."""
    if not cache.exists():
        mean, matrix = learn_projection([e for e in examples if e.fold != fold], settings)
        save_whole(cache, mean=mean, matrix=matrix)
    stored = np.load(cache)
    return stored["mean"], stored["matrix"]


def _with_projection(side: SentenceFeatures, mean: np.ndarray, matrix: np.ndarray) -> SentenceFeatures:
    """The sentence with its projected vectors."""
    projected = (side.vectors - mean) @ matrix
    projected /= np.maximum(np.linalg.norm(projected, axis=1, keepdims=True), 1e-9)
    return replace(side, projected=projected.astype(np.float32))


# -------------------------------------------------------------------------------------- measurement


def measure(model: LinkModel, examples: Sequence[LinkExample]) -> Iterator[str]:
    """Scores at several thresholds and of the best one-to-one links, and the calibration, by corpus."""
    for corpus in dict.fromkeys(e.corpus for e in examples):
        chosen = [e for e in examples if e.corpus == corpus]
        tables = [model.run(e.source, e.target, e.evidence)[-1].probability for e in chosen]
        values = np.concatenate([t.ravel() for t in tables])
        right = np.concatenate([e.gold.ravel() for e in chosen])
        decoded: dict[float | str, list[np.ndarray]] = {
            threshold: [table >= threshold for table in tables] for threshold in (0.4, 0.45, 0.5, 0.55, 0.6)
        }
        decoded["one to one"] = [one_to_one(table) for table in tables]
        for name, links in decoded.items():
            scores = macro(links, chosen)
            yield json.dumps({"corpus": corpus, "pairs": len(chosen), "threshold": name} | scores)
        matter = values >= 0.05
        error = calibrate(values[matter], right[matter]).expected_error
        certain = np.clip(np.where(right, values, 1 - values), 1e-6, 1)
        loss = -np.log(certain).sum() / right.sum()
        yield (
            f"{corpus}: expected calibration error {error:.4f} over cells with p ≥ 0.05; "
            f"minus log-likelihood {loss:.4f} a gold link"
        )


def one_to_one(table: np.ndarray) -> np.ndarray:
    """The one-to-one links with the highest sum of probabilities, each less ½."""
    gain = np.maximum(table - 0.5, 0)
    links = np.zeros(table.shape, bool)
    links[linear_sum_assignment(gain, maximize=True)] = True
    return links & (gain > 0)


def macro(links: Sequence[np.ndarray], examples: Sequence[LinkExample]) -> dict[str, float]:
    """Macro-averaged precision, recall, their F1, and the share of exact pairs, in per cent."""
    pairs = [(linked, example.gold) for linked, example in zip(links, examples, strict=True)]
    scores = MatchCounts.of_tables(pairs).macro()
    exact = float(np.mean([(linked == gold).all() for linked, gold in pairs]))
    values = {"P": scores.precision, "R": scores.recall, "F1": scores.f1, "E": exact}
    return {name: round(100 * value, 2) for name, value in values.items()}
