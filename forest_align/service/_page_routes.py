"""The pages of the service, and the pairs of its file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from forest_align.alignment import Alignment, Links
from forest_align.alignment.html import SCRIPT, STYLE, comparison_section, section_body, section_start
from forest_align.alignment.page_style import printable
from forest_align.service._guard import json_answer
from forest_align.service._openapi import ERRORS
from forest_align.service._requests import PairIntake
from forest_align.service.line_index import FILTERS, FoundPairs, LineIndex, PairQuery, find_pairs
from forest_align.service.settings import PairRequest, RequestError
from forest_align.types import InputError

_PAIRS_A_PAGE = 10


class PageRoutes:
    """Answers with pages; ``lines`` are alignments to browse, ``beside`` those to compare line by line."""

    def __init__(self, intake: PairIntake, lines: LineIndex | None, beside: LineIndex | None = None) -> None:
        self._intake, self._lines, self._beside = intake, lines, beside

    async def sentences(self, request: Request) -> Response:
        """The page with the form; with sentences in the query, their alignment."""
        query, settings = request.query_params, self._intake.settings
        # A text box may hold line ends; they count as blanks.
        source, target = (" ".join(query.get(side, "").split()) for side in ("source", "target"))
        form = Form(
            list(settings.models),
            query.get("aligner", settings.default),
            settings.default,
            settings.limits.characters,
            source,
            target,
            pairs=0 if self._lines is None else len(self._lines),
            alignments=_number(query.get("alignments", "1"), 999),
            most_alignments=settings.limits.alignments,
            beside=query.get("beside", ""),
            gold=query.get("gold", "").strip(),
        )
        if not (source or target):
            return _page(sentences_page(form))
        wanted = [PairRequest(source, target, form.aligner, alignments=form.alignments)]
        wanted += [PairRequest(source, target, form.beside)] if form.beside else []
        try:
            pairs = [self._intake.check(pair) for pair in wanted]
            with self._intake.gate.entered():
                results = await asyncio.gather(*map(self._intake.batches.start, pairs))
        except RequestError as error:
            return _page(sentences_page(form, problem=error.message), error.status)
        for result in results:
            if result.status != HTTPStatus.OK:
                return _page(sentences_page(form, problem=result.error), result.status)
        try:
            return _page(await run_in_threadpool(_result_page, form, [result.line for result in results]))
        except InputError as error:
            return _page(sentences_page(form, problem=f"gold links: {error}"), HTTPStatus.BAD_REQUEST)

    async def pairs(self, request: Request) -> Response:
        """A page of the file's pairs, of those that are looked for; a broken pair is shown with its error."""
        values = request.query_params
        show = values.get("show", "all")
        query = PairQuery(values.get("find", "").strip(), show if show in FILTERS else "all")
        return await run_in_threadpool(self._leaf, values.get("first", "1"), query)

    async def pair(self, request: Request) -> Response:
        """The alignment in a line of the file, as JSON."""
        line = request.path_params["line"]
        number = _number(line, len(self._file))
        if not number:
            raise RequestError(HTTPStatus.NOT_FOUND, self._no_pair(line))
        return json_answer((await run_in_threadpool(_read_line, self._file, number)).to_json())

    def _leaf(self, first: str, query: PairQuery) -> Response:
        total = len(self._file)
        number = _number(first, max(total, 1))
        if not number:
            return _page(problem_page(self._no_pair(first)), HTTPStatus.NOT_FOUND)
        found = find_pairs(partial(_read_line, self._file), query, number, total, _PAIRS_A_PAGE)
        beside = self._beside
        others = {} if beside is None else {line: _read_line(beside, line) for line, _ in found.pairs}
        return _page(pairs_page(found, query, _PAIRS_A_PAGE, total, others))

    @property
    def _file(self) -> LineIndex:
        assert self._lines is not None  # these routes exist only with a file
        return self._lines

    def _no_pair(self, text: str) -> str:
        return f"no pair {text!r}: expected 1 to {len(self._file)}"


