"""What all aligners share: sentences as they were given, whatever the parser makes of their words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from forest_align.aligners.base import Aligner, Text
from forest_align.types import Alignment, InputError, Sentence, Token


class Splitter(Aligner):
    """Splits text at blanks and aligns nothing."""

    name = "splitter"

    def prepare(self, sentences: Sequence[Text], batch_size: int) -> list[Sentence | InputError]:
        words = [text.split() if isinstance(text, str) else text.words for text in sentences]
        return [Sentence.from_words(w, ["X"] * len(w)) if w else InputError("empty") for w in words]

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        return Alignment(source, target, aligner=self.name)

    @classmethod
    def load(cls, name_or_path: str | Path) -> Splitter:
        return cls()

    def save(self, path: str | Path) -> None: ...


GIVEN = Sentence(
    (Token("He", start=0, end=2), Token("died", start=4, end=8), Token(".", start=8, end=9)), text="He  died."
)


def test_text_and_offsets_of_given_tokens_are_kept() -> None:
    aligner = Splitter()
    for alignment in (aligner.align(GIVEN, "x"), *aligner.align_many([(GIVEN, "x")])):
        assert alignment.source.text == "He  died."
        assert [(t.text, t.tag, t.start, t.end) for t in alignment.source.tokens] == [
            ("He", "X", 0, 2),
            ("died", "X", 4, 8),
            (".", "X", 8, 9),
        ]


def test_a_sentence_without_tokens_is_its_text() -> None:
    assert Splitter().align(Sentence((), text="He died"), "x").source.words == ("He", "died")
    with pytest.raises(InputError, match="empty"):
        Splitter().align(Sentence(()), "x")
