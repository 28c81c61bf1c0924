"""``align -o OUT.parquet``: the rows of the JSON lines, whatever happens on the way."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="needs the extra [tables]")
pytest.importorskip("narwhals", reason="needs the extra [tables]")

import pyarrow.parquet as pq

from forest_align.alignment import Alignment
from forest_align.alignment.arrow_columns import FILE_COLUMNS, METADATA, file_row
from forest_align.cli import main
from forest_align.data import read_pairs
from forest_align.jobs import parquet_output

from .killed_aligner import Killed, killed_aligner
from .test_killed_run import exit_status, kill_when_larger, small_blocks, start, write_pairs  # noqa: F401


def rows_of(lines: Path) -> list[dict[str, Any]]:
    found = [Alignment.from_json(line).to_dict() for line in lines.read_text().splitlines()]
    return [file_row(one) for one in found]


def test_a_run_that_was_killed_twice_gives_the_bytes_of_an_unbroken_one(tmp_path: Path) -> None:
    pairs, lines = tmp_path / "in.jsonl", tmp_path / "lines.jsonl"
    whole, part = tmp_path / "whole.parquet", tmp_path / "part.parquet"
    write_pairs(pairs, 72, random.Random(2))
    command = ("align", str(pairs), "--batch-size", "8", "-o")
    assert main([*command, str(lines)]) == 1
    assert main([*command, str(whole)]) == 1
    assert pq.read_table(whole).to_pylist() == rows_of(lines)
    part.write_text("older")
    run: tuple[str, ...] = (*command, str(part), "--workers", "2")
    ready = tmp_path / "part.parquet.jsonl.gz"
    sizes: list[int] = []
    for _ in range(2):
        assert kill_when_larger(start(*run), ready, sum(sizes))
        run = (*command, str(part), "--workers", "2", "--resume")
        sizes.append(ready.stat().st_size)
        assert part.read_text() == "older"
    assert 0 < sizes[0] < sizes[1]
    assert exit_status(start(*run)) == 1
    assert part.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.glob("part*")) == ["part.parquet"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Align pairs of one word each with the fake aligner; killed at a word if there is one."""
    chosen = killed_aligner(monkeypatch)
    monkeypatch.chdir(tmp_path)

    def align(words: str, *options: str, killed_at: str = "", output: str = "out.parquet") -> int:
        (tmp_path / "in.tsv").write_text("".join(f"{word}\t{word}\n" for word in words.split()))
        chosen["word"] = killed_at
        return main(["align", "in.tsv", "-o", output, "--batch-size", "1", *options])

    return align


def test_the_file_has_the_published_schema_and_says_what_made_it(run: Any, tmp_path: Path) -> None:
    assert run("a b fail c") == 1
    table = pq.read_table(tmp_path / "out.parquet")
    assert list(table.schema) == list(FILE_COLUMNS)
    about = json.loads(table.schema.metadata[METADATA])
    assert about["columns_version"] == 1 and about["made_with"]["--batch-size"] == "1"
    assert table["id"].to_pylist() == ["1", "2", "3", "4"]
    assert [bool(error) for error in table["error"].to_pylist()] == [False, False, True, False]


def test_row_groups_are_of_one_size_and_keep_the_order(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_output, "ROW_GROUP", 3)
    words = "a b c d e f g h"
    assert run(words) == 0
    file = pq.ParquetFile(tmp_path / "out.parquet")
    assert [file.metadata.row_group(place).num_rows for place in range(3)] == [3, 3, 2]
    assert file.read()["source"].to_pylist() == words.split()


def test_its_pairs_can_be_read_and_aligned_again(run: Any, tmp_path: Path) -> None:
    assert run("a b") == 0
    found = list(read_pairs(tmp_path / "out.parquet"))
    assert [(one.id, one.source.text) for one in found if not isinstance(one, Exception)] == [
        ("1", "a"),
        ("2", "b"),
    ]
    assert main(["align", "out.parquet", "-o", "again.jsonl"]) == 0
    ids = [json.loads(line)["id"] for line in (tmp_path / "again.jsonl").read_text().splitlines()]
    assert ids == ["1", "2"]
    assert main(["align", "out.parquet", "-o", "out.parquet"]) == 2


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        ("a x", (), "out.parquet:2: cannot resume: it was made from other pairs"),
        ("a", (), "out.parquet:2: cannot resume: it was made from other pairs"),
        ("a b c", (), "out.parquet: cannot resume: it is finished with 2 pairs, and there are more"),
        ("a b", ("--partial",), "out.parquet: cannot resume: --partial was not given in the earlier run"),
    ],
)
def test_a_finished_file_of_another_run_is_not_resumed(
    words: str,
    options: tuple[str, ...],
    message: str,
    run: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("a b") == 0
    content = (tmp_path / "out.parquet").read_bytes()
    assert run(words, "--resume", *options) == 2
    assert message in capsys.readouterr().err
    assert (tmp_path / "out.parquet").read_bytes() == content
    assert run(words, *options) == 0  # without --resume it is made anew
    assert pq.read_table(tmp_path / "out.parquet")["source"].to_pylist() == words.split()


def test_a_run_that_was_killed_while_it_made_the_table_makes_it(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("forest_align.cli.writers.write_parquet", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            run("a fail")
    assert not (tmp_path / "out.parquet").exists()
    assert run("a fail", "--resume") == 1
    assert pq.read_table(tmp_path / "out.parquet")["source"].to_pylist() == ["a", "fail"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.tsv", "out.parquet"]


@pytest.mark.parametrize(
    ("options", "output", "message"),
    [
        (("-k", "2"), "out.parquet", "-k cannot be combined with --to parquet"),
        (("--explain",), "out.parquet", "--explain cannot be combined with --to parquet"),
        (("--to", "parquet"), "-", "--to parquet needs -o OUT"),
        ((), "out.parquet.gz", "output is not compressed"),
    ],
)
def test_what_a_table_cannot_have_is_refused(
    options: tuple[str, ...], output: str, message: str, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("a", *options, output=output) == 2
    assert message in capsys.readouterr().err


def test_characters_that_cannot_be_encoded_are_escaped_and_found_again(run: Any, tmp_path: Path) -> None:
    lines = '{"id": "1", "source": "a \\ud800", "target": "b"}\n'
    (tmp_path / "in.jsonl").write_text(lines)
    for _ in range(2):
        assert main(["align", "in.jsonl", "-o", "out.parquet", "--resume"]) == 0
    assert pq.read_table(tmp_path / "out.parquet")["source"].to_pylist() == ["a \\ud800"]
