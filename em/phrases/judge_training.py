"""Train the judge of the forest aligner's derivations.

It learns from phrases that people marked: those of ETPC (the dev half), and of verses of all books but 1SA
and ROM. The first look at a pair of ETPC comes from a phrase-pair model that has not seen it (``--folds`` of
the recipe ``phrases``); the bundled one has seen no verse.

``--folds`` also trains five models that have not seen a fifth of the pairs of ETPC each, ``OUT/fold-0`` to
``fold-4``.

Examples
--------
python -m forest_align.em.recipes judge ../shared/data FOLDS OUT --cache CACHE --folds
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.judge import OUTPUTS, JudgeModel
from forest_align.aligners.forest.judge_features import DerivationPairs
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.span_pairs import nearness
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.corpus.parsed_pairs import LazyParser, parse_pairs, parser_fingerprint
from forest_align.em.fitting.small_networks import RectifierSettings, fit_rectifier, with_convention
from forest_align.em.phrases.examples import MARKED
from forest_align.em.phrases.training import FOLDS
from forest_align.eval.benchmarks.phrase_units import is_dev_verse
from forest_align.eval.metrics.unit_scores import marked_spans
from forest_align.system.terminal import counted
from forest_align.types import InputError, Sentence

# Files below the data folder, after that of ETPC.
_VERSES = "phrases/verses-train.jsonl.gz"
SETTINGS = RectifierSettings(hidden=(96, 32), epochs=12, batch=512, dropout=0.2)
# Weight of a pair of verses; one of ETPC has 1. Verses have more words, and there are more of them.
_WEIGHT_OF_VERSES = 0.1
# What the judge stands for, from phrases as people marked them in ETPC (0) to those of verses (1).
_CONVENTION = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class JudgeExamples:
    """Pairs of derivations to learn from."""

    features: np.ndarray  # float32, shape (K, F)
    wanted: np.ndarray  # float32, shape (K, 2): whether people marked the pair, and one near it


def examples_of(pairs: DerivationPairs, pair: SentencePair) -> JudgeExamples:
    """The pairs of a derivation whose sides differ, other than that of the whole sentences."""
    whole = [0, len(pair.source), 0, len(pair.target)]
    kept = pairs.differing & ~(pairs.spans == whole).all(axis=1)
    marked = marked_spans((pair.source.words, pair.target.words), pair.units or ())
    spans = np.array([[*ours, *theirs] for ours, theirs in marked], np.int64).reshape(-1, 4)
    near = nearness(pairs.spans[kept], spans).max(axis=1, initial=0.0)
    return JudgeExamples(pairs.features[kept], np.stack([near == 1, near >= 0.5], axis=1).astype(np.float32))


def train_judge(
    examples: Sequence[JudgeExamples], verses: Sequence[JudgeExamples] = (), seed: int = 0
) -> JudgeModel:
    """Minimize the weighted cross-entropy of both outputs.

    Those who aligned verses marked other phrases than those who annotated ETPC. The network learns both
    conventions, told apart by an input of its own, and the model keeps one value of it.
    """
    every = [*examples, *verses]
    wanted = torch.from_numpy(np.concatenate([one.wanted for one in every]))
    is_verse = np.repeat(
        [number >= len(examples) for number in range(len(every))], [len(one.wanted) for one in every]
    ).astype(np.float32)
    weights = torch.from_numpy(np.where(is_verse, np.float32(_WEIGHT_OF_VERSES), np.float32(1.0)))

    def loss(scores: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        losses = binary_cross_entropy_with_logits(scores, wanted[batch], reduction="none").mean(dim=1)
        return (losses * weights[batch]).sum() / weights[batch].sum()

    features = np.concatenate([one.features for one in every])
    network = fit_rectifier(features, len(OUTPUTS), loss, SETTINGS, seed, marks=is_verse)
    return JudgeModel(with_convention(network, _CONVENTION))


def _read_examples(
    pairs: Sequence[SentencePair], aligners: Sequence[ForestAligner], parser: str, cache: Path
) -> Iterator[JudgeExamples]:
    """Parse and align pairs, each with the aligner of its turn, and gather what they teach."""
    size = aligners[0].model.forest_size
    identity = [parser_fingerprint(parser), size]
    parsed = parse_pairs(pairs, LazyParser(parser, size), ArrayStore(cache), identity)
    for number, one in enumerate(parsed):
        if isinstance(one, InputError):
            raise one
        examples = aligned_examples(one.pair, one.source, one.target, aligners[number % len(aligners)])
        if examples is None:
            raise InputError(f"pair {one.pair.id!r}: expected sentences with word vectors")
        yield examples


def aligned_examples(
    pair: SentencePair, source: Sentence, target: Sentence, aligner: ForestAligner
) -> JudgeExamples | None:
    """What a pair teaches, given its sentences with forests; None if one has no words or no word vectors."""
    pairs = aligner.pairs_to_judge(source, target, aligner.candidates.candidates(source, target))
    return None if pairs is None else examples_of(pairs, pair)


def sampled_verses(path: Path, count: int | None, seed: int) -> list[SentencePair]:
    """Verses of all books but those for development, in an order of their own; all, if there is no count."""
    verses = []
    for pair in read_pairs(path):
        if isinstance(pair, InputError):
            raise pair
        if isinstance(pair, SentencePair) and not is_dev_verse(pair.id):
            verses.append(pair)
    random.Random(seed).shuffle(verses)
    return verses[:count]


def run(options: argparse.Namespace) -> None:
    """Follow the recipe."""
    torch.set_num_threads(1)  # fixed order of sums: the same weights every time
    aligner = ForestAligner(paraphrases=False)
    model = replace(aligner.model, relations=None, judge=None)

    def unjudged(phrases: PhraseModel | None) -> ForestAligner:
        return ForestAligner(
            replace(model, phrases=phrases), candidates=aligner.candidates, paraphrases=False
        )

    etpc = [pair for pair in read_pairs(options.data / MARKED) if isinstance(pair, SentencePair)]
    verses = sampled_verses(options.data / _VERSES, options.verses, options.seed)
    folds = [unjudged(PhraseModel.load(options.phrases / f"fold-{fold}")) for fold in range(FOLDS)]
    of_etpc, of_verses = (
        list(counted(_read_examples(pairs, aligners, options.parser, options.cache), name))
        for pairs, aligners, name in (
            (etpc, folds, "pairs of etpc"),
            (verses, [unjudged(model.phrases)], "verses"),
        )
    )
    for fold in (None, *(range(FOLDS) if options.folds else ())):
        kept = [one for number, one in enumerate(of_etpc) if number % FOLDS != fold]
        examples = [*kept, *of_verses]
        card = {
            "trained on": ["etpc (dev)", "verses (train, without 1SA and ROM)"],
            "pairs": len(examples),
            "phrase pairs": sum(len(one.wanted) for one in examples),
            "weight of verses": _WEIGHT_OF_VERSES,
            "convention": _CONVENTION,
            "held-out fold": fold,
            "parser": options.parser,
            "seed": options.seed,
        }
        judge = replace(train_judge(kept, of_verses, options.seed), card=card)
        judge.save(options.output if fold is None else options.output / f"fold-{fold}")
        if fold is None and options.model is not None:
            replace(ForestModel.load(options.model), judge=judge).save(options.model)
        print("trained", "all" if fold is None else f"without fold {fold}", flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder with phrases")
    parser.add_argument("phrases", type=Path, help="folder of phrase-pair models with folds")
    parser.add_argument("output", type=Path, help="folder for the model")
    parser.add_argument("--parser", default="en", help="gives forests and word vectors")
    parser.add_argument("--cache", type=Path, required=True, help="folder for parses")
    parser.add_argument("--verses", type=int, help="how many verses (default: all)")
    parser.add_argument("--folds", action="store_true", help="also models without a fold of ETPC")
    parser.add_argument("--model", type=Path, help="folder of a forest model that the judge is put in")
    parser.add_argument("--seed", type=int, default=0)
