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
from collections.abc import Callable, Iterator, Sequence
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
from forest_align.em.corpus.parsed_pairs import LazyParser, ParsedPair, parse_pairs, parser_fingerprint
from forest_align.em.fitting import cross_fitting
from forest_align.em.fitting.cross_fitting import Keys, folds_of, sentence_key
from forest_align.em.fitting.optimization import (
    RectifierSettings,
    adapt_rectifier,
    fit_rectifier,
    with_convention,
)
from forest_align.em.phrases.examples import MARKED, joined
from forest_align.em.phrases.training import FOLDS
from forest_align.eval.benchmarks.marked_phrases import is_dev_verse
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


def _joined(examples: Sequence[JudgeExamples]) -> tuple[np.ndarray, torch.Tensor]:
    """The features of several sentence pairs, and what is wanted of them."""
    every = joined(examples)
    return every.features, torch.from_numpy(every.wanted)


def train_judge(
    examples: Sequence[JudgeExamples], verses: Sequence[JudgeExamples] = (), seed: int = 0
) -> JudgeModel:
    """Minimize the weighted cross-entropy of both outputs.

    Those who aligned verses marked other phrases than those who annotated ETPC. The network learns both
    conventions, told apart by an input of its own, and the model keeps one value of it.
    """
    every = [*examples, *verses]
    features, wanted = _joined(every)
    is_verse = np.repeat(
        [number >= len(examples) for number in range(len(every))], [len(example.wanted) for example in every]
    ).astype(np.float32)
    weights = torch.from_numpy(np.where(is_verse, np.float32(_WEIGHT_OF_VERSES), np.float32(1.0)))

    def loss(scores: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        losses = binary_cross_entropy_with_logits(scores, wanted[batch], reduction="none").mean(dim=1)
        return (losses * weights[batch]).sum() / weights[batch].sum()

    network = fit_rectifier(features, len(OUTPUTS), loss, SETTINGS, seed, marks=is_verse)
    return JudgeModel(with_convention(network, _CONVENTION))


def _read_examples(
    pairs: Sequence[SentencePair], aligners: Sequence[ForestAligner], parser: str, cache: Path
) -> Iterator[JudgeExamples]:
    """Parse and align pairs, each with the aligner of its turn, and gather what they teach."""
    size = aligners[0].model.forest_size
    identity = [parser_fingerprint(parser), size]
    parsed = parse_pairs(pairs, LazyParser(parser, size), ArrayStore(cache), identity)
    for number, parsed_pair in enumerate(parsed):
        if isinstance(parsed_pair, InputError):
            raise parsed_pair
        examples = aligned_examples(
            parsed_pair.pair, parsed_pair.source, parsed_pair.target, aligners[number % len(aligners)]
        )
        if examples is None:
            raise InputError(f"pair {parsed_pair.pair.id!r}: expected sentences with word vectors")
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
        without = replace(model, phrases=phrases)
        return ForestAligner(without, candidates=aligner.candidates, paraphrases=False)

    etpc = [pair for pair in read_pairs(options.data / MARKED) if isinstance(pair, SentencePair)]
    verses = sampled_verses(options.data / _VERSES, options.verses, options.seed)
    folds = [unjudged(PhraseModel.load(options.phrases / f"fold-{fold}")) for fold in range(FOLDS)]
    read = _read_examples(etpc, folds, options.parser, options.cache)
    of_etpc = list(counted(read, "pairs of etpc"))
    read = _read_examples(verses, [unjudged(model.phrases)], options.parser, options.cache)
    of_verses = list(counted(read, "verses"))
    for fold in (None, *(range(FOLDS) if options.folds else ())):
        kept = [example for number, example in enumerate(of_etpc) if number % FOLDS != fold]
        examples = [*kept, *of_verses]
        card = {
            "trained on": ["etpc (dev)", "verses (train, without 1SA and ROM)"],
            "pairs": len(examples),
            "phrase pairs": sum(len(example.wanted) for example in examples),
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


#: Fewer pairs with marked phrases say too little.
FEWEST_PAIRS = 50
_ADAPTATION = replace(SETTINGS, batch=128, learning_rate=1e-3)


@dataclass(frozen=True, slots=True)
class _AdaptedModel:
    """A forest model whose judge learned from marked phrases, if that helps."""

    model: ForestModel  # With the judge that it had if the other one is not better
    pairs: int  # Sentence pairs with marked phrases
    # before, after: mean cross-entropy, in nats, of the judge that was there, and of judges that had learned
    # from sentence pairs of other folds, which share no sentence with those that they are measured on
    before: float
    after: float

    @property
    def is_better(self) -> bool:
        """Whether the judge was replaced."""
        return self.after < self.before


def adapted_to_marks(
    model: ForestModel,
    pairs: Sequence[ParsedPair],
    *,
    parser: str,
    words: str | None = None,
    seed: int = 0,
    report: Callable[[int], None] | None = None,
) -> _AdaptedModel:
    """Train the judge of a model further on marked phrases, and keep it if cross-fitting finds it better.

    Raises an InputError if the model has no judge, there are fewer than :data:`FEWEST_PAIRS` pairs, none
    has phrases that differ, or word vectors cannot be computed. Word candidates are the model's by default.
    """
    judge = model.judge
    if judge is None or model.phrases is None:
        raise InputError("expected a model with a judge of phrases")
    if len(pairs) < FEWEST_PAIRS:
        raise InputError(f"expected at least {FEWEST_PAIRS} pairs with marked phrases, found {len(pairs)}")
    aligner = ForestAligner(
        replace(model, relations=None, judge=None), parser=parser, candidates=words, paraphrases=False
    )
    examples: list[JudgeExamples] = []
    keys: list[Keys] = []
    for pair in pairs:
        source, target = aligner.prepare_pair(pair.source, pair.target)
        learned_from = aligned_examples(pair.pair, source, target, aligner)
        if learned_from is not None:
            examples.append(learned_from)
            keys.append((sentence_key(source.words), sentence_key(target.words)))
        if report is not None:
            report(1)
    fold_of = folds_of(keys)
    before = after = 0.0
    count = sum(len(example.wanted) for example in examples)
    if not count:
        raise InputError("expected pairs of phrases that differ, found none")
    for fold in range(cross_fitting.FOLDS):
        unseen, others = (
            [example for example, own in zip(examples, fold_of, strict=True) if (own == fold) == is_unseen]
            for is_unseen in (True, False)
        )
        before += _total_loss(judge, unseen) / count
        after += _total_loss(adapted_judge(judge, others, seed), unseen) / count
    if after < before:
        model = replace(model, judge=adapted_judge(judge, examples, seed))
    return _AdaptedModel(model, len(pairs), before, after)


def adapted_judge(judge: JudgeModel, examples: Sequence[JudgeExamples], seed: int = 0) -> JudgeModel:
    """A judge that has also learned from these pairs; the same one if they hold no phrases to learn from."""
    if not any(len(example.wanted) for example in examples):
        return judge
    features, wanted = _joined(examples)

    def loss(scores: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return binary_cross_entropy_with_logits(scores, wanted[batch])

    network = adapt_rectifier(judge.network, features, loss, _ADAPTATION, seed)
    marked = {"pairs": len(examples), "phrase pairs": len(wanted)}
    return JudgeModel(network, judge.card | {"adapted to": marked})


def _total_loss(judge: JudgeModel, examples: Sequence[JudgeExamples]) -> float:
    """Sum of the cross-entropies of pairs of phrases, each a mean of both outputs."""
    if not examples:
        return 0.0
    features, wanted = _joined(examples)
    scores = torch.from_numpy(judge.network.outputs(features))
    return float(binary_cross_entropy_with_logits(scores, wanted, reduction="none").mean(dim=1).sum())
