"""Arguments, and kinds of them, that several commands take."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection
from pathlib import Path


class _Gone(argparse.Action):
    """Refuses an option that is gone, and says what to use."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        parser.error("--variant is gone: use --aligner sultan / --aligner forest-published")


def refuse_variant(parser: argparse.ArgumentParser) -> None:
    """Refuse ``--variant``, which aligners had before they were models of their own."""
    parser.add_argument("--variant", action=_Gone, nargs="?", help=argparse.SUPPRESS)


def is_file(text: str) -> bool:
    """Whether an argument that may be a file's name or a sentence is the name of a file that exists."""
    return os.path.isfile(text)  # Path.is_file() would raise where a sentence is too long for a name


def is_sentence(text: str) -> bool:
    """Whether an argument that may be a file's name or a sentence is a sentence.

    It is if it holds blanks and no file is called so. A name that begins with an existing folder's is a
    file's, if only a mistyped one.
    """
    folder = os.path.dirname(text)
    return len(text.split()) > 1 and not is_file(text) and not (folder and os.path.isdir(folder))


def is_single_word(text: str) -> bool:
    """Whether an argument that may be a file's name or a sentence is one word, and no file is called so.

    Names with a folder or an extension are those of files.
    """
    is_word = len(text.split()) == 1 and text != "-" and not set(text) & {".", "/", os.sep}
    return is_word and not os.path.exists(text)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare ``-o``; its value is None for standard output."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=lambda path: None if path == "-" else path,
        help="file to write; standard output (-) by default",
    )


def format_of_output(path: str | None, formats: Collection[str], default: str) -> str:
    """The format that the extension of an output's name means (``.gz`` aside), else the default."""
    extension = Path((path or "").removesuffix(".gz")).suffix.removeprefix(".").lower()
    name = "text" if extension == "txt" else extension
    return name if name in formats else default
