"""The Microsoft paraphrase corpus: Quality, two ids, two strings, separated by tabs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_align.data.formats.fields import cells, columns, need_texts, one_line, plain_sentence
from forest_align.data.formats.format import Format, SentencePair, Writer, read_line_by_line, reading_pair
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError

_HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one pair per line with its label (paraphrase or not); the id is the two ids joined by ``-``."""

    def parse(line: str) -> SentencePair | None:
        if line == _HEADER:
            return None
        _, first, second, *texts = cells(line, 5)
        name = f"{first}-{second}" if first or second else str(lines.number)
        with reading_pair(name, *texts):
            fields = columns(line, 5, "Quality, #1 ID, #2 ID, #1 String, #2 String")
            if fields[0] not in ("0", "1"):
                raise InputError(f"expected 0 or 1, found {fields[0]!r}", field="Quality")
            return SentencePair(
                name,
                plain_sentence(fields[3], tokenized, "#1 String"),
                plain_sentence(fields[4], tokenized, "#2 String"),
                label=fields[0] == "1",
            )

    return read_line_by_line(lines, parse)


def matches(head: Sequence[str]) -> bool:
    """Whether the file begins with the corpus's header."""
    return bool(head) and head[0] == _HEADER


def _ids(id: str) -> tuple[str, str]:
    first, _, second = one_line(id).partition("-")
    return first, second or first


def _write_pair(pair: SentencePair) -> str:
    """One line of five columns."""
    if pair.label is None:
        raise InputError(f"pair {pair.id!r} has no label, which format msrp needs")
    first, second = _ids(pair.id)
    return "\t".join((str(int(pair.label)), first, second, *need_texts(pair, "msrp"))) + "\n"


FORMAT = Format(
    "msrp",
    "Microsoft paraphrase corpus: Quality, two ids, two strings",
    read,
    matches,
    writer=Writer(_write_pair, frozenset({"label"}), header=f"{_HEADER}\n", id=lambda id: "-".join(_ids(id))),
)
