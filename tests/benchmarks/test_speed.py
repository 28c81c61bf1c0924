"""Each script of benchmarks/ still runs, with as little to measure as it can have."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from ..places import ROOT

SCRIPTS = sorted(
    path.stem
    for path in (ROOT / "benchmarks" / "speed").glob("*.py")
    if "__main__" in path.read_text(encoding="utf-8")
)
SOURCE = "The old cat sat on the mat in the kitchen ."
TARGET = "In the kitchen an old cat was sitting on a mat ."

# Arguments of each script, what it prints, and names in it that make it do less.
RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "alignment_growth": (
        "RAW --count 1 --least-ratio 0.1",
        "ms a pair",
        {"LENGTHS": (10,), "FOREST_SIZES": (1, 2), "USUAL_LENGTH": 10, "USUAL_SIZE": 2},
    ),
    "device_speed": (
        "RAW --device cpu --limit 2 --batch-size 2 --aligner contextual",
        r"\| contextual \| cpu \| 2 \| \d+ \| 100.00% \|",
        {},
    ),
    "memory": ("shared RAW --count 130", "two workers take [1-3][.].* times the memory", {}),
    "pipeline_speed": ("RAW --limit 2 --gpu 10", "(?s)packed forests.*gigaflops.*16 . .* pairs/s", {}),
    "scale": ("RAW --limit 2 --batch-size 1 --engines", r"`align` \| \d+ \| \d+\.\d .*\| 2 of 2 \| 0 \|", {}),
    "scale_engine": ("local RAW FOLDER --batch-size 1", "^$", {}),
    "serve_load": ("RAW --aligner contextual --requests 4 --slow 2", "huge: .'413': 2", {}),
    "simalign_speed": (
        "RAW --encoder ENCODER --layer 1 --limit 2 --rounds 1 --aligner contextual",
        r"SimAlign \| .* 1\.00 \|\n\| contextual \| \d+ \|",
        {},
    ),
    "soak": (
        "RAW --folder SOAK --pairs 130 --part-size 64",
        "130 of 130 rows in 3 parts .*\n13 with an error\n0 in a wrong place.*\n(58 of 58|2 of 2) lines",
        {"BROKEN": 10, "CHECKED": 1},
    ),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files that the scripts read, by what stands for them in the arguments."""
    folder = tmp_path_factory.mktemp("benchmarks")
    files = {name: folder / name.lower() for name in ("RAW", "FOLDER", "ENCODER", "SOAK")}
    files["RAW"].write_text(f"{SOURCE}\t{TARGET}\n{TARGET}\t{SOURCE}\n", encoding="utf-8")
    return {name: str(path) for name, path in files.items()}


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def write_encoder(folder: Path) -> None:
    """Write a small encoder of the transformers library, with random weights, that knows a few words."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(SOURCE.lower().split()))]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(words), **sizes)).save_pretrained(folder)


def script(name: str) -> ModuleType:
    path = ROOT / "benchmarks" / "speed" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_script_is_run_here() -> None:
    assert sorted(RUNS) == SCRIPTS


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.engine) if name == "soak" else name for name in SCRIPTS]
)
def test_it_runs(
    name: str, inputs: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "soak":
        pytest.importorskip("ray")
    if name == "simalign_speed":
        pytest.importorskip("simalign")
        write_encoder(Path(inputs["ENCODER"]))
    arguments, printed, smaller = RUNS[name]
    module = script(name)
    for constant, value in smaller.items():
        monkeypatch.setattr(module, constant, value)
    monkeypatch.setattr(sys, "argv", [name, *(inputs.get(word, word) for word in arguments.split())])
    module.main()
    assert re.search(printed, capsys.readouterr().out)


@pytest.mark.engine
@pytest.mark.parametrize("engine", ["workers", "shards", "ray", "datasets", "spark"])
def test_engines_write_the_lines_of_the_command_line(
    engine: str, inputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    import scale_engine

    if needed := scale_engine.missing(engine):
        pytest.skip(f"needs {needed}")
    script("scale").main([inputs["RAW"], "--limit", "2", "--batch-size", "1", "--engines", engine])
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [re.findall(r"\d of \d \| [^|]+", row) for row in rows] == [["2 of 2 | 0 "]] * 2


def test_rows_are_compared_with_the_digits_of_numbers_apart() -> None:
    compare = script("scale").compare
    lines = [
        '{"words": [[1, 1]], "p": [0.5, 0.25]}',
        '{"words": [], "p": []}',
        '{"words": [[2, 1]], "p": [0.5]}',
    ]
    assert compare(lines, lines) == "3 of 3 | 0"
    other = [lines[0].replace("0.25", "0.2500001"), lines[1], lines[2].replace("2, 1", "1, 2")]
    assert compare(other, lines) == "1 of 3 | 1e-07, and 1 other rows"
    assert compare(lines[:2], lines) == "2 rows in place of 3 | –"


def test_first_batches_are_left_out_of_the_speed(tmp_path: Any) -> None:
    """A process with batches of two pairs, and one that has no second batch."""
    (tmp_path / "11").write_text("0.0 5.0\n9.0 6.0\n9.5 6.25\n10.0 6.5\n10.5 6.75\n11.0 7.0\n")
    (tmp_path / "12").write_text("3.0 2.0\n")
    speed, used, processes = script("scale").at_work(tmp_path, 2)
    assert (speed, used, processes) == (2.0, 250.0, {11, 12})
