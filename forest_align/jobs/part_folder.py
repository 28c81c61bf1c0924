"""A folder that several runs fill with parts: a manifest of settings, and a marker for each finished part."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import ItemsView, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from forest_align.storage.fingerprints import files_fingerprint
from forest_align.storage.outputs import shown
from forest_align.system.replacing import sync_folder, temporary_beside, write_atomically
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, check_integer, check_text, describe, parse_json_object

_FORMAT = 1
_MANIFEST, _COMPLETIONS = "manifest.json", "completions"
_NAMED = 10  # parts that a message names
_MOST_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class PartReport:
    """The marker of a finished part."""

    counts: Mapping[str, int]  # such as {"items": 640, "failures": 2}
    # The whole input, such as {"items": 9000, "digest": "…"}: the same for all parts.
    read: Mapping[str, int | str]
    bytes: int
    digest: str  # short hash of name and contents

    @property
    def items(self) -> int:
        """Number of items in the part."""
        return self.counts.get("items", 0)

    @property
    def failures(self) -> int:
        """How many of them failed."""
        return self.counts.get("failures", 0)


@dataclass(frozen=True, slots=True)
class PartFolder:
    """A folder of parts, which separate processes or machines write.

    ``manifest.json`` has the settings of the run. The first process creates it, and each further one must
    have the same settings. ``part-00003-of-00016.jsonl`` is a part. ``completions/00003`` says that it is
    finished: the marker is written in one step, when the disk has the whole part. A part without a marker is
    unfinished.

    Attributes
    ----------
    path : pathlib.Path
        The folder.
    command : str
        Name of the command that writes the parts.
    parts : int
        Number of parts, numbered from 1.
    suffix : str
        End of the parts' names, such as ``.jsonl``.
    block : int
        The input is dealt out to the parts in turn, in blocks of so many items; 0 if each part has its own
        stretch of the input.
    made_with : mapping of str to str
        Settings by option name, in the order in which they are compared.
    """

    path: Path
    command: str
    parts: int
    suffix: str
    block: int
    made_with: Mapping[str, str]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read the manifest of a folder; raises InputError if it has none, or something else there."""
        file = path / _MANIFEST
        if not file.is_file():
            raise InputError(f"expected a folder of parts with a {_MANIFEST}, found none", file=str(path))
        try:
            fields = Fields(parse_json_object(file.read_text(encoding="utf-8", errors="replace")))
            if (found := fields.integer("format")) != _FORMAT:
                raise InputError(f"expected format {_FORMAT}, found {found}")
            return cls(
                path,
                fields.text("command"),
                fields.integer("parts"),
                fields.text("suffix"),
                fields.integer("block"),
                {name: check_text(value, name) for name, value in _items(fields, "made_with")},
            )
        except InputError as error:
            message = f"expected a manifest of parts, found something else ({error})"
            raise InputError(message, file=str(file)) from None

    def begin(self) -> None:
        """Create the folder and its manifest, or raise InputError if the manifest there has other settings.

        Several processes may do this at once: one of them creates the manifest.
        """
        if self.path.exists() and not self.path.is_dir():
            raise InputError("expected a folder for the parts, found a file", file=str(self.path))
        (self.path / _COMPLETIONS).mkdir(parents=True, exist_ok=True)
        if not (self.path / _MANIFEST).exists():
            content = {"format": _FORMAT, **asdict(self), "made_with": dict(self.made_with)}
            del content["path"]
            _create(self.path / _MANIFEST, json.dumps(content, indent=2) + "\n")
        self._compare(PartFolder.open(self.path))

    def _compare(self, earlier: PartFolder) -> None:
        pairs = [
            ("the command", earlier.command, self.command),
            ("the number of parts", str(earlier.parts), str(self.parts)),
            ("the kind of parts", earlier.suffix, self.suffix),
        ]
        names = dict.fromkeys((*self.made_with, *earlier.made_with))
        pairs += [(name, earlier.made_with.get(name, ""), self.made_with.get(name, "")) for name in names]
        pairs.append(("the size of blocks", str(earlier.block), str(self.block)))
        for name, then, now in pairs:
            if then != now:
                raise InputError(
                    f"{name} was {shown(then)} for the parts in this folder, now it is {shown(now)}; "
                    "give the same options and input as before, or another folder",
                    file=str(self.path),
                )

    def part(self, number: int) -> Path:
        """The file of a part."""
        return self.path / f"part-{number:05}-of-{self.parts:05}{self.suffix}"

    def scratch(self, number: int, suffix: str = "") -> Path:
        """A fresh name beside a part, for a file to make it of; what killed processes left there is removed.

        Another process may still work on the same part, so each has names of its own.
        """
        part = self.part(number)
        for left in part.parent.glob(f".{part.name}.*"):
            left.unlink(missing_ok=True)
        return part.with_name(f".{part.name}.{uuid4().hex}{suffix}")

    def marker(self, number: int) -> Path:
        """The file that says that a part is finished."""
        return self.path / _COMPLETIONS / f"{number:05}"

    def is_finished(self, number: int) -> bool:
        """Whether a part has its marker."""
        return self.marker(number).exists()

    def attempt(self, number: int) -> None:
        """Count an attempt to make a part; the count ends with the part, or with :meth:`forget_attempts`.

        Raises InputError after so many attempts without the part that processes must have died of it.
        """
        with self._attempts(number).open("ab") as file:
            if file.tell() >= _MOST_ATTEMPTS:
                raise InputError(
                    f"{_MOST_ATTEMPTS} processes died while they made part {number} of {self.parts}; "
                    "is there enough memory for them?",
                    file=str(self.path),
                )
            file.write(b".")

    def forget_attempts(self, number: int) -> None:
        """Let a part have all its attempts again."""
        self._attempts(number).unlink(missing_ok=True)

    def _attempts(self, number: int) -> Path:
        return self.path / f".attempts-{number:05}"

    def finish(self, number: int, counts: Mapping[str, int], read: Mapping[str, int | str]) -> PartReport:
        """Mark a part as finished; the disk must have all of it. See :class:`PartReport`."""
        file = self.part(number)
        report = PartReport(dict(counts), dict(read), file.stat().st_size, files_fingerprint([file]))
        write_atomically(self.marker(number), (json.dumps(asdict(report)) + "\n").encode())
        self.forget_attempts(number)
        return report

    def report_finished(self, number: int) -> PartReport | None:
        """What the marker of a part says, after a message about it; None if the part is not finished."""
        if not self.is_finished(number):
            return None
        report = self.report(number)
        failed = f" ({report.failures} failed)" if report.failures else ""
        print(
            f"forest-align {self.command}: {self.part(number)} is finished already, "
            f"with {report.items} of {report.read.get('items', 0)} items{failed}",
            file=sys.stderr,
        )
        return report

    def report(self, number: int) -> PartReport:
        """What the marker of a finished part says; raises InputError if it is something else."""
        file = self.marker(number)
        try:
            fields = Fields(parse_json_object(file.read_text(encoding="utf-8", errors="replace")))
            return PartReport(
                {name: check_integer(value, name) for name, value in _items(fields, "counts")},
                dict(_items(fields, "read")),
                fields.integer("bytes"),
                fields.text("digest"),
            )
        except InputError as error:
            message = f"expected the marker of a finished part, found something else ({error}); delete it"
            raise InputError(f"{message} and run this part again", file=str(file)) from None

    def reports(self) -> list[PartReport]:
        """What the markers of all parts say.

        Raises InputError if a part is missing, unfinished, changed, or made from another input than part 1.
        """
        unfinished = [number for number in range(1, self.parts + 1) if not self.is_finished(number)]
        if unfinished:
            raise InputError(
                f"{_listed(unfinished, self.parts)} not finished; run {self._again(unfinished[0])}",
                file=str(self.path),
            )
        reports = [self.report(number) for number in range(1, self.parts + 1)]
        for number, report in enumerate(reports, 1):
            if report.read != reports[0].read:
                raise InputError(
                    f"part {number} was made from another input than part 1 ({_facts(report.read)} against "
                    f"{_facts(reports[0].read)}); delete the parts of the wrong input with their markers",
                    file=str(self.path),
                )
            self._check_part(number, report)
        return reports

    def _check_part(self, number: int, report: PartReport) -> None:
        file = self.part(number)
        then = f"delete {self.marker(number)} and run {self._again(number)}"
        if not file.is_file():
            message = f"the part is missing, and its marker says that it is finished; {then}"
            raise InputError(message, file=str(file))
        if (size := file.stat().st_size) != report.bytes:
            raise InputError(
                f"the part has changed since it was finished: expected {report.bytes:,} bytes, "
                f"found {size:,}; delete the part too, {then}",
                file=str(file),
            )
        if files_fingerprint([file]) != report.digest:
            raise InputError(
                f"the part has changed since it was finished: its digest is not {report.digest}; "
                f"delete the part too, {then}",
                file=str(file),
            )

    def _again(self, number: int) -> str:
        shard = f" --shard {number}/{self.parts}" if self.block else ""
        return f"'forest-align {self.command} …{shard}' again"


