"""``forest-align train joint`` on a handful of pairs, with a parser that makes up trees and vectors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from forest_align.aligners.joint.features import PairEdits, pair_edits
from forest_align.aligners.joint.model import JointModel
from forest_align.cli import main

from ...aligners.joint.joint_sentences import ToyParser

PAIRS = (
    ("the old man bought a car", "a man sold the old car", "0-3 1-4 2-1 3-2 4-0 5-5"),
    ("she sold the house", "she bought a house in London", "0-0 1-1 2-2 3-3"),
    ("dogs like meat", "dogs love meat", "0-0 1-1 2-2"),
)


@pytest.fixture(autouse=True)
def toy_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("load_parser", "load_parser_for_alignment"):
        monkeypatch.setattr(f"forest_align.parsing.{name}", lambda *args, **options: ToyParser())


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.tsv"
    lines = [f"{k}\t{a}\tN/A\t{b}\tN/A\t1\t1\t{links}\t\t\n" for k, (a, b, links) in enumerate(PAIRS)]
    path.write_text("".join(lines))
    return path


def train(*words: object) -> int:
    return main(["train", "joint", *map(str, words)])


def test_training_writes_a_model_that_aligns(
    tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, pairs = tmp_path / "model", tmp_path / "pairs.tsv"
    assert train(gold, "-o", model, "--epochs", 12, "--seed", 2, "--variant", "phrase") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12 and lines[-1].startswith("epoch 12: while training, precision ")
    loaded = JointModel.load(model)
    assert (loaded.variant, loaded.card["pairs"], loaded.card["seed"]) == ("phrase", 3, 2)
    pairs.write_text("dogs like meat\tmeat dogs like\n")
    assert main(["align", str(pairs), "--model", str(model), "--to", "pharaoh"]) == 0
    assert capsys.readouterr().out == "0-1 1-2 2-0\n"


def test_deletions_of_phrases_are_learned_if_they_are_asked_for(tmp_path: Path, gold: Path) -> None:
    words = ("--epochs", 2, "--no-link-features", "--update", "perceptron")
    assert train(gold, "-o", tmp_path / "model", *words, "--delete-phrases") == 0
    model = JointModel.load(tmp_path / "model")
    assert model.phrase_deletions and model.named_weights("deleted_phrases").any()
    assert train(gold, "-o", tmp_path / "plain", *words) == 0
    assert "deleted_phrases" not in load_file(tmp_path / "plain" / "model.safetensors")
    assert not JointModel.load(tmp_path / "plain").phrase_deletions


def test_vectors_of_another_size_need_the_option_without_link_features(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser_for_alignment", lambda *args, **options: ToyParser(width=24)
    )
    assert train(gold, "-o", tmp_path / "model", "--epochs", 1) == 2
    assert "trained with other ones" in capsys.readouterr().err
    assert train(gold, "-o", tmp_path / "model", "--epochs", 1, "--no-link-features") == 0


def test_a_resumed_run_gives_the_same_model(tmp_path: Path, gold: Path) -> None:
    train(gold, "-o", tmp_path / "one", "--epochs", 3)
    train(gold, "-o", tmp_path / "two", "--epochs", 1)
    train(gold, "-o", tmp_path / "two", "--epochs", 3, "--resume")
    for name in ("model.json", "model.safetensors"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_options_reach_the_training_and_the_model_names_them(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = []

    def watched(*sentences: Any, **options: Any) -> PairEdits:
        lengths.append(options["longest"])
        return pair_edits(*sentences, **options)

    monkeypatch.setattr("forest_align.em.joint.examples.pair_edits", watched)
    ppdb, cache = tmp_path / "ppdb.tsv", tmp_path / "cache"
    ppdb.write_text("sold\tbought\n")
    plain = ["-o", tmp_path / "plain", "--epochs", 2, "--no-link-features"]
    assert train(gold, *plain, "--forests", cache) == 0
    assert any(cache.iterdir())
    weights = load_file(tmp_path / "plain" / "model.safetensors")
    changes = {"longest": 1, "update": "perceptron", "ppdb": ppdb}
    for name, value in changes.items():
        options = ["-o", tmp_path / name, "--epochs", 2, "--no-link-features", f"--{name}", value]
        assert train(gold, *options) == 0
        changed = load_file(tmp_path / name / "model.safetensors")
        # None of these pairs has a gold phrase of several words.
        assert name == "longest" or any((changed[key] != weights[key]).any() for key in weights), name
    assert lengths == [3] * 3 + [1] * 3 + [3] * 6
    models = {name: JointModel.load(tmp_path / name) for name in ("plain", *changes)}
    assert (models["plain"].longest, models["longest"].longest) == (3, 1)
    assert (models["plain"].card["update"], models["update"].card["update"]) == ("margin", "perceptron")
    assert (models["plain"].card["ppdb"], models["ppdb"].card["ppdb"]) == ("", "ppdb.tsv")
    assert models["plain"].card["trained on"] == [f"{gold.parent.name}/gold.tsv"]
    assert models["plain"].card["parser"] == "en"


def test_what_is_missing_is_said_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert train(tmp_path / "no gold", "-o", tmp_path / "file") == 2
    assert "field 'output': expected a folder" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "highspy", None)
    assert train(tmp_path / "no gold", "-o", tmp_path / "model") == 2
    assert "pip install highspy" in capsys.readouterr().err
