"""Memory and processor time of a process and all that descend from it, read from /proc (Linux)."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Member:
    """One process of a family.

    Attributes
    ----------
    process : int
        Its number.
    title : str
        Its command line, or what it calls itself.
    seconds : float
        Processor time.
    resident, most_resident : float
        Memory (RSS) now, and the most so far, in MB.
    share : float
        Memory in MB of which shared parts are divided among those that share them (PSS).
    """

    process: int
    title: str
    seconds: float
    resident: float
    most_resident: float
    share: float


class Family:
    """A process and all that descend from it, also those whose parents have ended."""

    def __init__(self, root: int) -> None:
        self._known = {root}

    def members(self) -> list[Member]:
        """Those that run now."""
        found = {process: (parent, seconds) for process, parent, seconds in _processes()}
        grown = True
        while grown:  # a parent may have a higher number than its child
            new = {process for process, (above, _) in found.items() if above in self._known} - self._known
            self._known |= new
            grown = bool(new)
        self._known &= found.keys()  # the number of one that has ended may be given to a stranger
        members = []
        for process in sorted(self._known):
            folder = Path(f"/proc/{process}")
            try:
                title = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                status = (folder / "status").read_text()
                share = (folder / "smaps_rollup").read_text()
            except OSError:  # it has ended
                continue
            sizes = _megabytes("VmRSS", status), _megabytes("VmHWM", status), _megabytes("Pss", share)
            members.append(Member(process, title, found[process][1], *sizes))
        return members


def _processes() -> Iterator[tuple[int, int, float]]:
    """Number, parent and processor time of every process."""
    tick = os.sysconf("SC_CLK_TCK")
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        yield int(path.parent.name), int(fields[1]), (int(fields[11]) + int(fields[12])) / tick


def _megabytes(name: str, text: str) -> float:
    """A field of a file of /proc; 0 if a process that ends has none any more."""
    field = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(field[1]) * 1024 / 1e6 if field else 0.0


class Processes:
    """Watches a family four times a second: processor time and memory, until :meth:`stop`."""

    def __init__(self, root: int) -> None:
        self.seconds: dict[int, float] = {}
        self.most_resident: dict[int, float] = {}
        self.most_together = 0.0
        self._family = Family(root)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.25):
            members = self._family.members()
            for member in members:
                self.seconds[member.process] = member.seconds
                most = max(member.most_resident, self.most_resident.get(member.process, 0))
                self.most_resident[member.process] = most
            self.most_together = max(self.most_together, sum(member.share for member in members))
