"""The ``serve`` command: alignments in the browser, from a server on this machine."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from forest_align.aligners.model_folder import bundled_models
from forest_align.alignment import Alignment
from forest_align.cli.aligner_choice import load_aligner
from forest_align.cli.commands import align
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.browser.line_index import LineIndex
    from forest_align.browser.service import AlignerCache

EXIT_OK = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = (
        "examples:\n"
        "  forest-align serve                                  (then open http://127.0.0.1:8000/)\n"
        "  forest-align serve alignments.jsonl --port 8080\n"
        '  curl http://127.0.0.1:8000/align -d \'{"source": "He died.", "target": "He passed away."}\'\n\n'
        "A model is loaded when it is first requested. Ctrl-C stops the server."
    )
    parser.add_argument(
        "alignments",
        metavar="ALIGNMENTS",
        nargs="?",
        help="a file that 'forest-align align' wrote (JSON lines, not compressed) to leaf through",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on; default: 127.0.0.1, which other machines cannot reach",
    )
    parser.add_argument(
        "--port", type=_port, default=8000, metavar="N", help="0 takes a free one; default: 8000"
    )
    parser.add_argument(
        "--aligner",
        choices=tuple(bundled_models()),
        help="the one that is chosen at first; default: forest",
    )
    parser.add_argument("--model", metavar="FOLDER", help="a trained model in place of the bundled one")
    parser.add_argument(
        "--parser", metavar="NAME", help="en (bundled), a benepar model or a folder; default: en"
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"expected 0 to 65535, found {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted; return the exit status."""
    from forest_align.browser.server import BrowserServer
    from forest_align.browser.service import BrowserService

    aligners = _aligners(options)
    pairs = _pairs(options.alignments) if options.alignments is not None else None
    with BrowserServer(options.host, options.port, BrowserService(aligners, pairs)) as server:
        print(f"forest-align serve: {server.url} (Ctrl-C stops)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nforest-align serve: stopped", file=sys.stderr)
    return EXIT_OK


def _pairs(path: str) -> LineIndex:
    """The lines of a file; one of the first must be an alignment, and broken lines are shown as errors."""
    from forest_align.browser.line_index import LineIndex
    from forest_align.browser.service import PAIRS_A_PAGE

    pairs, problem = LineIndex(path), "found nothing"
    for line in range(min(PAIRS_A_PAGE, len(pairs)), 0, -1):
        try:
            Alignment.from_json(pairs[line - 1])
        except InputError as error:
            problem = f"line {line} is none: {error}"
        else:
            return pairs
    raise InputError(f"expected alignments that 'forest-align align' wrote, {problem}", file=path)


def _aligners(options: argparse.Namespace) -> AlignerCache:
    """Every bundled aligner, with the model and the parser that the options name."""
    from forest_align.aligners.loading import kind_of
    from forest_align.browser.service import AlignerCache
    from forest_align.parsing.parser_loading import locate_parser

    if options.parser is not None:
        locate_parser(options.parser)
    kind = kind_of(options.model) if options.model is not None else None
    default = options.aligner or kind or "forest"
    if kind is not None and default != kind:
        raise ModelError(f"the model in {options.model} is for the aligner {kind}, not {default}")
    loaders = {
        name: partial(_load, name, options.model if name == kind else None, options.parser)
        for name in bundled_models()
    }
    return AlignerCache(loaders, default)


def _load(name: str, model: str | None, parser: str | None) -> Aligner:
    """Load an aligner as ``forest-align align`` does, with all other options at their defaults."""
    arguments = argparse.ArgumentParser()
    align.add_arguments(arguments)
    options = arguments.parse_args(["-"])
    options.aligner, options.model, options.parser = name, model, parser
    return load_aligner(options)
