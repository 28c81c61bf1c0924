"""Tests for :mod:`forest_align.cli.input_reports`."""

from __future__ import annotations

import warnings

import pytest

from forest_align.cli.input_reports import TextWarnings
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
