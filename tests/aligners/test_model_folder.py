"""Folders of models: whatever is wrong with one is told as a ModelError that names it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file as save_torch_file

from forest_align.aligners import load
from forest_align.aligners.model_folder import read_card, write_card
from forest_align.types import ModelError


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float8_e4m3fn])
def test_weights_of_numbers_that_numpy_lacks_are_refused(tmp_path: Path, kind: torch.dtype) -> None:
    load("joint").save(tmp_path)
    save_torch_file({"arcs": torch.zeros(3, dtype=kind)}, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match=r"cannot read the weights in .*model\.safetensors"):
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


@pytest.mark.parametrize("name", ["forest", "contextual", "joint", "semi-markov"])
def test_a_model_that_cannot_be_written_leaves_the_one_before_as_it_was(tmp_path: Path, name: str) -> None:
    load(name).save(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    model = load(name).model  # type: ignore[attr-defined]
    notes = {"description" if name == "forest" else "card": {"loss": float("nan")}}
    weights = {
        "forest": lambda: {"weights": model.weights + 1},
        "contextual": lambda: {"first": model.first + 1},
        "joint": lambda: {"weights": model.weights + 1},
        "semi-markov": lambda: {"weights": {key: value + 1 for key, value in model.weights.items()}},
    }[name]()
    with pytest.raises(ValueError, match="JSON"):
        replace(model, **weights, **notes).save(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_what_is_written_is_read(tmp_path: Path) -> None:
    note = "µ of a\udcff.tsv"  # the name of a file that is not UTF-8
    write_card(tmp_path / "new", {"format": "forest", "version": 1, "note": note})
    assert read_card(tmp_path / "new")["note"] == note
    assert json.loads((tmp_path / "new" / "model.json").read_text(encoding="utf-8"))["note"] == note
    with pytest.raises(ValueError, match="JSON"):
        write_card(tmp_path, {"format": "forest", "x": float("nan")})
    assert not (tmp_path / "model.json").exists()
