"""Pages for any browser, without other files: alignments, and two of the same sentences side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from forest_align.alignment._page_tables import (
    arc_table,
    difference_table,
    phrase_table,
    table_cells,
    unsure_class,
)
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._picture_layout import sign_of, word_names, words_of_pair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import (
    core_places,
    ordered_pairs,
    paraphrase_note,
    roots_note,
    spans_of,
    word_note,
)
from forest_align.alignment._svg import to_svg
from forest_align.alignment.page_style import escaped, page_colour, page_colours
from forest_align.types import InputError, Sentence

_Span = tuple[int, int]
_HERE = Path(__file__)
#: Style and script of every page. The service allows no other script.
STYLE = page_colours() + _HERE.with_name("page.css").read_text(encoding="utf-8")
SCRIPT = _HERE.with_name("page.js").read_text(encoding="utf-8")

# A picture stands upright if it is wider.
_PICTURE_WIDTH = 1000

# In a frame, the alignments are below the code that made them: no heading, no margin.
_FRAME_STYLE = "body { margin: 0; max-width: none; padding: 0; } section { margin: 0 0 1em; }"


def page_start(title: str, style: str = "", *, has_heading: bool = True) -> str:
    """The start of a page with the style of all pages, and ``style`` of its own."""
    heading = f"<header><h1>{title}</h1></header>\n" if has_heading else ""
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
    """Make a whole page with a section for each alignment; use :func:`to_section` for streaming."""
    return PAGE_START + "".join(map(to_section, alignments)) + PAGE_END


def to_iframe(alignments: Iterable[AlignmentRecord]) -> str:
    """Alignments in an ``<iframe>``, which leaves the styles of the page around it (a notebook) alone."""
    start = page_start("Alignments", _FRAME_STYLE, has_heading=False)
    return in_frame(start + "".join(map(to_section, alignments)) + PAGE_END)


def in_frame(page: str) -> str:
    """A whole page as an ``<iframe>``."""
    # If the page may not run scripts, the height stays fixed and the frame scrolls.
    fit = "this.style.height = this.contentDocument.documentElement.scrollHeight + 'px'"
    style = "width: 100%; height: 32em; border: 0"
    return f'<iframe srcdoc="{escape(page)}" onload="{fit}" style="{style}"></iframe>'


def to_section(alignment: AlignmentRecord, *, open_trees: bool = False) -> str:
    """One alignment as a ``<section>``, to be placed between ``PAGE_START`` and ``PAGE_END``.

    Each of its alternatives has a section of its own. With ``open_trees`` the pictures are unfolded.
    """
    return "".join(
        f"{section_start(alignment, number)}\n"
        f"{section_body(shown, open_trees=open_trees, number=number)}\n</section>\n"
        for number, shown in enumerate((alignment, *alignment.alternatives), start=1)
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
    pairs = ordered_pairs(alignment)
    notes = [alignment.aligner, roots_note(alignment), alignment.root_relation, paraphrase_note(alignment)]
    if alignment.log_probability is not None and (number > 1 or alignment.alternatives):
        notes.append(f"log score {alignment.log_probability:.2f}")
    name = f"Pair {escaped(alignment.id)}" if alignment.id else ""
    name = name if number == 1 else f"Alternative {number}"
    body = [f"<h2>{name}</h2>" if name else ""]
    if alignment.error:
        body.append(f'<p class="error">{escaped(alignment.error)}</p>')
    body.append(sentence_lines(alignment))
    body.append(f'<p class="note state">{escaped(" · ".join(filter(None, notes)))}</p>' if any(notes) else "")
    body += [f'<p class="note">{escaped(warning)}</p>' for warning in alignment.warnings]
    if not alignment.error:
        body.append(difference_table(alignment, pairs))
    if alignment.outside:
        source, target = alignment.source.words, alignment.target.words
        links = ", ".join(f"{source[i]}–{target[j]}" for i, j in alignment.outside)
        body.append(f'<p class="note">dotted: links that the phrases leave out: {escaped(links)}</p>')
    if len(alignment.source) and len(alignment.target) and not alignment.error:
        body.append(picture_of(alignment, open_trees))
    if pairs:
        body.append(phrase_table(alignment, pairs))
    if alignment.arcs:
        body.append(arc_table(alignment))
    return "\n".join(filter(None, body))


def sentence_lines(alignment: AlignmentRecord) -> str:
    """Both sentences, their aligned phrases as nested spans."""
    pairs = ordered_pairs(alignment)
    numbers = core_places(alignment, pairs)
    return "\n".join(_side(alignment, pairs, numbers, side) for side in (0, 1))


def _side(
    alignment: AlignmentRecord, pairs: Sequence[PhrasePair], numbers: Mapping[int, int], side: int
) -> str:
    """One sentence, its numbered phrases as nested spans."""
    sentence = (alignment.source, alignment.target)[side]
    if not sentence.tokens:
        return f'<div class="side">{escaped(sentence.text)}</div>'
    opening, closing = _nested(pairs, numbers, side, len(sentence))
    parts = []
    for index in range(len(sentence)):
        parts += [*opening[index], _word(alignment, sentence, side, index), "</span>" * closing[index], " "]
    return f'<div class="side">{"".join(parts).rstrip()}</div>'


def _nested(
    pairs: Sequence[PhrasePair], numbers: Mapping[int, int], side: int, length: int
) -> tuple[list[list[str]], list[int]]:
    """Spans that open before each word, and how many close after it.

    A phrase that crosses an earlier one has none; the picture and the table show it.
    """
    opening: list[list[str]] = [[] for _ in range(length)]
    closing = [0] * length
    phrases = sorted(
        ((spans_of(pairs[place])[side], place) for place in numbers),
        key=lambda phrase: (phrase[0][0], -phrase[0][1]),
    )
    ends: list[int] = []
    for (start, end), place in phrases:
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and end > ends[-1]:
            continue
        pair, number = pairs[place], numbers[place]
        depth = max(2, 8 - 4 * len(ends))
        opening[start].append(
            f'<span class="p{unsure_class(pair)}" style="--c:{page_colour(number)};--d:{depth}px" '
            f'title="{number + 1}: {pair.probability:.2f}" data-n="{number + 1}{sign_of(pair)}" '
            f'data-pair="{place}" data-p="{pair.probability:.4f}" data-with="{words_of_pair(pair)}">'
        )
        closing[end - 1] += 1
        ends.append(end)
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
    """The picture of an alignment, and that with its trees if any, in parts of the page that fold.

    Some links may be marked with a ring. The first picture is unfolded if ``is_open``.
    """
    parts = [_picture(alignment, "picture", is_open, simple=True, rings=rings)]
    if alignment.source_tree or alignment.target_tree:
        parts.append(_picture(alignment, "picture with trees", False, simple=False, rings=rings))
    return "\n".join(parts)


def _picture(
    alignment: AlignmentRecord,
    title: str,
    is_open: bool,
    *,
    simple: bool,
    rings: Collection[tuple[int, int]],
) -> str:
    try:
        picture = to_svg(alignment, simple=simple, width=_PICTURE_WIDTH, rings=rings, is_scaled=False)
    except InputError:
        # Trees read from a file may not fit the tokens; everything else can still be shown.
        return '<p class="note">The trees do not fit the tokens.</p>'
    except RecursionError:
        return '<p class="note">The trees are too deep to be drawn.</p>'
    opening = "<details open>" if is_open else "<details>"
    # On a narrow page the style sheet makes a picture smaller, as far as its words can still be read.
    _, width, _ = picture.partition("width=")[2].split('"', 2)
    style = f' style="--w:{width}px"'
    return f'{opening}<summary>{title}</summary><div class="picture"{style}>{picture}</div></details>'


def comparison_section(first: AlignmentRecord, second: AlignmentRecord) -> str:
    """Two alignments as one ``<section>`` with two columns, and a table of what only one of them has.

    In the pictures, links that only one has are thick and carry a ring. If the sentences were split into
    other words, the section says so and marks nothing.
    """
    both = first, second
    names = first.aligner or "first", second.aligner or "second"
    rings: Sequence[frozenset[_Span]] = (frozenset(), frozenset())
    if (first.source.words, first.target.words) != (second.source.words, second.target.words):
        note, table = "they split the sentences into other words", ""
    else:
        links = set(first.words.pairs), set(second.words.pairs)
        rings = frozenset(links[0] - links[1]), frozenset(links[1] - links[0])
        counts = [f"{_count(len(links[0] & links[1]), 'link')} in both"]
        counts += [f"{len(ring)} only in {name}" for ring, name in zip(rings, names, strict=True)]
        note, table = ", ".join(counts), _differences(both, rings, names)
    columns = "\n".join(
        f'<div class="column"><h3>{escaped(name)}</h3>\n{sentence_lines(alignment)}\n'
        f"{picture_of(alignment, True, ring)}</div>"
        for alignment, name, ring in zip(both, names, rings, strict=True)
    )
    return (
        f'<section class="comparison">\n<h2>{escaped(" and ".join(names))} <span class="note">'
        f'{escaped(note)}</span></h2>\n<div class="two">\n{columns}\n</div>\n{table}</section>\n'
    )


def _differences(
    both: Sequence[AlignmentRecord], rings: Sequence[frozenset[_Span]], names: Sequence[str]
) -> str:
    """The links, and the phrase pairs of aligners that find some, that only one of two alignments has."""
    rows: list[tuple[str, tuple[_Span, _Span], str, float | None]] = []
    for alignment, ring, name in zip(both, rings, names, strict=True):
        scores = dict(zip(alignment.words.pairs, alignment.words.scores or (), strict=False))
        rows += [("link", ((i, i + 1), (j, j + 1)), name, scores.get((i, j))) for i, j in ring]
    # Phrase pairs with several words on a side.
    phrases = [
        {
            spans_of(pair): pair.probability
            for pair in ordered_pairs(alignment)
            if max(end - start for start, end in spans_of(pair)) > 1
        }
        for alignment in both
    ]
    if all(phrases):
        for own, other, name in zip(phrases, phrases[::-1], names, strict=True):
            rows += [("phrase", spans, name, own[spans]) for spans in own.keys() - other.keys()]
    if not rows:
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("", "only in", "source", "target", "probability"))
    lines = []
    for kind, spans, name, score in sorted(rows, key=lambda row: row[:3]):
        words = zip((both[0].source.words, both[0].target.words), spans, strict=True)
        texts = (" ".join(side[start:end]) for side, (start, end) in words)
        lights = " ".join(word for side, span in enumerate(spans) for word in word_names(side, *span))
        cells = table_cells([kind, name, *texts, "" if score is None else f"{score:.2f}"])
        lines.append(f'<tr data-with="{lights}">{cells}</tr>')
    return (
        f"<details open><summary>{_count(len(rows), 'difference')}</summary>"
        f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div></details>\n'
    )


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
