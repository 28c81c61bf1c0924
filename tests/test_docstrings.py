"""The examples of docstrings are run, so that they stay true."""

from __future__ import annotations

import doctest
import importlib

import pytest

from .places import ROOT

FOLDERS = ("forest_align", "em", "eval", "data")


def modules_with_examples() -> list[str]:
    """Dotted names of the modules in which a docstring has an example."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(ROOT).with_suffix("").parts
                found.append(".".join(parts if parts[0] == "forest_align" else ("forest_align", *parts)))
    return found


@pytest.mark.parametrize("name", modules_with_examples())
def test_the_examples_of_a_module_give_what_they_show(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert not result.failed


def test_there_are_examples_to_run() -> None:
    assert "forest_align.aligners.loading" in modules_with_examples()


def test_a_wrong_example_fails() -> None:
    example = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None).failed == 1
