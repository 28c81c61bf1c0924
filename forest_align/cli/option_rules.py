"""Which option goes with which aligner, format and way to run; others have no effect, and are refused."""

from __future__ import annotations

from typing import Any

from forest_align.cli.typed_options import is_given
from forest_align.types import InputError

#: Kinds of aligners that know both conventions of annotators.
ALL_LINKS = ("contextual", "forest", "joint")
#: Options of commands -> kinds of aligners that they are for.
ALIGNERS_OF = {
    "annotator": ("sultan",),
    "alignments": ("forest",),
    "links": ALL_LINKS,
    "words": ("forest",),
    "forest_sizes": ("forest",),
    "keep": ("forest",),
    "also": ("forest",),
    "tuned with ppdb": ("contextual", "sultan"),
}
_FLAGS = {"alignments": "-k", "source_format": "--from", "target": "second sentence"}
_PARTS_ARE_MADE = "unfinished parts are made in any case"
_NO_COLUMN = "its columns have no place for that; jsonl has"
_TABLE_IS_JOINED = "'forest-align join' writes the table, and takes it"
_NOTHING_IS_ALIGNED = "nothing is aligned"
#: What runs otherwise -> the options that it takes no notice of, each with a reason.
REFUSED_WITH: dict[str, dict[str, str]] = {
    "--chunks": dict.fromkeys(
        ("aligner", "annotator", "words", "ppdb", "explain", "device", "alignments", "links"), ""
    ),
    "--shard": {"resume": "an unfinished part is resumed in any case"},
    "--engine": {
        "resume": _PARTS_ARE_MADE,
        "shard": "the engine deals out the parts",
        "workers": "--num-actors is the number of processes",
    },
    "train --engine": {"workers": "--num-actors is the number of processes"},
    "--to parquet": {"alignments": _NO_COLUMN, "explain": _NO_COLUMN},
    "--to pharaoh": {"alignments": "a line has the links of one alignment"},
    "--words": {
        "links": "given links stay as they are",
        "ppdb": "paraphrases would have no effect",
    },
    "--alignments": dict.fromkeys(
        ("target", "aligner", "model", "parser", "source_format", "columns"), _NOTHING_IS_ALIGNED
    ),
    "--sentences-only": dict.fromkeys(("aligner", "model", "parser", "ppdb", "links"), ""),
    "extract --shard": {"to": _TABLE_IS_JOINED, "min_count": _TABLE_IS_JOINED},
    "extract --engine": {
        "to": _TABLE_IS_JOINED,
        "min_count": _TABLE_IS_JOINED,
        "resume": _PARTS_ARE_MADE,
        "shard": _PARTS_ARE_MADE,
    },
}


def flag_of(name: str) -> str:
    """How an option is written on the command line."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


def refuse_with(what: str, options: Any, shown: str | None = None) -> None:
    """Raise InputError for options that have no effect with ``what``, which messages call ``shown``."""
    for name, reason in REFUSED_WITH[what].items():
        if is_given(options, name):
            because = f": {reason}" if reason else ""
            raise InputError(f"{shown or what.split()[-1]} takes no {flag_of(name)}{because}")


def refuse_for(kind: str, name: str, flag: str) -> None:
    """Raise InputError for an option, written as ``flag``, that is not for this kind of aligner."""
    kinds = ALIGNERS_OF[name]
    if kind in kinds:
        return
    names = f"aligners {', '.join(kinds)} do" if len(kinds) > 2 else f"{' and the '.join(kinds)} aligner do"
    raise InputError(f"the {kind} aligner takes no {flag}; the {names}{'es' if len(kinds) == 1 else ''}")
