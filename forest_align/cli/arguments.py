"""Arguments, and kinds of them, that several commands take."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """A whole number of at least 1, for ``type=`` of an argument."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found {text!r}")
    return int(text)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare ``-o``; its value is None for standard output."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=lambda path: None if path == "-" else path,
        help="file to write; standard output (-) by default",
    )
