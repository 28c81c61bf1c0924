"""Fits the message pass of the link model: a network whose cells exchange messages, trained end to end."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, dropout

from forest_align.aligners.contextual.features import LINK_CLASSES
from forest_align.aligners.contextual.passes import MessageNetwork
from forest_align.aligners.contextual.relations import BESIDE, PAIRED, WIDTH
from forest_align.cext.contextual import MESSAGE_SLOTS
from forest_align.em.contextual._first_pass import LinkSettings
from forest_align.em.contextual._second_pass import Cells
from forest_align.em.contextual.examples import LinkExample
from forest_align.em.fitting.optimization import descend

PAIRS_A_STEP = 48
LEARNING_RATE, WEIGHT_DECAY = 4e-3, 1e-2
# Weight of the loss after each round but the last.
_EARLY_LOSS = 0.3
INPUT_DROPOUT, STATE_DROPOUT = 0.05, 0.2
# Sources of the messages of the first slots, as steps (down, right) in the table.
_STEPS = (
    *(((sign * step, sign * step),) for step in (1, 2, 3) for sign in (1, -1)),
    ((1, 2), (2, 1)),
    ((-1, -2), (-2, -1)),
    ((1, -1), (-1, 1)),
    ((1, 0), (-1, 0), (0, 1), (0, -1)),
)

_RELATED_SLOTS = PAIRED + len(BESIDE)

Parameters = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Cells of some pairs, K in all, with their targets."""

    features: torch.Tensor  # float32, shape (K, 163), standardized
    # classes, rows, columns: int64, shape (K,): class, and the words among the `words` of the batch
    classes: torch.Tensor
    rows: torch.Tensor
    columns: torch.Tensor
    # int64, shape (K, cells): for each slot, the cells whose messages it sums; K for none
    neighbours: list[torch.Tensor]
    # related_to, related_of: int64, shape (messages,): see related_cells
    related_to: torch.Tensor
    related_of: torch.Tensor
    words: int
    # wanted, weights: float32, shape (K,)
    wanted: torch.Tensor
    weights: torch.Tensor


