"""The ``forest-align`` command line: find the command, run it, turn errors into messages.

Heavy imports wait until :func:`main` is called, which reports an interrupt in one line.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from forest_align._version import __version__

__all__ = ["main"]

#: Exit statuses of commands: all went well; some inputs were broken, and the others were processed.
EXIT_OK, EXIT_SOME_FAILED = 0, 1
_EXIT_USAGE = 2
_EXIT_INTERRUPTED = 130
#: Packages that an environment for aligning may lack: what to install for each.
_MAY_BE_MISSING = {"torch": "torch", "optuna": "optuna", "sqlalchemy": "optuna"}

# Command -> description in one line. A command's module is imported only when it is called, so that the help
# of one command does not wait for the imports of the others.
COMMANDS = {
    "align": "align sentence pairs: words and phrases with probabilities",
    "documents": "align documents: sentences in any order, then their words and phrases",
    "support": "find what in a source supports each span of a summary",
    "train": "train an aligner's model on sentence pairs",
    "tune": "search for the penalties of an aligner that score best on gold links",
    "parse": "parse sentences into trees, n-best lists or packed forests",
    "edits": "list what changed between the texts of each pair: kept, replaced, moved, split …",
    "differences": "say how much each word of a pair of texts says something else",
    "extract": "count the phrases that correspond in alignments: a phrase table",
    "join": "join the parts that runs with --shard or --engine made into the output of one run",
    "serve": "show alignments in the browser: of sentences typed in, or of a file",
    "convert": "convert between the formats of aligned corpora",
    "evaluate": "score predicted alignments against gold ones",
    "benchmark": "run an aligner on a published test set, beside the published rows",
    "licences": "show the licence of every bundled part, and what it learned from",
}

# Modules of several commands; another command has a module of its own name.
_MODULES = {
    **dict.fromkeys(("edits", "differences"), "derived"),
    **dict.fromkeys(("documents", "support"), "document_pairs"),
}


class _Parser(argparse.ArgumentParser):
    """A parser that fails if its help cannot be written, which argparse ignores, and shows no passwords."""

    def error(self, message: str) -> NoReturn:
        from forest_align.system.terminal import hide_passwords

        if message.startswith("unrecognized arguments: "):
            unknown = message.split()[2]
            # Words, not options: a sentence without quotes.
            is_option = unknown.startswith("-")
            message += _suggestion(unknown, _flags(self)) if is_option else " (is a sentence not in quotes?)"
        super().error(hide_passwords(message, *message.split()))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from forest_align.cli.arguments import PNG_HINT

        hint = f"; for PNG, {PNG_HINT}" if value == "png" else _suggestion(value, action.choices)
        names = ", ".join(map(str, action.choices))
        raise argparse.ArgumentError(action, f"expected one of {names}, found {value!r}{hint}")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is None or file is not sys.stdout:
            super()._print_message(message, file)
        else:
            print(message, end="", flush=True)


def _flags(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a parser, and of its subcommands."""
    for action in parser._actions:
        if action.help != argparse.SUPPRESS:
            yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for subcommand in action.choices.values():
                yield from _flags(subcommand)


def _suggestion(unknown: str, names: Iterable[str]) -> str:
    """A question whether a similar name is meant; empty if none is similar."""
    from difflib import get_close_matches

    # An option may have its value: --option=VALUE.
    similar = get_close_matches(unknown.split("=")[0], list(names), n=1)
    return f"; did you mean {similar[0]}?" if similar else ""


