from __future__ import annotations

import json
from typing import Any

import pytest

from forest_align.alignment import Alignment, DocumentAlignment, Links, SentenceGroup
from forest_align.types import InputError, Sentence

from .html_page import Page


def texts(*sentences: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(Sentence.from_words(one.split()).tokens, text=one) for one in sentences)


def example(**changes: Any) -> DocumentAlignment:
    source, target = texts("a b", "c", "<d>"), texts("d", "a", "b")
    words = Alignment(source[0], texts("a b")[0], Links.of([(0, 0), (1, 1)], scores=[0.9, 0.8]), id="7:1")
    groups = (SentenceGroup((0,), (1, 2), 0.75, words), SentenceGroup((2,), (0,), 0.5))
    values: dict[str, Any] = {
        "source_spans": ((0, 3), (5, 6), (6, 9)),
        "id": "7",
        "aligner": "contextual",
        "made_by": {"version": "1"},
        "warnings": ("careful",),
    }
    return DocumentAlignment(source, target, groups, **{**values, **changes})


def test_json_has_the_documented_fields() -> None:
    values = json.loads(example().to_json())
    assert values["source"] == {"sentences": ["a b", "c", "<d>"], "spans": [[0, 3], [5, 6], [6, 9]]}
    assert values["target"] == {"sentences": ["d", "a", "b"]}
    assert values["unaligned"] == {"source": [1], "target": []}
    assert [group["source"] for group in values["groups"]] == [[0], [2]]
    assert values["groups"][0]["alignment"]["words"] == [[0, 0], [1, 1]]
    assert "alignment" not in values["groups"][1]


def test_json_is_read_back() -> None:
    written = example(error="broken").to_json()
    assert DocumentAlignment.from_json(written).to_json() == written
    assert DocumentAlignment.from_json(DocumentAlignment((), ()).to_json()).groups == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "field 'version': expected version 1, found 2"),
        ({"groups": [{"source": [3], "target": [0], "probability": 1}]}, r"field 'groups\[0\].source'"),
        ({"groups": [{"source": [], "target": [0], "probability": 1}]}, r"field 'groups\[0\].source'"),
        ({"groups": [{"source": [1, 0], "target": [0], "probability": 1}]}, "ascending"),
        ({"groups": [{"source": [0], "target": [0], "probability": 2}]}, "probability"),
        ({"groups": [{"source": [0], "target": [k], "probability": 1} for k in (0, 1)]}, "in one group"),
        (
            {"groups": [{"source": [0], "target": [0], "probability": 1, "alignment": {"words": []}}]},
            "alignment.source",
        ),
        ({"source": {"sentences": ["a"], "spans": []}}, "source.spans"),
        ({"source": {"sentences": ["a", "b"], "spans": [[0, 2], [1, 3]]}}, "spans in order"),
        ({"source": {"sentences": [1]}}, r"source.sentences\[0\]"),
    ],
)
def test_broken_json_is_refused_with_its_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        DocumentAlignment.from_json(json.dumps({**example().to_dict(), **change}))


def test_text_counts_sentences_from_one() -> None:
    assert str(example()).splitlines() == [
        "1 ↔ 2, 3  0.75", "  a b", "  ↔ a", "  ↔ b",
        "3 ↔ 1  0.50", "  <d>", "  ↔ d",
        "source only: 2", "careful",
    ]  # fmt: skip
    assert str(DocumentAlignment((), (), error="no file")) == "error: no file"


def test_links_are_all_pairs_of_a_group() -> None:
    assert list(SentenceGroup((0, 1), (2, 3), 1.0).links) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_the_page_shows_both_documents_and_leads_to_words() -> None:
    page = Page(example().to_html())
    marked = {one["data-w"]: one for one in page.of("div") if "data-w" in one}
    assert set(marked) == {"s0", "s1", "s2", "t0", "t1", "t2"}
    assert {marked[name]["data-with"] for name in ("s0", "t1", "t2")} == {"s0 t1 t2"}
    assert marked["s1"]["class"] == "s un" and "data-with" not in marked["s1"]
    assert [one["href"] for one in page.of("a")] == ["#7-group-1"] * 3
    assert "7-group-1" in page.all("id")
    assert "<d>" in page.text and "careful" in page.text
    assert example()._repr_html_().startswith("<iframe")
    assert "a_b-group-1" in Page(example(id="a b").to_html()).all("id")


def test_a_page_says_why_documents_could_not_be_aligned() -> None:
    assert "no file" in Page(DocumentAlignment((), (), id="<1>", error="no file").to_html()).text
