"""The tagger that reads word vectors: the bundled one, and its files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from forest_align.parsing import load_parser
from forest_align.parsing.networks.encoder_batches import CASE_COUNT, case_numbers
from forest_align.parsing.networks.vector_network import BUNDLED
from forest_align.parsing.networks.word_tagger import WordTagger
from forest_align.types import ModelError

SENTENCE = "The old dogs that Mary 's brother bought in 1990 were barking loudly ."
TAGS = "DT JJ NNS WDT NNP POS NN VBD IN CD VBD VBG RB ."


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("tagger.json", "tagger.safetensors"):
        shutil.copy(BUNDLED / name, tmp_path)
    return tmp_path


def test_the_bundled_tagger_tags() -> None:
    parser = load_parser(forest_size=0)
    assert parser.parse(SENTENCE.split()).tags == tuple(TAGS.split())
    assert parser.parse(["the", "dog", "barks", "."]).tags == ("DT", "NN", "VBZ", ".")


def test_letter_case_tells_what_vectors_of_lower_case_cannot() -> None:
    words = ["Mary", "Mary", "mary", "IBM", "1990", "."]
    assert case_numbers(words).tolist() == [12, 2, 1, 4, 6, 0]
    assert case_numbers([]).tolist() == []
    assert case_numbers(["a", "-LRB-", "``"]).tolist() == case_numbers(["a", "(", '"']).tolist()
    parser = load_parser(forest_size=0)
    assert parser.parse(["They", "like", "Turkey", "."]).tags[2] == "NNP"
    assert parser.parse(["They", "like", "turkey", "."]).tags[2] == "NN"


def test_a_tagger_adds_up_vector_and_case() -> None:
    arrays = {
        "vector": np.array([[1.0, 0.0], [0.0, 1.0], [-9.0, 0.0]]),
        "case": np.zeros((CASE_COUNT, 2)),
        "output": np.array([[2.0, 0.0], [0.0, 1.0]]),
        "bias": np.array([0.0, 0.5]),
    }
    arrays["case"][2] = 0.0, 5.0  # Capitalised, not first
    tagger = WordTagger(["A", "B"], arrays)
    vectors = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1]], np.float32)
    # 2 to 0.5; 2 to 5.5; nothing below 0 goes on: 0 to 0.5.
    assert tagger(["a", "Ab", "c"], vectors) == ("A", "B", "B")


def test_what_is_written_is_read(copy: Path, tmp_path: Path) -> None:
    tagger = WordTagger.read(copy)
    tagger.save(tmp_path)
    vectors = np.random.default_rng(0).normal(size=(3, 768)).astype(np.float32)
    assert WordTagger.read(tmp_path)(["a", "b", "C"], vectors) == tagger(["a", "b", "C"], vectors)
    assert (tmp_path / "tagger.safetensors").read_bytes() == (BUNDLED / "tagger.safetensors").read_bytes()


def test_a_card_of_another_format_or_none_is_refused(copy: Path) -> None:
    card = json.loads((copy / "tagger.json").read_text())
    for text in (json.dumps(card | {"format": 2}), json.dumps({"format": 1}), "[]", "no JSON"):
        (copy / "tagger.json").write_text(text)
        with pytest.raises(ModelError, match="tagger"):
            WordTagger.read(copy)
    (copy / "tagger.json").unlink()
    with pytest.raises(ModelError, match="tagger"):
        WordTagger.read(copy)
