"""Run the code of a notebook and store what it prints, without Jupyter.

Usage::

    python tools/run_notebook.py examples/teaching.ipynb

All code cells share one namespace, and run in the folder of the notebook. The output of a cell is what it
prints, and the value of its last line as text. Cells with magic commands do not run here.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forest_align.system.replacing import replacing


def run_notebook(path: Path) -> dict[str, Any]:
    """The content of a notebook (nbformat 4) with the outputs of a fresh run."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    with contextlib.chdir(path.parent):
        for place, cell in enumerate(notebook["cells"], 1):
            if cell["cell_type"] == "code":
                number += 1
                cell["execution_count"] = number
                try:
                    cell["outputs"] = _outputs("".join(cell["source"]), names, number)
                except Exception as error:
                    error.add_note(f"in cell {place} of {path}")
                    raise
    return notebook


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell; what it prints, then the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        outputs.append(
            {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def text_of(notebook: dict[str, Any]) -> str:
    """A notebook as its file has it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + os.linesep


def main(argv: Sequence[str] | None = None) -> None:
    """Run notebooks and write them back."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    for path in parser.parse_args(argv).notebooks:
        text = text_of(run_notebook(path))
        with replacing(path, text=True) as out:
            out.write(text)


if __name__ == "__main__":
    main()
