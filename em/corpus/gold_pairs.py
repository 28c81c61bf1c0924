"""Reads and parses sentence pairs with gold word links, for what learns from such links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.alignment import Links
from forest_align.em.corpus.cache import ArrayStore, cached_sentences
from forest_align.em.corpus.corpus import LazyParser, parser_fingerprint
from forest_align.em.corpus.problems import problem_of
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.data.formats.format import SentencePair


@dataclass(frozen=True, slots=True)
class GoldPair:
    """Two parsed sentences and the links that are wanted."""

    source: Sentence
    target: Sentence
    links: Links


def read_gold_files(
    paths: Sequence[str], format: str | None = None, *, links: str = "sure"
) -> list[SentencePair | InputError]:
    """Read the pairs of files with gold links; an error in the place of a broken one.

    Parameters
    ----------
    paths : sequence of str
        The files.
    format : str, optional
        Their format, guessed otherwise.
    links : {"sure", "all"}
        Which gold links are wanted.

    Raises
    ------
    InputError
        If sure links are wanted of a file that has possible ones alone: it would teach that nothing aligns.
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
    """Parse the sentences of pairs with links.

    Parameters
    ----------
    pairs : iterable of SentencePair or InputError
        From :func:`forest_align.data.pairs.read_pairs`.
    parser : str
        Name or folder of the parser, loaded when a sentence is not in the cache.
    cache : pathlib.Path, optional
        Folder that keeps parses.
    links : {"sure", "all"}
        Which gold links are wanted.
    whole : bool
        Whether sentences keep forests and word vectors, which take much memory, besides tags and lemmas.
    report : callable, optional
        Called with the number of sentences done since the last call.

    Returns
    -------
    list of GoldPair
        Those that could be prepared.
    list of str
        Why the others could not.

    Raises
    ------
    InputError
        If there are pairs, and none of them has a link that is wanted.
    """
    problems: list[str] = []
    usable: list[tuple[SentencePair, Links]] = []
    for pair in pairs:
        if isinstance(pair, InputError):
            problems.append(str(pair))
            continue
        try:
            usable.append((pair, _links(pair, links)))
        except InputError as error:
            problems.append(problem_of(pair, error))
    if usable and not any(wanted for _, wanted in usable):
        which = "sure gold link" if links == "sure" else "gold link"
        raise InputError(f"expected at least one {which} to learn from, found none")
    sentences = cached_sentences(
        [list(side.words) for pair, _ in usable for side in (pair.source, pair.target)],
        LazyParser(parser, 1),
        ArrayStore(cache) if cache is not None else None,
        [parser_fingerprint(parser), 1],
        report=report,
    )
    found = []
    for (pair, wanted), source, target in zip(usable, sentences[::2], sentences[1::2], strict=True):
        try:
            found.append(GoldPair(_parsed(source, whole), _parsed(target, whole), wanted))
        except InputError as error:
            problems.append(problem_of(pair, error))
    return found, problems


def _links(pair: SentencePair, which: str) -> Links:
    if pair.links is None or not len(pair.source) or not len(pair.target):
        raise InputError("expected words with gold links, found none")
    chosen = pair.links if which == "all" else pair.links.only_sure()
    return chosen.check(len(pair.source), len(pair.target))


def _parsed(sentence: Sentence | InputError, whole: bool) -> Sentence:
    if isinstance(sentence, InputError):
        raise sentence
    return sentence if whole else replace(sentence, forest=None, vectors=None)
