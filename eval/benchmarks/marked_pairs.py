"""Aligned pairs with marked spans, for models that learn from them, and how well their spans are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from forest_align.eval.benchmarks._differing_spans import token_span
from forest_align.eval.benchmarks.reading import Files, tokenized_sentences
from forest_align.eval.metrics.span_differences import difference_statistics, score_sentence
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.aligners.base import Aligner
    from forest_align.alignment import Alignment

Span = tuple[int, int]


class SpanPair(Protocol):
    """Spans of two sentences."""

    @property
    def source(self) -> Span:
        """Half-open token span of the source."""
        ...

    @property
    def target(self) -> Span:
        """Half-open token span of the target."""
        ...


@dataclass(frozen=True, slots=True)
class MarkedPair:
    """An aligned pair with the spans that people marked.

    Attributes
    ----------
    alignment : Alignment
        The alignment.
    marked : sequence of ((int, int), (int, int), bool)
        Half-open token spans of source and target, and whether they mean the same.
    """

    alignment: Alignment
    marked: Sequence[tuple[Span, Span, bool]]


def read_marked(path: Path, aligner: Aligner, limit: int | None = None) -> Iterator[MarkedPair]:
    """Read and align pairs with marked spans.

    Raises
    ------
    InputError
        If a pair cannot be read or aligned, or has no marked spans.
    """
    pairs = Files([path], limit).pairs()
    sentences = tokenized_sentences(pairs)
    for pair, both, alignment in zip(pairs, sentences, aligner.align_many(sentences), strict=True):
        if not pair.marked:
            raise pair.located(InputError(f"pair {pair.id!r}: expected marked spans", field="marked"))
        if alignment.error:
            raise pair.located(InputError(f"pair {pair.id!r}: {alignment.error}"))
        spans = [(token_span(both[0], m.source), token_span(both[1], m.target), m.same) for m in pair.marked]
        yield MarkedPair(alignment, spans)


def difference_rows(
    pairs: Sequence[MarkedPair], systems: Mapping[str, Sequence[Sequence[SpanPair]]]
) -> Iterator[str]:
    """A table of the figures of ``benchmark ssd``: a row for each system's spans that differ."""
    yield f"| {len(pairs)} pairs | P | R | F1 | F1 same | F1 different |"
    yield "|---" * 6 + "|"
    differs = [not all(same for _, _, same in one.marked) for one in pairs]
    for name, found in systems.items():
        scores = []
        for one, spans in zip(pairs, found, strict=True):
            wanted = [both for both in one.marked if not both[2]]
            source, target = one.alignment.source.words, one.alignment.target.words
            scores.append(
                (
                    score_sentence(source, [s for s, _, _ in wanted], _filled(span.source for span in spans)),
                    score_sentence(target, [t for _, t, _ in wanted], _filled(span.target for span in spans)),
                )
            )
        figures = difference_statistics(scores, differs)
        yield f"| {name} | {' | '.join(f'{100 * one.value:.1f}' for one in figures.values())} |"


def _filled(spans: Iterator[Span]) -> list[Span]:
    return [(start, end) for start, end in spans if end > start]
