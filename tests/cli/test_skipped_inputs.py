from __future__ import annotations

import pytest

from forest_align.cli.input_reports import report_skipped


@pytest.mark.parametrize(
    ("count", "last"), [(0, None), (1, "1"), (10, "10"), (11, "1 more"), (500, "490 more")]
)
def test_ten_are_named_and_the_others_counted(
    count: int, last: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    report_skipped("sing", range(1, count + 1))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == min(count, 11)
    assert lines[-1:] == ([f"forest-align sing: left out: {last}"] if last else [])
