"""Converts raw text, or trees that the user supplies, to packed parse forests."""

from forest_align.data.trees.parses import read_parses
from forest_align.parsing.forests.decoding import NBest
from forest_align.parsing.forests.trees import (
    forest_from_bracket,
    forest_from_enju,
    forest_from_trees,
    sentence_from_bracket,
    sentence_from_enju,
    sentence_from_n_best,
    sentence_from_trees,
    with_best_tree,
)
from forest_align.parsing.parser import Parser
from forest_align.parsing.parser_loading import load_parser, load_parser_for_alignment

__all__ = [
    "NBest",
    "Parser",
    "forest_from_bracket",
    "forest_from_enju",
    "forest_from_trees",
    "load_parser",
    "load_parser_for_alignment",
    "read_parses",
    "sentence_from_bracket",
    "sentence_from_enju",
    "sentence_from_n_best",
    "sentence_from_trees",
    "with_best_tree",
]
