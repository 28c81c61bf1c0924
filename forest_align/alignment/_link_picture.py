"""Draws the words of two sentences and the links and arcs between them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from forest_align.alignment._palette import INK, LINK, UNALIGNED, colour_class, colour_of
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import numbers_of, shown_pairs, word_note
from forest_align.alignment._tree_picture import word_names
from forest_align.alignment.page_text import escaped

ARC_HEIGHT = 26.0
# Links that reach far sideways have more room to do so, or they would run along each other.
_LEAST_HEIGHT, _MOST_HEIGHT, _RISE = 84.0, 260.0, 0.16

#: Horizontal centres of the words of a sentence, and their vertical position.
PlacedWords = tuple[list[float], float]


def link_height(alignment: AlignmentRecord, xs: Sequence[float], other_xs: Sequence[float]) -> float:
    """The distance between the words of both sides, in pixels: more if links reach far."""
    reach = max((abs(xs[i] - other_xs[j]) for i, j in alignment.words.pairs), default=0.0)
    return min(_MOST_HEIGHT, _LEAST_HEIGHT + _RISE * max(0.0, reach - 2 * _LEAST_HEIGHT))


def draw_links(
    alignment: AlignmentRecord,
    source: PlacedWords,
    target: PlacedWords,
    rings: Collection[tuple[int, int]] = frozenset(),
) -> list[str]:
    """Draw each link, in the colour of the smallest numbered phrase pair around it; some carry a ring."""
    scores = alignment.words.scores or (1.0,) * len(alignment.words)
    (xs, top), (other_xs, bottom) = source, target
    middle = (top + bottom) / 2
    numbers = _numbers_of_links(alignment)
    drawn = []
    for (i, j), score in zip(alignment.words.pairs, scores, strict=True):
        number = numbers.get((i, j))
        colour = LINK if number is None else colour_of(number)
        name = "li" if number is None else colour_class(number)
        curve = (
            f"M{xs[i]:.1f} {top + 8:.1f} C{xs[i]:.1f} {middle:.1f} "
            f"{other_xs[j]:.1f} {middle:.1f} {other_xs[j]:.1f} {bottom - 8:.1f}"
        )
        dashes = ' stroke-dasharray="3 3"' if (i, j) in alignment.outside else ""
        title = f"{alignment.source.words[i]} – {alignment.target.words[j]}"
        title += "" if alignment.words.scores is None else f" {score:.2f}"
        ring = ""
        if (i, j) in rings:
            ring = (
                f'<circle class="s {name}" cx="{(xs[i] + other_xs[j]) / 2:.1f}" cy="{middle:.1f}" r="5" '
                f'fill="none" stroke="{colour}" stroke-width="2"/>'
            )
        # The wide line cannot be seen; it is for the pointer.
        drawn.append(
            f'<g class="l" data-with="s{i} t{j}" data-p="{score:.4f}"><title>{escaped(title)}</title>'
            f'<path class="s {name}" d="{curve}" fill="none" stroke="{colour}" '
            f'stroke-width="{2.8 if ring else 1.4}" '
            f'stroke-opacity="{0.25 + 0.75 * min(1.0, max(0.0, score)):.2f}"{dashes}/>{ring}'
            f'<path class="hit" d="{curve}" fill="none" stroke="none" stroke-width="9" '
            'pointer-events="stroke"/></g>'
        )
    return drawn


def _numbers_of_links(alignment: AlignmentRecord) -> dict[tuple[int, int], int]:
    """For each link in a numbered phrase pair other than the whole sentences, the number of the smallest."""
    pairs = shown_pairs(alignment)
    numbered = [
        (pairs[place], number)
        for place, number in numbers_of(pairs).items()
        if not alignment.is_root_pair(pairs[place])
    ]
    found: dict[tuple[int, int], int] = {}
    for link in alignment.words.pairs:
        around = [
            (pair.source_node.end - pair.source_node.start + pair.target_node.end - pair.target_node.start, n)
            for pair, n in numbered
            if pair.source_node.start <= link[0] < pair.source_node.end
            and pair.target_node.start <= link[1] < pair.target_node.end
        ]
        if around:
            found[link] = min(around)[1]
    return found


def draw_arcs(alignment: AlignmentRecord, source: PlacedWords, target: PlacedWords) -> list[str]:
    """Draw both arcs of each pair, the longer the deeper; that of a root is a dot at its word."""
    drawn = []
    for number, pair in enumerate(alignment.arcs):
        colour, name = colour_of(number), colour_class(number)
        title = f"<title>{escaped(f'{pair.source_relation} – {pair.target_relation}')}</title>"
        for (governor, dependent), (columns, words), down in (
            (pair.source, source, 1),
            (pair.target, target, -1),
        ):
            y, end = words + 9 * down, columns[dependent]
            if governor < 0:
                drawn.append(
                    f'<circle class="f {name}" cx="{end:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}">'
                    f"{title}</circle>"
                )
                continue
            start = columns[governor]
            # The curve reaches three quarters of the height of its control points.
            deepest = y + down * ARC_HEIGHT * 4 / 3 * min(1.0, 0.3 + abs(governor - dependent) / 10)
            drawn.append(
                f'<path class="s {name}" d="M{start:.1f} {y:.1f} C{start:.1f} {deepest:.1f} {end:.1f} '
                f'{deepest:.1f} {end:.1f} {y:.1f}" fill="none" stroke="{colour}" stroke-width="1.2" '
                f'stroke-opacity="0.7">{title}</path>'
            )
    return drawn


def draw_words(alignment: AlignmentRecord, *sides: PlacedWords) -> list[str]:
    """Draw the words; those without a link are grey."""
    drawn = []
    for side, (sentence, (columns, y)) in enumerate(
        zip((alignment.source, alignment.target), sides, strict=True)
    ):
        partners: dict[int, list[str]] = {}
        for pair in alignment.words.pairs:
            partners.setdefault(pair[side], []).extend(
                word_names(1 - side, pair[1 - side], pair[1 - side] + 1)
            )
        for index, (token, x) in enumerate(zip(sentence.tokens, columns, strict=True)):
            colour, kind = (INK, "in") if index in partners else (UNALIGNED, "un")
            name = word_names(side, index, index + 1)[0]
            note = word_note(alignment, side, index)
            title = f"<title>{escaped(note)}</title>" if note else ""
            drawn.append(
                f'<g data-w="{name}" data-with="{" ".join([name, *partners.get(index, [])])}">{title}'
                f'<text class="f {kind}" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="{colour}">'
                f"{escaped(token.text)}</text></g>"
            )
    return drawn
