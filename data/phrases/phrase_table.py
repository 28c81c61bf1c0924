"""Phrase tables: the data about each pair of phrases, and the output formats."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from itertools import pairwise

from forest_align.alignment import Links
from forest_align.data.formats.fields import one_line
from forest_align.types.brackets import split_chain
from forest_align.types.json_fields import format_json_object

_LEAST = 1e-9  # lower bound of probabilities before taking logarithms


@dataclass(frozen=True, slots=True)
class PhraseEntry:
    """A pair of phrases with its counts.

    Attributes
    ----------
    source, target : str
        The phrases, words joined by spaces.
    source_label, target_label : str
        The most probable categories of the pair; empty if none is known.
    count : int
        How often the pair was aligned.
    expected_count : float
        Expected number of correct alignments: the sum of its probabilities.
    target_given_source, source_given_target : float
        Share of this pair in the expected count of all alignments of the given phrase.
    links : str
        Word links inside the pair, in the example, as ``"0-0 1-2"``.
    example : str
        Name of the first sentence pair that has it; shorter names sort before longer ones.
    relation : str
        The most frequent relation of the source phrase to the target phrase; empty if none is known.
    similarity : float or None
        The mean similarity of the phrases, from 0 to 5; None if it is not known.
    """

    source: str
    target: str
    source_label: str
    target_label: str
    count: int
    expected_count: float
    target_given_source: float
    source_given_target: float
    links: str
    example: str
    relation: str = ""
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class TableFormat:
    """How a table is written."""

    summary: str  # one line for the help
    line: Callable[[PhraseEntry], str]
    header: str = ""


def _tsv(entry: PhraseEntry) -> str:
    return "\t".join(_cell(getattr(entry, name)) for name in _COLUMNS) + "\n"


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _json(entry: PhraseEntry) -> str:
    rounded = {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in asdict(entry).items()}
    return format_json_object(rounded) + "\n"


def _ppdb(entry: PhraseEntry) -> str:
    """One line in the format of PPDB 1.0 (Ganitkevitch et al. 2013), with the features that apply here.

    A pair of different categories is ``[X]``, which means none; ``p(e|f)`` and ``p(f|e)`` are negative
    natural logarithms, f being the source; ``RarityPenalty`` is exp(1 − count). ``Similarity`` occurs only
    where it is known.
    """
    links = Links.from_pharaoh(entry.links).pairs
    lengths = tuple(len(text.split(" ")) for text in (entry.source, entry.target))
    unaligned = [len({link[side] for link in links}) < lengths[side] for side in (0, 1)]
    features = {
        "Count": entry.count,
        "ExpectedCount": entry.expected_count,
        "Lexical": int(lengths == (1, 1)),
        "Monotonic": int(all(one[1] <= two[1] for one, two in pairwise(links))),
        "RarityPenalty": math.exp(1 - entry.count),
        **({} if entry.similarity is None else {"Similarity": entry.similarity}),
        "SourceWords": lengths[0],
        "TargetWords": lengths[1],
        "UnalignedSource": int(unaligned[0]),
        "UnalignedTarget": int(unaligned[1]),
        "p(e|f)": -math.log(max(entry.target_given_source, _LEAST)),
        "p(f|e)": -math.log(max(entry.source_given_target, _LEAST)),
    }
    values = " ".join(f"{name}={round(value, 5) + 0.0:g}" for name, value in features.items())
    # A field cannot contain a bar; Moses uses the same escape.
    texts = [text.replace("|", "&#124;") for text in (_category(entry), entry.source, entry.target)]
    return f"[{texts[0]}] ||| {texts[1]} ||| {texts[2]} ||| {values} ||| {entry.links}\n"


def _category(entry: PhraseEntry) -> str:
    """The uppermost category that the unary chains of both phrases share."""
    chain = split_chain(entry.target_label)
    return next((label for label in split_chain(entry.source_label) if label and label in chain), "X")


_COLUMNS = tuple(field.name for field in fields(PhraseEntry))

#: Formats by their names.
TABLE_FORMATS = {
    # The ``#`` makes the header a comment for programs that read the columns without it.
    "tsv": TableFormat("tab-separated, with a header line", _tsv, "#" + "\t".join(_COLUMNS) + "\n"),
    "jsonl": TableFormat("JSON lines", _json),
    "ppdb": TableFormat("[LABEL] ||| source ||| target ||| features ||| links, as in PPDB 1.0", _ppdb),
}
