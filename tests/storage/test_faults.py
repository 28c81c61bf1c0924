"""Whatever call to the disk fails, and however: running again gives the bytes of an unbroken run."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from forest_align import Alignment, Links, Sentence
from forest_align.cli import main
from forest_align.data.phrases import counts
from forest_align.em.corpus.cache import ArrayStore, cached_sentences
from forest_align.jobs import RunRecord
from forest_align.storage.checkpoint import Checkpoint
from forest_align.storage.outputs import open_output
from forest_align.system.processes import can_fork
from forest_align.system.replacing import write_atomically
from forest_align.types import InputError

from .faults import FAULTS, run_with_fault

pytestmark = pytest.mark.skipif(
    not (can_fork() and os.path.exists("/proc/self/fd")), reason="needs processes that fork, and /proc"
)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forest_align.jobs.run_record.BLOCK_LINES", 2)
    monkeypatch.setattr(counts, "BATCH_ALIGNMENTS", 2)


def keep_a_checkpoint(folder: Path) -> bool:
    """Train for three epochs, from the last one whose state is kept."""
    saved = Checkpoint(folder / "run.checkpoint", "a run", {"seed": 1})
    weights, epoch = np.zeros(3), 0
    if saved.exists:
        arrays, facts = saved.load()
        weights, epoch = arrays["weights"], facts["epoch"]
    for done in range(epoch + 1, 4):
        weights = weights * 1.5 + done
        saved.save({"weights": weights}, {"epoch": done})
    return True


def fill_a_cache(folder: Path) -> bool:
    def parse(texts: Sequence[str]) -> list[Sentence]:
        return [Sentence.from_words(text.split()) for text in texts]

    store = ArrayStore(folder / "cache")
    parsed = cached_sentences(
        ["a b", "c"],
        parse,
        store,
        "en",
        chunk=1,
    )
    return [one.words for one in parsed if isinstance(one, Sentence)] == [("a", "b"), ("c",)]


def write_lines(folder: Path, name: str) -> bool:
    """Write the lines of five items, of which one fails, in blocks of two."""
    out = str(folder / name)
    record = RunRecord(out, {"--to": "lines"}, 2)
    items = record.skip_written(iter(range(5)), lambda item: [str(item)], lambda item: None)
    with record, open_output(out, record.size, may_pack=True) as file:
        record.begin()
        for item in items:
            record.write(file, f"line {item}\n", [str(item)], ("2", "it failed") if item == 2 else None)
    return True


def command(*arguments: str) -> Callable[[Path], bool]:
    def run(folder: Path) -> bool:
        status = main([argument.replace("FOLDER", str(folder)) for argument in arguments])
        if status == 2:
            raise OSError
        return status == 0

    return run


TREES = "(S (NN Dogs) (VBP bark))\n" * 3
PAIRS = [
    Alignment(
        Sentence.from_words(["a", f"w{number}"]),
        Sentence.from_words(["a", f"v{number}"]),
        Links.of([(0, 0), (1, 1)], scores=[1.0, 1.0]),
        id=str(number),
    )
    for number in range(3)
]
INPUTS = {
    "trees.mrg": TREES,
    "pairs.jsonl": "".join(json.dumps(pair.to_dict()) + "\n" for pair in PAIRS),
    "older.pharaoh": "0-0\n",
    "older.tsv": "an\tolder\n",
}
WORK: dict[str, Callable[[Path], bool]] = {
    "checkpoint": keep_a_checkpoint,
    "cache": fill_a_cache,
    "lines": lambda folder: write_lines(folder, "out"),
    "gzipped lines": lambda folder: write_lines(folder, "out.gz"),
    "parse": command("parse", "FOLDER/trees.mrg", "-o", "FOLDER/out", "--resume"),
    "extract": command("extract", "FOLDER/pairs.jsonl", "-o", "FOLDER/out.tsv", "--resume"),
    "convert": command("convert", "FOLDER/pairs.jsonl", "FOLDER/new.pharaoh"),
    "convert over older files": command("convert", "FOLDER/pairs.jsonl", "FOLDER/older.pharaoh"),
}


def results(folder: Path) -> dict[str, bytes]:
    """The files of a folder; a kill may leave temporary ones beside them."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".tmp")
    }


def prepared(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in INPUTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", WORK)
def test_work_that_fails_at_any_call_ends_as_if_unbroken_when_it_is_run_again(
    name: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", open(os.devnull, "w"))  # noqa: SIM115
    work, folder = WORK[name], tmp_path / "folder"
    assert work(prepared(folder))
    whole, at = results(folder), 1
    prepared(folder)
    while run_with_fault(lambda: work(folder), fault, at):
        if fault in ("full", "error"):
            assert not list(folder.rglob("*.tmp")) or fault == "error", "errors leave no temporary files"
        assert work(folder)
        assert results(folder) == whole, f"{fault} at call {at}"
        prepared(folder)
        at += 1
    assert at > 3, "no call was counted"
    assert results(folder) == whole


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_is_the_old_or_the_new_one_whatever_fails(fault: str, tmp_path: Path) -> None:
    path, old, new = tmp_path / "file", b"old content", b"the new one"

    def replace() -> bool:
        write_atomically(path, new)
        return True

    path.write_bytes(old)
    found, at = [], 1
    while run_with_fault(replace, fault, at):
        found.append(path.read_bytes())
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        path.write_bytes(old)
        at += 1
    # Write, sync, rename, sync of the folder; after the rename, the temporary file is gone.
    assert len(found) == 4 and found[:3] == [old] * 3
    assert found[3] in (old, new)


@pytest.mark.parametrize("fault", ["full", "error"])
def test_an_error_of_the_disk_names_the_file(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "file"

    def named() -> bool:
        try:
            write_atomically(path, b"content")
        except OSError as error:
            if error.filename != str(path):
                raise InputError(f"found {error.filename}") from None
        return True

    at = 1
    while run_with_fault(named, fault, at):
        at += 1
    assert at == 5
