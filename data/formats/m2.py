"""M2, the format of corrected sentences, with the edits of each annotator (Dahlmeier and Ng 2012)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from forest_align.data.formats.fields import split_sentence
from forest_align.data.formats.format import Format, PairError, SentencePair, most
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError

_NO_EDIT = "noop"
_NOTHING = ("", "-NONE-")


class _Edit(NamedTuple):
    """Tokens of the source that an annotator replaced by others."""

    start: int
    end: int
    words: tuple[str, ...]


def read(lines: InputLines, _: bool) -> Iterator[SentencePair | InputError]:
    """Yield a pair of a sentence and its correction; of several annotators one each.

    The id is the number of the sentence; with several annotators, a point and the annotator's follow.
    """
    block: list[tuple[int, str | InputError]] = []
    number = 0
    for place, line in lines.numbered():
        if isinstance(line, InputError) or line.strip():
            block.append((place, line))
            continue
        if block:
            number += 1
            yield from _pairs(block, str(number), lines.name)
        block = []
    if block:
        yield from _pairs(block, str(number + 1), lines.name)


def _pairs(
    block: Sequence[tuple[int, str | InputError]], number: str, file: str
) -> Iterator[SentencePair | InputError]:
    """The pairs of the lines of one sentence."""
    (place, first), *rest = block
    source, edits = "", {}  # type: str, dict[str, list[_Edit]]
    try:
        source = _content(first, "S", "a sentence, 'S words'")
        sentence = split_sentence(source)
        for place, line in rest:  # noqa: B007 - an error names the line
            annotator, edit = _edit(_content(line, "A", "a line of an edit, 'A start end|||…'"))
            edits.setdefault(annotator, []).extend([] if edit is None else [edit])
        for annotator, own in (edits or {"0": []}).items():
            name = number if len(edits) < 2 else f"{number}.{annotator}"
            target = split_sentence(" ".join(_corrected(sentence.words, own)))
            if not target.tokens:
                raise InputError("expected a corrected sentence, found one without words")
            yield SentencePair(name, sentence, target, place=(file, block[0][0]))
    except InputError as error:
        yield PairError(error, number, source).at(file=file, line=place)


def _content(line: str | InputError, kind: str, expected: str) -> str:
    """What follows the letter of a line."""
    if isinstance(line, InputError):
        raise line
    letter, _, content = line.partition(" ")
    if letter != kind or not content.strip():
        raise InputError(f"expected {expected}, found {line[:60]!r}")
    return content


def _edit(content: str) -> tuple[str, _Edit | None]:
    """The annotator and the edit of a line; None for the remark that there is nothing to correct."""
    cells = content.split("|||")
    places = cells[0].split()
    if len(cells) != 6 or len(places) != 2:
        raise InputError(
            "expected 'A start end|||type|||correction|||required|||comment|||annotator', "
            f"found {content[:60]!r}"
        )
    if cells[1] == _NO_EDIT:
        return cells[5], None
    try:
        start, end = map(int, places)
    except ValueError:
        raise InputError(f"expected two token indices, found {cells[0]!r}") from None
    return cells[5], _Edit(start, end, () if cells[2] in _NOTHING else tuple(cells[2].split()))


def _corrected(words: Sequence[str], edits: Sequence[_Edit]) -> Iterator[str]:
    """The words after all edits."""
    place = 0
    for start, end, replacement in sorted(edits, key=lambda edit: edit[:2]):
        if not place <= start <= end <= len(words):
            raise InputError(
                f"expected edits that do not overlap, of {len(words)} words, found one of {start} to {end}"
            )
        yield from (*words[place:start], *replacement)
        place = end
    yield from words[place:]


def matches(head: Sequence[str]) -> bool:
    """Whether the first lines are a sentence, and sentences or edits."""
    return bool(head) and head[0].startswith("S ") and most(head, _is_line)


def _is_line(line: str) -> bool:
    return line.startswith("S ") or (line.startswith("A ") and line.count("|||") == 5)


FORMAT = Format("m2", "M2: sentences with the edits that correct them", read, matches, (".m2",))
