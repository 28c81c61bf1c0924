"""Runs the chunk aligner over a benchmark whose pairs have given chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from forest_align.aligners.chunks.chunk_aligner import ChunkAligner
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.pair import Pair
from forest_align.alignment import Alignment
from forest_align.eval.benchmarks.parse_once import ParseOnce
from forest_align.eval.benchmarks.runner import AlignMany
from forest_align.eval.benchmarks.task import Task
from forest_align.types import Sentence


def given_chunks(task: Task, parser: ParseOnce | None = None) -> tuple[AlignMany, Mapping[str, object]]:
    """The function that aligns the chunks of a task's last pairs, and the aligner's settings."""
    options: dict[str, Any] = {} if parser is None else {"parser": parser}
    aligner = ChunkAligner.load(words=ContextualAligner(**options))

    def align_many(pairs: Iterable[tuple[Sentence, Sentence]]) -> Iterable[Alignment]:
        waiting = list(pairs)
        chunks = task.chunks[len(task.chunks) - len(waiting) :]
        return aligner.align_many(Pair(*pair, chunks=one) for pair, one in zip(waiting, chunks, strict=True))

    return align_many, aligner.settings
