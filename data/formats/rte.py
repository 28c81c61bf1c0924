"""The PASCAL RTE challenges 1–3: XML pairs of a text and a hypothesis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from xml.sax.saxutils import escape, quoteattr

from forest_align.data.formats.fields import need_texts, plain_sentences
from forest_align.data.formats.format import Format, PairError, SentencePair, Writer, reading_pair
from forest_align.data.text.lines import InputLines
from forest_align.data.text.xml_reader import XmlReader
from forest_align.types import InputError

# Control characters except tab and line ends, halves of surrogate pairs, non-characters (XML 1.0, §2.2).
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# White space of XML (§2.3); other blanks, such as a no-break space, are part of the text.
_BLANKS = re.compile(r"[ \t\r\n]+")
_YES = frozenset({"YES", "TRUE", "ENTAILMENT"})
_NO = frozenset({"NO", "FALSE", "UNKNOWN", "CONTRADICTION"})


@dataclass(slots=True)
class _Draft:
    """A pair while its element is parsed, with the parts of its texts."""

    attributes: dict[str, str]
    line: int
    parts: dict[str, list[str]] = field(default_factory=lambda: {"t": [], "h": []})

    def text(self, tag: str) -> str:
        """The text of an element."""
        return _BLANKS.sub(" ", "".join(self.parts[tag])).strip(" ")


class _Pairs:
    """Collects the drafts of a document; ``ended`` are complete ones that the caller has not removed yet."""

    def __init__(self) -> None:
        self.ended: list[_Draft] = []
        self._open = ""
        self._draft: _Draft | None = None

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        if tag == "pair":
            self._draft = _Draft(attributes, line)
        # Other elements are markup inside a text, which continues.
        self._open = tag if tag in ("t", "h") else self._open

    def end(self, tag: str) -> None:
        if tag == "pair" and self._draft is not None:
            self.ended.append(self._draft)
            self._draft = None
        if tag in ("t", "h", "pair"):
            self._open = ""

    def data(self, text: str) -> None:
        if self._open and self._draft is not None:
            self._draft.parts[self._open].append(text)


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs: source is the text, target the hypothesis, ``group`` the task, ``label`` entailed or not.

    After broken XML or a line that is not UTF-8, reading ends with an InputError item. A pair without an id
    is named by its number among the pairs, because all pairs may be on one line.
    """
    for number, draft in enumerate(_drafts(lines), 1):
        try:
            if isinstance(draft, InputError):
                yield PairError(draft, str(number)).at(file=lines.name)
                return
            yield replace(_pair(draft, str(number), tokenized), place=(lines.name, draft.line))
        except PairError as error:
            yield error.numbered(number).at(file=lines.name, line=draft.line)


def _drafts(lines: InputLines) -> Iterator[_Draft | InputError]:
    """Each pair as soon as its element is complete, and finally the document's error if there is one."""
    pairs = _Pairs()
    reader = XmlReader(pairs)
    problem: InputError | None = None
    line: str | None = ""
    while line is not None and problem is None:
        try:
            line = next(lines, None)
            if line is None:
                reader.close()
            else:
                reader.feed(f"\n{line}" if lines.number > 1 else line)
        except InputError as error:
            problem = error
        yield from pairs.ended
        pairs.ended.clear()
    if problem is not None:
        yield problem


def _pair(draft: _Draft, number: str, tokenized: bool) -> SentencePair:
    attributes = draft.attributes
    texts = [draft.text(tag) for tag in ("t", "h")]
    with reading_pair(attributes.get("id", number), *texts):
        if "id" not in attributes:
            raise InputError("this attribute is required", field="id")
        name = "entailment" if "entailment" in attributes else "value"
        verdict = attributes.get(name, "").upper()
        if verdict and verdict not in _YES | _NO:
            raise InputError(f"expected YES or NO (or TRUE or FALSE), found {verdict!r}", field=name)
        return SentencePair(
            attributes["id"],
            *plain_sentences(texts, tokenized, ("t", "h")),
            label=verdict in _YES if verdict else None,
            group=attributes.get("task", ""),
        )


def _write_pair(pair: SentencePair) -> str:
    """One ``<pair>`` element; raises InputError for characters that XML cannot hold."""
    source, target = need_texts(pair, "rte")
    for text in (pair.id, pair.group, source, target):
        if character := _NOT_XML.search(text):
            raise InputError(f"pair {pair.id!r} has {character[0]!r}, which format rte cannot hold")
    attributes = f"id={quoteattr(pair.id)}"
    if pair.label is not None:
        attributes += f' entailment="{"YES" if pair.label else "NO"}"'
    if pair.group:
        attributes += f" task={quoteattr(pair.group)}"
    return f"<pair {attributes}>\n<t>{escape(source)}</t>\n<h>{escape(target)}</h>\n</pair>\n"


FORMAT = Format(
    "rte",
    "PASCAL RTE challenges, XML",
    read,
    lambda head: any("<entailment-corpus" in line for line in head),
    writer=Writer(
        _write_pair,
        frozenset({"label", "group"}),
        '<?xml version="1.0" encoding="UTF-8"?>\n<entailment-corpus>\n',
        footer="</entailment-corpus>\n",
    ),
)
