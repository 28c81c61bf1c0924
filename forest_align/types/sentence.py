"""Tokens and sentences."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, structs

from forest_align.types._forest import ParseForest
from forest_align.types._forest_objects import ForestObject
from forest_align.types.errors import InputError
from forest_align.types.json_records import (
    JsonObject,
    Span,
    Written,
    check_length,
    convert_record,
    read_record,
    record_text,
    record_values,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np

_Offsets = Annotated[
    tuple[Annotated[int, Meta(ge=-1)], Annotated[int, Meta(ge=-1)]],
    Meta(description="Characters of text; -1 if unknown."),
]
_PerToken = Meta(description="One a token.")


class SentenceObject(JsonObject, kw_only=True, frozen=True):
    """A sentence, or a text of several."""

    text: Written[str] = None
    tokens: list[str]
    tags: Annotated[list[str] | None, _PerToken] = None
    lemmas: Annotated[list[str] | None, _PerToken] = None
    offsets: Annotated[list[_Offsets] | None, _PerToken] = None
    sentences: Annotated[list[Span] | None, Meta(description="If there are several sentences.")] = None
    tree: Annotated[str | None, Meta(description="The tree that the alignment chose, in Penn brackets.")] = (
        None
    )


class ParsedSentenceObject(SentenceObject, kw_only=True, frozen=True):
    """A sentence with its forest."""

    forest: ForestObject | None = None


class Token(JsonObject, frozen=True):
    """One token.

    Attributes
    ----------
    text : str
        Surface form, with brackets and quotes as the user wrote them.
    lemma : str
        Lower-cased lemma; empty if no lemmatizer ran.
    tag : str
        Penn part-of-speech tag; empty if no tagger ran.
    start, end : int
        Half-open character offsets into the raw text; -1 if there is no raw text.
    """

    text: str
    lemma: str = ""
    tag: str = ""
    start: int = -1
    end: int = -1

    def check(self) -> None:
        """Raise InputError if the offsets are no span."""
        start, end = self.start, self.end
        if (start, end) != (-1, -1) and not 0 <= start <= end:
            problem = f"expected offsets 0 <= start <= end, found {start} and {end}"
            raise InputError(problem, field="start")


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence, or a text of several, with its tokens and, if known, its forest and word vectors.

    Attributes
    ----------
    tokens : tuple of Token
        The tokens in order.
    forest : ParseForest or None
        Packed parse forest; None for aligners that do not need a parse.
    vectors : numpy.ndarray or None
        Contextual word vectors, float32, shape ``(len(tokens), dimension)``, rows of unit length.
    text : str
        Raw text; the tokens joined by spaces if there was none. Keyword-only.
    starts : tuple of int
        Numbers of the tokens at which further sentences begin; empty for one sentence. Keyword-only.

    Raises
    ------
    InputError
        If one of the tokens is not a Token, the forest or the vectors have another number of tokens, the
        vectors are not a table, or the starts do not ascend inside the sentence.
    """

    tokens: tuple[Token, ...]
    forest: ParseForest | None = None
    vectors: np.ndarray | None = field(default=None, repr=False)
    text: str = field(default="", kw_only=True)
    starts: tuple[int, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        for token in self.tokens:
            if not isinstance(token, Token):
                message = f"expected Tokens, found {reprlib.repr(token)}; Sentence.from_words takes words"
                raise InputError(message, field="tokens")
        count = len(self.tokens)
        if self.forest is not None and self.forest.token_count != count:
            raise InputError(f"the forest covers {self.forest.token_count} tokens, the sentence has {count}")
        if any(start >= end for start, end in self.sentences):
            message = f"expected ascending tokens inside of {count}, found {self.starts}"
            raise InputError(message, field="starts")
        if self.vectors is not None:
            shape = getattr(self.vectors, "shape", None)
            if shape is None or len(shape) != 2:
                found = type(self.vectors).__name__ if shape is None else f"one of shape {tuple(shape)}"
                message = f"expected an array of shape ({count}, dimension), found {found}"
                raise InputError(message, field="vectors")
            if shape[0] != count:
                raise InputError(f"expected {count} word vectors, one per token, found {shape[0]}")

    @classmethod
    def from_words(cls, words: Iterable[str], tags: Iterable[str] | None = None) -> Sentence:
        """Build a sentence from words (and tags); its raw text is the words joined by spaces.

        Raises
        ------
        InputError
            If words or tags are a single string, if one of them is not a string, or if there are not as many
            tags as words.
        """
        if isinstance(words, str):
            raise InputError(f"expected words, found the text {reprlib.repr(words)}; aligners take raw text")
        words = _texts(words, "words")
        tags = None if tags is None else _texts(tags, "tags")
        if tags and len(tags) != len(words):
            raise InputError(f"expected {len(words)} tags, one per word, found {len(tags)}", field="tags")
        text = " ".join(words)
        places = zip(words, tags or [""] * len(words), _usual_offsets(words, text), strict=True)
        tokens = tuple([Token(word, tag=tag, start=start, end=end) for word, tag, (start, end) in places])
        return cls(tokens, text=text)

    def with_offsets(self) -> Sentence:
        """The sentence itself, if its tokens have places in its raw text, in order.

        Otherwise one whose raw text is the words joined by blanks, with the places of the tokens in it.
        """
        ends = (0, *(token.end for token in self.tokens))
        if (self.text or not self.tokens) and all(
            before <= token.start <= token.end <= len(self.text)
            for before, token in zip(ends, self.tokens, strict=False)
        ):
            return self
        joined = Sentence.from_words(self.words)
        tokens = tuple(
            structs.replace(token, start=place.start, end=place.end)
            for token, place in zip(self.tokens, joined.tokens, strict=True)
        )
        return replace(self, tokens=tokens, text=joined.text)

    @property
    def words(self) -> tuple[str, ...]:
        """Surface forms."""
        return tuple([token.text for token in self.tokens])

    @property
    def tags(self) -> tuple[str, ...]:
        """Part-of-speech tags."""
        return tuple([token.tag for token in self.tokens])

    @property
    def lemmas(self) -> tuple[str, ...]:
        """Lemmas."""
        return tuple([token.lemma for token in self.tokens])

    @property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Half-open token spans of the sentences: one, or several for a text; none without tokens."""
        return tuple(pairwise((0, *self.starts, len(self.tokens)))) if self.tokens or self.starts else ()

    def __len__(self) -> int:
        return len(self.tokens)

    def to_object(self, *, forest: bool = True, tree: str = "") -> SentenceObject:
        """The JSON object of the sentence, see :meth:`to_dict`; with a tree in Penn brackets, if given."""
        words, offsets = self.words, [(token.start, token.end) for token in self.tokens]
        fields: dict[str, Any] = {
            "text": self.text,
            "tokens": list(words),
            "tags": list(self.tags) if any(self.tags) else None,
            "lemmas": list(self.lemmas) if any(self.lemmas) else None,
            "offsets": offsets if offsets != list(_usual_offsets(words, self.text)) else None,
            "sentences": list(self.sentences) if self.starts else None,
            "tree": tree or None,
        }
        if not forest or self.forest is None:
            return SentenceObject(**fields)
        return ParsedSentenceObject(**fields, forest=self.forest.to_object())

    def to_dict(self, *, forest: bool = True) -> dict[str, Any]:
        """JSON values of the sentence: text and tokens; tags, lemmas, offsets and forest if there are any.

        The spans of sentences are included if there are several. Offsets are omitted if they follow from
        text and tokens. Vectors are never included.

        Parameters
        ----------
        forest : bool
            Whether to include the forest.
        """
        return record_values(self.to_object(forest=forest))

    def to_json(self) -> str:
        """One line of JSON, without the line end; see :meth:`to_dict`."""
        return record_text(self.to_object())

    @classmethod
    def from_json(cls, text: str, *, file: str | None = None, line: int | None = None) -> Sentence:
        """Read one line of JSON that :meth:`to_json` wrote; unknown keys are ignored.

        Parameters
        ----------
        text : str
            The line.
        file, line : str, int, optional
            The line's source, for messages.

        Raises
        ------
        InputError
            If it is not JSON, or a field is missing, of a wrong type or out of range; names the field.
        """
        return read_record(text, ParsedSentenceObject, cls.of_object, cls.from_dict, file, line)

    @classmethod
    def from_dict(cls, values: Any, path: str = "", *, forest: bool = True) -> Sentence:
        """Read what :meth:`to_dict` wrote; unknown keys are ignored.

        Parameters
        ----------
        values : mapping
            JSON object with ``tokens``; optional are ``text``, ``tags``, ``lemmas``, ``offsets``,
            ``sentences`` and ``forest``.
        path : str
            Name of the object in the document, for messages.
        forest : bool
            Whether to read the forest; if not, it is ignored like any unknown key.

        Raises
        ------
        InputError
            If a field is missing, or has a wrong type or length; also if the forest is not well formed or
            has other tokens. Names the field.
        """
        return cls.of_object(
            convert_record(ParsedSentenceObject if forest else SentenceObject, values, path), path
        )

    @classmethod
    def of_object(cls, listed: SentenceObject, path: str = "") -> Sentence:
        """Build a sentence from its JSON object, see :meth:`from_dict`."""
        words, count = listed.tokens, len(listed.tokens)
        text = " ".join(words) if listed.text is None else listed.text
        try:
            nothing = [""] * count
            tags = check_length(listed.tags, count, "tags") or nothing
            lemmas = check_length(listed.lemmas, count, "lemmas") or nothing
            offsets = check_length(listed.offsets, count, "offsets") or _usual_offsets(words, text)
            for place, (start, end) in enumerate(listed.offsets or ()):
                if (start, end) != (-1, -1) and not 0 <= start <= end <= len(text):
                    message = (
                        f"expected offsets inside a text of {len(text)} characters, found [{start}, {end}]"
                    )
                    raise InputError(message, field=f"offsets[{place}]")
            spans = listed.sentences or []
            starts = tuple(start for start, _ in spans[1:])
            if spans and (
                spans != list(pairwise((0, *starts, count))) or any(start >= end for start, end in spans)
            ):
                message = f"expected spans that follow each other through all {count} tokens"
                raise InputError(message, field="sentences")
            forest = None
            if isinstance(listed, ParsedSentenceObject) and listed.forest is not None:
                forest = ParseForest.of_object(listed.forest, "forest")
                if forest.token_count != count:
                    # Checked here too, because here the error can name the field.
                    message = f"expected a forest over {count} tokens, found one over {forest.token_count}"
                    raise InputError(message, field="forest")
        except InputError as error:
            raise error.inside(path) from None
        parts = zip(words, lemmas, tags, offsets, strict=True)
        tokens = tuple([Token(word, lemma, tag, start, end) for word, lemma, tag, (start, end) in parts])
        return cls(tokens, forest, text=text, starts=starts)


def _usual_offsets(words: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Offsets of words joined by single spaces; unknown (-1) if the text is anything else."""
    known, start = " ".join(words) == text, 0
    for word in words:
        yield (start, start + len(word)) if known else (-1, -1)
        start += len(word) + 1


def _texts(values: Iterable[str], what: str) -> list[str]:
    if isinstance(values, str):
        raise InputError(f"expected {what}, found the text {reprlib.repr(values)}", field=what)
    texts = list(values)
    for value in texts:
        if not isinstance(value, str):
            raise InputError(f"expected {what}, found {reprlib.repr(value)} among them", field=what)
    return texts
