"""Stretches, read one by one, have the pairs of the whole file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forest_align.data.pairs import read_pairs
from forest_align.data.stretches import plan_stretches, read_stretch
from forest_align.system.remote_files import expand
from forest_align.types import InputError

from .pair_files import written


def facts(pair: Any) -> tuple[str, ...]:
    if isinstance(pair, InputError):
        return (str(pair), getattr(pair, "id", ""))
    return (pair.id, pair.source.text, pair.target.text, str(pair.place))


def tsv(folder: Path) -> Path:
    lines = [f"a {n}\tb é {n}" for n in range(23)]
    lines[3], lines[6], lines[7], lines[13] = "broken", "", "\ufeffc\td", "x\ty\tname"
    return written(folder / "pairs.tsv", "\r\n".join(lines) + "\n\n  \n\n\n")


def bad_bytes(folder: Path) -> Path:
    return written(folder / "bad.tsv", b"\n".join([b"a\tb", b"\xff\tb", b"c\td", b"", b"e\tf"] * 4))


def packed(folder: Path) -> Path:
    return written(folder / "pairs.tsv.gz", gzip.compress(tsv(folder).read_bytes()))


def json_lines(folder: Path) -> Path:
    lines = [json.dumps({"id": f"n{n}", "source": "a b", "target": f"b {n}"}) for n in range(17)]
    lines[5] = "{broken"
    return written(folder / "pairs.jsonl", "\n".join(lines))


def parquet(folder: Path) -> Path:
    pa = pytest.importorskip("pyarrow", reason="needs the extra [tables]")
    pytest.importorskip("narwhals", reason="needs the extra [tables]")
    import pyarrow.parquet as pq

    sides = [f"a {n}" if n % 5 else None for n in range(31)]
    path = folder / "pairs.parquet"
    pq.write_table(pa.table({"n": range(31), "target": sides, "source": sides[::-1]}), path, row_group_size=7)
    return path


@pytest.mark.parametrize("size", [1, 3, 7, 50])
@pytest.mark.parametrize("made", [tsv, bad_bytes, packed, json_lines, parquet])
def test_stretches_have_the_pairs_of_the_file(
    made: Callable[[Path], Path], size: int, tmp_path: Path
) -> None:
    path = str(made(tmp_path))
    plan = plan_stretches([path], size)
    whole = list(map(facts, read_pairs(path)))
    assert plan.items == len(whole)
    assert all(one.count == size for one in plan.stretches[:-1])
    # In any order: a stretch needs no other.
    found = {one.first: list(map(facts, read_stretch(one))) for one in reversed(plan.stretches)}
    assert [fact for first in sorted(found) for fact in found[first]] == whole


def test_a_file_that_lost_pairs_is_noticed(tmp_path: Path) -> None:
    path = tsv(tmp_path)
    last = plan_stretches([str(path)], 4).stretches[-1]
    path.write_bytes(path.read_bytes()[: last.start - 5])
    with pytest.raises(InputError, match=r"pairs\.tsv: expected 3 pairs after pair 20, found 0"):
        list(read_stretch(last))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "source,target\na,b\n", "expected a format with one pair per line .*, found table"),
        ("a.json", '[{"source": "a", "target": "b", "sureAlign": ""}]', "found jacana"),
        ("a.tsv.gz", "a\tb\n", "cannot decompress the file"),
        ("a.tsv", "a\tb\n".encode("utf-16").decode("latin-1"), "expected UTF-8, found UTF-16"),
    ],
)
def test_other_inputs_are_refused(name: str, content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=message):
        plan_stretches([str(tmp_path / name)], 2)
    with pytest.raises(InputError, match="expected files with one pair per line, found a folder"):
        plan_stretches([str(tmp_path)], 2)


def test_wildcards_name_files_here_and_on_filesystems_of_pyarrow(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra [tables]")
    (tmp_path / "deeper").mkdir()
    for name in ("b.tsv", "a.tsv", "c.jsonl", "deeper/d.tsv"):
        (tmp_path / name).write_text("a\tb\n")
    for above in (str(tmp_path), f"file://{tmp_path}"):
        assert expand(f"{above}/*.tsv") == [f"{above}/a.tsv", f"{above}/b.tsv"]
        assert expand(f"{above}/?.json*") == [f"{above}/c.jsonl"]
        assert expand(f"{above}/x.tsv") == [f"{above}/x.tsv"]
        with pytest.raises(InputError, match="expected files, found none of such a name"):
            expand(f"{above}/*.csv")
    address = f"file://{tmp_path}/a.tsv"
    (only,) = plan_stretches([address], 2).stretches
    assert list(map(facts, read_stretch(only))) == [("1", "a", "b", str((address, 1)))]
    with pytest.raises(InputError, match="expected a filesystem that pyarrow knows"):
        plan_stretches(["nosuch://bucket/a.tsv"], 2)
