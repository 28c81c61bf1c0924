"""Parses the pairs of files, with a cache: given trees, gold links, and errors of unusable pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from forest_align.aligners.words.choose import word_candidate_files
from forest_align.alignment import Links
from forest_align.em.corpus.cache import ArrayStore, cached_sentences
from forest_align.parsing.forests.trees import with_given_trees
from forest_align.parsing.networks.model_files import ENCODER_FILES
from forest_align.parsing.networks.vector_network import BUNDLED
from forest_align.parsing.parser_loading import MODELS
from forest_align.storage.fingerprints import files_fingerprint, fingerprint_of, model_files
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.data.formats.format import SentencePair
    from forest_align.parsing import Parser


def problem_of(pair: SentencePair, error: object) -> str:
    """Why a pair cannot be used: its file and line if known, its name, and the error."""
    return str(pair.located(InputError(f"pair {pair.id!r}: {error}")))


#: What a corpus may say about its pairs that a result can be scored by.
GOLD = ("links", "trees", "phrases", "marked phrases")


def with_gold(
    pairs: Iterable[SentencePair | InputError], gold: str = "links"
) -> list[SentencePair | InputError]:
    """Check that pairs can be scored, before they are parsed."""
    pairs = list(pairs)
    checked: list[SentencePair | InputError] = []
    lacking: list[InputError] = []
    annotators = max((len(pair.annotations) for pair in pairs if not isinstance(pair, InputError)), default=0)
    for pair in pairs:
        try:
            checked.append(pair if isinstance(pair, InputError) else _with_gold(pair, gold, annotators))
        except InputError as error:
            lacking.append(error)
            checked.append(error)
    if lacking and all(isinstance(pair, InputError) for pair in checked):
        raise lacking[0]
    return checked


def _with_gold(pair: SentencePair, gold: str, annotators: int) -> SentencePair:
    enju = pair.source_enju is not None and pair.target_enju is not None
    name, is_there = {
        "links": ("gold links", pair.links is not None),
        "marked phrases": ("marked phrases", pair.units),
        "trees": ("gold trees", enju or (pair.source_trees and pair.target_trees)),
        "phrases": ("phrases of annotators", pair.annotations),
    }[gold]
    if not is_there:
        raise pair.located(InputError(f"dev pair {pair.id!r} has no {name}"))
    if gold == "phrases" and len(pair.annotations) != annotators:
        message = f"expected {annotators} annotators, as of other pairs, found {len(pair.annotations)}"
        raise pair.located(InputError(f"dev pair {pair.id!r}: {message}"))
    if gold == "links":
        return pair
    if gold == "marked phrases":
        return replace(pair, links=pair.links or Links())
    try:
        sides = with_given_trees(pair)
    except InputError as error:
        raise InputError(problem_of(pair, error)) from None
    source, target = (Sentence.from_words(side.words) for side in sides)
    return replace(pair, source=source, target=target, links=pair.links or Links())


Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class ParsedPair:
    """A pair of a file with its parsed sentences."""

    pair: SentencePair  # The pair as read from the file
    # source, target: Parsed, or with the forests of their trees
    source: Sentence
    target: Sentence
    given_forests: str  # Short hash of the forests that came with the sentences; empty where both were parsed


def parse_pairs(
    pairs: Iterable[SentencePair | InputError],
    parse_many: Callable[[Sequence[Any]], Iterable[Sentence | InputError]],
    store: ArrayStore | None,
    identity: Any,
    *,
    given_trees: bool = False,
    prepare_given: Callable[[Sequence[Sentence]], Iterable[Sentence | InputError]] = list,
    report: Callable[[int], None] | None = None,
) -> list[ParsedPair | InputError]:
    """Parse the sentences of pairs, or load them from the cache."""
    read: list[tuple[SentencePair, tuple[Sentence, Sentence]] | InputError] = []
    for pair in pairs:
        if isinstance(pair, InputError):
            read.append(pair)
            continue
        try:
            read.append((pair, with_given_trees(pair) if given_trees else (pair.source, pair.target)))
        except InputError as broken:
            read.append(InputError(problem_of(pair, broken)))
    sides = [side for pair in read if not isinstance(pair, InputError) for side in pair[1]]
    with_forests = [side for side in sides if side.forest is not None]
    given = iter(prepare_given(with_forests))
    if report is not None and with_forests:
        report(len(with_forests))
    texts = [text_to_parse(side) for side in sides if side.forest is None]
    parsed = iter(cached_sentences(texts, parse_many, store, identity, report=report))
    results: list[ParsedPair | InputError] = []
    for item in read:
        if isinstance(item, InputError):
            results.append(item)
            continue
        pair, both = item
        source, target = [next(parsed if side.forest is None else given) for side in both]
        if isinstance(source, InputError) or isinstance(target, InputError):
            reason = source if isinstance(source, InputError) else target
            results.append(InputError(problem_of(pair, reason)))
        else:
            results.append(ParsedPair(pair, source, target, _forest_fingerprint(both)))
    return results


def prepare_pairs(
    parsed: Iterable[ParsedPair | InputError],
    prepare: Callable[[ParsedPair], Made],
    report: Callable[[int], None] | None = None,
) -> tuple[list[Made], list[str]]:
    """Turn each parsed pair into the trainer's input."""
    made: list[Made] = []
    problems: list[str] = []
    for pair in parsed:
        if isinstance(pair, InputError):
            problems.append(str(pair))
        else:
            try:
                made.append(prepare(pair))
            except InputError as error:
                problems.append(problem_of(pair.pair, error))
        if report is not None:
            report(1)
    return made, problems


