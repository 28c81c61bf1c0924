"""Edits in the formats of other programs, and views for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        ("has VBZ", "have VBP", "VERB:SVA"),
        ("was VBD", "were VBD", "VERB:SVA"),
        ("goes VBZ", "went VBD", "VERB:TENSE"),
        ("go VB", "going VBG", "VERB:FORM"),
        ("recieve VBP", "receive VBP", "SPELL"),
        ("a DT", "an DT", "DET"),
    ],
)
def test_types_of_m2_tell_agreement_tense_and_form(source: str, target: str, kind: str) -> None:
    words, tags = zip(source.split(), target.split(), strict=True)
    texts = [Sentence.from_words([word], [tag]) for word, tag in zip(words, tags, strict=True)]
    one = Alignment(*texts, Links.from_pharaoh("0-0"))
    assert f"|||R:{kind}|||" in edits_to_m2(one, one.edits())


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


MARK = re.compile(
    r"\{--(?P<deleted>.*?)--\}|\{\+\+(?P<inserted>.*?)\+\+\}|\{~~(?P<old>.*?)~>(?P<new>.*?)~~\}|\{>>.*?<<\}",
    re.DOTALL,
)


def text_of_markup(markup: str, kept: Sequence[str]) -> str:
    """CriticMarkup with only these parts of its marks."""
    return MARK.sub(lambda mark: "".join(mark[name] or "" for name in kept), markup)


def text_of_page(page: str, dropped: str) -> str:
    """The text of a page's paragraph without the elements of one name."""
    (paragraph,) = re.findall(r'<p class="edits">(.*)</p>', page, re.DOTALL)
    kept = re.sub(rf"<{dropped}>.*?</{dropped}>", "", paragraph, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", kept))


@given(alignments(), st.booleans())
def test_tracked_changes_make_both_raw_texts(alignment: Alignment, minimal: bool) -> None:
    edits = alignment.edits(minimal=minimal)
    markup, page = edits_to_markup(alignment, edits), edits_to_html(alignment, edits)
    assert text_of_markup(markup, ("deleted", "old")) == alignment.source.text
    assert text_of_markup(markup, ("inserted", "new")) == alignment.target.text
    assert text_of_page(page, "ins") == alignment.source.text
    assert text_of_page(page, "del") == alignment.target.text


def test_words_that_moved_together_keep_their_old_order() -> None:
    one = aligned("x only yesterday we saw dogs", "we saw dogs yesterday x only", "0-4 1-5 2-3 3-0 4-1 5-2")
    old = [edit.source_text for edit in one.edits() if edit.kind == "move"]
    assert len(old) > 1
    assert edits_to_markup(one, one.edits()) == (
        "{--x only--}{>>move<<}{-- yesterday --}{>>move<<}we saw dogs"
        "{++ yesterday++}{>>move<<}{++ x only++}{>>move<<}"
    )


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("we saw many dogs", "we saw cats again", "0-0 1-1 3-2", "we saw {~~many dogs~>cats again~~}"),
        ("big dogs bark", "dogs bark now", "1-0 2-1", "{--big --}dogs bark{++ now++}"),
        ("We saw it", "Then we saw it", "0-1 1-2 2-3", "{++Then ++}{~~We~>we~~} saw it"),
        ("a {-- b", "a {-- c", "0-0 1-1 2-2", "a {{>><<}-- {~~b~>c~~}"),
    ],
)
def test_marks_have_the_space_before_their_words(source: str, target: str, links: str, expected: str) -> None:
    one = aligned(source, target, links)
    assert edits_to_markup(one, one.edits()) == expected


def in_units(text: str, span: Sequence[int]) -> str:
    """A part of a text as JavaScript cuts it."""
    return text.encode("utf-16-le")[2 * span[0] : 2 * span[1]].decode("utf-16-le")


@given(alignments())
def test_what_thresh_does_not_mark_is_the_same_in_both_texts(alignment: Alignment) -> None:
    edits = alignment.edits()
    entry = edits_to_thresh(alignment, edits)
    marked = [one for edit in entry["edits"] for one in edit.get("constituent_edits", [edit])]
    rest = []
    changes = [edit for edit in edits if edit.kind != "keep" or edit.reason]
    for name, text, changed in (
        ("input_idx", alignment.source.text, [edit.source_text for edit in changes]),
        ("output_idx", alignment.target.text, [edit.target_text for edit in changes]),
    ):
        spans = sorted(span for edit in marked for span in edit.get(name, ()))
        assert sorted(in_units(text, span) for span in spans) == sorted(filter(None, changed))
        ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), 2 * len(text)]
        rest.append("".join(in_units(text, span) for span in zip(*ends, strict=True)).split())
    assert "".join(rest[0]) == "".join(rest[1])


@given(alignments())
def test_operations_of_easse_make_the_target(alignment: Alignment) -> None:
    entry = edits_to_easse(alignment, alignment.edits())
    added = {word["index"]: [word["word"]] for word in entry["target"] if word["label"] != "O"}
    in_order: list[str] = []
    for word in entry["source"]:
        words = word.get("replace", [word["word"]])
        if "move" not in word:
            in_order += [] if word["label"].endswith("D") else words
        elif words:
            added[word["move"]] = words
    made: list[str] = []
    for place in range(1, len(alignment.target) + 1):
        if place > len(made):
            made += added.pop(place) if place in added else [in_order.pop(0)]
    assert made == list(alignment.target.words) and not in_order and not added


def test_the_list_names_each_change() -> None:
    one = aligned("only dogs bark", "cats bark only", "0-2 1-0 2-1")
    lines = edits_to_text(one, one.edits(minimal=True)).splitlines()
    assert lines == ["pair", "move                    only", "replace  content        dogs → cats"]
    same = aligned("a", "a", "0-0")
    assert edits_to_text(same, same.edits()) == "pair\nno edits\n"
