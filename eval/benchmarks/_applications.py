"""Similarity, paraphrase, entailment and answer ranking as benchmarks, from alignment scores alone."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from forest_align.alignment import Alignment
from forest_align.data.pairs import SentencePair
from forest_align.eval.benchmarks.task import Figures, Files, Scoring, Similarities, Task, tokenized_sentences
from forest_align.eval.metrics.pair_scores import (
    area,
    best_threshold,
    classify,
    coverage,
    document_frequency_weights,
    mutual_coverage,
    pearson,
    rank,
    weighted_coverage,
    weighted_pearson,
)
from forest_align.eval.metrics.scores import PooledScores, Statistic, mean, safe_divide, share
from forest_align.types import InputError

#: Computes figures from one score a pair.
Scorer = Callable[[Sequence[float]], Figures]

#: The sentences that must be covered: 0 is the source, 1 the target.
Side = tuple[int, ...]

#: Both (for paraphrases), the target (whether the text contains the hypothesis), the source (whether the
#: answer contains the question).
BOTH, SOURCE, TARGET = (0, 1), (0,), (1,)


def naive_use(scorer: Scorer, side: Side) -> Scoring:
    """Score by the share of aligned content words, as Sultan et al. (2014, §4.2) do."""

    def score_of(alignment: Alignment) -> float:
        words = alignment.source.words, alignment.target.words
        aligned = {i for i, _ in alignment.words}, {j for _, j in alignment.words}
        if side == BOTH:
            return mutual_coverage(words, aligned)
        (which,) = side
        return coverage(words[which], aligned[which])

    return lambda alignments: [scorer([score_of(one) for one in alignments])]


def decoding_use(scorer: Scorer) -> Scoring:
    """Score by the aligner's own normalised score, as Yao et al. (2013, §5) do.

    There are no figures for an aligner without scores. A pair that could not be aligned gets the lowest score
    of all.
    """
    return lambda alignments: _figures(scorer, [one.decoding_score for one in alignments], "decoding score")


def paraphrase_use(scorer: Scorer) -> Scoring:
    """Score by the probability that the sentences are paraphrases; as :func:`decoding_use` otherwise."""
    return lambda alignments: _figures(
        scorer, [one.paraphrase_probability for one in alignments], "paraphrase probability"
    )


def _figures(scorer: Scorer, found: Sequence[float | None], use: str) -> list[Figures]:
    """The figures of scores that a pair may lack; none if all do."""
    known = [value for value in found if value is not None]
    if not known:
        return []
    scores = [min(known) if value is None else value for value in found]
    return [replace(scorer(scores), use=use)]


def weighted_use(
    scorer: Scorer, side: Side, weights: Mapping[str, float]
) -> Callable[[Sequence[Alignment], Sequence[Similarities]], list[Figures]]:
    """Weigh content words by their rarity, and links by their probability and the words' similarity.

    A content word of weight w whose links have probability p and similarity s earns max w · p · s. The score
    is the sum of these values, divided by the sum of all weights. Links without probabilities have p = 1.
    """

    def score_of(alignment: Alignment, similarities: Similarities) -> float:
        links = alignment.words
        words = alignment.source.words, alignment.target.words
        probabilities = links.scores or (1.0,) * len(links)
        total = 0.0
        for which in side:
            credits: dict[int, float] = {}
            for link, p, s in zip(links, probabilities, similarities, strict=True):
                credits[link[which]] = max(credits.get(link[which], 0.0), p * s)
            total += weighted_coverage(words[which], credits, weights)
        return total / len(side)

    def score(alignments: Sequence[Alignment], similarities: Sequence[Similarities]) -> list[Figures]:
        scores = [score_of(*one) for one in zip(alignments, similarities, strict=True)]
        return [replace(scorer(scores), use="weighted")]

    return score


def similarity_scorer(sets: Sequence[str], gold: Sequence[float]) -> Scorer:
    """Pearson correlation over several sets, weighted by their sizes (Sultan et al. 2014, table 4)."""

    def figures(scores: Sequence[float]) -> Figures:
        values = {}
        for name in dict.fromkeys(sets):
            of_set = [k for k, its_set in enumerate(sets) if its_set == name]
            values[f"pearson.{name}"] = 100 * pearson([scores[k] for k in of_set], [gold[k] for k in of_set])
        return Figures.of("sts2013", {"pearson": weighted_pearson(sets, scores, gold)}, values)

    return figures


def classification_scorer(table: str, labels: Sequence[bool], tuning: int) -> Scorer:
    """Accuracy at the threshold that is best on the first ``tuning`` pairs, measured on the others."""

    def figures(scores: Sequence[float]) -> Figures:
        threshold = best_threshold(scores[:tuning], labels[:tuning])
        measured, wanted = scores[tuning:], labels[tuning:]
        found = classify(measured, wanted, threshold).scores
        right = [(value >= threshold) == label for value, label in zip(measured, wanted, strict=True)]
        extra = {name: 100 * getattr(found, name) for name in ("precision", "recall", "f1")}
        return Figures.of(table, {"accuracy": mean(right)}, extra | {"threshold": 100 * threshold})

    return figures


def ranking_scorer(questions: Sequence[str], labels: Sequence[bool]) -> Scorer:
    """MAP and MRR of ranked answers (Yao et al. 2013, table 5c)."""

    def figures(scores: Sequence[float]) -> Figures:
        found = rank(questions, scores, labels)
        return Figures.of("qa", {"map": mean(found.average_precision), "mrr": mean(found.reciprocal_rank)})

    return figures


_ENTAILMENT, _CONTRADICTION, _NEUTRAL = "ENTAILMENT", "CONTRADICTION", "NEUTRAL"
_JUDGEMENTS = "entailment_judgment"
# What each relation of the whole sentences says; nothing is said where it is unknown.
_SAYS = {"equivalent": _ENTAILMENT, "more specific": _ENTAILMENT, "opposite": _CONTRADICTION}


def sick_task(files: Files, split: str) -> Task:
    """Make the task of SICK (Marelli et al. 2014): entailment, contradiction or neutral.

    Raises InputError if a pair cannot be read, or there are no judgements.
    """
    pairs = files.pairs(columns=("sentence_A", "sentence_B"))
    path = files.paths[0]
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if _JUDGEMENTS not in (rows.fieldnames or ()):
            raise InputError(f"expected a column {_JUDGEMENTS}, found {rows.fieldnames}", file=str(path))
        judgements = [row[_JUDGEMENTS] for row in islice(rows, len(pairs))]
    return Task([pair.id for pair in pairs], tokenized_sentences(pairs), entailment_scorer(judgements))


def entailment_scorer(judgements: Sequence[str]) -> Scoring:
    """Score root relations: one table, ``sick``.

    A root relation *opposite* says contradiction, *equivalent* and *more specific* say entailment, and any
    other, or none, neutral. Precision, recall and F1 are those of contradictions. ``denied`` is the share of
    entailments that are called opposite or different.
    """
    wanted = np.array(judgements)

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        relations = [one.root_relation for one in alignments]
        said = np.array([_SAYS.get(one, _NEUTRAL) for one in relations])
        is_denied = np.isin(relations, ("opposite", "different"))
        statistics = _detection(said == _CONTRADICTION, wanted == _CONTRADICTION)
        entailed = wanted == _ENTAILMENT
        statistics |= {
            "entailment.f1": _detection(said == _ENTAILMENT, entailed)["f1"],
            "denied": share(is_denied & entailed, entailed),
            "accuracy": share(said == wanted, np.ones(len(wanted))),
        }
        return [Figures.of("sick", statistics)]

    return score


def paws_task(files: Files, split: str) -> Task:
    """Make the task of PAWS (Zhang et al. 2019): paraphrases among pairs of nearly the same words.

    Raises InputError if a pair cannot be read or has no label: names it.
    """
    pairs = files.pairs(columns=("sentence1", "sentence2"))
    for pair in pairs:
        if pair.label is None:
            raise pair.located(InputError(f"pair {pair.id!r}: expected a label, found none", field="label"))
    labels = [bool(pair.label) for pair in pairs]
    return Task([pair.id for pair in pairs], tokenized_sentences(pairs), paraphrase_scorer(labels))


def paraphrase_scorer(labels: Sequence[bool]) -> Scoring:
    """Score root relations, of which *equivalent* says paraphrase, and paraphrase probabilities.

    ``false`` is the share of other pairs that are called equivalent, and ``auc`` how often a paraphrase has a
    higher probability than another pair.
    """
    wanted = np.array(labels, bool)

    def of_probabilities(scores: Sequence[float]) -> Figures:
        return Figures.of("paws", {}, {"auc": area(scores, wanted)})

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        said = np.array([one.root_relation == "equivalent" for one in alignments])
        statistics = _detection(said, wanted) | {"false": share(said & ~wanted, ~wanted)}
        return [Figures.of("paws", statistics), *paraphrase_use(of_probabilities)(alignments)]

    return score


def _detection(said: np.ndarray, wanted: np.ndarray) -> dict[str, Statistic]:
    """Precision, recall and F1 of pairs that are said to be of a class."""
    rows = np.stack([said & wanted, said, wanted], axis=1).astype(float)

    def ratios(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return safe_divide(sums[..., 0], sums[..., 1]), safe_divide(sums[..., 0], sums[..., 2])

    return PooledScores(rows, ratios).statistics()


def sts2013_task(files: Files, split: str) -> Task:
    """Make the task of *SEM 2013: the similarity of pairs of several sets, one per file."""
    names = [path.name.split(".")[0] for path in files.paths]
    parts = [_named_pairs(files, index, name) for index, name in enumerate(names)]
    sets = [name for name, part in zip(names, parts, strict=True) for _ in part]
    pairs = [pair for part in parts for pair in part]
    gold = [_known(pair, pair.score, "score") for pair in pairs]
    return _application(pairs, similarity_scorer(sets, gold), BOTH)


def classified_task(table: str, side: Side) -> Callable[[Files, str], Task]:
    """Make a classification task; the last file is measured, the others tune the threshold."""

    def load(files: Files, split: str) -> Task:
        parts = [_named_pairs(files, index, path.stem) for index, path in enumerate(files.paths)]
        pairs = [pair for part in parts for pair in part]
        labels = [bool(_known(pair, pair.label, "label")) for pair in pairs]
        scorer = classification_scorer(table, labels, len(pairs) - len(parts[-1]))
        return _application(pairs, scorer, side, paraphrases=side == BOTH)

    return load


def qa_task(files: Files, split: str) -> Task:
    """Make the task of ranking the answers to each question of TREC."""
    pairs = files.pairs()
    labels = [bool(_known(pair, pair.label, "label")) for pair in pairs]
    return _application(pairs, ranking_scorer([pair.group for pair in pairs], labels), SOURCE)


def _named_pairs(files: Files, index: int, name: str) -> list[SentencePair]:
    """The pairs of a file, with its name before their ids."""
    return [replace(pair, id=f"{name}:{pair.id}") for pair in files.pairs(index)]


def _known(pair: SentencePair, value: float | None, field: str) -> float:
    if value is None:
        raise InputError(f"pair {pair.id!r}: expected a value, found none", field=field)
    return value


def _application(
    pairs: Sequence[SentencePair], scorer: Scorer, side: Side, *, paraphrases: bool = False
) -> Task:
    sentences = tokenized_sentences(pairs)
    weights = document_frequency_weights(sentence.words for pair in sentences for sentence in pair)
    uses = [naive_use(scorer, side), decoding_use(scorer)]
    if paraphrases:
        uses.append(paraphrase_use(scorer))
    return Task(
        [pair.id for pair in pairs],
        sentences,
        lambda alignments: [figures for use in uses for figures in use(alignments)],
        weighted_use(scorer, side, weights),
    )
