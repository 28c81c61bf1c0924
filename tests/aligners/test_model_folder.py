"""Folders of models: whatever is wrong with one is told as a ModelError that names it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align.aligners import load
from forest_align.aligners.contextual import ContextualAligner
from forest_align.aligners.forest import ForestAligner
from forest_align.aligners.model_folder import read_card, write_card
from forest_align.types import ModelError

CARDS = [
    "",
    "[]",
    "null",
    "{}",
    '{"format": 3}',
    '{"format": "forest", "version": 99}',
    "\ud800",
    "[" * 100_000,
]


@pytest.mark.parametrize("content", CARDS)
@pytest.mark.parametrize("kind", [ForestAligner, ContextualAligner])
def test_a_damaged_description_is_no_model(tmp_path: Path, content: str, kind: type[ForestAligner]) -> None:
    (tmp_path / "model.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(ModelError, match=tmp_path.name):
        kind.load(tmp_path)
    with pytest.raises(ModelError, match=tmp_path.name):
        load(tmp_path)


@pytest.mark.parametrize("name", ["forest", "contextual"])
def test_damaged_weights_are_no_model(tmp_path: Path, name: str) -> None:
    load(name).save(tmp_path)
    (weights,) = tmp_path.glob("*.safetensors")
    whole = weights.read_bytes()
    for content in (b"", whole[:100], b"\x00" * 64, whole[:-8]):
        weights.write_bytes(content)
        with pytest.raises(ModelError, match="cannot read the weights"):
            load(tmp_path)
    weights.unlink()
    with pytest.raises(ModelError, match="cannot read the weights"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("forest", "features"),
        ("contextual", "classes"),
        ("joint", "phrase_features"),
        ("semi-markov", "transitions"),
    ],
)
def test_a_model_of_other_features_is_refused(tmp_path: Path, name: str, field: str) -> None:
    load(name).save(tmp_path)
    card = read_card(tmp_path)
    for changed in ([*card[field], "one more"], card[field][::-1], None):
        write_card(tmp_path, {**card, field: changed})
        with pytest.raises(ModelError, match=f"other {field} than this version computes"):
            load(tmp_path)


@pytest.mark.parametrize("threshold", [None, "half", 2, True])
def test_a_threshold_that_is_no_probability_is_refused(tmp_path: Path, threshold: object) -> None:
    load("contextual").save(tmp_path)
    write_card(tmp_path, {**read_card(tmp_path), "threshold": threshold})
    with pytest.raises(ModelError, match="threshold"):
        load(tmp_path)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_card(tmp_path / "new", {"format": "forest", "version": 1, "note": "µ"})
    assert read_card(tmp_path / "new")["note"] == "µ"
    assert json.loads((tmp_path / "new" / "model.json").read_text(encoding="utf-8"))["note"] == "µ"
    with pytest.raises(ValueError, match="JSON"):
        write_card(tmp_path, {"format": "forest", "x": float("nan")})
    assert not (tmp_path / "model.json").exists()
