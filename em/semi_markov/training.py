"""Trains the semi-Markov aligner: softmax-margin by L-BFGS, in a run that can be stopped and resumed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np

from forest_align.aligners.pair import words_are_after
from forest_align.aligners.semi_markov.lattice import DEFAULT_OPTIONS, Lattice, LatticeOptions, lattice_of
from forest_align.aligners.semi_markov.model import SemiMarkovModel
from forest_align.em.corpus.parsed_pairs import GoldPair
from forest_align.em.semi_markov.objective import LatticeExample, LatticeObjective, unpack
from forest_align.lexicon.groups import collocations
from forest_align.lexicon.lexicon import Lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.storage.checkpoint import Checkpoint
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import InputError, Sentence


def with_synonym_copy(pair: GoldPair, number: int, lexicon: Lexicon) -> list[GoldPair]:
    """A pair, and its copy with the same links, if there is one.

    A pair has a copy if both sentences have the same collocation of WordNet, its words linked one by one, and
    if WordNet has a synonym of as many words, one of them the same. If there are several copies, the number
    of the pair chooses one.
    """
    copies = list(_copies(pair, lexicon))
    return [pair, *([copies[number % len(copies)]] if copies else [])]


def _copies(pair: GoldPair, lexicon: Lexicon) -> Iterator[GoldPair]:
    source, target, links = pair.source, pair.target, set(pair.links.pairs)
    others = list(collocations(lexicon.profiles(target), lexicon))
    for (start, end), lemma in collocations(lexicon.profiles(source), lexicon):
        for (first, last), other in others:
            steps = range(end - start)
            if other != lemma or end - start != last - first:
                continue
            if all((start + k, first + k) in links for k in steps):
                for synonym in _synonyms(lemma, lexicon):
                    words = lemma.split("_"), synonym.split("_")
                    if (one := _replaced(source, start, *words)) is not None:
                        yield GoldPair(one, target, pair.links)
                    if (two := _replaced(target, first, *words)) is not None:
                        yield GoldPair(source, two, pair.links)


def _replaced(sentence: Sentence, start: int, words: list[str], others: list[str]) -> Sentence | None:
    """The sentence with other words at a place; None if a word to replace is inflected."""
    texts = list(sentence.words)
    for place, (word, other) in enumerate(zip(words, others, strict=True), start):
        if word != other:
            if texts[place].lower() != word:
                return None
            texts[place] = other
    return Sentence.from_words(texts, sentence.tags)


@cache
def _synonyms(lemma: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Lemmas of as many words in a synset of a lemma, with at least one word at the same place."""
    words = lemma.split("_")
    near = set(chain.from_iterable(_collocations_of(lexicon).get(one, ()) for one in lexicon.synsets(lemma)))
    return tuple(
        other
        for other in sorted(near - {lemma})
        if len(found := other.split("_")) == len(words)
        and any(one == two for one, two in zip(words, found, strict=True))
    )


@cache
def _collocations_of(lexicon: Lexicon) -> dict[int, tuple[str, ...]]:
    """The lemmas of several words in each synset."""
    found: dict[int, list[str]] = {}
    for lemma in lexicon.store.lemmas:
        if "_" in lemma:
            for synset in lexicon.store.synsets(lemma):
                found.setdefault(synset, []).append(lemma)
    return {synset: tuple(lemmas) for synset, lemmas in found.items()}


# Training ends when a step lowers the loss by less than this share.
_TOLERANCE = 1e-5

_RUN = "a training run of the semi-Markov aligner"
# What a different hash of a run means.
_HASHED = {
    "examples": "other pairs, or the same with other links, tags or paraphrases",
    "optimizer": "another version of the package",
    "features": "another version of the package",
}

#: Called with the number of iterations done and the loss per example.
Report = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class SemiMarkovSettings:
    """How to train.

    Attributes
    ----------
    iterations : int
        Most iterations of L-BFGS; training ends earlier if the loss hardly decreases any more.
    regularization : float
        Strength of the L2 term: half of this, times the squared weights, is added to the summed loss of the
        pairs.
    options : LatticeOptions
        The steps of a path, and which features there are. The path reads the shorter sentence.
    both_directions : bool
        Learn from paths through either sentence, and align with the union of both. With phrases of one word
        this is the token-based model of the paper (§3.1).

    Raises
    ------
    InputError
        If a number is out of range.
    """

    iterations: int = 200
    regularization: float = 2.0
    options: LatticeOptions = DEFAULT_OPTIONS
    both_directions: bool = False

    def __post_init__(self) -> None:
        if self.iterations < 0:
            raise InputError(f"expected at least 0, found {self.iterations}", field="iterations")
        if not (math.isfinite(self.regularization) and self.regularization > 0):
            message = f"expected a finite number above 0, found {self.regularization}"
            raise InputError(message, field="regularization")


