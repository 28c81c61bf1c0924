"""One edit between two texts, the application of all edits to the source, and formats of other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import Any

from forest_align.alignment import Alignment
from forest_align.types import InputError, Sentence
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
    # A deletion stands where its words would have been.
    for edit in sorted(edits, key=lambda edit: (edit.target, edit.source)):
        start, end = edit.source_characters
        found = source[start:end]
        if found != edit.source_text:
            raise InputError(
                f"expected {edit.source_text!r} at characters {start} to {end} of the source, found {found!r}"
            )
        copied = edit.kind in ("keep", "move") and edit.source_text == edit.target_text
        parts += [edit.space, found if copied else edit.target_text]
    return "".join(parts)


# ERRANT's types (Bryant et al. 2017) of our reasons; other reasons get the word class.
_M2_TYPES = {
    "capitals": "ORTH",
    "punctuation": "PUNCT",
    "spelling": "SPELL",
    "format": "ORTH",
    "derivation": "MORPH",
    "pronoun": "PRON",
}
# Beginnings of Penn tags.
_M2_CLASSES = {
    **{"NN": "NOUN", "VB": "VERB", "MD": "VERB", "JJ": "ADJ", "RB": "ADV", "RP": "PART", "IN": "PREP"},
    **{"TO": "PREP", "DT": "DET", "PDT": "DET", "PRP": "PRON", "W": "PRON", "CC": "CONJ"},
}
_THRESH = {
    "insert": "insertion",
    "delete": "deletion",
    "replace": "substitution",
    "keep": "substitution",
    "move": "reorder",
    "split": "split",
    "merge": "structure",
}


def edits_to_m2(alignment: Alignment, edits: Sequence[Edit]) -> str:
    """A block of an M2 file: the source, a line for each edit, and an empty line.

    The corrections of one block make the target's tokens of the source's. M2 has no moves: a moved span is
    deleted in one place and inserted in the other, with type ``WO`` (word order). Types are ERRANT's where a
    reason has one; otherwise ``OTHER``.

    Parameters
    ----------
    alignment : Alignment
        The alignment that the edits are from.
    edits : sequence of Edit
        Its edits.
    """
    source, target = alignment.source, alignment.target
    rows: list[tuple[int, int, int, str, str]] = []
    for edit in filter(_is_change, edits):
        words = " ".join(target.words[slice(*edit.target)])
        (start, end), begun = edit.source, edit.target[0]
        if edit.kind == "move":
            # The words belong behind what is before them in the target.
            kept = [other for other in edits if other.kind not in ("move", "delete")]
            place = max((other.source[1] for other in kept if other.target[1] <= begun), default=0)
            rows += [(start, end, begun, "U:WO", ""), (place, place, begun, "M:WO", words)]
            continue
        prefix = "M" if start == end else "U" if begun == edit.target[1] else "R"
        rows.append((start, end, begun, f"{prefix}:{_m2_type(edit, source, target)}", words))
    lines = [f"S {' '.join(source.words)}"]
    lines += [
        f"A {start} {end}|||{kind}|||{words}|||REQUIRED|||-NONE-|||0"
        # Insertions come before the words at their place, in the order of the target.
        for start, end, _, kind, words in sorted(rows, key=lambda row: (row[0], row[1] > row[0], row[2]))
    ]
    if not rows:
        lines.append("A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0")
    return "\n".join(lines) + "\n\n"


def _is_change(edit: Edit) -> bool:
    """Whether a format has an entry for an edit: for a kept word only if its capital letter changes."""
    return edit.kind != "keep" or bool(edit.reason)


def _m2_type(edit: Edit, source: Sentence, target: Sentence) -> str:
    if edit.reason in _M2_TYPES:
        return _M2_TYPES[edit.reason]
    tags = {*source.tags[slice(*edit.source)], *target.tags[slice(*edit.target)]}
    known = _M2_CLASSES.items()
    classes = {next((name for start, name in known if tag.startswith(start)), "OTHER") for tag in tags}
    if len(classes) != 1:
        return "MORPH" if edit.reason == "inflection" else "OTHER"
    name = classes.pop()
    if edit.reason == "inflection" and name == "VERB":
        return f"VERB:{_verb_form(tags)}"
    return "NOUN:NUM" if edit.reason == "inflection" and name == "NOUN" else name


def _verb_form(tags: Set[str]) -> str:
    """What differs between two forms of a verb, by their Penn tags: agreement, tense or form."""
    if tags & {"VBG", "VBN", "MD"}:
        return "FORM"
    if "VBD" in tags:
        return "TENSE" if len(tags) > 1 else "SVA"  # was, were
    return "SVA" if "VBZ" in tags else "FORM"


def edits_to_easse(alignment: Alignment, edits: Sequence[Edit], *, phrases: bool = True) -> dict[str, Any]:
    """The operations of EASSE (Alva-Manchego et al. 2019) on the words of both texts, as JSON values.

    A word of the source is kept (``O``), deleted (``D``), replaced (``R``) or moved (``M``); one of
    the target is added (``A``) or has no label of its own (``O``). Words are numbered from 1. A replacement
    names its words (``replace``), a move the new place (``move``) and, if words changed, the new ones.
    A kept word with another capital letter is replaced.

    Parameters
    ----------
    alignment, edits
        The alignment, and its edits.
    phrases : bool
        Whether the further words of an edit have ``I-``; otherwise each word has ``B-``, as at word level.
    """
    sides: dict[str, list[dict[str, Any]]] = {
        name: [{"index": number, "word": word, "label": "O"} for number, word in enumerate(side.words, 1)]
        for name, side in (("source", alignment.source), ("target", alignment.target))
    }
    labels = {"delete": "D", "replace": "R", "split": "R", "merge": "R", "move": "M", "keep": "R"}
    for edit in filter(_is_change, edits):
        added = edit.source[0] == edit.source[1]
        letter = "A" if added else labels[edit.kind]
        if not added and edit.target[0] == edit.target[1]:
            letter = "D"
        words = sides["target" if added else "source"]
        for number, k in enumerate(range(*(edit.target if added else edit.source))):
            words[k]["label"] = f"{'B' if number == 0 or not phrases else 'I'}-{letter}"
            if letter == "R" or (letter == "M" and edit.reason):
                replaced = list(alignment.target.words[slice(*edit.target)])
                words[k]["replace"] = replaced if number == 0 else []
            if letter == "M":
                words[k]["move"] = min(edit.target[0] + number + 1, edit.target[1])
    return {"id": alignment.id, **sides}


def edits_to_thresh(alignment: Alignment, edits: Sequence[Edit]) -> dict[str, Any]:
    """One entry of a file of thresh.tools, for the interface of SALSA (Heineman et al. 2023), as JSON values.

    ``input_idx`` and ``output_idx`` are spans of UTF-16 units, as that site counts them. Splits hold the
    change that makes them as a constituent edit, and so do merges, whose category is ``structure``.
    ``annotation`` is null.
    """
    # The texts that the characters of the edits refer to.
    source, target = alignment.source.with_offsets().text, alignment.target.with_offsets().text
    numbers: Counter[str] = Counter()
    entries = []
    for edit in filter(_is_change, edits):
        category = _THRESH[edit.kind]
        numbers[category] += 1
        entry: dict[str, Any] = {"category": category, "id": numbers[category], "annotation": None}
        spans = _thresh_spans(edit, source, target)
        if edit.kind in ("split", "merge"):  # they consist of other edits
            inner = "substitution" if len(spans) > 1 else "deletion" if "input_idx" in spans else "insertion"
            entry["constituent_edits"] = [{"category": inner, "id": 1, **spans}]
        else:
            entry |= spans
        entries.append(entry)
    names = {"id": alignment.id, "system": alignment.aligner}
    return {**names, "source": source, "target": target, "edits": entries}


def _thresh_spans(edit: Edit, source: str, target: str) -> dict[str, list[list[int]]]:
    sides = (
        ("input_idx", source, edit.source, edit.source_characters),
        ("output_idx", target, edit.target, edit.target_characters),
    )
    return {
        name: [[len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2 for offset in characters]]
        for name, text, (start, end), characters in sides
        if start < end
    }
