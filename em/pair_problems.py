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


def check_gold(
    pairs: Iterable[SentencePair | InputError], *, trees: bool = False
) -> list[SentencePair | InputError]:
    """Make sure, before they are parsed, that pairs can be scored.

    Parameters
    ----------
    pairs : iterable of SentencePair or InputError
        From :func:`forest_align.data.pairs.read_pairs`.
    trees : bool
        Whether they are scored by gold trees, not by gold links.

    Returns
    -------
    list of SentencePair or InputError
        The pairs, with an error in the place of each that has no gold. No link is gold, too, if a pair says
        so.

    Raises
    ------
    InputError
        If there are pairs and none of them has gold: names the first.
    """
    lacking: list[InputError] = []
    found: list[SentencePair | InputError] = []
    has_gold = False
    for pair in pairs:
        if isinstance(pair, InputError):
            found.append(pair)
        elif (pair.source_trees and pair.target_trees) if trees else pair.links is not None:
            found.append(pair)
            has_gold = True
        else:
            what = "trees" if trees else "links"
            lacking.append(pair.located(InputError(f"dev pair {pair.id!r} has no gold {what}")))
            found.append(lacking[-1])
    if lacking and not has_gold:
        raise lacking[0]
    return found
