"""``forest-align train``: calls the module that trains the named aligner."""

from __future__ import annotations

import argparse
import importlib

from forest_align.cli.arguments import command_of, declare

# Aligner -> module in this folder that trains it, and its description in one line.
TRAINERS = {
    "forest": ("train_forest", "learn the weights of the forest aligner from sentence pairs without links"),
    "semi-markov": (
        "train_gold",
        "learn the weights of the semi-Markov aligner from sentence pairs with gold links",
    ),
    "joint": ("train_gold", "learn the weights of the joint aligner from sentence pairs with gold links"),
}

EPILOG = """\
'forest-align train ALIGNER --help' explains what can be set.

example:
  forest-align train forest pairs.tsv -o my_model
"""


def add_subcommands(parser: argparse.ArgumentParser) -> None:
    """Add a parser for each aligner, with the options of its module."""
    trainers = parser.add_subparsers(dest="aligner", metavar="ALIGNER", required=True, title="aligners")
    for name, (module_name, summary) in TRAINERS.items():
        module = importlib.import_module(f"forest_align.cli.commands.{module_name}")
        trainer = trainers.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parts = command_of(module, name)
        trainer.epilog = parts.epilog
        declare(trainer, parts.options)
        # No default here: it would override a --debug before the aligner's name.
        trainer.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error"
        )
        trainer.set_defaults(parts=parts, full_command=f"train {name}")
