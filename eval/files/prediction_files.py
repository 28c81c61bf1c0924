"""Gold pairs and predictions: reads them in any known format, and checks that they belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from forest_align.aligners.chunks import CHUNK_ALIGNER, related_links
from forest_align.alignment import Alignment, Links, SpanPair
from forest_align.data.formats.format import ChunkLink
from forest_align.data.formats.pharaoh import FORMAT as PHARAOH
from forest_align.data.formats.pharaoh import check_links, read_links
from forest_align.data.pairs import SentencePair, read_pairs, read_pairs_of_lines
from forest_align.data.text.lines import STANDARD_INPUT, InputLines
from forest_align.types import InputError

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """One sentence pair of a gold file."""

    id: str
    source: Sequence[str]
    target: Sequence[str]
    links: Links
    phrases: Sequence[AbstractSet[SpanPair]] | None = None  # per annotator; None if not annotated
    chunks: Sequence[ChunkLink] | None = None  # aligned chunks; None if the format has none


@dataclass(frozen=True, slots=True)
class FilePrediction:
    """A system's prediction for one pair; what its format lacks is None."""

    links: Links
    source: Sequence[str] | None = None
    target: Sequence[str] | None = None
    phrases: AbstractSet[SpanPair] | None = None
    id: str = ""  # empty if the file does not name its pairs
    failed: bool = False  # the aligner failed on this pair
    chunks: Sequence[ChunkLink] | None = None


def check_matching(gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction]) -> None:
    """Check that there is one prediction for each gold pair, in the same order.

    Ids are compared if all ids of one file occur in the other file. Otherwise the two files name the same
    pairs differently, and only order and tokens can be compared. Raises InputError that names the pair:
    missing, surplus, out of order, with other tokens, or with links out of range.
    """
    _check_ids(gold, predictions)
    _check_number(gold, predictions)
    for pair, prediction in zip(gold, predictions, strict=True):
        _check_tokens(pair.id, "source", pair.source, prediction.source)
        _check_tokens(pair.id, "target", pair.target, prediction.target)
        if prediction.source is None:  # lines with links only
            try:
                check_links(prediction.links, len(pair.source), len(pair.target))
            except InputError as error:
                raise InputError(f"pair {pair.id!r}: predicted {error.message}") from None


def _check_ids(gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction]) -> None:
    wanted = {pair.id for pair in gold} - {""}
    found = {prediction.id for prediction in predictions} - {""}
    if not (wanted <= found or found <= wanted):
        return
    for pair, prediction in zip(gold, predictions, strict=False):
        if pair.id and prediction.id and pair.id != prediction.id:
            raise InputError(f"pair {pair.id!r}: expected its prediction, found that of {prediction.id!r}")


def _check_number(gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction]) -> None:
    both = min(len(gold), len(predictions))
    if len(gold) > both:
        first = f"the first pair without a prediction is {gold[both].id!r}"
    elif len(predictions) > both:
        name = predictions[both].id
        first = f"the first one too many is number {both + 1}{f', of pair {name!r}' if name else ''}"
    else:
        return
    raise InputError(f"expected {len(gold)} predictions, one a gold pair, found {len(predictions)}; {first}")


def _check_tokens(name: str, side: str, wanted: Sequence[str], found: Sequence[str] | None) -> None:
    if found is None or list(wanted) == list(found):
        return
    if len(wanted) != len(found):
        raise InputError(f"pair {name!r}: expected {len(wanted)} {side} tokens, found {len(found)}")
    for place, (token, other) in enumerate(zip(wanted, found, strict=True)):
        if token != other:
            raise InputError(f"pair {name!r}: expected {side} token {place} to be {token!r}, found {other!r}")


@dataclass(frozen=True, slots=True)
class _WrongPair:
    """A pair with its errors: missed gold links, and predicted links that are not even possible ones."""

    pair: JudgedPair
    missing: tuple[tuple[int, int], ...]
    wrong: tuple[tuple[int, int], ...]


def worst_pairs(
    gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction], count: int, *, links: str = "sure"
) -> list[_WrongPair]:
    """At most ``count`` pairs with most errors, the worst first; pairs without errors are left out."""
    judged = []
    for pair, prediction in zip(gold, predictions, strict=True):
        wanted = {*(pair.links.only_sure() if links == "sure" else pair.links).pairs}
        found, allowed = {*prediction.links.pairs}, {*pair.links.pairs}
        judged.append(_WrongPair(pair, tuple(sorted(wanted - found)), tuple(sorted(found - allowed))))
    judged.sort(key=lambda worst: -len(worst.missing) - len(worst.wrong))
    return [worst for worst in judged[:count] if worst.missing or worst.wrong]


def worst_text(pairs: Sequence[_WrongPair]) -> str:
    """The pairs with their texts and errors, an empty line before each."""
    lines = []
    for worst in pairs:
        source, target = worst.pair.source, worst.pair.target
        lines += ["", f"pair {worst.pair.id}: {len(worst.missing)} missing, {len(worst.wrong)} wrong"]
        lines += [f"  {' '.join(source)}", f"  {' '.join(target)}"]
        for name, links in (("missing", worst.missing), ("wrong", worst.wrong)):
            if links:
                lines.append(f"  {name}: {', '.join(f'{source[i]}–{target[j]}' for i, j in links)}")
    return "\n".join(lines)


