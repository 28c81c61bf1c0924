"""The network of chunk pairs: its files, and the same answer in both directions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.chunks.chunk_features import CHUNK_FEATURES, swapped_features
from forest_align.aligners.chunks.chunk_model import SHAPES, ChunkModel
from forest_align.types import ModelError

HIDDEN = 4


def model(seed: int = 0) -> ChunkModel:
    generator = np.random.default_rng(seed)
    shapes = {
        name: [HIDDEN if size == "hidden" else size for size in shape] for name, shape in SHAPES.items()
    }
    weights = {name: generator.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    weights["scale"] = np.abs(weights["scale"]) + 0.5
    return ChunkModel(weights, 0.4, 0.6, {"data": "none"})


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = model()
    written.save(tmp_path)
    found = ChunkModel.load(tmp_path)
    assert (found.threshold, found.joining, found.card) == (0.4, 0.6, {"data": "none"})
    assert all((found.weights[name] == one).all() for name, one in written.weights.items())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": 2}, "damaged"),
        ({"features": []}, "other features"),
        ({"version": 0}, "version 1"),
        ({"format": "joint"}, "chunks aligner"),
    ],
)
def test_a_damaged_card_is_refused(change: dict, message: str, tmp_path: Path) -> None:
    model().save(tmp_path)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ModelError, match=message):
        ChunkModel.load(tmp_path)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    found = model()
    ChunkModel({**found.weights, "hidden_bias": np.zeros(HIDDEN + 1, np.float32)}, 0.5, 0.5).save(tmp_path)
    with pytest.raises(ModelError, match="hidden_bias"):
        ChunkModel.load(tmp_path)


def test_swapped_chunks_are_judged_alike_with_the_directed_relations_exchanged() -> None:
    features = np.random.default_rng(3).normal(size=(2, 3, len(CHUNK_FEATURES))).astype(np.float32)
    there, back = model().judge(features), model().judge(swapped_features(features))
    np.testing.assert_allclose(back.aligned, there.aligned)
    np.testing.assert_allclose(back.similarities, there.similarities)
    np.testing.assert_allclose(back.relations[..., [0, 2, 1, 3, 4, 5]], there.relations)
    np.testing.assert_allclose(there.relations.sum(axis=2), 1)
    assert not np.allclose(there.relations[..., 1], there.relations[..., 2])
