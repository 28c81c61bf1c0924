"""Train the chunk model on iSTS. Also prints cross-fitted figures.

The network of :class:`~forest_align.aligners.chunks.chunk_model.ChunkModel` reads every pair of chunks in
both directions. Its loss is the cross-entropy of "aligned" over all pairs, and of relation and similarity
over the aligned ones (Adam, weight decay). Thresholds are the best for F1 Ali on the training pairs, by
models that have not seen them: five folds, in each of which neighbouring pairs of a file stay together.

Examples
--------
python -m forest_align.em.recipes chunks ../shared/data/ists OUT
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from forest_align.aligners.chunks.chunk_aligner import choose_cells, chunk_pairs
from forest_align.aligners.chunks.chunk_features import swapped_features
from forest_align.aligners.chunks.chunk_model import (
    SHAPES,
    SIMILARITIES,
    ChunkJudgement,
    ChunkModel,
)
from forest_align.aligners.chunks.related_chunks import related_links
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.alignment import CHUNK_RELATIONS, SWAPPED_RELATIONS
from forest_align.data.formats.format import ChunkLink
from forest_align.em.chunks.chunk_examples import ChunkExample, read_chunk_examples
from forest_align.em.fitting.small_networks import descend
from forest_align.eval.files.result_tables import Row, format_table
from forest_align.eval.metrics.chunk_scores import (
    CHUNK_F1S,
    chunk_relation_statistics,
    count_chunk_relations,
)

SETS = ("headlines", "images", "answers-students")
FOLDS = 5
_THRESHOLDS = tuple(k / 20 for k in range(2, 19))


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How the network is trained."""

    hidden: int = 48  # Units of the hidden layer
    # steps, batch: steps of Adam, and chunk pairs in each
    steps: int = 1500
    batch: int = 512
    # rate, decay: learning rate, which falls to 0 along a cosine, and weight decay
    rate: float = 4e-3
    decay: float = 1.0
    dropout: float = 0.2  # Share of features, and of hidden units, that each step ignores
    seed: int = 0  # Seed of the first weights and of the batches


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder of STSint.input.*.wa and their files of chunks")
    parser.add_argument("output", type=Path, help="folder for the model")


def run(options: argparse.Namespace) -> None:
    """Follow the recipe."""
    torch.set_num_threads(1)  # fixed order of sums: the same weights every time
    paths = [options.data / f"STSint.input.{name}.wa" for name in SETS]
    examples = read_chunk_examples(paths, ContextualAligner())
    settings = ChunkSettings()
    judged = cross_fitted(examples, settings)
    thresholds = best_thresholds(examples, judged)
    figures = figures_by_set(examples, judged, thresholds)
    print(
        format_table([Row(name, values) for name, values in figures.items()], CHUNK_F1S, first="cross-fitted")
    )
    print("", *error_rows(examples, judged, thresholds), sep="\n")
    model = fit_chunks(examples, settings)
    threshold, joining = thresholds
    card = {
        "data": [path.name for path in paths],
        "pairs": len(examples),
        "cross_fitted": {
            name: {k: round(v, 2) for k, v in values.items()} for name, values in figures.items()
        },
    }
    replace(model, threshold=threshold, joining=joining, card=card).save(options.output)


def folds_of(examples: Sequence[ChunkExample]) -> np.ndarray:
    """The fold of each example; neighbours of a file stay together, and every file is in every fold."""
    found = np.zeros(len(examples), np.int64)
    for name in dict.fromkeys(example.set for example in examples):
        own = [k for k, example in enumerate(examples) if example.set == name]
        found[own] = np.arange(len(own)) * FOLDS // len(own)
    return found


def cross_fitted(examples: Sequence[ChunkExample], settings: ChunkSettings) -> list[ChunkJudgement]:
    """Judge each pair by a model that was trained without its fold."""
    folds = folds_of(examples)
    found: dict[int, ChunkJudgement] = {}
    for fold in range(FOLDS):
        model = fit_chunks([one for one, its in zip(examples, folds, strict=True) if its != fold], settings)
        for k in np.flatnonzero(folds == fold).tolist():
            found[k] = model.judge(examples[k].features)
    return [found[k] for k in range(len(examples))]


