"""One edit between two texts, its JSON, and the application of all edits to the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forest_align.types.errors import InputError
from forest_align.types.json_records import JsonObject, Probability, Span, check_name

#: Kinds of edits. *Keep*: the same words. *Move*: the same words in another place. *Split* and *merge*: a
#: change that makes two sentences of one, or one of two.
EDIT_KINDS = ("keep", "replace", "insert", "delete", "move", "split", "merge")


class Edit(JsonObject, frozen=True):
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
    source: Span
    target: Span
    source_characters: Span
    target_characters: Span
    source_text: str
    target_text: str
    reason: str = ""
    space: str = ""
    probability: Probability | None = None

    def check(self) -> None:
        """Raise InputError if the kind is unknown, or a span ends before it starts."""
        check_name(self.kind, EDIT_KINDS, "kind")
        for name in ("source", "target", "source_characters", "target_characters"):
            start, end = getattr(self, name)
            if start > end:
                raise InputError(f"expected a half-open span, found [{start}, {end}]", field=name)


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
    for edit in _in_target_order(edits):
        start, end = edit.source_characters
        found = source[start:end]
        if found != edit.source_text:
            raise InputError(
                f"expected {edit.source_text!r} at characters {start} to {end} of the source, found {found!r}"
            )
        copied = edit.kind in ("keep", "move") and edit.source_text == edit.target_text
        parts += [edit.space, found if copied else edit.target_text]
    return "".join(parts)


def _in_target_order(edits: Iterable[Edit]) -> Sequence[Edit]:
    """The edits in the order of the target; a deletion stands where its words would have been."""
    return sorted(edits, key=lambda edit: (edit.target, edit.source))
