"""The pairs of a file whose predicted links have most errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_align.eval.files.matching import FilePrediction, JudgedPair


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
