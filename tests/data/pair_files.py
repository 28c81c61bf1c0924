"""Small files of pairs, and what is read from them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.types import InputError


def good(items: Iterable[SentencePair | InputError]) -> list[SentencePair]:
    """The pairs, none of which may be broken."""
    pairs = list(items)
    assert all(isinstance(pair, SentencePair) for pair in pairs), pairs
    return pairs  # type: ignore[return-value]


def written(path: Path, content: str | bytes) -> Path:
    """The path of a file with this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(
    folder: Path,
    content: str | bytes,
    format: str | None = None,
    *,
    name: str = "file",
    **options: object,
) -> list[SentencePair | InputError]:
    """The pairs of a file with this content, and errors in place of broken ones."""
    return list(read_pairs(written(folder / name, content), format, **options))  # type: ignore[arg-type]
