"""A parser with a cache, so that all aligners of one benchmark run share each sentence's parse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from forest_align.types import InputError, Sentence


class _Parser(Protocol):
    def parse_many(
        self, sentences: Iterable[Sequence[str]], batch_size: int
    ) -> Iterable[Sentence | InputError]: ...

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]: ...


class ParseOnce:
    """Parses tokenized sentences and keeps all parses in memory, about 100 kB per sentence."""

    def __init__(self, parser: _Parser) -> None:
        self._parser = parser
        self._known: dict[tuple[str, ...], Sentence | InputError] = {}

    def parse_many(
        self, sentences: Iterable[Sequence[str]], batch_size: int = 32
    ) -> Iterator[Sentence | InputError]:
        """Parse sentences, in order; see :meth:`forest_align.parsing.Parser.parse_many`."""
        asked = [tuple(sentence) for sentence in sentences]
        new = list(dict.fromkeys(words for words in asked if words not in self._known))
        self._known.update(zip(new, self._parser.parse_many(new, batch_size), strict=True))
        return (self._known[words] for words in asked)

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """See :meth:`forest_align.parsing.Parser.with_vectors`."""
        return self._parser.with_vectors(sentences)
