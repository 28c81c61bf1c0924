"""The pairs of sentences that callers pass to an aligner, with or without word links of their own."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass

from forest_align.aligners.words.candidate import Candidate
from forest_align.alignment import Links, Span
from forest_align.types import InputError, Sentence

Text = str | Sentence
#: Word links that the caller supplies for a pair.
GivenWords = Links | Sequence[Candidate]
#: Message for word links of a pair of raw texts.
NO_TOKENS = "given word links need tokens: use --tokenized, or an input format with tokens"
NO_TOKENS_OF_CHUNKS = "given chunks need tokens"


@dataclass(frozen=True, slots=True)
class GivenChunks:
    """The chunks of two sentences, which the caller supplies for a pair.

    Attributes
    ----------
    source, target : sequence of (int, int)
        Half-open token spans, ascending, which do not overlap.

    Raises
    ------
    InputError
        If a span is empty, or spans overlap or are not in order.
    """

    source: Sequence[Span]
    target: Sequence[Span]

    def __post_init__(self) -> None:
        for side, chunks in (("source_chunks", self.source), ("target_chunks", self.target)):
            place = 0
            for start, end in chunks:
                if not place <= start < end:
                    raise InputError(f"expected chunks in order, found [{start}, {end}]", field=side)
                place = end

    def check(self, source_length: int, target_length: int) -> GivenChunks:
        """The same chunks, if they lie inside sentences of these lengths.

        Raises
        ------
        InputError
            If one does not.
        """
        sides = (
            ("source_chunks", self.source, source_length),
            ("target_chunks", self.target, target_length),
        )
        for side, chunks, length in sides:
            if chunks and chunks[-1][1] > length:
                found = list(chunks[-1])
                raise InputError(f"expected chunks inside {length} tokens, found {found}", field=side)
        return self


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences to align.

    Attributes
    ----------
    source, target : str or Sentence
        Raw text, or sentences that may lack some annotation.
    candidates : Links or sequence of Candidate, optional
        Word links of the caller. The forest aligner uses them instead of its own word candidates. They refer
        to tokens by number, so both sentences must have tokens.
    chunks : GivenChunks, optional
        All chunks of the two sentences, for the aligner of chunks.

    Raises
    ------
    InputError
        If a sentence is neither text nor a :class:`Sentence`, or the candidates are of another type.
    """

    source: Text
    target: Text
    candidates: GivenWords | None = None
    chunks: GivenChunks | None = None

    def __post_init__(self) -> None:
        for text in (self.source, self.target):
            if not isinstance(text, str | Sentence):
                found = reprlib.repr(text)
                raise InputError(
                    f"expected a text or a Sentence, found {found}; Sentence.from_words takes words"
                )
        given = self.candidates
        if given is None or isinstance(given, Links):
            return
        if isinstance(given, str) or not isinstance(given, Sequence) or not _are_candidates(given):
            raise InputError(f"expected Links or a sequence of Candidate, found {reprlib.repr(given)}")

    @property
    def texts(self) -> tuple[Text, Text]:
        """The two sentences; a sentence without tokens is replaced by its text."""
        first, second = (
            text.text if isinstance(text, Sentence) and not text.tokens else text
            for text in (self.source, self.target)
        )
        return first, second


#: The forms of a pair that callers may pass.
PairLike = Pair | tuple[Text, Text] | tuple[Text, Text, GivenWords | None]


def pair_of(item: PairLike) -> Pair:
    """Turn a caller's item into a pair: a :class:`Pair`, or two sentences with or without word links.

    Raises
    ------
    InputError
        If the item is something else.
    """
    if isinstance(item, Pair):
        return item
    if not isinstance(item, Sequence) or isinstance(item, str) or len(item) not in (2, 3):
        raise InputError(f"expected a pair of sentences, found {reprlib.repr(item)}")
    return Pair(*item)


def _are_candidates(given: Sequence[object]) -> bool:
    return all(isinstance(one, Candidate) for one in given)
