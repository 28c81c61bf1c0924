r"""Measure a parser: labelled F1 and tags on four treebanks, calibration.

Example::

    python -m forest_align.em.recipes parser-quality --model en --wsj TREEBANKS/wsj_sample \
        --gum TREEBANKS/gum --craft TREEBANKS/craft

Each treebank's held-out part is parsed three times: its own words, its own words in lower case, and raw text.
The raw text is made by joining the words, and is split again by this package's tokenizer. Brackets are
compared as in evalb (COLLINS.prm), but over characters instead of words. The result is the same if the words
are the same.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from forest_align.cext import chart
from forest_align.data.trees.treebanks import (
    PUNCTUATION_TAGS,
    TreebankSentence,
    read_craft,
    read_gum,
    read_masc,
    read_wsj,
)
from forest_align.eval.metrics.scores import calibrate
from forest_align.parsing.forests.decoding import SpanScorer, SpanScores
from forest_align.parsing.networks.encoder_batches import plain_word
from forest_align.parsing.networks.isolated_imports import import_isolated
from forest_align.parsing.parser_loading import load_span_parser
from forest_align.parsing.tokenize import tokenize
from forest_align.types import InputError
from forest_align.types.brackets import split_chain

Span = tuple[int, int, str]

# Spans below this probability are ignored as predictions.
_LEAST_PROBABILITY = 0.01


def _best_spans(scores: SpanScores) -> list[Span]:
    """Return the closed labelled spans of the best tree."""
    spans = chart.k_best(scores.scores, 1, scores.force_root)[0]
    return [(int(start), int(end) - 1, scores.labels[label]) for start, end, label in spans if label]


def brackets(spans: Sequence[Span], edges: np.ndarray, kept: np.ndarray) -> Counter[Span]:
    """Return evalb's brackets as kept characters.

    ``edges`` are character offsets of word boundaries, ``kept[c]`` how many characters before c count.
    """
    found: Counter[Span] = Counter()
    for first, last, chain in spans:
        start, end = int(kept[edges[first]]), int(kept[edges[last + 1]])
        if end > start:
            for label in split_chain(chain):
                found[start, end, "ADVP" if label == "PRT" else label] += 1
    return found


def _word_edges(words: Sequence[str]) -> np.ndarray:
    """Return the character offsets of the boundaries of words written without spaces."""
    return np.concatenate([[0], np.cumsum([len(word) for word in words])])


class _ParserFigures:
    """Running counts of brackets and tags."""

    def __init__(self) -> None:
        self.matched = self.gold = self.predicted = self.right_tags = self.tags = 0

    def add(
        self, sentence: TreebankSentence, words: Sequence[str], scores: SpanScores, split: Sequence[str]
    ) -> None:
        """Count one sentence: gold over ``words``, predicted over ``split``, the same characters."""
        gold_edges, edges = _word_edges(words), _word_edges(split)
        counts = np.repeat([tag not in PUNCTUATION_TAGS for tag in sentence.tags], np.diff(gold_edges))
        kept = np.concatenate([[0], np.cumsum(counts)])
        gold = brackets(sentence.spans, gold_edges, kept)
        predicted = brackets(_best_spans(scores), edges, kept)
        self.matched += sum((gold & predicted).values())
        self.gold += sum(gold.values())
        self.predicted += sum(predicted.values())
        found = dict(zip(pairwise(edges.tolist()), scores.tags, strict=True))
        places = zip(pairwise(gold_edges.tolist()), sentence.tags, strict=True)
        self.right_tags += sum(found.get(place) == tag for place, tag in places)
        self.tags += len(sentence)

    def __str__(self) -> str:
        f1 = 200 * self.matched / max(1, self.gold + self.predicted)
        recall, precision = (100 * self.matched / max(1, total) for total in (self.gold, self.predicted))
        tags = 100 * self.right_tags / max(1, self.tags)
        return f"F1 {f1:5.2f} (P {precision:5.2f} R {recall:5.2f})  tags {tags:5.2f}"


def as_in_news(sentence: TreebankSentence) -> list[str]:
    """Write marks as in the Wall Street Journal part, so that spaces can be guessed from them.

    GUM uses one mark for opening and closing double quotes, typographic apostrophes, and hyphens for dashes.
    """
    written, is_open = [], False
    for word, tag in zip(sentence.words, sentence.tags, strict=True):
        if word == '"':
            written.append("''" if is_open else "``")
            is_open = not is_open
        elif word == "-" and tag == ":":
            written.append("--")
        else:
            written.append(word.replace("’", "'"))
    return written


def _as_raw(sentence: TreebankSentence) -> tuple[list[str], list[str]]:
    """Return a sentence's unescaped words, and the tokens that the tokenizer makes from their text."""
    words = [plain_word(word).replace("\xa0", "") or "?" for word in sentence.words]
    spaces = import_isolated("benepar.ptb_unescape").guess_space_after(as_in_news(sentence))
    text = "".join(word + " " * space for word, space in zip(words, spaces, strict=True)).rstrip(" ")
    return words, [token.text for token in tokenize(text)]


