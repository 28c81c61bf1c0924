"""Finds the pairs of SPADE in the folder of its distribution, by part and whatever the files' exact names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from forest_align.data.formats.format import SentencePair
from forest_align.data.formats.spade import read_sides
from forest_align.types import InputError

#: Parts of the corpus, and the beginnings of the names that mean them.
PARTS = ("dev", "test")
_SIDES = {
    **dict.fromkeys(("s", "src", "source", "sources"), 0),
    **dict.fromkeys(("t", "tgt", "trg", "target", "targets"), 1),
}
_BETWEEN = re.compile(r"[-_.]")


def files_of_part(folder: Path, part: str) -> list[tuple[Path, Path]]:
    """The files of source and target of each pair of one part (:data:`PARTS`), in order of their names.

    The folder is searched with all folders in it for ``.xml`` files, gzipped or not. One word of a file's
    path, such as a folder or what stands before the first dash, begins with the name of the part (``dev``,
    ``development``, ``SPADE_test``). Another one says which side it is (``s``, ``source``, ``t``, ``tgt``).
    Source and target differ in this word alone. Raises InputError if the part has no pairs, or names the file
    without partner.
    """
    sides: dict[tuple[str, ...], list[Path | None]] = {}
    for path in sorted([*folder.rglob("*.xml"), *folder.rglob("*.xml.gz")]):
        words = _words(path, folder)
        place = next((k for k in reversed(range(len(words))) if words[k] in _SIDES), None)
        if place is None or _part(words) != part:
            continue
        key = (*words[:place], "", *words[place + 1 :])
        sides.setdefault(key, [None, None])[_SIDES[words[place]]] = path
    found = []
    for source, target in sides.values():
        if source is None or target is None:
            other = "target" if target is None else "source"
            raise InputError(f"expected a file of the {other} beside it", file=str(source or target))
        found.append((source, target))
    if not found:
        expected = f"expected s-NAME.xml and t-NAME.xml files in a folder {part!r}"
        raise InputError(f"{expected}; is --data the folder of SPADE?", file=str(folder))
    return found


def read_files(source: Path, target: Path) -> Iterator[SentencePair | InputError]:
    """Yield the pairs of two files; see :func:`forest_align.data.formats.spade.read`."""
    words = [word for word in _words(source, source.parent)[1:] if word not in ("xml", "gz")]
    name = "-".join(word for word in words if word not in _SIDES) or source.stem
    return read_sides(source, target, name)


def _words(path: Path, folder: Path) -> list[str]:
    """The words of a path, from the name of the folder on, in small letters."""
    parts = (folder.resolve().name, *path.relative_to(folder).parts)
    return [word for part in parts for word in _BETWEEN.split(part.lower()) if word]


def _part(words: list[str]) -> str | None:
    """The part that the last telling word of a path means."""
    return next((part for word in reversed(words) for part in PARTS if word.startswith(part)), None)
