"""The ``differences`` command: sentence pairs in, how much each of their words says something else out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from forest_align.alignment import Alignment
from forest_align.alignment.html import BODY_END
from forest_align.cli.derived_output import DerivedOptions, json_entry, to_option, write_derived
from forest_align.differences import (
    TextDifferences,
    differences_of,
    differences_to_html,
    differences_to_text,
)
from forest_align.differences.text_differences import DIFFERENCES_PAGE_START
from forest_align.jobs.shards import EntryWriter

EPILOG = (
    "examples:\n"
    "  forest-align differences 'He died in Rome.' 'He died in 1990.'\n"
    "  forest-align differences pairs.tsv --to html -o differences.html\n\n"
    "formats (--to): jsonl; html has coloured words; text lists the spans that differ\n\n"
    "A pair that cannot be aligned has no differences; jsonl has its error.\n"
    "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
)


def run(options: _DifferencesOptions) -> int:
    """Compute and write; return the exit status."""
    return write_derived(options, "differences", _WRITERS, {})


def _found(view: Callable[[Alignment, TextDifferences], str]) -> Callable[[Alignment], str]:
    nothing = TextDifferences((), (), ())
    return lambda aligned: view(aligned, nothing if aligned.error else differences_of(aligned))


_WRITERS = {
    "jsonl": EntryWriter(
        _found(lambda aligned, found: json_entry(aligned, found.to_dict())), one_line_each=True
    ),
    "html": EntryWriter(_found(differences_to_html), DIFFERENCES_PAGE_START, BODY_END),
    "text": EntryWriter(_found(lambda aligned, found: differences_to_text(aligned, found) + "\n")),
}


@dataclass(frozen=True, slots=True)
class _DifferencesOptions(DerivedOptions):
    """Options of the command."""

    to: str | None = to_option(_WRITERS)


OPTIONS = _DifferencesOptions
