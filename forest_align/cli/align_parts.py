"""``align --engine ray``: plans the parts of the output, and makes one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.cli.align_options import PART_SIZE, AlignOptions
from forest_align.cli.aligner_choice import WORDS
from forest_align.cli.arguments import refuse_with, view
from forest_align.cli.input_pairs import PairInput, read_items
from forest_align.cli.writers import aligned_lines, alignment_writer, check_table_options
from forest_align.data.stretches import InputPlan, Stretch, plan_stretches, read_stretch
from forest_align.jobs.parquet_output import write_parquet
from forest_align.jobs.part_folder import PartFolder
from forest_align.jobs.ray_parts import PartWork, run_parts
from forest_align.jobs.run_record import RunRecord, block_lines
from forest_align.storage.outputs import open_output
from forest_align.system.remote_files import expand
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.jobs import RayOptions

#: Formats of the parts.
_PART_FORMATS = ("jsonl", "parquet", "pharaoh")
_MOST_PARTS = 99_999  # their names have five digits


def _check_options(options: AlignOptions) -> None:
    """Refuse options that do not go with ``--engine``."""
    if options.pairs is None:
        raise InputError("--engine needs files of pairs")
    if options.output is None:
        raise InputError("--engine needs -o FOLDER, for the parts")
    refuse_with("--engine", options)
    if options.to not in _PART_FORMATS:
        raise InputError(
            f"--to {options.to} cannot be combined with --engine; expected {', '.join(_PART_FORMATS)}"
        )
    if options.to == "parquet":
        check_table_options(options)
    if options.device not in ("cpu", "cuda"):
        raise InputError(
            f"--device {options.device} cannot be combined with --engine; expected cuda, a GPU per actor"
        )
    if options.chunks and options.device != "cpu":
        refuse_with("--chunks", options)
    if options.cluster.gpus_per_actor is not None and options.device == "cpu":
        raise InputError("--gpus-per-actor needs --device cuda")


def plan_parts(options: AlignOptions) -> InputPlan:
    """Plan the line range of each part of the inputs.

    Raises InputError if an option does not go with ``--engine``, a file does not exist, or a format does not
    have one pair per line.
    """
    _check_options(options)
    if options.words is not None and options.words not in WORDS:
        raise InputError(
            "a file of --words cannot be combined with --engine; give the links as 'words' of JSON lines"
        )
    given = [path for path in (options.pairs, options.target, *options.more) if path is not None]
    if "-" in given:
        raise InputError("--engine reads files, not standard input")
    files = [file for path in given for file in expand(path)]
    found = plan_stretches(files, _part_size(options), options.source_format, options.columns)
    if len(found.stretches) > _MOST_PARTS:
        parts = len(found.stretches)
        raise InputError(f"expected at most {_MOST_PARTS} parts, found {parts}: raise --part-size")
    return found


def _part_size(options: AlignOptions) -> int:
    """Pairs of a part: a whole number of batches, on which the last digits of results depend."""
    block = block_lines(options.batch_size)
    return -(-(options.part_size or PART_SIZE) // block) * block


def make_aligned_parts(
    options: AlignOptions,
    engine: RayOptions,
    plan: InputPlan,
    aligner: Aligner,
    made_with: Mapping[str, str],
) -> int:
    """Make the parts that are not finished on a cluster; return the number of pairs that failed.

    Raises InputError if the folder has parts that were made with other settings, or from another input.
    """
    settings = {
        **made_with,
        "the model": aligner.made_by.get("digest", ""),
        "--device": "" if options.device == "cpu" else "a GPU",
        "--from": options.source_format or "",
        "--part-size": str(_part_size(options)),
        "the input": f"{plan.items} pairs ({plan.digest})",
    }
    suffix = ".parquet" if options.to == "parquet" else f".{options.to}.gz"
    folder = PartFolder(Path(str(options.output)), "align", len(plan.stretches), suffix, 0, settings)
    folder.begin()
    parts = _AlignedParts(folder, plan.stretches, aligner, options)
    read: dict[str, int | str] = {"items": plan.items, "digest": plan.digest}
    return run_parts(PartWork(folder, parts.write, read), "pairs", engine)


@dataclass(frozen=True, slots=True)
class _AlignedParts:
    """Aligns stretches into parts of the folder; the aligner is pickled by what it was loaded from."""

    folder: PartFolder
    stretches: tuple[Stretch, ...]
    aligner: Aligner
    options: AlignOptions

    def write(self, number: int) -> dict[str, int]:
        """Align the pairs of a part; return how many there are, and how many failed."""
        options, part = self.options, self.folder.part(number)
        if options.device != "cpu":
            from forest_align.parsing.networks.devices import find_device

            self.aligner.device = find_device(options.device).place
        if options.to != "parquet":
            return self._write_lines(number, part, str(options.to))
        # As a run without engine does, make the table of JSON lines.
        lines = self.folder.scratch(number, ".jsonl.gz")
        counts = self._write_lines(number, lines, "jsonl")
        write_parquet(lines, part, self.aligner.made_by, self.folder.made_with)
        lines.unlink()
        return counts

    def _write_lines(self, number: int, path: Path, to: str) -> dict[str, int]:
        options = self.options
        pairs = read_stretch(
            self.stretches[number - 1],
            tokenized=options.tokenized,
            escapes=options.escapes is not None,
            columns=options.columns,
        )
        items = read_items(view(PairInput, options), lambda problem: None, pairs=pairs)
        line = alignment_writer(to, to_terminal=False).line
        record = RunRecord(None, {}, block_lines(options.batch_size))
        with open_output(str(path), may_pack=True, replace=True) as out:
            for item, text, failure in aligned_lines(items, self.aligner, options, line):
                record.write(out, text, item.texts, failure)
        return {"items": record.lines, "failures": record.failures}
