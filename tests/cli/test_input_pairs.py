"""Pairs of the input, and what commands say about them."""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from forest_align.cli.input_pairs import Item, PairInput, read_items
from forest_align.cli.input_reports import TextWarnings, expected_count, report_skipped
from forest_align.types import InputError, InputWarning

from ..command_line import written


def read(pairs: Path | str, **changes: Any) -> list[Item]:
    return list(read_items(PairInput(pairs=str(pairs), **changes), pytest.fail))


def test_a_pair_knows_where_it_stands_and_one_that_is_typed_in_stands_nowhere(tmp_path: Path) -> None:
    path = written(tmp_path / "in.tsv", "a\tb\n\nc\td\n")
    first, broken, last = read(path)
    assert (first.place, last.place) == ((str(path), 1), (str(path), 3))
    # What is wrong with it names the place already.
    assert str(broken.content).startswith(f"{path}:2: ") and broken.place is None
    assert [item.place for item in read("He died.", target="He passed away.")] == [None]


def test_columns_that_are_named_are_read_and_typed_sentences_have_none(tmp_path: Path) -> None:
    path = written(tmp_path / "in.jsonl", '{"old": "a b", "new": "a c", "source": "x", "target": "y"}')
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
    path = written(tmp_path / "in.tsv", content)
    with pytest.warns(InputWarning, match=r"in\.tsv: found no pairs of sentences$"):
        assert read(path) == []
    path.write_text("a\tb\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read(path)) == 1


GERMAN = "Der alte Mann ging gestern in die Stadt und kaufte so ein Buch für seine Tochter."
SPANISH = "No me gusta que él no me diga nada a mí, y a ella no le gusta que yo hable tanto."
DUTCH = "De oude man was in de stad en is over de brug van onze buren naar huis gegaan."
RUSSIAN = "Старик вчера пошёл в город."
HEADLINE = "Russia warns Ukraine against EU deal"
TITLE = "Syria peace talks begin Geneva"


def warned(*texts: str) -> list[str]:
    """The warnings about pairs, each of a text and itself."""
    seen = TextWarnings()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for number, text in enumerate(texts, 1):
            seen.see(str(number), (text, text))
    assert all(issubclass(one.category, InputWarning) for one in found)
    return [str(one.message) for one in found]


@pytest.mark.parametrize("text", [GERMAN, SPANISH, DUTCH, RUSSIAN])
def test_another_language_is_told_once(text: str) -> None:
    assert warned(*[text] * 9) == ["the text does not look like English, the only language that is known"]


@pytest.mark.parametrize(
    "texts",
    [
        [GERMAN],  # too short to tell
        ["The old man went to the town, where he bought a book for his daughter."] * 9,
        [HEADLINE, TITLE] * 9,
        ["hound", "spaniel"] * 60,
        ["x < y > z, I <3 you, and if a<b then c>d"],
    ],
)
def test_english_headlines_and_terms_are_taken_as_they_are(texts: list[str]) -> None:
    assert warned(*texts) == []


@pytest.mark.parametrize(
    ("count", "last"), [(0, None), (1, "1"), (10, "10"), (11, "1 more"), (500, "490 more")]
)
def test_ten_are_named_and_the_others_counted(
    count: int, last: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    report_skipped("sing", range(1, count + 1))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == min(count, 11)
    assert lines[-1:] == ([f"forest-align sing: left out: {last}"] if last else [])


class Terminal(io.StringIO):
    """Standard error on a screen."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a\tb\n", 1), ("a\nb", 2), ("a\n\nb\n", 3)])
def test_lines_are_counted_if_somebody_sees_the_bar(
    text: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "pairs.tsv", text)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert expected_count(str(path)) is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert expected_count(str(path)) == count


@pytest.mark.parametrize("name", ["pairs.tsv.gz", "gold.json", "-", "missing.tsv", "folder.tsv", None])
def test_of_other_inputs_the_number_is_unknown(
    name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.tsv").mkdir()
    for one in ("pairs.tsv.gz", "gold.json"):
        (tmp_path / one).write_text("a\n")
    assert expected_count(name) is None
