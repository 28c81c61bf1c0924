from __future__ import annotations

import argparse
from dataclasses import FrozenInstanceError, dataclass

import pytest

from forest_align.cli import COMMANDS, command_parser
from forest_align.cli.option_rules import ALIGNERS_OF, REFUSED_WITH, refuse_for, refuse_with
from forest_align.cli.typed_options import argument, declare, option, part, read, view
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
    with pytest.raises(InputError, match=r"^--slow takes no --fast: it is slow$"):
        refuse_with("--slow", Own(files=("a",), fast=True))
    with pytest.raises(InputError, match=r"^--slow takes no --from$"):
        refuse_with("--slow", Own(files=("a",), source_format="tsv"))
    monkeypatch.setitem(ALIGNERS_OF, "fast", ("sultan", "joint"))
    refuse_for("joint", "fast", "--fast")
    with pytest.raises(
        InputError, match=r"^the forest aligner takes no --fast; the sultan and the joint aligner do$"
    ):
        refuse_for("forest", "fast", "--fast")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_options_whose_parser_can_be_made(command: str) -> None:
    assert command_parser(command).prog == f"forest-align {command}"
