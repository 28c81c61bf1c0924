"""Chunk alignments of SemEval's interpretable STS task: ``.wa`` files and their files of chunks."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forest_align.alignment import Links
from forest_align.data.formats.fields import one_line
from forest_align.data.formats.format import (
    ChunkLink,
    Format,
    PairError,
    SentencePair,
    Span,
    Writer,
    reading_pair,
)
from forest_align.data.text.lines import InputLines, path_beside
from forest_align.types import InputError, InputWarning, Sentence

_START = re.compile(r'<sentence id="([^"]*)"')
_TOKEN = re.compile(r"(\d{1,9}) (.*?)\s*:\s*$")
_TOKENS = r"((?:\d{1,9} +)*\d{1,9})"
_LINK = re.compile(rf"{_TOKENS} <==> {_TOKENS} // (\S+) // (\S+) //")
_WORD = re.compile(r"\S+")
_CHUNK = re.compile(r"\[ (.*?) \](?= |$)")
_SECTIONS = frozenset({"source", "translation", "alignment"})


@dataclass(slots=True)
class _Draft:
    """A pair while its lines are read; ``position`` counts the file's pairs from 0, including broken ones."""

    id: str
    line: int
    position: int
    texts: list[str] = field(default_factory=list)
    words: dict[str, list[str]] = field(default_factory=lambda: {"source": [], "translation": []})
    chunks: list[ChunkLink] = field(default_factory=list)
    chunk_lines: list[int] = field(default_factory=list)
    section: str = ""


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs with chunk alignments; words are linked if their chunks are aligned.

    If ``NAME.sent1.chunk.txt`` and ``NAME.sent2.chunk.txt`` are in the folder of ``NAME.wa``, the spans of
    all chunks are read from them. Spans are empty if these files have other words than the ``.wa`` file.
    Warns InputWarning if spans are left empty for this reason: once per file, with the first affected line.
    """
    chunk_files = [_chunks_beside(lines.path, side) for side in (1, 2)]
    for item in _pairs(lines):
        if isinstance(item, InputError):
            yield item
            continue
        spans = [
            chunks.spans(item.position, words) if chunks is not None else ()
            for chunks, words in zip(
                chunk_files, (item.words["source"], item.words["translation"]), strict=True
            )
        ]
        try:
            with reading_pair(item.id, *_texts(item)):
                pair = _finish(item, spans[0], spans[1])
            yield replace(pair, place=(lines.name, item.line))
        except InputError as error:
            yield error.at(file=lines.name, line=item.line)


def _pairs(lines: InputLines) -> Iterator[_Draft | InputError]:
    draft: _Draft | None = None
    problem: InputError | None = None
    begun = 0

    def broken() -> InputError:
        assert draft is not None
        found = problem or lines.error(f"sentence {draft.id!r} has no </sentence>")
        return PairError(found, draft.id, *_texts(draft))

    while True:
        try:
            line = next(lines, None)
            if line is None:
                if draft is not None:
                    yield broken()
                return
            if start := _START.match(line.strip()):
                if draft is not None:
                    yield broken()
                draft, problem, begun = _Draft(start[1], lines.number, begun), None, begun + 1
            elif line.strip() == "</sentence>":
                if draft is not None:
                    yield broken() if problem else draft
                draft, problem = None, None
            elif draft is not None:
                _add(draft, line.strip(), lines.number)
            elif line.strip():
                yield lines.error(f"expected '<sentence id=…>', found {line[:40]!r}")
        except InputError as error:
            problem = problem or error.at(file=lines.name, line=lines.number)


def _add(draft: _Draft, line: str, number: int) -> None:
    tag = line.strip("</>")
    if line.startswith("<") and tag in _SECTIONS:
        draft.section = "" if line.startswith("</") else tag
    elif draft.section == "alignment" and line:
        draft.chunks.append(_chunk_link(line))
        draft.chunk_lines.append(number)
    elif draft.section and line:
        words = draft.words[draft.section]
        found = _TOKEN.match(line) or re.match(r"(\d{1,9}) (.+?):$", line)
        if not found or int(found[1]) != len(words) + 1:
            raise InputError(f"expected token {len(words) + 1} as '{len(words) + 1} WORD :', found {line!r}")
        words.append(found[2].strip())
    elif line.startswith("//"):
        draft.texts.append(line.removeprefix("//").strip())


def _chunk_link(line: str) -> ChunkLink:
    found = _LINK.match(line)
    if not found:
        raise InputError(f"expected '1 2 <==> 3 // TYPE // SCORE // …', found {line[:60]!r}")
    sides = [tuple(int(x) - 1 for x in found[k].split()) for k in (1, 2)]
    sides = [() if side == (-1,) else side for side in sides]
    return ChunkLink(sides[0], sides[1], found[3], found[4])


def _finish(draft: _Draft, source_chunks: tuple[Span, ...], target_chunks: tuple[Span, ...]) -> SentencePair:
    sentences = [
        Sentence.from_dict({"tokens": draft.words[section], "text": text})
        for section, text in zip(("source", "translation"), _texts(draft), strict=True)
    ]
    lengths = [len(sentence) for sentence in sentences]
    if not all(lengths):
        raise InputError(f"sentence {draft.id!r} has no tokens")
    for chunk, number in zip(draft.chunks, draft.chunk_lines, strict=True):
        for side, length in zip((chunk.source, chunk.target), lengths, strict=True):
            if any(not 0 <= index < length for index in side):
                message = f"sentence {draft.id!r}: a chunk lies outside its {length} tokens"
                raise InputError(message, line=number)
    return SentencePair(
        draft.id,
        sentences[0],
        sentences[1],
        Links.of((i, j) for chunk in draft.chunks for i in chunk.source for j in chunk.target),
        chunks=tuple(draft.chunks),
        source_chunks=source_chunks,
        target_chunks=target_chunks,
    )


def _texts(draft: _Draft) -> list[str]:
    """The two raw texts; words joined by spaces if the file does not have the texts."""
    words = [" ".join(draft.words[section]) for section in ("source", "translation")]
    return [given or joined for given, joined in zip([*draft.texts, "", ""], words, strict=False)]


def _chunks_beside(path: Path | None, side: int) -> _ChunkFile | None:
    if path is None:
        return None
    beside = path_beside(path, f".sent{side}.chunk.txt")
    return _ChunkFile(beside) if beside.is_file() else None


class _ChunkFile:
    """The chunks of all sentences of one side."""

    def __init__(self, path: Path) -> None:
        self._path, self._chunks, self._has_warned = path, _read_chunk_file(path), False

    def spans(self, position: int, words: Sequence[str]) -> tuple[Span, ...]:
        """Spans of a sentence's chunks; none, with a warning, if the chunks have other words."""
        found = _spans(self._chunks[position], words) if position < len(self._chunks) else ()
        if words and not found and not self._has_warned:
            self._has_warned = True
            message = f"{self._path}:{position + 1}: expected chunks of the words {' '.join(words)[:60]!r}"
            warnings.warn(InputWarning(f"{message}; sentences without them get no spans"), stacklevel=2)
        return found


