"""Aligns given chunks of two sentences, and says how the two of each pair are related and how similar."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from forest_align._version import __version__
from forest_align.aligners.base import Aligner
from forest_align.aligners.chunks.chunk_features import chunk_features
from forest_align.aligners.chunks.chunk_model import SIMILARITIES, ChunkJudgement, ChunkModel
from forest_align.aligners.chunks.related_chunks import CHUNK_ALIGNER
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.pair import GivenChunks, Text
from forest_align.alignment import CHUNK_RELATIONS, Alignment, PhrasePair, PhraseRelation
from forest_align.storage.fingerprints import files_fingerprint, model_files
from forest_align.system.origin import Loaded
from forest_align.types import InputError, Node, Sentence

#: The label of chunks in an alignment.
CHUNK = "CHUNK"


class ChunkAligner(Loaded, Aligner):
    """Aligns given chunks by the link probabilities and word vectors of the contextual aligner.

    The phrases of its alignments are the chunk pairs, with relations and similarities. A chunk may be in
    several pairs: chunks that share one between them. Chunks without partner are the unaligned spans. The
    word links are those of the contextual aligner.

    Parameters
    ----------
    model : ChunkModel, optional
        By default the bundled one, loaded when needed.
    words : ContextualAligner, optional
        By default that of the bundled model.
    """

    name = CHUNK_ALIGNER

    def __init__(self, model: ChunkModel | None = None, *, words: ContextualAligner | None = None) -> None:
        self._model = model
        self.words = words or ContextualAligner()

    @cached_property
    def model(self) -> ChunkModel:
        """The chunk model."""
        return self._model or bundled_chunk_model()

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that decide on the pairs."""
        return {"threshold": self.model.threshold, "joining": self.model.joining}

    @classmethod
    def load(cls, name_or_path: str | Path = "chunks", **options: Any) -> ChunkAligner:
        """Load the bundled model (``"chunks"``) or what :meth:`save` wrote into a folder.

        Raises
        ------
        ModelError
            If the model does not exist.
        """
        if str(name_or_path) == "chunks":
            name, found = "chunks", cls(bundled_chunk_model(), **options)
            with _bundled_folder() as folder:
                digest = files_fingerprint(model_files(folder))
        else:
            name, found = str(Path(name_or_path).resolve()), cls(ChunkModel.load(name_or_path), **options)
            digest = files_fingerprint(model_files(Path(name_or_path)))
        contents = {"forest-align": __version__, "model": digest}
        return found.loaded_from(cls.load, {"name_or_path": name, **options}, contents)

    def save(self, path: str | Path) -> None:
        """Write the model into a folder."""
        self.model.save(path)

    def prepare(self, sentences: Sequence[Text], batch_size: int = 32) -> list[Sentence | InputError]:
        """Parse sentences without word vectors, as the contextual aligner does."""
        return self.words.prepare(sentences, batch_size)

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Refuse two sentences without chunks.

        Raises
        ------
        InputError
            Always: this aligner needs the chunks of both sentences.
        """
        raise InputError("the chunk aligner needs the chunks of both sentences, found none")

    def align_chunks(self, source: Sentence, target: Sentence, chunks: GivenChunks) -> Alignment:
        """Align the chunks of two prepared sentences; see :func:`choose_cells`.

        Raises
        ------
        InputError
            If a chunk lies outside its sentence, or a sentence has no tokens or no word vectors.
        """
        chunks.check(len(source), len(target))
        found = self.words.align_prepared(source, target)
        phrases: tuple[PhrasePair, ...] = ()
        if chunks.source and chunks.target:
            phrases = chunk_pairs(self.model, chunks, self.judge(source, target, chunks))
        ours, theirs = (
            {node.span for node in nodes}
            for nodes in (
                [pair.source_node for pair in phrases],
                [pair.target_node for pair in phrases],
            )
        )
        return Alignment(
            source,
            target,
            found.words,
            phrases,
            unaligned_source=tuple(span for span in chunks.source if span not in ours),
            unaligned_target=tuple(span for span in chunks.target if span not in theirs),
            aligner=self.name,
        )

    def judge(self, source: Sentence, target: Sentence, chunks: GivenChunks) -> ChunkJudgement:
        """What the model says about every pair of the chunks of two prepared sentences."""
        return self.model.judge(word_based_features(self.words, source, target, chunks))


def word_based_features(
    words: ContextualAligner, source: Sentence, target: Sentence, chunks: GivenChunks
) -> np.ndarray:
    """The features of every pair of chunks of two prepared sentences, float32 (A, B, F)."""
    spans = chunks.source, chunks.target
    return chunk_features(source, target, spans, *words.scored_cells(source, target), words.model.directions)


def chunk_pairs(model: ChunkModel, chunks: GivenChunks, judged: ChunkJudgement) -> tuple[PhrasePair, ...]:
    """The chunk pairs that a model's thresholds choose, in the order of their ends.

    The relation is the most probable one, the similarity the median of the model's distribution.
    """
    found = []
    for ours, theirs in choose_cells(judged.aligned, model.threshold, model.joining):
        relation = int(judged.relations[ours, theirs].argmax())
        found.append(
            PhrasePair(
                Node(*chunks.source[ours], CHUNK),
                Node(*chunks.target[theirs], CHUNK),
                float(judged.aligned[ours, theirs]),
                relation=PhraseRelation(
                    CHUNK_RELATIONS[relation], float(judged.relations[ours, theirs, relation])
                ),
                similarity=float(_median(judged.similarities[ours, theirs])),
            )
        )
    return tuple(found)


def choose_cells(probability: np.ndarray, threshold: float, joining: float) -> list[tuple[int, int]]:
    """Choose chunk pairs one to one, the most probable first; then chunks without partner join others.

    A chunk joins the chunk with which it is most probable, if that has a partner to which nothing else was
    joined. So several chunks may share one between them, but pairs make no chains.
    """
    cells = sorted(np.ndindex(probability.shape), key=lambda cell: -probability[cell])
    found: list[tuple[int, int]] = []
    for ours, theirs in cells:
        if probability[ours, theirs] >= threshold and all(ours != a and theirs != b for a, b in found):
            found.append((ours, theirs))
    partner_of_row, partner_of_column = dict(found), {b: a for a, b in found}
    joined: list[tuple[int, int]] = []
    for ours, theirs in cells:
        if probability[ours, theirs] < joining:
            break
        if (ours in partner_of_row) == (theirs in partner_of_column):
            continue
        # Neither the chunk that joins nor the partner of the other one may be in a joined pair.
        if theirs in partner_of_column:
            is_taken = any(row in (ours, partner_of_column[theirs]) for row, _ in joined)
        else:
            is_taken = any(column in (theirs, partner_of_row[ours]) for _, column in joined)
        if not is_taken:
            joined.append((ours, theirs))
    return sorted([*found, *joined])


def _median(probabilities: np.ndarray) -> int:
    return SIMILARITIES[min(int(np.searchsorted(np.cumsum(probabilities), 0.5)), len(SIMILARITIES) - 1)]


def bundled_chunk_model() -> ChunkModel:
    """The chunk model that comes with the package."""
    with _bundled_folder() as folder:
        return ChunkModel.load(folder)


def _bundled_folder() -> AbstractContextManager[Path]:
    return as_file(files("forest_align.aligners") / "chunks" / "models" / "chunks")
