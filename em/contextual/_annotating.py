"""Tags and word vectors of training sentences, from a cache or the parser."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from forest_align.system.replacing import write_atomically


class Annotated(NamedTuple):
    """A sentence of n words with its tags and its word vectors, float32 (n, D)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    vectors: np.ndarray


def annotate(sentences: Sequence[tuple[str, ...]], parser: str, cache: Path) -> Iterator[Annotated]:
    """Yield each sentence with its tags and word vectors, from the cache or the parser."""
    if not cache.exists():
        save_whole(cache, **run_parser(sentences, parser))
    stored = np.load(cache)
    vectors, tags = stored["vectors"], stored["tags"]
    offsets = np.cumsum([0, *(len(words) for words in sentences)])
    if len(vectors) != offsets[-1]:
        raise SystemExit(f"{cache} is of other sentences, {len(vectors)} words in all: delete it")
    for words, start, end in zip(sentences, offsets[:-1], offsets[1:], strict=True):
        rows = vectors[start:end].astype(np.float32)
        yield Annotated(words, tuple(map(str, tags[start:end])), rows)


def save_whole(path: Path, **arrays: np.ndarray) -> None:
    """Write an npz file atomically: a killed run leaves no incomplete file."""
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    write_atomically(path, content.getvalue())


def run_parser(sentences: Sequence[tuple[str, ...]], parser: str) -> dict[str, np.ndarray]:
    """The parser's tags of all words, and their word vectors."""
    from forest_align.parsing.networks.vector_network import WordVectors
    from forest_align.parsing.parser_loading import load_span_parser

    scorer = load_span_parser(parser)
    make = None if scorer.word_vectors else WordVectors()  # these vectors come with the scores
    order = sorted(range(len(sentences)), key=lambda k: len(sentences[k]))
    found = {}
    for start in range(0, len(order), 32):
        batch = order[start : start + 32]
        words = [sentences[k] for k in batch]
        made = make(words) if make else [None] * len(words)
        for k, scores, vectors in zip(batch, scorer.score(words), made, strict=True):
            if isinstance(scores, Exception):
                raise SystemExit(f"cannot parse {' '.join(sentences[k])!r}: {scores}")
            rows = scores.vectors if vectors is None else vectors
            assert rows is not None  # a parser whose scores have none has no word_vectors
            found[k] = (scores.tags, rows.astype(np.float16))
        print(f"{start}/{len(order)}", end="\r", file=sys.stderr)
    every = range(len(sentences))
    return {
        "tags": np.array([tag for k in every for tag in found[k][0]]),
        "vectors": np.concatenate([found[k][1] for k in every]),
    }
