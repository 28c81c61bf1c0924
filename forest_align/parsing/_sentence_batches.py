"""From texts or words to tokenized sentences, scored in batches of similar length."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from forest_align.lexicon.tables import plain_apostrophes
from forest_align.parsing.forests.decoding import SpanScores
from forest_align.parsing.sentence_split import sentence_starts
from forest_align.parsing.tokenize import space_after, tokenize, tokens_of_words
from forest_align.types import InputError, Token
from forest_align.types.errors import MemoryLimitError

Scores = TypeVar("Scores")
Result = TypeVar("Result")
#: Scores words of sentences, and whether white space follows each; see :class:`SpanScorer`.
Scoring = Callable[[Sequence[Sequence[str]], Sequence[Sequence[bool]]], list[Scores | InputError]]
#: Computes word vectors of sentences (sequences of words): float32, shape (n, D), rows of unit length.
VectorMaker = Callable[[Sequence[Sequence[str]]], list[np.ndarray]]

_MAX_CHARACTERS = 50_000
# Words of a text of several sentences. The memory of aligners grows with the product of two lengths.
_MAX_WORDS = 1_000
# Spans in a batch; each needs one number per label.
_MAX_CELLS = 100_000


@dataclass(frozen=True, slots=True)
class PreparedSentence:
    """A tokenized text of one sentence or more."""

    tokens: tuple[Token, ...]
    text: str
    words: list[str]  # The words in the form that suits the model best
    starts: tuple[int, ...]  # Numbers of the tokens at which further sentences begin

    def spans(self) -> Iterator[slice]:
        """The tokens of each sentence."""
        return (slice(start, end) for start, end in pairwise((0, *self.starts, len(self.tokens))))


def results_of(
    window: Sequence[str | Sequence[str] | InputError],
    batch_size: int,
    score: Scoring[Scores],
    finish: Callable[[PreparedSentence, list[Scores], np.ndarray | None], Result],
    vectors: VectorMaker | None,
    trees: int,
) -> list[Result | InputError]:
    """Parse texts in batches by length; duplicates are parsed once."""
    numbers: dict[Hashable, int] = {}
    which = [numbers.setdefault(_identity_of(sentence), len(numbers)) for sentence in window]
    distinct = dict(zip(which, window, strict=True))
    results: list[Any] = [_prepare(sentence) for sentence in distinct.values()]
    waiting = [index for index, item in enumerate(results) if isinstance(item, PreparedSentence)]
    waiting.sort(key=lambda index: len(results[index].tokens))
    for batch in _batches_of(waiting, [len(results[index].tokens) for index in waiting], batch_size):
        prepared = [results[index] for index in batch]
        scored = _scored_texts(prepared, score)
        made = _vectors_of(prepared, scored, vectors)
        for index, item, scores in zip(batch, prepared, scored, strict=True):
            if isinstance(scores, InputError):
                results[index] = scores
                continue
            try:
                results[index] = finish(item, scores, next(made))
            except MemoryError:
                words = len(item.tokens)
                results[index] = MemoryLimitError(
                    f"not enough memory for the {trees} best trees of {words} words"
                )
    return [results[number] for number in which]


def _vectors_of(
    prepared: Sequence[PreparedSentence],
    scored: Sequence[list[Scores] | InputError],
    make: VectorMaker | None,
) -> Iterator[np.ndarray | None]:
    """Word vectors of the texts that could be scored; from the scorer's own pass if it read a whole text."""
    usable = [
        (text, scores)
        for text, scores in zip(prepared, scored, strict=True)
        if not isinstance(scores, InputError)
    ]
    if not make:
        return (None for _ in usable)
    # They came with the scores of a text of one sentence.
    known = [
        scores[0].vectors if len(scores) == 1 and isinstance(scores[0], SpanScores) else None
        for _, scores in usable
    ]
    lacking = [text.words for (text, _), vectors in zip(usable, known, strict=True) if vectors is None]
    made = iter(make(lacking) if lacking else ())
    return (next(made) if vectors is None else vectors for vectors in known)


def _identity_of(sentence: str | Sequence[str] | InputError) -> Hashable:
    """A key shared by sentences with the same parse; anything that is not a sentence has its own key."""
    if isinstance(sentence, str):
        return sentence
    if isinstance(sentence, list | tuple) and all(isinstance(word, str) for word in sentence):
        return tuple(sentence)
    return object()


def _prepare(sentence: str | Sequence[str] | InputError) -> PreparedSentence | InputError:
    """Tokenize a sentence; return the error if it cannot be parsed, and errors unchanged."""
    if isinstance(sentence, InputError):
        return sentence
    try:
        if isinstance(sentence, str):
            if len(sentence) > _MAX_CHARACTERS:
                raise InputError(f"expected one sentence, found {len(sentence):,} characters")
            text, tokens = sentence, tokenize(sentence)
        elif isinstance(sentence, Sequence) and all(isinstance(word, str) for word in sentence):
            text, tokens = " ".join(sentence), tokens_of_words(sentence)
        else:
            raise InputError(f"expected a text or a sequence of words, found {reprlib.repr(sentence)}")
        if not tokens:
            raise InputError("the sentence is empty")
    except InputError as error:
        return error
    starts = sentence_starts(tokens, text)
    if starts and len(tokens) > _MAX_WORDS:
        return InputError(
            f"expected a text of at most {_MAX_WORDS:,} words, found {len(starts) + 1} sentences "
            f"with {len(tokens):,} words"
        )
    return PreparedSentence(tokens, text, plain_words([token.text for token in tokens]), starts)


def plain_words(words: Sequence[str]) -> list[str]:
    """Words as treebanks, and so models, write them: with plain apostrophes and ellipses."""
    return [plain_apostrophes(word).replace("…", "...") for word in words]


def _batches_of(items: Sequence[int], lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    """Cut items in order of length into batches that the charts' memory allows."""
    batch: list[int] = []
    for item, length in zip(items, lengths, strict=True):
        if len(batch) == batch_size or (batch and (len(batch) + 1) * length**2 > _MAX_CELLS):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _scored_texts(
    prepared: Sequence[PreparedSentence], score: Scoring[Scores]
) -> list[list[Scores] | InputError]:
    """The scores of each sentence of each text; the error of its first sentence that has one."""
    parts = [(one, span) for one in prepared for span in one.spans()]
    scored = iter(
        score(
            [one.words[span] for one, span in parts], [space_after(one.tokens)[span] for one, span in parts]
        )
    )
    found = ([next(scored) for _ in one.spans()] for one in prepared)
    return [
        next((of_one for of_one in scores if isinstance(of_one, InputError)), scores)  # type: ignore[misc]
        for scores in found
    ]
