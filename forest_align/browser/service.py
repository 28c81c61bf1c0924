"""Answers of the browser view: pages and JSON for requests, independent of sockets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from forest_align.alignment import Alignment
from forest_align.browser._pages import Form, pairs_page, problem_page, sentences_page
from forest_align.browser.line_index import LineIndex
from forest_align.types import ForestAlignError, InputError, ModelError
from forest_align.types.json_fields import Fields, format_json_object, parse_json_object

if TYPE_CHECKING:
    from forest_align.aligners import Aligner

#: Maximum length of a sentence, in characters.
MAX_CHARACTERS = 2000
#: Maximum body of a request, in bytes; enough for two sentences of four-byte characters, escaped in JSON.
MAX_BODY = 65536
PAIRS_A_PAGE = 10

_HTML, _JSON = "text/html; charset=utf-8", "application/json; charset=utf-8"


class RequestError(Exception):
    """A request that cannot be answered, with its HTTP status."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a request.

    Attributes
    ----------
    status : HTTPStatus
        HTTP status.
    content_type : str
        Type of the body.
    body : bytes
        The body, UTF-8.
    allow : str
        Methods that the address supports, if the request used another one.
    """

    status: HTTPStatus
    content_type: str
    body: bytes
    allow: str = ""

    @classmethod
    def html(cls, page: str, status: HTTPStatus = HTTPStatus.OK) -> Answer:
        """A page."""
        return cls(status, _HTML, page.encode("utf-8", errors="replace"))

    @classmethod
    def json(cls, text: str) -> Answer:
        """An answer with a JSON object that is already formatted."""
        return cls(HTTPStatus.OK, _JSON, f"{text}\n".encode())

    @classmethod
    def error(cls, status: HTTPStatus, message: str, allow: str = "") -> Answer:
        """``{"error": message}``."""
        return cls(status, _JSON, f"{format_json_object({'error': message})}\n".encode(), allow)


class AlignerCache:
    """Aligners by name; each is loaded at its first use, and one pair is aligned at a time.

    Parameters
    ----------
    loaders : mapping of str to callable
        For each name a function that loads its aligner.
    default : str
        Name of the aligner for requests that name none.
    """

    def __init__(self, loaders: Mapping[str, Callable[[], Aligner]], default: str) -> None:
        self.names, self.default = tuple(loaders), default
        self._loaders = loaders
        self._loaded: dict[str, Aligner] = {}
        self._lock = Lock()

    def align(self, name: str, source: str, target: str) -> Alignment:
        """Align two sentences.

        Raises
        ------
        RequestError
            If there is no such aligner (400), it cannot be loaded (503), or the pair cannot be aligned (422).
        """
        if name not in self._loaders:
            known = ", ".join(self.names)
            raise RequestError(HTTPStatus.BAD_REQUEST, f"no aligner {name!r}; expected one of: {known}")
        with self._lock:
            try:
                if name not in self._loaded:
                    self._loaded[name] = self._loaders[name]()
                return self._loaded[name].align(source, target)
            except (ModelError, OSError, ImportError) as error:
                message = f"the aligner {name} cannot be loaded: {error}"
                raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, message) from error
            except ForestAlignError as error:
                raise RequestError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error


class BrowserService:
    """Answers requests.

    Parameters
    ----------
    aligners : AlignerCache
        The aligners for the sentences.
    pairs : LineIndex, optional
        A file of alignments to browse.
    """

    def __init__(self, aligners: AlignerCache, pairs: LineIndex | None = None) -> None:
        self._aligners, self._pairs = aligners, pairs

    def get(self, target: str) -> Answer:
        """Answer a GET request for a path with its query."""
        path, _, fields = target.partition("?")
        query = {name: values[-1] for name, values in parse_qs(fields).items()}
        if path == "/":
            return self._sentences(query)
        if path == "/pairs" and self._pairs is not None:
            return self._leaf(self._pairs, query.get("first", "1"))
        if path == "/align":
            return Answer.error(HTTPStatus.METHOD_NOT_ALLOWED, "expected POST", "POST")
        return Answer.error(HTTPStatus.NOT_FOUND, f"there is nothing at {path}")

    def post(self, target: str, body: bytes) -> Answer:
        """Answer a POST request: ``/align`` gives the alignment of two sentences as JSON."""
        path = target.partition("?")[0]
        if path in ("/", "/pairs"):
            return Answer.error(HTTPStatus.METHOD_NOT_ALLOWED, "expected GET", "GET, HEAD")
        if path != "/align":
            return Answer.error(HTTPStatus.NOT_FOUND, f"there is nothing at {path}")
        try:
            fields = Fields(parse_json_object(body.decode("utf-8")))
            texts = fields.text("source"), fields.text("target")
            name, pair = fields.text("aligner", self._aligners.default), fields.identifier("id", "")
        except UnicodeDecodeError:
            return Answer.error(HTTPStatus.BAD_REQUEST, "expected UTF-8")
        except InputError as error:
            return Answer.error(HTTPStatus.BAD_REQUEST, str(error))
        try:
            return Answer.json(replace(self._align(name, *texts), id=pair).to_json())
        except RequestError as error:
            return Answer.error(error.status, error.message)

    def _align(self, name: str, source: str, target: str) -> Alignment:
        for side, text in (("source", source), ("target", target)):
            if not text.strip():
                raise RequestError(HTTPStatus.BAD_REQUEST, f"{side}: expected a sentence, found nothing")
            if len(text) > MAX_CHARACTERS:
                raise RequestError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    f"{side}: expected at most {MAX_CHARACTERS} characters, found {len(text)}",
                )
        return self._aligners.align(name, source, target)

    def _sentences(self, query: Mapping[str, str]) -> Answer:
        """The page with the form; with sentences in the query, their alignment."""
        # A text box may hold line ends; they count as blanks.
        source, target = (" ".join(query.get(side, "").split()) for side in ("source", "target"))
        aligners = self._aligners
        name = query.get("aligner", aligners.default)
        pairs = len(self._pairs) if self._pairs is not None else 0
        form = Form(aligners.names, name, MAX_CHARACTERS, source, target, pairs)
        if not (source or target):
            return Answer.html(sentences_page(form))
        try:
            return Answer.html(sentences_page(form, self._align(name, source, target)))
        except RequestError as error:
            return Answer.html(sentences_page(form, problem=error.message), error.status)

    def _leaf(self, pairs: LineIndex, first: str) -> Answer:
        """A page of the file's pairs; a broken pair is shown with its error."""
        total = len(pairs)
        number = int(first) if first.isascii() and first.isdigit() and len(first) < 16 else 0
        if not 1 <= number <= max(total, 1):
            problem = f"no pair {first!r}: expected 1 to {total}"
            return Answer.html(problem_page(problem), HTTPStatus.NOT_FOUND)
        lines = range(number, min(number + PAIRS_A_PAGE, total + 1))
        return Answer.html(pairs_page(((k, _read(pairs, k)) for k in lines), number, PAIRS_A_PAGE, total))


def _read(pairs: LineIndex, line: int) -> Alignment:
    try:
        found = Alignment.from_json(pairs[line - 1], file=pairs.name, line=line)
    except (InputError, OSError) as error:  # the file may have been removed meanwhile
        return Alignment.failed(str(error), id=str(line))
    return found if found.id else replace(found, id=str(line))
