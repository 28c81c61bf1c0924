"""The examples run, each in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from run_notebook import run_notebook

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NUMBER = re.compile(r"[-+]?\d+\.\d+")


def run(name: str, folder: Path) -> str:
    """Run an example in a copy of the folder, with this Python's commands; return what it prints."""
    here = shutil.copytree(EXAMPLES, folder / "examples")
    command = [sys.executable if name.endswith(".py") else "bash", name]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(command, cwd=here, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("align.py", "New York City  ↔  NYC"),
        ("many.py", "could not be aligned: field 'target': the sentence is empty"),
        ("own_table.py", "near the river"),
        ("changes.py", "5,replaced,illness,ill,0."),
        ("own_trees.py", "chosen: (S (NP (PRP I)) (VP (VBD watched)"),
        ("edits.py", "replace (synonym): 'defeated' → 'overcame'"),
        ("differences.py", "target: of the scientific"),
        ("documents.py", "only before: ['The weather was nice.']"),
        ("attribution.py", "unsupported: ['by two brothers', 'by 7%']"),
        ("phrase_table.sh", "defeated\tovercame"),
        ("train.sh", "95% interval of word F1"),
    ],
)
def test_an_example_runs(tmp_path: Path, name: str, printed: str) -> None:
    assert printed in run(name, tmp_path)


def test_the_shards_of_a_job_array_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARDS", "2")
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID", raising=False)
    assert run("slurm_array.sh", tmp_path / "all") == "5\n"
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "2")
    assert run("slurm_array.sh", tmp_path / "one") == ""
    finished = (tmp_path / "one/examples/parts/completions").iterdir()
    assert [marker.name for marker in finished] == ["00002"]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("name", "packages"),
    [
        ("with_datasets.py", ("datasets",)),
        ("with_spark.py", ("pyspark", "pandas")),
        ("with_dask.py", ("dask", "pandas")),
    ],
)
def test_an_example_of_an_engine_runs(tmp_path: Path, name: str, packages: tuple[str, ...]) -> None:
    for package in ("pyarrow", "narwhals", *packages):
        if find_spec(package) is None:
            pytest.skip(f"needs {package}")
    if name == "with_spark.py" and shutil.which("java") is None:
        pytest.skip("needs Java")
    printed = [line for line in run(name, tmp_path).splitlines() if line[:3].isdigit()]
    assert [line[:3] for line in printed] == ["101", "102", "103", "104"]
    assert all(line.endswith("phrase pairs") for line in printed if line[:3] != "103")
    assert printed[2].startswith("103 field ")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_runs_and_prints_what_it_shows(path: Path, tmp_path: Path) -> None:
    shown = json.loads(path.read_text(encoding="utf-8"))
    fresh = run_notebook(Path(shutil.copy(path, tmp_path)))
    for before, after in zip(shown["cells"], fresh["cells"], strict=True):
        # Other processors round differently.
        texts = [NUMBER.sub("#", json.dumps(cell.get("outputs", []))) for cell in (before, after)]
        assert texts[0] == texts[1], "".join(before["source"])


def test_every_example_is_named_on_their_page() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    names = [path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".sh", ".ipynb"}]
    assert len(names) >= 5
    assert [name for name in names if f"`{name}`" not in page] == []
