"""Corpora of gold word links as benchmarks: one run is scored against every version of the gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forest_align.alignment import Alignment, Links, Span, project
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.metrics.phrase_scores import (
    constituent_pairs,
    count_projected,
    reachability,
    score_constituents,
)
from forest_align.eval.metrics.tree_scores import Arc, score_projected
from forest_align.eval.metrics.word_scores import WordPair, WordScores, score_words


@dataclass(frozen=True, slots=True)
class GoldVersion:
    """One version of the gold links of a corpus, and the name of its table."""

    table: str
    links: Sequence[Links]
    wanted: str = "sure"


def _word_figures(scores: WordScores, table: str) -> Figures:
    """Gather word scores, including kinds of links, into one line of a table."""
    kinds = {
        f"{kind}.{name}": 100 * getattr(found, name)
        for kind, found in scores.by_kind().items()
        for name in ("precision", "recall", "f1")
    }
    return Figures.of(table, scores.statistics(), kinds)


def word_scorer(
    versions: Sequence[GoldVersion],
    ids: Sequence[str],
    constituents: Sequence[tuple[Sequence[Span], Sequence[Span]]] | None = None,
    table: str = "",
) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score word links against each version of the gold and, if there are trees, phrases as well.

    Links are projected to constituents from the first version. An aligner that makes no phrases has no line
    for them.
    """

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = []
        for version in versions:
            pairs = (
                WordPair(alignment.source.words, alignment.target.words, gold, alignment.words, name)
                for alignment, gold, name in zip(alignments, version.links, ids, strict=True)
            )
            found.append(_word_figures(score_words(pairs, links=version.wanted), version.table))
        if constituents is not None and any(alignment.has_derivation for alignment in alignments):
            found.append(_constituent_figures(alignments, versions[0].links, constituents, table))
        return found

    return score


def dependency_scorer(
    versions: Sequence[GoldVersion], arcs: Sequence[tuple[Sequence[Arc], Sequence[Arc]]]
) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score the dependencies aligned by word links against those aligned by each version of the gold."""

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = [alignment.words for alignment in alignments]
        return [
            Figures.of(
                version.table,
                score_projected(
                    [links if version.wanted == "all" else links.only_sure() for links in version.links],
                    found,
                    arcs,
                ),
            )
            for version in versions
        ]

    return score


def _constituent_figures(
    alignments: Sequence[Alignment],
    gold: Sequence[Links],
    constituents: Sequence[tuple[Sequence[Span], Sequence[Span]]],
    table: str,
) -> Figures:
    rows = [
        count_projected(constituent_pairs(alignment), project(*spans, links.only_sure()), links.only_sure())
        for alignment, links, spans in zip(alignments, gold, constituents, strict=True)
    ]
    reached = 100 * reachability(alignment.root_aligned for alignment in alignments)
    return Figures.of(table, score_constituents(rows).micro_statistics(), {"reachability": reached})
