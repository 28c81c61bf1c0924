from __future__ import annotations

import pytest

from forest_align import __version__
from forest_align.cli import COMMANDS, main

from ..command_line import CommandLine


def test_version_is_printed(cli: CommandLine) -> None:
    assert cli("--version") == 0 and cli.out.strip() == f"forest-align {__version__}"


def test_top_level_help_lists_every_command(cli: CommandLine) -> None:
    cli("--help")
    printed = cli.out
    assert all(command in printed for command in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["alignn"], "align"),
        (["align", "a.tsv", "--to", "htlm"], "html"),
        (["align", "a.tsv", "--aligner", "contextaul"], "contextual"),
        (["align", "a.tsv", "--min-probabilty=0.5"], "--min-probability"),
        (["train", "semimarkov", "a.tsv"], "semi-markov"),
        (["train", "joint", "a.tsv", "-o", "model", "--epohcs", "3"], "--epochs"),
    ],
)
def test_a_misspelled_name_is_bad_usage_and_the_similar_one_is_named(
    arguments: list[str], meant: str, cli: CommandLine
) -> None:
    assert cli(*arguments) == 2 and cli.err.endswith(f"; did you mean {meant}?\n")


def test_png_is_refused_with_the_formats_and_a_way_to_get_it(cli: CommandLine) -> None:
    assert cli("align", "He left.", "He went.", "-o", "out.png") == 2
    message = cli.err
    cli("align", "He left.", "He went.", "--to", "png")
    for text in (message, cli.err):
        assert "svg" in text and "a browser" in text


@pytest.mark.parametrize(
    "arguments", [["--debug", "parse", "/no/such/file.txt"], ["parse", "/no/such/file.txt", "--debug"]]
)
def test_debug_lets_the_traceback_through(arguments: list[str]) -> None:
    with pytest.raises(OSError, match="no/such/file"):
        main(arguments)


def test_a_fault_of_the_program_is_a_message_unless_debugging(
    monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    def fail(options: object) -> int:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("forest_align.cli.commands.parse.run", fail)
    assert cli("parse", "-") == 2 and "ZeroDivisionError: by nothing" in cli.err
    with pytest.raises(ZeroDivisionError):
        cli("parse", "-", "--debug")


def test_without_a_command_there_is_help(cli: CommandLine) -> None:
    assert cli() == 2
    printed = cli.err
    assert all(command in printed for command in COMMANDS)


@pytest.mark.parametrize(
    "arguments", [["align", ""], ["align", "pairs.tsv", "-o", ""], ["convert", "", "-", "--to", "tsv"]]
)
def test_an_empty_argument_is_told_before_it_is_taken_for_a_folder(
    arguments: list[str], cli: CommandLine
) -> None:
    assert cli(*arguments) == 2
    assert "error: an argument is empty; is a variable of the shell not set?" in cli.err
