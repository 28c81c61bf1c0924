"""Files of parses are read back, and a broken line costs no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.data.trees.parses import read_parses
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Sentence

SENTENCE = sentence_from_bracket("(S (NP (NNS Dogs)) (VP (VBP bark)))")


def write(tmp_path: Path, *lines: str | bytes) -> Path:
    path = tmp_path / "parses.jsonl"
    path.write_bytes(b"".join(x if isinstance(x, bytes) else x.encode() + b"\n" for x in lines))
    return path


def test_sentences_come_back_and_errors_stand_in_their_places(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        SENTENCE.to_json(),
        '{"error": "the sentence is empty"}',
        b"\xff\n",
        "",
        "{",
        SENTENCE.to_json(),
    )
    first, *errors, last = read_parses(path)
    for sentence in (first, last):
        assert isinstance(sentence, Sentence) and sentence.forest is not None
        assert sentence.to_dict() == SENTENCE.to_dict() and sentence.tokens == SENTENCE.tokens
    assert [str(error).removeprefix(f"{path}:") for error in errors] == [
        "2: the sentence is empty",
        "3: expected UTF-8, found byte 0xff at byte 1 of the line",
        "4: blank line; expected a JSON object",
        "5: not JSON: Expecting property name enclosed in double quotes at column 2",
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"forest": None}, "forest"),
        ({"forest": []}, "forest"),
        ({"forest": SENTENCE.to_dict()["forest"] | {"start": [0, True, 0]}}, "forest.start[1]"),
        ({"forest": SENTENCE.to_dict()["forest"] | {"head": [0, 0, 1]}}, "forest.head"),
        ({"tokens": ["Dogs", "bark", "!"], "tags": ["NNS", "VBP", "."]}, "forest"),
        ({"offsets": [[0, 4], [5, 99]]}, "offsets[1]"),
        ({"error": 3}, "error"),
    ],
)
def test_a_wrong_field_is_named_with_file_and_line(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    path = write(tmp_path, SENTENCE.to_json(), json.dumps(SENTENCE.to_dict() | change))
    _, error = read_parses(path)
    assert isinstance(error, InputError)
    assert (error.file, error.line, error.field) == (str(path), 2, field)


def test_probabilities_that_are_not_known_stay_so(tmp_path: Path) -> None:
    (found,) = read_parses(write(tmp_path, SENTENCE.to_json()))
    assert isinstance(found, Sentence) and found.forest is not None
    assert np.isnan(found.forest.log_posterior).all()
