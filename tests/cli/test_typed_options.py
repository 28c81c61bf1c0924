from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass

import pytest

from forest_align.aligners.model_folder import bundled_models
from forest_align.cli import COMMANDS, command_parser
from forest_align.cli.aligner_choice import ALIGNERS
from forest_align.cli.arguments import (
    ALIGNERS_OF,
    REFUSED_WITH,
    argument,
    declare,
    option,
    part,
    read,
    refuse_for,
    refuse_with,
    view,
)
from forest_align.types import InputError


@dataclass(frozen=True, slots=True)
class Shared:
    threads: int = option("--threads", type=int, default=2, help="threads")


@dataclass(frozen=True, slots=True)
class Own:
    files: tuple[str, ...] = argument("FILES", nargs="+")
    names: tuple[str, ...] = option("--name", action="append", default=())
    shared: Shared = part(Shared)
    fast: bool = option("--fast", action="store_true")
    source_format: str | None = option("--from", metavar="FORMAT")
    rate: float = option("--rate", type=float, default=1.0, metavar="R", help="rate")
    own: float = option(
        "--own", type=float, default=2.0, metavar="R", help="own; default: 2, as in the paper"
    )


@dataclass(frozen=True, slots=True)
class Some:
    fast: bool = True
    source_format: str | None = None
    unknown: int = 7


def parsed(*words: str) -> Own:
    parser = argparse.ArgumentParser()
    declare(parser, Own)
    return read(Own, parser.parse_args(words))


def test_options_are_read_with_their_types_and_defaults() -> None:
    assert parsed("a") == Own(files=("a",))
    found = parsed("a", "b", "--name", "x", "--name", "y", "--threads", "3", "--fast", "--from", "tsv")
    assert (found.names, found.files, found.shared.threads, found.fast, found.source_format) == (
        ("x", "y"),
        ("a", "b"),
        3,
        True,
        "tsv",
    )
    with pytest.raises(FrozenInstanceError):
        found.fast = False  # type: ignore[misc]


def test_a_view_has_the_options_that_are_there_and_its_own_defaults() -> None:
    assert view(Some, Own(files=("a",), source_format="tsv")) == Some(False, "tsv", 7)


def test_options_without_effect_are_refused_by_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REFUSED_WITH, "--slow", {"fast": "it is slow", "source_format": ""})
    refuse_with("--slow", Own(files=("a",)))
    with pytest.raises(InputError, match=r"^--fast cannot be combined with --slow: it is slow$"):
        refuse_with("--slow", Own(files=("a",), fast=True))
    with pytest.raises(InputError, match=r"^--from cannot be combined with --slow$"):
        refuse_with("--slow", Own(files=("a",), source_format="tsv"))
    monkeypatch.setitem(ALIGNERS_OF, "fast", ("sultan", "joint"))
    refuse_for("joint", "fast", "--fast")
    with pytest.raises(
        InputError, match=r"^the forest aligner does not support --fast; the sultan and the joint aligner do$"
    ):
        refuse_for("forest", "fast", "--fast")


def options_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The options of a parser and of its subcommands that take a value."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for subcommand in action.choices.values():
                yield from options_of(subcommand)
        elif action.option_strings and action.nargs != 0 and action.help != argparse.SUPPRESS:
            yield action


def test_the_help_ends_with_the_default_unless_it_tells_it_itself() -> None:
    parser = argparse.ArgumentParser()
    declare(parser, Own)
    texts = {action.dest: action.help for action in options_of(parser)}
    assert texts["threads"] == "threads; default: 2" and texts["rate"] == "rate; default: 1"
    assert texts["own"] == "own; default: 2, as in the paper" and texts["source_format"] is None


def test_values_of_options_are_named_and_defaults_are_told_once() -> None:
    for command in sorted(COMMANDS):
        for action in options_of(command_parser(command)):
            names = " ".join(action.option_strings)
            assert action.metavar or action.choices, names
            text = str(action.help)
            assert len(re.findall("default", text)) <= 1, (names, text)
            if action.default not in (None, (), False):
                assert "default: " in text, (names, text)


def test_every_bundled_aligner_is_explained_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(ALIGNERS) == set(bundled_models())
    for command in ("align", "documents", "edits", "serve"):
        with pytest.raises(SystemExit) as stop:
            command_parser(command).parse_args(["--aligner", "help"])
        assert stop.value.code == 0
        assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(ALIGNERS)


def test_every_command_has_options_whose_parser_can_be_made() -> None:
    for command in sorted(COMMANDS):
        assert command_parser(command).prog == f"forest-align {command}"
