"""Chunk alignments of SemEval's interpretable STS task: ``.wa`` files and their files of chunks."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, pairwise
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
_GLUED_TOKEN = re.compile(r"(\d{1,9}) (.+?):$")
_TOKENS = r"((?:\d{1,9} +)*\d{1,9})"
_LINK = re.compile(rf"{_TOKENS} <==> {_TOKENS} // (\S+) // (\S+) //")
_WORD = re.compile(r"\S+")
_CHUNK = re.compile(r"\[ (.*?) \](?= |$)")
_SIDES = ("source", "translation")


@dataclass(slots=True)
class _Draft:
    """A pair while its lines are read; ``position`` counts the file's pairs from 0, including broken ones."""

    id: str
    line: int
    position: int
    texts: list[str] = field(default_factory=list)
    words: dict[str, list[str]] = field(default_factory=lambda: {side: [] for side in _SIDES})
    chunks: list[ChunkLink] = field(default_factory=list)
    chunk_lines: list[int] = field(default_factory=list)
    section: str = ""

    def add(self, line: str, number: int) -> None:
        """Read one line inside of the element."""
        tag = line.strip("</>")
        if line.startswith("<") and tag in (*_SIDES, "alignment"):
            self.section = "" if line.startswith("</") else tag
        elif self.section == "alignment" and line:
            self.chunks.append(_chunk_link(line))
            self.chunk_lines.append(number)
        elif self.section and line:
            words = self.words[self.section]
            token = _TOKEN.match(line) or _GLUED_TOKEN.match(line)
            if not token or int(token[1]) != len(words) + 1:
                expected = f"token {len(words) + 1} as '{len(words) + 1} WORD :'"
                raise InputError(f"expected {expected}, found {line!r}")
            words.append(token[2].strip())
        elif line.startswith("//"):
            self.texts.append(line.removeprefix("//").strip())

    def raw_texts(self) -> list[str]:
        """The two raw texts; words joined by spaces if the file does not have the texts."""
        words = [" ".join(self.words[side]) for side in _SIDES]
        return [given or joined for given, joined in zip([*self.texts, "", ""], words, strict=False)]

    def pair(self, chunk_spans: Sequence[tuple[Span, ...]]) -> SentencePair:
        """The finished pair; raises InputError if it lacks tokens, or a chunk lies outside of them."""
        source, target = (
            Sentence.from_dict({"tokens": self.words[side], "text": text})
            for side, text in zip(_SIDES, self.raw_texts(), strict=True)
        )
        if not (len(source) and len(target)):
            raise InputError(f"sentence {self.id!r} has no tokens")
        for chunk, number in zip(self.chunks, self.chunk_lines, strict=True):
            for side, length in ((chunk.source, len(source)), (chunk.target, len(target))):
                if any(not 0 <= index < length for index in side):
                    message = f"sentence {self.id!r}: a chunk lies outside its {length} tokens"
                    raise InputError(message, line=number)
        return SentencePair(
            self.id,
            source,
            target,
            Links.of((i, j) for chunk in self.chunks for i in chunk.source for j in chunk.target),
            chunks=tuple(self.chunks),
            source_chunks=chunk_spans[0],
            target_chunks=chunk_spans[1],
        )


