"""Dev pairs with gold links: aligns and scores them under a model, for training and tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.result import build_alignment
from forest_align.alignment import Alignment, Links, Projection, project
from forest_align.em.corpus.corpus import CorpusPair
from forest_align.eval.metrics.constituents import constituent_pairs, constituent_spans, count_projected
from forest_align.eval.metrics.dependencies import score_attachment, tree_heads
from forest_align.eval.metrics.scores import MatchCounts, Statistic
from forest_align.types import InputError

# Columns of the rows of statistics.
_CONSTITUENTS, _WORDS, _REACHED, _HEADS = slice(0, 4), slice(4, 8), 8, slice(9, 13)


@dataclass(frozen=True, slots=True, eq=False)
class DevPair:
    """A dev pair and its gold, which is computed once.

    Attributes
    ----------
    pair : CorpusPair
        The pair.
    links : Links
        Its gold links: the sure ones, or all.
    projection : Projection
        The links projected to the constituents of the two best trees.
    """

    pair: CorpusPair
    links: Links
    projection: Projection


def align_pair(pair: CorpusPair, model: ForestModel) -> Alignment:
    """Align a corpus pair as :class:`forest_align.aligners.forest.aligner.ForestAligner` would."""
    prepared = pair.prepared(model.options_for(pair.phrases))
    arrays = prepared.align(*model.log_probabilities(pair.features), model.search_options(pair.phrases))
    return build_alignment(
        model, pair.source, pair.target, arrays, prepared.base, pair.candidates, pair.phrases
    )


def statistics_row(dev: DevPair, alignment: Alignment) -> list[float]:
    """Counts of constituents, words, heads (4 each, see :class:`MatchCounts`), and whether roots are aligned.

    Without gold trees, the counts of heads are 0.
    """
    constituents = count_projected(constituent_pairs(alignment), dev.projection, dev.links)
    gold, words = set(dev.links.pairs), set(alignment.words.pairs)
    right = len(gold & words)
    words_row = (right, len(words), right, len(gold))
    return [*constituents, *words_row, float(alignment.root_aligned), *_head_counts(dev.pair, alignment)]


def _head_counts(pair: CorpusPair, alignment: Alignment) -> tuple[float, ...]:
    """Tokens with the right head in the trees that the alignment chose."""
    if pair.gold_heads is None:
        return (0.0,) * 4
    found = [tree_heads(alignment.source_tree), tree_heads(alignment.target_tree)]
    words = [pair.source.words, pair.target.words]
    return tuple(score_attachment(pair.gold_heads, found, words).rows.sum(axis=0).tolist())


class DevSet:
    """Scores a set of dev pairs.

    Parameters
    ----------
    pairs : sequence of CorpusPair
        Pairs with gold links; a pair without them is an error.
    links : {"sure", "all"}
        Which gold links count.

    Raises
    ------
    InputError
        If there are no pairs, or one has no links.
    """

    def __init__(self, pairs: Sequence[CorpusPair], links: str = "sure") -> None:
        if not pairs:
            raise InputError("expected at least one dev pair with gold links")
        self._links = links
        self.pairs = [_with_gold(pair, links) for pair in pairs]

    def __len__(self) -> int:
        return len(self.pairs)

    def with_trees(self) -> DevSet:
        """Only the pairs that have gold trees.

        Raises
        ------
        InputError
            If no pair has gold trees.
        """
        pairs = [dev.pair for dev in self.pairs if dev.pair.gold_heads is not None]
        if not pairs:
            raise InputError("the pairs have no gold trees", field="uas")
        return DevSet(pairs, self._links)

    def statistics(self, model: ForestModel, pairs: Sequence[int] | None = None) -> np.ndarray:
        """Align pairs (default: all) and count: float64, one row per pair, see :func:`statistics_row`."""
        chosen = range(len(self.pairs)) if pairs is None else pairs
        rows = [statistics_row(self.pairs[k], align_pair(self.pairs[k].pair, model)) for k in chosen]
        return np.array(rows, np.float64).reshape(-1, _HEADS.stop)


def _with_gold(pair: CorpusPair, which: str) -> DevPair:
    if pair.links is None:
        raise InputError(f"dev pair {pair.id!r} has no gold links")
    assert pair.source.forest is not None and pair.target.forest is not None
    links = pair.links if which == "all" else pair.links.only_sure()
    spans = constituent_spans(pair.source.forest), constituent_spans(pair.target.forest)
    return DevPair(pair, links, project(*spans, links))


def figures(rows: np.ndarray) -> dict[str, Statistic]:
    """Scores of the rows: constituent precision, recall and F1, word F1 (macro), reachability."""
    constituents = MatchCounts(rows[:, _CONSTITUENTS]).micro_statistics()
    words = MatchCounts(rows[:, _WORDS]).macro_statistics()
    reached = rows[:, _REACHED]
    share = Statistic(np.stack([reached, np.ones_like(reached)], 1), lambda sums: sums[..., 0] / sums[..., 1])
    found = {f"constituent {name}": statistic for name, statistic in constituents.items()}
    heads = MatchCounts(rows[:, _HEADS])
    if heads.rows.any():
        found["uas"] = heads.micro_statistics()["recall"]
    return {**found, "word f1": words["f1"], "reachability": share}


# Objectives of the sweep and the names of their figures.
OBJECTIVES = {"constituent-f1": "constituent f1", "word-f1": "word f1", "uas": "uas"}


def objective_value(rows: np.ndarray, objective: str) -> float:
    """Value of an objective in percent.

    Raises
    ------
    InputError
        If the pairs have no gold data for it.
    """
    found = figures(rows)
    if OBJECTIVES[objective] not in found:
        raise InputError("the pairs have no gold trees", field=objective)
    return 100 * found[OBJECTIVES[objective]].value
