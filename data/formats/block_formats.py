"""The formats in which a pair has several lines: M2, and the files of the annotators of MSR-RTE."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

from forest_align.alignment import Links
from forest_align.data.formats.fields import need_links, split_sentence, tokens_of
from forest_align.data.formats.format import Format, PairError, SentencePair, Writer, most, reading_pair
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError

# Tokens of the source that an annotator replaced: start, end, and the words instead.
_Correction = tuple[int, int, Sequence[str]]


def _read_m2(lines: InputLines, _: bool) -> Iterator[SentencePair | InputError]:
    """Yield a pair of a sentence and its correction; of several annotators one each.

    The id is the number of the sentence; with several annotators, a point and the annotator's follow.
    """

    def has_text(numbered: tuple[int, str | InputError]) -> bool:
        return isinstance(numbered[1], InputError) or bool(numbered[1].strip())

    blocks = (list(block) for is_sentence, block in groupby(lines.numbered(), has_text) if is_sentence)
    for number, block in enumerate(blocks, 1):
        yield from _m2_pairs(block, str(number), lines.name)


def _m2_pairs(
    block: Sequence[tuple[int, str | InputError]], number: str, file: str
) -> Iterator[SentencePair | InputError]:
    (place, first), *rest = block
    source, corrections = "", {}  # type: str, dict[str, list[_Correction]]
    try:
        source = _content(first, "S", "a sentence, 'S words'")
        sentence = split_sentence(source)
        for place, line in rest:  # noqa: B007 - an error names the line
            annotator, own = _corrections(_content(line, "A", "a line of an edit, 'A start end|||…'"))
            corrections.setdefault(annotator, []).extend(own)
        for annotator, own in (corrections or {"0": []}).items():
            name = number if len(corrections) < 2 else f"{number}.{annotator}"
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


def _corrections(content: str) -> tuple[str, list[_Correction]]:
    """The annotator of a line and the edit that it holds, if it does not say that there is none."""
    cells = content.split("|||")
    places = cells[0].split()
    if len(cells) != 6 or len(places) != 2:
        raise InputError(
            "expected 'A start end|||type|||correction|||required|||comment|||annotator', "
            f"found {content[:60]!r}"
        )
    if cells[1] == "noop":
        return cells[5], []
    try:
        start, end = map(int, places)
    except ValueError:
        raise InputError(f"expected two token indices, found {cells[0]!r}") from None
    return cells[5], [(start, end, () if cells[2] in ("", "-NONE-") else cells[2].split())]


def _corrected(words: Sequence[str], corrections: Sequence[_Correction]) -> Iterator[str]:
    place = 0
    for start, end, replacement in sorted(corrections, key=lambda correction: correction[:2]):
        if not place <= start <= end <= len(words):
            raise InputError(
                f"expected edits that do not overlap, of {len(words)} words, found one of {start} to {end}"
            )
        yield from (*words[place:start], *replacement)
        place = end
    yield from words[place:]


def _is_m2(head: Sequence[str]) -> bool:
    def is_line(line: str) -> bool:
        return line.startswith("S ") or (line.startswith("A ") and line.count("|||") == 5)

    return bool(head) and head[0].startswith("S ") and most(head, is_line)


#: Corrected sentences, with the edits of each annotator (Dahlmeier and Ng 2012).
M2 = Format("m2", "M2: sentences with the edits that correct them", _read_m2, _is_m2, (".m2",))

_HEADER = re.compile(r"#\s*sentence pair (\S+)\s*$")
_LINKS = "NULL ({"
_NUMBER = re.compile(r"0*[1-9]\d{0,8}")
# The public copy ends without its last bracket, hence the alternative.
_WORD = re.compile(r"([^ \t]+) \(\{([^/{}]*)/[^/{}]*/[^/{}]*\}(?:\)\s*|$)")


def _read_msr_rte(lines: InputLines, _: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs of one annotator.

    A pair has three lines: ``# sentence pair 1``, the source's tokens, and ``NULL ({ … }) word ({ 4 p5 / / })
    …``. The third line has the target's tokens with the numbers (from 1) of the source tokens linked to them;
    possible links have a ``p``.
    """
    for block, problem in _blocks(lines):
        begun = block[0][0] if block else lines.number
        try:
            yield replace(_msr_pair(block, problem), place=(lines.name, begun))
        except InputError as error:
            yield error.at(file=lines.name, line=begun)


