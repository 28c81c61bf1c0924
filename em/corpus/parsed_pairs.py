"""Parses the pairs of files: handles given trees, the parser, the cache and errors of unusable pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from forest_align.alignment import Links
from forest_align.em.corpus.cache import ArrayStore, cached_sentences
from forest_align.parsing.forests.given_trees import with_given_trees
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.data.formats.format import SentencePair


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
    if gold == "marked phrases":
        if not pair.units:
            raise pair.located(InputError(f"dev pair {pair.id!r} has no marked phrases"))
        return replace(pair, links=pair.links or Links())
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


Made = TypeVar("Made")
_ParseMany = Callable[[Sequence[Any]], Iterable[Sentence | InputError]]


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
    parse_many: _ParseMany,
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
    sides = [side for one in read if not isinstance(one, InputError) for side in one[1]]
    with_forests = [side for side in sides if side.forest is not None]
    given = iter(prepare_given(with_forests))
    if report is not None and with_forests:
        report(len(with_forests))
    texts = [text_to_parse(side) for side in sides if side.forest is None]
    parsed = iter(cached_sentences(texts, parse_many, store, identity, report=report))
    found: list[ParsedPair | InputError] = []
    for one in read:
        if isinstance(one, InputError):
            found.append(one)
            continue
        pair, both = one
        source, target = [next(parsed if side.forest is None else given) for side in both]
        if isinstance(source, InputError) or isinstance(target, InputError):
            reason = source if isinstance(source, InputError) else target
            found.append(InputError(problem_of(pair, reason)))
        else:
            found.append(ParsedPair(pair, source, target, _forest_fingerprint(both)))
    return found


def prepare_pairs(
    parsed: Iterable[ParsedPair | InputError],
    prepare: Callable[[ParsedPair], Made],
    report: Callable[[int], None] | None = None,
) -> tuple[list[Made], list[str]]:
    """Turn each parsed pair into the trainer's input."""
    made: list[Made] = []
    problems: list[str] = []
    for one in parsed:
        if isinstance(one, InputError):
            problems.append(str(one))
        else:
            try:
                made.append(prepare(one))
            except InputError as error:
                problems.append(problem_of(one.pair, error))
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
