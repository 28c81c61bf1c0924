"""The pages of the browser view: a form for two sentences, and the pairs of a file page by page."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from forest_align.alignment import Alignment
from forest_align.alignment.comparison_html import comparison_section
from forest_align.alignment.html import SCRIPT, STYLE, section_body, section_start
from forest_align.alignment.page_style import printable
from forest_align.service.line_index import FILTERS, FoundPairs, PairQuery
from forest_align.service.openapi import ERRORS

_EXAMPLE = (
    "He passed away in New York City after a long illness.",
    "After being ill for a long time, he died in NYC.",
)

_TEMPLATES = Path(__file__).with_name("templates")


def _printable(value: object) -> object:
    """Make text safe for HTML; numbers and finished HTML are returned unchanged."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _start(alignment: Alignment, number: int) -> Markup:
    return Markup(section_start(alignment, number))


def _body(alignment: Alignment, number: int, *, open_trees: bool) -> Markup:
    return Markup(section_body(alignment, number=number, open_trees=open_trees))


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
    section_start=_start,
    section_body=_body,
    comparison=lambda *both: Markup(comparison_section(*both)),
)


def content_security_policy() -> str:
    """A policy for these pages: only their own script may run, and nothing may be loaded."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
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
