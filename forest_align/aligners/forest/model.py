"""The forest aligner's model: weights of features and options, in a folder of JSON and safetensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from forest_align.aligners.forest.features import CATEGORIES, GENERAL_FEATURES, NULL, RELATIONS, PairFeatures
from forest_align.aligners.forest.judge import JudgeModel
from forest_align.aligners.forest.options import ForestOptions, PhraseCalibration
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence
from forest_align.aligners.model_folder import ModelFormat, damaged
from forest_align.aligners.phrases.model import NetworkModel, PhraseModel
from forest_align.aligners.phrases.relation_model import RelationModel
from forest_align.aligners.words.choose import DEFAULT_WORDS
from forest_align.aligners.words.lexical import Dictionary
from forest_align.cext.alignment_arrays import SearchOptions
from forest_align.types import InputError, ModelError
from forest_align.types.json_fields import check_integer, describe

Options = TypeVar("Options", "ForestOptions", PhraseCalibration)

#: Field for the number of trees in a forest, in the description of a tuned model.
FOREST_SIZE = "forest_size"
_DEFAULT_FOREST_SIZE = 10
# Forests of more trees take all memory for one long sentence.
_MOST_TREES = 10_000
# Models that are parts of this one, in folders of these names.
_PARTS: dict[str, type[NetworkModel]] = {
    "phrases": PhraseModel,
    "relations": RelationModel,
    "judge": JudgeModel,
}
# Words of real text may contain halves of surrogate pairs.
_TEXT = ("utf-8", "surrogatepass")
FORMAT = ModelFormat(
    "forest",
    1,
    "weights.safetensors",
    {"general": (len(GENERAL_FEATURES),), "lexical": ("weights",), "lexical_keys": ("bytes",)},
    {"features": GENERAL_FEATURES},
)
_WITH_DICTIONARY = replace(FORMAT, shapes={**FORMAT.shapes, "derivations": ("bytes of derivations",)})


@dataclass(frozen=True, slots=True, eq=False)
class ForestModel:
    """Weights of the features, options of the search, and the calibration of its probabilities.

    Attributes
    ----------
    weights : numpy.ndarray
        float64, shape (len(GENERAL_FEATURES),).
    lexical : dict of str to float
        Weights of lexicalised features. A key joins the :meth:`.PhraseClasses.attributes` of a source class
        and of a target class with a tab.
    options : ForestOptions
    description : dict
        How the model was made; JSON values. ``tuned``, if present, is an object with the choices of the
        sweep.
    calibration : PhraseCalibration
        Formula for the probabilities of phrase pairs.
    phrases : PhraseModel, optional
        Judges pairs of phrases by evidence of their own; its folder ``phrases`` is in that of the model.
    phrase_options : ForestOptions, optional
        Options where the phrase-pair model judges; by default ``options``. It cannot judge sentences without
        word vectors.
    relations : RelationModel, optional
        Tells how phrases are related; its folder is ``relations``. Without ``phrases`` it is not asked.
    judge : JudgeModel, optional
        Judges the pairs of a derivation and its rules; its folder is ``judge``. Without ``phrases`` it is not
        asked.
    dictionary : Dictionary, optional
        If there is one, word candidates and relations between words come from it, as Arase & Tsujii (2017)
        have them. Otherwise word candidates come from the contextual aligner.

    Raises
    ------
    InputError
        If ``tuned`` in the description is not an object, or its forest size is not a positive integer.
    """

    weights: np.ndarray
    lexical: dict[str, float] = field(default_factory=dict)
    options: ForestOptions = field(default_factory=ForestOptions)
    description: dict[str, Any] = field(default_factory=dict)
    calibration: PhraseCalibration = field(default_factory=PhraseCalibration)
    dictionary: Dictionary | None = None
    phrases: PhraseModel | None = None
    phrase_options: ForestOptions | None = None
    relations: RelationModel | None = None
    judge: JudgeModel | None = None
    _by_source: dict[str, dict[str, float]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        _forest_size(self.description)
        for key, weight in self.lexical.items():
            source, _, target = key.partition("\t")
            self._by_source.setdefault(source, {})[target] = weight

    @property
    def forest_size(self) -> int:
        """Number of trees in the forests that the model was tuned with; 10 if the description has none."""
        return _forest_size(self.description)

    @property
    def words(self) -> str:
        """Name of the model's word candidates, see :mod:`forest_align.aligners.words.choose`."""
        return DEFAULT_WORDS if self.dictionary is None else "dictionary"

    def options_for(self, phrases: PhraseEvidence | None) -> ForestOptions:
        """The options for a sentence pair with this evidence of the phrase-pair model, or without any."""
        if phrases is None or self.phrase_options is None:
            return self.options
        return self.phrase_options

    def with_options(self, **changes: Any) -> ForestModel:
        """The model with other values of some options, with evidence of the phrase-pair model and without."""
        own = self.phrase_options and replace(self.phrase_options, **changes)
        return replace(self, options=replace(self.options, **changes), phrase_options=own)

    def search_options(self, phrases: PhraseEvidence | None = None) -> SearchOptions:
        """The options of the kernel: those of the search and the temperature of posteriors."""
        options = self.options_for(phrases).search_options()
        return options._replace(temperature=self.calibration.temperature)

    def log_probabilities(self, features: PairFeatures) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Alignment probabilities of every pair of phrase classes (§5.2).

        Pr(source, target) is normalised over the target classes of the sentence, including null. A
        null-aligned target phrase has no source phrase, so it is normalised over the source classes.

        Returns
        -------
        log_pair : numpy.ndarray
            float64, shape (S, T).
        log_null_source, log_null_target : numpy.ndarray
            float64, shapes (S,) and (T,).
        """
        source = np.append(features.source.categories, NULL)
        target = np.append(features.target.categories, NULL)
        of_categories = self.weights[len(RELATIONS) :].reshape(len(CATEGORIES), len(CATEGORIES))
        scores = of_categories[source[:, None], target[None, :]]
        scores[:-1, :-1] += features.relations @ self.weights[: len(RELATIONS)]
        if self.lexical:
            self._add_lexical(features, scores)
        rows = _log_sum(scores[:-1], 1)
        columns = _log_sum(scores[:, :-1], 0)
        return scores[:-1, :-1] - rows[:, None], scores[:-1, -1] - rows, scores[-1, :-1] - columns

    def _add_lexical(self, features: PairFeatures, scores: np.ndarray) -> None:
        targets = {name: place for place, name in enumerate(features.target.attributes())}
        for place, name in enumerate(features.source.attributes()):
            known = self._by_source.get(name)
            if known:
                row = scores[place]
                for target in known.keys() & targets.keys():
                    row[targets[target]] += known[target]

    def save(self, folder: str | Path) -> None:
        """Write ``model.json`` and ``weights.safetensors``; create the folder if it is missing.

        Raises
        ------
        ValueError
            If a number of the options or the description is not finite, which JSON cannot express.
        """
        card: dict[str, Any] = {
            "options": asdict(self.options),
            "calibration": asdict(self.calibration),
            "description": self.description,
        }
        if self.phrase_options is not None:
            card["phrase_options"] = asdict(self.phrase_options)
        keys = sorted(self.lexical)
        tensors: dict[str, np.ndarray] = {
            "general": np.asarray(self.weights, np.float64),
            "lexical": np.array([self.lexical[key] for key in keys], np.float64),
            "lexical_keys": np.frombuffer("\n".join(keys).encode(*_TEXT), np.uint8).copy(),
        }
        if self.dictionary is not None:
            card["dictionary"], tensors["derivations"] = self.dictionary.encoded()
        parts = {name: getattr(self, name) for name in _PARTS}
        FORMAT.save(folder, card, tensors, {name: part for name, part in parts.items() if part is not None})

    @classmethod
    def load(cls, folder: str | Path) -> ForestModel:
        """Read a model.

        Raises
        ------
        ModelError
            If files are missing or do not contain a forest model of this version.
        """
        saved = (_WITH_DICTIONARY if "dictionary" in FORMAT.card(folder) else FORMAT).load(folder)
        card, tensors = saved.card, saved.arrays
        parts: dict[str, Any] = {
            name: kind.load(part) for name, kind in _PARTS.items() if (part := saved.part(name)) is not None
        }
        try:
            lexical = _lexical(tensors)
        except ValueError as error:
            raise ModelError(f"cannot read the weights in {str(saved.path)!r}: {error}") from None
        try:
            # Models without a calibration report plain posteriors.
            settings: dict[str, Any] = {
                "options": _options_of(ForestOptions, card.get("options"), "options"),
                "calibration": _options_of(PhraseCalibration, card.get("calibration", {}), "calibration"),
            }
            if "dictionary" in card:
                settings["dictionary"] = Dictionary.decoded(card["dictionary"], tensors["derivations"])
            if "phrase_options" in card:
                settings["phrase_options"] = _options_of(
                    ForestOptions, card["phrase_options"], "phrase_options"
                )
            weights, notes = tensors["general"].astype(np.float64), saved.notes("description")
            return cls(weights, lexical, description=notes, **settings, **parts)
        except InputError as error:
            raise damaged(folder, error) from None


def _options_of(kind: type[Options], values: Any, name: str) -> Options:
    """Build options or a calibration from the field of a description with this name."""
    known = {option.name for option in fields(kind)}
    if not isinstance(values, dict):
        raise InputError(f"expected an object, found {describe(values)}", field=name)
    if unknown := values.keys() - known:
        message = f"expected some of {', '.join(sorted(known))}, found {', '.join(sorted(unknown))}"
        raise InputError(message, field=name)
    return kind(**values)


def _forest_size(description: Mapping[str, Any]) -> int:
    tuned = description.get("tuned") or {}
    if not isinstance(tuned, dict):
        raise InputError(f"expected an object, found {describe(tuned)}", field="tuned")
    size = check_integer(tuned.get(FOREST_SIZE, _DEFAULT_FOREST_SIZE), FOREST_SIZE)
    if not 1 <= size <= _MOST_TREES:
        raise InputError(f"expected 1 to {_MOST_TREES}, found {size}", field=FOREST_SIZE)
    return size


def _lexical(tensors: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Lexicalised weights by name; a ValueError if names and weights are not equally many."""
    weights = tensors["lexical"].tolist()
    names = bytes(tensors["lexical_keys"]).decode(*_TEXT).split("\n") if weights else []
    if len(names) != len(weights):
        raise ValueError(f"expected {len(weights)} names of lexicalised features, found {len(names)}")
    return dict(zip(names, weights, strict=True))


def _log_sum(values: np.ndarray, axis: int) -> np.ndarray:
    top = values.max(axis=axis)
    result: np.ndarray = top + np.log(np.exp(values - np.expand_dims(top, axis)).sum(axis=axis))
    return result
