"""Chooses, among all ways to divide changes into edits, the edits that people would mark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from forest_align.alignment import Alignment
from forest_align.edits._edit_features import EditFeatures
from forest_align.edits._edit_lattice import REPLACED, Arc, EditLattice, edit_lattice
from forest_align.edits._edit_units import EditUnits, edit_units
from forest_align.storage.saved_models import CARD, not_as_saved, read_bound, write_model_files
from forest_align.types.errors import InputError, ModelError
from forest_align.types.json_fields import parse_json_object
from forest_align.types.json_records import JsonObject, Probability, convert_record

# Several pieces with a linked one are no edit if they are less probable: they join what is not one change.
_UNLIKELY = 0.2
_NEVER = float("-inf")
_WEIGHTS = "weights.safetensors"


def path_probabilities(lattice: EditLattice, scores: np.ndarray) -> tuple[float, np.ndarray]:
    """The log of the summed weights of all paths, and the probability of each arc, float (arcs,).

    ``scores``, float (arcs,), are log weights, 0 for arcs over kept words: a semi-Markov model (Sarawagi &
    Cohen 2004).
    """
    size = lattice.size
    entering, leaving = _arcs_by_place(lattice)
    all_scores = np.append(scores, 0.0)
    forward, backward = np.full(size, _NEVER), np.full(size, _NEVER)
    forward[0] = backward[-1] = 0.0
    for place in range(1, size):
        if entering[place]:
            starts, numbers = np.array(entering[place]).T
            forward[place] = np.logaddexp.reduce(forward[starts] + all_scores[numbers])
    for place in range(size - 2, -1, -1):
        if leaving[place]:
            ends, numbers = np.array(leaving[place]).T
            backward[place] = np.logaddexp.reduce(backward[ends] + all_scores[numbers])
    total = float(forward[-1])
    starts = np.array([arc.start for arc in lattice.arcs], dtype=np.intp)
    ends = np.array([arc.end for arc in lattice.arcs], dtype=np.intp)
    logs = forward[starts] + scores + backward[ends] - total
    return total, np.exp(np.minimum(logs, 0.0))


def best_path(lattice: EditLattice, values: Sequence[float] | np.ndarray) -> list[int]:
    """Numbers of the arcs, in order, of the path with the greatest sum of values; kept words have 0."""
    _, leaving = _arcs_by_place(lattice)
    best = [_NEVER] * lattice.size
    best[0] = 0.0
    back: list[tuple[int, int]] = [(-1, -1)] * lattice.size
    for place in range(lattice.size):
        if best[place] == _NEVER:
            continue
        for end, number in leaving[place]:
            value = best[place] + (values[number] if number >= 0 else 0.0)
            if value > best[end]:
                best[end], back[end] = value, (place, number)
    path = []
    place = lattice.size - 1
    while place > 0:
        place, number = back[place]
        if number >= 0:
            path.append(number)
    return path[::-1]


_Arcs = list[list[tuple[int, int]]]


def _arcs_by_place(lattice: EditLattice) -> tuple[_Arcs, _Arcs]:
    """For each place the arcs that enter and that leave it: other end and number, -1 over a kept word."""
    entering: _Arcs = [[] for _ in range(lattice.size)]
    leaving: _Arcs = [[] for _ in range(lattice.size)]
    kept = [(start, end, -1) for start, end, _ in lattice.kept]
    arcs = [(arc.start, arc.end, number) for number, arc in enumerate(lattice.arcs)]
    for start, end, number in (*kept, *arcs):
        entering[end].append((start, number))
        leaving[start].append((end, number))
    return entering, leaving


@dataclass(frozen=True, slots=True)
class EditConventions:
    """How people divide changes into edits, learned from edits that they marked.

    Attributes
    ----------
    weights : mapping of str to float
        Weight of each feature of a possible edit.
    least : float
        Probability that an edit must have to be worth more than nothing; the greater it is, the larger and
        fewer are the edits.
    """

    weights: Mapping[str, float]
    least: float

    @classmethod
    def load(cls, folder: Path) -> EditConventions:
        """Load them from a folder with ``model.json`` and ``weights.safetensors``.

        Raises
        ------
        ModelError
            If a file is missing or wrong: names file and field.
        """
        file = folder / CARD
        try:
            text = file.read_text(encoding="utf-8")
            try:
                card = convert_record(_ConventionsObject, parse_json_object(text))
            except InputError as error:
                raise error.at(file=str(file)) from None
            path, content, as_saved = read_bound(folder, json.loads(text), _WEIGHTS)
            weights = load(content)["weights"]
        except (OSError, InputError, SafetensorError, KeyError) as error:
            raise ModelError(f"{folder}: not the conventions of edits: {error}") from None
        names = card.features
        if weights.shape != (len(names),) or not np.isfinite(weights).all():
            raise ModelError(f"{folder}: expected {len(names)} finite weights, one per feature")
        if not as_saved:
            raise not_as_saved(folder, path)
        return cls(dict(zip(names, weights.tolist(), strict=True)), card.least)

    def save(self, folder: Path, description: Mapping[str, Any]) -> None:
        """Write them into a folder, with what is known of their training."""
        names = sorted(self.weights)
        values = {"description": dict(description), "least": self.least, "features": names}
        weights = np.array([self.weights[name] for name in names], dtype=np.float32)
        write_model_files(folder, values, {_WEIGHTS: save({"weights": weights})})

    def scores(self, features: Sequence[Mapping[str, float]]) -> np.ndarray:
        """The score of each arc of a lattice, by its features: float64, shape (arcs,)."""
        get = self.weights.get
        sums = [sum(get(name, 0.0) * value for name, value in of_arc.items()) for of_arc in features]
        return np.array(sums, dtype=np.float64)

    def choose(
        self, lattice: EditLattice, features: Sequence[Mapping[str, float]]
    ) -> list[tuple[Arc, float]]:
        """The edits with the greatest expected agreement, each with its probability, in order.

        Parameters
        ----------
        lattice : EditLattice
            The possible edits.
        features : sequence of mapping
            Features of each arc, see :func:`possible_edits`.
        """
        if not lattice.arcs:
            return []
        _, probabilities = path_probabilities(lattice, self.scores(features))
        values = probabilities - self.least
        for number, arc in enumerate(lattice.arcs):
            if probabilities[number] < _UNLIKELY and any(piece.kind == REPLACED for piece in arc.pieces):
                values[number] -= len(arc.pieces) - 1
        path = best_path(lattice, values)
        return [(lattice.arcs[number], float(probabilities[number])) for number in path]


@cache
def bundled_conventions() -> EditConventions:
    """The conventions that come with the package, learned from arXivEdits (Jiang et al. 2022)."""
    return EditConventions.load(Path(str(files("forest_align"))) / "edits/models/arxivedits")


class _ConventionsObject(JsonObject, frozen=True):
    """What the card of a model says."""

    features: list[str]
    least: Probability


class _PossibleEdits(NamedTuple):
    """The units of an alignment, the lattice of its possible edits, and the features of each arc."""

    units: EditUnits
    lattice: EditLattice
    features: Sequence[Mapping[str, float]]


def possible_edits(alignment: Alignment) -> _PossibleEdits:
    """All ways to divide the changes of an alignment, with what tells the likely ones."""
    units = edit_units(alignment)
    lattice, features = edit_lattice(units), EditFeatures(alignment, units)
    return _PossibleEdits(units, lattice, [features.of(arc) for arc in lattice.arcs])
