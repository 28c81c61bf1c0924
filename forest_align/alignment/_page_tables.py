"""Tables of a page: what differs, all phrase pairs, and pairs of dependency arcs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._picture_layout import SIGN_COLOURS, SIGNS, word_names, words_of_pair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import LIKELY, changed_links, core_places, relation_note
from forest_align.alignment.page_style import escaped, page_colour
from forest_align.types.brackets import split_chain


def difference_table(alignment: AlignmentRecord, pairs: Sequence[PhrasePair]) -> str:
    """What differs: the numbered pairs, links of different words in none of them, and words left over."""
    numbers = core_places(alignment, pairs)
    core = [pairs[place] for place in numbers]
    rows = [_row(alignment, pairs[place], place, number) for place, number in numbers.items()]
    scores = alignment.words.scores
    for k in changed_links(alignment, core):
        i, j = alignment.words.pairs[k]
        cells = [alignment.source.words[i], alignment.target.words[j]]
        cells.append("" if scores is None else f"{scores[k]:.2f}")
        probability = "" if scores is None else f' data-p="{scores[k]:.4f}"'
        rows.append(f'<tr data-with="s{i} t{j}"{probability}><th></th>{table_cells(cells)}</tr>')
    notes = [
        f"only in the {name} sentence: {' | '.join(' '.join(sentence.words[a:b]) for a, b in spans)}"
        for name, sentence, spans in (
            ("first", alignment.source, alignment.unaligned_source),
            ("second", alignment.target, alignment.unaligned_target),
        )
        if spans
    ]
    if any(map(unsure_class, core)):
        notes.append(f"pale, dashed: less probable than {LIKELY:.2f}")
    if not (rows or notes):
        notes.append("The words are the same.")
    note = "".join(f'<p class="note">{escaped(text)}</p>' for text in notes)
    head = "<tr><th></th><th>first sentence</th><th>second sentence</th><th>probability</th>"
    head += "<th>relation</th></tr>" if any(pair.relation is not None for pair in core) else "</tr>"
    table = (
        f'<div class="wide"><table class="differences">{head}{"".join(rows)}</table></div>' if rows else ""
    )
    return table + note


def phrase_table(alignment: AlignmentRecord, pairs: Sequence[PhrasePair]) -> str:
    """All phrase pairs with their labels, in a part of the page that folds."""
    numbers = core_places(alignment, pairs)
    rows = [
        _row(alignment, pair, place, numbers.get(place), has_labels=True) for place, pair in enumerate(pairs)
    ]
    star = "* only non-compositional alignment could form it"
    note = "" if all(pair.compositional for pair in pairs) else f'<p class="note">{star}</p>'
    head = "<tr><th></th><th>label</th><th>first sentence</th><th>second sentence</th><th>probability</th>"
    head += "<th>relation</th></tr>" if any(pair.relation is not None for pair in pairs) else "</tr>"
    count = "1 phrase pair" if len(pairs) == 1 else f"all {len(pairs)} phrase pairs"
    table = f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'
    return f"<details><summary>{count}</summary>{table}{note}</details>"


def _row(
    alignment: AlignmentRecord, pair: PhrasePair, place: int, number: int | None, *, has_labels: bool = False
) -> str:
    name = colour = ""
    if number is not None:
        name, colour = str(number + 1), f' style="color:{page_colour(number)}"'
    cells = [*alignment.texts_of(pair), f"{pair.probability:.2f}"]
    if has_labels:
        source, target = ("–".join(split_chain(node.label)) for node in (pair.source_node, pair.target_node))
        cells.insert(0, source if source == target else f"{source} ↔ {target}".strip())
        cells[-1] += "" if pair.compositional else " *"
    columns = table_cells(cells)
    if pair.relation is not None:
        sign_colour, sign = page_colour(SIGN_COLOURS[pair.relation.name]), SIGNS[pair.relation.name]
        sign = f'<span class="sign" style="color:{sign_colour}">{sign}</span>'
        columns += f'<td class="n">{sign} {escaped(relation_note(pair))}</td>'
    style = ' class="unsure"' if unsure_class(pair) else ""
    return (
        f'<tr{style} data-with="{words_of_pair(pair)}" data-pair="{place}" data-p="{pair.probability:.4f}">'
        f"<th{colour}>{name}</th>{columns}</tr>"
    )


def table_cells(texts: Iterable[str]) -> str:
    """Cells of a row, in which all figures have one width."""
    return "".join(f'<td class="n">{escaped(text)}</td>' for text in texts)


def arc_table(alignment: AlignmentRecord) -> str:
    """The pairs of dependency arcs."""
    rows = []
    for pair in alignment.arcs:
        same = pair.source_relation == pair.target_relation
        cells = [pair.source_relation if same else f"{pair.source_relation} ↔ {pair.target_relation}"]
        names = []
        sides = (pair.source, alignment.source.words), (pair.target, alignment.target.words)
        for side, ((governor, dependent), words) in enumerate(sides):
            cells.append(f"{'ROOT' if governor < 0 else words[governor]} → {words[dependent]}")
            names += word_names(side, governor, governor + 1) if governor >= 0 else []
            names += word_names(side, dependent, dependent + 1)
        columns = "".join(f"<td>{escaped(cell)}</td>" for cell in cells)
        rows.append(f'<tr data-with="{" ".join(names)}">{columns}</tr>')
    head = "<tr><th>dependency</th><th>source</th><th>target</th></tr>"
    title = f"<summary>{len(rows)} pairs of dependency arcs</summary>"
    table = f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'
    return f"<details>{title}{table}</details>"


def unsure_class(pair: PhrasePair) -> str:
    """An extra CSS class for a pair that is more likely wrong than right."""
    return " unsure" if pair.probability < LIKELY else ""
