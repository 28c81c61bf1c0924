"""arXivEdits is read with all versions of its edits, and errors name their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forest_align.data.corpora.edit_corpus import read_edited_pairs
from forest_align.types import InputError


def edit(kind: str, source: list[int] | None, target: list[int] | None) -> dict[str, Any]:
    return {"type": kind, "sentence-1-token-indices": source, "sentence-2-token-indices": target}


def written(folder: Path, **changes: Any) -> Path:
    pair = {
        "sentence-1": "a red cat",
        "sentence-2": "a cat now",
        "edits-combination-0": {"0": edit("Deletion", [1, 2], None), "1": edit("Insertion", None, [2, 3])},
        "edits-combination-1": {"0": edit("Substitute", [1, 3], [1, 3])},
        "edits-combination-2": {},
    }
    path = folder / "pairs.json"
    path.write_text(json.dumps({"7": {**pair, **changes}}))
    return path


def test_a_pair_has_all_versions_that_are_not_empty(tmp_path: Path) -> None:
    (pair,) = read_edited_pairs(written(tmp_path))
    assert (pair.id, pair.source.words, pair.target.words) == ("7", ("a", "red", "cat"), ("a", "cat", "now"))
    assert pair.versions == (
        frozenset({((1, 2), None), (None, (2, 3))}),
        frozenset({((1, 3), (1, 3))}),
    )


def test_a_pair_without_edits_has_one_empty_version(tmp_path: Path) -> None:
    empty = {"edits-combination-0": {}, "edits-combination-1": {}}
    (pair,) = read_edited_pairs(written(tmp_path, **empty))
    assert pair.versions == (frozenset(),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edits-combination-0": {"0": edit("Insertion", [1, 2], None)}}, "expected the type Deletion"),
        ({"edits-combination-0": {"0": edit("Deletion", [1, 4], None)}}, "a span inside 3 tokens"),
        ({"edits-combination-0": [1]}, "expected an object of edits"),
        ({"sentence-1": 3}, "sentence-1"),
    ],
)
def test_a_wrong_pair_is_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(InputError, match=message) as found:
        list(read_edited_pairs(path))
    assert str(path) in str(found.value) and "7" in str(found.value)


@pytest.mark.parametrize(("text", "message"), [("[", "expected JSON"), ("[]", "expected one object")])
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_edited_pairs(path))
