"""Tokens and sentences."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from forest_align.types._forest import ParseForest
from forest_align.types._token_spans import read_offset, read_starts, usual_offsets
from forest_align.types.errors import InputError
from forest_align.types.json_fields import (
    Fields,
    check_texts,
    format_json_object,
    read_json_object,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np


@dataclass(frozen=True, slots=True)
class Token:
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

    def to_dict(self) -> dict[str, Any]:
        """JSON values of the token, without unknown fields."""
        values: dict[str, Any] = {"text": self.text}
        values |= {name: value for name in ("lemma", "tag") if (value := getattr(self, name))}
        if (self.start, self.end) != (-1, -1):
            values |= {"start": self.start, "end": self.end}
        return values

    @classmethod
    def from_dict(cls, values: Any, path: str = "") -> Token:
        """Read what :meth:`to_dict` wrote; unknown keys are ignored.

        Parameters
        ----------
        values : mapping
            JSON object with ``text``, and optionally ``lemma``, ``tag``, and ``start`` with ``end``.
        path : str
            Name of the object in the document, for messages.

        Raises
        ------
        InputError
            If a field is missing or has a wrong type, or the offsets are not a span; names the field.
        """
        fields = Fields(values, path)
        start, end = fields.integer("start", -1), fields.integer("end", -1)
        if (start, end) != (-1, -1) and not 0 <= start <= end:
            raise InputError(
                f"expected offsets 0 <= start <= end, found {start} and {end}", field=fields.name("start")
            )
        return cls(fields.text("text"), fields.text("lemma", ""), fields.text("tag", ""), start, end)


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
                raise InputError(
                    f"expected Tokens, found {reprlib.repr(token)}; Sentence.from_words takes words",
                    field="tokens",
                )
        count = len(self.tokens)
        if self.forest is not None and self.forest.token_count != count:
            raise InputError(f"the forest covers {self.forest.token_count} tokens, the sentence has {count}")
        if any(start >= end for start, end in self.sentences):
            raise InputError(
                f"expected ascending tokens inside of {count}, found {self.starts}", field="starts"
            )
        if self.vectors is not None:
            shape = getattr(self.vectors, "shape", None)
            if shape is None or len(shape) != 2:
                found = type(self.vectors).__name__ if shape is None else f"one of shape {tuple(shape)}"
                raise InputError(
                    f"expected an array of shape ({count}, dimension), found {found}", field="vectors"
                )
            if shape[0] != count:
                raise InputError(f"expected {count} word vectors, one a token, found {shape[0]}")

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
            raise InputError(f"expected {len(words)} tags, one a word, found {len(tags)}", field="tags")
        tokens, at = [], 0
        for index, word in enumerate(words):
            tokens.append(Token(word, tag=tags[index] if tags else "", start=at, end=at + len(word)))
            at += len(word) + 1
        return cls(tuple(tokens), text=" ".join(words))

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
            replace(token, start=place.start, end=place.end)
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

    def to_dict(self, *, forest: bool = True) -> dict[str, Any]:
        """JSON values of the sentence: text and tokens; tags, lemmas, offsets and forest if there are any.

        The spans of sentences are included if there are several. Offsets are omitted if they follow from
        text and tokens. Vectors are never included.

        Parameters
        ----------
        forest : bool
            Whether to include the forest.
        """
        values: dict[str, Any] = {"text": self.text, "tokens": list(self.words)}
        if any(self.tags):
            values["tags"] = list(self.tags)
        if any(self.lemmas):
            values["lemmas"] = list(self.lemmas)
        offsets = [(token.start, token.end) for token in self.tokens]
        if offsets != list(usual_offsets(self.words, self.text)):
            values["offsets"] = [list(pair) for pair in offsets]
        if self.starts:
            values["sentences"] = [list(span) for span in self.sentences]
        if forest and self.forest is not None:
            values["forest"] = self.forest.to_dict()
        return values

    def to_json(self) -> str:
        """One line of JSON, without the line end; see :meth:`to_dict`."""
        return format_json_object(self.to_dict())

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
        return read_json_object(text, cls.from_dict, file, line)

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
        fields = values if isinstance(values, Fields) else Fields(values, path)
        words = check_texts(fields.items("tokens"), fields.name("tokens"))
        nothing = [""] * len(words)
        tags = check_texts(fields.raw("tags", nothing), fields.name("tags"), len(words))
        lemmas = check_texts(fields.raw("lemmas", nothing), fields.name("lemmas"), len(words))
        text = fields.text("text", " ".join(words))
        if fields.has("offsets"):
            name = fields.name("offsets")
            listed = fields.items("offsets", length=len(words))
            offsets = [read_offset(pair, f"{name}[{k}]", len(text)) for k, pair in enumerate(listed)]
        else:
            offsets = list(usual_offsets(words, text))
        found = None
        if forest and fields.has("forest"):
            found = ParseForest.from_dict(fields.raw("forest"), fields.name("forest"))
        tokens = tuple(
            Token(word, lemma, tag, start, end)
            for word, lemma, tag, (start, end) in zip(words, lemmas, tags, offsets, strict=True)
        )
        if found is not None and found.token_count != len(tokens):
            # Checked here too, because here the error can name the field.
            raise InputError(
                f"expected a forest over {len(tokens)} tokens, found one over {found.token_count}",
                field=fields.name("forest"),
            )
        return cls(tokens, found, text=text, starts=read_starts(fields, len(tokens)))


def _texts(values: Iterable[str], what: str) -> list[str]:
    if isinstance(values, str):
        raise InputError(f"expected {what}, found the text {reprlib.repr(values)}", field=what)
    found = list(values)
    for value in found:
        if not isinstance(value, str):
            raise InputError(f"expected {what}, found {reprlib.repr(value)} among them", field=what)
    return found