def _read_chunk_file(path: str | Path) -> list[list[str]]:
    """Read ``[ A battery ] [ should connect ]`` lines into chunks, each its words joined by spaces.

    A line that is not UTF-8 yields no chunks.
    """
    with InputLines(path) as lines:
        return [
            [] if isinstance(line, InputError) else _CHUNK.findall(line.strip())
            for _, line in lines.numbered()
        ]


def _spans(chunks: Sequence[str], words: Sequence[str]) -> tuple[Span, ...]:
    split = [chunk.split() for chunk in chunks]
    if [word for chunk in split for word in chunk] != list(words):
        # One line of the corpus opens a chunk twice: "[ in [ a closed path ]".
        split = [[word for word in chunk if word != "["] for chunk in split]
    if [word for chunk in split for word in chunk] != list(words):
        return ()
    spans, at = [], 0
    for chunk in split:
        spans.append((at, at + len(chunk)))
        at += len(chunk)
    return tuple(spans)


def matches(head: Sequence[str]) -> bool:
    """Whether the file begins like a ``.wa`` file and is not Enju output, whose sentences begin alike."""
    begins = bool(head) and _START.match(head[0].strip()) is not None
    return begins and "<cons" not in head[0] and "parse_status=" not in head[0]


def write_pair(pair: SentencePair) -> str:
    """One ``<sentence>`` element."""
    if pair.chunks is None or not (pair.source.tokens and pair.target.tokens):
        raise InputError(f"pair {pair.id!r} has no chunk alignment, which format ists needs")
    sections = []
    for name, words in (("source", pair.source.words), ("translation", pair.target.words)):
        rows = "".join(f"{k} {one_line(word)} : \n" for k, word in enumerate(words, 1))
        sections.append(f"<{name}>\n{rows}</{name}>\n")
    rows = "".join(_write_chunk(chunk, pair) for chunk in pair.chunks)
    texts = f"// {one_line(pair.source.text)}\n// {one_line(pair.target.text)}\n"
    body = f"{texts}{''.join(sections)}<alignment>\n{rows}</alignment>\n"
    return f'<sentence id="{_id(pair.id)}" status="">\n{body}</sentence>\n\n\n'


def _id(id: str) -> str:
    return one_line(id).replace('"', "'")


def _write_chunk(chunk: ChunkLink, pair: SentencePair) -> str:
    if not (_WORD.fullmatch(chunk.type) and _WORD.fullmatch(chunk.score)):
        found = f"a chunk of type {chunk.type!r} and score {chunk.score!r}"
        raise InputError(f"pair {pair.id!r} has {found}, which format ists cannot hold")
    numbers = [" ".join(str(i + 1) for i in side) or "0" for side in (chunk.source, chunk.target)]
    words = [
        " ".join(sentence.words[i] for i in side) or "-not aligned-"
        for side, sentence in ((chunk.source, pair.source), (chunk.target, pair.target))
    ]
    return f"{numbers[0]} <==> {numbers[1]} // {chunk.type} // {chunk.score} // {words[0]} <==> {words[1]} \n"


FORMAT = Format(
    "ists",
    "SemEval iSTS chunk alignments (.wa, with the files of chunks beside them)",
    read,
    matches,
    (".wa",),
    Writer(write_pair, frozenset({"links", "chunks"}), id=_id),
)
