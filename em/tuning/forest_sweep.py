"""The search space of the forest aligner's sweep, and the score of a set of values on dev pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from forest_align.aligners.forest.model import FOREST_SIZE, ForestModel
from forest_align.em.forest.dev_set import OBJECTIVES, DevPair, DevSet, objective_value
from forest_align.em.tuning.trials import Range, Values
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import InputError

SPACE: dict[str, Range] = {
    "null_penalty": Range(1.0, 1.8),
    "noncompositional_penalty": Range(0.0, 6.0),
    "tree_weight": Range(0.0, 20.0),
    "beam": Range(20, 200, integer=True, logarithmic=True),
    "generation_gap": Range(2, 6, integer=True),
    "candidate_weight": Range(0.5, 120.0, logarithmic=True),
    "link_weight": Range(0.0, 6.0),
}
# A model with a dictionary is that of the paper. Without the extensions nulls must cost more, and pairs that
# meet far up must be reached without single supports.
_OF_PAPER: dict[str, Range] = {
    "null_penalty": Range(1.0, 3.0),
    "generation_gap": Range(2, 10, integer=True),
}
_FACTORS = ("tree_weight", "candidate_weight", "link_weight")
# Searched only on request: the paper's µ_p, whose log-linear form is ``tree_weight``, and how much the search
# hears of the phrase-pair model.
MORE: dict[str, Range] = {
    "parser_weight": Range(0.0, 1.0),
    "phrase_weight": Range(0.0, 14.0),
    "phrase_bias": Range(0.0, 5.0),
}


def search_space(
    model: ForestModel, forest_sizes: Sequence[int], keep: Sequence[str] = (), also: Sequence[str] = ()
) -> dict[str, Range]:
    """What to vary: the options of the search, and the size of forests if there are several."""
    of_paper = model.dictionary is not None
    absent = {name for name in _FACTORS if of_paper and not getattr(model.options, name)}
    for field, names, known in (("keep", keep, SPACE), ("also", also, MORE)):
        for name in names:
            if name not in known:
                raise InputError(f"expected one of {', '.join(known)}, found {name!r}", field=field)
    chosen = [name for name in SPACE if name not in {*keep, *absent}]
    chosen += [name for name in MORE if name in also]
    ranges = {**SPACE, **MORE, **(_OF_PAPER if of_paper else {})}
    space = {name: ranges[name] for name in chosen}
    for field in _option_fields(model):
        own = getattr(model, field)
        space = {name: range_.holding(getattr(own, name)) for name, range_ in space.items()}
    if len(forest_sizes) > 1:
        space[FOREST_SIZE] = Range(choices=tuple(sorted(set(forest_sizes))))
    if not space:
        raise InputError("expected something to vary, found that all options are kept", field="keep")
    return space


def _option_fields(model: ForestModel) -> tuple[str, ...]:
    """The fields of a model that hold options of its search."""
    return ("options", "phrase_options") if model.phrase_options is not None else ("options",)


def with_values(model: ForestModel, values: Values, fields: Sequence[str] = ()) -> ForestModel:
    """The model with tuned options in some fields, by default in all that have any.

    The description tells the values of ``options`` (``tuned``) from those beside the phrase-pair model
    (``phrases_tuned``). The forest size belongs to the parser and is put in ``tuned``.
    """
    fields = fields or _option_fields(model)
    options: dict[str, Any] = {name: value for name, value in values.items() if name != FOREST_SIZE}
    changes: dict[str, Any] = {field: replace(getattr(model, field), **options) for field in fields}
    description = dict(model.description)
    if "phrase_options" in fields:
        description["phrases_tuned"] = dict(values)
    if "options" in fields:
        description["tuned"] = dict(values)
    elif FOREST_SIZE in values:
        description["tuned"] = {**description.get("tuned", {}), FOREST_SIZE: values[FOREST_SIZE]}
    return replace(model, **changes, description=description)


def start_values(
    model: ForestModel, space: Mapping[str, Range], fields: Sequence[str] = ()
) -> dict[str, float]:
    """The model's own values; a forest size that is not among the choices is replaced by the nearest one."""
    used = getattr(model, (fields or _option_fields(model))[-1])
    values = {name: getattr(used, name) for name in space if name != FOREST_SIZE}
    if FOREST_SIZE in space:
        own, choices = model.forest_size, space[FOREST_SIZE].choices
        values[FOREST_SIZE] = min(choices, key=lambda size: (abs(size - own), size))
    return values