def _chunk_link(line: str) -> ChunkLink:
    link = _LINK.match(line)
    if not link:
        raise InputError(f"expected '1 2 <==> 3 // TYPE // SCORE // …', found {line[:60]!r}")
    sides = [tuple(int(number) - 1 for number in link[k].split()) for k in (1, 2)]
    source, target = (() if side == (-1,) else side for side in sides)
    return ChunkLink(source, target, link[3], link[4])


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs with chunk alignments; words are linked if their chunks are aligned.

    If ``NAME.sent1.chunk.txt`` and ``NAME.sent2.chunk.txt`` are in the folder of ``NAME.wa``, the spans of
    all chunks are read from them. Spans are empty if these files have other words than the ``.wa`` file.
    Warns InputWarning if spans are left empty for this reason: once per file, with the first affected line.
    """
    beside = [lines.path and path_beside(lines.path, f".sent{side}.chunk.txt") for side in (1, 2)]
    chunk_files = [_ChunkFile(path) if path is not None and path.is_file() else None for path in beside]
    for draft in _drafts(lines):
        if isinstance(draft, InputError):
            yield draft
            continue
        spans = [
            () if chunks is None else chunks.spans(draft.position, draft.words[side])
            for chunks, side in zip(chunk_files, _SIDES, strict=True)
        ]
        try:
            with reading_pair(draft.id, *draft.raw_texts()):
                pair = draft.pair(spans)
            yield replace(pair, place=(lines.name, draft.line))
        except InputError as error:
            yield error.at(file=lines.name, line=draft.line)


def _drafts(lines: InputLines) -> Iterator[_Draft | InputError]:
    draft: _Draft | None = None
    problem: InputError | None = None
    begun = 0

    def broken(draft: _Draft) -> InputError:
        error = problem or lines.error(f"sentence {draft.id!r} has no </sentence>")
        return PairError(error, draft.id, *draft.raw_texts())

    while True:
        try:
            line = next(lines, None)
            if line is None:
                if draft is not None:
                    yield broken(draft)
                return
            text = line.strip()
            if start := _START.match(text):
                if draft is not None:
                    yield broken(draft)
                draft, problem, begun = _Draft(start[1], lines.number, begun), None, begun + 1
            elif text == "</sentence>":
                if draft is not None:
                    yield broken(draft) if problem else draft
                draft, problem = None, None
            elif draft is not None:
                draft.add(text, lines.number)
            elif text:
                yield lines.error(f"expected '<sentence id=…>', found {line[:40]!r}")
        except InputError as error:
            problem = problem or error.at(file=lines.name, line=lines.number)


class _ChunkFile:
    """The chunks of all sentences of one side, in lines as ``[ A battery ] [ should connect ]``."""

    def __init__(self, path: Path) -> None:
        self._path, self._has_warned = path, False
        with InputLines(path) as lines:
            self._lines = ["" if isinstance(line, InputError) else line for _, line in lines.numbered()]

    def spans(self, position: int, words: Sequence[str]) -> tuple[Span, ...]:
        """Spans of a sentence's chunks; none, with a warning, if the chunks have other words."""
        line = self._lines[position] if position < len(self._lines) else ""
        chunks = [chunk.split() for chunk in _CHUNK.findall(line.strip())]
        if list(chain(*chunks)) != list(words):
            # One line of the corpus opens a chunk twice: "[ in [ a closed path ]".
            chunks = [[word for word in chunk if word != "["] for chunk in chunks]
        if list(chain(*chunks)) == list(words):
            return tuple(pairwise(accumulate(map(len, chunks), initial=0)))
        if words and not self._has_warned:
            self._has_warned = True
            message = f"{self._path}:{position + 1}: expected chunks of the words {' '.join(words)[:60]!r}"
            warnings.warn(InputWarning(f"{message}; sentences without them get no spans"), stacklevel=2)
        return ()


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
    sides = ((chunk.source, pair.source), (chunk.target, pair.target))
    numbers = " <==> ".join(" ".join(str(index + 1) for index in side) or "0" for side, _ in sides)
    words = " <==> ".join(
        " ".join(sentence.words[index] for index in side) or "-not aligned-" for side, sentence in sides
    )
    return f"{numbers} // {chunk.type} // {chunk.score} // {words} \n"


FORMAT = Format(
    "ists",
    "SemEval iSTS chunk alignments (.wa, with the files of chunks beside them)",
    read,
    matches,
    (".wa",),
    Writer(write_pair, frozenset({"links", "chunks"}), id=_id),
)
