"""Options of commands: dataclasses of typed fields, those that several commands share, and rules for them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from forest_align.data.pairs import FORMATS
from forest_align.data.text.raw_text import ESCAPES
from forest_align.types import InputError

T = TypeVar("T")


def option(*flags: str, default: Any = None, **settings: Any) -> Any:
    """A field that holds the value of an option; ``settings`` are further arguments of ``add_argument``.

    The last flag may name the value, as ``--epochs N`` does. Without ``flags`` it is an argument. A flag has
    the value that it does not set.
    """
    if flags:
        last, _, metavar = flags[-1].partition(" ")
        flags = (*flags[:-1], last)
        settings |= {"metavar": metavar} if metavar else {}
    action = settings.get("action")
    if action in ("store_true", "store_false"):
        default = action == "store_false"
    is_required = settings.get("required") or not (flags or settings.get("nargs") in ("?", "*"))
    return field(
        default=MISSING if is_required else default,
        kw_only=True,
        metadata={"flags": flags, "settings": settings},
    )


def argument(metavar: str, **settings: Any) -> Any:
    """A field that holds an argument without a flag; see :func:`option`."""
    return option(metavar=metavar, **settings)


@dataclass(frozen=True, slots=True)
class Command:
    """What a command is made of; a module of several has ``COMMANDS``, by their names."""

    options: type
    epilog: str  # what follows the options in the help
    run: Callable[[Any], int]  # returns the exit status


def command_of(module: ModuleType, name: str) -> Command:
    """A command of a module that has several, or the only one."""
    if hasattr(module, "COMMANDS"):
        command: Command = module.COMMANDS[name]
        return command
    return Command(getattr(module, "OPTIONS", type(None)), module.EPILOG, getattr(module, "run", int))


def part(options: type[T]) -> T:
    """A field that holds options which several commands share, in a dataclass of their own."""
    # The default stands for options that are not given, in programs that make the options themselves.
    return field(default_factory=options, kw_only=True, metadata={"part": options})


def declare(parser: argparse.ArgumentParser, options: type) -> None:
    """Declare the fields of a dataclass of options, in order."""
    for declared in fields(options):
        if "part" in declared.metadata:
            declare(parser, declared.metadata["part"])
            continue
        flags, settings = declared.metadata["flags"], dict(declared.metadata["settings"])
        if declared.default is not MISSING and settings.get("action") != "append":
            settings["default"] = declared.default
        if flags:
            settings["help"] = _help(settings)
            parser.add_argument(*flags, dest=declared.name, **settings)
        else:
            parser.add_argument(declared.name, **settings)


def _help(settings: dict[str, Any]) -> str | None:
    """The help of an option, with its default at the end if the text does not tell it itself."""
    text, default = settings.get("help"), settings.get("default")
    if not text or isinstance(default, bool) or default in (None, ()) or "default: " in text:
        return text
    values = default if isinstance(default, tuple) else (default,)
    shown = " ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
    return f"{text}; default: {shown}"


def read(options: type[T], parsed: argparse.Namespace) -> T:
    """Make a dataclass of options from parsed arguments; lists become tuples."""
    return options(**{declared.name: _value(declared, parsed) for declared in fields(options)})  # type: ignore[arg-type]


def _value(declared: Field[Any], parsed: argparse.Namespace) -> Any:
    if "part" in declared.metadata:
        return read(declared.metadata["part"], parsed)
    value = getattr(parsed, declared.name)
    if value is None and declared.default is not MISSING:
        return declared.default
    return tuple(value) if isinstance(value, list) else value


def view(options: type[T], given: Any) -> T:
    """The options of a dataclass that a command has among its own; the others have their defaults."""
    names = (declared.name for declared in fields(options))  # type: ignore[arg-type]
    return options(**{name: getattr(given, name) for name in names if hasattr(given, name)})


def is_given(options: Any, name: str) -> bool:
    """Whether an option has another value than its default."""
    default = next(declared.default for declared in fields(options) if declared.name == name)
    return bool(getattr(options, name) != default)


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
        "--device NAME",
        default="cpu",
        help="where networks compute: cpu, cuda (a GPU), cuda:1, or auto: a GPU if there is one",
    )


def output_option() -> Any:
    """``-o``; its value is None for standard output."""
    return option(
        "-o",
        "--output OUT",
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


#: Kinds of aligners that know both conventions of annotators.
ALL_LINKS = ("contextual", "forest", "joint")
#: Options of commands -> kinds of aligners that they are for.
ALIGNERS_OF = {
    "annotator": ("sultan",),
    "alignments": ("forest",),
    "links": ALL_LINKS,
    "words": ("forest",),
    "forest_sizes": ("forest",),
    "keep": ("forest",),
    "also": ("forest",),
    "tuned with ppdb": ("contextual", "sultan"),
}
_FLAGS = {"alignments": "-k", "k": "-k", "source_format": "--from", "target": "a second sentence"}
_PARTS_ARE_MADE = "unfinished parts are made in any case"
_NO_COLUMN = "its columns have no place for that; jsonl has"
_TABLE_IS_JOINED = "'forest-align join' writes the table, and takes it"
_NOTHING_IS_ALIGNED = "nothing is aligned"
#: What runs otherwise -> the options that would have no effect with it, each with a reason.
REFUSED_WITH: dict[str, dict[str, str]] = {
    "--chunks": dict.fromkeys(
        ("aligner", "annotator", "words", "ppdb", "explain", "device", "alignments", "links"), ""
    ),
    "--shard": {"resume": "an unfinished part is resumed in any case"},
    "--engine": {
        "resume": _PARTS_ARE_MADE,
        "shard": "the engine deals out the parts",
        "workers": "--num-actors is the number of processes",
    },
    "train --engine": {"workers": "--num-actors is the number of processes"},
    "--to parquet": {"alignments": _NO_COLUMN, "explain": _NO_COLUMN},
    "--to pharaoh": {"alignments": "a line has the links of one alignment"},
    "--words": {
        "links": "given links stay as they are",
        "ppdb": "paraphrases would have no effect",
    },
    "--alignments": dict.fromkeys(
        ("target", "aligner", "model", "parser", "source_format", "columns"), _NOTHING_IS_ALIGNED
    ),
    "--sentences-only": dict.fromkeys(("aligner", "model", "parser", "ppdb", "links"), ""),
    "extract --shard": {"to": _TABLE_IS_JOINED, "min_count": _TABLE_IS_JOINED},
    "extract --engine": {
        "to": _TABLE_IS_JOINED,
        "min_count": _TABLE_IS_JOINED,
        "resume": _PARTS_ARE_MADE,
        "shard": _PARTS_ARE_MADE,
    },
}


def flag_of(name: str) -> str:
    """How an option is written on the command line."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


def settings_of(options: Any, *names: str) -> dict[str, str]:
    """Options as the settings that a resumed run must share; an option that is not given is empty."""
    return {flag_of(name): _shown(getattr(options, name)) for name in names}


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    return ("given" if value else "") if value is None or isinstance(value, bool) else str(value)


def refuse_with(what: str, options: Any, shown: str | None = None) -> None:
    """Raise InputError for options that have no effect with ``what``, which messages call ``shown``."""
    for name, reason in REFUSED_WITH[what].items():
        if is_given(options, name):
            because = f": {reason}" if reason else ""
            raise InputError(f"{flag_of(name)} cannot be combined with {shown or what.split()[-1]}{because}")


def refuse_for(kind: str, name: str, flag: str) -> None:
    """Raise InputError for an option, written as ``flag``, that is not for this kind of aligner."""
    kinds = ALIGNERS_OF[name]
    if kind in kinds:
        return
    names = f"aligners {', '.join(kinds)} do" if len(kinds) > 2 else f"{' and the '.join(kinds)} aligner do"
    raise InputError(
        f"the {kind} aligner does not support {flag}; the {names}{'es' if len(kinds) == 1 else ''}"
    )
