"""A view of one alignment for the terminal: the phrases that differ in two columns, and words left over."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import (
    LIKELY,
    changed_links,
    core_places,
    ordered_pairs,
    paraphrase_note,
    relation_note,
    roots_note,
)
from forest_align.types import Sentence
from forest_align.types.brackets import split_chain

DEFAULT_WIDTH = 80
_LEAST_WIDTH = 40
_NAME_WIDTH, _PROBABILITY_WIDTH = 13, 6
_SEPARATOR = " │ "
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
# A style and a text -> the text with the escapes of the style, or unchanged.
_Paint = Callable[[str, str], str]
_BOLD, _DIM, _RED, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[0m"


def to_text(
    alignment: AlignmentRecord,
    *,
    width: int = DEFAULT_WIDTH,
    colour: bool = False,
    everything: bool = False,
) -> str:
    """Show what differs between the sentences of an alignment, and its alternatives below it.

    The pairs of phrases whose difference is their own come first, each with its probability and, where known,
    its relation. Then come the links of different words outside of these phrases, and the words that are left
    over. If a word or phrase is repeated in its sentence, a subscript says which one it is. Nothing is cut:
    phrases that do not fit side by side into ``width`` (at least 40) columns are one below the other. With
    ``colour`` pairs below 0.5 are pale. With ``everything`` all pairs are shown with their labels, indented
    by depth, and all links; a star marks a pair that only non-compositional alignment could form.
    """
    width = max(width, _LEAST_WIDTH)

    def paint(style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if colour else text

    lines = _title(alignment, paint, width, everything)
    if alignment.error:
        lines += [paint(_RED, line) for line in _paragraph("error", plain(alignment.error), width)]
    for name, sentence in (("source", alignment.source), ("target", alignment.target)):
        if sentence.text or sentence.tokens:
            text = " ".join(sentence.words) if sentence.tokens else sentence.text
            lines += _paragraph(name, plain(text), width)
    lines += _body(alignment, width, paint, everything)
    for number, other in enumerate(alignment.alternatives, start=2):
        lines += ["", *_title(other, paint, width, everything, number)]
        lines += _body(other, width, paint, everything)
    return "\n".join(lines) + "\n"


def _body(alignment: AlignmentRecord, width: int, paint: _Paint, everything: bool) -> list[str]:
    """What differs, or all that is aligned, and the words that are left over."""
    lines = []
    pairs = ordered_pairs(alignment)
    if not everything:
        pairs = [pairs[place] for place in core_places(alignment, pairs)]
    if pairs:
        lines += ["", *_phrase_lines(alignment, pairs, width, paint, everything)]
        if everything and not all(pair.compositional for pair in pairs):
            lines += _paragraph("*", "only non-compositional alignment could form it", width)
    if not alignment.error:
        lines += ["", *_word_lines(alignment, pairs, width, everything)]
        if everything and alignment.arcs:
            lines += ["", *_paragraph("arcs", ", ".join(_arcs(alignment)), width)]
        if hidden := len(alignment.phrases) - len(pairs):
            more = "1 more phrase pair; --all shows it"
            if hidden > 1:
                more = f"{hidden} more phrase pairs; --all shows them"
            lines += [paint(_DIM, line) for line in _paragraph("not shown", more, width)]
    for warning in alignment.warnings:
        lines += _paragraph("warning", plain(warning), width)
    return lines


def _word_lines(
    alignment: AlignmentRecord, pairs: Sequence[PhrasePair], width: int, everything: bool
) -> list[str]:
    """The links that no phrase pair shows, or all of them, and the words without any."""
    lines = []
    inside, outside = _word_links(alignment, pairs, everything)
    if inside or everything:
        lines += _paragraph("words", ", ".join(inside) or "none", width)
    if outside:
        lines += _paragraph("outside", f"{', '.join(outside)} (links that the phrases leave out)", width)
    for name, sentence, spans in (
        ("source only", alignment.source, alignment.unaligned_source),
        ("target only", alignment.target, alignment.unaligned_target),
    ):
        if spans:
            words = _numbered(sentence)
            lines += _paragraph(name, " | ".join(plain(words(*span)) for span in spans), width)
    return lines if lines or pairs else _paragraph("differs", "nothing", width)


def _title(
    alignment: AlignmentRecord, paint: _Paint, width: int, everything: bool, number: int = 1
) -> list[str]:
    if number > 1:
        parts = [f"alternative {number}"]
    else:
        parts = [f"pair {plain(alignment.id)}" if alignment.id else "pair", plain(alignment.aligner)]
    if alignment.phrases and alignment.has_derivation:
        parts.append(roots_note(alignment) if alignment.root_aligned else "partly aligned")
    parts += [alignment.root_relation, paraphrase_note(alignment)]
    if everything and alignment.log_probability is not None:
        parts.append(f"log score {alignment.log_probability:.2f}")
    if everything and alignment.score is not None:
        parts.append(f"score {alignment.score:.2f}")
    title = " · ".join(part for part in parts if part)
    return [paint(_BOLD, row) for row in _wrapped(title, width)]


def _phrase_lines(
    alignment: AlignmentRecord,
    pairs: Sequence[PhrasePair],
    width: int,
    paint: _Paint,
    everything: bool,
) -> list[str]:
    """The phrase pairs in two columns; with ``everything``, with labels and indents."""
    room = width - _PROBABILITY_WIDTH
    numbered = _numbered(alignment.source), _numbered(alignment.target)
    rows: list[tuple[str, str]] = []
    indents: list[int] = []
    open_ends: list[int] = []
    for pair in pairs:
        while open_ends and pair.source_node.start >= open_ends[-1]:
            open_ends.pop()
        indents.append(2 * min(len(open_ends), room // 8) if everything else 0)
        open_ends.append(pair.source_node.end)
        source, target = (
            plain(f"{split_chain(node.label)[0]} {words(*node.span)}" if everything else words(*node.span))
            for node, words in zip((pair.source_node, pair.target_node), numbered, strict=True)
        )
        rows.append((source.lstrip(), target.lstrip()))
    indented = [
        (" " * indent + source, " " * indent + target)
        for indent, (source, target) in zip(indents, rows, strict=True)
    ]
    columns = _shared_columns(indented, room - len(_SEPARATOR))
    whole = sum(columns) + len(_SEPARATOR)
    if any(width_of(cell) > column for row in indented for cell, column in zip(row, columns, strict=True)):
        whole = room
    lines = []
    for pair, row, indent in zip(pairs, rows, indents, strict=True):
        *above, last = _row_lines(row, columns, whole, indent)
        sure = f"{pair.probability:5.2f}" + ("" if pair.compositional or not everything else "*")
        note = "" if relation_note(pair) == "equivalent" else relation_note(pair)
        is_short = whole + _PROBABILITY_WIDTH + 1 + width_of(note) <= width
        behind = f"{'':{_PROBABILITY_WIDTH + 1 - len(sure)}}{note}" if note and is_short else ""
        below = [] if is_short else [f"{'':{indent}}  {line}" for line in _wrapped(note, width - indent - 2)]
        if pair.probability < LIKELY:
            lines += [paint(_DIM, line) for line in (*above, last + sure + behind, *below)]
        else:
            lines += [*above, last + paint(_BOLD, sure) + behind, *below]
    return lines


def _word_links(
    alignment: AlignmentRecord, pairs: Sequence[PhrasePair], everything: bool
) -> tuple[list[str], list[str]]:
    """The links to list, and those outside of the derivation; probabilities in the table are not repeated."""
    links = alignment.words
    source, target = _numbered(alignment.source), _numbered(alignment.target)
    in_table = {(pair.source_node.span, pair.target_node.span): pair.probability for pair in pairs}
    inside: list[str] = []
    outside: list[str] = []
    is_whole = everything or bool(alignment.word_evidence)
    for k in range(len(links)) if is_whole else changed_links(alignment, pairs):
        i, j = links.pairs[k]
        text = f"{source(i, i + 1)}–{target(j, j + 1)}"
        if links.scores is not None and in_table.get(((i, i + 1), (j, j + 1))) != links.scores[k]:
            text += f" {links.scores[k]:.2f}"
        if alignment.word_evidence and alignment.word_evidence[k]:
            text += f" ({' '.join(alignment.word_evidence[k])})"
        # A no-break space keeps a link on one line; it is replaced after wrapping.
        shown = outside if (i, j) in alignment.outside else inside
        shown.append(plain(text).replace(" ", "\N{NO-BREAK SPACE}"))
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
        shown.append(plain(text).replace(" ", "\N{NO-BREAK SPACE}"))
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
    """Wrap text next to a name on its left; a no-break space keeps words on one line if it is long enough."""
    rows = _wrapped(text, width - _NAME_WIDTH) or [""]
    return [
        f"{name if k == 0 else '':<{_NAME_WIDTH - 1}} {row}".replace("\N{NO-BREAK SPACE}", " ").rstrip()
        for k, row in enumerate(rows)
    ]


def plain(text: str) -> str:
    """Text that cannot move the cursor, change colours or reverse the line."""
    if text.isprintable():
        return text
    return "".join(
        " "
        if c in "\t\n\r"
        else "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(c) in ("Cc", "Cf", "Cs")
        else c
        for c in text
    )


def columns_of(character: str) -> int:
    """The columns that a character takes on a terminal."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