def _blocks(lines: InputLines) -> Iterator[tuple[list[tuple[int, str]], InputError | None]]:
    """The lines of each pair with their numbers, and an error if one of them is not UTF-8."""
    block: list[tuple[int, str]] = []
    problem: InputError | None = None
    for number, line in chain(lines.numbered(), [(0, None)]):
        if isinstance(line, InputError):
            problem = line
            continue
        if (line is None or _HEADER.match(line)) and (block or problem):
            yield block, problem
            block, problem = [], None
        if line is not None and line.strip():
            block.append((number, line))


def _msr_pair(block: Sequence[tuple[int, str]], problem: InputError | None) -> SentencePair:
    header = _HEADER.match(block[0][1]) if block else None
    if header is None:
        raise problem or InputError(f"expected '# sentence pair NUMBER', found {block[0][1][:40]!r}")
    # The missing line may be that of the source.
    has_source = len(block) > 1 and not block[1][1].startswith(_LINKS)
    source = split_sentence(block[1][1] if has_source else "")
    with reading_pair(header[1], source.text):
        if problem is not None:
            raise problem
        if len(block) != 3:
            raise InputError(
                "expected three lines ('# sentence pair NUMBER', source, links), "
                f"found {len(block)}: {block[0][1][:40]!r}"
            )
    number, text = block[2]
    try:
        with reading_pair(header[1], source.text):
            words, links, sure = _read_links(text.strip())
        target = split_sentence(" ".join(words))
        with reading_pair(header[1], source.text, target.text):
            if not (source.tokens and target.tokens):
                raise InputError("expected a source and a target sentence, found nothing")
            for i, _ in links:
                if i >= len(source):
                    raise InputError(f"token number {i + 1} is out of range: the source has {len(source)}")
    except InputError as error:
        raise error.at(line=number) from None
    return SentencePair(header[1], source, target, Links.of(links, sure=None if all(sure) else sure))


def _read_links(text: str) -> tuple[list[str], list[tuple[int, int]], list[bool]]:
    """Target tokens, links and their classes of a line ``NULL ({ / / }) word ({ 4 p5 / / }) …``."""
    words: list[str] = []
    links, sure, end = [], [], 0
    for entry in _WORD.finditer(text):
        if entry.start() != end:
            break
        end = entry.end()
        # The sentence may begin with a byte-order mark.
        words.append((entry[1].lstrip("\ufeff") or entry[1]) if len(words) == 1 else entry[1])
        for item in entry[2].split():
            is_sure, number = not item.startswith("p"), item.removeprefix("p")
            if not _NUMBER.fullmatch(number):
                raise InputError(f"expected a token number from 1 such as 4 or p4, found {item[:40]!r}")
            if len(words) > 1:
                links.append((int(number) - 1, len(words) - 2))
                sure.append(is_sure)
    if end != len(text) or words[:1] != ["NULL"]:
        rest = text[end : end + 40]
        raise InputError(f"expected 'NULL ({{ / / }}) word ({{ 1 p2 / / }}) …', found {rest!r}")
    return words[1:], links, sure


def _one_word(id: str) -> str:
    return "_".join(id.split()) or "-"


def _write_msr_rte(pair: SentencePair) -> str:
    links = need_links(pair, "msr-rte")
    classes = links.sure or (True,) * len(links)
    numbers = [""] * len(pair.target)
    for (i, j), is_sure in zip(links.pairs, classes, strict=True):
        numbers[j] += f"{i + 1} " if is_sure else f"p{i + 1} "
    entries = zip(("NULL", *pair.target.words), ("", *numbers), strict=True)
    words = "".join(f"{word} ({{ {linked}/ / }}) " for word, linked in entries)
    return f"# sentence pair {_one_word(pair.id)}\n{tokens_of(pair.source)} \n{words}\n"


#: Brockett (2007).
MSR_RTE = Format(
    "msr-rte",
    "annotator files of the MSR alignment of RTE-2",
    _read_msr_rte,
    lambda head: bool(head) and _HEADER.match(head[0]) is not None,
    writer=Writer(_write_msr_rte, frozenset({"links", "possible links"}), id=_one_word),
)
