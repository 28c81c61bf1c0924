"""The option --device of commands that parse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from forest_align.cli import main

PAIR = "The cat sat.\tA cat was sitting.\n"


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["align", "{pairs}", "--device", "cuda"], "there is no device 'cuda': torch finds 0 GPUs here"),
        (["align", "{pairs}", "--device", "gpu"], "expected cpu, cuda, cuda:N or auto, found 'gpu'"),
        (["align", "{pairs}", "--chunks", "--device", "cuda"], "--chunks takes no --device"),
        (["parse", "{pairs}", "--from", "text", "--device", "cuda:1"], "there is no device 'cuda:1'"),
        (["parse", "{trees}", "--device", "cuda"], "--device is for text, and {trees} has trees"),
    ],
)
def test_a_device_that_is_not_there_or_of_no_use_is_refused(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"pairs": str(tmp_path / "pairs.tsv"), "trees": str(tmp_path / "trees.mrg")}
    Path(names["pairs"]).write_text(PAIR)
    Path(names["trees"]).write_text("(S (NN cats))\n")
    out = tmp_path / "out"
    assert main([*(one.format(**names) for one in arguments), "-o", str(out)]) == 2
    assert message.format(**names) in capsys.readouterr().err
    assert not out.exists()


def test_a_run_is_not_continued_on_another_kind_of_device(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, out = tmp_path / "text", tmp_path / "out"
    text.write_text("Cats sleep.\n \n")  # the second cannot be parsed, so the record stays
    arguments = ["parse", str(text), "-o", str(out), "--batch-size", "1"]
    assert main(arguments) == 1
    record = out.with_name("out.run")
    first, *rest = record.read_text().splitlines()
    made_with = json.loads(first)["made_with"]
    assert made_with["--device"] == ""
    made_with["--device"] = "a GPU"
    record.write_text("\n".join([json.dumps({"made_with": made_with}), *rest]) + "\n")
    assert main([*arguments, "--resume"]) == 2
    assert "cannot resume: --device was 'a GPU' in the earlier run, now it is not given" in (
        capsys.readouterr().err
    )
