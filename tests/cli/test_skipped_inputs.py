from __future__ import annotations

import pytest

from forest_align.cli.input_reports import SkippedInputs, report_skipped


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


def test_they_are_counted_where_a_command_stops_early_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), SkippedInputs("sing") as left_out:
        for _ in range(12):
            left_out.add("flat")
        raise KeyboardInterrupt
    assert left_out.count == 12
    assert capsys.readouterr().err.endswith("left out: flat\nforest-align sing: left out: 2 more\n")
