"""The folder of a trained aligner: ``model.json`` describes it, and safetensors files hold its weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.storage.saved_models import (
    CARD,
    not_as_saved,
    part_folder,
    read_bound,
    write_model_files,
)
from forest_align.types import ModelError
from forest_align.types.json_fields import LARGEST_WEIGHT


@cache
def bundled_models() -> dict[str, str]:
    """The models that come with the package: the kind of aligner for each name."""
    with as_file(files("forest_align.aligners") / "models") as models:
        folders = sorted(path.parent for path in models.glob(f"*/{CARD}"))
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
    """Read ``model.json``."""
    try:
        card = json.loads((Path(folder) / CARD).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ModelError(f"no model in {str(folder)!r}: it holds no file {CARD}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"no model in {str(folder)!r}: {CARD} cannot be read ({error})") from None
    if not isinstance(card, dict) or not isinstance(card.get("format"), str):
        raise ModelError(f"{str(Path(folder) / CARD)!r} does not describe a model: it has no format")
    return card


def damaged(folder: str | Path, error: object) -> ModelError:
    """The error for a description that has the right kind and version but cannot be used."""
    return ModelError(f"the description {str(Path(folder) / CARD)!r} is damaged: {error}")


def write_card(folder: str | Path, card: Mapping[str, Any]) -> None:
    """Write ``model.json``; create the folder if it is missing."""
    write_model_files(Path(folder), card, {})


def _arrays(path: Path, content: bytes, names: Iterable[str]) -> dict[str, np.ndarray]:
    """The arrays of a file of weights."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(content)
    # Number types that numpy lacks raise different errors, depending on the type.
    except (ValueError, TypeError, AttributeError, KeyError, SafetensorError) as error:
        raise ModelError(f"cannot read the weights in {str(path)!r}: {error}") from None
    if missing := set(names) - arrays.keys():
        raise ModelError(f"the weights in {str(path)!r} lack {', '.join(sorted(missing))}")
    return arrays


def check_arrays(
    arrays: Mapping[str, np.ndarray], shapes: Mapping[str, Sequence[int | str]], path: Path
) -> None:
    """Check shapes (a name stands for any size, the same at each use), and that weights are finite."""
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


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """What is in the folder of a kind of model, and how it is written, read and checked."""

    # kind, version: The kind of model and the version of its format
    kind: str
    version: int
    file: str = ""  # Name of the file of the arrays; empty if there are none
    # Names and shapes of the arrays, see check_arrays
    shapes: Mapping[str, Sequence[int | str]] = field(default_factory=dict)
    # Names that define the meaning of the weights: features, classes
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def save(
        self,
        folder: str | Path,
        fields: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray] | None = None,
        parts: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a model into a folder, which is created if needed, in place of the model that is there.

        A kill or an error leaves the old model or the new one.
        """
        from safetensors.numpy import save

        lists = {name: list(values) for name, values in self.lists.items()}
        card = {"format": self.kind, "version": self.version, **fields, **lists}
        files = {}
        if self.file:
            named = (arrays or {}).items()
            files[self.file] = save({name: np.ascontiguousarray(array) for name, array in named})
        saving = {name: part.save for name, part in (parts or {}).items()}
        write_model_files(Path(folder), card, files, saving)

    def card(self, folder: str | Path) -> dict[str, Any]:
        """Read ``model.json``, and check its kind and version."""
        card = read_card(folder)
        if (card["format"], card.get("version")) != (self.kind, self.version):
            raise ModelError(
                f"expected a model of the {self.kind} aligner, version {self.version}, in {str(folder)!r}, "
                f"found one of {card['format']!r}, version {card.get('version')!r}"
            )
        return card

    def load(self, folder: str | Path) -> SavedModel:
        """Read a folder."""
        folder = Path(folder)
        card = self.card(folder)
        for name, expected in self.lists.items():
            if name not in card:
                raise ModelError(
                    f"the options of the model in {str(folder)!r} ask for {name}, "
                    "which does not fit model.json"
                )
            if card[name] != list(expected):
                raise ModelError(f"the model in {str(folder)!r} has other {name} than this version computes")
        if not self.file:
            return SavedModel(folder, card, folder / CARD, {})
        path, content, as_saved = read_bound(folder, card, self.file)
        arrays = _arrays(path, content, self.shapes)
        check_arrays(arrays, self.shapes, path)
        if not as_saved:
            raise not_as_saved(folder, path)
        return SavedModel(folder, card, path, {name: arrays[name] for name in self.shapes})


@dataclass(frozen=True, slots=True, eq=False)
class SavedModel:
    """A model's folder as :meth:`ModelFormat.load` has read it."""

    folder: Path
    card: dict[str, Any]
    path: Path  # The file of the arrays, for messages
    arrays: dict[str, np.ndarray]

    def notes(self, name: str = "card") -> dict[str, Any]:
        """The notes of a description, written for people; empty if they are damaged."""
        notes = self.card.get(name)
        return dict(notes) if isinstance(notes, dict) else {}

    def part(self, name: str) -> Path | None:
        """The folder of a model that is part of this one; None if there is no such part."""
        return part_folder(self.folder, self.card, name)