def read_gold(path: str | Path, format: str | None = None) -> list[JudgedPair]:
    """Read the gold file: any known format with word links or phrases aligned by annotators.

    If only phrases were annotated, words that most annotators aligned with each other are the word links.
    Plain text is split on spaces, because links are between tokens. If no pair of the file has phrases, as in
    the output of a word aligner, phrases are None instead of empty sets.

    Raises
    ------
    InputError
        If a pair is broken, could not be aligned or has no word links: names file, line and pair.
    OSError
        If the file cannot be read.
    """
    found = [_gold(pair, name_of(path)) for pair in _sound(read_pairs(path, format, tokenized=True))]
    if any(own for pair in found for own in pair.phrases or ()):
        return found
    return [replace(pair, phrases=None) for pair in found]


def name_of(path: str | Path) -> str:
    """Name of a file in messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def _gold(pair: SentencePair, file: str) -> JudgedPair:
    if pair.alignment is not None and pair.alignment.error:
        problem = f"one that could not be aligned: {pair.alignment.error}"
        raise _error(f"pair {pair.id!r}: expected gold word links, found {problem}", pair, file)
    phrases = pair.annotations or None
    links = _majority_links(phrases) if pair.links is None and phrases else pair.links
    if links is None or not (pair.source.tokens and pair.target.tokens):
        raise _error(f"pair {pair.id!r} has no gold word links over tokens", pair, file)
    if phrases is None and pair.alignment is not None:
        phrases = (frozenset(_phrases(pair.alignment)),)
    return JudgedPair(pair.id, pair.source.words, pair.target.words, links, phrases, pair.chunks)


def _error(message: str, pair: SentencePair, file: str) -> InputError:
    return pair.located(InputError(message, file=file))


def _majority_links(annotators: Sequence[AbstractSet[SpanPair]]) -> Links:
    votes = Counter(pair for own in annotators for pair in own)
    return Links.of(
        (source[0], target[0])
        for (source, target), count in votes.items()
        if 2 * count > len(annotators) and source[1] - source[0] == 1 == target[1] - target[0]
    )


def read_predictions(path: str | Path, format: str | None = None) -> list[FilePrediction]:
    """Read predictions: JSON lines, lines of Pharaoh links, jacana JSON, or any other format with links.

    A file of Pharaoh links needs no sentences beside it. Plain text is split on spaces, as in gold files. A
    pair that a run could not align has no predicted links and counts as failed. An id that is only the number
    of its pair in the file is dropped. If the file has no phrases at all, the aligner is a word aligner, and
    phrases are None. Raises InputError if a pair is broken or has no word links: names file, line and pair.
    Raises OSError if the file cannot be read.
    """
    if Path(path).is_dir():
        return _predictions(read_pairs(path, format, tokenized=True), str(path))
    # Opened only once for both checks, because standard input cannot be read twice.
    with InputLines(path) as lines:
        if format == PHARAOH.name or (format is None and _is_pharaoh(lines)):
            return [FilePrediction(links) for links in _sound(read_links(lines))]
        return _predictions(read_pairs_of_lines(lines, format, tokenized=True), lines.name)


def _is_pharaoh(lines: InputLines) -> bool:
    head = lines.head()
    return not head or PHARAOH.matches(head) or lines.suffix in PHARAOH.extensions


def _sound(items: Iterable[_Item | InputError]) -> Iterator[_Item]:
    """The items of a file; raises the first error among them."""
    for item in items:
        if isinstance(item, InputError):
            raise item
        yield item


def _predictions(pairs: Iterable[SentencePair | InputError], file: str) -> list[FilePrediction]:
    found = [_prediction(pair, number, file) for number, pair in enumerate(_sound(pairs), start=1)]
    if any(prediction.phrases for prediction in found):
        return found
    return [replace(prediction, phrases=None) for prediction in found]


def _prediction(pair: SentencePair, number: int, file: str) -> FilePrediction:
    alignment = pair.alignment
    if pair.links is None:
        raise _error(f"pair {pair.id!r} has no word links", pair, file)
    chunks: Sequence[ChunkLink] | None = pair.chunks
    if chunks is None and alignment is not None and alignment.aligner == CHUNK_ALIGNER:
        chunks = related_links(alignment.phrases)
    return FilePrediction(
        pair.links,
        pair.source.words or None,
        pair.target.words or None,
        None if alignment is None else frozenset(_phrases(alignment)),
        # Readers number pairs without a name. Such a number only repeats the order, and must not be mistaken
        # for a gold pair's name that is the same number.
        "" if pair.id == str(number) else pair.id,
        alignment is not None and bool(alignment.error),
        chunks,
    )


def _phrases(alignment: Alignment) -> set[SpanPair]:
    return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases}
