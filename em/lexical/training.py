r"""Fit the link probabilities of the word candidates to annotated pairs; its output is committed.

Sure links of the train parts (for MSR-RTE, of the dev part) are the positive cells; all other cells are
negative. All corpora have the same weight, whatever their size. The paraphrase table is used for every
second pair, so that its weight is learned and the other weights are also right without it.

    python -m forest_align.em.lexical.training ../shared/data --parser en --cache /tmp/vectors \
        --out data/resources/candidates.json

With ``--measure`` it prints precision, recall and F1 on pairs that were not used for fitting.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from forest_align.aligners.words.lexical import ScoredCandidates
from forest_align.aligners.words.lexical_features import CONTEXT_FEATURES, context_features, pair_features
from forest_align.aligners.words.lexical_model import (
    ALL_FEATURES,
    GROUP_FEATURES,
    MODEL_FEATURES,
    LexicalModel,
    probability,
)
from forest_align.data.pairs import read_pairs
from forest_align.em.contextual.annotating import save_whole
from forest_align.em.corpus.corpus import parser_fingerprint
from forest_align.em.logistic import fit_logistic
from forest_align.em.progress import counting_bar
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.groups import lexical_groups, linked_blocks
from forest_align.lexicon.lexicon import Lexicon, load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError, Sentence, Token

#: Files below alignment/ that are used for fitting, and files that are only measured.
FITTED = ("edinburgh/train.sure.json", "msr_rte/dev.majority.json", "mtref/train.tsv", "wiki/train.tsv")
MEASURED = ("mtref/dev.tsv", "wiki/dev.tsv")
PPDB = "lexicon/ppdb-1.0-xxxl-lexical.synonyms.tsv.gz"
# Largest log-odds of the model; see forest_align.aligners.words.lexical_model.probability.
LIMIT = 12.0
RIDGE = 2.0
SEED = 1


class AnalysedPair(NamedTuple):
    """Two analysed sentences and their sure links, bool ``[S, T]``."""

    source: Sentence
    target: Sentence
    gold: np.ndarray


class LexicalCells(NamedTuple):
    """Training data: features by pair, flat indices of the cells used, their weights and labels."""

    features: list[np.ndarray]
    kept: list[np.ndarray]
    weights: np.ndarray
    labels: np.ndarray


def analysed(path: Path, limit: int, parser: str, cache: Path) -> list[AnalysedPair]:
    """The first pairs of a corpus with tags, lemmas and vectors, from the cache if possible."""
    pairs = [
        pair for pair in islice(read_pairs(path, tokenized=True), limit) if not isinstance(pair, InputError)
    ]
    stored = cache / f"{path.parent.name}-{path.name}-{limit}-{parser_fingerprint(parser)}.npz"
    if not stored.exists():
        from forest_align.parsing import load_parser

        texts = [sentence.words for pair in pairs for sentence in (pair.source, pair.target)]
        parsed = []
        with counting_bar(f"parsing {path.name}", len(texts)) as bar:
            for sentence in load_parser(parser).parse_many(texts):
                if isinstance(sentence, InputError):
                    raise SystemExit(f"{path}: {sentence}")
                parsed.append(sentence)
                bar.update()
        save_whole(
            stored,
            tags=np.array(" ".join(tag for sentence in parsed for tag in sentence.tags)),
            vectors=np.concatenate([sentence.vectors for sentence in parsed]).astype(np.float16),
        )
    with np.load(stored) as arrays:
        tags, vectors = str(arrays["tags"]).split(" "), arrays["vectors"]
    lexicon, at, found = load_lexicon(), 0, []
    for pair in pairs:
        sides: list[Sentence] = []
        for words in (pair.source.words, pair.target.words):
            end = at + len(words)
            tokens = tuple(
                Token(word, lexicon.lemma(word, tag), tag)
                for word, tag in zip(words, tags[at:end], strict=True)
            )
            sides.append(Sentence(tokens, vectors=vectors[at:end].astype(np.float32), text=" ".join(words)))
            at = end
        gold = np.zeros((len(sides[0]), len(sides[1])), dtype=bool)
        assert pair.links is not None
        for i, j in pair.links.only_sure():
            gold[i, j] = True
        found.append(AnalysedPair(sides[0], sides[1], gold))
    return found


def features_of(pairs: Sequence[AnalysedPair], lexicon: Lexicon, ppdb: PairTable | None) -> list[np.ndarray]:
    """All features of every pair; the paraphrase table is used for every second pair."""
    found = []
    for index, pair in enumerate(pairs):
        evidence = word_evidence(pair.source, pair.target, lexicon, ppdb if index % 2 else None)
        found.append(pair_features(pair.source, pair.target, evidence, lexicon, with_vectors=True))
    return found


def cells_of(corpora: Sequence[Sequence[AnalysedPair]], features: list[np.ndarray]) -> LexicalCells:
    """Choose cells: all links and likely words, and every seventh other cell with seven times the weight."""
    generator = np.random.default_rng(SEED)
    kept, weights, labels = [], [], []
    for corpus in corpora:
        scale = 1000 / sum(int(pair.gold.sum()) for pair in corpus)
        for pair in corpus:
            gold = pair.gold.ravel()
            assert pair.source.vectors is not None and pair.target.vectors is not None
            likely = gold | ((pair.source.vectors @ pair.target.vectors.T).ravel() > 0.5)
            share = np.where(likely, 1.0, 1 / 7)
            cells = np.flatnonzero(generator.random(len(gold)) < share)
            kept.append(cells)
            weights.append(scale / share[cells])
            labels.append(gold[cells])
    return LexicalCells(features, kept, np.concatenate(weights), np.concatenate(labels).astype(np.float64))


def fit_links(cells: LexicalCells, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Fit the two steps of one model."""
    rows = np.array([ALL_FEATURES.index(name) for name in names])

    def chosen(arrays: list[np.ndarray]) -> np.ndarray:
        flat = [
            array.reshape(len(array), -1)[:, kept].T for array, kept in zip(arrays, cells.kept, strict=True)
        ]
        return np.concatenate(flat)

    own = [array[rows] for array in cells.features]
    first = _fitted(chosen(own), cells.labels, cells.weights).astype(np.float32)
    context = [context_features(np.tensordot(first[:-1], array, 1) + first[-1]) for array in own]
    both = np.hstack([chosen(context), chosen(own)]).astype(np.float32)
    second = _fitted(both, cells.labels, cells.weights)
    return {
        "first": _named((*names, "bias"), first),
        "second": _named((*CONTEXT_FEATURES, *names, "bias"), second),
        "groups": dict.fromkeys(GROUP_FEATURES, 0.0),
    }


