"""The script that makes all bundled models, with programs that only write down how they are called."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from ..places import ROOT

SCRIPT = ROOT / "tools" / "rebuild_models.sh"
STEPS = re.findall(r"^step ([a-z0-9-]+) ", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
ALIGNMENT = ("mtref/dev.tsv", "wiki/dev.tsv", "edinburgh/train.sure.json", "msr_rte/dev.majority.json")

# Makes each folder of OUT that an argument names, with a file in it, and fails where one holds $FAIL.
STUB = """#!/bin/sh
printf '%s' "${0##*/}" >> "$CALLS"
for word; do
    printf ' %s' "'$word'" >> "$CALLS"
    case $word in
        "$OUT"/*.*) ;;
        "$OUT"/*) mkdir -p "$word" 2>&- && echo new > "$word/made" ;;
    esac
    case $word in *"${FAIL:-nothing fails}"*) failed=1 ;; esac
done
echo >> "$CALLS"
exit ${failed:-0}
"""


class Rebuild:
    """The script in a folder of its own, with data of next to no size."""

    def __init__(self, folder: Path) -> None:
        self.out, self._data, self._calls = folder / "out", folder / "data", folder / "calls"
        for name in ALIGNMENT:
            (self._data / "alignment" / name).parent.mkdir(parents=True)
            (self._data / "alignment" / name).write_text("one\ntwo\n", encoding="utf-8")
        programs = folder / "bin"
        programs.mkdir()
        for name in ("python", "forest-align"):
            (programs / name).write_text(STUB, encoding="utf-8")
            (programs / name).chmod(0o755)
        self._path = f"{programs}{os.pathsep}{os.environ['PATH']}"

    def __call__(self, *steps: str, fail: str = "") -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": self._path, "CALLS": str(self._calls), "OUT": str(self.out)}
        environment |= {"FAIL": fail} if fail else {}
        self._calls.write_text("", encoding="utf-8")
        command = ["sh", str(SCRIPT), str(self._data), str(self.out), *steps]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    @property
    def calls(self) -> list[list[str]]:
        """The commands of the last run, as lists of words."""
        return [shlex.split(line) for line in self._calls.read_text(encoding="utf-8").splitlines()]

    def done(self) -> set[str]:
        """The steps that left a marker."""
        return {path.stem for path in (self.out / "steps").glob("*.done")}


@pytest.fixture
def rebuild(tmp_path: Path) -> Rebuild:
    return Rebuild(tmp_path)


def help_of(command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What the program of a command says for ``--help``."""
    program, *words = command
    with warnings.catch_warnings(), pytest.raises(SystemExit) as stop:
        warnings.simplefilter("ignore")  # a module that was imported before is run again
        if program == "forest-align":
            names = words[: 2 if words[0] == "train" else 1]
            monkeypatch.setattr(sys, "argv", ["forest-align", *names, "--help"])
            runpy.run_module("forest_align", run_name="__main__")
        monkeypatch.setattr(sys, "argv", [words[1], *(words[2:3] if words[0] == "-m" else ()), "--help"])
        if words[0] == "-m":
            runpy.run_module(words[1], run_name="__main__")
        monkeypatch.syspath_prepend(str(Path(words[0]).parent))
        runpy.run_path(words[0], run_name="__main__")
    assert stop.value.code == 0, command
    return capsys.readouterr().out


def unknown_options(command: list[str], text: str) -> list[str]:
    """The options of a command that its help does not name."""
    options = [word for word in command[3:] if re.match("--?[a-z]", word)]
    return [option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", text)]


def test_every_program_and_option_of_the_script_exists(
    rebuild: Rebuild, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = rebuild()
    assert done.returncode == 0, done.stderr
    helps: dict[str, str] = {}
    for command in (call for call in rebuild.calls if call[1] != "-c"):
        name = " ".join(command[: {"-m": 4, "train": 3}.get(command[1], 2)])
        if name not in helps:
            helps[name] = help_of(command, monkeypatch, capsys)
        assert unknown_options(command, helps[name]) == [], command
    assert len(helps) > 10


def test_steps_that_are_done_are_skipped_and_a_failed_one_is_run_again(rebuild: Rebuild) -> None:
    broken = rebuild(fail="tools/build_word_vectors.py")
    before = STEPS[: STEPS.index("vectors")]
    assert broken.returncode == 1 and "vectors: failed with status 1" in broken.stderr
    assert rebuild.done() == set(before)
    assert rebuild(fail="").returncode == 0
    assert rebuild.calls[0][1].endswith("tools/build_word_vectors.py")
    assert rebuild.done() == set(STEPS)
    times = (rebuild.out / "steps" / "times.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in times] == STEPS
    assert all(line.split("\t")[1].isdigit() for line in times)
    again = rebuild()
    assert rebuild.calls == [] and again.stdout.count("skipped, done before") == len(STEPS)
    (rebuild.out / "steps" / "joint.done").unlink()
    rebuild()
    assert [call[:3] for call in rebuild.calls] == [
        ["forest-align", "train", "joint"],
        ["python", "-m", "forest_align.em.recipes"],
    ]


def test_later_steps_read_what_was_made_and_the_source_tree_stays(rebuild: Rebuild) -> None:
    rebuild("contextual")
    package = rebuild.out / "package" / "forest_align"
    made = package / "aligners" / "models" / "contextual" / "made"
    assert made.read_text(encoding="utf-8") == "new\n" and not made.is_symlink()
    bundled = ROOT / "forest_align" / "aligners" / "models" / "contextual"
    assert not (bundled / "made").exists()
    assert (package / "em" / "contextual" / "training.py").resolve() == ROOT / "em/contextual/training.py"
    rebuild("joint")  # a later run makes the links again
    assert made.read_text(encoding="utf-8") == "new\n"
    code = "import forest_align.aligners.loading as loading; print(loading.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        cwd=package.parent,
        capture_output=True,
        text=True,
    )
    assert found.stdout.strip() == str(package / "aligners" / "loading.py"), found.stderr


def test_the_page_has_every_step() -> None:
    text = (ROOT / "docs" / "background" / "rebuilding.md").read_text(encoding="utf-8")
    steps = text.split("\n## Steps\n")[1].split("\nThe last five steps")[0]
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", steps, re.MULTILINE) == STEPS
