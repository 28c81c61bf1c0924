"""Contextual word vectors: the lower layers of the encoder, which the parser reads as well.

On a processor, layers are compiled loops, with 8-bit integers in matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.cext import encoder
from forest_align.parsing.networks.devices import Device, find_device
from forest_align.parsing.networks.encoder_batches import (
    EncodedSentence,
    RowBatch,
    WordEncoder,
    distance_buckets,
    join_rows,
    length_batches,
    mean_vectors,
    places_within,
    running_sums,
)
from forest_align.parsing.networks.model_files import (
    ENCODER_SIZES,
    ENCODER_WEIGHTS,
    VectorSizes,
    check_bounded,
    positive_number,
    read_config,
)
from forest_align.parsing.networks.stored_tables import FourBitTable, Table, map_arrays, whole
from forest_align.types import ModelError

#: Folder of the bundled encoder, tagger and parser.
BUNDLED = Path(__file__).parent.parent / "models" / "en"
FORMAT = 1
_TABLE, _SCALES = ".int4", ".scale"


class WordVectors:
    """Computes contextual vectors for the words of sentences."""

    def __init__(self, folder: Path = BUNDLED, device: Device | None = None) -> None:
        self._device = device or find_device()
        config, place = read_config(folder, ENCODER_SIZES), folder / ENCODER_SIZES
        if config.get("format") != FORMAT:
            raise ModelError(f"{place}: format {config.get('format')!r}, this version reads {FORMAT}")
        layers, heads, distance = (
            positive_number(place, config, name, int) for name in ("layers", "heads", "distance")
        )
        sizes = VectorSizes(layers, heads, distance, positive_number(place, config, "epsilon", float))
        path = folder / ENCODER_WEIGHTS
        stored = map_arrays(path)
        check_bounded(path, stored)
        if sizes.layers > len(stored):
            raise ModelError(f"{path}: does not fit {ENCODER_SIZES} ({sizes.layers} 'layers')")
        try:
            self.network = _network(_with_tables(stored), sizes, self._device)
            self.encode = WordEncoder(folder, self.network.words)
            # Weights of other shapes than the sizes ask for fail at the first sentence at the latest.
            (of_two_words,) = self([("a", "b")])
        except (KeyError, IndexError, TypeError, ValueError, ArithmeticError, RuntimeError) as error:
            raise ModelError(f"{path}: does not fit {ENCODER_SIZES} ({error})") from None
        if of_two_words.shape != (2, self.network.width) or not np.isfinite(of_two_words).all():
            raise ModelError(f"{path}: does not fit {ENCODER_SIZES} (found vectors that are not finite)")

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Vectors of the words of each sentence. Shapes: returns float32 (n, D).

        If a sentence has more subwords than the encoder has positions, it is read in parts.
        """
        parts: list[EncodedSentence] = []
        counts = []
        for words in sentences:
            of_sentence = self._parts(words)
            parts += of_sentence
            counts.append(len(of_sentence))
        vectors: list[np.ndarray] = [np.zeros(0)] * len(parts)
        for items in length_batches([len(part.subwords) for part in parts], self._device.batch_subwords):
            batch = [parts[item] for item in items]
            rows = self.network(batch)
            starts = running_sums([len(part.word_ends) for part in batch])
            for item, start, end in zip(items, starts[:-1], starts[1:], strict=True):
                vectors[item] = rows[start:end].copy()
        following = iter(vectors)
        none = np.zeros((0, self.network.width), dtype=np.float32)
        return [np.concatenate([none, *(next(following) for _ in range(count))]) for count in counts]

    def _parts(self, words: Sequence[str]) -> list[EncodedSentence]:
        if not words:
            return []
        whole, most = self.encode(words), self.network.longest
        if len(whole.subwords) <= most:
            return [whole]
        if len(words) == 1:  # the beginning of a very long word
            return [EncodedSentence(whole.subwords[:most], np.array([most - 2]), whole.cases)]
        middle = len(words) // 2
        return [*self._parts(words[:middle]), *self._parts(words[middle:])]


class VectorNetwork:
    """Lower layers of MPNet (Song et al. 2020): layers of BERT, with an attention bias by distance.

    Raises KeyError if a weight is missing.
    """

    def __init__(self, stored: Mapping[str, np.ndarray | Table], sizes: VectorSizes) -> None:
        weights = LayerWeights(stored)
        words = stored["words"]
        self._words = words if isinstance(words, FourBitTable) else weights["words"].__getitem__
        self._positions, self._norm = weights["positions"], weights.norm("norm", sizes.epsilon)
        self._layers = [
            IntegerEncoderLayer(weights.below(f"layer.{number}."), sizes.heads, sizes.epsilon)
            for number in range(sizes.layers)
        ]
        self.longest, self.width = self._positions.shape
        self.words: int = words.shape[0]
        bias = weights["relative_attention_bias"]
        # Of the most distant row before a query, of the next one, and so on.
        ahead = distance_buckets(self.longest, len(bias), sizes.distance)
        self._bias = np.ascontiguousarray(bias[np.concatenate([ahead[:0:-1, 0], ahead[0]])].T)

    def __call__(self, sentences: Sequence[EncodedSentence]) -> np.ndarray:
        """Vectors of all words of the sentences, float32 (n, D)."""
        batch = join_rows(sentences)
        return mean_vectors(self.states(batch), batch)

    def states(self, batch: RowBatch) -> np.ndarray:
        """States of all subwords after the last layer, float32 (R, D)."""
        hidden = self._norm(self._words(batch.subwords) + self._positions[places_within(batch.starts)])
        for layer in self._layers:
            hidden = layer(hidden, batch.starts, self._bias)
        return hidden