def _number(text: str, most: int) -> int:
    """The number in a text, if it is at most ``most``, else 0."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
    return number if number <= most else 0


def _read_line(lines: LineIndex, line: int) -> Alignment:
    """The alignment in a line; a failed one if the line is broken or missing."""
    if line > len(lines):
        return Alignment.failed(f"{lines.name} ends before line {line}", id=str(line))
    try:
        alignment = Alignment.from_json(lines[line - 1], file=lines.name, line=line)
    except (InputError, OSError) as error:  # the file may have been removed meanwhile
        return Alignment.failed(str(error), id=str(line))
    return alignment if alignment.id else replace(alignment, id=str(line))


def _result_page(form: Form, lines: Sequence[str]) -> str:
    """The page with the alignments in some lines of JSON, the first beside the others and gold links."""
    first, *others = map(Alignment.from_json, lines)
    if form.gold:
        links = Links.from_pharaoh(form.gold).check(len(first.source), len(first.target))
        others.append(Alignment(first.source, first.target, links, aligner="gold"))
    return sentences_page(form, first, others=others)


def _page(text: str, status: int = HTTPStatus.OK) -> Response:
    return HTMLResponse(text.encode("utf-8", errors="replace"), int(status))


_EXAMPLE = (
    "He passed away in New York City after a long illness.",
    "After being ill for a long time, he died in NYC.",
)

_TEMPLATES = Path(__file__).with_name("templates")


def _printable(value: object) -> object:
    """Make text safe for HTML; numbers and finished HTML are returned unchanged."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(_TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_printable,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals.update(
    style=Markup(STYLE),
    script=Markup(SCRIPT),
    example={"source": _EXAMPLE[0], "target": _EXAMPLE[1]},
    section_start=lambda alignment, number: Markup(section_start(alignment, number)),
    section_body=lambda alignment, number, **options: Markup(
        section_body(alignment, number=number, **options)
    ),
    comparison=lambda *both: Markup(comparison_section(*both)),
)


@dataclass(frozen=True, slots=True)
class Form:
    """Contents of the form for two sentences."""

    aligners: Sequence[str]
    aligner: str
    default: str  # the name selected at first
    max_characters: int  # per sentence
    source: str = ""
    target: str = ""
    pairs: int = 0  # in the file that can be browsed; 0 without a file
    alignments: int = 1  # how many to find
    most_alignments: int = 1
    beside: str = ""  # aligner to compare with; empty for none
    gold: str = ""  # links to compare with, as ``0-0 1-2``


def sentences_page(
    form: Form, alignment: Alignment | None = None, problem: str = "", others: Sequence[Alignment] = ()
) -> str:
    """The page with the form and, below it, the result: an alignment, others beside it, or a problem."""
    return _render("sentences", form=form, alignment=alignment, problem=problem, others=others)


def pairs_page(
    found: FoundPairs, query: PairQuery, size: int, total: int, others: Mapping[int, Alignment] | None = None
) -> str:
    """A page of the pairs of a file; ``others`` are alignments to compare with, by line."""
    values = {"found": found, "query": query, "size": size, "total": total, "others": others or {}}
    return _render("pairs", filters=FILTERS, **values)


def problem_page(problem: str) -> str:
    """A page that says why it has no pairs, with links to other pages."""
    return _render("problem", problem=problem)


def docs_page(document: Mapping[str, Any], base: str) -> str:
    """The page that describes the service to programmers; ``base`` is its address with a slash at its end."""
    body = json.dumps(dict(zip(("source", "target"), _EXAMPLE, strict=True)))
    return _render("docs", document=document, base=base, example_body=body, errors=ERRORS)


def _render(name: str, **values: object) -> str:
    return _ENVIRONMENT.get_template(f"{name}.html").render(values)
