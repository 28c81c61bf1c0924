"""Tables of a page: phrase pairs, pairs of dependency arcs, and the legend of tags and signs."""

from __future__ import annotations

from collections.abc import Sequence

from forest_align.alignment._palette import page_colour
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._phrase_relation import RELATION_NAMES
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._relation_signs import SIGN_COLOURS, SIGNS
from forest_align.alignment._shown_pairs import (
    LIKELY,
    hidden_note,
    numbers_of,
    relation_note,
    similarity_note,
)
from forest_align.alignment._tag_names import tag_names
from forest_align.alignment._tree_picture import word_names, words_of_pair
from forest_align.alignment.page_text import escaped

# The relations, seen from the source phrase.
_MEANINGS = (
    "means the same",
    "the first phrase says more",
    "the first phrase says less",
    "means nearly the same",
    "has to do with it",
    "means the opposite",
)


def phrase_table(alignment: AlignmentRecord, pairs: Sequence[PhrasePair]) -> str:
    """The phrase pairs that are shown, with what is hidden."""
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
            number, colour = str(numbers[k] + 1), f' style="color:{page_colour(numbers[k])}"'
        label = source.label if source.label == target.label else f"{source.label} ↔ {target.label}".strip()
        cells = [
            label,
            " ".join(alignment.source.words[source.start : source.end]),
            " ".join(alignment.target.words[target.start : target.end]),
            f"{pair.probability:.2f}" + ("" if pair.compositional else " *"),
        ]
        cells = [escaped(cell) for cell in cells] + [_relation(pair)] * has_relations
        cells += [similarity_note(pair)] * has_similarities
        columns = "".join(f'<td class="n">{cell}</td>' for cell in cells)
        style = ' class="unsure"' if unsure_class(pair) else ""
        rows.append(
            f'<tr{style} data-with="{words_of_pair(pair)}" data-pair="{k}" data-p="{pair.probability:.4f}">'
            f"<th{colour}>{number}</th>{columns}</tr>"
        )
    hidden = hidden_note(alignment, pairs)
    notes = [
        "* only non-compositional alignment could form it" if any(not p.compositional for p in pairs) else "",
        f"pale, dashed: less probable than {LIKELY:.2f}" if any(map(unsure_class, pairs)) else "",
        f"not shown: {hidden}" if hidden else "",
    ]
    note = "".join(f'<p class="note">{escaped(text)}</p>' for text in notes if text)
    head = f"<tr><th></th>{''.join(f'<th>{name}</th>' for name in names)}</tr>"
    title = f"<summary>{len(pairs)} phrase pairs</summary>"
    table = f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'
    return f"<details open>{title}{table}{note}</details>"


def _relation(pair: PhrasePair) -> str:
    """The relation of a pair with its sign and probability."""
    if pair.relation is None:
        return ""
    return f"{_sign(pair.relation.name)} {escaped(relation_note(pair))} {pair.relation.probability:.2f}"


def _sign(relation: str) -> str:
    colour = page_colour(SIGN_COLOURS[relation])
    return f'<span class="sign" style="color:{colour}">{SIGNS[relation]}</span>'


def arc_table(alignment: AlignmentRecord) -> str:
    """The pairs of dependency arcs."""
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
            names += [name for index in arc if index >= 0 for name in word_names(side, index, index + 1)]
        columns = "".join(f"<td>{escaped(cell)}</td>" for cell in cells)
        rows.append(f'<tr data-with="{" ".join(names)}">{columns}</tr>')
    head = "<tr><th>dependency</th><th>source</th><th>target</th></tr>"
    title = f"<summary>{len(rows)} pairs of dependency arcs</summary>"
    table = f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'
    return f"<details>{title}{table}</details>"


def legend(alignment: AlignmentRecord, pairs: Sequence[PhrasePair]) -> str:
    """What the tags of trees and phrases, and the signs of relations, mean; empty if there are none."""
    labels = [node.label for pair in pairs for node in (pair.source_node, pair.target_node)]
    tags = tag_names((alignment.source_tree, alignment.target_tree), labels)
    meanings = [(f"{escaped(tag)}", escaped(name)) for tag, name in tags.items()]
    found = {pair.relation.name for pair in pairs if pair.relation is not None}
    for name, meaning in zip(RELATION_NAMES, _MEANINGS, strict=True):
        if name in found:
            meanings.append((f"{_sign(name)} {name}", meaning))
    if not meanings:
        return ""
    entries = "".join(f"<div><dt>{term}</dt> <dd>{meaning}</dd></div>" for term, meaning in meanings)
    return f'<details><summary>legend</summary><dl class="tags">{entries}</dl></details>'


def unsure_class(pair: PhrasePair) -> str:
    """An extra CSS class for a pair that is more likely wrong than right."""
    return " unsure" if pair.probability < LIKELY else ""
