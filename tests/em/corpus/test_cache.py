"""The store of parses: what comes out is what went in, whoever wrote it and whatever was killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.em.corpus.cache import ArrayStore, cached_sentences, decode_sentence, encode_sentence
from forest_align.parsing import forest_from_bracket
from forest_align.types import InputError, Sentence, Token
from forest_align.types.errors import InputWarning, MemoryLimitError


def example_sentence() -> Sentence:
    tokens = (Token("Thé", "thé", "DT", 0, 3), Token("(cat", "cat", "NN", 4, 8))
    forest = forest_from_bracket("(NP (DT Thé) (NN cat))")[1]
    return Sentence(tokens, forest, np.array([[0.5, 0.25], [1.0, -0.125]], np.float32), text="Thé (cat")


def decoded(sentence: Sentence) -> Sentence:
    after = decode_sentence(encode_sentence(sentence))
    assert isinstance(after, Sentence)
    return after


class CountingParser:
    """Makes sentences of a text and remembers which texts it was given."""

    def __init__(self) -> None:
        self.parsed: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[Sentence]:
        self.parsed += texts
        return [Sentence.from_words(text.split()) for text in texts]


@pytest.mark.parametrize("starts", [(), (1,)])
def test_a_sentence_comes_back_as_it_was(starts: tuple[int, ...]) -> None:
    before = replace(example_sentence(), starts=starts)
    after = decoded(before)
    assert (after.tokens, after.text, after.starts) == (before.tokens, before.text, starts)
    assert after.forest is not None and before.forest is not None and after.vectors is not None
    assert after.forest.to_json() == before.forest.to_json()
    assert (after.vectors == before.vectors).all() and after.vectors.dtype == np.float32


@pytest.mark.parametrize("known", [True, False])
def test_exact_probabilities_of_nodes_come_back_where_they_are_known(known: bool) -> None:
    sentence = example_sentence()
    forest = sentence.forest
    assert forest is not None
    if known:
        forest = replace(forest, log_posterior=np.array([-0.5, -0.25, np.nan]))
    sentence = replace(sentence, forest=forest)
    assert ("forest.log_posterior" in encode_sentence(sentence)[0]) == known
    after = decoded(sentence).forest
    assert after is not None
    np.testing.assert_array_equal(after.log_posterior, forest.log_posterior)


def test_a_second_run_parses_nothing_and_equal_texts_are_parsed_once(tmp_path: Path) -> None:
    store, parser = ArrayStore(tmp_path), CountingParser()
    texts = ["a b", "c", "a b", "d e f"]
    first = cached_sentences(texts, parser, store, "en", chunk=2)
    assert parser.parsed == ["a b", "c", "d e f"]
    second = cached_sentences([*texts, "g"], parser, store, "en")
    assert parser.parsed == ["a b", "c", "d e f", "g"]
    for sentences in (first, second[:4]):
        assert [s.words for s in sentences if isinstance(s, Sentence)] == [tuple(t.split()) for t in texts]


def test_vectors_are_the_same_with_and_without_a_store(tmp_path: Path) -> None:
    vectors = np.array([[1 / 3, 2.0]], np.float32)

    def parse_many(texts: Sequence[str]) -> list[Sentence]:
        return [replace(Sentence.from_words(["a"]), vectors=vectors)]

    stores = (None, ArrayStore(tmp_path), ArrayStore(tmp_path))
    for store in stores:
        (found,) = cached_sentences(["a"], parse_many, store, "en")
        assert isinstance(found, Sentence) and found.vectors is not None
        assert (found.vectors == vectors.astype(np.float16)).all() and found.vectors.dtype == np.float32


@pytest.mark.parametrize("half", [True, False])
def test_a_damaged_entry_is_named_and_computed_anew(half: bool, tmp_path: Path) -> None:
    store, parser = ArrayStore(tmp_path), CountingParser()
    cached_sentences(["a"], parser, store, "en")
    path = store.path(["en", "a"])
    content = path.read_bytes()
    path.write_bytes(content[:20] if half else content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.warns(InputWarning, match=rf"{path.name}: .*; it is computed again"):
        sentence = cached_sentences(["a"], parser, store, "en")[0]
    assert isinstance(sentence, Sentence) and sentence.words == ("a",)
    assert parser.parsed == ["a", "a"]
    assert store.get(["en", "a"]) is not None


def test_a_text_that_cannot_be_parsed_is_not_tried_again(tmp_path: Path) -> None:
    store = ArrayStore(tmp_path)
    first = cached_sentences([""], lambda texts: [InputError("the sentence is empty")], store, "en")
    second = cached_sentences([""], CountingParser(), store, "en")
    for results in (first, second):
        assert isinstance(results[0], InputError) and results[0].message == "the sentence is empty"


def test_a_text_that_there_was_no_memory_for_is_tried_again(tmp_path: Path) -> None:
    store, parser = ArrayStore(tmp_path), CountingParser()
    first = cached_sentences(["a"], lambda texts: [MemoryLimitError("not enough memory")], store, "en")
    assert isinstance(first[0], InputError) and first[0].message == "not enough memory"
    assert isinstance(cached_sentences(["a"], parser, store, "en")[0], Sentence)
    assert parser.parsed == ["a"]


def test_processes_that_write_the_same_entry_leave_a_whole_one(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np\nfrom pathlib import Path\n"
        "from forest_align.em.corpus.cache import ArrayStore\n"
        "store = ArrayStore(Path(sys.argv[1]))\n"
        "for i in range(30):\n"
        "    store.put('key', {'x': np.full(5000, 7)}, {})\n"
        "    entry = store.get('key')\n"
        "    assert entry is not None and (entry[0]['x'] == 7).all()"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(list(tmp_path.rglob("*.tmp"))) == 0
