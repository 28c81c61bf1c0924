"""The work of ``align`` on a stream of pairs: alignments as the output shows them, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from forest_align.aligners.pair import Pair
from forest_align.alignment import Alignment
from forest_align.cli.align_options import AlignOptions
from forest_align.cli.input_pairs import Item
from forest_align.jobs.shards import Line
from forest_align.types import ForestAlignError, InputError

if TYPE_CHECKING:
    from forest_align.aligners import Aligner


def aligned_lines(
    items: Iterator[Item],
    aligner: Aligner,
    options: AlignOptions,
    line: Callable[[Alignment], str],
    workers: int = 1,
) -> Iterator[Line[Item]]:
    """Yield each item with its alignment as text; broken pairs keep their places."""
    explain = _explainer(aligner) if options.explain else None
    least = options.min_probability
    for item, alignment in aligned_items(items, aligner, options.batch_size, workers):
        try:
            shown = explain(alignment, item) if explain and not alignment.error else alignment
            shown = shown.in_parts() if options.partial else shown
            text = line(shown if least is None else shown.above(least))
        except InputError as error:
            alignment = Alignment(
                alignment.source,
                alignment.target,
                id=alignment.id,
                aligner=alignment.aligner,
                error=str(error),
                made_by=alignment.made_by,
            )
            text = line(alignment)
        yield item, text, failure_of(alignment)


def failure_of(alignment: Alignment) -> tuple[str, str] | None:
    """The name of an alignment and its error, if it has one."""
    return (alignment.id, alignment.error) if alignment.error else None


def aligned_items(
    items: Iterator[Item], aligner: Aligner, batch_size: int, workers: int
) -> Iterator[tuple[Item, Alignment]]:
    """Yield each item with its alignment, in order; a broken pair keeps its place, name and texts."""
    waiting: deque[Item] = deque()

    def contents() -> Iterator[Pair | InputError]:
        for item in items:
            waiting.append(item)
            yield item.content

    found = aligner.align_many(contents(), batch_size=batch_size, workers=workers)
    for alignment in found:
        item = waiting.popleft()
        if isinstance(item.content, InputError):
            alignment = replace(alignment, source=item.source, target=item.target)
        elif alignment.error and item.place is not None:
            file, line = item.place
            alignment = replace(alignment, error=f"{file}:{line}: {alignment.error}")
        yield item, replace(alignment, id=item.name)
    if waiting:
        raise ForestAlignError(f"the {aligner.name} aligner returned nothing for pair {waiting[0].name!r}")


def _explainer(aligner: Aligner) -> Callable[[Alignment, Item], Alignment]:
    """A function that fills in the evidence for every word link of an item."""
    from forest_align.aligners.words.explain import with_evidence

    def explain(alignment: Alignment, item: Item) -> Alignment:
        given = item.content.candidates if isinstance(item.content, Pair) else None
        return with_evidence(aligner, alignment, candidates=given)

    return explain
