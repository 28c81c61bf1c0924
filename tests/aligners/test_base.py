"""What all aligners share: sentences as they were given, whatever the parser makes of their words."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

import forest_align
from forest_align.aligners.base import Aligner
from forest_align.aligners.pair import NO_TOKENS, GivenWords, Pair, PairLike, Text, pair_of
from forest_align.alignment import Alignment, Links
from forest_align.types import InputError, Sentence, Token


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


def test_word_vectors_of_given_tokens_are_kept() -> None:
    given = replace(GIVEN, vectors=np.eye(3, dtype=np.float32))
    aligner = Splitter()
    for alignment in (aligner.align("x", given), *aligner.align_many([("x", given)])):
        assert alignment.target.vectors is given.vectors
        assert alignment.target.tags == ("X", "X", "X")


def test_a_sentence_without_tokens_is_its_text() -> None:
    assert Splitter().align(Sentence((), text="He died"), "x").source.words == ("He", "died")
    with pytest.raises(InputError, match="empty"):
        Splitter().align(Sentence(()), "x")


def test_an_error_says_which_of_the_sentences_is_wrong() -> None:
    with pytest.raises(InputError, match=r"^field 'target': empty$"):
        Splitter().align("x", "")
    alignments = Splitter().align_many([("", "x"), ("x", ""), ("x", "x")])
    assert [one.error for one in alignments] == ["field 'source': empty", "field 'target': empty", ""]


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
    assert found[3].source.tokens == found[4].target.tokens == given.tokens and not found[2].phrases
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
    alignments = Greedy().align_many(pairs, batch_size=1, workers=workers)
    assert [one.error for one in alignments] == ["", "not enough memory for this pair", ""]


class Watched(Splitter):
    """Says in which process, and with how many threads of torch, each pair is aligned."""

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        alignments = super().align_prepared(source, target)
        return replace(alignments, id=f"{os.getpid()} {torch.get_num_threads()}")


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Torch with two threads, whatever the machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.skipif(sys.platform != "linux", reason="workers are threads here")
def test_workers_are_processes_that_align_batches_of_their_own_in_order(two_threads: None) -> None:
    pairs = [(f"{number} a", "b") for number in range(40)]
    found = list(Watched().align_many(pairs, batch_size=3, workers=2))
    assert [one.source.text for one in found] == [source for source, _ in pairs]
    processes, threads = zip(*(one.id.split() for one in found), strict=True)
    assert str(os.getpid()) not in processes and set(threads) == {"1"}
    assert torch.get_num_threads() == 2


def test_one_worker_is_this_process_with_all_its_threads(two_threads: None) -> None:
    alignments = Watched().align_many([("a", "b")] * 3, batch_size=2, workers=1)
    assert {one.id for one in alignments} == {f"{os.getpid()} 2"}


class Loading(Splitter):
    """Loads its model when it is needed, and says where that was."""

    def prepare(self, sentences: Sequence[Text], batch_size: int) -> list[Sentence | InputError]:
        self.loaded = getattr(self, "loaded", os.getpid())
        return super().prepare(sentences, batch_size)

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        return replace(super().align_prepared(source, target), id=str(self.loaded))


def test_models_are_loaded_once_for_all_workers_even_if_the_first_pair_is_broken() -> None:
    broken = InputError("no pair", line=1)
    found = list(Loading().align_many([broken, *[("a", "b")] * 9], batch_size=4, workers=3))
    assert {one.id for one in found[1:]} == {str(os.getpid())} and found[0].error


def test_a_mistake_of_the_caller_is_raised_with_workers_too() -> None:
    stream = Splitter().align_many([("a", "b"), ("c", None)], batch_size=1, workers=2)  # type: ignore[list-item]
    assert next(stream).source.text == "a"
    with pytest.raises(InputError, match="expected a text or a Sentence, found None"):
        next(stream)


def test_products_of_small_matrices_are_not_shared_out_during_a_run() -> None:
    def blas_threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    with threadpool_limits(2, "blas"):
        alignments = Splitter().align_many([("a", "b")] * 3, batch_size=1)
        next(alignments)
        assert blas_threads() == {1}
        alignments.close()
        assert blas_threads() == {2}


def test_workers_read_few_pairs_ahead() -> None:
    read = []
    pairs = ((f"{number}", "b") for number in itertools.count() if read.append(number) is None)
    alignments = Splitter().align_many(pairs, batch_size=2, workers=2)
    for done in range(1, 30):
        next(alignments)
        assert len(read) <= done + 2 * 4
    alignments.close()


class Linker(Splitter):
    """Aligns by the word links of the caller."""

    def align_candidates(self, source: Sentence, target: Sentence, candidates: GivenWords) -> Alignment:
        assert isinstance(candidates, Links)
        return Alignment(source, target, candidates.check(len(source), len(target)), aligner=self.name)


ONE, TWO = Sentence.from_words(["a", "b"]), Sentence.from_words(["c", "d"])


@settings(max_examples=10)
@example(classes="0011", batch_size=2)
@given(classes=st.text("01", max_size=9), batch_size=st.integers(1, 4))
def test_links_belong_to_their_pairs_though_words_repeat_with_any_number_of_workers(
    classes: str, batch_size: int
) -> None:
    links = [Links.of([(int(k), int(k))]) for k in classes]
    pairs: list[PairLike | InputError] = [(ONE, TWO, one) for one in links]
    pairs.insert(len(pairs) // 2, InputError("broken"))
    for workers in (1, 2):
        found = [one.words for one in Linker().align_many(pairs, batch_size, workers) if not one.error]
        assert found == links


@pytest.mark.parametrize("workers", [1, 2])
def test_a_pair_with_links_that_do_not_fit_does_not_end_the_others(workers: int) -> None:
    links = Links.of([(1, 1)])
    pairs: list[PairLike] = [
        (ONE, TWO, links),
        (ONE, Sentence.from_words(["c"]), links),
        Pair(ONE, "c d", links),
        (Sentence((), text="a b"), TWO, links),
        (ONE, TWO),
        (ONE, "c d", None),
        Pair(ONE, TWO, links),
    ]
    found = list(Linker().align_many(pairs, 2, workers))
    assert [one.error for one in found] == [
        "",
        "link 1-1 is out of range: the sentences have 2 and 1 tokens",
        NO_TOKENS,
        NO_TOKENS,
        *("", "", ""),
    ]
    assert [len(one.words) for one in found] == [1, 0, 0, 0, 0, 0, 1]


def test_links_of_one_pair_go_beside_its_sentences() -> None:
    links = Links.of([(0, 1)])
    for aligner in (Linker(), partial(forest_align.align, aligner=Linker())):
        align = aligner.align if isinstance(aligner, Linker) else aligner
        assert align(ONE, TWO, links).words == links
        with pytest.raises(InputError, match=NO_TOKENS):
            align("a b", TWO, links)


def test_an_aligner_that_uses_no_links_refuses_pairs_that_have_some() -> None:
    refused = "the splitter aligner does not support given word links"
    with pytest.raises(InputError, match=refused):
        Splitter().align(ONE, TWO, Links())
    found = list(Splitter().align_many([(ONE, TWO, Links()), (ONE, TWO)]))
    assert refused in found[0].error and not found[1].error


ONE, TWO = Sentence.from_words(["a", "b"]), Sentence.from_words(["c", "d"])


@pytest.mark.parametrize("wrong", ["c", [(0, 1)], 1, ((0, 1), (1, 2), 0.9)])
def test_what_are_no_links_are_refused_as_such(wrong: Any) -> None:
    with pytest.raises(InputError, match="expected Links or a sequence of Candidate, found"):
        pair_of((ONE, TWO, wrong))


@pytest.mark.parametrize("wrong", ["ab", ("a",), ("a", "b", Links(), "d"), None, ONE])
def test_what_is_no_pair_is_refused_as_such(wrong: Any) -> None:
    with pytest.raises(InputError, match="expected a pair of sentences"):
        pair_of(wrong)


def test_two_or_three_parts_make_a_pair() -> None:
    links = Links.of([(0, 1)])
    assert pair_of((ONE, "c d")) == Pair(ONE, "c d") == pair_of((ONE, "c d", None))
    assert pair_of((ONE, TWO, links)) == Pair(ONE, TWO, links)


def test_a_document_of_spacy_is_a_sentence_with_its_tokens_tags_and_sentences() -> None:
    spacy = pytest.importorskip("spacy", reason="needs the extra [spacy]")
    document = spacy.blank("en")("He died.  She \n lived.")
    for token, tag in zip(document, ("PRP", "VBD", ".", "_SP", "PRP", "_SP", "VBD", "."), strict=True):
        token.tag_, token.is_sent_start = tag, token.i in (0, 3)  # as some models do, at the blank
    pair = Pair(document, "x")
    assert isinstance(pair.source, Sentence)
    assert pair.source.words == ("He", "died", ".", "She", "lived", ".")
    assert pair.source.tags == ("PRP", "VBD", ".", "PRP", "VBD", ".")
    assert (pair.source.text, pair.source.starts) == (document.text, (3,))
    for token in pair.source.tokens:
        assert document.text[token.start : token.end] == token.text
    again = pair_of((pair.source, document)).target
    assert isinstance(again, Sentence) and again.to_dict() == pair.source.to_dict()
