"""Scores sentences with the bundled type of parser: batches, calibration."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from forest_align.cext.checked_arrays import LARGEST_SCORE
from forest_align.parsing.forests.decoding import SpanScores
from forest_align.parsing.networks._integer_parser import IntegerParser
from forest_align.parsing.networks.devices import Device, find_device
from forest_align.parsing.networks.encoder_batches import length_batches
from forest_align.parsing.networks.model_files import (
    WEIGHTS,
    ParserConfig,
    check_weights,
    network_sizes,
    parser_config,
    read_config,
    read_tables,
)
from forest_align.parsing.networks.vector_network import WordVectors
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from forest_align.parsing.networks.encoder_batches import EncodedSentence, WordEncoder

Result = TypeVar("Result")
_upper_triangle = lru_cache(maxsize=256)(np.triu_indices)


class Network(Protocol):
    """A network that scores a batch: the fast one, or the one being trained."""

    @property
    def longest(self) -> int:
        """Maximum number of subwords, and of words with start and stop symbols, of a sentence."""

    def __call__(self, sentences: Sequence[EncodedSentence]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Score every span and tag of some sentences, and make word vectors.

        Shapes: returns float32 (N, L - 1); returns float32 (n, T); returns float32 (n, D).
        """

    def tags(self, sentences: Sequence[EncodedSentence]) -> np.ndarray:
        """Score every tag of some sentences, float32, shape (n, T)."""


class EncoderScorer:
    """Scores sentences with a span parser's network."""

    def __init__(
        self,
        network: Network,
        encode: WordEncoder,
        config: ParserConfig,
        weights: str = "the network",
        device: Device | None = None,
        word_vectors: WordVectors | None = None,
    ) -> None:
        self.labels, self.word_vectors = config.labels, word_vectors
        self.force_root = bool(config.hparams.get("force_root_constituent", True))
        self._network, self._encode, self._tag_names = network, encode, config.tags
        self._temperature, self._weights = config.temperature, weights
        self._device = device or find_device()

    @classmethod
    def read(cls, folder: Path, device: Device | None = None) -> EncoderScorer:
        """Read a folder written by :func:`forest_align.parsing.networks.model_files.write_model`."""
        config = parser_config(folder, read_config(folder))
        device = device or find_device()
        vectors = WordVectors(folder, device)
        sizes = network_sizes(folder, config, vectors.network.width)
        weights = read_tables(folder)
        check_weights(folder, weights, sizes)
        network: Network
        if device.is_integer:
            network = IntegerParser(vectors.network, weights, sizes)
        else:
            import torch

            from forest_align.parsing.networks.span_network import OnDevice, SpanNetwork

            upper = SpanNetwork(weights, sizes, getattr(torch, device.dtype), vectors.network.place)
            network = OnDevice(vectors.network, upper)
        return cls(network, vectors.encode, config, str(folder / WEIGHTS), device, vectors)

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        """Score tokenized sentences; see :class:`SpanScorer`. ``space_after`` makes no difference."""
        return self._in_batches(batch, self._score)

    def tag(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[tuple[str, ...] | InputError]:
        """Tag tokenized sentences; see :class:`SpanScorer`. ``space_after`` makes no difference."""
        return self._in_batches(
            batch, lambda encoded: list(self._names(encoded, self._network.tags(encoded)))
        )

    def _in_batches(
        self, batch: Sequence[Sequence[str]], read: Callable[[list[EncodedSentence]], list[Result]]
    ) -> list[Result | InputError]:
        """Read a result for each sentence, in the encoder's batches; an error for unusable sentences."""
        results: list[Result | InputError | None] = [None] * len(batch)
        usable, encoded = [], []
        most = self._network.longest
        for place, words in enumerate(batch):
            sentence = self._encode(words)
            subwords = len(sentence.subwords)
            if not words:
                results[place] = InputError("a sentence without words cannot be parsed")
            elif subwords > most:  # a word has at least one
                results[place] = InputError(
                    f"sentence of {len(words)} words ({subwords - 2} subwords) is longer than the parser can "
                    f"read ({most - 2} subwords)"
                )
            else:
                usable.append(place)
                encoded.append(sentence)
        sizes = [len(sentence.subwords) for sentence in encoded]
        for items in length_batches(sizes, self._device.batch_subwords):
            for item, result in zip(items, read([encoded[item] for item in items]), strict=True):
                results[usable[item]] = result
        return results  # type: ignore[return-value]

    def _score(self, sentences: list[EncodedSentence]) -> list[SpanScores]:
        raw, tags, vectors = self._network(sentences)
        spans = raw / np.float32(self._temperature)
        if not (spans.max(initial=-np.inf) <= LARGEST_SCORE and spans.min(initial=np.inf) >= -LARGEST_SCORE):
            raise ModelError(f"{self._weights}: expected scores within ±{LARGEST_SCORE:.0f}, found others")
        scored, start, first_word = [], 0, 0
        for names in self._names(sentences, tags):
            size = len(names)
            first, last = _upper_triangle(size)
            scores = np.zeros((size, size, len(self.labels)), dtype=np.float32)
            scores[first, last, 1:] = spans[start : start + len(first)]
            start += len(first)
            of_words = vectors[first_word : first_word + size].copy()
            first_word += size
            scored.append(SpanScores(scores, self.labels, names, self.force_root, of_words))
        return scored

    def _names(self, sentences: list[EncodedSentence], tags: np.ndarray) -> Iterator[tuple[str, ...]]:
        """The best tag of each word of each sentence."""
        # Tag 0 is for tags that did not occur in training.
        best = iter((tags[:, 1:].argmax(1) + 1).tolist())
        for sentence in sentences:
            yield tuple(self._tag_names[next(best)] for _ in sentence.word_ends)
