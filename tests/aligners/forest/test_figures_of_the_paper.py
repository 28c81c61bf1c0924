"""The phrases that the figures of Arase & Tsujii (2017) align, from raw text."""

from __future__ import annotations

import pytest

import forest_align
from forest_align.alignment import Alignment, Span

# Figure 1.
SMOKE = (
    "Whenever I go to the ground floor for a smoke, I always come face to face with them.",
    "Whenever I go down to smoke a cigarette, I come face to face with one of them.",
)
# Figures 2 and 5.
SPIRIT = (
    "Relying on team spirit, expedition members defeated difficulties.",
    "Members of the scientific team overcame difficulties through the spirit of teamwork.",
)


def aligned_by(name: str) -> dict[tuple[str, str], Alignment]:
    pairs = [SMOKE, SPIRIT]
    return dict(zip(pairs, forest_align.load(name).align_many(pairs), strict=True))


@pytest.fixture(scope="module")
def alignments() -> dict[tuple[str, str], Alignment]:
    return aligned_by("forest")


@pytest.fixture(scope="module")
def published() -> dict[tuple[str, str], Alignment]:
    return aligned_by("forest-published")


def span_of(words: tuple[str, ...], phrase: str) -> Span:
    wanted = tuple(phrase.split())
    places = [k for k in range(len(words)) if words[k : k + len(wanted)] == wanted]
    assert len(places) == 1, f"{phrase!r} is {len(places)} times in the sentence"
    return places[0], places[0] + len(wanted)


def is_half_or_more(found: Span, wanted: Span) -> bool:
    """Whether a span lies inside another one and has at least half of its words."""
    inside = wanted[0] <= found[0] and found[1] <= wanted[1]
    return inside and 2 * (found[1] - found[0]) >= wanted[1] - wanted[0]


def halves_of(found: Alignment, source: str, target: str) -> list[tuple[str, str]]:
    """The aligned phrases that are, on both sides, these phrases or at least half of them."""
    wanted = span_of(found.source.words, source), span_of(found.target.words, target)
    return [
        found.texts_of(one)
        for one in found.phrases
        if is_half_or_more(one.source_node.span, wanted[0])
        and is_half_or_more(one.target_node.span, wanted[1])
    ]


def test_half_of_a_phrase_is_inside_of_it_and_not_a_word_more() -> None:
    wanted = (2, 6)
    assert [is_half_or_more(found, wanted) for found in ((2, 6), (4, 6), (3, 5))] == [True] * 3
    assert [is_half_or_more(found, wanted) for found in ((2, 3), (1, 6), (0, 9), (5, 7))] == [False] * 4


@pytest.mark.parametrize(
    ("pair", "source", "target"),
    [
        pytest.param(SMOKE, "for a smoke", "to smoke a cigarette", id="for a smoke"),
        pytest.param(SMOKE, "to the ground floor", "down", id="to the ground floor"),
        pytest.param(
            SPIRIT,
            "Relying on team spirit",
            "through the spirit of teamwork",
            id="Relying on team spirit",
        ),
        pytest.param(SPIRIT, "expedition members", "Members of the scientific team", id="expedition members"),
    ],
)
def test_the_phrases_of_the_figure_are_aligned_or_at_least_half_of_both(
    alignments: dict[tuple[str, str], Alignment], pair: tuple[str, str], source: str, target: str
) -> None:
    assert halves_of(alignments[pair], source, target)


@pytest.mark.parametrize(
    ("pair", "source", "target"),
    [
        (SMOKE, "for a smoke", "to smoke a cigarette"),
        (SPIRIT, "Relying on team spirit", "through the spirit of teamwork"),
    ],
)
def test_the_system_of_the_paper_aligns_two_of_the_four(
    published: dict[tuple[str, str], Alignment], pair: tuple[str, str], source: str, target: str
) -> None:
    assert halves_of(published[pair], source, target)


@pytest.mark.parametrize(
    ("pair", "source", "target"),
    [
        (SMOKE, "go to the ground floor for a smoke", "go down to smoke a cigarette"),
        (SMOKE, "come face to face with them", "come face to face with one of them"),
        (SPIRIT, "defeated difficulties", "overcame difficulties"),
    ],
)
def test_other_phrases_of_the_figures_are_aligned(
    alignments: dict[tuple[str, str], Alignment], pair: tuple[str, str], source: str, target: str
) -> None:
    found = alignments[pair]
    assert (source, target) in [found.texts_of(one) for one in found.phrases]
