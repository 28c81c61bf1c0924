"""The data types that everything else shares; they import nothing else of this package."""

from forest_align.types._forest import Derivation, Node, ParseForest
from forest_align.types.errors import ForestAlignError, InputError, InputWarning, ModelError
from forest_align.types.sentence import Sentence, Token

__all__ = [
    "Derivation",
    "ForestAlignError",
    "InputError",
    "InputWarning",
    "ModelError",
    "Node",
    "ParseForest",
    "Sentence",
    "Token",
]
