"""A view of one alignment for the terminal: phrases of the two sentences in two columns, words underneath."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from textwrap import wrap

from forest_align.types import Alignment, Links, Node, PhrasePair, Sentence
from forest_align.types.label_chain import split_chain
from forest_align.views.constituents import shown_pairs

DEFAULT_WIDTH = 80
_LEAST_WIDTH = 40
_PROBABILITY_WIDTH = 6
_SEPARATOR = " │ "
_BOLD, _DIM, _RED, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[0m"


def to_text(alignment: Alignment, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> str:
    """Show an alignment on lines of at most ``width`` columns.

    Phrases are indented by how deep they lie in other aligned phrases of the source; a star marks a pair
    that only non-compositional alignment could form. Parts of constituents are left out, unless their words
    correspond as a group. Of aligners without trees all phrases are shown, and nothing is said of whole
    sentences.

    Parameters
    ----------
    alignment : Alignment
        The alignment, with phrases or with word links only.
    width : int
        Columns of the terminal, at least 40.
    colour : bool
        Whether to use ANSI escapes.
    """
    paint = _Paint(colour)
    width = max(width, _LEAST_WIDTH)
    lines = [paint(_BOLD, _fit(_title(alignment), width))]
    if alignment.error:
        lines += [paint(_RED, line) for line in _paragraph("error", _plain(alignment.error), width)]
    for name, sentence in (("source", alignment.source), ("target", alignment.target)):
        if sentence.text or sentence.tokens:
            lines += _paragraph(name, _plain(_text_of(sentence)), width)
    shown = shown_pairs(alignment)
    if shown:
        lines += ["", *_phrase_lines(alignment, shown, width, paint)]
        if not all(pair.compositional for pair in shown):
            lines += _paragraph("*", "only non-compositional alignment could form it", width)
    if not alignment.error:
        lines += ["", *_paragraph("words", ", ".join(_word_links(alignment)) or "none", width)]
        for name, sentence, spans in (
            ("source only", alignment.source, alignment.unaligned_source),
            ("target only", alignment.target, alignment.unaligned_target),
        ):
            if spans:
                lines += _paragraph(
                    name, " | ".join(_plain(_words(sentence, *span)) for span in spans), width
                )
    for warning in alignment.warnings:
        lines += _paragraph("warning", _plain(warning), width)
    return "\n".join(lines) + "\n"


class _Paint:
    """Wraps text in escapes, or leaves it alone."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if self._on and style else text


def _title(alignment: Alignment) -> str:
    parts = [f"pair {_plain(alignment.id)}" if alignment.id else "pair", _plain(alignment.aligner)]
    if alignment.phrases and alignment.has_derivation:
        parts.append("whole sentences aligned" if alignment.root_aligned else "partly aligned")
    if alignment.log_probability is not None:
        parts.append(f"log-probability {alignment.log_probability:.2f}")
    return " · ".join(part for part in parts if part)


def _phrase_lines(alignment: Alignment, pairs: Sequence[PhrasePair], width: int, paint: _Paint) -> list[str]:
    column = (width - _PROBABILITY_WIDTH - len(_SEPARATOR)) // 2
    lines, open_ends = [], []  # type: list[str], list[int]
    for pair in pairs:
        while open_ends and pair.source_node.start >= open_ends[-1]:
            open_ends.pop()
        indent = "  " * min(len(open_ends), column // 4)
        open_ends.append(pair.source_node.end)
        cells = [
            _pad(_fit(indent + _phrase(sentence, node), column), column)
            for sentence, node in ((alignment.source, pair.source_node), (alignment.target, pair.target_node))
        ]
        sure = f"{pair.probability:5.2f}" + ("" if pair.compositional else "*")
        style = _BOLD if pair.probability >= 0.5 else _DIM
        lines.append(f"{cells[0]}{paint(_DIM, _SEPARATOR)}{cells[1]}{paint(style, sure)}")
    return lines


def _phrase(sentence: Sentence, node: Node) -> str:
    label = _plain(split_chain(node.label)[0])
    return f"{label} {_plain(_words(sentence, node.start, node.end))}".lstrip()


def _word_links(alignment: Alignment) -> list[str]:
    links: Links = alignment.words
    shown = []
    for k, (i, j) in enumerate(links):
        text = f"{alignment.source.words[i]}–{alignment.target.words[j]}"
        if links.scores is not None:
            text += f" {links.scores[k]:.2f}"
        if alignment.word_evidence and alignment.word_evidence[k]:
            text += f" ({' '.join(alignment.word_evidence[k])})"
        # A no-break space keeps a link on one line; it is undone after wrapping.
        shown.append(_plain(text).replace(" ", "\N{NO-BREAK SPACE}"))
    return shown


def _paragraph(name: str, text: str, width: int) -> list[str]:
    """Text wrapped under a name that stands on its left."""
    rows = wrap(text, max(width - 13, 10), break_on_hyphens=False) or [""]
    rows = [_fit(row.replace("\N{NO-BREAK SPACE}", " "), width - 13) for row in rows]
    return [f"{name if k == 0 else '':<12} {row}".rstrip() for k, row in enumerate(rows)]


def _text_of(sentence: Sentence) -> str:
    return " ".join(sentence.words) if sentence.tokens else sentence.text


def _words(sentence: Sentence, start: int, end: int) -> str:
    return " ".join(sentence.words[start:end])


def _plain(text: str) -> str:
    """Text that cannot move the cursor, change colours or turn the line around."""
    return "".join(
        " "
        if c in "\t\n\r"
        else "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(c) in ("Cc", "Cf", "Cs")
        else c
        for c in text
    )


def _columns_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fit(text: str, width: int) -> str:
    """Cut text to a number of columns, with an ellipsis where something is missing."""
    if sum(map(_columns_of, text)) <= width:
        return text
    used, kept = 1, []
    for character in text:
        used += _columns_of(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _pad(text: str, width: int) -> str:
    return text + " " * (width - sum(map(_columns_of, text)))
