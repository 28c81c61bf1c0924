"""The span similarity dataset (SSD) as a benchmark: the spans in which two sentences differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forest_align.alignment import Alignment, Span
from forest_align.data.formats.format import SentencePair
from forest_align.differences import differences_of
from forest_align.eval.benchmarks.task import Figures, Files, Task, tokenized_sentences
from forest_align.eval.metrics.change_scores import difference_statistics, score_sentence
from forest_align.types import InputError, Sentence


@dataclass(frozen=True, slots=True)
class Differences:
    """The spans of two sentences that differ in meaning: half-open token spans, ascending."""

    source: Sequence[Span]
    target: Sequence[Span]


def ssd_task(files: Files, split: str) -> Task:
    """Make the SSD task. Raises InputError if a pair cannot be read or has no marked spans: names it."""
    pairs = files.pairs()
    sentences = tokenized_sentences(pairs)
    gold = [_gold(pair, *both) for pair, both in zip(pairs, sentences, strict=True)]
    return Task([pair.id for pair in pairs], sentences, difference_scorer(gold))


def _gold(pair: SentencePair, source: Sentence, target: Sentence) -> Differences:
    if pair.marked is None:
        raise pair.located(InputError(f"pair {pair.id!r}: expected marked spans, found none", field="marked"))
    differing = [one for one in pair.marked if not one.same]
    return Differences(
        [_token_span(source, one.source) for one in differing],
        [_token_span(target, one.target) for one in differing],
    )


def _token_span(sentence: Sentence, characters: Span) -> Span:
    """The tokens that a span of characters touches; empty if it has none, such as a blank."""
    start, end = characters
    inside = [k for k, token in enumerate(sentence.tokens) if token.start < end and token.end > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def difference_scorer(gold: Sequence[Differences]) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score the differing spans of alignments: one table, ``ssd``."""

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        scores = []
        for alignment, wanted in zip(alignments, gold, strict=True):
            found = differing_spans(alignment)
            scores.append(
                (
                    score_sentence(alignment.source.words, wanted.source, found.source),
                    score_sentence(alignment.target.words, wanted.target, found.target),
                )
            )
        differs = [bool(wanted.source) for wanted in gold]
        return [Figures.of("ssd", difference_statistics(scores, differs))]

    return score


def differing_spans(alignment: Alignment) -> Differences:
    """The spans in which the two sentences of an alignment differ, as ``differences`` marks them."""
    if alignment.error:
        return Differences((), ())
    found = differences_of(alignment).spans
    sides = ([one.span for one in found if one.side == side] for side in ("source", "target"))
    return Differences(*sides)
