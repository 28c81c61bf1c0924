r"""Choose a trained parser's temperature on GUM's dev part and write the finished model folder.

Example::

    python -m forest_align.em.recipes parser-calibration --model WORK/export --gum TREEBANKS/gum \
        --output forest_align/parsing/models/en

It chooses the temperature with the smallest calibration error of labelled spans, in the genres of GUM that
allow commercial use.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import numpy as np

from forest_align.data.trees.treebanks import NON_COMMERCIAL, read_gum
from forest_align.eval.parser_quality import calibration
from forest_align.parsing.networks.devices import EXACT
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.networks.model_files import parser_config, read_config, read_weights, write_model
from forest_align.types import InputError

TEMPERATURES = np.arange(1.0, 2.21, 0.1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("--model", type=Path, required=True, help="folder that the training exported")
    parser.add_argument("--gum", type=Path, required=True, help="folder of GUM")
    parser.add_argument("--output", type=Path, required=True, help="folder of the finished model")


def run(options: argparse.Namespace) -> None:
    """Measure each temperature, print the errors, and write the model with the best one."""
    sentences = read_gum(options.gum, NON_COMMERCIAL, ("dev",)).dev
    config = parser_config(options.model, read_config(options.model))
    if config.temperature != 1:
        raise InputError(f"{options.model} has a temperature already")
    scored = EncoderScorer.read(options.model, EXACT).score([s.words for s in sentences])
    errors = []
    for temperature in TEMPERATURES:
        error, likelihood = calibration(scored, sentences, float(temperature))
        errors.append(error)
        print(f"temperature {temperature:.1f}: error {error:.4f}, log-likelihood {likelihood:.4f} a sentence")
    best = round(float(TEMPERATURES[int(np.argmin(errors))]), 2)
    config = dataclasses.replace(config, temperature=best)
    write_model(options.output, options.model, read_weights(options.model), config)
    print(f"wrote {options.output} with temperature {best}")
