"""The folder of a trained aligner: ``model.json`` describes it, and safetensors files hold its weights."""

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
from forest_align.types.weight_bounds import LARGEST_WEIGHT

_CARD = "model.json"


@cache
def bundled_models() -> dict[str, str]:
    """The models that come with the package: the kind of aligner for each name."""
    with as_file(files("forest_align.aligners") / "models") as models:
        folders = sorted(path.parent for path in models.glob(f"*/{_CARD}"))
        return {folder.name: read_card(folder)["format"] for folder in folders}


def bundled_folder(name: str) -> AbstractContextManager[Path]:
    """The folder of a model that comes with the package; valid inside the context."""
    return as_file(files("forest_align.aligners") / "models" / name)


def model_folder(name_or_path: str | Path) -> AbstractContextManager[Path]:
    """The folder of a bundled model by its name, or a folder of the user; valid inside the context."""
    if (name := str(name_or_path)) in bundled_models():
        return bundled_folder(name)
    return nullcontext(Path(name_or_path))


def read_card(folder: str | Path) -> dict[str, Any]:
    """Read ``model.json``.

    Raises
    ------
    ModelError
        If the file is missing or does not describe a model.
    """
    try:
        card = json.loads((Path(folder) / _CARD).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ModelError(f"no model in {str(folder)!r}: it holds no file {_CARD}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"no model in {str(folder)!r}: {_CARD} cannot be read ({error})") from None
    if not isinstance(card, dict) or not isinstance(card.get("format"), str):
        raise ModelError(f"{str(Path(folder) / _CARD)!r} does not describe a model: it has no format")
    return card


def check_card(
    card: Mapping[str, Any], folder: str | Path, kind: str, version: int, **lists: Sequence[str]
) -> None:
    """Check that a model has the expected kind of aligner, format version and features.

    Parameters
    ----------
    card : mapping
        Result of :func:`read_card`.
    folder : str or Path
        Folder of the model, for messages.
    kind, version : str, int
        Expected kind of aligner and version of its format.
    **lists : sequence of str
        Names that define the meaning of the weights: features, classes.

    Raises
    ------
    ModelError
        If something differs.
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
    """The error for a description that has the right kind and version but cannot be used."""
    return ModelError(f"the description {str(Path(folder) / _CARD)!r} is damaged: {error}")


def notes_of(card: Mapping[str, Any], name: str = "card") -> dict[str, Any]:
    """The notes of a description, written for people; empty if they are damaged."""
    found = card.get(name)
    return dict(found) if isinstance(found, dict) else {}


def write_card(folder: str | Path, card: Mapping[str, Any]) -> None:
    """Write ``model.json``; create the folder if it is missing.

    Raises
    ------
    ValueError
        If a number is not finite, which JSON cannot express. Nothing is written then.
    """
    write_model(folder, card)


def write_model(
    folder: str | Path,
    card: Mapping[str, Any],
    file: str = "",
    arrays: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write ``model.json``, and weights into a safetensors file beside it; create the folder if needed.

    Raises
    ------
    ValueError
        If a number of the description is not finite, which JSON cannot express. Nothing is written then.
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
    # Number types that numpy lacks raise a TypeError or an AttributeError, depending on the type.
    except (OSError, ValueError, TypeError, AttributeError, SafetensorError) as error:
        raise ModelError(f"cannot read the weights in {str(path)!r}: {error}") from None
    if missing := set(names) - arrays.keys():
        raise ModelError(f"the weights in {str(path)!r} lack {', '.join(sorted(missing))}")
    return arrays


def check_arrays(
    arrays: Mapping[str, np.ndarray], shapes: Mapping[str, Sequence[int | str]], path: Path
) -> None:
    """Check that arrays have the expected shapes, and weights that are finite and not too large.

    Parameters
    ----------
    arrays : mapping of str to numpy.ndarray
        Result of :func:`read_weights`.
    shapes : mapping of str to sequence
        The expected shape of each. A name instead of a size allows any size, the same for each use of it.
    path : Path
        The file, for messages.

    Raises
    ------
    ModelError
        If an array has another shape or numbers of another kind, or a weight is NaN or too large.
    """
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        found = arrays[name].shape
        for part, size in zip(shape, found, strict=False):
            if isinstance(part, str):
                sizes.setdefault(part, size)
        expected = tuple(sizes.get(part, part) if isinstance(part, str) else part for part in shape)
        if found != expected:
            raise ModelError(f"expected weights {name} of shape {expected} in {str(path)!r}, found {found}")
        # NaN is not below anything. Bytes, which hold names, are of any size.
        kind = arrays[name].dtype.kind
        if kind != "u" and not (kind == "f" and (np.abs(arrays[name]) <= LARGEST_WEIGHT).all()):
            raise ModelError(
                f"expected weights {name} that are finite and within ±{LARGEST_WEIGHT:.0f} in {str(path)!r}"
            )
