"""Converts words to encoder input: subword ids, their words and letter case, as rows of one batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from forest_align.types import ModelError
from forest_align.types.brackets import unescape

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# Words that stand for a quotation mark or a dash, and what the parsers' training texts have in their place.
_MARKS = {**dict.fromkeys("«»“”„", '"'), **dict.fromkeys("‘’‹›", "'"), "–": "--", "—": "--"}

#: Letter-case classes; the second half of the table is for the first word of a sentence.
CASE_CLASSES = (
    "no letters",
    "lower",
    "Capitalised",
    "one capital",
    "ALL CAPITALS",
    "miXed",
    "digits",
    "digits and lower",
    "digits and capitals",
    "boundary",
)
CASE_COUNT = 2 * len(CASE_CLASSES)
BOUNDARY_CASE = CASE_CLASSES.index("boundary")


def case_class(word: str) -> int:
    """Return the index in :data:`CASE_CLASSES` of a word's letter case, which uncased encoders lose."""
    letters = [letter for letter in word if letter.isalpha()]
    digits = any(letter.isdigit() for letter in word)
    if not letters:
        return 6 if digits else 0
    if digits:
        return 8 if any(letter.isupper() for letter in letters) else 7
    if not any(letter.isupper() for letter in letters):
        return 1
    if all(letter.isupper() for letter in letters):
        return 3 if len(letters) == 1 else 4
    if letters[0].isupper() and not any(letter.isupper() for letter in letters[1:]):
        return 2
    return 5


def case_numbers(words: Sequence[str]) -> np.ndarray:
    """The letter-case class of each word of a sentence, shifted for the first: int64, shape (n,)."""
    return _numbered([case_class(_plain(word)) for word in words])


def _plain(word: str) -> str:
    """A word without the escapes of treebanks and without lone surrogates, which cannot be encoded."""
    return plain_word(word.encode("utf-8", "replace").decode("utf-8"))


def plain_word(word: str) -> str:
    """A word without the escapes of treebanks, with plain quotation marks and dashes.

    The parsers were trained on such words; see ``ptb_unescape`` of benepar (Kitaev, Cao and Klein 2019).
    """
    plain = unescape(_MARKS.get(word, word))
    return plain.replace("``", '"').replace("`", "'").replace("''", '"')


def _numbered(classes: Sequence[int]) -> np.ndarray:
    """Classes of the words of a sentence as numbers below :data:`CASE_COUNT`."""
    numbers = np.array(classes, dtype=np.int64)
    numbers[:1] += len(CASE_CLASSES)
    return numbers


@dataclass(frozen=True, slots=True)
class EncodedSentence:
    """A sentence as encoder input."""

    subwords: np.ndarray  # int64 ids, including start and stop symbols
    word_ends: np.ndarray  # int64, one per word: index in `subwords` of its last subword
    cases: np.ndarray  # int64, one per word: letter-case class, shifted for the first word

    def subword_cases(self) -> np.ndarray:
        """The letter-case class of each subword's word, without start and stop symbols, int64."""
        return np.repeat(self.cases, np.diff(self.word_ends, prepend=0))


class WordEncoder:
    """Splits words into subwords, one word at a time, with a cache.

    Each word is split independently of its neighbours. So no tokenization of the raw text has to be aligned
    with the words, and a word always gets the same subwords.
    """

    def __init__(self, folder: Path, rows: int | None = None, cache_size: int = 200_000) -> None:
        path = folder / "tokenizer.json"
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing more specific
            raise ModelError(f"{path}: cannot be used ({error})") from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        vocabulary = self._tokenizer.get_vocab(with_added_tokens=True)
        for name in (symbols := ("[CLS]", "[SEP]", "[UNK]")):
            if name not in vocabulary:
                raise ModelError(f"{path}: expected a subword {name!r}, found none")
        self._start, self._stop, self._unknown = (vocabulary[name] for name in symbols)
        largest = max(vocabulary.values())
        if rows is not None and largest >= rows:
            raise ModelError(f"{path}: expected ids of subwords below {rows} ('vocab_size'), found {largest}")
        # No vocabulary has these words: some tokenizers fail at the first of them.
        for word in ("\U0010fffd", "x" * 1000):
            try:
                self._tokenizer.encode(word, add_special_tokens=False)
            except Exception as error:  # the library raises nothing more specific
                raise ModelError(f"{path}: cannot be used ({error})") from None
        self._cache: dict[str, tuple[tuple[int, ...], int]] = {}
        self._cache_size = cache_size

    def word(self, word: str) -> tuple[tuple[int, ...], int]:
        """Return the subword ids of a word, at least one, and its letter-case class."""
        encoded = self._cache.get(word)
        if encoded is None:
            plain = _plain(word)
            # In lower case, "[SEP]" is not read as a symbol.
            ids = self._tokenizer.encode(plain.lower(), add_special_tokens=False).ids
            encoded = (tuple(ids) or (self._unknown,), case_class(plain))
            if len(self._cache) >= self._cache_size:
                self._cache.clear()
            self._cache[word] = encoded
        return encoded

    def __call__(self, words: Sequence[str]) -> EncodedSentence:
        """Encode one sentence."""
        subwords, ends, cases = [self._start], [], []
        for word in words:
            ids, case = self.word(word)
            subwords.extend(ids)
            ends.append(len(subwords) - 1)
            cases.append(case)
        subwords.append(self._stop)
        return EncodedSentence(np.array(subwords, np.int64), np.array(ends, np.int64), _numbered(cases))


