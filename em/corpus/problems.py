"""Describes what is wrong with a sentence pair of a corpus, with its file and line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from forest_align.alignment import Links
from forest_align.parsing.forests.given_trees import with_given_trees
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.data.formats.format import SentencePair


def problem_of(pair: SentencePair, error: object) -> str:
    """Why a pair cannot be used: its file and line if known, its name, and the error."""
    return str(pair.located(InputError(f"pair {pair.id!r}: {error}")))


def with_gold(
    pairs: Iterable[SentencePair | InputError], *, trees: bool = False
) -> list[SentencePair | InputError]:
    """Check that pairs can be scored, before they are parsed.

    Parameters
    ----------
    pairs : iterable of SentencePair or InputError
        From :func:`forest_align.data.pairs.read_pairs`.
    trees : bool
        Whether pairs are scored by gold trees, not by gold links. Their words are then those of the trees,
        and pairs without links get an empty set.

    Returns
    -------
    list of SentencePair or InputError
        The pairs; each pair without gold is replaced by an error. An empty list of links is valid gold.

    Raises
    ------
    InputError
        If there are pairs but none of them has gold; the error names the first.
    """
    found: list[SentencePair | InputError] = []
    lacking: list[InputError] = []
    for pair in pairs:
        try:
            found.append(pair if isinstance(pair, InputError) else _with_gold(pair, trees))
        except InputError as error:
            lacking.append(error)
            found.append(error)
    if lacking and all(isinstance(pair, InputError) for pair in found):
        raise lacking[0]
    return found


def _with_gold(pair: SentencePair, trees: bool) -> SentencePair:
    if not trees:
        if pair.links is None:
            raise pair.located(InputError(f"dev pair {pair.id!r} has no gold links"))
        return pair
    if not (pair.source_trees and pair.target_trees):
        raise pair.located(InputError(f"dev pair {pair.id!r} has no gold trees"))
    try:
        sides = with_given_trees(pair)
    except InputError as error:
        raise InputError(problem_of(pair, error)) from None
    source, target = (Sentence.from_words(side.words) for side in sides)
    return replace(pair, source=source, target=target, links=pair.links or Links())
