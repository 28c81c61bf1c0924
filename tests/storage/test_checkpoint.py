"""Files of arrays, checkpoints, and the hashes that tell inputs apart."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save
from safetensors.torch import save_file

from forest_align.storage.checkpoint import Checkpoint, load_arrays, save_arrays
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.storage.outputs import check_same_pair
from forest_align.system.replacing import write_atomically
from forest_align.types import InputError


def test_arrays_and_numbers_come_back_exactly(tmp_path: Path) -> None:
    arrays = {"turned": np.arange(6.0).reshape(2, 3).T, "none": np.zeros((0, 4), np.int32)}
    arrays["number"] = np.array(3.0)
    facts = {"third": 1 / 3, "text": "Thé \ud83d", "nothing": None}
    save_arrays(tmp_path / "new" / "file", arrays, facts)
    found, back = load_arrays(tmp_path / "new" / "file")
    assert back == facts
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(found[name], array)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    path = tmp_path / "file"
    write_atomically(path, b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_never_meets_half_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, met = tmp_path / "file", []
    write_atomically(path, b"old")
    monkeypatch.setattr("os.fsync", lambda descriptor: met.append(path.read_bytes()))
    with path.open("rb", buffering=0) as reader:
        assert reader.read(1) == b"o"
        write_atomically(path, b"new content")
        # The old file was not written into.
        assert reader.read() == b"ld"
    assert met == [b"old", b"new content"] and path.read_bytes() == b"new content"


def test_fingerprints_differ_by_value_shape_number_type_order_and_text() -> None:
    array = np.arange(6, dtype=np.int32)
    different = [
        (array,),
        (array.reshape(2, 3),),
        (array.reshape(3, 2),),
        (array.view(np.float32),),
        (array[::-1],),
        (array, "a"),
        ("a", array),
        (array, "b"),
        (array, None),
    ]
    assert len({fingerprint_of(*parts) for parts in different}) == len(different)
    # How the numbers lie in memory makes no difference.
    assert fingerprint_of(array.reshape(2, 3)) == fingerprint_of(np.asfortranarray(array.reshape(2, 3)))


def test_any_changed_byte_is_noticed_or_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    arrays = {"weights": np.arange(3.0), "places": np.array([[1, 2]], dtype=np.int32)}
    save_arrays(path, arrays, {"epoch": 7})
    content, refused = path.read_bytes(), 0
    damaged = [content[:size] for size in range(len(content))]
    damaged += [
        content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
        for place in range(len(content))
        for bit in range(8)
    ]
    for changed in damaged:
        path.write_bytes(changed)
        try:
            found, facts = load_arrays(path)
        except InputError as error:
            assert str(error).startswith(f"{path}: ")
            refused += 1
            continue
        assert facts == {"epoch": 7} and sorted(found) == sorted(arrays)
        assert all(found[name].tobytes() == arrays[name].tobytes() for name in arrays)
    assert refused > 0.95 * len(damaged), "all but changes of blanks"


@pytest.mark.parametrize(
    ("arrays", "facts"),
    [
        ({"weights": None}, {}),
        ({"weights": np.arange(3.0) + 1}, {}),
        ({"weights": np.arange(3.0).reshape(1, 3)}, {}),
        ({"more": np.zeros(3)}, {}),
        ({}, {"epoch": 8}),
    ],
)
def test_other_arrays_or_facts_are_damage(
    arrays: dict[str, np.ndarray | None], facts: dict[str, object], tmp_path: Path
) -> None:
    path, known = tmp_path / "weights.safetensors", {"weights": np.arange(3.0)}
    save_arrays(path, known, {"epoch": 7})
    with safe_open(path, framework="numpy") as file:
        card = json.loads(file.metadata()["card"])
    changed = {name: array for name, array in (known | arrays).items() if array is not None}
    path.write_bytes(
        save(changed, metadata={"card": json.dumps(card | {"facts": json.dumps({"epoch": 7} | facts)})})
    )
    with pytest.raises(
        InputError, match=r"weights\.safetensors: the file is damaged: delete it to start over"
    ):
        load_arrays(path)


@pytest.mark.parametrize(
    "card", [None, "{", "[1]", "{}", '{"facts": "[1]", "contents": ""}', '{"facts": 1, "contents": ""}']
)
def test_a_file_of_another_kind_is_an_error_that_names_it(tmp_path: Path, card: str | None) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(save({"weights": np.zeros(2)}, metadata=card and {"card": card}))
    with pytest.raises(InputError, match=r"weights\.safetensors: expected a file of arrays"):
        load_arrays(path)


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float8_e4m3fn])
def test_numbers_that_numpy_lacks_are_an_error_that_names_the_file(tmp_path: Path, kind: torch.dtype) -> None:
    path = tmp_path / "weights.safetensors"
    save_file({"weights": torch.zeros(2, dtype=kind)}, path, metadata={"facts": "{}"})
    with pytest.raises(InputError, match=r"weights\.safetensors: expected a file of arrays"):
        load_arrays(path)


@pytest.fixture
def saved(tmp_path: Path) -> Checkpoint:
    checkpoint = Checkpoint(tmp_path / "x.checkpoint", "a run", {"seed": 1, "pairs": [2, 3]})
    assert not checkpoint.exists
    checkpoint.save({"weights": np.arange(3.0)}, {"epoch": 7})
    return checkpoint


def test_a_state_comes_back_and_the_run_may_be_known_by_more(saved: Checkpoint) -> None:
    for known in (saved.identity, {"seed": 1}):
        arrays, facts = replace(saved, identity=known).load()
        assert saved.exists and facts["epoch"] == 7 and arrays["weights"].tolist() == [0, 1, 2]


def test_where_no_state_is_kept_there_is_none_and_saving_does_nothing() -> None:
    nowhere = Checkpoint(None, "a run", {})
    nowhere.save({"weights": np.arange(3.0)}, {})
    assert not nowhere.exists


def test_the_first_difference_between_runs_is_named(saved: Checkpoint) -> None:
    with pytest.raises(InputError, match=r"x\.checkpoint: expected a checkpoint of another run"):
        replace(saved, run="another run").load()
    with pytest.raises(InputError, match=r"x\.checkpoint: field 'pairs': .* this run has \[2\]"):
        replace(saved, identity={"seed": 1, "pairs": [2]}).load()
    with pytest.raises(InputError, match=r"field 'size': .* with None, this run has 4"):
        replace(saved, identity={"size": 4}).load()
    assert saved.path is not None
    save_arrays(saved.path, {}, {"epoch": 7})
    with pytest.raises(InputError, match=r"x\.checkpoint: expected a checkpoint of a run"):
        saved.load()


def test_a_state_past_the_end_of_a_run_is_named(saved: Checkpoint) -> None:
    error = saved.past("epochs", 3)
    assert "x.checkpoint: field 'epochs': the checkpoint has more than the 3 epochs" in str(error)


PAIR = ("7", (("He", "died"), ("He", "left")))


@pytest.mark.parametrize("found", [PAIR, ("7", ((), ("He", "left"))), ("7", ((), ()))])
def test_the_same_pair_may_be_continued_even_where_words_are_not_known(found: tuple) -> None:
    check_same_pair(PAIR, found, file="x.jsonl", line=3)
    check_same_pair(found, PAIR, file="x.jsonl", line=3)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (("8", PAIR[1]), "expected the alignment of pair '7', found that of '8'"),
        (("7", (("He", "died"), ("He",))), "the target of pair '7' is 'He left' now and 'He' in it"),
    ],
)
def test_another_pair_is_refused_with_what_differs(found: tuple, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_same_pair(PAIR, found, file="x.jsonl", line=3)
    assert str(caught.value).startswith("x.jsonl:3: cannot resume: ")
    assert message in str(caught.value)
