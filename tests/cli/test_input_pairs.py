from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from forest_align.cli.input_pairs import Item, PairInput, read_items
from forest_align.types import InputError, InputWarning


def read(pairs: Path | str, **changes: Any) -> list[Item]:
    return list(read_items(PairInput(pairs=str(pairs), **changes), pytest.fail))


def test_a_pair_knows_where_it_stands_and_one_that_is_typed_in_stands_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "in.tsv"
    path.write_text("a\tb\n\nc\td\n")
    first, broken, last = read(path)
    assert (first.place, last.place) == ((str(path), 1), (str(path), 3))
    # What is wrong with it names the place already.
    assert str(broken.content).startswith(f"{path}:2: ") and broken.place is None
    assert [item.place for item in read("He died.", target="He passed away.")] == [None]


def test_columns_that_are_named_are_read_and_typed_sentences_have_none(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"old": "a b", "new": "a c", "source": "x", "target": "y"}')
    (item,) = read(path, columns=("old", "new"))
    assert item.texts == ("1", "a b", "a c")
    with pytest.raises(InputError, match="--columns is for files; found two sentences"):
        read("He died.", target="He passed away.", columns=("old", "new"))


@pytest.mark.parametrize("text", ["He died.", "much " * 200 + "more", "Hello"])
def test_of_one_sentence_alone_it_is_told_that_two_are_expected(text: str) -> None:
    with pytest.raises(
        InputError, match=r"there is no file '.*'; expected a file of pairs, or two sentences"
    ):
        read(text)


@pytest.mark.parametrize("two", [("pairs.txv", "other.txv"), ("new/pairs", "pairs.tsv"), ("./a", "/no/b")])
def test_two_names_of_files_that_do_not_exist_are_no_sentences(two: tuple[str, str]) -> None:
    with pytest.raises(
        InputError, match=f"no files '{two[0]}' and '{two[1]}'; .* standard input, with a tab"
    ):
        read(two[0], target=two[1])


def test_links_of_a_file_that_are_of_other_tokens_are_told_which_tokens_count(tmp_path: Path) -> None:
    pairs, words = tmp_path / "in.tsv", tmp_path / "words.txt"
    pairs.write_text("He can't.\tHe cannot.\n")
    words.write_text("3-3\n")
    (item,) = read(pairs, words=str(words), tokenized=True)
    assert str(item.content).startswith(
        f"{words}:1: link 3-3 is out of range: the sentences have 2 and 2 tokens"
    )
    assert str(item.content).endswith("those between spaces ('align --tokenized' makes such links)")


@pytest.mark.parametrize("content", ["", "\n \n\n"])
def test_an_input_without_pairs_is_warned_about(content: str, tmp_path: Path) -> None:
    path = tmp_path / "in.tsv"
    path.write_text(content)
    with pytest.warns(InputWarning, match=r"in\.tsv: found no pairs of sentences$"):
        assert read(path) == []
    path.write_text("a\tb\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read(path)) == 1