def _padded(text: str, width: int) -> str:
    """Text with blanks up to a width."""
    return text + " " * (width - width_of(text))


def _wrapped(text: str, width: int) -> list[str]:
    """Break text into lines of at most ``width`` columns, at blanks if possible; only outer blanks go."""
    rows: list[str] = []
    used = width
    for word in filter(None, text.split(" ")):
        own = width_of(word)
        if used + 1 + own <= width:
            rows[-1] += f" {word}"
            used += 1 + own
        else:
            rows += _pieces(word, width)
            used = width_of(rows[-1])
    return rows


def _pieces(word: str, width: int) -> list[str]:
    """A word in pieces of at most ``width`` columns."""
    pieces, used = [""], 0
    for character in word:
        used += columns_of(character)
        if used > width and pieces[-1]:
            pieces.append("")
            used = columns_of(character)
        pieces[-1] += character
    return pieces


def _shared_columns(cells: Sequence[tuple[str, str]], room: int) -> tuple[int, int]:
    """Widths of two columns for the cells that fit side by side into ``room`` columns, without separators."""
    widths = [(width_of(left), width_of(right)) for left, right in cells]
    if max(left for left, _ in widths) + max(right for _, right in widths) <= room:
        fitting = widths
    else:
        fitting = [row for row in widths if max(row) <= room // 2] or [(room // 2, room - room // 2)]
    return max(left for left, _ in fitting), max(right for _, right in fitting)


def _row_lines(cells: tuple[str, str], columns: tuple[int, int], width: int, indent: int) -> list[str]:
    """The lines of a row: cells side by side if their columns suffice, otherwise one below the other.

    The last line is padded to ``width``; ``indent`` columns are blank before each cell.
    """
    blanks = " " * indent
    source, target = (blanks + cell for cell in cells)
    if width_of(source) <= columns[0] and width_of(target) <= columns[1]:
        return [_padded(f"{_padded(source, columns[0])}{_SEPARATOR}{target}", width)]
    upper = [blanks + line for line in _wrapped(cells[0], width - indent)]
    lower = [f"{blanks}│ {line}" for line in _wrapped(cells[1], width - indent - 2) or [""]]
    return [*upper, *lower[:-1], _padded(lower[-1], width)]
