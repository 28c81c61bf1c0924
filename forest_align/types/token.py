"""Tokens and sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from forest_align.types.forest import ParseForest


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes
    ----------
    text : str
        Surface form, with brackets and quotes as the user wrote them.
    lemma : str
        Lower-cased lemma; empty when no lemmatizer ran.
    tag : str
        Penn part-of-speech tag; empty when no tagger ran.
    start, end : int
        Half-open character offsets into the raw text; -1 when there is no raw text.
    """

    text: str
    lemma: str = ""
    tag: str = ""
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence with what is known about it.

    Attributes
    ----------
    tokens : tuple of Token
        The tokens in order.
    text : str
        Raw text; the tokens joined by spaces when there was none.
    forest : ParseForest or None
        Packed parse forest; None for aligners that need no parse.
    vectors : numpy.ndarray or None
        Contextual word vectors, float32, shape ``(len(tokens), dimension)``, rows of unit length.
    """

    tokens: tuple[Token, ...]
    text: str = ""
    forest: ParseForest | None = None
    vectors: np.ndarray | None = field(default=None, repr=False)

    @classmethod
    def from_words(cls, words: Sequence[str], tags: Sequence[str] | None = None) -> Sentence:
        """Build a sentence from words (and tags), its raw text being the words joined by spaces."""
        tokens, at = [], 0
        for index, word in enumerate(words):
            tokens.append(Token(word, tag=tags[index] if tags else "", start=at, end=at + len(word)))
            at += len(word) + 1
        return cls(tuple(tokens), " ".join(words))

    @property
    def words(self) -> tuple[str, ...]:
        """Surface forms."""
        return tuple(token.text for token in self.tokens)

    @property
    def tags(self) -> tuple[str, ...]:
        """Part-of-speech tags."""
        return tuple(token.tag for token in self.tokens)

    @property
    def lemmas(self) -> tuple[str, ...]:
        """Lemmas."""
        return tuple(token.lemma for token in self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)
