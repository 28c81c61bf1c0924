"""Options that several commands share, and checks of arguments."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from forest_align.cli.typed_options import option
from forest_align.data.pairs import FORMATS
from forest_align.data.text.escapes import ESCAPES
from forest_align.types import InputError

# Extensions of files that differ from the name of the format.
_EXTENSIONS = {"txt": "text", "json": "jsonl", "wa": "ists"}
_USUAL = {"ists": "wa"}
#: How to get PNG, which no command writes.
PNG_HINT = "take a picture of a page or an SVG in a browser"


class _RemovedOption(argparse.Action):
    """Refuses a removed option, and says what to use instead."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        parser.error("--variant is gone: use --aligner sultan / --aligner forest-published")


def removed_variant() -> Any:
    """Refuse ``--variant``, which existed before each variant became a separate model."""
    return option("--variant", action=_RemovedOption, nargs="?", help=argparse.SUPPRESS)


def word_candidates_name(text: str) -> str:
    """The type of an argument that names word candidates."""
    from forest_align.aligners.words.choose import check_name

    try:
        return check_name(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def links_option() -> Any:
    """``--links``: the convention of annotators that an aligner follows."""
    return option(
        "--links",
        choices=("sure", "all"),
        default="sure",
        help="which links to make: those that annotators are sure of, or all, with the possible ones "
        "(contextual, forest, joint)",
    )


def is_file(text: str) -> bool:
    """Whether an argument that may be a file's name or a sentence is the name of a file that exists."""
    return os.path.isfile(text)  # Path.is_file() would raise if a sentence is too long for a name


def is_sentence(text: str) -> bool:
    """Whether an argument is a sentence: it has blanks, and neither it nor its folder is on the disk."""
    folder = os.path.dirname(text)
    return len(text.split()) > 1 and not is_file(text) and not (folder and os.path.isdir(folder))


def is_single_word(text: str) -> bool:
    """Whether an argument is one word: no file of that name, and it has neither a folder nor an extension."""
    is_word = len(text.split()) == 1 and text != "-" and not set(text) & {".", "/", os.sep}
    return is_word and not os.path.exists(text)


def format_option(flag: str, what: str, formats: Collection[str] = FORMATS) -> Any:
    """``--from`` or ``--to`` with formats of pairs, which are too many for a line of help."""
    return option(flag, choices=tuple(sorted(formats)), metavar="FORMAT", help=what)


def columns_option() -> Any:
    """``--columns``: where tables and JSON objects have the two sentences."""
    return option(
        "--columns",
        nargs=2,
        metavar=("SOURCE", "TARGET"),
        help="names of the two columns of a table, or of the two keys of JSON; default: source and target, "
        "sentence1 and sentence2, premise and hypothesis, and other usual ones",
    )


def tokenized_option() -> Any:
    """``--tokenized``."""
    return option(
        "--tokenized", action="store_true", help="plain text is already tokenized: split it on spaces"
    )


def escapes_option() -> Any:
    """``--escapes``."""
    return option(
        "--escapes",
        choices=ESCAPES,
        help="replace escaped characters of texts and tokens; moses: &apos;, @-@ and others",
    )


def device_option() -> Any:
    """``--device``: where the networks compute."""
    return option(
        "--device",
        default="cpu",
        metavar="NAME",
        help="where networks compute: cpu, cuda (a GPU), cuda:1, or auto: a GPU if there is one",
    )


def output_option() -> Any:
    """``-o``; its value is None for standard output."""
    return option(
        "-o",
        "--output",
        metavar="OUT",
        type=lambda path: None if path == "-" else path,
        help="file to write; default: standard output (-)",
    )


def format_of_output(path: str | None, formats: Collection[str], default: str) -> str:
    """The format for the extension of an output's name, ``.gz`` left off; the default without an extension.

    Raises InputError for an unknown extension.
    """
    extension = Path((path or "").removesuffix(".gz")).suffix.removeprefix(".").lower()
    name = _EXTENSIONS.get(extension, extension)
    if name in formats:
        return name
    if extension in ("", "txt"):  # tables are text, too
        return default
    known = ", ".join(f".{_USUAL.get(one, one)}" for one in formats)
    if extension == "png":
        raise InputError(f"cannot write PNG; write one of {known}, and {PNG_HINT}", file=path)
    raise InputError(
        f"there is no output format {extension!r}; expected a name that ends in {known}, or --to FORMAT",
        file=path,
    )
