"""Folders of models: what is written is read back, and nothing that was there is lost."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from forest_align.parsing.networks import model_files
from forest_align.parsing.networks.model_files import (
    SECTION,
    ParserConfig,
    parser_config,
    read_config,
    read_tables,
    read_weights,
    write_model,
)
from forest_align.parsing.networks.stored_tables import FourBitTable, IntegerTable
from forest_align.parsing.networks.vector_network import WordVectors
from forest_align.parsing.parser_loading import MODELS

CONFIG = ParserConfig(("", "NP"), ("UNK", "NN"), {"d_model": 8}, {"hidden_size": 8}, temperature=1.25)
WEIGHTS = {"matrix": torch.tensor([[1.27, -0.01], [0.0, 0.0]]), "vector": torch.tensor([0.5, -2.0])}


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "model"
    write_model(folder, MODELS / "en", WEIGHTS, CONFIG)
    assert parser_config(folder, read_config(folder)) == CONFIG
    found = read_weights(folder)
    assert set(found) == set(WEIGHTS)
    for name, value in WEIGHTS.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-3)
    assert (folder / "parser.safetensors").stat().st_mode & 0o777 == 0o644


def test_the_layer_of_word_vectors_that_older_exports_name_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    write_model(folder, MODELS / "en", WEIGHTS, CONFIG)
    config = read_config(folder)
    assert "vector_layer" not in config[SECTION]
    config[SECTION]["vector_layer"] = 4
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert parser_config(folder, read_config(folder)) == CONFIG


def test_a_new_model_takes_the_old_ones_place_and_other_files_stay(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    write_model(folder, MODELS / "en", WEIGHTS, CONFIG)
    (folder / "README.md").write_text("a model card")
    write_model(folder, folder, {"vector": torch.ones(3)}, CONFIG)
    assert read_weights(folder)["vector"].tolist() == [1, 1, 1]
    assert (folder / "README.md").read_text() == "a model card"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_files_that_a_folder_shares_with_another_model_are_left_to_that_one(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_model(first, MODELS / "en", WEIGHTS, CONFIG)
    second.mkdir()
    for path in first.iterdir():
        (second / path.name).symlink_to(path)
    before = {path.name: path.read_bytes() for path in first.iterdir()}
    write_model(second, first, {"vector": torch.ones(3)}, ParserConfig((), (), {}, {}))
    assert {path.name: path.read_bytes() for path in first.iterdir()} == before
    assert set(read_weights(second)) == {"vector"}


def test_a_model_stays_whole_while_the_next_one_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    write_model(folder, MODELS / "en", WEIGHTS, CONFIG)

    def killed(weights: object, path: Path) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(model_files, "save_file", killed)
    with pytest.raises(KeyboardInterrupt):
        write_model(folder, MODELS / "en", WEIGHTS, ParserConfig((), (), {}, {}))
    assert parser_config(folder, read_config(folder)) == CONFIG
    assert set(read_weights(folder)) == set(WEIGHTS)


def test_matrices_stay_as_the_file_has_them_until_rows_are_looked_up(tmp_path: Path) -> None:
    write_model(tmp_path / "model", MODELS / "en", WEIGHTS, CONFIG)
    found = read_tables(tmp_path / "model")
    table, whole = found["matrix"], read_weights(tmp_path / "model")["matrix"]
    assert isinstance(table, IntegerTable) and isinstance(found["vector"], np.ndarray)
    assert table.shape == (2, 2) and table.whole().dtype == np.float32
    np.testing.assert_array_equal(table.whole(), whole)
    numbers = np.array([[1, 0, 0], [0, 1, 1]])
    np.testing.assert_array_equal(table(numbers), whole[numbers])
    np.testing.assert_array_equal(table.largest(), np.abs(whole).max(1))


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs Linux, which lists what is mapped")
def test_the_words_of_the_encoder_are_mapped_from_its_file() -> None:
    words = WordVectors(MODELS / "en").network._words
    assert isinstance(words, FourBitTable)
    place = words._integers.ctypes.data
    for line in Path("/proc/self/maps").read_text().splitlines():
        start, _, end = line.split(" ")[0].partition("-")
        if int(start, 16) <= place < int(end, 16):
            assert line.endswith("en/encoder.safetensors")
            return
    raise AssertionError("the table is nowhere")
