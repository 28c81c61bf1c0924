"""The ablation of Arase & Tsujii (2017, table 3) of a forest aligner: what each part of the method adds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.parsing import with_best_tree
from forest_align.types import InputError, Sentence

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
