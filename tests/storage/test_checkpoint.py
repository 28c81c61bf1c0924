"""Outputs that may be continued, and checkpoints: a state comes back, to a run of the same identity alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.storage.checkpoint import Checkpoint, save_arrays
from forest_align.storage.outputs import check_same_pair
from forest_align.types import InputError


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
