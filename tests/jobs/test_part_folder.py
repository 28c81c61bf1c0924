from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from forest_align.jobs import part_folder
from forest_align.jobs.part_folder import PartFolder
from forest_align.types import InputError

READ: dict[str, int | str] = {"items": 5, "digest": "abc"}


def folder_at(path: Path) -> PartFolder:
    return PartFolder(path, "align", 2, ".jsonl", 64, {"--to": "jsonl", "--model": "m (12)"})


@pytest.fixture
def folder(tmp_path: Path) -> PartFolder:
    """A folder with both of its parts."""
    made = folder_at(tmp_path / "parts")
    made.begin()
    for number, text in ((1, "a\nb\nc\n"), (2, "d\ne\n")):
        made.part(number).write_text(text)
        made.finish(number, {"items": len(text) // 2}, READ)
    return made


def test_names_sort_in_the_order_of_the_parts(tmp_path: Path) -> None:
    folder = replace(folder_at(tmp_path), parts=12)
    assert [folder.part(number).name for number in (2, 12)] == [
        "part-00002-of-00012.jsonl",
        "part-00012-of-00012.jsonl",
    ]


def test_markers_keep_what_is_known_about_their_parts(folder: PartFolder) -> None:
    assert PartFolder.open(folder.path) == folder
    first, second = PartFolder.open(folder.path).reports()
    assert (first.counts, first.read, first.bytes) == ({"items": 3}, READ, 6)
    assert (second.counts, second.bytes) == ({"items": 2}, 4)
    assert first.digest != second.digest
    assert folder.is_finished(1) and not folder.is_finished(3)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"command": "parse"}, "the command was 'align' for the parts in this folder, now it is 'parse'"),
        ({"parts": 3}, "the number of parts was '2' for the parts in this folder, now it is '3'"),
        ({"suffix": ".txt"}, "the kind of parts was '.jsonl'"),
        ({"block": 32}, "the size of blocks was '64'"),
        ({"made_with": {"--to": "jsonl", "--model": "m (99)"}}, r"--model was 'm \(12\)' .* 'm \(99\)'"),
        ({"made_with": {"--to": "jsonl"}}, r"--model was 'm \(12\)' .* now it is not given"),
        (
            {"made_with": {"--to": "jsonl", "--model": "m (12)", "-k": "3"}},
            "-k was not given .* now it is '3'",
        ),
    ],
)
def test_parts_of_different_runs_do_not_mix(folder: PartFolder, other: dict, message: str) -> None:  # type: ignore[type-arg]
    before = (folder.path / "manifest.json").read_bytes()
    with pytest.raises(InputError, match=message):
        replace(folder, **other).begin()
    assert (folder.path / "manifest.json").read_bytes() == before
    folder.begin()


def _begin(arguments: tuple[Path, int]) -> str:
    path, number = arguments
    try:
        replace(folder_at(path), made_with={"--seed": str(number)}).begin()
    except InputError:
        return ""
    return str(number)


def test_of_runs_that_begin_at_once_one_sets_the_settings(tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        for turn in range(10):
            path = tmp_path / str(turn)
            (won,) = filter(None, pool.map(_begin, [(path, number) for number in range(4)], 1))
            assert PartFolder.open(path).made_with == {"--seed": won}
            assert sorted(file.name for file in path.iterdir()) == ["completions", "manifest.json"]


def test_a_file_system_without_hard_links_has_manifests_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(part_folder.os, "link", refuse)
    folder_at(tmp_path).begin()
    assert PartFolder.open(tmp_path) == folder_at(tmp_path)


def damage_counts(folder: PartFolder) -> None:
    folder.marker(2).write_text(folder.marker(2).read_text().replace('"items": 2', '"items": "two"'))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda folder: folder.marker(2).unlink(),
            "part 2 of 2 is not finished; run 'forest-align align … --shard 2/2' again",
        ),
        (
            lambda folder: folder.part(2).unlink(),
            "part-00002-of-00002.jsonl: the part is missing, and its marker says .* delete .*00002",
        ),
        (
            lambda folder: folder.part(2).write_text("d\n"),
            "changed since it was finished: expected 4 bytes, found 2",
        ),
        (
            lambda folder: folder.part(2).write_text("d\nE\n"),
            "changed since it was finished: its digest is not ",
        ),
        (
            lambda folder: folder.finish(2, {"items": 2}, {"items": 5, "digest": "xyz"}),
            "part 2 was made from another input than part 1 .items 5, digest xyz against",
        ),
        (
            lambda folder: folder.marker(2).write_text('{"counts": 3}'),
            "expected the marker of a finished part, found something else",
        ),
        (damage_counts, 'completions/00002: expected the marker .* found string "two"'),
    ],
)
def test_what_does_not_belong_together_is_not_joined(
    folder: PartFolder, change: Callable[[PartFolder], object], message: str
) -> None:
    change(folder)
    with pytest.raises(InputError, match=message):
        folder.reports()


def test_of_many_unfinished_parts_the_first_are_named(tmp_path: Path) -> None:
    folder = replace(folder_at(tmp_path), parts=12, block=0)
    folder.begin()
    with pytest.raises(InputError, match=r"12 of 12 parts .1, 2, .*, 10, ….* 'forest-align align …' again"):
        folder.reports()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found something else .not JSON"),
        ('{"format": 2}', "expected format 1, found 2"),
        ('{"format": 1, "command": "align"}', "this field is required"),
    ],
)
def test_another_file_is_no_manifest(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        PartFolder.open(tmp_path)
    assert refused.value.file == str(tmp_path / "manifest.json")


def test_settings_of_other_types_are_no_manifest(tmp_path: Path) -> None:
    folder_at(tmp_path).begin()
    file = tmp_path / "manifest.json"
    for made_with in ([], {"--to": 3}):
        file.write_text(json.dumps({**json.loads(file.read_text()), "made_with": made_with}))
        with pytest.raises(InputError, match="expected a manifest of parts"):
            PartFolder.open(tmp_path)


def test_a_folder_without_manifest_and_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a folder of parts with a manifest.json, found none"):
        PartFolder.open(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="expected a folder for the parts, found a file"):
        folder_at(tmp_path / "file").begin()
