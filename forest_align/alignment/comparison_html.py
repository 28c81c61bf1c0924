"""Shows two alignments of the same sentences side by side, with their differences marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forest_align.alignment._picture_marks import word_names
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import ordered_pairs
from forest_align.alignment.html import picture_of, sentence_lines
from forest_align.alignment.page_style import escaped

_Link = tuple[int, int]
_Spans = tuple[_Link, _Link]


def comparison_section(first: AlignmentRecord, second: AlignmentRecord) -> str:
    """Two alignments as one ``<section>`` with two columns, and a table of what only one of them has.

    In the pictures, links that only one has are thick and carry a ring. If the sentences were split into
    other words, the section says so and marks nothing.
    """
    names = first.aligner or "first", second.aligner or "second"
    both = first, second
    rings: tuple[frozenset[_Link], frozenset[_Link]] = (frozenset(), frozenset())
    if (first.source.words, first.target.words) != (second.source.words, second.target.words):
        note, table = "they split the sentences into other words", ""
    else:
        links = set(first.words.pairs), set(second.words.pairs)
        rings = frozenset(links[0] - links[1]), frozenset(links[1] - links[0])
        counts = [f"{_count(len(links[0] & links[1]), 'link')} in both"]
        counts += [f"{len(ring)} only in {name}" for ring, name in zip(rings, names, strict=True)]
        note, table = ", ".join(counts), _differences(both, rings, names)
    columns = "\n".join(
        f'<div class="column"><h3>{escaped(name)}</h3>\n{sentence_lines(one)}\n'
        f"{picture_of(one, True, ring)}</div>"
        for one, name, ring in zip(both, names, rings, strict=True)
    )
    return (
        f'<section class="comparison">\n<h2>{escaped(" and ".join(names))} <span class="note">'
        f'{escaped(note)}</span></h2>\n<div class="two">\n{columns}\n</div>\n{table}</section>\n'
    )


def _differences(
    both: tuple[AlignmentRecord, AlignmentRecord],
    rings: tuple[frozenset[_Link], frozenset[_Link]],
    names: tuple[str, str],
) -> str:
    """The links, and the phrase pairs of aligners that find some, that only one of two alignments has."""
    rows: list[tuple[_Spans, str, str, float | None]] = []
    for one, ring, name in zip(both, rings, names, strict=True):
        scores = dict(zip(one.words.pairs, one.words.scores or (), strict=False))
        for i, j in sorted(ring):
            spans = (i, i + 1), (j, j + 1)
            rows.append((spans, "link", name, scores.get((i, j))))
    phrases = [_phrases(one) for one in both]
    if all(phrases):
        for own, other, name in ((0, 1, names[0]), (1, 0, names[1])):
            missing = phrases[own].keys() - phrases[other].keys()
            rows += [(spans, "phrase", name, phrases[own][spans]) for spans in missing]
    if not rows:
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("", "only in", "source", "target", "probability"))
    lines = "".join(_row(both[0], *row) for row in sorted(rows, key=lambda row: (row[1], row[0], row[2])))
    return (
        f"<details open><summary>{_count(len(rows), 'difference')}</summary>"
        f'<div class="wide"><table><tr>{head}</tr>{lines}</table></div></details>\n'
    )


def _phrases(alignment: AlignmentRecord) -> Mapping[_Spans, float]:
    """The probabilities of the phrase pairs with several words on a side."""
    return {
        (pair.source_node.span, pair.target_node.span): pair.probability
        for pair in ordered_pairs(alignment)
        if max(end - start for start, end in (pair.source_node.span, pair.target_node.span)) > 1
    }


def _row(alignment: AlignmentRecord, spans: _Spans, kind: str, name: str, score: float | None) -> str:
    texts = (
        " ".join(sentence.words[start:end])
        for sentence, (start, end) in zip((alignment.source, alignment.target), spans, strict=True)
    )
    lights = " ".join(word for side, span in enumerate(spans) for word in word_names(side, *span))
    cells = [kind, name, *texts, "" if score is None else f"{score:.2f}"]
    return f'<tr data-with="{lights}">{_cells(cells)}</tr>'


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def _cells(texts: Iterable[str]) -> str:
    return "".join(f'<td class="n">{escaped(text)}</td>' for text in texts)
