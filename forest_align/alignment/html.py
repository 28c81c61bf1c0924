"""A page that shows alignments in any browser: coloured phrases, links on hovering, no external files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import (
    LIKELY,
    hidden_note,
    numbers_of,
    paraphrase_note,
    relation_note,
    roots_note,
    shown_pairs,
    similarity_note,
)
from forest_align.alignment.svg import PALETTE, UNALIGNED, escaped, to_svg
from forest_align.types import InputError, Sentence

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; }
section { border-top: 1px solid #8884; padding: 1em 0; }
h2 { font-size: 1em; margin: 0 0 .5em; } .note { opacity: .7; font-weight: normal; } .error { color: #d33; }
.side { margin: .6em 0; line-height: 2.6; }
.p { border-bottom: 3px solid var(--c); padding: 1px 1px var(--d); border-radius: 3px; }
.w { padding: 0 2px; border-radius: 3px; } .w.un { color: var(--unaligned); }
.w.out { text-decoration: underline dotted; }
.unsure { opacity: .6; } .p.unsure { opacity: 1; border-bottom-style: dashed; }
.on { background: #ffd54f; color: #000; }
table { border-collapse: collapse; margin-top: .5em; } td, th { padding: 1px .8em 1px 0; text-align: left; }
td.n { font-variant-numeric: tabular-nums; } details > div { overflow-x: auto; }
"""

# Hovering over a word or phrase highlights it together with the words or phrase aligned to it.
SCRIPT = """
const lit = (section, words, on) => words.split(" ").forEach(name =>
  section.querySelectorAll('[data-w="' + name + '"]').forEach(e => e.classList.toggle("on", on)));
for (const [event, on] of [["mouseover", true], ["mouseout", false]])
  document.addEventListener(event, e => {
    const found = e.target.closest && e.target.closest("[data-with]");
    if (found) lit(found.closest("section"), found.dataset.with, on);
  });
"""

# In a frame, the alignments stand below the code that made them: no heading, no margin.
_FRAME_STYLE = "body { margin: 0; max-width: none; } section:first-of-type { border-top: 0; padding-top: 0; }"


def _page_start(style: str, heading: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Alignments</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<style>{style}</style>\n</head>\n<body style="--unaligned:{UNALIGNED}">\n{heading}'
    )


PAGE_START = _page_start(STYLE, "<h1>Alignments</h1>\n")
PAGE_END = f"<script>{SCRIPT}</script>\n</body>\n</html>\n"


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
    return in_frame(_page_start(STYLE + _FRAME_STYLE, "") + "".join(map(to_section, alignments)) + PAGE_END)


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


def to_section(alignment: AlignmentRecord) -> str:
    """One alignment as a ``<section>``, to be placed between ``PAGE_START`` and ``PAGE_END``.

    Each of its alternatives has a section of its own.
    """
    bodies = [section_body(alignment)]
    bodies += [section_body(one, number=number) for number, one in enumerate(alignment.alternatives, start=2)]
    return "".join(f"<section>\n{body}\n</section>\n" for body in bodies)


