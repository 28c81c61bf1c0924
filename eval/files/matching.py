"""Gold pairs and predictions, and checks that they belong together."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from forest_align.alignment import Links, SpanPair
from forest_align.data.formats.format import ChunkLink
from forest_align.data.formats.pharaoh import check_links
from forest_align.types import InputError


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
            _check_links(pair, prediction.links)


def _check_links(pair: JudgedPair, links: Links) -> None:
    try:
        check_links(links, len(pair.source), len(pair.target))
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
    at = next(k for k, (a, b) in enumerate(zip(wanted, found, strict=True)) if a != b)
    raise InputError(f"pair {name!r}: expected {side} token {at} to be {wanted[at]!r}, found {found[at]!r}")


@dataclass(frozen=True, slots=True)
class WrongPair:
    """A pair with its errors: missed gold links, and predicted links that are not even possible ones."""

    pair: JudgedPair
    missing: tuple[tuple[int, int], ...]
    wrong: tuple[tuple[int, int], ...]


def worst_pairs(
    gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction], count: int, *, links: str = "sure"
) -> list[WrongPair]:
    """At most ``count`` pairs with most errors, the worst first; pairs without errors are left out."""
    found = []
    for pair, prediction in zip(gold, predictions, strict=True):
        wanted = {*(pair.links.only_sure() if links == "sure" else pair.links).pairs}
        ours, allowed = {*prediction.links.pairs}, {*pair.links.pairs}
        found.append(WrongPair(pair, tuple(sorted(wanted - ours)), tuple(sorted(ours - allowed))))
    found.sort(key=lambda one: -len(one.missing) - len(one.wrong))
    return [one for one in found[:count] if one.missing or one.wrong]


def worst_text(pairs: Sequence[WrongPair]) -> str:
    """The pairs with their texts and errors, an empty line before each."""
    lines = []
    for one in pairs:
        source, target = one.pair.source, one.pair.target
        lines += ["", f"pair {one.pair.id}: {len(one.missing)} missing, {len(one.wrong)} wrong"]
        lines += [f"  {' '.join(source)}", f"  {' '.join(target)}"]
        for name, links in (("missing", one.missing), ("wrong", one.wrong)):
            if links:
                lines.append(f"  {name}: {', '.join(f'{source[i]}–{target[j]}' for i, j in links)}")
    return "\n".join(lines)
