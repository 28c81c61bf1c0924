from __future__ import annotations

import re
from dataclasses import replace

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.alignment.html import comparison_section
from forest_align.types import Node, Sentence

from .html_page import Page

_SIDES = Sentence.from_words(["a", "<b>", "c"]), Sentence.from_words(["d", "e"])
_PAIR = PhrasePair(Node(0, 2, "X", False), Node(0, 2, "X", False), 0.9)
FIRST = Alignment(*_SIDES, Links.of([(0, 0), (1, 1)], scores=[0.5, 0.25]), (_PAIR,), aligner="one")
SECOND = Alignment(*_SIDES, Links.of([(0, 0), (2, 1)]), aligner="gold")


def rows_of(section: str) -> list[list[str]]:
    return [re.findall("<td[^>]*>([^<]*)</td>", row) for row in section.split("<tr data-with")[1:]]


def test_what_only_one_of_two_alignments_has_is_listed_and_ringed() -> None:
    section = comparison_section(FIRST, SECOND)
    page = Page(section)
    assert "1 link in both, 1 only in one, 1 only in gold" in page.text
    assert rows_of(section) == [
        ["link", "one", "&lt;b&gt;", "e", "0.25"],
        ["link", "gold", "c", "e", ""],
    ]
    assert len(page.of("svg")) == 2 and len(page.of("circle")) == 2
    assert [a["class"] for a in page.of("div") if a.get("class") == "column"] == ["column"] * 2


def test_phrases_differ_if_both_have_some() -> None:
    wider = PhrasePair(Node(0, 3, "X", False), Node(0, 2, "X", False), 0.75)
    section = comparison_section(FIRST, replace(FIRST, phrases=(_PAIR, wider), aligner="two"))
    assert rows_of(section) == [["phrase", "two", "a &lt;b&gt; c", "d e", "0.75"]]


def test_other_words_are_told_and_nothing_is_marked() -> None:
    other = replace(SECOND, source=Sentence.from_words(["a", "<b>c"]), words=Links.of([(1, 1)]))
    section = comparison_section(FIRST, other)
    assert "split the sentences into other words" in section and "<circle" not in section