def described_inputs(paths: Sequence[str]) -> dict[str, str]:
    """The setting that has names and sizes of inputs: enough to notice most changes before they are read."""
    files = [Path(path) for path in paths]
    sizes = [f" ({file.stat().st_size:,} bytes)" if file.is_file() else "" for file in files]
    return {"the input": ", ".join(file.name + size for file, size in zip(files, sizes, strict=True))}


def _create(path: Path, text: str) -> None:
    """Create a file with its whole content, unless another process creates it first."""
    with temporary_beside(path, path) as file:
        file.write(text.encode())
        file.sync()
        try:
            os.link(file.name, path)
        except FileExistsError:
            return
        except OSError:  # a file system without hard links
            os.replace(file.name, path)
        sync_folder(path.parent)


def _listed(numbers: Sequence[int], parts: int) -> str:
    shown = ", ".join(map(str, numbers[:_NAMED])) + (", …" if len(numbers) > _NAMED else "")
    if len(numbers) == 1:
        return f"part {shown} of {parts} is"
    return f"{len(numbers)} of {parts} parts ({shown}) are"


def _items(fields: Fields, key: str) -> ItemsView[str, Any]:
    values = fields.raw(key)
    if not isinstance(values, dict):
        raise InputError(f"expected an object, found {describe(values)}", field=key)
    return values.items()


def _facts(read: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in read.items())
