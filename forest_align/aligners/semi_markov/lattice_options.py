"""What a model of the semi-Markov aligner aligns in one step, and which features it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_align.aligners.semi_markov._base_phrases import CHUNK_TYPES
from forest_align.aligners.semi_markov._more_features import (
    MORE_PHRASE_FEATURES,
    MORE_WORD_FEATURES,
    RESOURCES,
)
from forest_align.aligners.semi_markov._null_features import (
    NULL_CLASSES,
    NULL_FEATURES,
    NULL_PHRASE_FEATURES,
)
from forest_align.aligners.semi_markov._phrase_features import CHUNK_PAIRS, PHRASE_CLASSES, PHRASE_FEATURES
from forest_align.aligners.semi_markov._transition_classes import TRANSITIONS
from forest_align.aligners.semi_markov._word_features import WORD_CLASSES, WORD_FEATURES
from forest_align.aligners.semi_markov.sentence_arrays import LONGEST, TAGS
from forest_align.types import InputError
from forest_align.types.json_fields import is_whole_number

# A phrase of more words would only cost time and memory.
_MOST = 20


@dataclass(frozen=True, slots=True)
class LatticeOptions:
    """The steps of a path, and the features beyond those that every model has.

    Attributes
    ----------
    longest : (int, int)
        Maximum words in a phrase of the sentence that the path reads and of the other (L_s and L_t in the
        paper). With 1 and 1 this is the token-based model (§3.1).
    longest_null : int
        Maximum words of the sentence that is read that one step aligns to nothing.
    resources : tuple of str
        Names of :data:`~forest_align.aligners.semi_markov._more_features.RESOURCES` whose features are added.

    Raises
    ------
    InputError
        If a length is not a whole number from 1 to 20, or there is no such resource.
    """

    longest: tuple[int, int] = LONGEST
    longest_null: int = 1
    resources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field, values in (("longest", self.longest), ("longest_null", (self.longest_null,))):
            for value in values:
                if not is_whole_number(value) or not 1 <= value <= _MOST:
                    message = f"expected a whole number from 1 to {_MOST}, found {value!r}"
                    raise InputError(message, field=field)
        for name in self.resources:
            if name not in RESOURCES:
                message = f"expected names from {', '.join(RESOURCES)}, found {name!r}"
                raise InputError(message, field="resources")
        # The order of the features is that of the table, whatever the order of the names.
        ordered = tuple(name for name in RESOURCES if name in self.resources)
        object.__setattr__(self, "resources", ordered)

    @property
    def feature_lists(self) -> dict[str, tuple[str, ...]]:
        """Meaning of the weights; a model with other lists cannot be used."""
        lists = {
            "word_features": WORD_FEATURES + _names(self.resources, MORE_WORD_FEATURES),
            "word_classes": WORD_CLASSES,
            "phrase_features": PHRASE_FEATURES + _names(self.resources, MORE_PHRASE_FEATURES),
            "phrase_classes": PHRASE_CLASSES,
            "null_features": NULL_FEATURES,
            "null_classes": NULL_CLASSES,
            "transitions": TRANSITIONS,
            "tags": TAGS,
            "chunk_types": CHUNK_TYPES,
        }
        if self.longest_null > 1:
            lists["null_phrase_features"] = NULL_PHRASE_FEATURES
        return lists

    @property
    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the weights."""
        lists = self.feature_lists
        shapes: dict[str, tuple[int, ...]] = {
            "words": (len(WORD_CLASSES), len(lists["word_features"])),
            "phrases": (len(PHRASE_CLASSES), len(lists["phrase_features"])),
            "null": (len(NULL_CLASSES), len(NULL_FEATURES)),
            "tag_pairs": (len(TAGS) ** 2,),
            "chunk_pairs": (CHUNK_PAIRS,),
            "null_tags": (len(TAGS),),
            "transitions": (len(TRANSITIONS),),
        }
        if self.longest_null > 1:
            shapes["null_phrases"] = (len(NULL_PHRASE_FEATURES),)
        return shapes


#: What models have unless they say otherwise.
DEFAULT_OPTIONS = LatticeOptions()


def _names(resources: Sequence[str], features: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(name for resource in resources for name in features.get(resource, ()))
