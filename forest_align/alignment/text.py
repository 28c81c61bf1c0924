"""A view of one alignment for the terminal: phrases of the two sentences in two columns, words underneath."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from textwrap import wrap

from forest_align.alignment._links import Links
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import (
    LIKELY,
    hidden_note,
    paraphrase_note,
    relation_note,
    roots_note,
    shown_pairs,
    similarity_note,
)
from forest_align.types import Node, Sentence
from forest_align.types.brackets import split_chain

DEFAULT_WIDTH = 80
_LEAST_WIDTH = 40
_PROBABILITY_WIDTH = 6
_SEPARATOR = " │ "
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_BOLD, _DIM, _RED, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[0m"


def to_text(alignment: AlignmentRecord, *, width: int | None = DEFAULT_WIDTH, colour: bool = False) -> str:
    """Show an alignment on lines of at most ``width`` columns, and its alternatives below it.

    A phrase is indented by its depth inside other aligned phrases of the source. A star marks a pair that
    only non-compositional alignment could form. Parts of constituents are hidden and counted, unless their
    words correspond as a group. The relation of two phrases follows the probability, unless they are simply
    equivalent. For aligners without trees, all phrases are shown and the note on whole sentences is omitted.
    If a word or phrase is repeated in its sentence, a subscript says which one it is.

    Parameters
    ----------
    alignment : AlignmentRecord
        The alignment, with phrases or with word links only.
    width : int or None
        Columns of the terminal, at least 40. With None, phrases are never cut and other lines wrap at 80.
    colour : bool
        Whether to use ANSI escapes; pairs with a probability below 0.5 are then pale.
    """
    paint = _Styler(colour)
    table_width = None if width is None else max(width, _LEAST_WIDTH)
    width = table_width or DEFAULT_WIDTH
    lines = [_title(alignment, paint, table_width)]
    if alignment.error:
        lines += [paint(_RED, line) for line in _paragraph("error", _plain(alignment.error), width)]
    for name, sentence in (("source", alignment.source), ("target", alignment.target)):
        if sentence.text or sentence.tokens:
            lines += _paragraph(name, _plain(_text_of(sentence)), width)
    lines += _body(alignment, table_width, paint)
    for number, one in enumerate(alignment.alternatives, start=2):
        lines += ["", _title(one, paint, table_width, number), *_body(one, table_width, paint)]
    return "\n".join(lines) + "\n"


def _body(alignment: AlignmentRecord, table_width: int | None, paint: _Styler) -> list[str]:
    """What is aligned: phrases and words, and the words that are not."""
    width = table_width or DEFAULT_WIDTH
    lines = []
    shown = shown_pairs(alignment)
    if shown:
        lines += ["", *_phrase_lines(alignment, shown, table_width, paint)]
        if not all(pair.compositional for pair in shown):
            lines += _paragraph("*", "only non-compositional alignment could form it", width)
        if any(pair.relation is not None for pair in shown):
            lines += _paragraph("relation", "equivalent where nothing is noted", width)
        if hidden := hidden_note(alignment, shown):
            lines += [
                paint(_DIM, line) for line in _paragraph("not shown", f"{hidden}; --to jsonl has all", width)
            ]
    if not alignment.error:
        inside, outside = _word_links(alignment, shown)
        lines += ["", *_paragraph("words", ", ".join(inside) or "none", width)]
        if outside:
            lines += _paragraph("outside", f"{', '.join(outside)} (links that the phrases leave out)", width)
        for name, sentence, spans in (
            ("source only", alignment.source, alignment.unaligned_source),
            ("target only", alignment.target, alignment.unaligned_target),
        ):
            if spans:
                words = _numbered(sentence)
                lines += _paragraph(name, " | ".join(_plain(words(*span)) for span in spans), width)
        if alignment.arcs:
            lines += ["", *_paragraph("arcs", ", ".join(_arcs(alignment)), width)]
    for warning in alignment.warnings:
        lines += _paragraph("warning", _plain(warning), width)
    return lines


class _Styler:
    """Wraps text in escapes, or leaves it unchanged."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if self._on and style else text


def _title(alignment: AlignmentRecord, paint: _Styler, width: int | None, number: int = 1) -> str:
    if number > 1:
        parts = [f"alternative {number}"]
    else:
        parts = [f"pair {_plain(alignment.id)}" if alignment.id else "pair", _plain(alignment.aligner)]
    if alignment.phrases and alignment.has_derivation:
        parts.append(roots_note(alignment) if alignment.root_aligned else "partly aligned")
    parts.append(paraphrase_note(alignment))
    if alignment.log_probability is not None:
        parts.append(f"log score {alignment.log_probability:.2f}")
    if alignment.score is not None:
        parts.append(f"score {alignment.score:.2f}")
    title = " · ".join(part for part in parts if part)
    return paint(_BOLD, title if width is None else _fit(title, width))


