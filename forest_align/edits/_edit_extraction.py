"""Extracts the edits of an alignment: align, merge and classify, three steps that can be replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from forest_align.alignment import Alignment, Span
from forest_align.edits._edit import Edit
from forest_align.edits._edit_choice import EditConventions, bundled_conventions, possible_edits
from forest_align.edits._edit_lattice import DELETED, INSERTED, KEPT, REPLACED, Arc, Piece
from forest_align.edits._edit_reasons import CAPITALS, EditReasons
from forest_align.edits._edit_units import EditUnits, Unit, edit_units
from forest_align.types import InputError, Sentence

_CHANGES = ("replace", "insert", "delete")


def edits_of(
    alignment: Alignment, *, minimal: bool = False, conventions: EditConventions | None = None
) -> tuple[Edit, ...]:
    """The edits that make the target of an alignment from its source, in the order of the source.

    Parameters
    ----------
    alignment : Alignment
        The alignment; with trees, tags and relations of phrases the edits are better.
    minimal : bool
        Whether to return the smallest edits, one for each linked group of words and each run of others. By
        default they are merged into the phrases that people would mark as one edit.
    conventions : EditConventions, optional
        How people merge edits; by default as in arXivEdits (Jiang et al. 2022).

    Raises
    ------
    InputError
        If the pair could not be aligned.
    """
    if alignment.error:
        raise InputError(f"expected an alignment, found the error: {alignment.error}")
    if minimal:
        units = edit_units(alignment)
        chosen: list[tuple[Arc, float | None]] = [(arc, None) for arc in _smallest(units)]
    else:
        units, lattice, features = possible_edits(alignment)
        chosen = list((conventions or bundled_conventions()).choose(lattice, features))
    reasons = EditReasons(alignment)
    texts = _Texts(alignment.source), _Texts(alignment.target)
    edits = list(_unchanged(units, chosen, reasons, texts))
    for arc, probability in chosen:
        kind = "delete" if arc.target is None else "insert" if arc.source is None else "replace"
        # The place of an empty side is found when all other edits are known.
        edit = _edit(kind, arc.source or (0, 0), arc.target or (0, 0), texts)
        edits.append(replace(edit, reason=reasons.of(arc), probability=probability))
    edits = _with_boundaries(_with_anchors(edits, texts), alignment)
    return tuple(sorted(edits, key=lambda edit: (edit.source, edit.target)))


class _Texts:
    """The raw text of a sentence, and spans of its characters."""

    def __init__(self, sentence: Sentence) -> None:
        placed = sentence.with_offsets()
        self.text, self.words = placed.text, placed.words
        self._offsets = [(token.start, token.end) for token in placed.tokens]

    def characters(self, span: Span) -> Span:
        """The characters of a token span; those of an empty span lie where the next word begins."""
        start, end = span
        if start < end:
            return self._offsets[start][0], self._offsets[end - 1][1]
        if start < len(self._offsets):
            return (self._offsets[start][0],) * 2
        return (self._offsets[-1][1] if self._offsets else 0,) * 2

    def space_before(self, token: int) -> str:
        """The characters between a token and the one before; none at the start of the text."""
        return self.text[self._offsets[token - 1][1] : self._offsets[token][0]] if token else ""


_Sides = tuple[_Texts, _Texts]


def _edit(kind: str, source: Span, target: Span, texts: _Sides) -> Edit:
    characters = texts[0].characters(source), texts[1].characters(target)
    return Edit(
        kind,
        source,
        target,
        *characters,
        texts[0].text[slice(*characters[0])],
        texts[1].text[slice(*characters[1])],
        space=texts[1].space_before(target[0]) if target[0] < target[1] else "",
    )


def _smallest(units: EditUnits) -> Iterator[Arc]:
    """The units that changed, and in each gap the runs that are deleted and inserted."""
    for element in units.sequence:
        if isinstance(element, Unit):
            if not element.kept:
                piece = Piece(REPLACED, element.source, element.target)
                yield Arc(-1, -1, element.source, element.target, (piece,))
            continue
        for span in _joined(element.deleted):
            yield Arc(-1, -1, span, None, (Piece(DELETED, span, None),))
        for span in _joined(element.inserted):
            yield Arc(-1, -1, None, span, (Piece(INSERTED, None, span),))


def _joined(pieces: Sequence[Span]) -> list[Span]:
    runs: list[Span] = []
    for start, end in pieces:
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


class _Stable(NamedTuple):
    """A unit that is kept or moved."""

    source: Span
    target: Span
    kind: str
    same: bool


def _unchanged(
    units: EditUnits, chosen: Sequence[tuple[Arc, object]], reasons: EditReasons, texts: _Sides
) -> Iterator[Edit]:
    """What is kept or moved, in maximal spans; a kept word whose capital changes with its place is alone."""
    inside = {i for arc, _ in chosen if arc.source is not None for i in range(*arc.source)}
    stable = [_Stable(unit.source, unit.target, "move", unit.kept) for unit in units.moved]
    stable += [
        _Stable(unit.source, unit.target, "keep", True)
        for unit in units.sequence
        if isinstance(unit, Unit) and unit.kept and unit.source[0] not in inside
    ]
    run: list[_Stable] = []
    for unit in sorted(stable):
        if run and not _continues(run[-1], unit, texts):
            yield _span_of(run, reasons, texts)
            run = []
        run.append(unit)
    if run:
        yield _span_of(run, reasons, texts)


def _continues(one: _Stable, two: _Stable, texts: _Sides) -> bool:
    """Whether two units stay the same as one span: next to each other, with the same space between them."""
    if one.kind != two.kind or (one.source[1], one.target[1]) != (two.source[0], two.target[0]):
        return False
    if one.kind == "move":
        return True
    if any(texts[0].words[unit.source[0]] != texts[1].words[unit.target[0]] for unit in (one, two)):
        return False
    return texts[0].space_before(two.source[0]) == texts[1].space_before(two.target[0])


def _span_of(run: Sequence[_Stable], reasons: EditReasons, texts: _Sides) -> Edit:
    source, target = (run[0].source[0], run[-1].source[1]), (run[0].target[0], run[-1].target[1])
    edit = _edit(run[0].kind, source, target, texts)
    if all(one.same for one in run):
        same = texts[0].words[slice(*source)] == texts[1].words[slice(*target)]
        return edit if same else replace(edit, reason=CAPITALS)
    pieces = tuple(Piece(KEPT if one.same else REPLACED, one.source, one.target) for one in run)
    return replace(edit, reason=reasons.of(Arc(-1, -1, source, target, pieces)))


def _with_anchors(edits: Sequence[Edit], texts: _Sides) -> list[Edit]:
    """Put the empty side of insertions and deletions behind what stands before their words."""
    anchored = [edit for edit in edits if edit.kind not in ("insert", "delete")]
    for side, (name, kind) in enumerate((("source", "insert"), ("target", "delete"))):
        # The end of the last span of this side that did not move, before each span of the other side.
        passed = 0
        for edit in sorted(edits, key=lambda edit: (edit.source, edit.target)[1 - side]):
            if edit.kind == kind:
                place = passed, passed
                values: Any = {name: place, f"{name}_characters": texts[side].characters(place)}
                anchored.append(replace(edit, **values))
            elif edit.kind not in ("move", "insert", "delete"):
                passed = (edit.source, edit.target)[side][1]
    return anchored


def _with_boundaries(edits: Sequence[Edit], alignment: Alignment) -> list[Edit]:
    """Name the changes that make two sentences of one, and one of two."""
    edits = list(edits)
    for kind, side in (("split", 1), ("merge", 0)):
        own, other = ((alignment.source, alignment.target)[k] for k in (side, 1 - side))
        linked = sorted(
            ((edit.source, edit.target)[side], (edit.source, edit.target)[1 - side])
            for edit in edits
            if edit.kind not in ("insert", "delete")
        )
        for boundary in own.starts:
            before = [pair for pair in linked if pair[0][0] < boundary]
            after = [pair for pair in linked if pair[0][1] > boundary]
            if not before or not after:
                continue
            tokens = before[-1][1][1] - 1, after[0][1][0]
            numbers = {sum(start <= token for start in other.starts) for token in tokens}
            if len(numbers) == 1 and (place := _change_at(edits, side, boundary)) is not None:
                edits[place] = replace(edits[place], kind=kind)
    return edits


def _change_at(edits: Sequence[Edit], side: int, boundary: int) -> int | None:
    """The number of the change that contains the word before a boundary, or else the word after it."""
    for token in (boundary - 1, boundary):
        for number, edit in enumerate(edits):
            start, end = (edit.source, edit.target)[side]
            if start <= token < end and edit.kind in _CHANGES:
                return number
    return None
