"""Fits the regression of ``support`` to claims of WiCE and entailed hypotheses of RTE.

Folds are five::

    python -m forest_align.em.recipes support DATA

The constant moves the probability that calls the unsupported words of the claims best, cross-fitted, to 0.5.
Prints that probability with its figures, and the weights.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from forest_align.aligners.attribution.supported_words import compared_sentence, word_numbers
from forest_align.aligners.contextual import ContextualAligner
from forest_align.aligners.documents.document_sentences import SentenceEncoder, document_sentences
from forest_align.aligners.logistic_function import regression
from forest_align.data.pairs import read_pairs
from forest_align.em.fitting.cross_fitting import fit_logistic
from forest_align.eval.metrics.change_scores import unsupported_statistics
from forest_align.types import InputError, Sentence

_FOLDS, _RIDGE = 5, 1.0
_THRESHOLDS = tuple(np.arange(0.4, 0.81, 0.05).round(2).tolist())
# Of entailed hypotheses so many: without them a fifth of the words of such hypotheses were called
# unsupported, and with more of them too few words of partially supported claims.
_ENTAILED = 60


def encoded(example: SupportExample, encoder: SentenceEncoder) -> tuple[Sentence, list[Sentence]]:
    """The claim and its chosen sentences that have words, with tags and word vectors."""
    claim, *sources = encoder([example.claim, *(example.evidence[index] for index in example.chosen)])
    return claim, [source for source in sources if source.vectors is not None]


def _cross_fitted(
    tables: Sequence[np.ndarray], labels: Sequence[np.ndarray]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Weights of a regression, and for each example what one fitted without its fold says about its words."""

    def fit(places: Sequence[int]) -> np.ndarray:
        return fit_logistic(
            np.concatenate([tables[place] for place in places]),
            np.concatenate([labels[place] for place in places]),
            ridge=_RIDGE,
        )

    everything = range(len(tables))
    folds = [fit([place for place in everything if place % _FOLDS != fold]) for fold in range(_FOLDS)]
    found = [regression(table, folds[place % _FOLDS].tolist()) for place, table in enumerate(tables)]
    return fit(everything), found


def middle_of_best(scores: Mapping[float, float]) -> float:
    """The middle of the thresholds at most half a point below the best, as neighbours differ by chance.

    Of two the lower one, which calls fewer words unsupported.
    """
    good = sorted(threshold for threshold, score in scores.items() if score >= max(scores.values()) - 0.005)
    return good[(len(good) - 1) // 2]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder with attribution and extrinsic/rte")
    parser.add_argument("--limit", type=int, help="use only the first claims and hypotheses")


def run(options: argparse.Namespace) -> None:
    """Fit and print."""
    encoder, aligner = SentenceEncoder(), ContextualAligner()
    wice = options.data / "attribution" / "wice-unsupported-train.jsonl"
    examples = [
        *read_wice(wice, options.limit),
        *read_entailed(options.data / "extrinsic" / "rte" / "rte2_dev.xml", options.limit or _ENTAILED),
    ]
    tables, labels = [], []
    for example in examples:
        claim, sources = encoded(example, encoder)
        if sources:
            tables.append(
                word_numbers(claim, [compared_sentence(aligner, claim, source) for source in sources])
            )
            labels.append(example.supported)
    weights, said = _cross_fitted(tables, labels)
    partly = [place for place, supported in enumerate(labels) if not supported.all()]
    figures = {
        threshold: unsupported_statistics(
            [~labels[place] for place in partly], [said[place] < threshold for place in partly]
        )
        for threshold in _THRESHOLDS
    }
    chosen = middle_of_best(
        {threshold: of_threshold["f1"].value for threshold, of_threshold in figures.items()}
    )
    print(chosen, {name: round(100 * statistic.value, 1) for name, statistic in figures[chosen].items()})
    weights[-1] -= np.log(chosen / (1 - chosen))
    print(f"WORD_WEIGHTS = ({', '.join(f'{weight:.3f}' for weight in weights)})")


@dataclass(frozen=True, slots=True, eq=False)
class SupportExample:
    """A sentence, what should support it, and which of its words that does."""

    claim: Sentence
    evidence: tuple[Sentence, ...]  # All sentences of its source
    chosen: tuple[int, ...]  # Numbers of those that people named as support
    supported: np.ndarray  # bool, shape (n,): of each word of the claim


def read_wice(path: Path, limit: int | None = None) -> Iterator[SupportExample]:
    """Read partially supported claims of WiCE (Kamoi et al. 2023), JSON lines.

    A claim may have several sets of supporting sentences; the chosen ones are those of all sets.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(islice(lines, limit), start=1):
            try:
                values = json.loads(line)
                claim, *evidence = document_sentences([values["claim"], *values["evidence"]]).sentences
                chosen = {index for sentences in values["supporting_sentences"] for index in sentences}
                marks = _marked(values["claim"], values["claim_tokens"], values["non_supported_spans"])
            except (ValueError, KeyError, TypeError) as error:
                message = f"expected a claim of WiCE, found {line[:60]!r} ({error})"
                raise InputError(message, file=str(path), line=number) from None
            # More than half of the characters decide, where tokens differ.
            unsupported = [
                2 * marks[token.start : token.end].sum() > token.end - token.start for token in claim.tokens
            ]
            yield SupportExample(claim, tuple(evidence), tuple(sorted(chosen)), ~np.array(unsupported, bool))


def _marked(text: str, tokens: Sequence[str], marks: Sequence[bool]) -> np.ndarray:
    """For each character of a text whether it is in a marked token."""
    found = np.zeros(len(text), bool)
    place = 0
    for token, mark in zip(tokens, marks, strict=True):
        start = text.find(token, place)
        if start >= 0:
            place = start + len(token)
            found[start:place] = mark
    return found


def read_entailed(path: Path, limit: int | None = None) -> Iterator[SupportExample]:
    """Read the pairs of a file of RTE whose hypothesis follows: the text supports all of its words."""
    entailed = (pair for pair in read_pairs(path) if isinstance(pair, InputError) or pair.label)
    for pair in islice(entailed, limit):
        if isinstance(pair, InputError):
            raise pair
        (claim,) = document_sentences([pair.target.text]).sentences
        evidence = document_sentences(pair.source.text).sentences
        supported = np.ones(len(claim), bool)
        yield SupportExample(claim, evidence, tuple(range(len(evidence))), supported)
