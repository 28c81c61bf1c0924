"""Reads XML: the only place that knows expat, and what a file may not make it do."""

from __future__ import annotations

import re
from typing import Protocol
from xml.parsers import expat

from forest_align.types import InputError

#: Elements that may be open at once.
MAX_DEPTH = 10_000
_ENTITIES = "&amp;, &lt;, &gt;, &quot;, &apos; and those of character numbers"
_DECLARATION = re.compile(r"\A<\?xml\s[^>]*\?>")
_LONGEST_DECLARATION = 1000
_BEFORE_DECLARATION = "\ufeff \t\r\n"


class _XmlHandler(Protocol):
    """What is told of the elements of a document, in their order."""

    def start(self, tag: str, attributes: dict[str, str], line: int, /) -> object:
        """An element begins, on the line of that number."""

    def end(self, tag: str, /) -> object:
        """An element ends."""

    def data(self, text: str, /) -> object:
        """Text follows; a text may come in several parts."""


class XmlReader:
    """Reads a document part by part, in time and memory that are proportional to its length.

    A document type may name a file of declarations, which is never read. Declarations in the document itself
    are refused, since entities can mean billions of characters or other files. An entity that XML itself does
    not define is refused, in attributes too. With ``root``, an element put around the document, it may have
    several roots, but no document type.
    """

    def __init__(self, handler: _XmlHandler, root: str = "") -> None:
        # The text is already decoded, whatever encoding the file declares.
        self._parser = parser = expat.ParserCreate("utf-8")
        self._handler, self._root, self._depth = handler, root, 0
        self._prolog: str | None = ""
        self._waiting: list[str] = []
        self._waiting_size = self._least = self._fed = 0
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = handler.data
        parser.StartDoctypeDeclHandler = self._doctype
        # Otherwise expat drops entities without a word that the file of declarations might define.
        self._parse('<?xml version="1.0" standalone="yes"?>')
        if root:
            self._depth = -1
            self._parse(f"<{root}>")

    def feed(self, text: str) -> None:
        """Read the next part, after which the handler knows all elements before an error.

        Raises InputError that names the line if the document is broken or refused.
        """
        if self._prolog is not None:
            text = self._without_declaration(text)
        self._waiting.append(text)
        self._waiting_size += len(text)
        if self._waiting_size >= self._least:
            self._pass_on()

    def close(self) -> None:
        """Read the rest, and check that the document is complete; raises as :meth:`feed` does."""
        if self._prolog is not None:
            self._waiting.append(self._prolog)
        self._pass_on()
        self._parse(f"</{self._root}>" if self._root else "", is_end=True)

    def _without_declaration(self, text: str) -> str:
        """What can be passed on: of a declaration nothing until it is complete, and then its line ends."""
        assert self._prolog is not None
        begins = text if self._prolog else text.lstrip(_BEFORE_DECLARATION)
        blanks = text[: len(text) - len(begins)].replace("\ufeff", "")
        self._prolog += begins
        is_short = len(self._prolog) < _LONGEST_DECLARATION
        if is_short and "<?xml".startswith(self._prolog[:5]) and "?>" not in self._prolog:
            return blanks
        found, self._prolog = self._prolog, None
        return blanks + _DECLARATION.sub(lambda one: "\n" * one[0].count("\n"), found, count=1)

    def _pass_on(self) -> None:
        text = "".join(self._waiting)
        self._waiting.clear()
        self._waiting_size, before = 0, self._parser.CurrentByteIndex
        self._parse(text)
        # A tag or comment that goes on is read again from its beginning each time: let it double first.
        is_stuck = self._parser.CurrentByteIndex == before
        self._least = self._fed - before if is_stuck else 0

    def _parse(self, text: str, is_end: bool = False) -> None:
        data = text.encode("utf-8", errors="surrogatepass")
        self._fed += len(data)
        try:
            self._parser.Parse(data, is_end)
        except expat.ExpatError as error:
            what = f"broken XML: {expat.ErrorString(error.code)}"
            at = max(0, self._parser.ErrorByteIndex - self._fed + len(data) - 2)
            if b"<!DOCTYPE" in data[at : at + 11]:
                what = "expected plain XML without a document type"
            elif error.code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
                what = f"broken XML: found an entity that XML does not define; there are {_ENTITIES}"
            raise InputError(what, line=error.lineno) from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(f"expected at most {MAX_DEPTH:,} elements inside one another, found more")
        if self._depth:
            self._handler.start(tag, attributes, self._parser.CurrentLineNumber)

    def _end(self, tag: str) -> None:
        if self._depth:
            self._handler.end(tag)
        self._depth -= 1

    def _doctype(self, name: str, system: str | None, public: str | None, has_declarations: int) -> None:
        if has_declarations:
            raise self._error("expected plain XML without declarations in its document type")

    def _error(self, message: str) -> InputError:
        return InputError(message, line=self._parser.CurrentLineNumber)


def read_document(text: str, handler: _XmlHandler, root: str = "") -> None:
    """Read a whole document; see :class:`XmlReader`."""
    reader = XmlReader(handler, root)
    reader.feed(text)
    reader.close()
