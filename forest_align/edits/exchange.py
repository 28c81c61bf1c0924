"""Edits in the formats of other programs: M2 (ERRANT), EASSE's operations, thresh and SALSA."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from forest_align.alignment import Alignment
from forest_align.edits.edit import Edit
from forest_align.types import Sentence

# ERRANT's types (Bryant et al. 2017) of our reasons; other reasons get the word class.
_M2_TYPES = {
    "capitals": "ORTH",
    "punctuation": "PUNCT",
    "spelling": "SPELL",
    "format": "ORTH",
    "derivation": "MORPH",
    "pronoun": "PRON",
}
_M2_CLASSES = (
    ("NN", "NOUN"),
    ("VB", "VERB"),
    ("MD", "VERB"),
    ("JJ", "ADJ"),
    ("RB", "ADV"),
    ("RP", "PART"),
    ("IN", "PREP"),
    ("TO", "PREP"),
    ("DT", "DET"),
    ("PDT", "DET"),
    ("PRP", "PRON"),
    ("W", "PRON"),
    ("CC", "CONJ"),
)
_MISSING, _UNNECESSARY, _REPLACED = "M", "U", "R"

_THRESH = {
    "insert": "insertion",
    "delete": "deletion",
    "replace": "substitution",
    "keep": "substitution",
    "move": "reorder",
    "split": "split",
    "merge": "structure",
}
# Edits that consist of others.
_COMPOSITE = ("split", "merge")


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
    for edit in edits:
        if not _is_change(edit):
            continue
        words = " ".join(target.words[slice(*edit.target)])
        start, end = edit.source
        if edit.kind == "move":
            place = _place_in_source(edit, edits)
            rows.append((start, end, edit.target[0], f"{_UNNECESSARY}:WO", ""))
            rows.append((place, place, edit.target[0], f"{_MISSING}:WO", words))
            continue
        sides = bool(end - start), bool(edit.target[1] - edit.target[0])
        prefix = {(True, True): _REPLACED, (True, False): _UNNECESSARY, (False, True): _MISSING}[sides]
        rows.append((start, end, edit.target[0], f"{prefix}:{_m2_type(edit, source, target)}", words))
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


def _place_in_source(edit: Edit, edits: Sequence[Edit]) -> int:
    """Where in the source the words of a move belong: behind what stands before them in the target."""
    before = [one for one in edits if one.kind not in ("move", "delete") and one.target[1] <= edit.target[0]]
    return max((one.source[1] for one in before), default=0)


def _m2_type(edit: Edit, source: Sentence, target: Sentence) -> str:
    if edit.reason in _M2_TYPES:
        return _M2_TYPES[edit.reason]
    tags = {
        tag
        for side, span in ((source, edit.source), (target, edit.target))
        for tag in side.tags[slice(*span)]
    }
    classes = {next((name for start, name in _M2_CLASSES if tag.startswith(start)), "OTHER") for tag in tags}
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
    sides: dict[str, list[dict[str, Any]]] = {}
    for name, sentence in (("source", alignment.source), ("target", alignment.target)):
        sides[name] = [
            {"index": number, "word": word, "label": "O"} for number, word in enumerate(sentence.words, 1)
        ]
    labels = {"delete": "D", "replace": "R", "split": "R", "merge": "R", "move": "M", "keep": "R"}
    for edit in edits:
        if not _is_change(edit):
            continue
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
    numbers: dict[str, int] = {}
    entries = []
    for edit in edits:
        if not _is_change(edit):
            continue
        category = _THRESH[edit.kind]
        numbers[category] = numbers.get(category, 0) + 1
        entry: dict[str, Any] = {"category": category, "id": numbers[category], "annotation": None}
        spans = _thresh_spans(edit, source, target)
        if edit.kind in _COMPOSITE:
            inner = "substitution" if len(spans) > 1 else "deletion" if "input_idx" in spans else "insertion"
            entry["constituent_edits"] = [{"category": inner, "id": 1, **spans}]
        else:
            entry |= spans
        entries.append(entry)
    return {
        "id": alignment.id,
        "system": alignment.aligner,
        "source": source,
        "target": target,
        "edits": entries,
    }


def _thresh_spans(edit: Edit, source: str, target: str) -> dict[str, list[list[int]]]:
    spans = {}
    for name, text, tokens, characters in (
        ("input_idx", source, edit.source, edit.source_characters),
        ("output_idx", target, edit.target, edit.target_characters),
    ):
        if tokens[0] < tokens[1]:
            spans[name] = [
                [len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2 for offset in characters]
            ]
    return spans
