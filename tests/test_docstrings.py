"""The examples of docstrings are run, so that they stay true."""

from __future__ import annotations

import doctest
import importlib

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


def test_the_examples_of_modules_give_what_they_show() -> None:
    names = modules_with_examples()
    assert "forest_align.aligners.loading" in names
    results = {name: doctest.testmod(importlib.import_module(name)) for name in names}
    assert [name for name, result in results.items() if result.failed or not result.attempted] == []


def test_a_wrong_example_fails() -> None:
    example = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None).failed == 1
