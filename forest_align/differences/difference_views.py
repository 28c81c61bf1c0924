"""Differences for people: a list for the terminal, and a page for the browser with coloured words."""

from __future__ import annotations

from forest_align.alignment import Alignment
from forest_align.alignment.html import page_start
from forest_align.alignment.page_style import escaped
from forest_align.differences.text_differences import TextDifferences

DIFFERENCES_PAGE_START = (
    page_start("Differences", " .d { border-radius: 3px; padding: 2px; }")
    + '<p class="note">The redder a word, the more it says something that the other text does not say. '
    "Its number appears when the mouse is over it.</p>\n"
)


def differences_to_text(alignment: Alignment, differences: TextDifferences) -> str:
    """One line for each pair of words that do not say the same, and for other words that differ."""
    lines = [f"pair {alignment.id}" if alignment.id else "pair"]
    for one in differences.pairs:
        sides = [
            " ".join(sentence.words[slice(*span)]) if span is not None else "–"
            for sentence, span in ((alignment.source, one.source), (alignment.target, one.target))
        ]
        kind = f"{one.relation} ({one.rule})" if one.relation else one.rule
        lines.append(f"{one.difference:.2f}  {' ↔ '.join(sides)}  {kind}")
    listed = [{0: one.source, 1: one.target} for one in differences.pairs]
    for differing in differences.spans:
        side, (start, end) = ("source", "target").index(differing.side), differing.span
        known = (pair[side] for pair in listed)
        if any(place is not None and place[0] < end and start < place[1] for place in known):
            continue
        words = " ".join((alignment.source, alignment.target)[side].words[start:end])
        lines.append(f"{differing.difference:.2f}  {f'– ↔ {words}' if side else f'{words} ↔ –'}")
    if len(lines) == 1:
        lines.append("no differences")
    return "\n".join(lines) + "\n"


def differences_to_html(alignment: Alignment, differences: TextDifferences) -> str:
    """A section to follow ``DIFFERENCES_PAGE_START``: both texts."""
    rows = []
    for sentence, found in (
        (alignment.source, differences.source),
        (alignment.target, differences.target),
    ):
        # A pair that failed has words, but no differences.
        values = found or (0.0,) * len(sentence)
        words = [
            f'<span class="d" style="background:rgba(211,51,51,{value / 2:.2f})" title="{value:.2f}">'
            f"{escaped(word)}</span>"
            for word, value in zip(sentence.words, values, strict=True)
        ]
        rows.append(f'<p class="side">{" ".join(words)}</p>')
    head = f'<h2>Pair {escaped(alignment.id)} <span class="note">{escaped(alignment.aligner)}</span></h2>'
    return f"<section>\n{head}\n{chr(10).join(rows)}\n</section>\n"