def fit_groups(
    pairs: Sequence[AnalysedPair], cells: LexicalCells, model: LexicalModel, lexicon: Lexicon, own: bool
) -> dict[str, float]:
    """Fit the probability that all words of a proposed group are linked."""
    inputs, labels = [], []
    for pair, features in zip(pairs, cells.features, strict=True):
        logits = model.link_logits(features)
        groups = linked_blocks(probability(logits))
        groups += lexical_groups(pair.source, pair.target, lexicon) if own else []
        for (i, k), (j, m), kind in groups:
            row = [float(kind == name) for name in GROUP_FEATURES[1:-1]]
            inputs.append([*row, float(np.clip(logits[i:k, j:m], -12, 12).mean())])
            labels.append(float(pair.gold[i:k, j:m].all()))
    weights = _fitted(np.array(inputs), np.array(labels))
    return _named(GROUP_FEATURES, [weights[-1], *weights[:-1]])


def _fitted(inputs: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    return fit_logistic(inputs, labels, weights, ridge=RIDGE, limit=LIMIT)


def _named(names: Sequence[str], values: Sequence[float] | np.ndarray) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, values, strict=True)}


def fit(
    corpora: Sequence[Sequence[AnalysedPair]], features: list[np.ndarray], lexicon: Lexicon
) -> dict[str, dict]:
    """Fit all models to some corpora with the features of their pairs."""
    cells = cells_of(corpora, features)
    pairs = [pair for corpus in corpora for pair in corpus]
    weights = {}
    with counting_bar("fitting", len(MODEL_FEATURES)) as bar:
        for name, names in MODEL_FEATURES.items():
            weights[name] = fit_links(cells, names)
            model = LexicalModel.from_weights(name, weights)
            weights[name]["groups"] = fit_groups(pairs, cells, model, lexicon, name != "encoder")
            bar.update()
    return weights


