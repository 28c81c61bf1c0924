"""Choose a trained parser's temperature on dev sentences and write the finished model folder.

Example::

    python scripts/calibrate_parser.py --model WORK/export --wsj TREEBANKS/wsj_sample --gum TREEBANKS/gum \
        --craft TREEBANKS/craft --output forest_align/parsing/models/en

The temperature is the one under which the gold trees of the three dev parts are most likely.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import numpy as np
import torch
from evaluate_parser import span_probabilities
from parser_examples import treebank_mix

from forest_align.parsing.model_files import parser_config, read_config, read_weights, write_model
from forest_align.parsing.span_parser import EncoderScorer
from forest_align.parsing.span_scores import SpanScores

TEMPERATURES = np.arange(0.8, 2.01, 0.05)


def main() -> None:
    """Measure each temperature on the dev parts, report, and write the model with the best one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="folder that the training exported")
    parser.add_argument("--wsj", type=Path, required=True)
    parser.add_argument("--gum", type=Path, required=True)
    parser.add_argument("--craft", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder of the finished model")
    parser.add_argument("--seed", type=int, default=1, help="as in the training: draws the dev parts")
    options = parser.parse_args()
    mix = treebank_mix(
        options.wsj,
        options.gum,
        options.craft,
        wsj_copies=0,
        gum_copies=0,
        craft_sentences=0,
        longest=60,
        seed=options.seed,
    )
    sentences = [sentence for part in mix.dev.values() for sentence in part]
    config = parser_config(options.model, read_config(options.model))
    scored = EncoderScorer.read(options.model, torch.float32).score([s.words for s in sentences])
    pairs = [
        (found, gold) for found, gold in zip(scored, sentences, strict=True) if isinstance(found, SpanScores)
    ]
    likelihoods = []
    for temperature in TEMPERATURES:
        values = [span_probabilities(found, gold, float(temperature))[2] for found, gold in pairs]
        likelihoods.append(float(np.mean(values)))
        print(f"temperature {temperature:.2f}: log-likelihood {likelihoods[-1]:.4f} a sentence")
    # The scores were divided by the temperature that the folder already has.
    best = round(float(TEMPERATURES[int(np.argmax(likelihoods))]) * config.temperature, 3)
    write_model(
        options.output,
        options.model,
        read_weights(options.model),
        dataclasses.replace(config, temperature=best),
    )
    print(f"wrote {options.output} with temperature {best}")


if __name__ == "__main__":
    main()
