"""What is wrong with a sentence pair of a corpus, said with the file and line that it stands in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.data.pair_types import SentencePair


def problem_of(pair: SentencePair, error: object) -> str:
    """Why a pair cannot be used: its place, where that is known, its name and the error."""
    return str(pair.located(InputError(f"pair {pair.id!r}: {error}")))


def check_gold(pairs: Iterable[SentencePair]) -> None:
    """Make sure, before they are parsed, that pairs can be scored.

    Raises
    ------
    InputError
        If one has no gold links: names the first.
    """
    for pair in pairs:
        if pair.links is None:
            raise pair.located(InputError(f"dev pair {pair.id!r} has no gold links"))