def _phrase_lines(
    alignment: AlignmentRecord, pairs: Sequence[PhrasePair], width: int | None, paint: _Styler
) -> list[str]:
    notes = _relations(pairs, width)
    note_width = max(map(_width_of, notes))
    room = None if width is None else width - _PROBABILITY_WIDTH - len(_SEPARATOR) - note_width
    rows, open_ends = [], []  # type: list[tuple[str, str]], list[int]
    words = _numbered(alignment.source), _numbered(alignment.target)
    for pair in pairs:
        while open_ends and pair.source_node.start >= open_ends[-1]:
            open_ends.pop()
        depth = len(open_ends) if room is None else min(len(open_ends), room // 8)
        open_ends.append(pair.source_node.end)
        source, target = (
            "  " * depth + _phrase(node, text(*node.span))
            for node, text in zip((pair.source_node, pair.target_node), words, strict=True)
        )
        rows.append((source, target))
    columns = _shared(room, *(max(map(_width_of, column)) for column in zip(*rows, strict=True)))
    lines = []
    for pair, row, note in zip(pairs, rows, notes, strict=True):
        cells = [_pad(_fit(cell, column), column) for cell, column in zip(row, columns, strict=True)]
        sure = f"{pair.probability:5.2f}" + ("" if pair.compositional else "*")
        note = " " * (_PROBABILITY_WIDTH - len(sure)) + note if note else ""
        if pair.probability < LIKELY:
            lines.append(paint(_DIM, _SEPARATOR.join(cells) + sure + note))
        else:
            lines.append(f"{cells[0]}{paint(_DIM, _SEPARATOR)}{cells[1]}{paint(_BOLD, sure)}{note}")
    return lines


def _relations(pairs: Sequence[PhrasePair], width: int | None) -> list[str]:
    """The relation of each pair, in at most a third of the columns; nothing for simple equivalents."""
    notes = []
    for pair in pairs:
        note = relation_note(pair)
        shown = f" {note} {similarity_note(pair)}".rstrip() if note not in ("", "equivalent") else ""
        notes.append(shown if width is None else _fit(shown, width // 3))
    return notes


def _shared(room: int | None, left: int, right: int) -> tuple[int, int]:
    """Widths of two columns: as much as each needs if there is room, otherwise fair shares."""
    if room is None or left + right <= room:
        return left, right
    half = room // 2
    if left <= half:
        return left, room - left
    return (room - right, right) if right <= half else (half, half)


def _phrase(node: Node, words: str) -> str:
    return _plain(f"{split_chain(node.label)[0]} {words}").lstrip()


def _word_links(alignment: AlignmentRecord, pairs: Sequence[PhrasePair]) -> tuple[list[str], list[str]]:
    """The links, and those outside of the derivation; probabilities in the table are not repeated."""
    links: Links = alignment.words
    source, target = _numbered(alignment.source), _numbered(alignment.target)
    in_table = {(pair.source_node.span, pair.target_node.span): pair.probability for pair in pairs}
    inside: list[str] = []
    outside: list[str] = []
    for k, (i, j) in enumerate(links):
        text = f"{source(i, i + 1)}–{target(j, j + 1)}"
        if links.scores is not None and in_table.get(((i, i + 1), (j, j + 1))) != links.scores[k]:
            text += f" {links.scores[k]:.2f}"
        if alignment.word_evidence and alignment.word_evidence[k]:
            text += f" ({' '.join(alignment.word_evidence[k])})"
        # A no-break space keeps a link on one line; it is replaced after wrapping.
        shown = outside if (i, j) in alignment.outside else inside
        shown.append(_plain(text).replace(" ", "\N{NO-BREAK SPACE}"))
    return inside, outside


def _arcs(alignment: AlignmentRecord) -> list[str]:
    """Pairs of dependencies, each as ``type(governor, dependent)``."""
    source, target = _numbered(alignment.source), _numbered(alignment.target)
    shown = []
    for pair in alignment.arcs:
        sides = (
            (source, pair.source_relation, pair.source),
            (target, pair.target_relation, pair.target),
        )
        text = "–".join(
            f"{relation}({'ROOT' if governor < 0 else words(governor, governor + 1)}, "
            f"{words(dependent, dependent + 1)})"
            for words, relation, (governor, dependent) in sides
        )
        shown.append(_plain(text).replace(" ", "\N{NO-BREAK SPACE}"))
    return shown


def _numbered(sentence: Sentence) -> Callable[[int, int], str]:
    """A function that returns the words of a span, numbered if they are repeated in the sentence."""
    words = sentence.words

    def text(start: int, end: int) -> str:
        span, length = words[start:end], end - start
        # Compare the first word first, so that few spans of a long sentence are compared in full.
        starts = [k for k, word in enumerate(words) if word == words[start] and words[k : k + length] == span]
        number = str(starts.index(start) + 1).translate(_SUBSCRIPTS) if len(starts) > 1 else ""
        return " ".join(span) + number

    return text


def _paragraph(name: str, text: str, width: int) -> list[str]:
    """Wrap text beside a name on its left."""
    rows = wrap(text, max(width - 13, 10), break_on_hyphens=False) or [""]
    rows = [_fit(row.replace("\N{NO-BREAK SPACE}", " "), width - 13) for row in rows]
    return [f"{name if k == 0 else '':<12} {row}".rstrip() for k, row in enumerate(rows)]


def _text_of(sentence: Sentence) -> str:
    return " ".join(sentence.words) if sentence.tokens else sentence.text


def _plain(text: str) -> str:
    """Text that cannot move the cursor, change colours or reverse the line."""
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


def _width_of(text: str) -> int:
    return sum(map(_columns_of, text))


def _fit(text: str, width: int) -> str:
    """Cut text to a number of columns, with an ellipsis for the missing part."""
    if _width_of(text) <= width:
        return text
    used, kept = 1, []
    for character in text:
        used += _columns_of(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width_of(text))
