"""The ``serve`` command: alignments over HTTP, as JSON and as pages."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from forest_align.aligners.model_folder import bundled_models, model_folder
from forest_align.alignment import Alignment
from forest_align.cli import EXIT_OK
from forest_align.cli.aligner_choice import AlignerChoice, aligner_option, load_aligner
from forest_align.cli.arguments import argument, option
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.service.line_index import LineIndex
    from forest_align.service.settings import ServedModel

_NEEDS_PACKAGES = "serve needs more packages: pip install 'forest-align[serve]'"
# A file of which none of the first lines is an alignment is refused.
_LOOKED_AT = 10


EPILOG = (
    "examples:\n"
    "  forest-align serve                                  (then open http://127.0.0.1:8000/)\n"
    "  forest-align serve alignments.jsonl --port 8080\n"
    '  curl http://127.0.0.1:8000/align -d \'{"source": "He died.", "target": "He passed away."}\'\n\n'
    "The chosen aligner is loaded at the start, others when they are first requested. Ctrl-C stops the\n"
    "server; requests that it has are still answered."
)


def _number(expected: str, least: int, most: int) -> Callable[[str], int]:
    """The type of an argument: a number from ``least`` to ``most``, which messages call ``expected``."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 6 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"expected {expected}, found {text!r}")
        return int(text)

    return parse


_count, _port = _number("a whole number from 1", 1, 99_999), _number("0 to 65535", 0, 65_535)


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Options of the command."""

    alignments: str | None = argument(
        "ALIGNMENTS",
        nargs="?",
        help="a file that 'forest-align align' wrote (JSON lines, not compressed) to leaf through",
    )
    beside: str | None = option(
        "--beside FILE", help="alignments of the same pairs, line by line, to show beside those of ALIGNMENTS"
    )
    host: str = option(
        "--host HOST",
        default="127.0.0.1",
        help="address to listen on; default: 127.0.0.1, which other machines cannot reach",
    )
    port: int = option("--port N", type=_port, default=8000, help="port to listen on; 0: a free one")
    workers: int = option(
        "--workers N", type=_count, default=1, help="processes that align; each loads its own models"
    )
    timeout: int | None = option(
        "--timeout SECONDS", type=_count, help="give up pairs that take longer to align; default: 60"
    )
    allow_origin: tuple[str, ...] = option(
        "--allow-origin ORIGIN",
        action="append",
        default=(),
        help="let pages of another site use the server (CORS), such as https://example.org; may be repeated",
    )
    aligner: str | None = aligner_option("what is chosen at first")
    model: str | None = option("--model FOLDER", help="a trained model; default: the bundled one")
    parser: str | None = option(
        "--parser NAME", help="en (bundled), a benepar model or a folder; default: en"
    )


OPTIONS = ServeOptions


def run(options: ServeOptions) -> int:
    """Serve until interrupted; return the exit status."""
    try:
        from forest_align.service import server
        from forest_align.service.aligning_process import AligningProcess
        from forest_align.service.app import create_app
        from forest_align.service.settings import ServiceLimits, ServiceSettings
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("forest_align"):
            raise
        raise ModelError(f"{_NEEDS_PACKAGES} (no module {error.name})") from None

    limits = ServiceLimits()
    if options.timeout is not None:
        limits = replace(limits, align_seconds=float(options.timeout))
    models, default = _models(options)
    pairs = _pairs(options.alignments) if options.alignments is not None else None
    if options.beside is not None and pairs is None:
        raise InputError("--beside needs ALIGNMENTS to compare with")
    beside = _pairs(options.beside) if options.beside is not None else None
    load = partial(_load, kind=models[default].kind, model=options.model, parser=options.parser)
    workers = [AligningProcess(load, limits, one_thread=options.workers > 1) for _ in range(options.workers)]
    with server.listen(options.host, options.port) as listener:
        settings = ServiceSettings(
            models, default, limits, server.names_of(listener, options.host), options.allow_origin
        )
        app = create_app(settings, workers, pairs, beside)
        print(f"forest-align serve: {server.url_of(listener, options.host)} (Ctrl-C stops)", flush=True)
        # What asks a service to stop is no failure of it.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            server.make_server(app, limits).run(sockets=[listener])
        except KeyboardInterrupt:
            print("\nforest-align serve: stopped", file=sys.stderr)
        finally:
            signal.signal(signal.SIGTERM, before)
    return EXIT_OK


def _pairs(path: str) -> LineIndex:
    """The lines of a file; one of the first must be an alignment, and broken lines are shown as errors."""
    from forest_align.service.line_index import LineIndex

    pairs, problem = LineIndex(path), "found nothing"
    for line in range(min(_LOOKED_AT, len(pairs)), 0, -1):
        try:
            Alignment.from_json(pairs[line - 1])
        except InputError as error:
            problem = f"line {line} is none: {error}"
        else:
            return pairs
    raise InputError(f"expected alignments that 'forest-align align' wrote, {problem}", file=path)


def _models(options: ServeOptions) -> tuple[dict[str, ServedModel], str]:
    """Every bundled aligner, one of them with the user's model; and the name of the one that is chosen."""
    from forest_align.aligners.loading import kind_of
    from forest_align.parsing.parser_loading import locate_parser
    from forest_align.service.settings import ServedModel
    from forest_align.storage.fingerprints import files_fingerprint, model_files

    if options.parser is not None:
        locate_parser(options.parser)
    kind = kind_of(options.model) if options.model is not None else None
    default = options.aligner or kind or "forest"
    if kind is not None and default != kind:
        raise ModelError(f"the model in {options.model} is for the aligner {kind}, not {default}")
    models = {}
    for name, its_kind in bundled_models().items():
        with model_folder(options.model if options.model and name == kind else name) as folder:
            digest = files_fingerprint(model_files(folder))
            models[name] = ServedModel(its_kind, folder.resolve().name, digest)
    return models, default


def _load(name: str, *, kind: str, model: str | None, parser: str | None) -> Aligner:
    """Load an aligner as ``forest-align align`` does, with all other options at their defaults."""
    return load_aligner(AlignerChoice(aligner=name, model=model if name == kind else None, parser=parser))
