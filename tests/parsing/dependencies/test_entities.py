"""Names by runs of proper nouns, and acronyms."""

from __future__ import annotations

import pytest

from forest_align.parsing.dependencies.entities import find_entities, is_acronym


def names(text: str) -> list[tuple[str, str]]:
    words, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    return [(" ".join(words[e.start : e.end]), e.kind) for e in find_entities(words, tags)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The/DT actor/NN Nicolas/NNP Cage/NNP met/VBD Bush/NNP", [("Nicolas Cage", ""), ("Bush", "")]),
        # A title is no part of the name, but tells its kind; alone it is a name.
        ("said/VBD Mr./NNP Fazio/NNP ./.", [("Fazio", "person")]),
        ("Prime/NNP Minister/NNP Blair/NNP", [("Blair", "person")]),
        ("the/DT President/NNP", [("President", "")]),
        # Particles and signs join names.
        ("Leonardo/NNP da/NNP Vinci/NNP met/VBD", [("Leonardo da Vinci", "")]),
        ("Procter/NNP &/CC Gamble/NNP", [("Procter & Gamble", "")]),
        ("Procter/NNP &/NNP Gamble/NNP", [("Procter & Gamble", "")]),
        ("Radio/NNP 1/NNP plays/VBZ iowa/NNP", [("Radio 1", "")]),
        ("Vinci/NNP da/NNP", [("Vinci", "")]),
        # *of* joins only where it is usual.
        ("University/NNP of/IN Oxford/NNP", [("University of Oxford", "organization")]),
        ("Smith/NNP of/IN Oxford/NNP", [("Smith", ""), ("Oxford", "")]),
        ("on/IN Monday/NNP in/IN May/NNP with/IN May/NNP", []),
    ],
)
def test_runs_of_proper_nouns_are_names(text: str, expected: list[tuple[str, str]]) -> None:
    assert names(text) == expected


def test_without_tags_there_are_no_names() -> None:
    assert find_entities(["Nicolas", "Cage"], ["", ""]) == ()


@pytest.mark.parametrize(
    ("word", "name", "expected"),
    [
        ("NYC", ["New", "York", "City"], True),
        ("U.S.", ["United", "States"], True),
        ("FBI", ["Federal", "Bureau", "of", "Investigation"], True),
        ("DOD", ["Department", "of", "Defense"], True),
        ("UN", ["United", "States"], False),
        ("Us", ["United", "States"], False),
        ("I", ["Intel"], False),
        ("U2", ["Ural", "2nd"], False),
        ("DOD", ["department", "of", "defense"], True),
        ("NY", [], False),
    ],
)
def test_an_acronym_has_the_first_letters(word: str, name: list[str], expected: bool) -> None:
    assert is_acronym(word, name) is expected
