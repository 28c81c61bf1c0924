from __future__ import annotations

import json
from typing import Any

import pytest

from forest_align.alignment import SummarySpan, SupportingSpan, SupportReport
from forest_align.types import InputError

from .html_page import Page


def example(**changes: Any) -> SupportReport:
    spans = (
        SummarySpan(
            0, (0, 4), 0.9,
            (SupportingSpan(1, (0, 5), 0.9, "equivalent"), SupportingSpan(0, (2, 4), 0.6, "more general")),
        ),
        SummarySpan(0, (5, 9), 0.6, (SupportingSpan(1, (0, 5), 0.6, "equivalent"),)),
        SummarySpan(1, (0, 3), 0.2),
    )  # fmt: skip
    values: dict[str, Any] = {"spans": spans, "id": "7", "made_by": {"version": "1"}}
    return SupportReport(("Dogs bark.", "<b>"), ("A dog.", "Hounds bark."), **{**values, **changes})


def test_json_has_the_documented_fields() -> None:
    values = json.loads(example().to_json())
    assert values["summary"] == {"sentences": ["Dogs bark.", "<b>"]}
    first, _, last = values["spans"]
    assert first["text"] == "Dogs" and first["supported"] is True
    assert first["support"][1] == {
        "sentence": 0, "span": [2, 4], "text": "do", "probability": 0.6, "relation": "more general",
    }  # fmt: skip
    assert last == {
        "sentence": 1, "span": [0, 3], "text": "<b>", "supported": False, "answer": "unsupported",
        "probability": 0.2, "support": [], "contradiction": [],
    }  # fmt: skip


def test_json_is_read_back() -> None:
    written = example(error="broken").to_json()
    assert SupportReport.from_json(written).to_json() == written
    assert [one.span for one in SupportReport.from_json(written).unsupported] == [(0, 3)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "expected version 1"),
        ({"spans": [{"sentence": 2, "span": [0, 1], "probability": 1}]}, r"spans\[0\].sentence"),
        ({"spans": [{"sentence": 1, "span": [0, 4], "probability": 1}]}, "inside 3 characters"),
        ({"spans": [{"sentence": 1, "span": [1, 1], "probability": 1}]}, r"spans\[0\].span"),
        ({"spans": [{"sentence": 1, "span": [0, 1], "probability": 2}]}, "probability"),
        ({"source": {}}, "source.sentences"),
    ],
)
def test_broken_json_is_refused_with_its_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SupportReport.from_json(json.dumps({**example().to_dict(), **change}))


def test_text_names_the_support_of_each_span() -> None:
    assert str(example()).splitlines() == [
        "pair 7",
        "Dogs  ←  Hound (2, 0.90, equivalent); do (1, 0.60, more general)",
        "bark  ←  Hound (2, 0.60, equivalent)",
        "<b>  unsupported  (0.20)",
    ]
    assert str(SupportReport((), (), error="no file")) == "error: no file"


def test_a_contradicted_span_says_by_what() -> None:
    against = SupportingSpan(0, (0, 5), 0.75, "opposite")
    span = SummarySpan(0, (0, 4), 0.1, (), (against,))
    report = SupportReport(("Dogs bark.",), ("Hound sleeps.",), (span,))
    assert (span.answer, report.unsupported) == ("contradicted", (span,))
    assert str(report) == "Dogs  contradicted  ←  Hound (1, 0.75, opposite)"
    assert SupportReport.from_json(report.to_json()).spans == (span,)
    assert 'title="contradicted, 0.10"' in report.to_html()


def test_the_page_joins_spans_with_their_support() -> None:
    page = Page(example().to_html())
    marked = {one["data-w"]: one for one in page.of("span") if "data-w" in one}
    assert marked["m0"]["data-with"] == "m0 f1-0-5 f0-2-4"
    assert marked["f1-0-5"]["data-with"] == "f1-0-5 m0 m1"
    assert [marked[f"m{k}"]["class"] for k in range(3)] == ["c", "c weak", "c un"]
    assert "<b>" in page.text and "1 of 3 spans unsupported" in page.text
    assert "no file" in Page(SupportReport((), (), error="no file").to_html()).text
    assert example()._repr_html_().startswith("<iframe")
