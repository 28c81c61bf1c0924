"""The folder of a trained aligner: ``model.json`` says what it is, safetensors beside it hold its weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.types import ModelError

_CARD = "model.json"


def bundled_folder(name: str) -> AbstractContextManager[Path]:
    """The folder of a model that comes with the package, while the context lasts."""
    return as_file(files("forest_align.aligners") / "models" / name)


def read_card(folder: str | Path) -> dict[str, Any]:
    """Read ``model.json``.

    Raises
    ------
    ModelError
        If there is no such file, or it describes no model.
    """
    try:
        card = json.loads((Path(folder) / _CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"no model in {str(folder)!r}: {error}") from None
    if not isinstance(card, dict) or not isinstance(card.get("format"), str):
        raise ModelError(f"{str(Path(folder) / _CARD)!r} does not describe a model")
    return card


def check_card(
    card: Mapping[str, Any], folder: str | Path, kind: str, version: int, **lists: Sequence[str]
) -> None:
    """Make sure that a model is of a kind of aligner, of a version of its format, and of the same features.

    Parameters
    ----------
    card : mapping
        What :func:`read_card` has read.
    folder : str or Path
        Where it is from, for messages.
    kind, version : str, int
        What it should be.
    **lists : sequence of str
        Names that say what the weights mean: features, classes.

    Raises
    ------
    ModelError
        If it is another one.
    """
    found = card["format"], card.get("version")
    if found != (kind, version):
        raise ModelError(
            f"expected a model of the {kind} aligner, version {version}, in {str(folder)!r}, "
            f"found one of {found[0]!r}, version {found[1]!r}"
        )
    for name, expected in lists.items():
        if card.get(name) != list(expected):
            raise ModelError(f"the model in {str(folder)!r} has other {name} than this version computes")


def write_card(folder: str | Path, card: Mapping[str, Any]) -> None:
    """Write ``model.json``; the folder is made if it is not there.

    Raises
    ------
    ValueError
        If a number is not finite: JSON has none such. Nothing is written then.
    """
    text = json.dumps(card, indent=1, ensure_ascii=False, allow_nan=False)
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / _CARD).write_text(text + "\n", encoding="utf-8")


def read_weights(path: Path, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Read the arrays of a model.

    Raises
    ------
    ModelError
        If the file is missing or damaged, or lacks an array of these names.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
    except (OSError, ValueError, SafetensorError) as error:
        raise ModelError(f"cannot read the weights in {str(path)!r}: {error}") from None
    if missing := set(names) - arrays.keys():
        raise ModelError(f"the weights in {str(path)!r} lack {', '.join(sorted(missing))}")
    return arrays
