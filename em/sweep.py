"""What the sweep varies and how a set of values is scored on dev pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np

from forest_align.aligners.forest_model import ForestModel
from forest_align.em.array_file import fingerprint_of
from forest_align.em.dev_set import OBJECTIVES, DevSet, objective_value
from forest_align.em.tuning import Range, Values
from forest_align.types import InputError

FOREST_SIZE = "forest_size"

# µ_p is searched in its log-linear form, ``tree_weight``: the linear one moves nothing but the beam.
SPACE: dict[str, Range] = {
    "null_penalty": Range(1.0, 1.8),
    "noncompositional_penalty": Range(0.0, 6.0),
    "tree_weight": Range(0.0, 8.0),
    "beam": Range(20, 200, integer=True, logarithmic=True),
    "generation_gap": Range(2, 6, integer=True),
    "candidate_weight": Range(0.5, 30.0, logarithmic=True),
    "link_weight": Range(0.0, 6.0),
}


def search_space(forest_sizes: Sequence[int], keep: Sequence[str] = ()) -> dict[str, Range]:
    """What to vary: the options of the search, and the size of forests if there is a choice.

    Parameters
    ----------
    forest_sizes : sequence of int
        Sizes to choose from.
    keep : sequence of str
        Options that stay as the model has them.

    Raises
    ------
    InputError
        If there is no option of that name, or none is left to vary.
    """
    for name in keep:
        if name not in SPACE:
            raise InputError(f"expected one of {', '.join(SPACE)}, found {name!r}", field="keep")
    space = {name: range_ for name, range_ in SPACE.items() if name not in keep}
    if len(forest_sizes) > 1:
        space[FOREST_SIZE] = Range(choices=tuple(sorted(set(forest_sizes))))
    if not space:
        raise InputError("expected something to vary, found that all options are kept", field="keep")
    return space


def with_values(model: ForestModel, values: Values) -> ForestModel:
    """The model with tuned options; the forest size is the parser's, so it goes into the description."""
    chosen: dict[str, Any] = {name: value for name, value in values.items() if name in SPACE}
    description = {**model.description, "tuned": dict(values)}
    return replace(model, options=replace(model.options, **chosen), description=description)


def start_values(
    model: ForestModel, forest_sizes: Sequence[int], keep: Sequence[str] = ()
) -> dict[str, float]:
    """The model's own values, as far as the space allows them; parameters as for :func:`search_space`."""
    values: dict[str, float] = {}
    for name, range_ in search_space(forest_sizes, keep).items():
        if name == FOREST_SIZE:
            values[name] = forest_sizes[0]
        else:
            values[name] = min(max(getattr(model.options, name), range_.low), range_.high)
    return values


@dataclass(slots=True)
class SweepProblem:
    """A :class:`forest_align.em.tuning.TuningProblem`: dev pairs under the options of a trial.

    Attributes
    ----------
    model : ForestModel
        Gives the weights.
    objective : str
        A name of :data:`forest_align.em.dev_set.OBJECTIVES`.
    forest_sizes : sequence of int
        Sizes to choose from; the first is used where the size is not varied.
    load : callable
        Gives the dev pairs with forests of a size; called once for each.
    pair_count : int
        Number of dev pairs.
    identity : object
        What the pairs were prepared with: the text of a value that differs where that does.
    keep : sequence of str
        Options that stay as the model has them.

    Raises
    ------
    InputError
        If there is no such objective.
    """

    model: ForestModel
    objective: str
    forest_sizes: Sequence[int]
    load: Callable[[int], DevSet]
    pair_count: int = 0
    identity: object = None
    keep: Sequence[str] = ()
    _sets: dict[int, DevSet] = field(default_factory=dict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            message = f"expected one of {', '.join(OBJECTIVES)}, found {self.objective!r}"
            raise InputError(message, field="objective")
        self.pair_count = len(self._dev_set(self.forest_sizes[0]))

    def _dev_set(self, size: int) -> DevSet:
        with self._lock:
            if size not in self._sets:
                loaded = self.load(size)
                # A part of the pairs without any gold tree would have no score.
                self._sets[size] = loaded.with_trees() if self.objective == "uas" else loaded
            return self._sets[size]

    @property
    def fingerprint(self) -> str:
        """See :class:`forest_align.em.tuning.TuningProblem`; options that are varied do not count."""
        varied = search_space(self.forest_sizes, self.keep)
        kept = {name: value for name, value in asdict(self.model.options).items() if name not in varied}
        pairs = self._dev_set(self.forest_sizes[0]).pairs
        gold = [(dev.pair.source.words, dev.pair.target.words, dev.links.pairs) for dev in pairs]
        weights = self.model.weights, sorted(self.model.lexical.items())
        sizes = sorted(set(self.forest_sizes))
        return fingerprint_of(*weights, kept, varied, self.objective, sizes, gold, self.identity)

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        """See :class:`forest_align.em.tuning.TuningProblem`."""
        return self._dev_set(self._size(values)).statistics(with_values(self.model, values), pairs)

    def tuned(self, values: Values) -> ForestModel:
        """The model with the values of a trial; its description has the size of forests, varied or not."""
        return with_values(self.model, {**values, FOREST_SIZE: self._size(values)})

    def _size(self, values: Values) -> int:
        return int(values.get(FOREST_SIZE, self.forest_sizes[0]))

    def score(self, rows: np.ndarray) -> float:
        """See :class:`forest_align.em.tuning.TuningProblem`."""
        return objective_value(rows, self.objective)
