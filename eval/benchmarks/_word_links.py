"""Corpora of gold word links as benchmarks: one run is scored against every version of the gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from forest_align.alignment import Alignment, Links, Span, project
from forest_align.data.pairs import SentencePair
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.benchmarks.task import Figures, Files, Scoring, Task, tokenized_sentences
from forest_align.eval.metrics.phrase_scores import (
    constituent_pairs,
    count_projected,
    reachability,
    score_constituents,
)
from forest_align.eval.metrics.tree_scores import Arc, score_projected
from forest_align.eval.metrics.word_scores import WordPair, score_words
from forest_align.types import InputError


@dataclass(frozen=True, slots=True)
class GoldVersion:
    """One version of the gold links of a corpus, and the name of its table."""

    table: str
    links: Sequence[Links]
    wanted: str = "sure"


def word_scorer(
    versions: Sequence[GoldVersion],
    ids: Sequence[str],
    constituents: Sequence[tuple[Sequence[Span], Sequence[Span]]] | None = None,
    table: str = "",
) -> Scoring:
    """Score word links against each version of the gold and, if there are trees, phrases as well.

    Links are projected to constituents from the first version. An aligner that makes no phrases has no line
    for them.
    """
    gold = [links.only_sure() for links in versions[0].links]

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = []
        for version in versions:
            pairs = (
                WordPair(alignment.source.words, alignment.target.words, links, alignment.words, name)
                for alignment, links, name in zip(alignments, version.links, ids, strict=True)
            )
            scores = score_words(pairs, links=version.wanted)
            kinds = {
                f"{kind}.{name}": 100 * getattr(of_kind, name)
                for kind, of_kind in scores.by_kind().items()
                for name in ("precision", "recall", "f1")
            }
            found.append(Figures.of(version.table, scores.statistics(), kinds))
        if constituents is not None and any(alignment.has_derivation for alignment in alignments):
            rows = [
                count_projected(constituent_pairs(alignment), project(*spans, sure), sure)
                for alignment, sure, spans in zip(alignments, gold, constituents, strict=True)
            ]
            reached = 100 * reachability(alignment.root_aligned for alignment in alignments)
            statistics = score_constituents(rows).micro_statistics()
            found.append(Figures.of(table, statistics, {"reachability": reached}))
        return found

    return score


def _dependency_scorer(
    versions: Sequence[GoldVersion], arcs: Sequence[tuple[Sequence[Arc], Sequence[Arc]]]
) -> Scoring:
    """Score the dependencies aligned by word links against those aligned by each version of the gold."""
    gold = {
        version.table: [links if version.wanted == "all" else links.only_sure() for links in version.links]
        for version in versions
    }

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = [alignment.words for alignment in alignments]
        return [Figures.of(table, score_projected(links, found, arcs)) for table, links in gold.items()]

    return score


def _links_of(pairs: Sequence[SentencePair]) -> list[Links]:
    return [Links() if pair.links is None else pair.links for pair in pairs]


def msr_rte_task(files: Files, split: str) -> Task:
    """Make the task of MSR-RTE, whose second file has the phrasal version."""
    pairs = files.pairs()
    phrasal = files.version(1, pairs)
    versions = [GoldVersion("msr-rte", _links_of(pairs)), GoldVersion("msr-rte phrasal", _links_of(phrasal))]
    return _word_task(pairs, versions)


def edinburgh_task(files: Files, split: str) -> Task:
    """Make the task of Edinburgh++: sure, possible and phrasal links, and Stanford parses."""
    pairs = files.pairs()
    possible, phrasal = (files.version(index, pairs) for index in (1, 2))
    versions = [
        GoldVersion("edinburgh", _links_of(pairs)),
        GoldVersion("edinburgh sure+possible", _links_of(possible), "all"),
        GoldVersion("edinburgh phrasal", _links_of(phrasal)),
    ]
    parses, most = StanfordParses.read(files.paths[3]), files.limit and 2 * files.limit
    trees = parses.constituents()[:most]
    lengths = [len(sentence) for pair in pairs for sentence in (pair.source, pair.target)]
    if [length for length, _ in trees] != lengths:
        raise InputError("expected the trees of the corpus's sentences, in order", file=str(files.paths[3]))
    spans = [spans for _, spans in trees]
    constituents = list(zip(spans[::2], spans[1::2], strict=True))
    words = _word_task(pairs, versions, constituents, "edinburgh constituents")
    arcs = parses.arcs()[:most]
    if not arcs:
        return words
    if len(arcs) != len(lengths):
        raise InputError("expected dependencies of all sentences, or none", file=str(files.paths[3]))
    dependencies = _dependency_scorer(
        [
            GoldVersion("edinburgh dependencies", versions[0].links),
            GoldVersion("edinburgh dependencies sure+possible", versions[1].links, "all"),
        ],
        list(zip(arcs[::2], arcs[1::2], strict=True)),
    )
    return replace(words, score=lambda found: [*words.score(found), *dependencies(found)])


def multi_mwa_task(table: str) -> Callable[[Files, str], Task]:
    """Make tasks of a corpus of MultiMWA; a second table counts the possible links, if there are any."""

    def load(files: Files, split: str) -> Task:
        pairs = files.pairs()
        versions = [GoldVersion(table, _links_of(pairs))]
        if any(links.sure is not None for links in versions[0].links):
            versions.append(GoldVersion(f"{table} sure+possible", versions[0].links, "all"))
        return _word_task(pairs, versions)

    return load


def _word_task(
    pairs: Sequence[SentencePair],
    versions: Sequence[GoldVersion],
    constituents: Sequence[tuple[Sequence[Span], Sequence[Span]]] | None = None,
    table: str = "",
) -> Task:
    ids = [pair.id for pair in pairs]
    return Task(ids, tokenized_sentences(pairs), word_scorer(versions, ids, constituents, table))
