"""A page that shows alignments in any browser: coloured phrases, links on hovering, no external files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from pathlib import Path

from forest_align.alignment._page_tables import arc_table, legend, phrase_table, unsure_class
from forest_align.alignment._palette import page_colour, page_colours
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._relation_signs import sign_of
from forest_align.alignment._shown_pairs import (
    numbers_of,
    paraphrase_note,
    roots_note,
    shown_pairs,
    word_note,
)
from forest_align.alignment._tree_picture import word_names, words_of_pair
from forest_align.alignment.page_text import escaped
from forest_align.alignment.svg import to_svg
from forest_align.types import InputError, Sentence

_HERE = Path(__file__)
#: Style and script of every page. The service allows no other script.
STYLE = page_colours() + _HERE.with_name("page.css").read_text(encoding="utf-8")
SCRIPT = _HERE.with_name("page.js").read_text(encoding="utf-8")

# In a frame, the alignments stand below the code that made them: no heading, no margin.
_FRAME_STYLE = "body { margin: 0; max-width: none; } section:first-of-type { border-top: 0; padding-top: 0; }"


def page_start(title: str, style: str = "", *, has_heading: bool = True) -> str:
    """The start of a page with the style of all pages.

    Parameters
    ----------
    title : str
        Title, and heading.
    style : str
        What the page has besides.
    has_heading : bool
        Whether the heading is shown.
    """
    heading = f"<h1>{title}</h1>\n" if has_heading else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}{style}</style>\n</head>\n<body>\n{heading}"
    )


PAGE_START = page_start("Alignments")
#: End of a page without a script.
BODY_END = "</body>\n</html>\n"
PAGE_END = f"<script>{SCRIPT}</script>\n{BODY_END}"


def to_html(alignments: Iterable[AlignmentRecord]) -> str:
    """Make a whole page with a section for each alignment; use :func:`to_section` for streaming.

    Parameters
    ----------
    alignments : iterable of AlignmentRecord
        Any alignments; those with trees get their trees drawn.
    """
    return PAGE_START + "".join(map(to_section, alignments)) + PAGE_END


def to_iframe(alignments: Iterable[AlignmentRecord]) -> str:
    """Alignments in an ``<iframe>``, which leaves the styles of the page around it (a notebook) alone.

    Parameters
    ----------
    alignments : iterable of AlignmentRecord
        Any alignments.
    """
    start = page_start("Alignments", _FRAME_STYLE, has_heading=False)
    return in_frame(start + "".join(map(to_section, alignments)) + PAGE_END)


def in_frame(page: str) -> str:
    """A whole page as an ``<iframe>``.

    Parameters
    ----------
    page : str
        The page.
    """
    # If the page may not run scripts, the height stays fixed and the frame scrolls.
    fit = "this.style.height = this.contentDocument.documentElement.scrollHeight + 'px'"
    style = "width: 100%; height: 32em; border: 0"
    return f'<iframe srcdoc="{escape(page)}" onload="{fit}" style="{style}"></iframe>'


def to_section(alignment: AlignmentRecord, *, open_trees: bool = False) -> str:
    """One alignment as a ``<section>``, to be placed between ``PAGE_START`` and ``PAGE_END``.

    Each of its alternatives has a section of its own. With ``open_trees`` the pictures are unfolded.
    """
    bodies = [section_body(alignment, open_trees=open_trees)]
    bodies += [
        section_body(one, open_trees=open_trees, number=number)
        for number, one in enumerate(alignment.alternatives, start=2)
    ]
    return "".join(
        f"{section_start(alignment, number)}\n{body}\n</section>\n"
        for number, body in enumerate(bodies, start=1)
    )


def section_start(alignment: AlignmentRecord, number: int = 1) -> str:
    """The start tag of an alignment's section, or of that of its alternative ``number``, from 2."""
    name = f' data-name="{escaped(alignment.id)}"' if alignment.id else ""
    if number > 1:
        return f"<section{name} data-alternative>"
    return f"<section{name} data-alternatives>" if alignment.alternatives else f"<section{name}>"


