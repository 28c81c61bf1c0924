"""The work of ``extract``: counts the phrases of files, each into a part of its own on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forest_align.cli.input_reports import SkippedInputs, expected_count
from forest_align.data.phrases.counts import PhraseCounts
from forest_align.data.phrases.input import Position, read_alignments
from forest_align.data.phrases.occurrences import Selection
from forest_align.jobs.part_folder import PartFolder
from forest_align.system.replacing import sync_folder
from forest_align.system.terminal import counted
from forest_align.types import InputError


def count_alignments(
    counts: PhraseCounts,
    paths: Sequence[str],
    wanted: Callable[[str], bool] | None = None,
    whole: Sequence[str] = (),
) -> int:
    """Count the alignments that are left; name the first broken lines, and return the number of all."""
    position = start = Position(*counts.position or ())
    if start.lines:
        print(f"forest-align extract: resuming after line {start.lines}", file=sys.stderr)
    with SkippedInputs("extract") as left_out:
        counts_of = [expected_count(path) for path in paths]
        total = None if wanted is not None or None in counts_of else sum(filter(None, counts_of))
        read = read_alignments(paths, start, wanted, whole=whole)
        for item, position in counted(read, "pairs", total=total, done=start.lines):
            if isinstance(item, InputError):
                left_out.add(item)
            else:
                counts.add(item, position)
    return position.broken


@dataclass(frozen=True, slots=True)
class CountedParts:
    """Counts the alignments of each file into a part of its own."""

    folder: PartFolder
    paths: tuple[str, ...]
    selection: Selection

    def write(self, number: int) -> dict[str, int]:
        """Count the alignments of a file; return how many lines it has, and how many of them are broken."""
        part = self.folder.part(number)
        fresh = self.folder.scratch(number)  # a database has one user at a time
        with PhraseCounts(self.selection, fresh, inputs=self.paths) as counts:
            broken = count_alignments(counts, [self.paths[number - 1]], whole=self.paths)
            counts.save()
            items = counts.alignments + counts.failed + broken
        fresh.replace(part)
        sync_folder(part.parent)
        return {"items": items, "failures": broken}
