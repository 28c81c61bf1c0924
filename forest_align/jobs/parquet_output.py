"""Parquet files of alignments: made of the JSON lines of a run, and compared with the pairs of a later one.

The end of a Parquet file says where its parts are, so a file that was cut off cannot be read or continued.
Therefore a run writes gzipped JSON lines, which can be resumed. The Parquet file is made of them in one go.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from forest_align.jobs.run_record import Failure, Outcome
from forest_align.storage.outputs import check_made_with
from forest_align.system.replacing import replacing
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json_object

#: Rows of a row group, all of which are in memory at once.
ROW_GROUP = 2048


def write_parquet(
    lines: Path, output: Path, made_by: Mapping[str, str], made_with: Mapping[str, str]
) -> None:
    """Write a Parquet file of gzipped JSON lines, row group by row group; replace an older one at the end.

    The metadata are the origin of the aligner, ``made_by``, and the settings of the run, ``made_with``.
    """
    import pyarrow.parquet as pq

    from forest_align.alignment.arrow_columns import FILE_COLUMNS, arrow_table, file_row, metadata_of

    schema = FILE_COLUMNS.with_metadata(metadata_of(made_by, made_with=dict(made_with)))
    with (
        replacing(output) as file,
        gzip.open(lines, "rt", encoding="utf-8") as text,
        pq.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        while group := [file_row(parse_json_object(line)) for line in islice(text, ROW_GROUP)]:
            writer.write_table(arrow_table(group, schema), ROW_GROUP)


def check_finished(output: Path, made_with: Mapping[str, str], pairs: Iterator[Sequence[str]]) -> Outcome:
    """Check that a file was made from these pairs, with these settings; return what it has.

    Raises InputError that names the setting or pair (name and texts) that differs.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with output.open("rb") as file:
            table = pq.ParquetFile(file)
            check_made_with(_settings(table.schema_arrow.metadata), made_with, str(output))
            columns = ["id", "source", "target", "error"]
            batches = table.iter_batches(ROW_GROUP, columns=columns)
            rows = (row for batch in batches for row in batch.to_pylist())
            return _compare(rows, pairs, str(output))
    except pa.ArrowException as error:
        raise InputError(
            f"cannot resume: it is not a whole Parquet file: {error}", file=str(output)
        ) from None


def _settings(metadata: Mapping[bytes, bytes] | None) -> Fields:
    from forest_align.alignment.arrow_columns import METADATA

    return Fields(json.loads((metadata or {}).get(METADATA, b"{}"))).fields("made_with", {})


def _compare(rows: Iterable[Mapping[str, Any]], pairs: Iterator[Sequence[str]], file: str) -> Outcome:
    failed: list[Failure] = []
    number = 0
    for number, row in enumerate(rows, 1):
        expected = next(pairs, None)
        written = row["id"], row["source"], row["target"]
        if expected is None or not all(map(_same, expected, written)):
            message = "cannot resume: it was made from other pairs; start over without --resume"
            raise InputError(message, file=file, line=number)
        if row["error"]:
            failed.append(Failure(number, row["id"], row["error"]))
    if next(pairs, None) is not None:
        message = f"cannot resume: it is finished with {number} pairs, and there are more"
        raise InputError(f"{message}; start over without --resume", file=file)
    return Outcome(number, len(failed), failed[0] if failed else None)


def _same(ours: str, theirs: str) -> bool:
    """Whether a text is what was written; blanks may differ, and broken characters are escaped there."""
    return ours.encode("utf-8", "backslashreplace").split() == theirs.encode().split()