def section_body(alignment: AlignmentRecord, *, open_trees: bool = False, number: int = 1) -> str:
    """The content of an alignment's section; with ``open_trees`` the picture is unfolded.

    An alternative has a ``number`` from 2.
    """
    pairs = shown_pairs(alignment)
    notes = [alignment.aligner, roots_note(alignment), paraphrase_note(alignment)]
    if alignment.log_probability is not None:
        notes.append(f"log score {alignment.log_probability:.2f}")
    if alignment.score is not None:
        notes.append(f"score {alignment.score:.2f}")
    note = escaped(" · ".join(filter(None, notes)))
    name = f"Pair {escaped(alignment.id)}".rstrip() if number == 1 else f"Alternative {number}"
    body = [f'<h2>{name} <span class="note">{note}</span></h2>']
    if alignment.error:
        body.append(f'<p class="error">{escaped(alignment.error)}</p>')
    body += [f'<p class="note">{escaped(warning)}</p>' for warning in alignment.warnings]
    body.append(sentence_lines(alignment))
    if alignment.outside:
        body.append(f'<p class="note">{escaped(_outside_note(alignment))}</p>')
    if pairs:
        body.append(phrase_table(alignment, pairs))
    if alignment.arcs:
        body.append(arc_table(alignment))
    if len(alignment.source) and len(alignment.target) and not alignment.error:
        body.append(picture_of(alignment, open_trees))
    body.append(legend(alignment, pairs))
    return "\n".join(filter(None, body))


def _outside_note(alignment: AlignmentRecord) -> str:
    """The links outside of the derivation."""
    source, target = alignment.source.words, alignment.target.words
    links = ", ".join(f"{source[i]}–{target[j]}" for i, j in alignment.outside)
    return f"dotted: links that the phrases leave out: {links}"


def sentence_lines(alignment: AlignmentRecord) -> str:
    """Both sentences, their aligned phrases as nested spans."""
    pairs = shown_pairs(alignment)
    return "\n".join(_side(alignment, pairs, side) for side in (0, 1))


def _side(alignment: AlignmentRecord, pairs: Sequence[PhrasePair], side: int) -> str:
    """One sentence, its aligned phrases as nested spans."""
    sentence = (alignment.source, alignment.target)[side]
    if not sentence.tokens:
        return f'<div class="side">{escaped(sentence.text)}</div>'
    opening, closing = _nested(pairs, side, len(sentence))
    parts = []
    for index in range(len(sentence)):
        parts += [*opening[index], _word(alignment, sentence, side, index), "</span>" * closing[index], " "]
    return f'<div class="side">{"".join(parts).rstrip()}</div>'


def _nested(pairs: Sequence[PhrasePair], side: int, length: int) -> tuple[list[list[str]], list[int]]:
    """Spans that open before each word and how many close after it; crossing spans are dropped."""
    opening: list[list[str]] = [[] for _ in range(length)]
    closing = [0] * length
    numbers = numbers_of(pairs)
    phrases = sorted(
        ((p.target_node if side else p.source_node, k) for k, p in enumerate(pairs) if k in numbers),
        key=lambda phrase: (phrase[0].start, -phrase[0].end),
    )
    ends: list[int] = []
    for node, k in phrases:
        while ends and ends[-1] <= node.start:
            ends.pop()
        if ends and node.end > ends[-1]:
            continue
        label = f"{node.label} " if node.label else ""
        title = escaped(f"{numbers[k] + 1}: {label}{pairs[k].probability:.2f}")
        depth = max(2, 14 - 4 * len(ends))
        opening[node.start].append(
            f'<span class="p{unsure_class(pairs[k])}" style="--c:{page_colour(numbers[k])};--d:{depth}px" '
            f'title="{title}" data-n="{numbers[k] + 1}{sign_of(pairs[k])}" data-pair="{k}" '
            f'data-p="{pairs[k].probability:.4f}" '
            f'data-with="{words_of_pair(pairs[k])}">'
        )
        closing[node.end - 1] += 1
        ends.append(node.end)
    return opening, closing


def _word(alignment: AlignmentRecord, sentence: Sentence, side: int, index: int) -> str:
    links = [link for link in alignment.words if link[side] == index]
    partners = [word_names(1 - side, link[1 - side], link[1 - side] + 1)[0] for link in links]
    name = word_names(side, index, index + 1)[0]
    note = word_note(alignment, side, index)
    title = f' title="{escaped(note)}"' if note else ""
    style = "w" if partners else "w un"
    style += " out" if any(link in alignment.outside for link in links) else ""
    lights = " ".join([name, *partners])
    word = escaped(sentence.words[index])
    return f'<span class="{style}" data-w="{name}" data-with="{lights}"{title}>{word}</span>'


def picture_of(
    alignment: AlignmentRecord, is_open: bool, rings: Collection[tuple[int, int]] = frozenset()
) -> str:
    """The picture of an alignment in a part of the page that folds; some links may be marked with a ring."""
    opening = "<details open>" if is_open else "<details>"
    title = "trees" if alignment.source_tree and alignment.target_tree else "links"
    try:
        picture = to_svg(alignment, rings=rings)
    except InputError:
        # Trees read from a file may not fit the tokens; everything else can still be shown.
        return '<p class="note">The trees do not fit the tokens.</p>'
    except RecursionError:
        return '<p class="note">The trees are too deep to be drawn.</p>'
    return f'{opening}<summary>{title}</summary><div class="picture">{picture}</div></details>'
