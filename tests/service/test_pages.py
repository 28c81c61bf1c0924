from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.service._guard import content_security_policy
from forest_align.service._page_routes import (
    Form,
    pairs_page,
    problem_page,
    sentences_page,
)
from forest_align.service.line_index import FoundPairs, PairQuery
from forest_align.types import Node, Sentence

from ..alignment.html_page import Page

_FORM = Form(("forest", "contextual"), "contextual", "forest", 100)


def example() -> Alignment:
    return Alignment(
        Sentence.from_words(["He", "died"]),
        Sentence.from_words(["He", "passed", "away"]),
        Links.of([(0, 0), (1, 1), (1, 2)], scores=[1.0, 0.8, 0.4]),
        (
            PhrasePair(Node(1, 2, "VP::VBD"), Node(1, 3, "VP"), 0.75, False),
            PhrasePair(Node(0, 2, "S"), Node(0, 3, "S"), 1.0),
        ),
        source_tree="(S (NP (PRP He)) (VP (VBD died)))",
        target_tree="(S (NP (PRP He)) (VP (VBD passed) (PRT (RP away))))",
        id="7",
    )


def leaf(alignment: Alignment, query: PairQuery | None = None) -> str:
    """A page of a file with one pair."""
    return pairs_page(FoundPairs(((1, alignment),), 1, 1), query or PairQuery(), 10, 1)


def test_every_field_of_the_form_has_a_label() -> None:
    page = Page(sentences_page(replace(_FORM, source="a", target="b"), example()))
    fields = [a["id"] for tag in ("textarea", "select", "input") for a in page.of(tag)]
    assert set(fields) == set(page.all("for")) and len(fields) == 6
    assert [a for a in page.of("option") if "selected" in a] and "contextual" in page.text


def test_without_scripts_the_form_still_works_and_what_needs_them_is_hidden() -> None:
    page = Page(sentences_page(_FORM, example()))
    assert [(a["method"], a["action"]) for a in page.of("form")] == [("get", "/")]
    assert [a["name"] for a in page.of("textarea")] == ["source", "target"]
    at = page.elements.index(("input", next(a for a in page.of("input") if a["id"] == "threshold")))
    assert "hidden" in [a for tag, a in page.elements[:at] if tag == "details"][-1]


def test_phrases_links_and_both_trees_are_shown() -> None:
    page = Page(sentences_page(_FORM, example()))
    assert page.of("svg") and [a for a in page.of("details") if "open" in a]
    rows = {a["data-with"]: a.get("data-p") for a in page.of("tr") if "data-with" in a}
    assert rows["s1 t2"] == "0.4000" and "s1 t1 t2" in rows
    assert '"probability": 0.75' in page.text


@pytest.mark.parametrize(
    ("first", "shown", "links"),
    [
        (1, "Pairs 1 to 10 of 25", ["/pairs?first=11"]),
        (3, "Pairs 3 to 12 of 25", ["/pairs?first=1", "/pairs?first=13"]),
        (11, "Pairs 11 to 20 of 25", ["/pairs?first=1", "/pairs?first=21"]),
        (16, "Pairs 16 to 25 of 25", ["/pairs?first=6"]),
        (25, "Pairs 25 to 25 of 25", ["/pairs?first=15"]),
    ],
)
def test_pages_of_a_file_lead_to_each_other(first: int, shown: str, links: list[str]) -> None:
    found = FoundPairs(((first, example()),), first, min(first + 9, 25))
    page = Page(pairs_page(found, PairQuery(), 10, 25))
    assert shown in page.text
    assert [a for a in page.all("href") if str(a).startswith("/pairs?")] == links * 2
    boxes = [(a["min"], a["max"], a["value"]) for a in page.of("input") if a.get("type") == "number"]
    assert boxes == [("1", "25", str(first))] * 2


def test_nothing_is_loaded_from_outside_and_only_the_own_scripts_may_run() -> None:
    text = sentences_page(_FORM, example())
    page = Page(text)
    assert page.all("src") == [] and all(str(a).startswith(("/", "data:,")) for a in page.all("href"))
    assert "@import" not in text and "url(" not in text
    (script,) = re.findall("<script>(.*?)</script>", text, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in content_security_policy()
    rules = dict(rule.strip().split(" ", 1) for rule in content_security_policy().split(";"))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert "unsafe" not in rules["script-src"] and rules["form-action"] == "'self'"


evil = st.sampled_from(
    [
        "<script>alert(1)</script>",
        '"><b onclick="alert(1)">',
        "'",
        "&amp;",
        "\x00",
        "\ud800",
        "</textarea>",
        "</details>",
    ]
) | st.text(min_size=1, max_size=4)


@given(evil, evil)
def test_whatever_is_typed_the_page_stays_whole(one: str, two: str) -> None:
    sentence = Sentence.from_words([one, two])
    node = Node(0, 2, one)
    alignment = Alignment(
        sentence,
        sentence,
        Links.of([(0, 1)], scores=[0.5]),
        (PhrasePair(node, node, 1.0),),
        id=two,
        aligner=one,
        error=two,
    )
    form = Form((one, "forest"), one, 100, one, two, 3)
    looked_for = leaf(alignment, PairQuery(one))
    for text in (sentences_page(form, alignment, problem=two), leaf(alignment), looked_for):
        text.encode("utf-8")
        page = Page(text)
        assert len(page.of("script")) == 1 and not page.of("b")
        assert not [key for _, a in page.elements for key in a if key.startswith("on")]


def test_hostile_sentences_are_shown_as_they_were_typed() -> None:
    typed = """</textarea></pre><script>alert('1')</script><b title="&amp;">{{ 7 * 7 }}{% raw %}"""
    sentence = Sentence.from_words([typed])
    alignment = replace(example(), source=sentence, target=sentence, words=Links.of([(0, 0)]), phrases=())
    form = Form((typed,), typed, 1000, typed, typed)
    for text in (sentences_page(form, alignment, typed), leaf(alignment)):
        page = Page(text)
        assert len(page.of("script")) == 1 and not page.of("b")
        assert page.text.count(typed) >= 4
    assert typed in Page(problem_page(typed)).text
