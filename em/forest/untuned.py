"""Write a forest model with the weights of another one and the fixed start options of the sweeps.

Usage: python -m forest_align.em.forest.untuned MODEL -o UNTUNED

The bundled models have tuned options and a calibration. A sweep that started from these would run
differently each time the models are rebuilt. The options written here are round numbers from before any
sweep.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions

UNTUNED = ForestOptions(
    null_penalty=1.4,
    noncompositional_penalty=2.0,
    generation_gap=5,
    candidate_weight=3.0,
    link_weight=1.0,
    tree_weight=1.0,
)


def untuned(model: ForestModel) -> ForestModel:
    """A model with only the weights of this one and the description of their origin."""
    about = {name: value for name, value in model.description.items() if name == "weights"}
    return ForestModel(model.weights, model.lexical, UNTUNED, about)


def main(argv: Sequence[str] | None = None) -> None:
    """Read a model and write the untuned one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", metavar="MODEL", help="name or folder of the model that has the weights")
    parser.add_argument("-o", "--output", metavar="UNTUNED", type=Path, required=True, help="folder to write")
    arguments = parser.parse_args(argv)
    untuned(ForestAligner.load(arguments.model).model).save(arguments.output)


if __name__ == "__main__":
    main()
