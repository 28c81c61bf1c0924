"""Dev pairs with gold links: aligns and scores them under a model, for training and tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.result import SearchedPair, build_alignment
from forest_align.alignment import Alignment, Links, Projection, project
from forest_align.em.corpus.corpus import CorpusPair
from forest_align.eval.metrics.phrase_scores import (
    constituent_pairs,
    constituent_spans,
    count_projected,
    phrase_ratios,
    score_phrases,
)
from forest_align.eval.metrics.scores import MatchCounts, PooledScores, Statistic
from forest_align.eval.metrics.tree_scores import score_attachment, tree_heads
from forest_align.eval.metrics.unit_scores import judge_core
from forest_align.types import InputError

# Columns of the rows of statistics.
_CONSTITUENTS, _WORDS, _REACHED, _HEADS, _CORE = slice(0, 4), slice(4, 8), 8, slice(9, 13), slice(13, 17)
_PHRASES = slice(17, None)


@dataclass(frozen=True, slots=True, eq=False)
class DevPair:
    """A dev pair and its gold, which is computed once."""

    pair: CorpusPair
    links: Links  # Its gold links: the sure ones, or all
    projection: Projection  # The links projected to the constituents of the two best trees


def align_pair(pair: CorpusPair, model: ForestModel) -> Alignment:
    """Align a corpus pair as :class:`forest_align.aligners.forest.aligner.ForestAligner` would."""
    prepared = pair.prepared(model.options_for(pair.phrases))
    arrays = prepared.align(*model.log_probabilities(pair.features), model.search_options(pair.phrases))
    searched = SearchedPair(pair.source, pair.target, pair.candidates, prepared.base, arrays, pair.phrases)
    return build_alignment(model, searched)


def statistics_row(dev: DevPair, alignment: Alignment, annotators: int = 0) -> list[float]:
    """Counts of constituents, words, heads, core pairs, 4 each of :class:`MatchCounts`, and reachability.

    Without gold trees, the counts of heads are 0, and those of core pairs without marked phrases. With
    annotators, those of :func:`~forest_align.eval.metrics.phrase_scores.phrase_ratios` follow.
    """
    constituents = count_projected(constituent_pairs(alignment), dev.projection, dev.links)
    gold, words = set(dev.links.pairs), set(alignment.words.pairs)
    right = len(gold & words)
    words_row = (right, len(words), right, len(gold))
    phrases = {(pair.source_node.span, pair.target_node.span): pair.probability for pair in alignment.phrases}
    row = [*constituents, *words_row, float(alignment.root_aligned), *_head_counts(dev.pair, alignment)]
    sides = dev.pair.source.words, dev.pair.target.words
    row += judge_core(sides, dev.pair.units, phrases).counts("near") if dev.pair.units else (0.0,) * 4
    if not annotators:
        return row
    return [*row, *score_phrases([set(phrases)], [dev.pair.annotations]).rows[0].tolist()]


def _head_counts(pair: CorpusPair, alignment: Alignment) -> tuple[float, ...]:
    """Tokens with the right head in the trees that the alignment chose."""
    if pair.gold_heads is None:
        return (0.0,) * 4
    found = [tree_heads(alignment.source_tree), tree_heads(alignment.target_tree)]
    words = [pair.source.words, pair.target.words]
    return tuple(score_attachment(pair.gold_heads, found, words).rows.sum(axis=0).tolist())


class DevSet:
    """Scores a set of dev pairs."""

    def __init__(self, pairs: Sequence[CorpusPair], links: str = "sure") -> None:
        if not pairs:
            raise InputError("expected at least one dev pair with gold links")
        self._links = links
        self.pairs = [_with_gold(pair, links) for pair in pairs]
        counts = {len(pair.annotations) for pair in pairs}
        self._annotators = counts.pop() if len(counts) == 1 else 0

    def __len__(self) -> int:
        return len(self.pairs)

    def with_trees(self) -> DevSet:
        """Only the pairs that have gold trees."""
        pairs = [dev.pair for dev in self.pairs if dev.pair.gold_heads is not None]
        if not pairs:
            raise InputError("the pairs have no gold trees", field="uas")
        return DevSet(pairs, self._links)

    def statistics(self, model: ForestModel, pairs: Sequence[int] | None = None) -> np.ndarray:
        """Align pairs (default: all) and count: float64, one row per pair, see :func:`statistics_row`."""
        chosen = range(len(self.pairs)) if pairs is None else pairs
        rows = [
            statistics_row(dev, align_pair(dev.pair, model), self._annotators)
            for dev in (self.pairs[number] for number in chosen)
        ]
        return np.array(rows, np.float64).reshape(-1, len(rows[0]) if rows else _CORE.stop)


def _with_gold(pair: CorpusPair, which: str) -> DevPair:
    if pair.links is None:
        raise InputError(f"dev pair {pair.id!r} has no gold links")
    assert pair.source.forest is not None and pair.target.forest is not None
    links = pair.links if which == "all" else pair.links.only_sure()
    spans = constituent_spans(pair.source.forest), constituent_spans(pair.target.forest)
    return DevPair(pair, links, project(*spans, links))


def figures(rows: np.ndarray) -> dict[str, Statistic]:
    """Scores of the rows: constituent precision, recall and F1, word F1 (macro), reachability.

    UAS is among them if there are gold trees; ALIP, ALIR (Arase & Tsujii 2017, §6.3) and their F1 if there
    are phrases of annotators; F1 (near) of core pairs if there are any, or units of several words.
    """
    constituents = MatchCounts(rows[:, _CONSTITUENTS]).micro_statistics()
    words = MatchCounts(rows[:, _WORDS]).macro_statistics()
    reached = rows[:, _REACHED]
    share = Statistic(np.stack([reached, np.ones_like(reached)], 1), lambda sums: sums[..., 0] / sums[..., 1])
    found = {f"constituent {name}": statistic for name, statistic in constituents.items()}
    heads = MatchCounts(rows[:, _HEADS])
    if heads.rows.any():
        found["uas"] = heads.micro_statistics()["recall"]
    if rows[:, _CORE].any():
        found["core f1"] = _core_f1(rows)
    if rows.shape[1] > _PHRASES.start:
        phrases = PooledScores(rows[:, _PHRASES], phrase_ratios).statistics()
        found |= {"ALIP": phrases["precision"], "ALIR": phrases["recall"], "phrase f1": phrases["f1"]}
    return {**found, "word f1": words["f1"], "reachability": share}


def _core_f1(rows: np.ndarray) -> Statistic:
    return MatchCounts(rows[:, _CORE]).micro_statistics()["f1"]


# Objectives of the sweep and the names of their figures.
OBJECTIVES = {
    "constituent-f1": "constituent f1",
    "word-f1": "word f1",
    "uas": "uas",
    "phrase-f1": "phrase f1",
    "core-f1": "core f1",
}
#: What they are scored by if not word links, see :func:`forest_align.em.corpus.parsed_pairs.with_gold`.
OBJECTIVE_GOLD = {"uas": "trees", "phrase-f1": "phrases", "core-f1": "marked phrases"}


def objective_value(rows: np.ndarray, objective: str) -> float:
    """Value of an objective in percent."""
    if objective == "core-f1":  # a part of the pairs may have nothing to count
        return 100 * _core_f1(rows).value
    found = figures(rows)
    if OBJECTIVES[objective] not in found:
        raise InputError(f"the pairs have no gold {OBJECTIVE_GOLD[objective]}", field=objective)
    return 100 * found[OBJECTIVES[objective]].value
