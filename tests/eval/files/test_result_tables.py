"""Tables and the published figures they hold."""

from __future__ import annotations

import json
import zlib
from importlib import resources

from forest_align.eval.files.result_tables import HEADINGS, Row, citations, format_table, published_rows

PUBLISHED = json.loads(resources.files("forest_align.eval").joinpath("published.json").read_text("utf-8"))


def test_published_figures_are_those_that_were_compared_with_the_papers() -> None:
    """Two transcriptions agreed: after a change compare with the papers, then renew the sum."""
    figures = json.dumps(PUBLISHED["tables"], sort_keys=True).encode()
    assert zlib.crc32(figures) == 3441046975


def test_every_published_row_has_a_citation_and_known_figures_in_percent() -> None:
    for table in PUBLISHED["tables"]:
        rows = published_rows(table)
        assert len(citations(rows)) >= 1
        for row in rows:
            assert row.source.split(",")[0] in PUBLISHED["citations"]
            assert set(row.values) <= set(HEADINGS)
            assert all(0 <= value <= 100 for value in row.values.values())


def test_a_table_is_aligned_markdown() -> None:
    rows = [
        Row("a system", {"f1": 91.66}, "somebody2013, table 1"),
        Row("this run", {"f1": 7, "precision": 100.0}),
    ]
    assert format_table(rows).splitlines() == [
        "| system   |     P |   F1 | source                |",
        "| -------- | ----: | ---: | --------------------- |",
        "| a system |       | 91.7 | somebody2013, table 1 |",
        "| this run | 100.0 |  7.0 |                       |",
    ]
