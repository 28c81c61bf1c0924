"""The PASCAL RTE challenges 1–3: XML pairs of a text and a hypothesis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from forest_align.data.lines import InputLines
from forest_align.data.pair_types import Format, SentencePair, Writer, plain_sentence, reading_pair, text_of
from forest_align.types import InputError

# Controls but tab and line ends, halves of surrogate pairs, non-characters (XML 1.0, §2.2).
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_YES = frozenset({"YES", "TRUE", "ENTAILMENT"})
_NO = frozenset({"NO", "FALSE", "UNKNOWN", "CONTRADICTION"})


@dataclass(slots=True)
class _Draft:
    """A pair while the parser goes through its element."""

    attributes: dict[str, str]
    line: int
    ended: bool = False
    texts: dict[str, str] = field(default_factory=dict)


class _Handler:
    """Collects the drafts of a document."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.drafts: list[_Draft] = []
        self._parser, self._open = parser, ""
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "pair":
            self.drafts.append(_Draft(attributes, self._parser.CurrentLineNumber))
        # Other elements are markup inside a text, which goes on.
        self._open = tag if tag in ("t", "h") else self._open

    def _end(self, tag: str) -> None:
        if tag == "pair":
            self.drafts[-1].ended = True
        if tag in ("t", "h", "pair"):
            self._open = ""

    def _characters(self, text: str) -> None:
        if self._open and self.drafts:
            texts = self.drafts[-1].texts
            texts[self._open] = texts.get(self._open, "") + text


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs: source is the text, target the hypothesis, ``group`` the task, ``label`` entailed or not.

    The file is read as a whole; broken XML ends the reading with an InputError item.
    """
    # The text is decoded already, whatever encoding the file says that it has.
    parser = expat.ParserCreate("utf-8")
    handler = _Handler(parser)
    problem = None
    try:
        parser.Parse(lines.text().encode("utf-8"), True)
    except InputError as error:
        problem = error
    except expat.ExpatError as error:
        problem = InputError(
            f"broken XML: {expat.ErrorString(error.code)}", file=lines.name, line=error.lineno
        )
    for draft in handler.drafts:
        if not draft.ended:
            continue  # the XML broke in it, which is the problem that comes last
        try:
            yield _pair(draft, tokenized)
        except InputError as error:
            yield error.at(file=lines.name, line=draft.line)
    if problem is not None:
        yield problem


def _pair(draft: _Draft, tokenized: bool) -> SentencePair:
    attributes = draft.attributes
    texts = [" ".join(draft.texts.get(tag, "").split()) for tag in ("t", "h")]
    with reading_pair(attributes.get("id", str(draft.line)), *texts):
        if "id" not in attributes:
            raise InputError("this attribute is required", field="id")
        name = "entailment" if "entailment" in attributes else "value"
        verdict = attributes.get(name, "").upper()
        if verdict and verdict not in _YES | _NO:
            raise InputError(f"expected YES or NO (or TRUE or FALSE), found {verdict!r}", field=name)
        return SentencePair(
            attributes["id"],
            plain_sentence(texts[0], tokenized, "t"),
            plain_sentence(texts[1], tokenized, "h"),
            label=verdict in _YES if verdict else None,
            group=attributes.get("task", ""),
        )


def matches(head: Sequence[str]) -> bool:
    """Whether the root element stands in the first lines."""
    return any("<entailment-corpus" in line for line in head)


def write_pair(pair: SentencePair) -> str:
    """One ``<pair>`` element; raises InputError for characters that XML cannot hold."""
    for text in (pair.id, pair.group, text_of(pair.source), text_of(pair.target)):
        if found := _NOT_XML.search(text):
            raise InputError(f"pair {pair.id!r} has {found[0]!r}, which format rte cannot hold")
    attributes = f"id={quoteattr(pair.id)}"
    if pair.label is not None:
        attributes += f' entailment="{"YES" if pair.label else "NO"}"'
    if pair.group:
        attributes += f" task={quoteattr(pair.group)}"
    source, target = escape(text_of(pair.source)), escape(text_of(pair.target))
    return f"<pair {attributes}>\n<t>{source}</t>\n<h>{target}</h>\n</pair>\n"


FORMAT = Format(
    "rte",
    "PASCAL RTE challenges, XML",
    read,
    matches,
    writer=Writer(
        write_pair,
        frozenset({"label", "group"}),
        '<?xml version="1.0" encoding="UTF-8"?>\n<entailment-corpus>\n',
        footer="</entailment-corpus>\n",
    ),
)
