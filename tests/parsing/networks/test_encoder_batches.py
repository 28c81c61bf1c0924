"""Words as encoder input, with the bundled tokenizer, and how much of them a parser takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benepar.ptb_unescape import ptb_unescape
from hypothesis import given
from hypothesis import strategies as st

from forest_align.parsing.forests.decoding import SpanScores
from forest_align.parsing.networks.encoder_batches import (
    CASE_CLASSES,
    EncodedSentence,
    WordEncoder,
    join_rows,
    places_within,
    plain_word,
)
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.networks.model_files import ParserConfig
from forest_align.parsing.networks.torch_layers import collate
from forest_align.parsing.parser_loading import MODELS, locate_parser

PIECES = [*"«»‹›„“”‘’–—`'/*a-", "``", "''", "\\/", "\\*"]
PIECES += [f"-{side}{kind}B-" for side in "LR" for kind in "RSC"]
START, STOP, UNKNOWN = 101, 102, 100  # of the bundled tokenizer, which is BERT's


@pytest.fixture(scope="module")
def encode() -> WordEncoder:
    return WordEncoder(MODELS / "en")


def test_a_sentence_begins_with_classes_of_its_own_and_ends_with_the_stop_symbol(encode: WordEncoder) -> None:
    found = encode(["Cat", "antidisestablishmentarianism", "Cat"])
    (cat,), _ = encode.word("cat")
    parts, _ = encode.word("antidisestablishmentarianism")
    assert len(parts) > 2
    assert found.subwords.tolist() == [START, cat, *parts, cat, STOP]
    assert found.word_ends.tolist() == [1, 1 + len(parts), 2 + len(parts)]
    assert found.cases.tolist() == [2 + len(CASE_CLASSES), 1, 2]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join))
def test_words_are_plain_as_for_the_parsers_of_benepar(word: str) -> None:
    assert [plain_word(word)] == ptb_unescape([word])


def test_words_are_read_as_words_whatever_they_look_like(encode: WordEncoder) -> None:
    for word in ("[SEP]", "[CLS]", "[PAD]", "[sep]"):
        assert not {START, STOP, 0} & set(encode.word(word)[0])
    assert encode.word("-LRB-") == encode.word("(")
    assert encode.word("\x00")[0] == (UNKNOWN,)
    assert len(encode.word("a-" * 400)[0]) == 800


def test_no_more_words_are_remembered_than_asked_for() -> None:
    few = WordEncoder(MODELS / "en", cache_size=3)
    found = [few.word(word) for word in ["a", "b", "c", "d", "e", "a", "b", "c"]]
    assert found[:3] == found[5:] and len(few._cache) <= 3


def test_a_batch_is_filled_up(encode: WordEncoder) -> None:
    batch = collate([encode(["Cats", "sleep"]), encode(["Go"])])
    boundary = CASE_CLASSES.index("boundary")
    assert batch.subwords[1].tolist()[2:] == [STOP, 0]
    assert batch.subword_mask.tolist() == [[True] * 4, [True] * 3 + [False]]
    assert batch.word_ends.tolist() == [[0, 1, 2, 3], [0, 1, 2, 0]]
    assert batch.word_mask.tolist() == [[True] * 4, [True] * 3 + [False]]
    assert batch.cases.tolist() == [[boundary, 12, 1, boundary], [boundary, 12, boundary, boundary]]
    assert batch.lengths.tolist() == [2, 1]


def test_each_subword_has_the_letter_case_of_its_word(encode: WordEncoder) -> None:
    sentences = [encode(["Antidisestablishmentarianism", "a", "NATO"]), encode([]), encode(["3rd"])]
    boundary, expected = CASE_CLASSES.index("boundary"), []
    for sentence in sentences:
        ends = sentence.word_ends.tolist()
        sizes = [end - before for before, end in zip([0, *ends], ends, strict=False)]
        expected.append([case for case, n in zip(sentence.cases, sizes, strict=True) for _ in range(n)])
        assert sentence.subword_cases().tolist() == expected[-1]
        assert len(expected[-1]) == len(sentence.subwords) - 2
    assert len(expected[0]) > 5 and set(expected[0]) == {12, 1, 4}
    of_rows = join_rows(sentences).subword_cases().tolist()
    assert of_rows == [case for cases in expected for case in (boundary, *cases, boundary)]
    width = max(map(len, expected)) + 2
    padded = [[boundary, *cases] + [boundary] * (width - 1 - len(cases)) for cases in expected]
    assert collate(sentences).cases.tolist() == padded


def test_a_batch_of_rows_has_no_padding(encode: WordEncoder) -> None:
    batch = join_rows([encode(["Cats", "sleep"]), encode(["Go"])])
    boundary = CASE_CLASSES.index("boundary")
    assert batch.starts.tolist() == [0, 4, 7] and batch.subwords[[0, 3, 4, 6]].tolist() == [START, STOP] * 2
    assert batch.word_rows.tolist() == [0, 1, 2, 3, 4, 5, 6] and batch.word_starts.tolist() == [0, 4, 7]
    assert batch.cases.tolist() == [boundary, 12, 1, boundary, boundary, 12, boundary]
    assert batch.is_word().tolist() == [False, True, True, False, False, True, False]
    assert places_within(batch.starts).tolist() == [0, 1, 2, 3, 0, 1, 2]


class Flat:
    """A network of twelve subwords at most that scores all alike."""

    longest = 12

    def __call__(self, sentences: list[EncodedSentence]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sizes = [len(sentence.word_ends) for sentence in sentences]
        spans = np.ones((sum(size * (size + 1) // 2 for size in sizes), 1), np.float32)
        return spans, np.ones((sum(sizes), 3), np.float32), np.ones((sum(sizes), 2), np.float32)


@pytest.mark.parametrize("force_root", [True, False])
def test_a_sentence_as_long_as_the_parser_can_read_is_parsed(encode: WordEncoder, force_root: bool) -> None:
    config = ParserConfig(("", "NP"), ("UNK", "A", "B"), {"force_root_constituent": force_root}, {})
    scorer = EncoderScorer(Flat(), encode, config)
    assert scorer.force_root == force_root
    long, longer = scorer.score([["cat"] * 10, ["cat"] * 11])
    assert isinstance(long, SpanScores) and long.tags == ("A",) * 10
    assert str(longer).endswith("11 words (11 subwords) is longer than the parser can read (10 subwords)")


def test_no_folder_of_the_same_name_hides_the_bundled_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("en").mkdir()
    Path("mine").mkdir()
    assert locate_parser("en") == MODELS / "en"
    assert locate_parser("mine") == Path("mine")
