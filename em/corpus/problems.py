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


#: What a corpus may say about its pairs that a result can be scored by.
GOLD = ("links", "trees", "phrases")


def with_gold(
    pairs: Iterable[SentencePair | InputError], gold: str = "links"
) -> list[SentencePair | InputError]:
    """Check that pairs can be scored, before they are parsed."""
    pairs = list(pairs)
    found: list[SentencePair | InputError] = []
    lacking: list[InputError] = []
    annotators = max((len(pair.annotations) for pair in pairs if not isinstance(pair, InputError)), default=0)
    for pair in pairs:
        try:
            found.append(pair if isinstance(pair, InputError) else _with_gold(pair, gold, annotators))
        except InputError as error:
            lacking.append(error)
            found.append(error)
    if lacking and all(isinstance(pair, InputError) for pair in found):
        raise lacking[0]
    return found


def _with_gold(pair: SentencePair, gold: str, annotators: int) -> SentencePair:
    if gold == "links":
        if pair.links is None:
            raise pair.located(InputError(f"dev pair {pair.id!r} has no gold links"))
        return pair
    enju = pair.source_enju is not None and pair.target_enju is not None
    if gold == "trees" and not (enju or (pair.source_trees and pair.target_trees)):
        raise pair.located(InputError(f"dev pair {pair.id!r} has no gold trees"))
    if gold == "phrases" and not pair.annotations:
        raise pair.located(InputError(f"dev pair {pair.id!r} has no phrases of annotators"))
    if gold == "phrases" and len(pair.annotations) != annotators:
        message = f"expected {annotators} annotators, as of other pairs, found {len(pair.annotations)}"
        raise pair.located(InputError(f"dev pair {pair.id!r}: {message}"))
    try:
        sides = with_given_trees(pair)
    except InputError as error:
        raise InputError(problem_of(pair, error)) from None
    source, target = (Sentence.from_words(side.words) for side in sides)
    return replace(pair, source=source, target=target, links=pair.links or Links())
