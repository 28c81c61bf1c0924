"""A span scorer without a model: scores drawn by chance from the words, the same for the same words."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from forest_align.parsing.forests.decoding import SpanScorer, SpanScores
from forest_align.types import InputError

LABELS = ("", "NP", "VP", "S", "S::VP", "PP")
LONGEST = 700


class FakeScorer(SpanScorer):
    def __init__(self, force_root: bool = True) -> None:
        self.force_root = force_root
        self.batches: list[list[int]] = []
        self.seen: list[list[str]] = []

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        self.batches.append([len(words) for words in batch])
        self.seen.extend(list(words) for words in batch)
        return [self._one(words) for words in batch]

    def _one(self, words: Sequence[str]) -> SpanScores | InputError:
        n = len(words)
        if n > LONGEST:
            return InputError(f"sentence of {n} words is longer than the parser can read ({LONGEST})")
        rng = np.random.default_rng(zlib.crc32(" ".join(words).encode("utf-8", "surrogatepass")))
        scores = rng.normal(-3, 2, (n, n, len(LABELS))).astype(np.float32)
        scores[:, :, 0] = 0
        return SpanScores(scores, LABELS, ("NN",) * n, self.force_root)


def fake_vectors(sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Four numbers for each word, which tell its place only."""
    return [np.eye(len(words), 4, dtype=np.float32) for words in sentences]
