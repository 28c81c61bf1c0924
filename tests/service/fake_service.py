"""Aligners that need no model, and services made of them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from forest_align.alignment import Alignment, Links
from forest_align.service.aligning_process import BatchAligner, Loader, PairBatch
from forest_align.service.settings import PairResult
from forest_align.types import InputError, ModelError, Sentence


class FakeAligner:
    """Links equal words; some words make it fail, crash, or wait."""

    alignments = 1

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def align_many(self, pairs: Iterable[tuple[str, str]], batch_size: int) -> Iterator[Alignment]:
        pairs = list(pairs)
        self.batches.append([source for source, _ in pairs])
        for source, target in pairs:
            yield self._align(source, target)

    def _align(self, source: str, target: str) -> Alignment:
        sides = [Sentence.from_words(text.split()) for text in (source, target)]
        if "fail" in source:
            return Alignment(*sides, aligner="fake", error="cannot be parsed")
        if "refuse" in source:
            raise InputError("cannot be used")
        if "bug" in source:
            raise ZeroDivisionError("oh")
        if "die" in source:
            os.kill(os.getpid(), 9)
        if "wait" in source:
            time.sleep(float(target))
        links = [(i, j) for i, a in enumerate(sides[0].words) for j, b in enumerate(sides[1].words) if a == b]
        alignment = Alignment(*sides, Links.of(links, scores=[0.5] * len(links)), aligner="fake")
        return (
            alignment
            if self.alignments == 1
            else Alignment(
                *sides, alignment.words, aligner="fake", alternatives=(alignment,) * (self.alignments - 1)
            )
        )


def load_fake(name: str) -> Any:
    """Load the aligner; ``missing`` has no model."""
    if name == "missing":
        raise ModelError("no weights")
    return FakeAligner()


class LocalWorker:
    """Aligns in this process; a batch with the word ``hold`` waits until it is let go."""

    def __init__(self, load: Loader = load_fake) -> None:
        self._aligner = BatchAligner(load)
        self.batches: list[PairBatch] = []
        self.is_stopped = False
        self.holds, self.go = threading.Event(), threading.Event()

    def align(self, batch: PairBatch) -> list[PairResult]:
        self.batches.append(batch)
        if any("hold" in pair.source for pair in batch.pairs):
            self.holds.set()
            self.go.wait()
        return self._aligner.align(batch)

    def stop(self) -> None:
        self.is_stopped = True


def write_alignments(path: Path) -> Path:
    """A file of 25 alignments, the fifth of them broken."""
    fake = FakeAligner()
    lines = [next(fake.align_many([(f"number {k}",) * 2], 1)).to_json() for k in range(1, 26)]
    path.write_text("\n".join([*lines[:4], '{"broken', *lines[5:]]) + "\n", encoding="utf-8")
    return path


def pair(source: str, target: str | None = None, **more: Any) -> Mapping[str, Any]:
    """The JSON of a pair."""
    return {"source": source, "target": source if target is None else target, **more}
