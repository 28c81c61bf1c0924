"""The ``edits`` command: sentence pairs in, the edits between their texts out, in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forest_align.alignment import Alignment
from forest_align.alignment.html import BODY_END
from forest_align.cli.arguments import option
from forest_align.cli.derived_output import DerivedOptions, json_entry, to_option, write_derived
from forest_align.edits import (
    Edit,
    edits_of,
    edits_to_easse,
    edits_to_m2,
    edits_to_markup,
    edits_to_text,
    edits_to_thresh,
)
from forest_align.edits.edit_views import EDITS_PAGE_START, edits_to_html
from forest_align.jobs.shards import EntryWriter

EPILOG = (
    "examples:\n"
    "  forest-align edits 'He died.' 'He passed away.'\n"
    "  forest-align edits pairs.tsv -o edits.jsonl\n"
    "  forest-align edits alignments.jsonl --to m2 -o edits.m2\n\n"
    "formats (--to): jsonl; m2 is ERRANT's; easse has EASSE's operations; thresh is a file of\n"
    "thresh.tools (SALSA); markup is CriticMarkup; html has tracked changes; text\n\n"
    "A pair that cannot be aligned has no edits; jsonl has its error.\n"
    "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
)


def run(options: _EditsOptions) -> int:
    """Extract and write; return the exit status."""
    settings = {"--minimal": "given" if options.minimal else ""}
    return write_derived(options, "edits", _writers(minimal=options.minimal), settings)


def _writers(*, minimal: bool) -> dict[str, EntryWriter]:
    def found(view: Callable[[Alignment, Sequence[Edit]], str]) -> Callable[[Alignment], str]:
        return lambda aligned: view(aligned, () if aligned.error else edits_of(aligned, minimal=minimal))

    return {
        "jsonl": EntryWriter(
            found(lambda aligned, edits: json_entry(aligned, {"edits": [edit.to_dict() for edit in edits]})),
            one_line_each=True,
        ),
        "m2": EntryWriter(found(edits_to_m2)),
        "easse": EntryWriter(found(lambda aligned, edits: _json(edits_to_easse(aligned, edits)) + "\n")),
        "thresh": EntryWriter(
            found(lambda aligned, edits: _json(edits_to_thresh(aligned, edits))),
            "[\n",
            "\n]\n",
            separator=",\n",
        ),
        "markup": EntryWriter(found(lambda aligned, edits: edits_to_markup(aligned, edits) + "\n")),
        "html": EntryWriter(found(edits_to_html), EDITS_PAGE_START, BODY_END),
        "text": EntryWriter(found(lambda aligned, edits: edits_to_text(aligned, edits) + "\n")),
    }


def _json(values: object) -> str:
    return json.dumps(values, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _EditsOptions(DerivedOptions):
    """Options of the command."""

    to: str | None = to_option(_writers(minimal=False))
    minimal: bool = option(
        "--minimal",
        action="store_true",
        help="the smallest edits, not merged into the phrases that people mark",
    )


OPTIONS = _EditsOptions