def fit_messages(examples: Sequence[LinkExample], cells: Cells, settings: LinkSettings) -> MessageNetwork:
    """Train the message pass on the cells that the second pass keeps."""
    torch.manual_seed(0)
    features = cells.features(examples, settings)
    mean, spread = features.mean(0), np.maximum(features.std(0), 0.1)
    ends = np.cumsum([len(numbers) for numbers in cells.numbers])[:-1]
    parts = [
        pair_cells(example, numbers, *values)
        for example, numbers, *values in zip(
            examples,
            cells.numbers,
            np.split((features - mean) / spread, ends),
            np.split(cells.classes, ends),
            strict=True,
        )
    ]
    parameters = initial_parameters(features.shape[1], settings)
    optimizer = torch.optim.AdamW(parameters.values(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = len(parts) // PAIRS_A_STEP
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=LEARNING_RATE, total_steps=settings.message_epochs * steps + 1, pct_start=0.2
    )
    share = np.average([e.weight for e in examples], weights=[len(numbers) for numbers in cells.numbers])

    def losses() -> Iterator[torch.Tensor]:
        for chosen in torch.randperm(len(parts)).split(PAIRS_A_STEP)[:steps]:
            batch = joined([parts[k] for k in chosen.tolist()])
            *early, last = (
                binary_cross_entropy_with_logits(score, batch.wanted, batch.weights / share)
                for score in scores_of(parameters, batch)
            )
            yield last + _EARLY_LOSS * sum(early)

    for epoch in range(settings.message_epochs):
        mean_loss = descend(losses(), optimizer, schedule)
        print(f"messages, epoch {epoch + 1}: loss {mean_loss:.5f}", file=sys.stderr, flush=True)
    arrays = {name: value.detach().numpy() for name, value in parameters.items()}
    arrays["hidden"] = (arrays["hidden"] / spread[:, None]).astype(np.float32)
    arrays["hidden"][settings.left_out(len(spread))] = 0
    arrays["hidden_bias"] = arrays["hidden_bias"] - mean @ arrays["hidden"]
    return MessageNetwork(**arrays)


def initial_parameters(count: int, settings: LinkSettings) -> Parameters:
    """Random weights, initialised like those of linear layers."""
    rounds = 0 if "context" in settings.without else settings.rounds
    units, size = settings.states, settings.message
    arriving = units + MESSAGE_SLOTS * size
    shapes = {
        "hidden": (count + len(LINK_CLASSES), (count, units + 1)),
        "hidden_bias": (count + len(LINK_CLASSES), (len(LINK_CLASSES), units + 1)),
        "send": (units, (rounds, units, size)),
        "send_bias": (units, (rounds, size)),
        "own": (arriving, (rounds, units, units)),
        "receive": (arriving, (rounds, MESSAGE_SLOTS, size, units)),
        "receive_bias": (arriving, (rounds, units)),
        "output": (units, (units,)),
    }
    assert set(shapes) == {one.name for one in fields(MessageNetwork)}
    return {
        name: torch.empty(shape).uniform_(-(inputs**-0.5), inputs**-0.5).requires_grad_()
        for name, (inputs, shape) in shapes.items()
    }


# ------------------------------------------------------------------------------------------ batches


def pair_cells(
    example: LinkExample, numbers: np.ndarray, features: np.ndarray, classes: np.ndarray
) -> _Batch:
    """The cells of one pair."""
    n, m = example.gold.shape
    rows, columns = np.divmod(numbers.astype(np.int64), m)
    edge = 3
    grid = np.full((n + 2 * edge, m + 2 * edge), len(numbers))
    grid[rows + edge, columns + edge] = np.arange(len(numbers))

    def lie_at(down: np.ndarray, right: np.ndarray) -> np.ndarray:
        return grid[down + edge, right + edge]

    slots = [[lie_at(rows + down, columns + right) for down, right in steps] for steps in _STEPS]
    before, after = _nearest_content(example.source.kinds)
    other_before, other_after = _nearest_content(example.target.kinds)
    slots += [[lie_at(after[rows], other_after[columns])], [lie_at(before[rows], other_before[columns])]]
    to, of = _related_cells(example, rows, columns, grid[edge : n + edge, edge : m + edge])
    return _Batch(
        torch.from_numpy(features),
        torch.from_numpy(classes.astype(np.int64)),
        torch.from_numpy(rows),
        torch.from_numpy(columns + n),
        [torch.from_numpy(np.stack(slot, 1)) for slot in slots],
        torch.from_numpy(to),
        torch.from_numpy(of),
        n + m,
        torch.from_numpy(example.wanted.ravel()[numbers]),
        torch.full((len(numbers),), float(example.weight)),
    )


def _related_cells(
    example: LinkExample, rows: np.ndarray, columns: np.ndarray, grid: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What cells of related words send into the slots of :func:`forest_align.cext.contextual.message_pass`.

    Shapes: returns int64 (messages,).
    """
    none = len(rows)
    across, along = example.source.related[rows], example.target.related[columns]
    slots = []
    for relation in range(PAIRED):
        a, b = across[:, relation, :, None], along[:, relation, None, :]
        cells = np.where((a >= 0) & (b >= 0), grid[a, b], none)
        slots.append(cells.reshape(len(rows), WIDTH * WIDTH))
    for relations in BESIDE:
        a, b = (side[:, relations, :].reshape(len(rows), WIDTH * len(relations)) for side in (across, along))
        above = np.where(a >= 0, grid[a, columns[:, None]], none)
        beside = np.where(b >= 0, grid[rows[:, None], b], none)
        slots.append(np.concatenate([above, beside], 1))
    to, of = [], []
    for slot, cells in enumerate(slots):
        receiving, which = np.nonzero(cells != none)
        to.append(receiving * _RELATED_SLOTS + slot)
        of.append(cells[receiving, which])
    return np.concatenate(to), np.concatenate(of)


def _nearest_content(kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest content words before and after every word; -1 if there is none."""
    content = np.flatnonzero(kinds == 0)
    known, words = np.append(content, -1), np.arange(len(kinds))
    return known[np.searchsorted(content, words) - 1], known[np.searchsorted(content, words, "right")]


def joined(parts: Sequence[_Batch]) -> _Batch:
    """Join several batches into one."""
    cells = np.cumsum([0, *(len(part.classes) for part in parts)]).tolist()
    words = np.cumsum([0, *(part.words for part in parts)]).tolist()

    def shifted(name: str, starts: Sequence[int], step: int = 1) -> torch.Tensor:
        values = (getattr(part, name) for part in parts)
        return torch.cat([value + start * step for value, start in zip(values, starts, strict=False)])

    neighbours = [
        torch.cat(
            [
                torch.where(slot == len(part.classes), cells[-1], slot + start)
                for slot, part, start in zip(slots, parts, cells, strict=False)
            ]
        )
        for slots in zip(*(part.neighbours for part in parts), strict=True)
    ]
    return _Batch(
        torch.cat([part.features for part in parts]),
        torch.cat([part.classes for part in parts]),
        shifted("rows", words),
        shifted("columns", words),
        neighbours,
        shifted("related_to", cells, _RELATED_SLOTS),
        shifted("related_of", cells),
        words[-1],
        torch.cat([part.wanted for part in parts]),
        torch.cat([part.weights for part in parts]),
    )


# ------------------------------------------------------------------------------------------ network


def scores_of(parameters: Parameters, batch: _Batch) -> list[torch.Tensor]:
    """Log-odds of cells before each round and after the last, as in ``contextual.message_pass``."""
    units = dropout(batch.features, INPUT_DROPOUT) @ parameters["hidden"]
    units = units + parameters["hidden_bias"][batch.classes]
    linear, state = units[:, -1], dropout(torch.relu(units[:, :-1]), STATE_DROPOUT)
    scores = []
    for number in range(len(parameters["send"])):
        said = state @ parameters["send"][number] + parameters["send_bias"][number]
        scores.append(said[:, 0] + linear)
        probability = torch.sigmoid(scores[-1])[:, None]
        messages = torch.cat([probability, probability * torch.relu(said[:, 1:])], 1)
        collected = torch.cat(_collected_slots(messages, batch), 1)
        change = state @ parameters["own"][number] + parameters["receive_bias"][number]
        change = change + collected @ parameters["receive"][number].flatten(0, 1)
        state = state + dropout(torch.relu(change), STATE_DROPOUT)
    return [*scores, state @ parameters["output"] + linear]


def _collected_slots(messages: torch.Tensor, batch: _Batch) -> list[torch.Tensor]:
    """The messages that each cell collects, slot by slot."""
    with_none = torch.cat([messages, messages.new_zeros(1, messages.shape[1])])
    zero = messages.new_zeros(1)
    slots = [sum((with_none[cells] for cells in slot.unbind(1)), zero) for slot in batch.neighbours]
    sums = messages.new_zeros(batch.words, messages.shape[1])
    sums = sums.index_add(0, batch.rows, messages).index_add(0, batch.columns, messages)
    across, along = sums[batch.rows] - messages, sums[batch.columns] - messages
    slots += [across + along, torch.minimum(across, along)]
    chance = messages[:, 0].detach().numpy()
    across, along = (with_none[_best_rivals(chance, line.numpy())] for line in (batch.rows, batch.columns))
    slots += [torch.maximum(across, along), torch.minimum(across, along)]
    related = messages.new_zeros(len(messages) * _RELATED_SLOTS, messages.shape[1])
    related = related.index_add(0, batch.related_to, messages[batch.related_of])
    return [*slots, *related.view(len(messages), _RELATED_SLOTS, -1).unbind(1)]


def _best_rivals(chance: np.ndarray, lines: np.ndarray) -> torch.Tensor:
    """For each cell the most probable other cell of its line, int64 (K,); K if there is none."""
    order = np.lexsort((-chance, lines))
    ordered = lines[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(order)))
    best = np.repeat(order[starts], sizes)
    second = np.where(sizes > 1, order[np.minimum(starts + 1, len(order) - 1)], len(order))
    rivals = np.empty(len(order), dtype=np.int64)
    rivals[order] = np.where(best == order, np.repeat(second, sizes), best)
    return torch.from_numpy(rivals)
