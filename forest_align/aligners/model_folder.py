"""The folder of a trained aligner: ``model.json`` says what it is, safetensors beside it hold its weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.types import ModelError
from forest_align.types.json_fields import format_json_object

_CARD = "model.json"


@cache
def bundled_models() -> dict[str, str]:
    """The models that come with the package, by name: the kind of aligner that each is for."""
    with as_file(files("forest_align.aligners") / "models") as models:
        folders = sorted(path.parent for path in models.glob(f"*/{_CARD}"))
        return {folder.name: read_card(folder)["format"] for folder in folders}


def bundled_folder(name: str) -> AbstractContextManager[Path]:
    """The folder of a model that comes with the package, while the context lasts."""
    return as_file(files("forest_align.aligners") / "models" / name)


def model_folder(name_or_path: str | Path) -> AbstractContextManager[Path]:
    """The folder of a bundled model by its name, or a folder of the user's, while the context lasts."""
    if (name := str(name_or_path)) in bundled_models():
        return bundled_folder(name)
    return nullcontext(Path(name_or_path))


def read_card(folder: str | Path) -> dict[str, Any]:
    """Read ``model.json``.

    Raises
    ------
    ModelError
        If there is no such file, or it describes no model.
    """
    try:
        card = json.loads((Path(folder) / _CARD).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ModelError(f"no model in {str(folder)!r}: it holds no file {_CARD}") from None
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


def damaged(folder: str | Path, error: object) -> ModelError:
    """The error of a description that has the right kind and version, and yet cannot be used."""
    return ModelError(f"the description {str(Path(folder) / _CARD)!r} is damaged: {error}")


def notes_of(card: Mapping[str, Any], name: str = "card") -> dict[str, Any]:
    """What a description says for people; nothing if it is damaged."""
    found = card.get(name)
    return dict(found) if isinstance(found, dict) else {}


def write_card(folder: str | Path, card: Mapping[str, Any]) -> None:
    """Write ``model.json``; the folder is made if it is not there.

    Raises
    ------
    ValueError
        If a number is not finite: JSON has none such. Nothing is written then.
    """
    write_model(folder, card)


def write_model(
    folder: str | Path,
    card: Mapping[str, Any],
    file: str = "",
    arrays: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write ``model.json``, and weights into a safetensors file beside it; the folder is made if need be.

    Raises
    ------
    ValueError
        If a number of the description is not finite: JSON has none such. Nothing is written then.
    """
    from safetensors.numpy import save

    text = format_json_object(card, indent=1)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if arrays is not None:
        (folder / file).write_bytes(save({name: np.ascontiguousarray(one) for name, one in arrays.items()}))
    (folder / _CARD).write_text(text + "\n", encoding="utf-8")


def read_weights(path: Path, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Read the arrays of a model.

    Raises
    ------
    ModelError
        If the file is missing or damaged, holds numbers of a type that numpy lacks, or lacks an array.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
    # Some of the types of numbers that numpy lacks are a TypeError, others an AttributeError.
    except (OSError, ValueError, TypeError, AttributeError, SafetensorError) as error:
        raise ModelError(f"cannot read the weights in {str(path)!r}: {error}") from None
    if missing := set(names) - arrays.keys():
        raise ModelError(f"the weights in {str(path)!r} lack {', '.join(sorted(missing))}")
    return arrays


def check_arrays(
    arrays: Mapping[str, np.ndarray], shapes: Mapping[str, Sequence[int | str]], folder: str | Path
) -> None:
    """Make sure that arrays have the shapes that they should have, and that their numbers are finite.

    Parameters
    ----------
    arrays : mapping of str to numpy.ndarray
        What :func:`read_weights` has read.
    shapes : mapping of str to sequence
        The shape of each. A name in the place of a size is any size, the same wherever it stands.
    folder : str or Path
        Where they are from, for messages.

    Raises
    ------
    ModelError
        If one has another shape, or a number that is none.
    """
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        found = arrays[name].shape
        for part, size in zip(shape, found, strict=False):
            if isinstance(part, str):
                sizes.setdefault(part, size)
        expected = tuple(sizes.get(part, part) if isinstance(part, str) else part for part in shape)
        if found != expected:
            raise ModelError(f"expected weights {name} of shape {expected} in {str(folder)!r}, found {found}")
        if not np.isfinite(arrays[name]).all():
            raise ModelError(f"expected weights {name} that are finite in {str(folder)!r}")
