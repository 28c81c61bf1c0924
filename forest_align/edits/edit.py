"""One edit between two texts, its JSON, and the application of all edits to the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields, check_integer, check_list, describe

#: Kinds of edits. *Keep*: the same words. *Move*: the same words in another place. *Split* and *merge*: a
#: change that makes two sentences of one, or one of two.
EDIT_KINDS = ("keep", "replace", "insert", "delete", "move", "split", "merge")


@dataclass(frozen=True, slots=True)
class Edit:
    """What happens to one span of the source; all edits of an alignment cover both texts without overlap.

    Attributes
    ----------
    kind : str
        One of :data:`EDIT_KINDS`.
    source, target : (int, int)
        Half-open token spans. The source span of an insertion and the target span of a deletion are empty,
        at the place where the words would stand.
    source_characters, target_characters : (int, int)
        The same as half-open spans of characters of the raw texts.
    source_text, target_text : str
        The raw text of the spans.
    reason : str
        Kind of the change, one of :data:`~forest_align.edits.EDIT_REASONS`; empty for what is kept.
    space : str
        What the target has between the words before and those of this edit, such as a blank.
    probability : float or None
        Probability that people who mark edits mark exactly these spans, in [0, 1]; None for what is kept or
        moved, and for minimal edits.
    """

    kind: str
    source: tuple[int, int]
    target: tuple[int, int]
    source_characters: tuple[int, int]
    target_characters: tuple[int, int]
    source_text: str = ""
    target_text: str = ""
    reason: str = ""
    space: str = ""
    probability: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON values, see ``docs/reference/formats.md``."""
        values: dict[str, Any] = {
            "kind": self.kind,
            "source": list(self.source),
            "target": list(self.target),
            "source_characters": list(self.source_characters),
            "target_characters": list(self.target_characters),
            "source_text": self.source_text,
            "target_text": self.target_text,
        }
        if self.reason:
            values["reason"] = self.reason
        if self.space:
            values["space"] = self.space
        if self.probability is not None:
            values["probability"] = self.probability
        return values

    @classmethod
    def from_dict(cls, values: Any, path: str = "") -> Edit:
        """Read what :meth:`to_dict` wrote; unknown keys are ignored.

        Raises
        ------
        InputError
            If a field is missing, of a wrong type or out of range; names the field.
        """
        fields = Fields(values, path)
        kind = fields.text("kind")
        if kind not in EDIT_KINDS:
            raise InputError(
                f"expected one of {', '.join(EDIT_KINDS)}, found {describe(kind)}", field=fields.name("kind")
            )
        return cls(
            kind,
            _read_span(fields, "source"),
            _read_span(fields, "target"),
            _read_span(fields, "source_characters"),
            _read_span(fields, "target_characters"),
            fields.text("source_text"),
            fields.text("target_text"),
            fields.text("reason", ""),
            fields.text("space", ""),
            fields.probability("probability", None),
        )


def _read_span(fields: Fields, name: str) -> tuple[int, int]:
    """A half-open span, which may be empty."""
    place = fields.name(name)
    start, end = (check_integer(x, place) for x in check_list(fields.raw(name), place, 2))
    if not 0 <= start <= end:
        raise InputError(f"expected a half-open span, found [{start}, {end}]", field=place)
    return start, end


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """Make the target text of the source text: its first to its last word, without blanks around them.

    Words that are kept or moved are copied from the source; everything else comes from the edits.

    Parameters
    ----------
    source : str
        The raw text of the source.
    edits : iterable of Edit
        All edits of an alignment, in any order.

    Raises
    ------
    InputError
        If an edit does not fit the source text: names the edit.
    """
    parts = []
    for edit in in_target_order(edits):
        start, end = edit.source_characters
        found = source[start:end]
        if found != edit.source_text:
            raise InputError(
                f"expected {edit.source_text!r} at characters {start} to {end} of the source, found {found!r}"
            )
        copied = edit.kind in ("keep", "move") and edit.source_text == edit.target_text
        parts += [edit.space, found if copied else edit.target_text]
    return "".join(parts)


def in_target_order(edits: Iterable[Edit]) -> Sequence[Edit]:
    """The edits in the order of the target; a deletion stands where its words would have been."""
    return sorted(edits, key=lambda edit: (edit.target, edit.source))
