"""Edits for people: a list for the terminal, inline mark-up, and a page for the browser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forest_align.alignment import Alignment
from forest_align.alignment.html import page_start
from forest_align.alignment.page_text import escaped
from forest_align.edits.edit import Edit, in_target_order

_STYLE = """
p.edits { line-height: 2; white-space: pre-wrap; }
ins, del { text-decoration: none; border-radius: 3px; padding: 1px 2px; }
del { background: #d3333333; text-decoration: line-through; } ins { background: #2a9d4a33; }
.replace del, .replace ins { background: #e69f0044; } .move del, .move ins { background: #4477cc33; }
.move ins { border-bottom: 2px solid #4477cc; } .split ins, .merge ins { background: #aa44aa33; }
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
        lines.append(f"{edit.kind:<8} {edit.reason:<14} {_one_line(words)}")
    if len(lines) == 1:
        lines.append("no edits")
    return "\n".join(lines) + "\n"


def edits_to_markup(edits: Iterable[Edit]) -> str:
    """The target with its changes in CriticMarkup: ``{--deleted--}``, ``{++inserted++}``, ``{~~old~>new~~}``.

    A moved span is deleted in one place and inserted in the other, with the comment ``{>>move<<}``.
    """
    parts = []
    begun = False
    for edit, text, gone in _shown(edits):
        begun = begun or bool(text)
        note = "{>>move<<}" if edit.kind == "move" else ""
        if gone and text:
            parts.append(f"{edit.space}{{~~{gone}~>{text}~~}}")
        elif gone:
            parts.append(_beside(f"{{--{gone}--}}{note}", begun))
        elif edit.kind == "keep":
            parts.append(f"{edit.space}{text}")
        else:
            parts.append(f"{edit.space}{{++{text}++}}{note}")
    return "".join(parts)


def edits_to_html(alignment: Alignment, edits: Sequence[Edit]) -> str:
    """Tracked changes of one pair: a section for behind ``EDITS_PAGE_START``."""
    parts = []
    begun = False
    for edit, text, gone in _shown(edits):
        begun = begun or bool(text)
        space = escaped(edit.space) if text else ""
        if edit.kind == "keep":
            parts.append(f"{space}{escaped(text)}")
            continue
        title = escaped(f"{edit.kind}: {edit.reason}" if edit.reason else edit.kind)
        if edit.probability is not None:
            title += f" {edit.probability:.2f}"
        marks = (f"<del>{escaped(gone)}</del>" if gone else "") + (
            f"<ins>{escaped(text)}</ins>" if text else ""
        )
        marked = f'{space}<span class="{edit.kind}" title="{title}">{marks}</span>'
        parts.append(marked if text else _beside(marked, begun))
    note = escaped(alignment.aligner)
    head = f'<h2>Pair {escaped(alignment.id)} <span class="note">{note}</span></h2>'
    return f'<section>\n{head}\n<p class="edits">{"".join(parts)}</p>\n</section>\n'


def _shown(edits: Iterable[Edit]) -> list[tuple[Edit, str, str]]:
    """What a view shows, in the order of the target: each edit with its new and its old words.

    A move is shown twice: where its words come from, and where they are.
    """
    ordered = list(in_target_order(edits))
    shown: list[tuple[Edit, str, str]] = []
    for edit in ordered:
        old = edit.source_text if edit.kind not in ("keep", "move") else ""
        shown.append((edit, edit.target_text, old))
    for edit in (one for one in ordered if one.kind == "move"):
        # Old words stand behind the last words that stood before them and have kept their place.
        place = max(
            (
                k
                for k, (one, _, _) in enumerate(shown)
                if one.kind != "move" and one.source[1] <= edit.source[0]
            ),
            default=-1,
        )
        shown.insert(place + 1, (edit, "", edit.source_text))
    return shown


def _beside(deleted: str, begun: bool) -> str:
    """Deleted words with a blank between them and those of the target: before, at the start behind."""
    return f" {deleted}" if begun else f"{deleted} "


def _one_line(text: str) -> str:
    return " ".join(text.split())
