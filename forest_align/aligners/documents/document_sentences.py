"""The sentences of a document: found in its text or given one by one, tagged, and with word vectors."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import structs

from forest_align.parsing.sentence_split import sentence_starts
from forest_align.parsing.tokenize import tokenize
from forest_align.types import InputError, Sentence, Token

if TYPE_CHECKING:
    from forest_align.parsing import Parser

#: A text, which is split into sentences, or its sentences.
Document = str | Sequence[str | Sentence]
#: Sentences of a document at most. The memory grows with the product of two numbers of sentences.
MAX_SENTENCES = 5_000
# Blank lines stand between paragraphs; no sentence leads over them.
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


@dataclass(frozen=True, slots=True)
class DocumentSentences:
    """A document as sentences."""

    sentences: tuple[Sentence, ...]  # Blank ones have no tokens; offsets of tokens count inside a sentence
    # Half-open character offsets of the sentences in the document; empty if they were given one by one
    spans: tuple[tuple[int, int], ...] = ()


def document_sentences(document: Document) -> DocumentSentences:
    """Split a text into sentences, or tokenize the given ones; blank ones keep their places."""
    if isinstance(document, str):
        split = list(_split(document))
        read = DocumentSentences(tuple(sentence for sentence, _ in split), tuple(span for _, span in split))
    elif isinstance(document, Sequence):
        read = DocumentSentences(tuple(map(_given, document)))
    else:
        raise InputError(f"expected a text or its sentences, found {reprlib.repr(document)}")
    if (count := len(read.sentences)) > MAX_SENTENCES:
        raise InputError(f"expected a document of at most {MAX_SENTENCES:,} sentences, found {count:,}")
    return read


def sentences_of_sides(**documents: Document) -> list[DocumentSentences]:
    """:func:`document_sentences` of each document; an error names its document."""
    sides = []
    for side, document in documents.items():
        try:
            sides.append(document_sentences(document))
        except InputError as error:
            raise InputError(error.message, field=error.field or side) from None
    return sides


def _split(text: str) -> Iterator[tuple[Sentence, tuple[int, int]]]:
    breaks = [blank_line.span() for blank_line in _BLANK_LINE.finditer(text)]
    for (_, begun), (ended, _) in pairwise([(0, 0), *breaks, (len(text), len(text))]):
        paragraph = text[begun:ended]
        tokens = tokenize(paragraph)
        for start, end in pairwise((0, *sentence_starts(tokens, paragraph), len(tokens))):
            if start < end:
                first, last = tokens[start].start, tokens[end - 1].end
                moved = _moved(tokens[start:end], -first)
                yield Sentence(moved, text=paragraph[first:last]), (begun + first, begun + last)


def _given(sentence: str | Sentence) -> Sentence:
    if isinstance(sentence, Sentence):
        return sentence.with_offsets()
    if not isinstance(sentence, str):
        raise InputError(f"expected a text or a Sentence, found {reprlib.repr(sentence)}")
    return Sentence(tokenize(sentence), text=sentence)


def _moved(tokens: Iterable[Token], by: int) -> tuple[Token, ...]:
    return tuple(structs.replace(token, start=token.start + by, end=token.end + by) for token in tokens)


def joined_sentences(sentences: Sequence[Sentence]) -> Sentence:
    """Several sentences as one text, with blanks between them; with word vectors if all have some."""
    if len(sentences) == 1:
        return sentences[0]
    import numpy as np

    tokens: list[Token] = []
    starts: list[int] = []
    offset = 0
    for sentence in sentences:
        starts += [len(tokens), *(len(tokens) + start for start in sentence.starts)]
        tokens += _moved(sentence.tokens, offset)
        offset += len(sentence.text) + 1
    vectors = [sentence.vectors for sentence in sentences if sentence.vectors is not None]
    return Sentence(
        tuple(tokens),
        vectors=np.concatenate(vectors) if len(vectors) == len(sentences) else None,
        text=" ".join(sentence.text for sentence in sentences),
        starts=tuple(starts[1:]),
    )


class SentenceEncoder:
    """Gives sentences tags, lemmas and word vectors, which need no parse."""

    @cached_property
    def parser(self) -> Parser:
        """The bundled tagger and encoder, loaded when needed."""
        from forest_align.lexicon.lexicon import load_lexicon
        from forest_align.parsing import load_parser

        return load_parser("en", forest_size=0, lemmatizer=load_lexicon().lemma, posteriors=False)

    def __call__(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield each sentence with its annotation; those with word vectors or without tokens as they are.

        A sentence that cannot be encoded comes back without word vectors.
        """
        sentences = list(sentences)
        bare = list(dict.fromkeys(one.words for one in sentences if one.vectors is None and len(one)))
        encoded = dict(zip(bare, self.parser.parse_many(bare) if bare else (), strict=True))
        for sentence in sentences:
            new = encoded.get(sentence.words) if sentence.vectors is None else None
            if new is None or isinstance(new, InputError):
                yield sentence
                continue
            tokens = tuple(
                structs.replace(token, tag=annotated.tag, lemma=annotated.lemma)
                for token, annotated in zip(sentence.tokens, new.tokens, strict=True)
            )
            yield replace(sentence, tokens=tokens, vectors=new.vectors, starts=new.starts)