def _forest_fingerprint(given: Sequence[Sentence]) -> str:
    """Short hash of the forests of sentences, with their tags and lemmas; empty if there are no forests."""
    if all(sentence.forest is None for sentence in given):
        return ""
    parts: list[Any] = []
    for sentence in given:
        if sentence.forest is not None:
            parts += [[(token.text, token.lemma, token.tag) for token in sentence.tokens]]
            parts += [getattr(sentence.forest, name) for name in sentence.forest.__dataclass_fields__]
        else:
            parts.append(None)
    return fingerprint_of(*parts)


def text_to_parse(sentence: Sentence) -> str | list[str]:
    """The parser's input: words if the corpus is tokenized, raw text otherwise."""
    return list(sentence.words) if sentence.tokens else sentence.text


class LazyParser:
    """A parser that is loaded when it is first needed."""

    def __init__(self, name: str, forest_size: int) -> None:
        self._name, self._forest_size = name, forest_size

    @cached_property
    def _loaded(self) -> Parser:
        from forest_align.parsing import load_parser_for_alignment

        return load_parser_for_alignment(self._name, forest_size=self._forest_size)

    def __call__(self, texts: Sequence[Any]) -> Iterable[Sentence | InputError]:
        """Parse texts or words; see :meth:`forest_align.parsing.Parser.parse_many`."""
        return self._loaded.parse_many(texts)

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """See :meth:`forest_align.parsing.Parser.with_vectors`."""
        return self._loaded.with_vectors(sentences)


def parser_fingerprint(name: str) -> str:
    """Short hash of a parser's files and of the files of word vectors and lemmas.

    If the folder of the parser cannot be found, its name is used instead of its files.
    """
    # Bundled names take precedence, as when a parser is loaded.
    folder = MODELS / name
    if name != Path(name).name or not folder.is_dir():
        folder = Path(name)
    vectors = files_fingerprint([BUNDLED / name for name in ENCODER_FILES])
    lemmas = files_fingerprint(word_candidate_files("dictionary"))  # those of the lexicon
    return f"{files_fingerprint(model_files(folder)) if folder.is_dir() else name} {vectors} {lemmas}"


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

    all_pairs: list[SentencePair | InputError] = []
    for path in paths:
        pairs = list(read_pairs(path, format, tokenized=True))
        linked = [pair.links for pair in pairs if not isinstance(pair, InputError) and pair.links]
        if links == "sure" and linked and not any(map(Links.only_sure, linked)):
            message = "expected sure links, found possible ones alone: --links all learns from those, too"
            raise InputError(message, file=path)
        all_pairs += pairs
    return all_pairs


def read_gold_pairs(
    pairs: Iterable[SentencePair | InputError],
    *,
    parser: str = "en",
    cache: Path | None = None,
    links: str = "sure",
    whole: bool = False,
    report: Callable[[int], None] | None = None,
) -> tuple[list[GoldPair], list[str]]:
    """Parse the sentences of pairs with links; keep forests and vectors if ``whole``."""
    wanted: list[SentencePair | InputError] = []
    for pair in pairs:
        if isinstance(pair, InputError):
            wanted.append(pair)
            continue
        try:
            wanted.append(replace(pair, links=_gold_links(pair, links)))
        except InputError as error:
            wanted.append(InputError(problem_of(pair, error)))
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

    def prepare(pair: ParsedPair) -> GoldPair:
        assert pair.pair.links is not None
        source, target = pair.source, pair.target
        if not whole:
            source, target = (replace(side, forest=None, vectors=None) for side in (source, target))
        return GoldPair(source, target, pair.pair.links)

    return prepare_pairs(parsed, prepare)


def _gold_links(pair: SentencePair, which: str) -> Links:
    if pair.links is None or not len(pair.source) or not len(pair.target):
        raise InputError("expected words with gold links, found none")
    chosen = pair.links if which == "all" else pair.links.only_sure()
    return chosen.check(len(pair.source), len(pair.target))
