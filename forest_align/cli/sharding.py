"""``--shard I/N``: a run that makes one part of an output, in a folder that all its runs share."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from forest_align.cli.option_rules import refuse_with
from forest_align.cli.typed_options import option
from forest_align.jobs.part_folder import PartFolder
from forest_align.jobs.run_record import RunRecord
from forest_align.jobs.shards import Shard, Share
from forest_align.types import InputError


def shard_option(unit: str) -> Any:
    """``--shard``."""
    return option(
        "--shard",
        type=Shard.parse,
        metavar="I/N",
        help=f"process the I-th of N shards of the {unit}, and write its own part into the folder OUT. "
        "A finished part is skipped, an unfinished one resumed; 'forest-align join OUT' joins all parts",
    )


class ShardedOptions(Protocol):
    """What a command with ``--shard`` has among its options."""

    @property
    def output(self) -> str | None:
        """The folder of the parts."""

    @property
    def resume(self) -> bool:
        """Whether an unfinished run is to be continued."""

    @property
    def to(self) -> str | None:
        """The format."""


def check_shard(options: ShardedOptions, kinds: Sequence[str | None]) -> Path:
    """Refuse options that do not go with ``--shard``; return the folder of the parts.

    Parameters
    ----------
    options : ShardedOptions
        Options of the command.
    kinds : sequence
        Formats, values of ``--to``, whose parts can be joined.
    """
    if options.output is None:
        raise InputError("--shard needs -o FOLDER, for the parts")
    refuse_with("--shard", options)
    if options.to not in kinds:
        raise InputError(f"--shard takes no --to {options.to}; it takes {' and '.join(map(str, kinds))}")
    return Path(options.output)


def open_folder(
    command: str,
    path: Path,
    parts: int,
    inputs: Sequence[str],
    suffix: str,
    block: int,
    made_with: Mapping[str, str],
) -> PartFolder:
    """Open the folder of the parts, or create it; its settings must be those of this run.

    Parameters
    ----------
    command : str
        Name of the command.
    path : Path
        The folder.
    parts : int
        Number of parts.
    inputs : sequence of str
        Files that the command reads.
    suffix : str
        End of the parts' names.
    block : int
        Items of a block.
    made_with : mapping of str to str
        Settings that the parts depend on.

    Raises
    ------
    InputError
        If the parts that are in the folder have been made with other settings.
    """
    settings = {**made_with, "the input": ", ".join(map(_described, inputs))}
    folder = PartFolder(path, command, parts, suffix, block, settings)
    folder.begin()
    return folder


def _described(path: str) -> str:
    """Name and size of an input: enough to notice most changes before the input is read."""
    file = Path(path)
    return f"{file.name} ({file.stat().st_size:,} bytes)" if file.is_file() else file.name


def finish_lines(folder: PartFolder, shard: Shard, share: Share, record: RunRecord) -> None:
    """Mark the part of a shard as finished, with the counts of its record."""
    folder.finish(shard.number, {"items": record.lines, "failures": record.failures}, share.read())


def report_finished(folder: PartFolder, shard: Shard) -> int:
    """Say that the part of a shard is finished already; return how many of its items failed."""
    report = folder.report(shard.number)
    failures = report.counts.get("failures", 0)
    failed = f" ({failures} failed)" if failures else ""
    print(
        f"forest-align {folder.command}: {folder.part(shard.number)} is finished already, "
        f"with {report.counts.get('items', 0)} of {report.read.get('items', 0)} items{failed}",
        file=sys.stderr,
    )
    return failures
