from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_notebook import main, run_notebook


def notebook(path: Path, *sources: str) -> Path:
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}]
    for source in sources:
        cells.append(
            {
                "cell_type": "code",
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                "source": source.splitlines(keepends=True),
            }
        )
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    return path


def test_cells_share_names_and_keep_what_they_print_and_give(tmp_path: Path) -> None:
    path = notebook(
        tmp_path / "a.ipynb",
        "from pathlib import Path\nx = 1",
        "print('é')\nprint(x)\nx + 1",
        "x = 2;",
        "None",
    )
    (tmp_path / "here.txt").touch()
    title, first, second, third, fourth = run_notebook(path)["cells"]
    assert "outputs" not in title
    assert [first["outputs"], third["outputs"], fourth["outputs"]] == [[], [], []]
    printed, given = second["outputs"]
    assert printed["text"] == ["é\n", "1\n"]
    assert given["data"] == {"text/plain": ["2"]}
    assert (second["execution_count"], given["execution_count"]) == (2, 2)


def test_code_runs_in_the_folder_of_the_notebook(tmp_path: Path) -> None:
    path = notebook(tmp_path / "a.ipynb", "import os\nos.listdir()")
    _, cell = run_notebook(path)["cells"]
    assert cell["outputs"][0]["data"]["text/plain"] == ["['a.ipynb']"]


def test_an_error_names_its_cell_and_leaves_the_file(tmp_path: Path) -> None:
    path = notebook(tmp_path / "a.ipynb", "x = 1", "1 / 0")
    before = path.read_text(encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as caught:
        main([str(path)])
    assert caught.value.__notes__ == [f"in cell 3 of {path}"]
    assert path.read_text(encoding="utf-8") == before