def section_body(alignment: AlignmentRecord, *, open_trees: bool = False, number: int = 1) -> str:
    """The content of an alignment's section; with ``open_trees`` the trees are unfolded.

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
    body += [_side(alignment, pairs, side) for side in (0, 1)]
    if alignment.outside:
        body.append(f'<p class="note">{escaped(_outside_note(alignment))}</p>')
    if pairs:
        body.append(_table(alignment, pairs))
    if alignment.arcs:
        body.append(_arcs(alignment))
    if alignment.source_tree and alignment.target_tree and not alignment.error:
        body.append(_trees(alignment, open_trees))
    return "\n".join(body)


def _outside_note(alignment: AlignmentRecord) -> str:
    """The links outside of the derivation."""
    source, target = alignment.source.words, alignment.target.words
    links = ", ".join(f"{source[i]}–{target[j]}" for i, j in alignment.outside)
    return f"dotted: links that the phrases leave out: {links}"


def _names(side: int, start: int, end: int) -> list[str]:
    return [f"{'st'[side]}{index}" for index in range(start, end)]


def _words_of_pair(pair: PhrasePair) -> str:
    return " ".join(_names(0, *pair.source_node.span) + _names(1, *pair.target_node.span))


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
        colour = PALETTE[numbers[k] % len(PALETTE)]
        label = f"{node.label} " if node.label else ""
        title = escaped(f"{numbers[k] + 1}: {label}{pairs[k].probability:.2f}")
        depth = max(2, 14 - 4 * len(ends))
        opening[node.start].append(
            f'<span class="p{_unsure(pairs[k])}" style="--c:{colour};--d:{depth}px" title="{title}" '
            f'data-with="{_words_of_pair(pairs[k])}">'
        )
        closing[node.end - 1] += 1
        ends.append(node.end)
    return opening, closing


def _unsure(pair: PhrasePair) -> str:
    """An extra CSS class for a pair that is more likely wrong than right."""
    return " unsure" if pair.probability < LIKELY else ""


def _word(alignment: AlignmentRecord, sentence: Sentence, side: int, index: int) -> str:
    partners, notes = [], []
    for k, link in enumerate(alignment.words):
        if link[side] != index:
            continue
        other = (alignment.target, alignment.source)[side].words[link[1 - side]]
        partners += _names(1 - side, link[1 - side], link[1 - side] + 1)
        score = "" if alignment.words.scores is None else f" {alignment.words.scores[k]:.2f}"
        if link in alignment.outside:
            score += " outside of the phrases"
        names = ", ".join(alignment.word_evidence[k]) if alignment.word_evidence else ""
        notes.append(f"{other}{score}" + (f" ({names})" if names else ""))
    name = _names(side, index, index + 1)[0]
    title = f' title="{escaped("; ".join(notes))}"' if notes else ""
    style = "w" if partners else "w un"
    style += " out" if any(link[side] == index for link in alignment.outside) else ""
    lights = " ".join([name, *partners])
    word = escaped(sentence.words[index])
    return f'<span class="{style}" data-w="{name}" data-with="{lights}"{title}>{word}</span>'


def _table(alignment: AlignmentRecord, pairs: Sequence[PhrasePair]) -> str:
    numbers = numbers_of(pairs)
    names = ["label", "source", "target", "probability"]
    has_relations = any(pair.relation is not None for pair in pairs)
    has_similarities = any(pair.similarity is not None for pair in pairs)
    names += ["relation"] * has_relations + ["similarity"] * has_similarities
    rows = []
    for k, pair in enumerate(pairs):
        source, target = pair.source_node, pair.target_node
        number = colour = ""
        if k in numbers:
            number, colour = str(numbers[k] + 1), f' style="color:{PALETTE[numbers[k] % len(PALETTE)]}"'
        label = source.label if source.label == target.label else f"{source.label} ↔ {target.label}".strip()
        cells = [
            label,
            " ".join(alignment.source.words[source.start : source.end]),
            " ".join(alignment.target.words[target.start : target.end]),
            f"{pair.probability:.2f}" + ("" if pair.compositional else " *"),
        ]
        cells += [_relation(pair)] * has_relations + [similarity_note(pair)] * has_similarities
        columns = "".join(f'<td class="n">{escaped(cell)}</td>' for cell in cells)
        style = ' class="unsure"' if _unsure(pair) else ""
        rows.append(f'<tr{style} data-with="{_words_of_pair(pair)}"><th{colour}>{number}</th>{columns}</tr>')
    hidden = hidden_note(alignment, pairs)
    notes = [
        "* only non-compositional alignment could form it" if any(not p.compositional for p in pairs) else "",
        f"pale, dashed: less probable than {LIKELY:.2f}" if any(map(_unsure, pairs)) else "",
        f"not shown: {hidden}" if hidden else "",
    ]
    note = "".join(f'<p class="note">{escaped(text)}</p>' for text in notes if text)
    head = f"<tr><th></th>{''.join(f'<th>{name}</th>' for name in names)}</tr>"
    title = f"<summary>{len(pairs)} phrase pairs</summary>"
    return f"<details open>{title}<table>{head}{''.join(rows)}</table>{note}</details>"


def _relation(pair: PhrasePair) -> str:
    """The relation of a pair with its probability."""
    return "" if pair.relation is None else f"{relation_note(pair)} {pair.relation.probability:.2f}"


def _arcs(alignment: AlignmentRecord) -> str:
    rows = []
    for pair in alignment.arcs:
        same = pair.source_relation == pair.target_relation
        relation = pair.source_relation if same else f"{pair.source_relation} ↔ {pair.target_relation}"
        cells = [relation]
        names = []
        for side, (arc, sentence) in enumerate(
            ((pair.source, alignment.source), (pair.target, alignment.target))
        ):
            governor, dependent = arc
            cells.append(
                f"{'ROOT' if governor < 0 else sentence.words[governor]} → {sentence.words[dependent]}"
            )
            names += [name for index in arc if index >= 0 for name in _names(side, index, index + 1)]
        columns = "".join(f"<td>{escaped(cell)}</td>" for cell in cells)
        rows.append(f'<tr data-with="{" ".join(names)}">{columns}</tr>')
    head = "<tr><th>dependency</th><th>source</th><th>target</th></tr>"
    title = f"<summary>{len(rows)} pairs of dependency arcs</summary>"
    return f"<details>{title}<table>{head}{''.join(rows)}</table></details>"


def _trees(alignment: AlignmentRecord, is_open: bool) -> str:
    opening = "<details open>" if is_open else "<details>"
    try:
        return f"{opening}<summary>trees</summary><div>{to_svg(alignment)}</div></details>"
    except InputError:
        # Trees read from a file may not fit the tokens; everything else can still be shown.
        return '<p class="note">The trees do not fit the tokens.</p>'
    except RecursionError:
        return '<p class="note">The trees are too deep to be drawn.</p>'
