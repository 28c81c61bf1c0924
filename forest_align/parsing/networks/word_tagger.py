"""Tags words from their word vectors, so that the parser is not needed if no trees are requested."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save_file

from forest_align.parsing.networks.encoder_batches import CASE_COUNT, case_numbers
from forest_align.parsing.networks.model_files import (
    check_bounded,
    check_names,
    read_config,
)
from forest_align.parsing.networks.stored_tables import map_arrays
from forest_align.parsing.networks.vector_network import BUNDLED
from forest_align.types import InputError, ModelError
from forest_align.types.json_fields import Fields

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMAT = 1
#: Maximum number of words of a sentence; the bundled parser's limit is similar.
LONGEST = 510
_CARD, _WEIGHTS = "tagger.json", "tagger.safetensors"


class WordTagger:
    """A perceptron with one hidden layer, which predicts a word's tag from its vector and letter case.

    Shapes: ``vector`` (D, H); ``case`` (C, H); ``output`` (H, T); ``bias`` (T,). Rows of ``case`` are the
    classes of :func:`~forest_align.parsing.networks.encoder_batches.case_class`, then these for first words.
    """

    def __init__(
        self, tags: Sequence[str], arrays: dict[str, np.ndarray], weights: str = "the tagger"
    ) -> None:
        self.tags, self._weights = tuple(tags), weights
        self._vector, self._case, self._output, self._bias = (
            np.ascontiguousarray(arrays[name], dtype=np.float32)
            for name in ("vector", "case", "output", "bias")
        )

    @classmethod
    def read(cls, folder: Path = BUNDLED) -> WordTagger:
        """Read ``tagger.json`` and ``tagger.safetensors``, which ``em/parser/tagger.py`` writes."""
        card, weights = read_config(folder, _CARD), folder / _WEIGHTS
        if card.get("format") != FORMAT:
            message = f"format {card.get('format')!r}, this version reads {FORMAT}"
            raise ModelError(f"{folder / _CARD}: {message}")
        arrays = map_arrays(weights)
        check_bounded(weights, arrays)
        shapes = {name: array.shape for name, array in arrays.items()}
        try:
            names = check_names(Fields(card), "tags")
        except InputError as error:
            raise ModelError(f"{folder / _CARD}: {error}") from None
        try:
            tags, hidden = len(names), shapes["output"][0]
            expected = {
                "vector": (shapes["vector"][0], hidden),
                "case": (CASE_COUNT, hidden),
                "output": (hidden, tags),
                "bias": (tags,),
            }
        except (KeyError, TypeError, IndexError) as error:
            raise ModelError(f"{weights}: does not fit {_CARD} ({error})") from None
        if shapes != expected:
            raise ModelError(f"{weights}: does not fit {_CARD} (expected {expected}, found {shapes})")
        return cls(names, arrays, str(weights))

    def save(self, folder: Path) -> None:
        """Write the files that :meth:`read` reads."""
        arrays = {"vector": self._vector, "case": self._case, "output": self._output, "bias": self._bias}
        card, weights = {"format": FORMAT, "tags": self.tags}, folder / _WEIGHTS
        (folder / _CARD).write_text(json.dumps(card) + "\n", encoding="utf-8")
        save_file({name: array.astype(np.float16) for name, array in arrays.items()}, weights)
        weights.chmod(0o644)

    def check(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[InputError | None]:
        """An error for each sentence that cannot be tagged; ``space_after`` makes no difference."""
        errors: list[InputError | None] = [None] * len(batch)
        for place, words in enumerate(batch):
            if not words:
                errors[place] = InputError("a sentence without words cannot be tagged")
            elif len(words) > LONGEST:
                message = f"sentence of {len(words)} words is longer than can be tagged ({LONGEST})"
                errors[place] = InputError(message)
        return errors

    def __call__(self, words: Sequence[str], vectors: np.ndarray) -> tuple[str, ...]:
        """Tag the words of a sentence. Shapes: ``vectors`` float32 (n, D)."""
        if vectors.shape[1] != len(self._vector):
            expected = f"expected word vectors of {len(self._vector)} numbers"
            raise ModelError(f"{self._weights}: {expected}, found {vectors.shape[1]}")
        hidden = vectors @ self._vector + self._case[case_numbers(words)]
        np.maximum(hidden, 0, out=hidden)
        return tuple(self.tags[tag] for tag in (hidden @ self._output + self._bias).argmax(1).tolist())
