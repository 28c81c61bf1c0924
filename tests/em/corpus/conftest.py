"""A parser of flat trees in the place of the real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Sentence


class FlatParser:
    """Gives flat trees, and remembers what it parsed."""

    def __init__(self) -> None:
        self.parsed: list[Any] = []

    def parse_many(self, texts: Sequence[Any], batch_size: int = 32) -> list[Sentence | InputError]:
        self.parsed += texts
        return [self._parse(text.split() if isinstance(text, str) else text) for text in texts]

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        return [replace(side, vectors=np.full((len(side), 4), 0.5, np.float32)) for side in sentences]

    def _parse(self, words: Sequence[str]) -> Sentence | InputError:
        if "unreadable" in words:
            return InputError("too many words")
        tree = f"(S {' '.join(f'(NN {word})' for word in words)})"
        return self.with_vectors([sentence_from_bracket(tree, lemmatizer=load_lexicon().lemma)])[0]


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> FlatParser:
    made = FlatParser()
    monkeypatch.setattr("forest_align.parsing.load_parser_for_alignment", lambda *args, **options: made)
    return made