def _with_tables(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray | Table]:
    """Arrays by name; 4-bit integers and their scales as tables."""
    weights: dict[str, np.ndarray | Table] = {}
    for name, value in stored.items():
        if name.endswith(_TABLE):
            weights[name.removesuffix(_TABLE)] = FourBitTable(value, stored[name + _SCALES])
        elif not name.endswith(_TABLE + _SCALES):
            weights[name] = value
    return weights


def _network(stored: Mapping[str, np.ndarray | Table], sizes: VectorSizes, device: Device) -> Any:
    if device.is_integer:
        return VectorNetwork(stored, sizes)
    import torch

    from forest_align.parsing.networks.torch_layers import TorchVectorNetwork

    return TorchVectorNetwork(stored, sizes, getattr(torch, device.dtype), torch.device(device.place))


# Weights of a layer by name, as a model file has them.
_Stored = Mapping[str, np.ndarray | Table]
# Turns rows, float32 (n, K), into others.
_RowFunction = Callable[[np.ndarray], np.ndarray]


class LayerWeights:
    """Weights whose names begin with a prefix; each is converted to float32 when it is asked for."""

    def __init__(self, stored: _Stored, prefix: str = "") -> None:
        self._stored, self._prefix = stored, prefix

    def __getitem__(self, name: str) -> np.ndarray:
        return whole(self._stored[self._prefix + name])

    def below(self, prefix: str) -> LayerWeights:
        """The weights whose names go on with a prefix."""
        return LayerWeights(self._stored, self._prefix + prefix)

    def linear(self, *names: str) -> IntegerLinear:
        """One linear layer with the weights and biases of several, one after the other."""
        return IntegerLinear(
            np.concatenate([self[f"{name}.weight"] for name in names]),
            np.concatenate([self[f"{name}.bias"] for name in names]),
        )

    def norm(self, name: str, epsilon: float = 1e-5) -> _Normalisation:
        """Layer normalisation with a weight and a bias."""
        return _Normalisation(self[f"{name}.weight"], self[f"{name}.bias"], epsilon)


class IntegerLinear:
    """A linear layer that multiplies integers; each row of the weight and of the input has its own scale.

    Shapes: ``weight`` float32 (N, K); ``bias`` float32 (N,).
    """

    def __init__(self, weight: np.ndarray, bias: np.ndarray | None = None) -> None:
        self._size = len(weight)
        integers, scales = encoder.quantize(np.ascontiguousarray(weight))
        self._packed, self._offsets = encoder.pack(integers)
        self._scales, self._bias = (np.zeros(len(self._offsets), dtype=np.float32) for _ in range(2))
        self._scales[: self._size] = scales
        if bias is not None:
            self._bias[: self._size] = bias

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Return ``rows @ weight.T + bias``, float32 (n, N), both quantized."""
        rows = np.ascontiguousarray(rows)
        return encoder.multiply(rows, self._packed, self._offsets, self._scales, self._bias, self._size)


class _Normalisation:
    """Layer normalisation of rows, or of their sums with others."""

    def __init__(self, weight: np.ndarray, bias: np.ndarray, epsilon: float) -> None:
        self._weight, self._bias, self._epsilon = weight, bias, epsilon

    def __call__(self, rows: np.ndarray, added: np.ndarray | None = None) -> np.ndarray:
        """Normalise float32 rows, shape (n, K)."""
        rows = np.ascontiguousarray(rows)
        return encoder.normalise(rows, self._weight, self._bias, self._epsilon, added)


class IntegerEncoderLayer:
    """One layer of BERT (Devlin et al. 2019): self-attention and a feed-forward network, normalised after."""

    def __init__(self, weights: LayerWeights, heads: int, epsilon: float) -> None:
        self._heads = heads
        self._joined = weights.linear(*(f"attention.self.{name}" for name in ("query", "key", "value")))
        self._attended = weights.linear("attention.output.dense")
        self._attention_norm = weights.norm("attention.output.LayerNorm", epsilon)
        self._inner, self._outer = weights.linear("intermediate.dense"), weights.linear("output.dense")
        self._norm = weights.norm("output.LayerNorm", epsilon)

    def __call__(self, hidden: np.ndarray, starts: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
        """New states of all rows, float32 (R, D); for ``starts`` and ``bias`` see ``cext.encoder.attend``."""
        attended = encoder.attend(self._joined(hidden), starts, self._heads, bias)
        hidden = self._attention_norm(self._attended(attended), hidden)
        inner = self._inner(hidden)
        encoder.gelu(inner)
        return self._norm(self._outer(inner), hidden)
