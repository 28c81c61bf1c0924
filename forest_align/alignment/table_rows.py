"""Alignments as tables: a row for each alignment in CSV and TSV, and the phrase pairs of one in pandas."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import (
    core_places,
    ordered_pairs,
    relation_note,
    similarity_note,
    spans_of,
)

if TYPE_CHECKING:
    import pandas


COLUMNS = ("id", "source", "target", "links", "words", "phrases", "error", "paraphrase_probability")


def to_row(alignment: AlignmentRecord, delimiter: str) -> str:
    r"""The row of an alignment with its line end; tabs and line ends in a cell become blanks.

    If it failed, only ``id``, ``source``, ``target`` and ``error`` are filled in. A comma as ``delimiter``
    quotes cells where needed (CSV); between tabs quotes are text.
    """
    sides = (alignment.source, alignment.target)
    # Links count the tokens, so these are written; they can be counted by splitting at blanks.
    source, target = (" ".join(side.words) if side.tokens else side.text for side in sides)
    cells = [
        alignment.id,
        source,
        target,
        alignment.words.to_pharaoh(),
        " | ".join(_words(alignment)),
        " | ".join(_phrases(alignment)),
        alignment.error,
        "" if alignment.paraphrase_probability is None else f"{alignment.paraphrase_probability:.2f}",
    ]
    return line_of(cells, delimiter)


def line_of(cells: list[str] | tuple[str, ...], delimiter: str) -> str:
    """Cells as one line with its line end."""
    whole = [" ".join(" ".join(cell.splitlines()).split("\t")) for cell in cells]
    if delimiter == "\t":
        return "\t".join(whole) + "\n"
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(whole)
    return line.getvalue()


def _words(alignment: AlignmentRecord) -> list[str]:
    links = alignment.words
    source, target = alignment.source.words, alignment.target.words
    scores = [""] * len(links) if links.scores is None else [f" {score:.2f}" for score in links.scores]
    return [f"{source[i]} ↔ {target[j]}{score}" for (i, j), score in zip(links, scores, strict=True)]


def _phrases(alignment: AlignmentRecord) -> list[str]:
    """The phrase pairs with more than one word on a side; all others are links."""
    phrases = []
    for pair in alignment.phrases:
        if any(end - start > 1 for start, end in spans_of(pair)):
            notes = filter(None, (relation_note(pair), similarity_note(pair)))
            phrases.append(
                " ".join([" ↔ ".join(alignment.texts_of(pair)), f"{pair.probability:.2f}", *notes])
            )
    return phrases


def phrase_frame(alignment: AlignmentRecord) -> pandas.DataFrame:
    """A table with a row for each phrase pair, in the views' order; raises ImportError without pandas."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("a table of phrases needs pandas: pip install pandas") from error
    pairs = ordered_pairs(alignment)
    core = core_places(alignment, pairs)
    texts = [alignment.texts_of(pair) for pair in pairs]
    return pandas.DataFrame(
        {
            "source": [source for source, _ in texts],
            "target": [target for _, target in texts],
            "differs": [place in core for place in range(len(pairs))],
            "probability": [pair.probability for pair in pairs],
            "relation": [None if pair.relation is None else pair.relation.name for pair in pairs],
            "source_label": [pair.source_node.label for pair in pairs],
            "target_label": [pair.target_node.label for pair in pairs],
            "source_spans": [(pair.source_node.span,) for pair in pairs],
            "target_spans": [(pair.target_node.span,) for pair in pairs],
        }
    )
