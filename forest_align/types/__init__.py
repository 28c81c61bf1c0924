"""The data types that everything else shares; they import nothing else of this package."""

from forest_align.types.alignment import Alignment
from forest_align.types.errors import ForestAlignError, InputError, InputWarning, ModelError
from forest_align.types.forest import Derivation, Node, ParseForest
from forest_align.types.links import Links
from forest_align.types.phrase_pair import PhrasePair
from forest_align.types.token import Sentence, Token

__all__ = [
    "Alignment",
    "Derivation",
    "ForestAlignError",
    "InputError",
    "InputWarning",
    "Links",
    "ModelError",
    "Node",
    "ParseForest",
    "PhrasePair",
    "Sentence",
    "Token",
]
