"""What all aligners share: sentences as they were given, whatever the parser makes of their words."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

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


def test_an_error_says_which_of_the_sentences_is_wrong() -> None:
    with pytest.raises(InputError, match=r"^field 'target': empty$"):
        Splitter().align("x", "")
    found = Splitter().align_many([("", "x"), ("x", ""), ("x", "x")])
    assert [one.error for one in found] == ["field 'source': empty", "field 'target': empty", ""]


class Picky(Splitter):
    """Has no use for ``?``, reads no ``!`` and writes words in lower case."""

    def prepare(self, sentences: Sequence[Text], batch_size: int) -> list[Sentence | InputError]:
        words = [text.split() if isinstance(text, str) else text.words for text in sentences]
        return [
            InputError("unreadable", field="words")
            if "!" in mine
            else Sentence.from_words([word.lower() for word in mine])
            for mine in words
        ]

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        if "?" in source.words + target.words:
            raise InputError("useless")
        return super().align_prepared(source, target)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("batch_size", [1, 3, 64])
def test_every_pair_of_a_stream_has_the_result_or_the_error_that_is_its_own(
    workers: int, batch_size: int
) -> None:
    given = Sentence.from_words(["D", "!"])
    pairs: list[tuple[Text, Text] | InputError] = [
        ("A", "b"),
        InputError("no pair", line=2),
        ("A ?", "c"),
        (given, "d"),
        ("d", given),
        InputError("no pair", line=6),
        ("e", "F"),
    ]
    found = list(Picky().align_many(pairs * 2, batch_size, workers))
    wanted = [
        ("a", "b", ""),
        ("", "", "line 2: no pair"),
        ("a ?", "c", "useless"),
        ("D !", "d", "field 'words': unreadable"),
        ("d", "D !", "field 'words': unreadable"),
        ("", "", "line 6: no pair"),
        ("e", "f", ""),
    ]
    assert [(one.source.text, one.target.text, one.error) for one in found] == wanted * 2
    assert found[3].source is given and found[4].target is given and not found[2].phrases
    assert {one.aligner for one in found} == {"splitter"}


def test_a_sentence_whose_words_the_parser_changed_is_the_parsers() -> None:
    source = Picky().align(GIVEN, "x").source
    assert (source.text, source.words) == ("he died .", ("he", "died", "."))


def test_offsets_that_a_sentence_lacks_are_those_of_the_parser() -> None:
    given = Sentence((Token("He"), Token("died")), text="He died")
    assert [(one.start, one.end) for one in Splitter().align(given, "x").source.tokens] == [(0, 2), (3, 7)]


class Greedy(Splitter):
    """Has no memory for long sentences."""

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        if len(source) > 2:
            raise MemoryError
        return super().align_prepared(source, target)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_pair_without_memory_does_not_end_the_others(workers: int) -> None:
    pairs = [("a", "b"), ("a b c", "b"), ("a", "b")]
    found = Greedy().align_many(pairs, batch_size=1, workers=workers)
    assert [one.error for one in found] == ["", "not enough memory for this pair", ""]


class Watched(Splitter):
    """Notes in which thread, and with how many threads of torch, each batch is prepared."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []

    def prepare(self, sentences: Sequence[Text], batch_size: int) -> list[Sentence | InputError]:
        self.seen.append((threading.current_thread().name, torch.get_num_threads()))
        return super().prepare(sentences, batch_size)


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Torch with two threads, whatever the machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_workers_parse_and_align_batches_of_their_own_in_order(two_threads: None) -> None:
    aligner = Watched()
    pairs = [(f"{number} a", "b") for number in range(40)]
    found = list(aligner.align_many(pairs, batch_size=3, workers=2))
    assert [one.source.text for one in found] == [source for source, _ in pairs]
    first, *rest = aligner.seen
    # The first batch loads the models, in the thread of the caller.
    assert first == (threading.current_thread().name, 2)
    assert {name for name, _ in rest}.isdisjoint({first[0]}) and {threads for _, threads in rest} == {1}
    assert torch.get_num_threads() == 2


def test_a_run_that_is_given_up_gives_torch_its_threads_back(two_threads: None) -> None:
    found = Watched().align_many((("a", "b") for _ in range(20)), batch_size=2, workers=3)
    assert not any(next(found).error for _ in range(5))
    found.close()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(torch.get_num_threads).result() == 2


def test_products_of_small_matrices_are_not_shared_out_during_a_run() -> None:
    def blas_threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    with threadpool_limits(2, "blas"):
        found = Splitter().align_many([("a", "b")] * 3, batch_size=1)
        next(found)
        assert blas_threads() == {1}
        found.close()
        assert blas_threads() == {2}


def test_workers_read_few_pairs_ahead() -> None:
    read = []
    pairs = ((f"{number}", "b") for number in itertools.count() if read.append(number) is None)
    found = Splitter().align_many(pairs, batch_size=2, workers=2)
    for done in range(1, 30):
        next(found)
        assert len(read) <= done + 2 * 4
    found.close()