def evaluate(scorer: SpanScorer, sentences: Sequence[TreebankSentence], condition: str) -> _ParserFigures:
    """Parse sentences in one of the conditions ``words``, ``lower`` and ``raw`` and count."""
    figures = _ParserFigures()
    for start in range(0, len(sentences), 256):
        part = sentences[start : start + 256]
        if condition == "raw":
            written = [_as_raw(sentence) for sentence in part]
        elif condition == "lower":
            # Unescape first: "-lrb-" would not be recognised as a bracket.
            lowered = [[plain_word(word).lower() for word in s.words] for s in part]
            written = [(words, words) for words in lowered]
        else:
            written = [(list(sentence.words), list(sentence.words)) for sentence in part]
        scores = scorer.score([split for _, split in written])
        for sentence, (words, split), found in zip(part, written, scores, strict=True):
            if not isinstance(found, SpanScores):
                raise found
            if "".join(words) != "".join(split):
                raise SystemExit(f"the tokenizer lost characters of {' '.join(words)!r}")
            figures.add(sentence, words, found, split)
    return figures


def span_probabilities(
    scores: SpanScores, sentence: TreebankSentence, temperature: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return marginals of likely labelled spans, whether each is gold, and the gold log-likelihood."""
    potentials = scores.scores[..., 1:].astype(np.float64) / temperature
    highest = potentials.max(-1)
    labelled = highest + np.log(np.exp(potentials - highest[..., None]).sum(-1))
    partition, spans = chart.inside_outside(labelled, scores.force_root)
    marginals = spans[..., None] * np.exp(potentials - labelled[..., None])
    gold = np.zeros(marginals.shape, bool)
    likelihood = -partition
    for first, last, chain in sentence.spans:
        if chain in scores.labels:
            label = scores.labels.index(chain) - 1
            gold[first, last, label] = True
            likelihood += potentials[first, last, label]
    likely = marginals >= _LEAST_PROBABILITY
    return np.minimum(marginals[likely], 1.0), gold[likely], likelihood


def calibration(
    scored: Sequence[SpanScores | InputError], sentences: Sequence[TreebankSentence], temperature: float
) -> tuple[float, float]:
    """Return the calibration error of labelled spans and the mean log-likelihood of the gold trees."""
    parts = [
        span_probabilities(scores, sentence, temperature)
        for scores, sentence in zip(scored, sentences, strict=True)
        if isinstance(scores, SpanScores)
    ]
    probabilities, right = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
    return calibrate(probabilities, right).expected_error, float(np.mean([part[2] for part in parts]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("--model", default="en", help="name or folder of the parser")
    parser.add_argument("--wsj", type=Path, help="folder of the WSJ sample")
    parser.add_argument("--gum", type=Path, help="folder of GUM")
    parser.add_argument("--craft", type=Path, help="folder of CRAFT")
    parser.add_argument("--masc", type=Path, help="folder of MASC")
    parser.add_argument("--conditions", nargs="+", default=["words", "raw", "lower"])
    parser.add_argument("--limit", type=int, default=0, help="sentences of each part, for a quick look")
    parser.add_argument("--temperatures", type=float, nargs="*", default=[1.0])
    parser.add_argument("--threads", type=int, default=2)


def run(options: argparse.Namespace) -> None:
    """Run the measurements that the options select."""
    if not (options.wsj or options.gum or options.craft or options.masc):
        raise InputError("nothing to measure: name --wsj, --gum, --craft or --masc")
    torch.set_num_threads(options.threads)
    parts: dict[str, Sequence[TreebankSentence]] = {}
    if options.wsj:
        parts["WSJ 0190-0199"] = read_wsj(options.wsj).test
    if options.gum:
        gum = read_gum(options.gum)
        parts |= {"GUM dev": gum.dev, "GUM test": gum.test}
    if options.craft:
        parts["CRAFT held out"] = read_craft(options.craft).test
    if options.masc:
        parts["MASC held out"] = read_masc(options.masc).test
    scorer = load_span_parser(options.model)
    for name, sentences in parts.items():
        chosen = sentences[: options.limit] if options.limit else sentences
        for condition in options.conditions:
            begun = time.perf_counter()
            figures = evaluate(scorer, chosen, condition)
            speed = len(chosen) / (time.perf_counter() - begun)
            print(f"{name:15} {condition:6} {figures}  {len(chosen)} sentences, {speed:.0f}/s", flush=True)
        scored = scorer.score([sentence.words for sentence in chosen]) if options.temperatures else []
        for temperature in options.temperatures:
            error, likelihood = calibration(scored, chosen, temperature)
            print(
                f"    temperature {temperature:.2f}: calibration error {error:.4f}, "
                f"log-likelihood {likelihood:.3f}"
            )
