"""Train the phrase-pair model of the forest aligner.

It learns from phrases that people marked (ETPC, the dev half) and from phrases that word links made by hand
imply (MTRef, Edinburgh++ and Wiki, train parts, and MSR-RTE, dev part). Word links of the training texts come
from the bundled contextual aligner, which has seen those of the word-aligned corpora.

``--folds`` also trains five models that have not seen a fifth of the pairs of ETPC and MSR-RTE each,
``OUT/fold-0`` to ``fold-4``, so that these pairs can be measured.

Examples
--------
python -m forest_align.em.recipes phrases ../shared/data OUT --cache CACHE --folds
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from forest_align.aligners.phrases.model import PhraseModel
from forest_align.em.fitting.optimization import RectifierSettings, fit_rectifier, with_convention
from forest_align.em.phrases.examples import LINKED, PhraseExamples, examples_of, joined, read_labelled
from forest_align.system.terminal import counted

#: How many folds, and the corpora that have them: those without a dev part that is not trained on.
FOLDS = 5
_FOLDED = ("etpc", "msr_rte")
# The convention that the bundled model stands for: between marked phrases and word links.
_CONVENTION = 0.5
_SETTINGS = RectifierSettings(hidden=(96, 32), epochs=10, batch=512, dropout=0.2)


def train_network(examples: PhraseExamples, convention: float, seed: int = 0) -> PhraseModel:
    """Minimize the weighted cross-entropy.

    People mark phrases more freely than word links imply. The network learns both conventions, told apart by
    an input of its own, and the model keeps one value of it, see :attr:`PhraseExamples.convention`.
    """
    wanted, weight = torch.from_numpy(examples.wanted), torch.from_numpy(examples.weight)

    def loss(scores: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        losses = binary_cross_entropy_with_logits(scores.squeeze(1), wanted[batch], reduction="none")
        return (losses * weight[batch]).mean()

    network = fit_rectifier(examples.features, 1, loss, _SETTINGS, seed, marks=examples.convention)
    return PhraseModel(with_convention(network, convention))


def run(options: argparse.Namespace) -> None:
    """Follow the recipe."""
    torch.set_num_threads(1)  # fixed order of sums: the same weights every time
    random = np.random.default_rng(options.seed)
    parts: list[tuple[int, PhraseExamples]] = []
    for corpus in ("etpc", *LINKED):
        labelled = read_labelled(options.data, corpus, options.parser, options.cache)
        for number, pair in enumerate(counted(labelled, f"pairs of {corpus}")):
            parts.append((number % FOLDS if corpus in _FOLDED else -1, examples_of(pair, random)))
        print("read", corpus, flush=True)
    for fold in (None, *(range(FOLDS) if options.folds else ())):
        kept = [examples for number, examples in parts if number != fold]
        examples = joined(kept)
        card = {
            "trained on": [
                "etpc (dev)",
                *(f"{corpus} ({Path(file).stem})" for corpus, file in LINKED.items()),
            ],
            "pairs": len(kept),
            "phrase pairs": len(examples.wanted),
            "convention": options.convention,
            "held-out fold": fold,
            "parser": options.parser,
            "seed": options.seed,
        }
        model = replace(train_network(examples, options.convention, options.seed), card=card)
        model.save(options.output if fold is None else options.output / f"fold-{fold}")
        print("trained", "all" if fold is None else f"without fold {fold}", flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder with phrases and alignment")
    parser.add_argument("output", type=Path, help="folder for the model")
    parser.add_argument("--parser", default="en", help="gives forests and word vectors")
    parser.add_argument("--cache", type=Path, required=True, help="folder for parses")
    parser.add_argument(
        "--convention", type=float, default=_CONVENTION, help="0 marked phrases, 1 word links"
    )
    parser.add_argument("--folds", action="store_true", help="also models without a fold of the pairs")
    parser.add_argument("--seed", type=int, default=0)
