"""``align --engine ray`` without a cluster: the parts, made here one by one; tests/engines has a cluster."""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forest_align.alignment import Alignment, Links
from forest_align.cli import main
from forest_align.cli.aligner_choice import AlignerChoice
from forest_align.cli.commands import align as align_command
from forest_align.jobs import RayOptions, run_record
from forest_align.parsing.networks import devices
from forest_align.types import Sentence

from .killed_aligner import Killed, killed_aligner
from .test_sharded_run import align, as_gzip, as_json_lines, as_text, join_parts

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Make the parts in this process, in a random order; what comes back has what the engine was told."""
    told: dict[str, Any] = {"parts": []}
    monkeypatch.setattr(run_record, "BLOCK_LINES", 8)

    def make_parts(work: Any, parts: Sequence[int], options: RayOptions) -> Iterator[int]:
        told.update(options=options, parts=[*told["parts"], *parts])
        for number in random.Random(len(parts)).sample(list(parts), len(parts)):
            work.make(number)
            yield number

    monkeypatch.setattr("forest_align.jobs.ray_cluster.make_parts", make_parts)
    return told


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    return killed_aligner(monkeypatch)


def on_engine(pairs: Path, out: Path, *options: str) -> int:
    return align(pairs, out, "--engine", "ray", "--part-size", "15", *options)


@pytest.mark.parametrize("made", [as_text, as_gzip, as_json_lines])
@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "pharaoh"])
def test_joined_parts_have_the_lines_of_a_run_without_engine(
    made: Any, kind: str, tmp_path: Path, capsys: Captured
) -> None:
    pairs, whole, joined = made(tmp_path), tmp_path / f"whole.{kind}", tmp_path / f"joined.{kind}"
    assert align(pairs, whole) == 1
    assert on_engine(pairs, tmp_path / "parts", "--to", kind.removesuffix(".gz")) == 1
    assert "pairs in 6 parts; " in capsys.readouterr().err
    unpack = gzip.decompress if kind.endswith(".gz") else bytes
    assert unpack(join_parts(tmp_path / "parts", joined)) == unpack(whole.read_bytes())


def test_several_files_follow_each_other_and_their_batches_are_their_own(tmp_path: Path) -> None:
    one, two = as_text(tmp_path), as_json_lines(tmp_path)
    lines = b""
    for number, path in enumerate((two, one)):  # in the order of the names
        align(path, tmp_path / f"{number}.jsonl")
        lines += (tmp_path / f"{number}.jsonl").read_bytes()
    pattern = str(tmp_path / "pairs.*")
    options = ("-o", str(tmp_path / "parts"), "--batch-size", "4", "--engine", "ray")
    assert main(["align", pattern, *options]) == 1
    assert join_parts(tmp_path / "parts", tmp_path / "joined.jsonl") == lines
    assert main(["align", str(two), str(one), str(one), *options]) == 2  # another input


def test_parquet_parts_have_the_rows_of_the_lines(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra [tables]")
    pytest.importorskip("narwhals", reason="needs the extra [tables]")
    import pyarrow.parquet as pq

    from forest_align.alignment.arrow_columns import FILE_COLUMNS, file_row

    pairs = as_text(tmp_path)
    align(pairs, tmp_path / "whole.jsonl", "--partial")
    assert on_engine(pairs, tmp_path / "parts", "--to", "parquet", "--partial") == 1
    lines = (tmp_path / "whole.jsonl").read_text().splitlines()
    tables = [pq.read_table(path) for path in sorted((tmp_path / "parts").glob("*.parquet"))]
    assert [len(table) for table in tables] == [16, 16, 16, 16, 16, 10]
    assert all(list(table.schema) == list(FILE_COLUMNS) for table in tables)
    rows = [row for table in tables for row in table.to_pylist()]
    assert rows == [file_row(json.loads(line)) for line in lines]
    assert sum(bool(row["error"]) for row in rows) == 2
    assert main(["join", str(tmp_path / "parts"), "-o", str(tmp_path / "out.jsonl")]) == 2


def test_finished_parts_are_not_made_again(
    tmp_path: Path, chosen: dict[str, str], engine: dict[str, Any], capsys: Captured
) -> None:
    pairs, whole, parts = as_text(tmp_path), tmp_path / "whole.jsonl", tmp_path / "parts"
    align(pairs, whole)
    chosen["word"] = "word61"
    with pytest.raises(Killed):
        on_engine(pairs, parts)
    finished = {path.name: path.stat().st_mtime_ns for path in (parts / "completions").iterdir()}
    assert 0 < len(finished) < 6
    assert "00004" not in finished and not (parts / "part-00004-of-00006.jsonl.gz").exists()
    chosen["word"], engine["parts"] = "", []
    capsys.readouterr()
    assert on_engine(pairs, parts) == 1
    assert f"{len(finished)} of 6 parts are finished already" in capsys.readouterr().err
    assert {f"{number:05}" for number in engine["parts"]} == {f"{n:05}" for n in range(1, 7)} - {*finished}
    assert all((parts / "completions" / name).stat().st_mtime_ns == then for name, then in finished.items())
    assert join_parts(parts, tmp_path / "joined.jsonl") == whole.read_bytes()
    engine["parts"] = []
    assert on_engine(pairs, parts) == 1 and engine["parts"] == []


def test_a_part_of_which_processes_die_stops_the_run_and_is_tried_again_later(
    tmp_path: Path, chosen: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def repeat(work: Any, parts: Sequence[int], options: RayOptions) -> Iterator[int]:
        for number in parts:
            while not work.folder.is_finished(number):
                with suppress(Killed):
                    work.make(number)
            yield number

    monkeypatch.setattr("forest_align.jobs.ray_cluster.make_parts", repeat)
    pairs, parts = as_text(tmp_path), tmp_path / "parts"
    chosen["word"] = "word61"
    for _ in range(2):
        assert on_engine(pairs, parts) == 2
        assert "5 processes died while they made part 4 of 6; is there enough" in capsys.readouterr().err
    chosen["word"] = ""
    assert on_engine(pairs, parts) == 1
    assert not list(parts.glob(".*"))


def test_other_settings_or_inputs_are_refused(tmp_path: Path, capsys: Captured) -> None:
    pairs = as_text(tmp_path)
    on_engine(pairs, tmp_path / "parts")
    for options, difference in (
        (("--partial",), "--partial was not given for the parts in this folder"),
        (("--part-size", "24"), "the number of parts was '6'"),
        (("--to", "pharaoh"), "the kind of parts was '.jsonl.gz'"),
    ):
        assert on_engine(pairs, tmp_path / "parts", *options) == 2
        assert difference in capsys.readouterr().err
    pairs.write_text(pairs.read_text().replace("word9 ", "word0 "))
    assert on_engine(pairs, tmp_path / "parts") == 2
    assert "the input was '90 pairs (" in capsys.readouterr().err


def test_a_changed_part_is_not_joined(tmp_path: Path, capsys: Captured) -> None:
    on_engine(as_text(tmp_path), tmp_path / "parts")
    part = tmp_path / "parts" / "part-00002-of-00006.jsonl.gz"
    part.write_bytes(part.read_bytes() + gzip.compress(b"more\n"))
    assert main(["join", str(tmp_path / "parts"), "-o", str(tmp_path / "joined.jsonl")]) == 2
    assert "the part has changed since it was finished" in capsys.readouterr().err


def test_the_cluster_is_the_one_that_the_options_name(tmp_path: Path, engine: dict[str, Any]) -> None:
    on_engine(as_text(tmp_path), tmp_path / "parts", "--address", "auto", "--num-actors", "3")
    assert engine["options"] == RayOptions("auto", 3, 0.0)


def test_actors_use_a_gpu_that_the_machine_of_the_command_need_not_have(
    tmp_path: Path, engine: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    load = align_command.load_aligner

    def load_here(options: AlignerChoice) -> Any:
        assert options.device == "cpu"
        found.append(load(options))
        return found[-1]

    monkeypatch.setattr(align_command, "load_aligner", load_here)
    monkeypatch.setattr(devices, "find_device", lambda name: SimpleNamespace(place=f"{name} of the actor"))
    pairs = as_text(tmp_path)
    on_engine(pairs, tmp_path / "parts", "--device", "cuda")
    assert found[0].device == "cuda of the actor" and engine["options"] == RayOptions(None, None, 1.0)
    on_engine(pairs, tmp_path / "more", "--device", "cuda", "--gpus-per-actor", "0.5")
    assert engine["options"].gpus == 0.5
    assert on_engine(pairs, tmp_path / "parts") == 2  # digits of processors differ


@pytest.mark.parametrize("files", [1, 4])
def test_counts_of_parts_make_the_table_of_a_run_without_engine(
    files: int, tmp_path: Path, engine: dict[str, Any], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(files)
    names = [f"lines{number}.jsonl" for number in range(files)]
    for name in names:
        lines = [line_of(rng, number) for number in range(30)]
        Path(name).write_text("".join([*lines, "{broken\n" if name == names[-1] else ""]))
    options = ("--symmetric", "--identical", "--min-probability", "0.1")
    assert main(["extract", *names, *options, "-o", "whole.tsv"]) == 1
    assert main(["extract", "lines*.jsonl", *options, "-o", "parts", "--engine", "ray"]) == 1
    assert f"{30 * files + 1} lines in {files} parts; 1 of them have an error" in capsys.readouterr().err
    assert join_parts(Path("parts"), Path("joined.tsv")) == Path("whole.tsv").read_bytes()
    assert len(Path("whole.tsv").read_text().splitlines()) > 20
    # A part that was left unfinished is made again, the others are not.
    Path("parts/completions/00001").unlink()
    Path(f"parts/.part-00001-of-0000{files}.counts.left").write_text("half")
    engine["parts"] = []
    assert main(["extract", *names, *options, "-o", "parts", "--engine", "ray"]) == 1
    assert engine["parts"] == [1] and not list(Path("parts").glob(".*"))
    assert join_parts(Path("parts"), Path("again.tsv")) == Path("whole.tsv").read_bytes()


def line_of(rng: random.Random, number: int) -> str:
    """An alignment of two sentences of a few words, or one that failed."""
    words = [rng.choices("the a big small cat dog".split(), k=5) for _ in range(2)]  # noqa: SIM905
    sides = [Sentence.from_words(side) for side in words]
    if number % 11 == 5:
        return Alignment.failed("it is too long", id=str(number)).to_json() + "\n"
    pairs = [(i, i) for i in range(5) if rng.random() < 0.7]
    links = Links.of(pairs, scores=[rng.random() for _ in pairs])
    return Alignment(*sides, links, id=str(number)).to_json() + "\n"


def test_a_missing_ray_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.undo()
    killed_aligner(monkeypatch)
    monkeypatch.setitem(sys.modules, "ray", None)
    assert on_engine(as_text(tmp_path), tmp_path / "parts") == 2
    assert "pip install 'forest-align[ray]'" in capsys.readouterr().err
