"""Aligning, parsing, evaluating and serving need no torch: they run where it cannot be imported."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GOLD = {
    "id": "1",
    "name": "1",
    "source": "He died",
    "target": "He left",
    "sureAlign": "0-0",
    "possibleAlign": "",
}
#: What locks/serving.txt leaves out.
LEFT_OUT = ("torch", "optuna", "sqlalchemy", "huggingface_hub")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment in which some packages cannot be imported, by processes that are started there either."""
    folder = tmp_path_factory.mktemp("left-out")
    for name in LEFT_OUT:
        missing = f"raise ModuleNotFoundError('No module named {name}', name={name!r})\n"
        (folder / f"{name}.py").write_text(missing)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


def command(arguments: tuple[str, ...], folder: Path) -> list[str]:
    (folder / "SENTENCES").write_text("He died.\n")
    (folder / "GOLD").write_text(json.dumps([GOLD]))
    (folder / "PAIRS").write_text("He died.\tHe left.\n")
    files = [str(folder / name) if (folder / name).exists() else name for name in arguments]
    return [sys.executable, "-m", "forest_align", *files]


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (
            ("align", "He died.", "He passed away.", "--device", "auto", "--to", "pharaoh"),
            0,
            "0-0 1-1 1-2 2-3",
        ),
        (("align", "He died.", "He passed away.", "--aligner", "contextual", "--to", "pharaoh"), 0, "0-0"),
        (("parse", "SENTENCES"), 0, "(VBD died)"),
        (("evaluate", "GOLD", "GOLD"), 0, "100.0"),
        (("align", "a", "b", "--device", "cuda"), 2, "the device 'cuda' needs torch, which is not installed"),
        (("train", "forest", "PAIRS", "-o", "model"), 2, "this needs torch, which is not installed"),
        (("tune", "GOLD", "-o", "tuned"), 2, "this needs optuna, which is not installed: pip install optuna"),
    ],
    ids=lambda value: " ".join(value[:1] + value[-2:]) if isinstance(value, tuple) else "",
)
def test_a_command_runs_without_torch_or_says_that_it_needs_it(
    arguments: tuple[str, ...], status: int, expected: str, environment: dict[str, str], tmp_path: Path
) -> None:
    run = subprocess.run(
        command(arguments, tmp_path),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    assert run.returncode == status and expected in (run.stderr if status else run.stdout), run.stderr


def test_the_service_runs_without_torch(environment: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="needs the extra [serve]")
    arguments = command(("serve", "--port", "0", "--aligner", "contextual"), tmp_path)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path) as run:
        assert run.stdout is not None
        try:
            address = re.search("http://127.0.0.1:([0-9]+)/", run.stdout.readline())
            assert address
            client = http.client.HTTPConnection("127.0.0.1", int(address[1]))
            client.request("POST", "/align", json.dumps({"source": "He died.", "target": "He passed away."}))
            answer = client.getresponse()
            assert answer.status == 200 and json.loads(answer.read())["words"]
        finally:
            run.kill()
