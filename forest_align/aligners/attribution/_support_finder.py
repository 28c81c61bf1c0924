"""Finds the spans of a source that support the spans of a summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from msgspec import structs

from forest_align._version import __version__
from forest_align.aligners.attribution.supported_words import (
    ComparedSentence,
    chunk_spans,
    compared_sentence,
    content_words,
    main_words,
    support_of_words,
)
from forest_align.aligners.contextual import ContextualAligner
from forest_align.aligners.documents.document_sentences import Document, SentenceEncoder, sentences_of_sides
from forest_align.aligners.documents.sentence_matches import SentenceMatches
from forest_align.alignment import Span, SummarySpan, SupportingSpan, SupportReport
from forest_align.meaning.relation_algebra import DIFFERENT, MIXED, OPPOSITE, STRENGTH, UNKNOWN, related_by
from forest_align.system.processes import check_counts
from forest_align.types import Sentence
from forest_align.types.json_fields import check_probability

# A sentence of the source that covers no more of the summary's sentence than the others is no candidate.
_LEAST_GAIN = 0.01
# A chunk of which the source says some words only is split between probabilities above and below this.
_HALF = 0.5


class SupportFinder:
    """Compares summaries with their sources, word by word.

    Parameters
    ----------
    threshold : float
        Spans of the source support a span of the summary if they do so at least this probably.
    sentences : int
        For each sentence of a summary at most so many sentences of the source are read closely.
    words : ContextualAligner, optional
        Links words; by default the bundled one.

    Raises
    ------
    InputError
        If the threshold is not a probability, or the number is less than 1.
    """

    def __init__(
        self, *, threshold: float = 0.5, sentences: int = 3, words: ContextualAligner | None = None
    ) -> None:
        self.threshold = check_probability(threshold, "threshold")
        check_counts(sentences=sentences)
        self.sentences = sentences
        self.words = words or ContextualAligner()
        self._encoder = SentenceEncoder()

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
        sides = [side.sentences for side in sentences_of_sides(summary=summary, source=source)]
        encoded = list(self._encoder([*sides[0], *sides[1]]))
        first, second = encoded[: len(sides[0])], encoded[len(sides[0]) :]
        matches = SentenceMatches(first, second)
        spans: list[SummarySpan] = []
        for number, sentence in enumerate(first):
            close = closest_sentences(matches, number, self.sentences)
            spans += self._spans(number, sentence, [(j, second[j]) for j in close])
        return SupportReport(
            tuple(sentence.text for sentence in first),
            tuple(sentence.text for sentence in second),
            tuple(spans),
            id,
            {"version": __version__},
        )

    def _spans(
        self, number: int, sentence: Sentence, candidates: Sequence[tuple[int, Sentence]]
    ) -> Iterator[SummarySpan]:
        """The spans of a sentence of the summary, with their support in some sentences of the source."""
        read = [(j, other) for j, other in candidates if other.vectors is not None]
        compared = [compared_sentence(self.words, sentence, other) for _, other in read]
        probability, content = support_of_words(sentence, compared), content_words(sentence)
        chunks = [chunk_spans(other.tags, other.words) for _, other in read]
        for span in split_spans(chunk_spans(sentence.tags, sentence.words), probability >= _HALF):
            words = main_words(content, span)
            supported = float(probability[span[0] : span[1]].mean())
            support, against = [], []
            for (j, other), comparison, others in zip(read, compared, chunks, strict=True):
                for chunk in others:
                    place = j, _characters(other, chunk)
                    # *Because* is not in the chunk *of the rain*.
                    has_preposition = chunk[0] > 0 and other.tags[chunk[0] - 1] == "IN"
                    relation = _contradiction(comparison, span, (chunk[0] - has_preposition, chunk[1]))
                    if relation:
                        links = float(comparison.links[slice(*span), slice(*chunk)].max())
                        against.append(SupportingSpan(*place, links, relation))
                    strength = float(comparison.supporting[words, slice(*chunk)].max(1).mean())
                    support.append(SupportingSpan(*place, strength, _relation(comparison, span, chunk)))
            if against and supported < _HALF:  # another value supports nothing, however low the threshold is
                support = []
            yield SummarySpan(
                number,
                _characters(sentence, span),
                supported,
                tuple(self._supporting(supported, support)),
                tuple(sorted(against, key=lambda other: -other.probability)),
            )

    def _supporting(self, supported: float, spans: Sequence[SupportingSpan]) -> Iterator[SupportingSpan]:
        """The spans that support one, the best first; others are less probable as they are linked less."""
        best = max((span.probability for span in spans), default=0.0)
        for span in sorted(spans, key=lambda span: -span.probability):
            probability = supported * span.probability / best if best else 0.0
            if probability >= self.threshold:
                yield structs.replace(span, probability=probability)


def split_spans(spans: Iterable[Span], marks: np.ndarray) -> Iterator[Span]:
    """The parts of spans inside which all words have the same mark."""
    for start, end in spans:
        ends = [word for word in range(start + 1, end) if marks[word] != marks[word - 1]]
        yield from pairwise((start, *ends, end))


def _contradiction(compared: ComparedSentence, span: Span, other: Span) -> str:
    """The relation of two spans of which linked words are opposed or different; else empty."""
    relations = [
        known.relation
        for known in compared.relations
        if known.relation in (DIFFERENT, OPPOSITE) and known.source is not None and known.target is not None
        if _touch(known.source, span) and _touch(known.target, other)
    ]
    return max(relations, key=STRENGTH.index) if relations and compared.corresponds else ""


def _relation(compared: ComparedSentence, span: Span, other: Span) -> str:
    """How a span of the summary is related to one of the source; *similar* if not more is known."""
    name = related_by(known for known in compared.relations if known.lies_in(span, other))
    return "similar" if name in (UNKNOWN, MIXED) else name


def _touch(span: Span, other: Span) -> bool:
    return span[0] < other[1] and other[0] < span[1]


def _characters(sentence: Sentence, span: Span) -> Span:
    """Character offsets of a token span."""
    return sentence.tokens[span[0]].start, sentence.tokens[span[1] - 1].end


def closest_sentences(matches: SentenceMatches, number: int, count: int) -> list[int]:
    """Sentences of the source that together cover a sentence of the summary best, chosen one by one."""
    covered = {j: coverage.source for (i, j), coverage in matches.coverage.items() if i == number}
    weights = matches.weights[0][matches.source.words(number)]
    chosen: list[int] = []
    so_far = np.zeros(len(weights), np.float32)
    while covered and len(chosen) < count:
        totals = {j: float(np.maximum(so_far, similar) @ weights) for j, similar in covered.items()}
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
