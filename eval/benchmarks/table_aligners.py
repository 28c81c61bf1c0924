"""Aligners for tables: each sentence is parsed once, chunks may be given, parts of a method may be off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.pair import Pair
from forest_align.alignment import Alignment
from forest_align.eval.benchmarks.runner import AlignMany
from forest_align.eval.benchmarks.task import Task
from forest_align.parsing import with_best_tree
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


def given_chunks(task: Task, parser: ParseOnce | None = None) -> tuple[AlignMany, Mapping[str, object]]:
    """The function that aligns the chunks of a task's last pairs, and the aligner's settings."""
    options: dict[str, Any] = {} if parser is None else {"parser": parser}
    aligner = ForestAligner.load(**options)

    def align_many(pairs: Iterable[tuple[Sentence, Sentence]]) -> Iterable[Alignment]:
        waiting = list(pairs)
        chunks = task.chunks[len(task.chunks) - len(waiting) :]
        return aligner.align_many(Pair(*pair, chunks=one) for pair, one in zip(waiting, chunks, strict=True))

    return align_many, aligner.settings


#: Only monotonic alignment, weights of zero in place of those that EM learned, the best tree of each forest.
VARIANTS = ("monotonic", "without-em", "1-best")


class _BestTrees:
    """A parser whose forests have one tree, the best of those of another parser."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser

    def parse_many(
        self, sentences: Iterable[Sequence[str]], batch_size: int = 32
    ) -> Iterator[Sentence | InputError]:
        for found in self._parser.parse_many(sentences, batch_size):
            yield found if isinstance(found, InputError) else with_best_tree(found)

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        found: list[Sentence] = self._parser.with_vectors(sentences)
        return found


def ablated(aligner: ForestAligner, variant: str) -> ForestAligner:
    """The aligner without one of its parts (:data:`VARIANTS`); everything else, tuned options too, stays.

    Raises InputError for other variants.
    """
    model, parser = aligner.model, aligner.parser
    if variant == "monotonic":
        model = model.with_options(noncompositional_penalty=None)
    elif variant == "without-em":
        model = replace(model, weights=np.zeros_like(model.weights), lexical={})
    elif variant == "1-best":
        parser = _BestTrees(parser)  # type: ignore[assignment]
    else:
        raise InputError(f"expected one of {', '.join(VARIANTS)}, found {variant!r}", field="variant")
    return ForestAligner(model, parser=parser, candidates=aligner.candidates, lexicon=aligner.lexicon)
