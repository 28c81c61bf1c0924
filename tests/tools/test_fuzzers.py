"""The fuzzers of the nightly checks, each on a few cases."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import fuzz_kernels
import fuzz_readers
import pytest


def test_drawn_arrays_are_good_taken_or_refused() -> None:
    ended = [fuzz_kernels.run_case(seed, sorted(fuzz_kernels.FUNCTIONS)) for seed in range(400)]
    assert min(ended.count(how) for how in ("good", "taken", "refused")) > 30


def test_every_function_of_the_kernels_is_called() -> None:
    faces = sorted((Path(__file__).parents[2] / "cext").glob("*.pyi"))
    named = {f"{face.stem}.{name}" for face in faces for name in re.findall(r"def (\w+)", face.read_text())}
    assert fuzz_kernels.FUNCTIONS.keys() == named


def test_a_wrong_result_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "string_similarity.string_similarities"
    function, make, check = fuzz_kernels.FUNCTIONS[name]
    wrong = (lambda *arguments: function(*arguments) + 1, make, check)
    monkeypatch.setitem(fuzz_kernels.FUNCTIONS, name, wrong)
    monkeypatch.setattr(sys, "argv", ["fuzz", "--function", name, "--seed", "0", "--cases", "60"])
    assert fuzz_kernels.main() == 1
    assert "expected probabilities" in capsys.readouterr().err


def test_readers_refuse_damaged_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz", "--seed", "0", "--cases", "300", "--mutations"])
    assert fuzz_readers.main() == 0
    assert "300 inputs, 0 faults" in capsys.readouterr().out


def test_a_reader_whose_time_grows_with_the_square_of_its_input_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def quadratic(content: bytes) -> None:
        for _ in range(len(content) // 8):
            content.count(b"never there")

    monkeypatch.setattr(fuzz_readers, "GROWTH_LEAST", 0.0)
    for reader, faults in ((quadratic, 1), (bytes.splitlines, 0)):
        monkeypatch.setattr(fuzz_readers, "readers", lambda folder, reader=reader: {"one": reader})
        monkeypatch.setattr(sys, "argv", ["fuzz", "--seed", "7", "--cases", "1", "--growth"])
        assert fuzz_readers.main() == faults
    assert "seed 7: reader of one: time grows by" in capsys.readouterr().err
