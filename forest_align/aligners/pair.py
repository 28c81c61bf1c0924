"""The sentence pairs that callers pass to an aligner, with or without links, and their canonical order."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from forest_align.aligners.words.candidate import Candidate
from forest_align.alignment import Links, Span
from forest_align.types import InputError, Sentence, Token

Text = str | Sentence
#: Word links that the caller supplies for a pair.
GivenWords = Links | Sequence[Candidate]
#: Message for word links of a pair of raw texts.
NO_TOKENS = "given word links need tokens: use --tokenized, or an input format with tokens"
NO_TOKENS_OF_CHUNKS = "given chunks need tokens"


@dataclass(frozen=True, slots=True)
class GivenChunks:
    """The chunks of two sentences, which the caller supplies for a pair."""

    # source, target: Half-open token spans, ascending, which do not overlap
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
        """The same chunks, if they lie inside sentences of these lengths."""
        for side, length in (("source", source_length), ("target", target_length)):
            chunks: Sequence[Span] = getattr(self, side)
            if chunks and chunks[-1][1] > length:
                raise InputError(
                    f"expected chunks inside {length} tokens, found {list(chunks[-1])}",
                    field=f"{side}_chunks",
                )
        return self


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences to align."""

    # source, target: Raw text, or sentences that may lack some annotation. A document of spaCy is converted
    # to a sentence.
    source: Text
    target: Text
    # Word links of the caller. The forest aligner uses them instead of its own word candidates. They refer to
    # tokens by number, so both sentences must have tokens.
    candidates: GivenWords | None = None
    chunks: GivenChunks | None = None  # All chunks of the two sentences, for the aligner of chunks

    def __post_init__(self) -> None:
        for side in ("source", "target"):
            text = getattr(self, side)
            if isinstance(text, str | Sentence):
                continue
            # A document of spaCy, which is not imported
            if not all(hasattr(text, name) for name in ("text", "has_annotation", "ents")):
                found = reprlib.repr(text)
                raise InputError(
                    f"expected a text or a Sentence, found {found}; Sentence.from_words takes words"
                )
            object.__setattr__(self, side, _sentence_of_document(text))
        given = self.candidates
        if given is None or isinstance(given, Links):
            return
        are_candidates = isinstance(given, Sequence) and all(isinstance(one, Candidate) for one in given)
        if isinstance(given, str) or not are_candidates:
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


class _ArrowTable(Protocol):
    """A table or frame of a library that has Arrow's interface: pyarrow, pandas, polars, and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with a stream of record batches."""


#: Pairs, or a table with pairs.
Pairs = Iterable[PairLike | InputError] | _ArrowTable


def pair_of(item: PairLike) -> Pair:
    """Turn a caller's item into a pair: a :class:`Pair`, or two sentences with or without word links."""
    if isinstance(item, Pair):
        return item
    if not isinstance(item, Sequence) or isinstance(item, str) or len(item) not in (2, 3):
        raise InputError(f"expected a pair of sentences, found {reprlib.repr(item)}")
    return Pair(*item)


def stream_of_pairs(pairs: Pairs) -> Iterator[PairLike | InputError]:
    """Iterate over pairs, or over those of a table."""
    from forest_align.data.formats.arrow_tables import is_table, read_table

    if not is_table(pairs):
        return iter(cast(Iterable[PairLike | InputError], pairs))
    return (row if isinstance(row, InputError) else Pair(row.source, row.target) for row in read_table(pairs))


def _sentence_of_document(document: Any) -> Sentence:
    """The sentence, or text of several, of a document of spaCy: its tokens except blanks, and their tags."""
    tokens: list[Token] = []
    starts = []
    begins = False
    for token in document:
        begins = begins or bool(token.is_sent_start)
        if token.is_space:
            continue
        if begins and tokens:
            starts.append(len(tokens))
        begins = False
        tokens.append(Token(token.text, tag=token.tag_, start=token.idx, end=token.idx + len(token.text)))
    return Sentence(tuple(tokens), text=document.text, starts=tuple(starts))


def is_after(source: Sentence, target: Sentence) -> bool:
    """Whether the target comes first in canonical order: by length, words, tags, lemmas, vectors."""
    if words_are_after(source, target):
        return True
    if words_are_after(target, source) or source.vectors is None or target.vectors is None:
        return False
    return source.vectors.tobytes() > target.vectors.tobytes()


def words_are_after(source: Sentence, target: Sentence) -> bool:
    """Like :func:`is_after`, without vectors: their last digits may depend on what was parsed together."""
    if len(source) != len(target):
        return len(source) > len(target)
    return (source.words, source.tags, source.lemmas) > (target.words, target.tags, target.lemmas)
