"""Names by runs of proper nouns, and acronyms."""

from __future__ import annotations

import pytest

from forest_align.parsing.dependencies.entities import find_entities, is_acronym


def names(text: str) -> list[tuple[str, str]]:
    words, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    return [(" ".join(words[e.start : e.end]), e.kind) for e in find_entities(words, tags)]


def test_a_run_of_proper_nouns_is_a_name() -> None:
    assert names("The/DT actor/NN Nicolas/NNP Cage/NNP met/VBD Bush/NNP") == [
        ("Nicolas Cage", ""),
        ("Bush", ""),
    ]


def test_a_title_is_no_part_of_the_name_but_tells_its_kind() -> None:
    assert names("said/VBD Mr./NNP Fazio/NNP ./.") == [("Fazio", "person")]


def test_all_titles_before_a_name_go_but_a_title_alone_is_a_name() -> None:
    assert names("Prime/NNP Minister/NNP Blair/NNP") == [("Blair", "person")]
    assert names("the/DT President/NNP") == [("President", "")]


def test_particles_and_signs_join_names_and_small_letters_are_none() -> None:
    assert names("Leonardo/NNP da/NNP Vinci/NNP met/VBD") == [("Leonardo da Vinci", "")]
    assert names("Procter/NNP &/CC Gamble/NNP") == [("Procter & Gamble", "")]
    assert names("Procter/NNP &/NNP Gamble/NNP") == [("Procter & Gamble", "")]
    assert names("Radio/NNP 1/NNP plays/VBZ iowa/NNP") == [("Radio 1", "")]
    assert names("Vinci/NNP da/NNP") == [("Vinci", "")]


def test_of_joins_only_where_it_is_usual() -> None:
    assert names("University/NNP of/IN Oxford/NNP") == [("University of Oxford", "organization")]
    assert names("Smith/NNP of/IN Oxford/NNP") == [("Smith", ""), ("Oxford", "")]


def test_days_and_months_are_no_names() -> None:
    assert names("on/IN Monday/NNP in/IN May/NNP with/IN May/NNP") == []


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