def examples_of(
    pairs: Iterable[GoldPair],
    lexicon: Lexicon,
    ppdb: PairTable | None = None,
    report: Callable[[int], None] | None = None,
    settings: SemiMarkovSettings | None = None,
) -> list[LatticeExample]:
    """Features and gold paths of pairs, with the sentences in the order that the aligner uses.

    With both directions there are two examples a pair. With the resource ``groups`` some pairs have a copy in
    which a synonym takes the place of a collocation. ``report`` is called with 1 after each pair.
    """
    settings = settings or SemiMarkovSettings()
    has_copies = "groups" in settings.options.resources
    found = []
    for number, pair in enumerate(pairs):
        for one in with_synonym_copy(pair, number, lexicon) if has_copies else [pair]:
            found += _examples_of_pair(one, lexicon, ppdb, settings)
        if report is not None:
            report(1)
    return found


def _examples_of_pair(
    pair: GoldPair, lexicon: Lexicon, ppdb: PairTable | None, settings: SemiMarkovSettings
) -> list[LatticeExample]:
    source, target, links = pair.source, pair.target, pair.links
    if words_are_after(source, target):
        source, target, links = target, source, links.swap()
    ways = [(source, target, links)]
    if settings.both_directions:
        ways.append((target, source, links.swap()))
    return [
        LatticeExample.of(lattice_of(one, other, lexicon, ppdb, settings.options), gold)
        for one, other, gold in ways
    ]


def train_semi_markov_model(
    examples: Sequence[LatticeExample],
    settings: SemiMarkovSettings,
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    report: Report | None = None,
) -> tuple[SemiMarkovModel, tuple[float, ...]]:
    """Minimise the softmax-margin loss from weights of zero.

    Nothing is random, and sums are computed in a fixed order. So equal examples and settings give equal
    weights, even if the run was interrupted and resumed.

    Parameters
    ----------
    examples : sequence of LatticeExample
        From :func:`examples_of`, with the same settings.
    settings : SemiMarkovSettings
        How to train.
    checkpoint : pathlib.Path, optional
        File for the state after each iteration (half a megabyte), replaced atomically.
    resume : bool
        Whether to resume from the checkpoint, if there is one.
    report : callable, optional
        Called after each iteration.

    Returns
    -------
    SemiMarkovModel
    tuple of float
        Loss per example including the L2 term, at the start and after each iteration.

    Raises
    ------
    InputError
        If there are no pairs, or the checkpoint belongs to another run or has more iterations than this run.
    """
    from threadpoolctl import threadpool_limits

    from forest_align.em.fitting.optimization import Minimizer

    objective = LatticeObjective(examples, settings.regularization, settings.options)
    identity = {
        "optimizer": "torch.optim.LBFGS",
        "regularization": settings.regularization,
        "longest": list(settings.options.longest),
        "longest_null": settings.options.longest_null,
        "resources": list(settings.options.resources),
        "both_directions": settings.both_directions,
        "examples": fingerprint(examples),
        "features": fingerprint_of(settings.options.feature_lists),
    }
    saved = Checkpoint(checkpoint, _RUN, identity, _HASHED)
    # With several threads, a product's last digits could depend on their number.
    with threadpool_limits(1, "blas"):
        minimizer = Minimizer(objective, sum(map(math.prod, objective.shapes.values())))
        losses = [minimizer.value]
        if resume and saved.exists:
            arrays, facts = saved.load()
            losses = [float(loss) for loss in facts["losses"]]
            if len(losses) - 1 > settings.iterations:
                raise saved.past("iterations", settings.iterations)
            minimizer.restore(arrays, facts["optimizer"])
        while len(losses) <= settings.iterations:
            if len(losses) > 1 and losses[-2] - losses[-1] <= _TOLERANCE * losses[-1]:
                break
            minimizer.step()
            losses.append(minimizer.value)
            arrays, numbers = minimizer.state()
            saved.save(arrays, {"losses": losses, "optimizer": numbers})
            if report is not None:
                report(len(losses) - 1, minimizer.value / len(examples))
    weights = unpack(minimizer.point, objective.shapes)
    narrow = {name: values.astype(np.float32) for name, values in weights.items()}
    model = SemiMarkovModel(narrow, {}, settings.options, settings.both_directions)
    return model, tuple(loss / len(examples) for loss in losses)


def fingerprint(examples: Iterable[LatticeExample]) -> str:
    """Short hash of the training data: features and gold paths."""
    arrays = (
        (example.path, *(getattr(example.lattice, part.name) for part in fields(Lattice)))
        for example in examples
    )
    return fingerprint_of(*chain.from_iterable(arrays))
