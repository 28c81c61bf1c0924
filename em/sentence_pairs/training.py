r"""Train the paraphrase model from labelled sentence pairs, and report how it does on pairs left out.

Strict files have pairs of nearly the same words (PAWS). Loose ones have pairs of other words (MSRP). Further
pairs are made from their sentences::

    python -m forest_align.em.recipes paraphrases OUT --loose MSRP/msr-para-train.tsv \
        --strict PAWS/dev.tsv --features CACHE
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.loading import load
from forest_align.aligners.sentence_pairs.features import FEATURES, pair_features
from forest_align.aligners.sentence_pairs.model import ParaphraseModel, standardised
from forest_align.data.pairs import read_pairs
from forest_align.em.contextual.rearranging import Tagged, participles_of
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.fitting.cross_fitting import fit_logistic
from forest_align.em.sentence_pairs._constructed import MadePair, made_pairs
from forest_align.eval.metrics.pair_scores import best_threshold, classify, mutual_coverage
from forest_align.eval.metrics.scores import calibrate
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.meaning import known_relations
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.system.terminal import counting_bar
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.aligners.base import Aligner
    from forest_align.alignment import Alignment
    from forest_align.data.formats.format import SentencePair


#: Half of this times the squared weights is subtracted from the log-likelihood.
RIDGE = 10.0
#: Parts of cross-fitting.
FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class LabelledFeatures:
    """Features and labels of sentence pairs."""

    features: np.ndarray
    labels: np.ndarray  # bool, shape (N,): whether each is a paraphrase
    # bool, shape (N,): whether each is from a corpus of pairs of nearly the same words, with strict labels
    strict: np.ndarray
    texts: Sequence[tuple[str, str]]  # The two sentences of each pair

    def part(self, chosen: np.ndarray) -> LabelledFeatures:
        """The pairs that are chosen: bool, shape (N,)."""
        texts = [text for text, is_chosen in zip(self.texts, chosen.tolist(), strict=True) if is_chosen]
        return LabelledFeatures(self.features[chosen], self.labels[chosen], self.strict[chosen], texts)


def fit_paraphrases(pairs: LabelledFeatures, card: Mapping[str, Any] | None = None) -> ParaphraseModel:
    """Fit the model to pairs of both kinds, each with and without paraphrases."""
    mean, scale = pairs.features.mean(0), np.maximum(pairs.features.std(0), 1e-3)
    inputs = standardised(pairs.features, mean, scale)
    weights = [fit_logistic(inputs, pairs.strict, ridge=RIDGE)]
    weights += [
        fit_logistic(inputs[chosen], pairs.labels[chosen], ridge=RIDGE)
        for chosen in (pairs.strict, ~pairs.strict)
    ]
    mean, scale, table = (np.asarray(one, dtype=np.float32) for one in (mean, scale, weights))
    return ParaphraseModel(mean, scale, table, card or {})


def cross_fitted(pairs: LabelledFeatures, seed: int = 0) -> np.ndarray:
    """The probability of each pair by a model that was fitted without it: float64, shape (N,).

    Pairs that share a sentence, directly or through others, are in the same part.
    """
    fold = folds(pairs.texts, seed)
    found = np.zeros(len(pairs.labels))
    for number in range(FOLDS):
        left_out = fold == number
        found[left_out] = fit_paraphrases(pairs.part(~left_out)).probabilities(pairs.features[left_out])
    return found


def folds(texts: Sequence[tuple[str, str]], seed: int) -> np.ndarray:
    """Draw a part of cross-fitting for each group of pairs that share sentences; shape (N,)."""
    parents: dict[str, str] = {}

    def group_of(text: str) -> str:
        while (parent := parents.setdefault(text, text)) != text:
            parents[text] = parents[parent]
            text = parents[text]
        return text

    for one, two in texts:
        parents[group_of(one)] = group_of(two)
    names, groups = np.unique([group_of(one) for one, _ in texts], return_inverse=True)
    found: np.ndarray = np.random.default_rng(seed).integers(FOLDS, size=len(names))[groups]
    return found


# Pairs that are aligned and stored together.
_CHUNK = 200
# Number of further pairs, which are made from the sentences.
_MADE = 2_000
#: Name of the made pairs among the files.
MADE = "made"

# Name of the file, whether it is strict, label, and the two sentences.
_Labelled = tuple[str, bool, bool, tuple[str, str]]


def read_labelled(path: Path, limit: int | None = None) -> list[SentencePair]:
    """The pairs of a file that have a label; problems go to stderr, and no label at all is an InputError."""
    labelled = []
    for pair in read_pairs(path):
        if isinstance(pair, InputError):
            print(pair, file=sys.stderr)
        elif pair.label is not None:
            labelled.append(pair)
    if not labelled:
        raise InputError("expected sentence pairs with labels 0 and 1, found none", file=str(path))
    return labelled[:limit]


def measured(
    texts: Sequence[tuple[str, str]], aligner: Aligner, store: ArrayStore | None
) -> list[tuple[np.ndarray, Tagged]]:
    """Features and coverage of each pair, NaN if it cannot be aligned; and the tagged source sentence.

    Features and coverage are one array, float32, shape (F + 1,). The store keeps parts of 200 pairs.
    """
    pairs = []
    with counting_bar("aligning", len(texts)) as bar:
        for start in range(0, len(texts), _CHUNK):
            part = texts[start : start + _CHUNK]
            key = ["paraphrases", fingerprint_of(part, FEATURES, sorted(aligner.made_by.items()))]
            entry = store.get(key) if store else None
            if entry is None:
                alignments = list(aligner.align_many(part))
                table = np.array([_row(alignment) for alignment in alignments], dtype=np.float32)
                sides = [alignment.source for alignment in alignments]
                sources = [[side.words, [token.tag for token in side.tokens]] for side in sides]
                entry = {"rows": table}, {"sources": sources}
                if store:
                    store.put(key, *entry)
            for row, (words, tags) in zip(entry[0]["rows"], entry[1]["sources"], strict=True):
                pairs.append((row, Tagged(tuple(words), tuple(tags))))
            bar.update(len(part))
    return pairs


def _row(alignment: Alignment) -> list[float]:
    if alignment.error:
        print(f"{alignment.source.text!r}: {alignment.error}", file=sys.stderr)
        return [np.nan] * (len(FEATURES) + 1)
    relations = known_relations(alignment)
    features = pair_features(alignment.source, alignment.target, alignment.words, relations)
    aligned = {i for i, _ in alignment.words}, {j for _, j in alignment.words}
    sides = alignment.source.words, alignment.target.words
    return [*(features[name] for name in FEATURES), mutual_coverage(sides, aligned)]


def rows(
    pairs: LabelledFeatures, files: Sequence[str], coverage: np.ndarray, probabilities: np.ndarray
) -> Iterator[str]:
    """A table by file: the majority, the best threshold on coverage, and the model, on pairs left out."""
    yield "| | pairs | paraphrases | coverage: accuracy | F1 | model: accuracy | F1 | calibration error |"
    yield "|---" * 8 + "|"
    fold = folds(pairs.texts, 0)
    names = np.array(files)
    for name in dict.fromkeys(files):
        of_file = names == name
        labels = pairs.labels[of_file]
        covered = np.zeros(len(labels), dtype=bool)
        for number in np.unique(fold):
            left_out = fold[of_file] == number
            known = ~left_out
            threshold = best_threshold(coverage[of_file][known].tolist(), labels[known].tolist())
            covered[left_out] = coverage[of_file][left_out] >= threshold
        by_coverage = classify(covered.astype(float).tolist(), labels.tolist(), 0.5)
        model = classify(probabilities[of_file].tolist(), labels.tolist(), 0.5)
        error = calibrate(probabilities[of_file], labels).expected_error
        cells = [f"{len(labels)}", f"{100 * labels.mean():.1f}"]
        for judged in (by_coverage, model):
            cells += [f"{100 * judged.accuracy:.1f}", f"{100 * judged.scores.f1:.1f}"]
        yield f"| {name} | {' | '.join(cells)} | {error:.3f} |"


def _make_pairs(sentences: Sequence[Tagged]) -> list[MadePair]:
    """Pairs made from sentences, see :mod:`~forest_align.em.sentence_pairs._constructed`; always the same."""
    chance = random.Random(0)
    lemma = load_lexicon().lemma
    pairs = list(made_pairs(sentences, lemma, participles_of(sentences, lemma), chance))
    return chance.sample(pairs, min(len(pairs), _MADE))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("output", metavar="OUT", type=Path, help="folder of the model")
    for kind in ("loose", "strict"):
        parser.add_argument(f"--{kind}", metavar="FILE", nargs="+", type=Path, required=True)
    parser.add_argument("--features", metavar="CACHE", type=Path, help="keeps what is computed once")
    parser.add_argument("--limit", type=int, help="only the first so many pairs of each file")


def run(options: argparse.Namespace) -> None:
    """Align, fit, report, and write the model."""
    store = ArrayStore(options.features) if options.features else None
    every: list[_Labelled] = []
    for path in (*options.loose, *options.strict):
        every += [
            (path.name, path in options.strict, bool(pair.label), (pair.source.text, pair.target.text))
            for pair in read_labelled(path, options.limit)
        ]
    aligner = load("forest", paraphrases=False)
    rows_and_sources = measured([texts for *_, texts in every], aligner, store)
    sentences = list(dict.fromkeys(sentence for _, sentence in rows_and_sources))
    made = [
        (MADE, pair.strict, pair.label, (" ".join(pair.source), " ".join(pair.target)))
        for pair in _make_pairs(sentences)
    ]
    rows_and_sources += measured([texts for *_, texts in made], aligner, store)
    files, strict, labels, both = zip(*every, *made, strict=True)
    table = np.array([row for row, _ in rows_and_sources])
    whole = np.isfinite(table).all(1)
    pairs = LabelledFeatures(table[:, :-1], np.array(labels), np.array(strict), both).part(whole)
    names = [name for name, is_whole in zip(files, whole.tolist(), strict=True) if is_whole]
    print(*rows(pairs, names, table[whole, -1], cross_fitted(pairs)), sep="\n")
    sizes = {name: names.count(name) for name in dict.fromkeys(names)}
    fit_paraphrases(pairs, {"trained_on": sizes, "aligner": dict(aligner.made_by)}).save(options.output)
