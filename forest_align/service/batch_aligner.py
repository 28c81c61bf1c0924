"""Aligns batches of pairs, each with its own result: an alignment, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from forest_align.alignment import Alignment
from forest_align.service.limits import PairRequest, PairResult
from forest_align.types import ForestAlignError, ModelError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners import Aligner

#: Loads an aligner by its name.
Loader = Callable[[str], "Aligner"]


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Pairs for one aligner that are aligned together."""

    aligner: str
    alignments: int  # how many of the best ones per pair
    pairs: tuple[PairRequest, ...]


@runtime_checkable
class _FindsSeveral(Protocol):
    """An aligner that can find several alignments of a pair."""

    alignments: int


class BatchAligner:
    """Aligns batches; each aligner is loaded at its first use."""

    def __init__(self, load: Loader) -> None:
        self._load = load
        self._loaded: dict[str, Aligner] = {}

    def align(self, batch: PairBatch) -> list[PairResult]:
        """The results of a batch, in its order.

        Status 422: the pair cannot be aligned; 500: a fault of the program, the others are aligned; 503 for
        all: the aligner cannot be loaded now.
        """
        try:
            if batch.aligner not in self._loaded:
                self._loaded[batch.aligner] = self._load(batch.aligner)
            return _results(self._loaded[batch.aligner], batch)
        except (ModelError, OSError, ImportError) as error:
            message = f"the aligner {batch.aligner} cannot be loaded: {error}"
            return [failed_result(pair, HTTPStatus.SERVICE_UNAVAILABLE, message) for pair in batch.pairs]


def failed_result(pair: PairRequest, status: int, error: str) -> PairResult:
    """The result of a pair that could not be aligned."""
    source, target = (Sentence((), text=text) for text in (pair.source, pair.target))
    alignment = Alignment(source, target, id=pair.id, aligner=pair.aligner, error=error)
    return PairResult(int(status), alignment.to_json(), error)


def _results(aligner: Aligner, batch: PairBatch) -> list[PairResult]:
    if isinstance(aligner, _FindsSeveral):
        aligner.alignments = batch.alignments
    texts = [(pair.source, pair.target) for pair in batch.pairs]
    try:
        found = list(aligner.align_many(texts, len(texts)))
    except (ModelError, OSError, ImportError):  # models are loaded with the first pair
        raise
    except Exception as error:
        if len(batch.pairs) > 1:
            alone = (replace(batch, pairs=(pair,)) for pair in batch.pairs)
            return [result for one in alone for result in _results(aligner, one)]
        if isinstance(error, ForestAlignError):
            return [failed_result(batch.pairs[0], HTTPStatus.UNPROCESSABLE_ENTITY, str(error))]
        message = f"unexpected error: {type(error).__name__}: {error}"
        return [failed_result(batch.pairs[0], HTTPStatus.INTERNAL_SERVER_ERROR, message)]
    return [
        PairResult(
            int(HTTPStatus.UNPROCESSABLE_ENTITY if alignment.error else HTTPStatus.OK),
            replace(alignment, id=pair.id).to_json(),
            alignment.error,
        )
        for pair, alignment in zip(batch.pairs, found, strict=True)
    ]
