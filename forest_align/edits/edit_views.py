"""Edits for people: a list for the terminal, and tracked changes as mark-up and as a page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from forest_align.alignment import Alignment
from forest_align.alignment.html import page_start
from forest_align.alignment.page_style import DELETED, DIVIDED, INSERTED, MOVED, REPLACED, escaped
from forest_align.edits._edit import Edit

_MARK_BEGINS, _EMPTY_COMMENT = re.compile(r"\{(?=\+\+|--|~~|>>|==)"), "{{>><<}"
_STYLE = f"""
p.edits {{ line-height: 2; white-space: pre-wrap; }}
ins, del {{ text-decoration: none; border-radius: 3px; padding: 1px 2px; }}
del {{ background: {DELETED}33; text-decoration: line-through; }} ins {{ background: {INSERTED}33; }}
.replace del, .replace ins {{ background: {REPLACED}44; }} .move del, .move ins {{ background: {MOVED}33; }}
.move ins {{ border-bottom: 2px solid {MOVED}; }} .split ins, .merge ins {{ background: {DIVIDED}33; }}
"""
EDITS_PAGE_START = (
    page_start("Edits", _STYLE)
    + '<p class="note">Struck through: words of the source. Orange: replaced. Blue: moved. '
    "Violet: sentences split or merged. A word shows its reason when the mouse is over it.</p>\n"
)


def edits_to_text(alignment: Alignment, edits: Sequence[Edit]) -> str:
    """One line for each change: kind, reason and words."""
    lines = [f"pair {alignment.id}" if alignment.id else "pair"]
    for edit in edits:
        if edit.kind == "keep":
            continue
        words = " → ".join(text for text in (edit.source_text, edit.target_text) if text)
        words = edit.source_text if edit.kind == "move" and not edit.reason else words
        lines.append(f"{edit.kind:<8} {edit.reason:<14} {' '.join(words.split())}")
    if len(lines) == 1:
        lines.append("no edits")
    return "\n".join(lines) + "\n"


def edits_to_markup(alignment: Alignment, edits: Iterable[Edit]) -> str:
    """Both texts in CriticMarkup: ``{--deleted--}``, ``{++inserted++}``, ``{~~old~>new~~}``.

    Accepting every change yields the raw target, rejecting every change the raw source. A moved span is
    deleted in one place and inserted in the other, with the comment ``{>>move<<}``. Text that looks like a
    mark is broken up, by an empty comment or by a second mark.
    """
    parts = []
    plain = ""
    for old, new, edit in _tracked_changes(alignment, edits):
        if old == new:
            plain += new
            continue
        parts += [_MARK_BEGINS.sub(_EMPTY_COMMENT, plain), _marked(old, new)]
        plain = ""
        if edit is not None and edit.kind == "move":
            parts.append("{>>move<<}")
    return "".join([*parts, _MARK_BEGINS.sub(_EMPTY_COMMENT, plain)])


def _marked(old: str, new: str) -> str:
    """One change in CriticMarkup; what ends a mark is cut in two."""
    if old and new and not ("~>" in old or "~~}" in old or "~~}" in new):
        return f"{{~~{old}~>{new}~~}}"
    deleted = "{--" + old.replace("--}", "---}{---}") + "--}" if old else ""
    return deleted + ("{++" + new.replace("++}", "+++}{+++}") + "++}" if new else "")


def edits_to_html(alignment: Alignment, edits: Iterable[Edit]) -> str:
    """Tracked changes of one pair: a section for behind ``EDITS_PAGE_START``.

    The text of ``p.edits`` is the raw target without its ``del`` elements, and the raw source without its
    ``ins`` elements.
    """
    parts = []
    for old, new, edit in _tracked_changes(alignment, edits):
        if old == new:
            parts.append(_text(new))
            continue
        marks = (f"<del>{_text(old)}</del>" if old else "") + (f"<ins>{_text(new)}</ins>" if new else "")
        if edit is not None:
            title = escaped(f"{edit.kind}: {edit.reason}" if edit.reason else edit.kind)
            if edit.probability is not None:
                title += f" {edit.probability:.2f}"
            marks = f'<span class="{edit.kind}" title="{title}">{marks}</span>'
        parts.append(marks)
    head = f'<h2>Pair {escaped(alignment.id)} <span class="note">{escaped(alignment.aligner)}</span></h2>'
    return f'<section>\n{head}\n<p class="edits">{"".join(parts)}</p>\n</section>\n'


def _text(text: str) -> str:
    # A browser would read a carriage return as the end of a line.
    return escaped(text).replace("\r", "&#13;")


class _Change(NamedTuple):
    """A piece of both raw texts: its old and its new characters, and the edit, None for white space."""

    old: str
    new: str
    edit: Edit | None


def _tracked_changes(alignment: Alignment, edits: Iterable[Edit]) -> list[_Change]:
    """Divide both raw texts into pieces, whose old parts make the source and whose new parts the target.

    The white space before deleted or inserted words belongs to them.
    """
    if alignment.error:
        return []
    texts = alignment.source.with_offsets().text, alignment.target.with_offsets().text
    changes: list[_Change] = []
    ends = [0, 0]
    for edit, sides in _shown(edits):
        spaces, words = ["", ""], ["", ""]
        for side in sides:
            start, end = (edit.source_characters, edit.target_characters)[side]
            spaces[side], words[side] = texts[side][ends[side] : start], texts[side][start:end]
            ends[side] = end
        if len(sides) == 2:
            _add_space(changes, *spaces)
            changes.append(_Change(words[0], words[1], edit))
        else:
            changes.append(_Change(spaces[0] + words[0], spaces[1] + words[1], edit))
    _add_space(changes, *(text[end:] for text, end in zip(texts, ends, strict=True)))
    return changes


def _add_space(changes: list[_Change], old: str, new: str) -> None:
    """Add white space; what only one text has joins the words before it that only this text has."""
    last = changes[-1] if changes else None
    if last is not None and (not (new or last.new) or not (old or last.old)):
        changes[-1] = last._replace(old=last.old + old, new=last.new + new)
    else:
        changes.append(_Change(old, new, None))


def _shown(edits: Iterable[Edit]) -> list[tuple[Edit, tuple[int, ...]]]:
    """The edits in the order of a view, each with the sides whose words it shows: 0 source, 1 target.

    A move is shown twice: where its words were, and where they are. Between two edits that keep their place
    in both texts, words of the source come first.
    """
    in_place: list[Edit] = []
    others: list[Edit] = []
    for edit in edits:
        is_in_place = edit.kind != "move" and all(start < end for start, end in (edit.source, edit.target))
        (in_place if is_in_place else others).append(edit)
    in_place.sort(key=lambda edit: edit.source)
    rows: list[tuple[tuple[int, int, int], Edit, tuple[int, ...]]] = [
        ((number, -1, 0), edit, (0, 1)) for number, edit in enumerate(in_place, 1)
    ]
    for side in (0, 1):
        ends = [(edit.source, edit.target)[side][1] for edit in in_place]
        for edit in others:
            start, end = (edit.source, edit.target)[side]
            if start < end:
                rows.append(((bisect_right(ends, start), side, start), edit, (side,)))
    return [(edit, sides) for _, edit, sides in sorted(rows, key=lambda row: row[0])]
