"""Write a forest model with the weights of another one and the fixed start options of the sweeps.

Usage: python -m forest_align.em.recipes untuned MODEL -o UNTUNED [--published]

The bundled models have tuned options and a calibration. A sweep that started from these would run
differently each time the models are rebuilt. The options written here are round numbers from before any
sweep. ``--published`` writes those of the paper's search, for a model with a dictionary of its own.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.words.lexical import Dictionary

UNTUNED = ForestOptions(
    null_penalty=1.4,
    noncompositional_penalty=2.0,
    generation_gap=5,
    candidate_weight=3.0,
    link_weight=1.0,
    tree_weight=1.0,
)
#: The search of Arase & Tsujii (2017): no extension, and no link outside of the derivation.
PUBLISHED = ForestOptions(
    null_penalty=2.0,
    noncompositional_penalty=2.0,
    parser_weight=0.1,
    generation_gap=5,
    candidate_weight=0.0,
    strict=True,
)


def untuned(model: ForestModel, *, published: bool = False) -> ForestModel:
    """A model with only the weights of this one and the description of their origin."""
    about = {name: value for name, value in model.description.items() if name == "weights"}
    options, dictionary = (PUBLISHED, Dictionary()) if published else (UNTUNED, None)
    return ForestModel(model.weights, model.lexical, options, about, dictionary=dictionary)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("model", metavar="MODEL", help="name or folder of the model that has the weights")
    parser.add_argument("-o", "--output", metavar="UNTUNED", type=Path, required=True, help="folder to write")
    parser.add_argument("--published", action="store_true", help="the search and the dictionary of the paper")


def run(options: argparse.Namespace) -> None:
    """Read a model and write the untuned one."""
    model = ForestAligner.load(options.model).model
    untuned(model, published=options.published).save(options.output)
