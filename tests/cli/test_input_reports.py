"""What commands say of their input: languages, pairs that are left out, how many are expected."""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path

import pytest

from forest_align.cli.input_reports import TextWarnings, expected_count, report_skipped
from forest_align.types import InputWarning

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
    path = tmp_path / "pairs.tsv"
    path.write_text(text)
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
