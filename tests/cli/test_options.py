"""Options as typed fields, and options that do not go together, have no effect, or name what is not there."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path

import pytest
import torch

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

from ..command_line import CommandLine


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


SHARDS = [
    ("align pairs.tsv --shard 1/2", "--shard needs -o FOLDER"),
    ("align pairs.tsv --shard 0/2 -o out", "expected I/N with I from 1 to N"),
    ("align pairs.tsv --shard 1/2 --to csv -o out", "--to csv cannot be combined with --shard"),
    ("align pairs.tsv --shard 1/2 --resume -o out", "--resume cannot be combined with --shard"),
    ("align pairs.tsv --shard 1/2 -o pairs.tsv", "would overwrite the input"),
    ("parse pairs.tsv --shard 1/2 --to nbest -o out", "--to nbest cannot be combined"),
    ("extract pairs.tsv --shard 1/2 --to tsv -o out", "--to cannot be combined with --shard"),
    ("extract pairs.tsv --shard 1/2 --min-count 2 -o out", "--min-count cannot be combined"),
    ("extract pairs.tsv --shard 1/2", "--shard needs -o FOLDER"),
]
ENGINES = [
    ("extract lines.jsonl --engine ray", "--engine needs -o FOLDER"),
    (
        "extract lines.jsonl --engine ray -o out --to tsv",
        "--to cannot be combined with --engine: 'forest-align join'",
    ),
    ("extract lines.jsonl --engine ray -o out --resume", "--resume cannot be combined with --engine"),
    ("extract lines.jsonl - --engine ray -o out", "--engine reads files, not standard input"),
    ("extract lines.jsonl missing.jsonl --engine ray -o out", "missing.jsonl"),
    ("align pairs.tsv --engine ray", "--engine needs -o FOLDER"),
    ("align pairs.tsv --engine ray -o out --resume", "--resume cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --shard 1/2", "--shard cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --workers 2", "--workers cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --to html", "--to html cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --to parquet -k 2", "-k cannot be combined with --to parquet"),
    ("align pairs.tsv --engine ray -o out --device auto", "--device auto cannot be combined with --engine"),
    ("align pairs.tsv --engine ray -o out --gpus-per-actor 1", "--gpus-per-actor needs --device cuda"),
    ("align pairs.tsv --engine ray -o out --gpus-per-actor 0", "expected a number above 0, found '0'"),
    (
        "align pairs.tsv --engine ray -o out --chunks --device cuda",
        "--device cannot be combined with --chunks",
    ),
    (
        "align pairs.tsv --engine ray -o out --words links.pharaoh",
        "a file of --words cannot be combined with --engine",
    ),
    ("align pairs.tsv --num-actors 2", "--num-actors needs --engine ray"),
    ("align pairs.tsv --address auto", "--address needs --engine ray"),
    ("align pairs.tsv --gpus-per-actor 1", "--gpus-per-actor needs --engine ray"),
    ("align pairs.tsv --part-size 9", "--part-size, need --engine ray"),
]
DEVICES = [
    ("align pairs.tsv -o out --device cuda", "there is no device 'cuda': torch finds 0 GPUs here"),
    ("align pairs.tsv -o out --device gpu", "expected cpu, cuda, cuda:N or auto, found 'gpu'"),
    ("align pairs.tsv -o out --chunks --device cuda", "--device cannot be combined with --chunks"),
    ("parse pairs.tsv -o out --from text --device cuda:1", "there is no device 'cuda:1'"),
    ("parse trees.mrg -o out --device cuda", "--device is for text, and trees.mrg has trees"),
]
OF_ALIGNERS = [
    ("align pairs.tsv --chunks --aligner forest", "--aligner cannot be combined with --chunks"),
    ("align pairs.tsv --chunks --words dictionary", "--words cannot be combined with --chunks"),
    ("align pairs.tsv --chunks --explain", "--explain cannot be combined with --chunks"),
    ("align pairs.tsv --chunks -k 2", "-k cannot be combined with --chunks"),
    ("align pairs.tsv --chunks --model nowhere", "no model in 'nowhere'"),
    ("align pairs.tsv --to ists", "--to ists needs --chunks"),
    ("align pairs.tsv --aligner joint --annotator trees", "does not support --annotator"),
    ("align pairs.tsv --aligner joint --words dictionary", "does not support --words"),
    ("train nonsense", "expected one of forest, semi-markov, joint, found 'nonsense'"),
]
SERVICE = [
    ("serve --port 65536", "--port"),
    ("serve --workers 0", "--workers"),
    ("serve --workers two", "--workers"),
    ("serve --timeout -1", "--timeout"),
    ("serve --timeout 0", "--timeout"),
    ("serve --port 0 --beside other.jsonl", "--beside needs ALIGNMENTS"),
]
OUTPUTS = [
    ("align pairs.tsv --to pharaoh -k 2", "-k cannot be combined with --to pharaoh"),
    ("align pairs.tsv --to jsonl --all", "--all is for --to text"),
    ("align pairs.tsv --to jsonl --simple", "--simple is for pictures: -o OUT.svg"),
    ("align pairs.tsv --resume", "--resume needs -o"),
    ("align pairs.tsv --resume -o out --to text", "--resume needs -o"),
    ("align pairs.tsv --resume -o out.html", "--resume needs -o"),
]
INPUTS = [
    ("align pairs.tsv a", "'paste ONE OTHER' makes pairs of two files"),
    ("align a pairs.tsv", "'paste ONE OTHER' makes pairs of two files"),
    ("align a b --from tsv", "--from is for files"),
    ("align pairs.tsv --words unoin", "contextual, dictionary"),
    ("align pairs.tsv --words union", "word candidates 'union' are gone: use contextual or dictionary"),
    ("align pairs.tsv --variant published", "--variant is gone: use --aligner sultan / --aligner forest-pub"),
    ("tune pairs.tsv -o out --variant", "--variant is gone: use --aligner sultan / --aligner forest-pub"),
]


REFUSED = [*SHARDS, *ENGINES, *DEVICES, *OF_ALIGNERS, *SERVICE, *OUTPUTS, *INPUTS]


@pytest.mark.parametrize(("command", "message"), REFUSED)
def test_what_a_command_cannot_do_is_refused_before_anything_is_written(
    command: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    contents = {"pairs.tsv": "The cat sat.\tA cat sat.\n", "lines.jsonl": "", "trees.mrg": "(S (NN cats))\n"}
    for name, content in contents.items():
        Path(name).write_text(content)
    try:
        status = cli(*command.split())
    except SystemExit as stop:
        status = int(stop.code or 0)
    assert status == 2 and message in cli.err and not cli.out
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == contents