class SweepProblem:
    """A :class:`forest_align.em.tuning.trials.TuningProblem`: dev pairs under the options of a trial."""

    def __init__(
        self,
        model: ForestModel,
        objective: str,
        forest_sizes: Sequence[int],
        load: Callable[[int], DevSet],
        space: Mapping[str, Range],
        identity: object = None,
    ) -> None:
        if objective not in OBJECTIVES:
            message = f"expected one of {', '.join(OBJECTIVES)}, found {objective!r}"
            raise InputError(message, field="objective")
        self._model, self._objective = model, objective
        self._space, self._identity = dict(space), identity
        self._default_size = forest_sizes[0]
        # Load all sizes now: otherwise each worker would prepare them again.
        self._sets = {size: load(size) for size in dict.fromkeys(forest_sizes)}
        if objective == "uas":  # a chunk of pairs without any gold tree would have no score
            self._sets = {size: pairs.with_trees() for size, pairs in self._sets.items()}
        # The fields whose options align some of the pairs, see :meth:`ForestModel.options_for`.
        has_judge = model.phrase_options is not None
        judged = {has_judge and dev.pair.phrases is not None for dev in self._pairs}
        self._fields = tuple(
            field for field in _option_fields(model) if (field == "phrase_options") in judged
        )

    @property
    def _pairs(self) -> Sequence[DevPair]:
        return self._sets[self._default_size].pairs

    @property
    def pair_count(self) -> int:
        """Number of dev pairs."""
        return len(self._sets[self._default_size])

    @property
    def fingerprint(self) -> str:
        """See :class:`forest_align.em.tuning.trials.TuningProblem`; options that are varied do not count."""
        options = [asdict(getattr(self._model, field)) for field in _option_fields(self._model)]
        kept = [{name: own[name] for name in own if name not in self._space} for own in options]
        gold = [
            (pair.source.words, pair.target.words, dev.links.pairs, pair.given_forests, pair.gold_heads)
            + ((tuple(map(sorted, pair.annotations)),) if pair.annotations else ())
            + ((pair.units,) if pair.units else ())
            for dev in self._pairs
            for pair in [dev.pair]
        ]
        weights = self._model.weights, sorted(self._model.lexical.items())
        judge = self._model.judge if self._objective == "core-f1" else None
        read = () if judge is None else (judge.fingerprint,)
        known = kept, self._space, self._objective, sorted(self._sets), gold, self._identity
        return fingerprint_of(*weights, *read, *known)

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        """See :class:`forest_align.em.tuning.trials.TuningProblem`."""
        model = with_values(self._model, values, self._fields)
        return self._sets[self._size(values)].statistics(model, pairs)

    @property
    def start(self) -> dict[str, float]:
        """The values that the model has where it aligns the dev pairs: those of the first trial."""
        return start_values(self._model, self._space, self._fields)

    def tuned(self, values: Values) -> ForestModel:
        """The model with a trial's values in those options that the trial scored.

        Its description has the size of forests, even if not varied.
        """
        return with_values(self._model, {**values, FOREST_SIZE: self._size(values)}, self._fields)

    def _size(self, values: Values) -> int:
        return int(values.get(FOREST_SIZE, self._default_size))

    def score(self, rows: np.ndarray) -> float:
        """See :class:`forest_align.em.tuning.trials.TuningProblem`."""
        return objective_value(rows, self._objective)
