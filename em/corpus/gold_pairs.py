"""Reads and parses sentence pairs with gold word links, for trainers that learn from such links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.alignment import Links
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.corpus.corpus import LazyParser, parser_fingerprint
from forest_align.em.corpus.parsed_pairs import ParsedPair, parse_pairs, prepare_pairs, problem_of
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.data.formats.format import SentencePair


@dataclass(frozen=True, slots=True)
class GoldPair:
    """Two parsed sentences and the gold links that were chosen."""

    source: Sentence
    target: Sentence
    links: Links


def read_gold_files(
    paths: Sequence[str], format: str | None = None, *, links: str = "sure"
) -> list[SentencePair | InputError]:
    """Read the pairs of files with gold links; a broken pair is replaced by its error.

    Parameters
    ----------
    paths : sequence of str
        The files.
    format : str, optional
        Their format; guessed by default.
    links : {"sure", "all"}
        Which gold links to use.

    Raises
    ------
    InputError
        If ``links`` is "sure" and a file has only possible links: it would teach that nothing aligns.
    """
    from forest_align.data.pairs import read_pairs

    found: list[SentencePair | InputError] = []
    for path in paths:
        pairs = list(read_pairs(path, format, tokenized=True))
        linked = [pair.links for pair in pairs if not isinstance(pair, InputError) and pair.links]
        if links == "sure" and linked and not any(map(Links.only_sure, linked)):
            message = "expected sure links, found possible ones alone: --links all learns from those, too"
            raise InputError(message, file=path)
        found += pairs
    return found


def read_gold_pairs(
    pairs: Iterable[SentencePair | InputError],
    *,
    parser: str = "en",
    cache: Path | None = None,
    links: str = "sure",
    whole: bool = False,
    report: Callable[[int], None] | None = None,
) -> tuple[list[GoldPair], list[str]]:
    """Parse the sentences of pairs with links."""
    wanted = [_with_wanted(pair, links) for pair in pairs]
    usable = [pair for pair in wanted if not isinstance(pair, InputError)]
    if usable and not any(pair.links for pair in usable):
        which = "sure gold link" if links == "sure" else "gold link"
        raise InputError(f"expected at least one {which} to learn from, found none")
    parsed = parse_pairs(
        wanted,
        LazyParser(parser, 1),
        ArrayStore(cache) if cache is not None else None,
        [parser_fingerprint(parser), 1],
        report=report,
    )

    def prepare(one: ParsedPair) -> GoldPair:
        assert one.pair.links is not None
        source, target = one.source, one.target
        if not whole:
            source, target = (replace(side, forest=None, vectors=None) for side in (source, target))
        return GoldPair(source, target, one.pair.links)

    return prepare_pairs(parsed, prepare)


def _with_wanted(pair: SentencePair | InputError, which: str) -> SentencePair | InputError:
    """The pair with the chosen links, or the reason why it cannot be used."""
    if isinstance(pair, InputError):
        return pair
    try:
        return replace(pair, links=_links(pair, which))
    except InputError as error:
        return InputError(problem_of(pair, error))


def _links(pair: SentencePair, which: str) -> Links:
    if pair.links is None or not len(pair.source) or not len(pair.target):
        raise InputError("expected words with gold links, found none")
    chosen = pair.links if which == "all" else pair.links.only_sure()
    return chosen.check(len(pair.source), len(pair.target))
