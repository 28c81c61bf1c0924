"""Finds the spans of a source that support the spans of a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from forest_align._version import __version__
from forest_align.aligners.attribution.chunk_support import chunk_relations, chunk_support
from forest_align.aligners.attribution.tagged_chunks import chunk_spans
from forest_align.aligners.chunks import ChunkAligner
from forest_align.aligners.documents.document_sentences import (
    Document,
    SentenceEncoder,
    sentences_of_sides,
)
from forest_align.aligners.documents.sentence_matches import SentenceMatches
from forest_align.alignment import CHUNK_RELATIONS, Span, SummarySpan, SupportingSpan, SupportReport
from forest_align.meaning import atomic_relations
from forest_align.meaning.relation_algebra import DIFFERENT, OPPOSITE
from forest_align.types import Sentence
from forest_align.types.json_fields import check_probability
from forest_align.workers.processes import check_counts

# A sentence of the source that covers no more of the summary's sentence than the others is no candidate.
_LEAST_GAIN = 0.01
# A chunk of the source contradicts one of the summary if they correspond at least this probably.
_CORRESPONDING = 0.5


class SupportFinder:
    """Compares summaries with their sources, chunk by chunk.

    Parameters
    ----------
    threshold : float
        Spans of the source support a span of the summary if they do so at least this probably.
    sentences : int
        For each sentence of a summary at most so many sentences of the source are read closely.
    chunks : ChunkAligner, optional
        Judges pairs of chunks; by default that of the bundled models.

    Raises
    ------
    InputError
        If the threshold is not a probability, or the number is less than 1.
    """

    def __init__(
        self, *, threshold: float = 0.5, sentences: int = 3, chunks: ChunkAligner | None = None
    ) -> None:
        self.threshold = check_probability(threshold, "threshold")
        check_counts(sentences=sentences)
        self.sentences = sentences
        self._chunks = chunks
        self._encoder = SentenceEncoder()

    @cached_property
    def chunks(self) -> ChunkAligner:
        """Judges pairs of chunks."""
        return self._chunks or ChunkAligner()

    def find(self, summary: Document, source: Document, *, id: str = "") -> SupportReport:
        """Compare a summary with its source.

        Parameters
        ----------
        summary, source : str or sequence of str or sequence of Sentence
            Texts, or their sentences one by one.
        id : str
            Name of the pair.

        Raises
        ------
        InputError
            If one is neither a text nor a sequence of sentences, or is too long.
        """
        sides = [one.sentences for one in sentences_of_sides(summary=summary, source=source)]
        encoded = list(self._encoder([*sides[0], *sides[1]]))
        first, second = encoded[: len(sides[0])], encoded[len(sides[0]) :]
        matches = SentenceMatches(first, second)
        spans: list[SummarySpan] = []
        for number, sentence in enumerate(first):
            close = closest_sentences(matches, number, self.sentences)
            spans += self._spans(number, sentence, [(j, second[j]) for j in close])
        return SupportReport(
            tuple(one.text for one in first),
            tuple(one.text for one in second),
            tuple(spans),
            id,
            {"version": __version__},
        )

    def _spans(
        self, number: int, sentence: Sentence, candidates: Sequence[tuple[int, Sentence]]
    ) -> Iterator[SummarySpan]:
        """The spans of a sentence of the summary, with their support in some sentences of the source."""
        own = chunk_spans(sentence.tags, sentence.words)
        best = np.zeros(len(own))
        support: list[list[SupportingSpan]] = [[] for _ in own]
        chunked = [(j, other, chunk_spans(other.tags, other.words)) for j, other in candidates if own]
        chunked = [one for one in chunked if one[2]]
        judged = chunk_support(self.chunks, sentence, own, [(other, theirs) for _, other, theirs in chunked])
        against: list[list[SupportingSpan]] = [[] for _ in own]
        for (j, other, theirs), found in zip(chunked, judged, strict=True):
            words = self.chunks.words.align_prepared(sentence, other).words
            known = chunk_relations(own, theirs, atomic_relations(sentence, other, words.pairs))
            supports = found.probability.copy()
            for cell in known:
                supports[cell] = 0.0
            best = np.maximum(best, supports.max(1))
            for a, b in np.argwhere(supports >= self.threshold).tolist():
                characters = _characters(other, theirs[b])
                relation = CHUNK_RELATIONS[int(found.relation[a, b])]
                support[a].append(SupportingSpan(j, characters, float(supports[a, b]), relation))
            for (a, b), relation in known.items():
                aligned = float(found.aligned[a, b])
                if relation in (DIFFERENT, OPPOSITE) and aligned >= _CORRESPONDING:
                    against[a].append(SupportingSpan(j, _characters(other, theirs[b]), aligned, relation))
        for span, probability, *both in zip(own, best.tolist(), support, against, strict=True):
            supporting, contradicting = (
                tuple(sorted(spans, key=lambda one: -one.probability)) for spans in both
            )
            yield SummarySpan(number, _characters(sentence, span), probability, supporting, contradicting)


def _characters(sentence: Sentence, span: Span) -> Span:
    """Character offsets of a token span."""
    return sentence.tokens[span[0]].start, sentence.tokens[span[1] - 1].end


def closest_sentences(matches: SentenceMatches, number: int, count: int) -> list[int]:
    """Sentences of the source that together cover a sentence of the summary best, chosen one by one.

    Parameters
    ----------
    matches : SentenceMatches
        Summary and source.
    number : int
        The sentence of the summary.
    count : int
        How many to choose at most.
    """
    covered = {j: found.source for (i, j), found in matches.coverage.items() if i == number}
    weights = matches.weights[0][matches.source.words(number)]
    chosen: list[int] = []
    so_far = np.zeros(len(weights), np.float32)
    while covered and len(chosen) < count:
        totals = {j: float(np.maximum(so_far, one) @ weights) for j, one in covered.items()}
        best = max(totals, key=lambda j: (totals[j], -j))
        if chosen and totals[best] - float(so_far @ weights) < _LEAST_GAIN * float(weights.sum()):
            break
        so_far = np.maximum(so_far, covered.pop(best))
        chosen.append(best)
    return chosen


def support(summary: Document, source: Document, *, threshold: float = 0.5) -> SupportReport:
    """Find for each span of a summary the spans of its source that support it.

    Each call loads the models again. For more than one pair, use a :class:`SupportFinder`.

    Parameters
    ----------
    summary, source : str or sequence of str or sequence of Sentence
        Texts, or their sentences one by one.
    threshold : float
        Spans of the source support a span of the summary if they do so at least this probably.

    Raises
    ------
    InputError
        See :class:`SupportFinder` and its :meth:`~SupportFinder.find`.
    """
    return SupportFinder(threshold=threshold).find(summary, source)
