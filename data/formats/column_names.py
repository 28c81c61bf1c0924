"""Names of the columns that hold the two sentences of a pair, in tables and in JSON objects alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from forest_align.types import InputError

#: Names that corpora give to the columns of the two sentences, the most specific first. Letter case, blanks,
#: hyphens and underscores are ignored.
COLUMN_NAMES = (
    ("source", "target"),
    ("src", "tgt"),
    ("src", "trg"),
    ("sentence1", "sentence2"),
    ("sentencea", "sentenceb"),
    ("sent1", "sent2"),
    ("s1", "s2"),
    ("text1", "text2"),
    ("texta", "textb"),
    ("string1", "string2"),
    ("phrase1", "phrase2"),
    ("question1", "question2"),
    ("complex", "simple"),
    ("normal", "simple"),
    ("original", "simple"),
    ("original", "simplified"),
    ("original", "simplification"),
    ("source", "simplified"),
    ("source", "simplification"),
    ("text", "simplified"),
    ("text", "simplification"),
    ("original", "paraphrase"),
    ("sentence", "paraphrase"),
    ("text", "paraphrase"),
    ("premise", "hypothesis"),
    ("text", "hypothesis"),
    ("reference", "hypothesis"),
    ("reference", "candidate"),
    ("reference", "prediction"),
    ("question", "answer"),
    ("question", "sentence"),
    ("before", "after"),
    ("text", "summary"),
    ("input", "output"),
)
_ID_NAMES = ("id", "pairid")
# Labels of paraphrases; a column of other labels is skipped.
_LABELS = {"0": False, "1": True, "false": False, "true": True}
_JOINTS = re.compile(r"[\s_-]+")
_SHOWN = 20

#: Names of the columns of source and target, as the user gives them.
ColumnNames = tuple[str, str]


class TextColumns(NamedTuple):
    """Positions of the columns that are read, None if there is none."""

    source: int
    target: int
    id: int | None
    label: int | None
    links: int | None


def text_columns(names: Sequence[str], wanted: ColumnNames | None = None) -> TextColumns | None:
    """Find the columns of two sentences by the wanted names, or by usual ones; None if there are none."""
    places = {_key(name): place for place, name in enumerate(names)}
    known = COLUMN_NAMES if wanted is None else [tuple(map(_key, wanted))]
    for pair in known:
        if all(name in places for name in pair):
            source, target = (places[name] for name in pair)
            id_place = next((places[name] for name in _ID_NAMES if name in places), None)
            return TextColumns(source, target, id_place, places.get("label"), places.get("links"))
    return None


def require_columns(
    names: Sequence[str], wanted: ColumnNames | None = None, *, what: str = "columns"
) -> TextColumns:
    """Find the columns of two sentences, see :func:`text_columns`; ``what`` they are, for the message.

    Raises InputError if there are none, or another column has the name of one that is read; lists the
    columns.
    """
    columns = text_columns(names, wanted)
    if columns is None:
        shown = ", ".join([repr(name[:40]) for name in names[:_SHOWN]] + ["…"] * (len(names) > _SHOWN))
        if wanted is not None:
            raise InputError(f"expected the {what} {wanted[0]!r} and {wanted[1]!r}, found {shown or 'none'}")
        raise InputError(
            f"expected {what} with the names source and target, or such, found {shown or 'none'}; "
            "--columns SOURCE TARGET names others"
        )
    keys = [_key(name) for name in names]
    for place in columns[:3]:
        if place is not None and keys.count(keys[place]) > 1:
            raise InputError(f"expected one column {names[place]!r} in the header, found several")
    return columns


def label_of(cell: str) -> bool | None:
    """The label of a pair: whether it is a paraphrase; None for labels of another kind."""
    return _LABELS.get(cell.strip().lower())


def _key(name: str) -> str:
    """Normalise a column's name, so that different spellings are equal."""
    return _JOINTS.sub("", name).lower()
