"""Sentence pairs of the input, ready for an aligner: text, tokens or forests, and given links."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from forest_align.aligners.pair import NO_TOKENS, GivenChunks, Pair, Text
from forest_align.alignment import Links
from forest_align.cli.aligner_choice import WORDS, links_of_file, uses_given_links
from forest_align.cli.arguments import is_file, is_sentence, is_single_word
from forest_align.cli.input_reports import TextWarnings
from forest_align.data.formats.fields import plain_sentence
from forest_align.data.formats.format import PairError
from forest_align.data.formats.pharaoh import check_links
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.data.text.raw_text import unescape_sentence
from forest_align.jobs.shards import Share
from forest_align.types import InputError, InputWarning, Sentence

_EXTENSION = re.compile(r"\.[^\W\d]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairInput:
    """The options of commands that say where pairs come from."""

    pairs: str
    target: str | None = None
    source_format: str | None = None
    columns: tuple[str, str] | None = None
    tokenized: bool = False
    escapes: str | None = None
    words: str | None = None
    parser: str | None = None
    chunks: bool = False


class Item(NamedTuple):
    """A pair of the input."""

    name: str
    content: Pair | InputError  # its sentences and given links, or its error
    source: Sentence = Sentence(())  # as read, so that a broken pair keeps its text; empty if unreadable
    target: Sentence = Sentence(())
    place: tuple[str, int] | None = None  # file and line; None for typed sentences

    @property
    def texts(self) -> tuple[str, str, str]:
        """Its name and its two texts, which identify it."""
        return self.name, self.source.text, self.target.text


def read_items(
    options: PairInput,
    complain: Callable[[str], None],
    share: Share | None = None,
    pairs: Iterator[SentencePair | InputError] | None = None,
) -> Iterator[Item]:
    """Pairs ready for the aligner, each with its name; a broken pair yields an error.

    ``complain`` is called after the last pair with each problem of the whole input. ``share`` skips the pairs
    of other shards. Warns if there are no pairs, or texts have HTML tags or are not English.
    """
    links_file = None
    if options.words and options.words not in WORDS:
        links_file = links_of_file(options.words)
    text_warnings = TextWarnings()
    number = 0
    for number, item in enumerate(_pairs(options) if pairs is None else pairs, 1):
        links = next(links_file, _ended(str(options.words))) if links_file is not None else None
        if share is not None and not share.takes(_texts(item)):
            continue
        if isinstance(item, InputError):
            yield _broken(item)
            continue
        # The parts of an input are read by many processes, which would warn many times.
        if pairs is None:
            text_warnings.see(item.id, (item.source.text, item.target.text))
        try:
            if isinstance(links, InputError):
                raise links
            if uses_given_links(options.words):
                links = _given_links(item, links, str(options.words), number)
            chunks = GivenChunks(item.source_chunks, item.target_chunks) if options.chunks else None
            if chunks is not None and not (chunks.source or chunks.target):
                raise InputError("the input gives no chunks for this pair")
            content = Pair(*_sentences(item, options.parser is None), links, chunks)
        except InputError as error:
            yield Item(item.id, item.located(error), item.source, item.target)
        else:
            yield Item(item.id, content, item.source, item.target, item.place)
    if not number and pairs is None:
        warnings.warn(InputWarning(f"{options.pairs}: found no pairs of sentences"), stacklevel=2)
    # Ignore blank lines at the end of the file.
    if any(isinstance(links, InputError) or len(links) for links in links_file or ()):
        complain(f"{options.words}: the file of word links has more lines than there are pairs")


def _pairs(options: PairInput) -> Iterator[SentencePair | InputError]:
    """The pairs of a file, or the one pair of two given sentences."""
    if options.target is None:
        is_text = is_sentence(options.pairs) and not os.path.exists(options.pairs)
        if is_text or is_single_word(options.pairs):
            raise InputError(
                f"there is no file {options.pairs!r}; expected a file of pairs, or two sentences"
            )
        return read_pairs(
            options.pairs,
            options.source_format,
            tokenized=options.tokenized,
            escapes=options.escapes,
            columns=options.columns,
        )
    two = options.pairs, options.target
    for path in two:
        if is_file(path):
            raise InputError(
                f"expected two sentences, or one file of pairs, found the file {path!r} beside another; "
                "'paste ONE OTHER' makes pairs of two files"
            )
    if all(map(_is_named_like_a_file, two)):
        raise InputError(
            f"there are no files {two[0]!r} and {two[1]!r}; expected a file of pairs, or two sentences "
            "(two such words can come through standard input, with a tab between them)"
        )
    for name, value in (("--from", options.source_format), ("--columns", options.columns)):
        if value is not None:
            raise InputError(f"{name} is for files; found two sentences")
    source, target = (
        plain_sentence(text, options.tokenized, side)
        for text, side in zip(two, ("source", "target"), strict=True)
    )
    if options.escapes:
        source, target = unescape_sentence(source, "source"), unescape_sentence(target, "target")
    return iter([SentencePair("1", source, target)])


def _is_named_like_a_file(text: str) -> bool:
    """Whether a text is one word with a folder or an extension; a final full stop is not an extension."""
    has_extension = _EXTENSION.fullmatch(os.path.splitext(text)[1]) is not None
    return len(text.split()) == 1 and (has_extension or os.path.dirname(text) != "")


def _texts(item: SentencePair | InputError) -> tuple[str, str, str]:
    """What :attr:`Item.texts` will be."""
    return (
        _broken(item).texts if isinstance(item, InputError) else (item.id, item.source.text, item.target.text)
    )


def _broken(error: InputError) -> Item:
    """A pair that could not be read, with its readable parts."""
    if isinstance(error, PairError):
        return Item(error.id, error, Sentence((), text=error.source), Sentence((), text=error.target))
    return Item(str(error.line or ""), error)


def _ended(path: str) -> InputError:
    return InputError("the file of word links ends before the pairs do", file=path)


def _given_links(item: SentencePair, links: Links | None, path: str, number: int) -> Links:
    """The given links of a pair: those of its line in a file, or else those of the pair itself."""
    given = item.links if links is None else links
    if given is None:
        raise InputError("the input gives no word links for this pair")
    if not (item.source.tokens and item.target.tokens):
        raise InputError(NO_TOKENS)
    lengths = len(item.source), len(item.target)
    if links is None:
        return given.check(*lengths)
    try:
        return check_links(links, *lengths)
    except InputError as error:
        raise error.at(file=path, line=number) from None


def _sentences(item: SentencePair, use_trees: bool) -> tuple[Text, Text]:
    """The two sentences: raw text, tokens, or tokens with a forest made of their given trees."""
    from forest_align.parsing.forests.trees import with_given_trees

    source, target = with_given_trees(item) if use_trees else (item.source, item.target)
    return (source if source.tokens else source.text, target if target.tokens else target.text)