def _top_level_parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items())
    parser = _Parser(
        prog="forest-align",
        description="Phrase and word alignment of English paraphrases on packed parse forests.",
        epilog=f"commands:\n{listing}\n\nexample:\n"
        "  forest-align align 'He died.' 'He passed away.'\n\n"
        "'forest-align COMMAND --help' explains a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"forest-align {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.add_argument("command", metavar="COMMAND", choices=sorted(COMMANDS), help="one of those below")
    parser.add_argument("arguments", metavar="…", nargs=argparse.REMAINDER, help="arguments of the command")
    return parser


def command_parser(command: str) -> argparse.ArgumentParser:
    """The parser of a command, made from the options of its module."""
    from forest_align.cli.arguments import command_of, declare

    module = importlib.import_module(f"forest_align.cli.commands.{_MODULES.get(command, command)}")
    parts = command_of(module, command)
    parser = _Parser(
        prog=f"forest-align {command}",
        description=COMMANDS[command][0].upper() + COMMANDS[command][1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=parts.epilog,
    )
    parser.set_defaults(parts=parts)
    if hasattr(module, "add_subcommands"):
        module.add_subcommands(parser)
    else:
        declare(parser, parts.options)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser


def _run(options: argparse.Namespace) -> int:
    from forest_align.cli.arguments import read
    from forest_align.types import InputError

    command = options.command
    # As a file name, an empty argument would mean the current folder.
    if "" in options.arguments:
        raise InputError("an argument is empty; is a variable of the shell not set?")
    parsed = command_parser(command).parse_args(options.arguments)
    # Messages also name the aligner if a command has a subcommand for each.
    options.command = getattr(parsed, "full_command", command)
    result: int = parsed.parts.run(read(parsed.parts.options, parsed))
    if sys.stdout is not None:
        sys.stdout.flush()
    return result


@contextmanager
def _plain_warnings(options: argparse.Namespace) -> Iterator[None]:
    """Print our own warnings as messages, without the line of code that raised them."""
    from forest_align.types import InputWarning

    with warnings.catch_warnings():
        warnings.simplefilter("always", InputWarning)
        show = warnings.showwarning

        def print_ours(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, InputWarning):
                print(f"forest-align {options.command}: warning: {message}", file=sys.stderr)
            else:
                show(message, category, *place, **more)

        warnings.showwarning = print_ours
        yield


def _message(error: Exception) -> str:
    """Text of an error; errors of the system begin with the file, as our own messages do."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    return error.strerror if error.filename is None else f"{os.fsdecode(error.filename)}: {error.strerror}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or 1: some inputs failed, 2: bad usage, input or a bug, 130: interrupted."""
    if sys.stderr is None:
        # The parent process closed stderr. The next opened file (such as the output) would get its number,
        # and libraries' messages would be written into it.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    parser = _top_level_parser()
    arguments = sys.argv[1:] if argv is None else argv
    if not arguments:
        parser.print_help(sys.stderr)
        return _EXIT_USAGE
    try:
        options = parser.parse_args(arguments)
    except OSError as error:  # from printing the help
        return _explain(error, "forest-align")
    try:
        return _run_or_explain(options)
    except KeyboardInterrupt:
        print(f"\nforest-align {options.command}: interrupted", file=sys.stderr)
        return _EXIT_INTERRUPTED


def _run_or_explain(options: argparse.Namespace) -> int:
    """Run a command; print errors as messages, unless debugging."""
    from forest_align.types import ForestAlignError, InputError

    debug = options.debug or "--debug" in options.arguments
    try:
        with _plain_warnings(options):
            return _run(options)
    except (ForestAlignError, OSError) as error:
        if debug:
            raise
        return _explain(error, f"forest-align {options.command}")
    except Exception as error:  # a bug: show a traceback only on request
        if debug:
            raise
        if isinstance(error, ModuleNotFoundError) and error.name in _MAY_BE_MISSING:
            needed = _MAY_BE_MISSING[error.name]
            missing = InputError(f"this needs {needed}, which is not installed: pip install {needed}")
            return _explain(missing, f"forest-align {options.command}")
        print(
            f"forest-align {options.command}: unexpected error: {type(error).__name__}: {error} "
            "(--debug shows where)",
            file=sys.stderr,
        )
        return _EXIT_USAGE


def _explain(error: Exception, program: str) -> int:
    """Print an error as a message; return the exit status."""
    _discard_unwritable_output()
    # The error has a file name if it is about another file than standard output.
    if isinstance(error, BrokenPipeError) and error.filename is None:
        return EXIT_OK  # the reader (such as `head`) has closed the pipe
    print(f"{program}: error: {_message(error)}", file=sys.stderr)
    return _EXIT_USAGE


def _discard_unwritable_output() -> None:
    """Drop buffered standard output that cannot be written, so that Python does not report it at exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