def length_batches(sizes: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group items of similar size into batches of at most ``budget`` subwords, including padding.

    An item larger than the budget is a batch by itself.
    """
    batch: list[int] = []
    for item in sorted(range(len(sizes)), key=sizes.__getitem__):
        if batch and sizes[item] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class RowBatch:
    """B sentences with R subwords; V words, including a start and a stop symbol of each sentence."""

    subwords: np.ndarray  # int64, shape (R,): ids
    starts: np.ndarray  # int64, shape (B + 1,): where the subwords of each sentence begin
    word_rows: np.ndarray  # int64, shape (V,): the last subword of each word
    word_starts: np.ndarray  # int64, shape (B + 1,): where the words of each sentence begin
    cases: np.ndarray  # int64, shape (V,): letter-case classes

    def subword_cases(self) -> np.ndarray:
        """The letter-case class of each subword's word: int64, shape (R,)."""
        return np.repeat(self.cases, np.diff(self.word_rows, prepend=-1))

    def is_word(self) -> np.ndarray:
        """Mark the words that are no start or stop symbols: bool, shape (V,)."""
        marked = np.ones(len(self.word_rows), dtype=bool)
        marked[self.word_starts[:-1]] = marked[self.word_starts[1:] - 1] = False
        return marked


def join_rows(sentences: Sequence[EncodedSentence]) -> RowBatch:
    """Join encoded sentences, one or more, to a batch."""
    starts = running_sums([len(sentence.subwords) for sentence in sentences])
    ends = [[0, *sentence.word_ends, len(sentence.subwords) - 1] for sentence in sentences]
    boundary = np.array([BOUNDARY_CASE])
    return RowBatch(
        np.concatenate([sentence.subwords for sentence in sentences]),
        starts,
        np.concatenate([start + np.array(places) for start, places in zip(starts[:-1], ends, strict=True)]),
        running_sums([len(places) for places in ends]),
        np.concatenate([part for one in sentences for part in (boundary, one.cases, boundary)]),
    )


def running_sums(sizes: Sequence[int]) -> np.ndarray:
    """Where each part of joined rows begins, and where the last one ends: int64, shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def places_within(starts: np.ndarray) -> np.ndarray:
    """The place of each row in its sentence."""
    return np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))


def mean_vectors(hidden: np.ndarray, batch: RowBatch) -> np.ndarray:
    """Average the subwords of each word, and scale to unit length.

    Shapes: ``hidden`` float32 (R, D); returns float32 (V - 2 B, D).
    """
    first = np.concatenate([[0], batch.word_rows[:-1] + 1])
    means = np.add.reduceat(hidden, first)
    means /= (batch.word_rows + 1 - first)[:, None]
    means = means[batch.is_word()]
    means /= np.maximum(np.sqrt((means * means).sum(1)), 1e-12)[:, None]
    return means


def distance_buckets(length: int, count: int, distance: int) -> np.ndarray:
    """T5's bucket numbers for all pairs of ``length`` positions, int64, shape (length, length).

    Half of the ``count`` buckets are for positions ahead. In each half, the first half of the buckets hold
    one distance each. The others hold growing ranges up to ``distance`` (Raffel et al. 2020, §2.1).
    """
    half, exact = count // 2, count // 4
    ahead = np.arange(length)[None, :] - np.arange(length)[:, None]
    far = np.abs(ahead)
    ratio = np.maximum(far, 1).astype(np.float32) / np.float32(exact)
    grown = np.log(ratio) / np.float32(math.log(distance / exact)) * np.float32(half - exact)
    bucket = np.where(far < exact, far, np.minimum(exact + grown.astype(np.int64), half - 1))
    return bucket + half * (ahead > 0)