def fit_chunks(examples: Sequence[ChunkExample], settings: ChunkSettings) -> ChunkModel:
    """Train a model; its thresholds are 0.5."""
    torch.manual_seed(settings.seed)
    inputs, relations, similarities = _table(examples)
    mean, scale = inputs.mean(axis=0), np.maximum(inputs.std(axis=0), 1e-3)
    table = torch.from_numpy(((inputs - mean) / scale).astype(np.float32))
    related, similar = torch.from_numpy(relations), torch.from_numpy(similarities)
    hidden = nn.Linear(table.shape[1], settings.hidden)
    heads = nn.ModuleList(
        nn.Linear(settings.hidden, size) for size in (1, len(CHUNK_RELATIONS), len(SIMILARITIES))
    )
    weights = [*hidden.parameters(), *heads.parameters()]
    optimizer = torch.optim.AdamW(weights, lr=settings.rate, weight_decay=settings.decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.steps)
    drop = nn.functional.dropout
    aligned_rows = torch.nonzero(related >= 0)[:, 0]

    def losses() -> Iterator[torch.Tensor]:
        for _ in range(settings.steps):
            # Half of a batch are aligned chunks, which alone say something about relations.
            some = torch.randint(len(table), (settings.batch,))
            others = aligned_rows[torch.randint(len(aligned_rows), (settings.batch // 2,))]
            units, more = (
                drop(torch.relu(hidden(drop(table[rows], settings.dropout))), settings.dropout)
                for rows in (some, others)
            )
            aligned = (related[some] >= 0).float()
            loss = nn.functional.binary_cross_entropy_with_logits(heads[0](units)[:, 0], aligned)
            loss = loss + nn.functional.cross_entropy(heads[1](more), related[others])
            yield loss + nn.functional.cross_entropy(heads[2](more), similar[others] - 1)

    descend(losses(), optimizer, schedule)
    arrays = {"mean": mean, "scale": scale}
    for name, layer in zip(("hidden", "aligned", "relations", "similarities"), (hidden, *heads), strict=True):
        arrays[name] = layer.weight.detach().numpy().T
        arrays[f"{name}_bias"] = layer.bias.detach().numpy()
    return ChunkModel({name: np.asarray(arrays[name], np.float32) for name in SHAPES}, 0.5, 0.5)


def _table(examples: Sequence[ChunkExample]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, relations and similarities of all chunk pairs, in both directions."""
    features = np.concatenate([one.features.reshape(-1, one.features.shape[2]) for one in examples])
    relations = np.concatenate([one.relations.ravel() for one in examples])
    similarities = np.concatenate([one.similarities.ravel() for one in examples])
    swapped = np.where(relations >= 0, np.array(SWAPPED_RELATIONS)[relations], -1)
    return (
        np.concatenate([features, swapped_features(features)]),
        np.concatenate([relations, swapped]),
        np.concatenate([similarities, similarities]),
    )


def best_thresholds(
    examples: Sequence[ChunkExample], judged: Sequence[ChunkJudgement]
) -> tuple[float, float]:
    """The two thresholds with the highest F1 Ali: first that of pairs, then that of joined chunks."""

    def score(threshold: float, joining: float) -> float:
        rows = []
        for example, one in zip(examples, judged, strict=True):
            cells = choose_cells(one.aligned, threshold, joining)
            spans = ((example.chunks.source[a], example.chunks.target[b]) for a, b in cells)
            chunks = [ChunkLink(tuple(range(*ours)), tuple(range(*theirs)), "EQUI") for ours, theirs in spans]
            rows.append(count_chunk_relations(example.source, example.target, example.gold, chunks))
        return chunk_relation_statistics(rows)["f1.alignment"].value

    threshold = max(_THRESHOLDS, key=lambda one: score(one, 1.0))
    return threshold, max(_THRESHOLDS, key=lambda one: score(threshold, one))


def figures_by_set(
    examples: Sequence[ChunkExample], judged: Sequence[ChunkJudgement], thresholds: tuple[float, float]
) -> Mapping[str, dict[str, float]]:
    """The F1s of iSTS in percent, of each set and of all."""
    model = ChunkModel({}, *thresholds)
    rows = []
    for example, one in zip(examples, judged, strict=True):
        chunks = related_links(chunk_pairs(model, example.chunks, one))
        rows.append(count_chunk_relations(example.source, example.target, example.gold, chunks))
    sets = [example.set for example in examples]
    tables = {name: [k for k, its in enumerate(sets) if its == name] for name in dict.fromkeys(sets)}
    return {
        name: {k: 100 * one.value for k, one in chunk_relation_statistics([rows[p] for p in places]).items()}
        for name, places in {**tables, "all": list(range(len(rows)))}.items()
    }


def error_rows(
    examples: Sequence[ChunkExample], judged: Sequence[ChunkJudgement], thresholds: tuple[float, float]
) -> Iterator[str]:
    """A table of the wrong and the missed pairs of chunks, by set and kind.

    Wrong pairs are told apart by what people did with their two chunks, missed ones by what the model did.
    Those of which a chunk has several partners in the gold are a kind of their own.
    """
    yield "| set | gold | wrong: neither aligned | one | both | missed: neither aligned | others | shared |"
    yield "|---" * 8 + "|"
    counts: dict[str, np.ndarray] = {}
    for example, one in zip(examples, judged, strict=True):
        gold = example.relations >= 0
        found = np.zeros_like(gold)
        for cell in choose_cells(one.aligned, *thresholds):
            found[cell] = True
        partners = gold.sum(1)[:, None], gold.sum(0)
        by_people = (partners[0] > 0).astype(int) + (partners[1] > 0)
        by_model = found.any(1).astype(int)[:, None] + found.any(0)
        shared = gold & ((partners[0] > 1) | (partners[1] > 1))
        wrong, missed = found & ~gold, gold & ~found & ~shared
        row = [
            gold,
            *(wrong & (by_people == k) for k in range(3)),
            missed & (by_model == 0),
            missed & (by_model > 0),
            shared & ~found,
        ]
        counts[example.set] = counts.get(example.set, 0) + np.array([cells.sum() for cells in row])
    for name, sums in {**counts, "all": np.sum(list(counts.values()), axis=0)}.items():
        yield f"| {name} | {' | '.join(map(str, sums.tolist()))} |"
