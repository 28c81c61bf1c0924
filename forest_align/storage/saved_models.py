"""The files of a model's folder: ``model.json`` is replaced last, and binds the others by their digests.

Each file has two names, such as ``weights.safetensors`` and ``weights.2.safetensors``. New content is written
under the name that the present ``model.json`` does not use, so a kill or a full disk at any moment leaves the
old model or the new one. In the end everything has its first name. A model that is part of another one has a
folder in its folder, with two names too.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from forest_align.system.replacing import CAN_LOCK, lock, write_atomically
from forest_align.types import InputError, ModelError
from forest_align.types.json_fields import format_json_object

CARD = "model.json"
#: Fields of ``model.json``: for each file or part its present name and the digest of its content.
_FILES, _PARTS = "files", "parts"
_SECOND = ".2"


def write_model_files(
    folder: Path,
    card: Mapping[str, Any],
    files: Mapping[str, bytes],
    parts: Mapping[str, Callable[[Path], object]] | None = None,
) -> None:
    """Write a model into a folder, which is created if needed, in place of the model that is there.

    ``card`` is the content of ``model.json``. Each of ``parts`` writes a part of the model to the folder it
    is called with. Raises ValueError, before anything is written, if a number is not finite.
    """
    format_json_object(card)
    folder.mkdir(parents=True, exist_ok=True)
    with _saving(folder):
        # New content goes to second names first. Once it is complete, it takes the first names.
        while not _write_beside(folder, card, files, parts or {}):
            pass


def _write_beside(
    folder: Path,
    card: Mapping[str, Any],
    files: Mapping[str, bytes],
    parts: Mapping[str, Callable[[Path], object]],
) -> bool:
    """Write a model under the names that the present one does not use; whether all are first names."""
    before = _present(folder)
    named: dict[str, dict[str, Any]] = {_FILES: {}, _PARTS: {}}
    for name, content in files.items():
        digest, used = _digest(content), before[_FILES].get(name)
        if used != name or not _holds(folder / name, digest):
            used = _second(name) if used == name else name
            write_atomically(folder / used, content)
        named[_FILES][name] = {"file": used, "sha256": digest}
    for name, save in parts.items():
        used = _second(name) if before[_PARTS].get(name) == name else name
        save(folder / used)
        digest = _digest((folder / used / CARD).read_bytes())
        if used != name and _holds(folder / name / CARD, digest):
            used = name
        named[_PARTS][name] = {"folder": used, "sha256": digest}
    bound = {**card, **{field: entries for field, entries in named.items() if entries}}
    write_atomically(folder / CARD, (format_json_object(bound, indent=1) + "\n").encode())
    now = _present(folder)
    # Remove what the card before used, and what an interrupted save has left, unless it is used now.
    for field, remove in ((_FILES, _remove_file), (_PARTS, _remove_part)):
        for name in {*before[field], *now[field]}:
            for unused in {name, _second(name)} - {now[field].get(name)}:
                remove(folder / unused)
    return all(used == name for names in now.values() for name, used in names.items())


def read_bound(folder: Path, card: Mapping[str, Any], name: str) -> tuple[Path, bytes, bool]:
    """Read a file of a model; return its path, its bytes, and whether they were saved with the card.

    Raises ModelError if ``model.json`` has no digest of the file, or the file cannot be read.
    """
    used, digest = _entry(folder, card, _FILES, name)
    path = folder / used
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read the weights in {str(path)!r}: {error}") from None
    return path, content, _digest(content) == digest


def part_folder(folder: Path, card: Mapping[str, Any], name: str) -> Path | None:
    """The folder of a model that is part of another one; None if there is no such part.

    Raises ModelError if the part was not saved with the model.
    """
    parts = card.get(_PARTS)
    if parts is None or (isinstance(parts, dict) and name not in parts):
        return None
    used, digest = _entry(folder, card, _PARTS, name)
    if not _holds(folder / used / CARD, digest):
        raise not_as_saved(folder, folder / used)
    return folder / used


def not_as_saved(folder: Path, path: Path) -> ModelError:
    """The error for a file or part that was not saved with the ``model.json`` of its folder."""
    return ModelError(
        f"{str(path)!r} is not what {str(folder / CARD)!r} was saved with: its digest is another one; "
        "save or copy the whole folder again"
    )


@contextmanager
def lock_model(folder: Path) -> Iterator[None]:
    """Keep other processes from training a model in the same folder; next to it lies ``NAME.lock`` meanwhile.

    Raises InputError if another process trains it.
    """
    if not CAN_LOCK:
        yield
        return
    path = folder.with_name(f"{folder.name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if (locked := lock(file)) is False:
            os.close(file)
            raise InputError("another process is training a model there", file=str(folder))
        with suppress(FileNotFoundError):  # whoever held it has just removed it
            if locked is None or os.path.samestat(os.stat(path), os.fstat(file)):
                break
        os.close(file)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(file)


@contextmanager
def _saving(folder: Path) -> Iterator[None]:
    """Wait until no other process saves a model into a folder."""
    if not CAN_LOCK:
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        lock(opened, wait=True)
        yield
    finally:
        os.close(opened)


def _present(folder: Path) -> dict[str, dict[str, str]]:
    """The names that the present card uses, by field; none if there is no card that can be read."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        card = None
    present: dict[str, dict[str, str]] = {_FILES: {}, _PARTS: {}}
    for field, names in present.items():
        entries = card.get(field) if isinstance(card, dict) else None
        for name in entries if isinstance(entries, dict) else ():
            with suppress(ModelError):
                names[name] = _entry(folder, card, field, name)[0]
    return present


def _entry(folder: Path, card: Mapping[str, Any], field: str, name: str) -> tuple[str, str]:
    """The present name of a file or part, and its digest."""
    entries = card.get(field)
    entry = entries.get(name) if isinstance(entries, dict) else None
    kind = "file" if field == _FILES else "folder"
    used, digest = (entry.get(key) if isinstance(entry, dict) else None for key in (kind, "sha256"))
    if used not in (name, _second(name)) or not isinstance(digest, str):
        raise ModelError(
            f"{str(folder / CARD)!r} names no {kind} and digest of {name}: it is damaged, or too old"
        )
    return used, digest


def _second(name: str) -> str:
    stem, dot, suffix = name.partition(".")
    return f"{stem}{_SECOND}{dot}{suffix}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _holds(path: Path, digest: str) -> bool:
    try:
        return _digest(path.read_bytes()) == digest
    except OSError:
        return False


def _remove_file(path: Path) -> None:
    path.unlink(missing_ok=True)


def _remove_part(folder: Path) -> None:
    if (folder / CARD).is_file():
        for used in _present(folder)[_FILES].values():
            _remove_file(folder / used)
        _remove_file(folder / CARD)
        if not any(folder.iterdir()):
            folder.rmdir()
