"""Edits in the formats of other programs, and views for people."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from forest_align import Alignment, Links, Sentence
from forest_align.edits import (
    edits_to_easse,
    edits_to_html,
    edits_to_m2,
    edits_to_markup,
    edits_to_text,
    edits_to_thresh,
)

from .test_edits import aligned, alignments


def corrected(block: str) -> list[str]:
    """The words that the corrections of a block of M2 make, as ERRANT's users apply them: from the end."""
    lines = block.rstrip("\n").split("\n")
    words: list[str] = lines[0].split()[1:]
    for line in reversed(lines[1:]):
        span, _, correction, *_ = line.split("|||")
        start, end = (int(number) for number in span.split()[1:])
        if start >= 0:
            words[start:end] = correction.split()
    return words


@settings(deadline=None)
@given(alignments())
def test_the_corrections_of_m2_make_the_target(alignment: Alignment) -> None:
    assert corrected(edits_to_m2(alignment, alignment.edits())) == list(alignment.target.words)


def test_m2_has_types_of_errant() -> None:
    one = aligned("the dogs saw it again .", "the dog saw it , .", "0-0 1-1 2-2 3-3 5-5")
    tagged = Alignment(
        Sentence.from_words(one.source.words, ["DT", "NNS", "VBD", "PRP", "RB", "."]),
        Sentence.from_words(one.target.words, ["DT", "NN", "VBD", "PRP", ",", "."]),
        one.words,
    )
    lines = edits_to_m2(tagged, tagged.edits(minimal=True)).split("\n")
    assert lines == [
        "S the dogs saw it again .",
        "A 1 2|||R:NOUN:NUM|||dog|||REQUIRED|||-NONE-|||0",
        "A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0",
        "A 4 5|||U:ADV||||||REQUIRED|||-NONE-|||0",
        "",
        "",
    ]


def test_m2_of_equal_texts_says_that_nothing_is_to_do() -> None:
    same = aligned("a cat", "a cat", "0-0 1-1")
    assert edits_to_m2(same, same.edits()) == ("S a cat\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n")


def labels(side: Sequence[dict[str, object]]) -> str:
    return " ".join(str(word["label"]) for word in side)


def test_easse_labels_the_words_of_both_texts() -> None:
    one = aligned("only big dogs bark at us", "cats bark only now", "0-2 2-0 3-1")
    found = edits_to_easse(one, one.edits(minimal=True))
    assert labels(found["source"]) == "B-M B-D B-R O B-D I-D"
    assert labels(found["target"]) == "O O O B-A"
    assert found["source"][2]["replace"] == ["cats"] and found["source"][0]["move"] == 3
    words = edits_to_easse(one, one.edits(minimal=True), phrases=False)
    assert labels(words["source"]) == "B-M B-D B-R O B-D B-D"


def test_thresh_has_spans_of_characters() -> None:
    one = aligned("only dogs bark at us", "cats bark only now", "0-2 1-0 2-1")
    found = edits_to_thresh(one, one.edits(minimal=True))
    categories = {edit["category"]: edit for edit in found["edits"]}
    assert set(categories) == {"reorder", "substitution", "deletion", "insertion"}
    (start, end), (first, last) = (categories["reorder"][name][0] for name in ("input_idx", "output_idx"))
    assert found["source"][start:end] == found["target"][first:last] == "only"
    assert "output_idx" not in categories["deletion"] and "input_idx" not in categories["insertion"]


def test_a_split_of_thresh_holds_its_change() -> None:
    words = ["he", "came", ".", "she", "left", "."]
    target = Sentence(Sentence.from_words(words).tokens, text=" ".join(words), starts=(3,))
    source = Sentence.from_words(["he", "came", "and", "she", "left", "."])
    one = Alignment(source, target, Links.from_pharaoh("0-0 1-1 2-2 3-3 4-4 5-5"))
    (entry,) = edits_to_thresh(one, one.edits())["edits"]
    assert entry["category"] == "split"
    assert [inner["category"] for inner in entry["constituent_edits"]] == ["substitution"]


def without_changes(markup: str, keep: int) -> str:
    """The old (1) or the new text (2) of CriticMarkup."""
    markup = re.sub(r"\{>>move<<\}", "", markup)
    markup = re.sub(r"\{~~(.*?)~>(.*?)~~\}", rf"\{keep}", markup)
    return re.sub(
        r"\{--(.*?)--\}",
        r"\1" if keep == 1 else "",
        re.sub(r"\{\+\+(.*?)\+\+\}", r"\1" if keep == 2 else "", markup),
    )


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        ("we saw many dogs", "we saw cats again", "0-0 1-1 3-2"),
        ("only dogs bark", "dogs bark only", "0-2 1-0 2-1"),
        ("a b", "c d", ""),
    ],
)
def test_markup_holds_both_texts(source: str, target: str, links: str) -> None:
    one = aligned(source, target, links)
    markup = edits_to_markup(one.edits())
    assert without_changes(markup, 1).split() == source.split()
    assert without_changes(markup, 2).split() == target.split()


def test_the_page_shows_both_texts_and_escapes_them() -> None:
    one = aligned("a <b> cat", "a <i> dog", "0-0 1-1 2-2")
    page = edits_to_html(one, one.edits())
    assert "<b>" not in page and "&lt;b&gt;" in page and "&lt;i&gt;" in page
    assert "<del>" in page and "<ins>" in page


def test_the_list_names_each_change() -> None:
    one = aligned("only dogs bark", "cats bark only", "0-2 1-0 2-1")
    lines = edits_to_text(one, one.edits(minimal=True)).splitlines()
    assert lines == ["pair", "move                    only", "replace  content        dogs → cats"]
    same = aligned("a", "a", "0-0")
    assert edits_to_text(same, same.edits()) == "pair\nno edits\n"