def report(name: str, weights: dict, pairs: Sequence[AnalysedPair], lexicon: Lexicon) -> None:
    """Print how well thresholded links and proposed candidates cover the gold links of unseen pairs."""
    for kind in MODEL_FEATURES:
        provider = ScoredCandidates(
            lexicon, LexicalModel.from_weights(kind, weights), only_evident=kind == "dictionary"
        )
        precision, recall, covered, proposed = [], [], 0, 0
        for pair in pairs:
            links = provider.link_probabilities(pair.source, pair.target) >= 0.5
            right = (links & pair.gold).sum()
            precision.append(right / links.sum() if links.any() else 1.0)
            recall.append(right / pair.gold.sum() if pair.gold.any() else 1.0)
            singles = [c for c in provider.candidates(pair.source, pair.target) if not c.is_group]
            covered += sum(bool(pair.gold[c.source[0], c.target[0]]) for c in singles)
            proposed += len(singles)
        p, r = float(np.mean(precision)), float(np.mean(recall))
        gold_links = sum(int(pair.gold.sum()) for pair in pairs)
        words = sum(len(pair.source) + len(pair.target) for pair in pairs) / 2
        print(
            f"{name:28} {kind:10} P {100 * p:5.1f} R {100 * r:5.1f} F1 {200 * p * r / (p + r):5.1f}"
            f"   W recall {100 * covered / gold_links:5.1f} with {proposed / words:4.2f} candidates a word",
            flush=True,
        )


def measure(
    corpora: dict[str, list[AnalysedPair]], features: dict[str, list[np.ndarray]], lexicon: Lexicon
) -> None:
    """Measure every corpus on a fit to the others, and the dev parts on a fit to all."""
    for unseen in FITTED:
        seen = [name for name in FITTED if name != unseen]
        weights = fit([corpora[n] for n in seen], [f for n in seen for f in features[n]], lexicon)
        report(f"{unseen} left out", weights, corpora[unseen], lexicon)
    weights = fit([corpora[n] for n in FITTED], [f for n in FITTED for f in features[n]], lexicon)
    for name in MEASURED:
        report(name, weights, corpora[name], lexicon)


def main(arguments: list[str] | None = None) -> int:
    """Fit and write the coefficients, or measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with alignment/ and lexicon/")
    parser.add_argument("--out", type=Path, help="where the coefficients go")
    parser.add_argument("--parser", default="en", help="parser whose tags and vectors are used")
    parser.add_argument("--cache", type=Path, required=True, help="folder that keeps analysed sentences")
    parser.add_argument("--limit", type=int, default=400, help="pairs of each corpus")
    parser.add_argument("--measure", action="store_true", help="print figures on pairs left out")
    options = parser.parse_args(arguments)
    lexicon, ppdb = load_lexicon(), PairTable.load(options.data / PPDB)
    names = (*FITTED, *MEASURED) if options.measure else FITTED
    corpora = {
        name: analysed(options.data / "alignment" / name, options.limit, options.parser, options.cache)
        for name in names
    }
    features = {name: features_of(corpora[name], lexicon, ppdb) for name in FITTED}
    if options.measure:
        measure(corpora, features, lexicon)
    if options.out:
        weights = fit([corpora[n] for n in FITTED], [f for n in FITTED for f in features[n]], lexicon)
        options.out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
