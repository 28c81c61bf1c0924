"""Contextual word vectors: the lower layers of an encoder other than the parser's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from forest_align.parsing.networks._encoder_layer import EncoderLayer, Weights, normalise
from forest_align.parsing.networks._packed_rows import PackedRows
from forest_align.parsing.networks.devices import Device, find_device
from forest_align.parsing.networks.encoder_batches import (
    EncodedSentence,
    EncoderBatch,
    WordEncoder,
    collate,
    length_batches,
)
from forest_align.parsing.networks.linear_layers import PROCESSOR, arithmetic
from forest_align.parsing.networks.model_files import (
    check_bounded,
    positive_number,
    read_config,
    read_tensors,
)
from forest_align.types import ModelError

#: Folder of the bundled encoder.
VECTORS = Path(__file__).parent.parent / "vectors"
FORMAT = 1
#: Number of neighbours in a row of a matrix that share a scale.
GROUP = 64
_TABLE, _SCALES = ".int4", ".scale"


@dataclass(frozen=True, slots=True)
class VectorSizes:
    """Sizes of an encoder for word vectors that do not follow from its weights.

    Attributes
    ----------
    layers, heads : int
        Layers, and attention heads of each.
    distance : int
        All distances between subwords above this one count as equal.
    epsilon : float
        Added to variances by normalisation.
    """

    layers: int
    heads: int
    distance: int
    epsilon: float


class WordVectors:
    """Computes contextual vectors for the words of sentences.

    Parameters
    ----------
    folder : Path
        With ``config.json``, ``model.safetensors`` and an uncased BERT tokenizer. Its files cannot run code.
    dtype : torch.dtype, optional
        Arithmetic; by default that of the device.
    device : Device, optional
        By default the processor.

    Raises
    ------
    ModelError
        If a file is missing or damaged, or does not fit the others.
    """

    def __init__(
        self, folder: Path = VECTORS, dtype: torch.dtype | None = None, device: Device | None = None
    ) -> None:
        self._device = device or find_device()
        sizes = read_sizes(folder)
        path = folder / "model.safetensors"
        stored = read_tensors(path)
        check_bounded(path, stored)
        if sizes.layers > len(stored):
            raise ModelError(f"{path}: does not fit config.json ({sizes.layers} 'layers')")
        try:
            self._network = VectorNetwork(stored, sizes, dtype or self._device.dtype, self._device.place)
            self._encode = WordEncoder(folder, self._network.words)
            # Weights of other shapes than the sizes ask for fail at the first sentence at the latest.
            (found,) = self([("a", "b")])
        except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
            raise ModelError(f"{path}: does not fit config.json ({error})") from None
        if found.shape != (2, self._network.width) or not np.isfinite(found).all():
            raise ModelError(f"{path}: does not fit config.json (found vectors that are not finite)")

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Vectors of the words of each sentence.

        If a sentence has more subwords than the encoder has positions, it is read in parts.

        Returns
        -------
        list of numpy.ndarray
            float32, shape (n, D) for a sentence of n words: the mean of each word's subwords, of unit length.
        """
        parts: list[EncodedSentence] = []
        counts = []
        for words in sentences:
            found = self._parts(words)
            parts += found
            counts.append(len(found))
        vectors: list[np.ndarray] = [np.zeros(0)] * len(parts)
        for items in length_batches([len(part.subwords) for part in parts], self._device.batch_subwords):
            batch = collate([parts[item] for item in items]).to(self._device.place)
            with torch.inference_mode():
                rows = word_vectors(self._network(batch), batch).cpu().numpy()
            for row, item in enumerate(items):
                vectors[item] = rows[row, : len(parts[item].word_ends)].copy()
        following = iter(vectors)
        none = np.zeros((0, self._network.width), dtype=np.float32)
        return [np.concatenate([none, *(next(following) for _ in range(count))]) for count in counts]

    def _parts(self, words: Sequence[str]) -> list[EncodedSentence]:
        if not words:
            return []
        whole, most = self._encode(words), self._network.longest
        if len(whole.subwords) <= most:
            return [whole]
        if len(words) == 1:  # the beginning of a very long word
            return [EncodedSentence(whole.subwords[:most], np.array([most - 2]), whole.cases)]
        middle = len(words) // 2
        return [*self._parts(words[:middle]), *self._parts(words[middle:])]


class VectorNetwork:
    """Lower layers of MPNet (Song et al. 2020): layers of BERT, with an attention bias by distance.

    Parameters
    ----------
    stored : mapping of str to torch.Tensor
        In the format of ``tools/build_word_vectors.py``: tables of 4-bit integers (:class:`PackedTable`), and
        other weights unpacked.
    sizes : VectorSizes
        The sizes that do not follow from the weights.
    dtype : torch.dtype
        As for :class:`~forest_align.parsing.networks.span_network.SpanNetwork`.
    device : torch.device
        Where batches are.

    Raises
    ------
    KeyError
        If a weight is missing.
    """

    def __init__(
        self,
        stored: Mapping[str, torch.Tensor],
        sizes: VectorSizes,
        dtype: torch.dtype,
        device: torch.device = PROCESSOR,
    ) -> None:
        linear, dtype = arithmetic(dtype)
        tables = {
            name.removesuffix(_TABLE): PackedTable(value, stored[name + _SCALES], dtype)
            for name, value in stored.items()
            if name.endswith(_TABLE)
        }
        others = {
            name: value for name, value in stored.items() if not name.endswith((_TABLE, _TABLE + _SCALES))
        }
        weights = Weights({**tables, **others}, dtype, device)
        self._words = weights.table("words")
        self._positions, self._norm = weights["positions"], weights.layer("norm")
        self._epsilon, self._distance = sizes.epsilon, sizes.distance
        self._layers = [
            EncoderLayer(weights.below(f"layer.{number}."), sizes.heads, sizes.epsilon, linear)
            for number in range(sizes.layers)
        ]
        self._bias = weights["relative_attention_bias"].T.contiguous()
        self.longest, self.width = self._positions.shape
        self.words = len(tables["words"])

    def __call__(self, batch: EncoderBatch) -> torch.Tensor:
        """Hidden states of the last layer, ``[B, S, D]``."""
        packed = PackedRows(batch.subword_mask)
        places = torch.arange(batch.subwords.shape[1], device=batch.subwords.device).expand_as(batch.subwords)
        embedded = self._words(packed.pack(batch.subwords)) + self._positions[packed.pack(places)]
        hidden = normalise(embedded, self._norm, self._epsilon)
        buckets = distance_buckets(packed.padded_length, len(self._bias[0]), self._distance)
        mask = packed.biased_mask(self._bias[:, buckets.to(self._bias.device)])
        for layer in self._layers:
            hidden = layer(hidden, packed, mask)
        return packed.unpack(hidden)


class PackedTable:
    """Rows of 4-bit integers, each group of neighbours with a scale of its own.

    Parameters
    ----------
    integers : torch.Tensor
        uint8 ``[n, D / 2]``: column ``j``, plus 8, in the lower half of a byte, column ``j + D / 2`` in the
        upper half.
    scales : torch.Tensor
        float16 ``[n, D / GROUP]``.
    dtype : torch.dtype
        Type of the rows that are looked up.
    """

    def __init__(self, integers: torch.Tensor, scales: torch.Tensor, dtype: torch.dtype) -> None:
        self._integers, self._scales, self._dtype = integers, scales, dtype

    def __call__(self, numbers: torch.Tensor) -> torch.Tensor:
        """Look up rows, int64 ``[R]``: ``[R, D]``."""
        packed, scales = self._integers[numbers], self._scales[numbers].to(self._dtype)
        values = torch.cat([packed & 15, packed >> 4], 1).to(self._dtype) - 8
        return (values.unflatten(1, (-1, GROUP)) * scales[:, :, None]).flatten(1)

    def __len__(self) -> int:
        return len(self._integers)

    def whole(self) -> torch.Tensor:
        """All rows."""
        return self(torch.arange(len(self), device=self._integers.device))

    def to(self, device: torch.device, dtype: torch.dtype) -> PackedTable:
        """The same table on a device, for rows of another type."""
        return PackedTable(self._integers.to(device), self._scales.to(device), dtype)


def pack_table(table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Convert a table, ``[n, D]``, to integers and scales for :class:`PackedTable`."""
    groups = table.float().unflatten(1, (-1, GROUP))
    scales = (groups.abs().amax(2) / 7).clamp_min(1e-7).to(torch.float16)
    integers = (groups / scales.float()[:, :, None]).round().clamp(-7, 7).add(8).to(torch.uint8).flatten(1)
    lower, upper = integers.chunk(2, 1)
    return lower | upper << 4, scales


@cache
def distance_buckets(length: int, count: int, distance: int) -> torch.Tensor:
    """T5's bucket numbers for all pairs of ``length`` positions, int64 ``[length, length]``.

    Half of the ``count`` buckets are for positions ahead. In each half, the first half of the buckets hold
    one distance each. The others hold growing ranges up to ``distance`` (Raffel et al. 2020, §2.1).
    """
    half, exact = count // 2, count // 4
    ahead = torch.arange(length)[None, :] - torch.arange(length)[:, None]
    far = ahead.abs()
    grown = torch.log(far.clamp_min(1) / exact) / math.log(distance / exact) * (half - exact)
    bucket = torch.where(far < exact, far, (exact + grown.long()).clamp_max(half - 1))
    return bucket + half * (ahead > 0)


def word_vectors(subword_vectors: torch.Tensor, batch: EncoderBatch) -> torch.Tensor:
    """Average the subwords of each word and scale to unit length: float32 ``[B, W, D]``."""
    sums = torch.cumsum(subword_vectors.float(), 1)
    ends = batch.word_ends[:, :-1]
    rows = torch.arange(len(sums), device=sums.device)[:, None]
    size = (ends[:, 1:] - ends[:, :-1]).clamp_min(1)
    means = (sums[rows, ends[:, 1:]] - sums[rows, ends[:, :-1]]) / size[:, :, None]
    return functional.normalize(means, dim=-1)


def read_sizes(folder: Path) -> VectorSizes:
    """Read ``config.json`` of an encoder for word vectors.

    Raises
    ------
    ModelError
        If the file is missing, a field is missing or wrong, or the format is from a later version.
    """
    config, place = read_config(folder), folder / "config.json"
    if config.get("format") != FORMAT:
        raise ModelError(f"{place}: format {config.get('format')!r}, this version reads {FORMAT}")
    layers, heads, distance = (
        positive_number(place, config, name, int) for name in ("layers", "heads", "distance")
    )
    return VectorSizes(layers, heads, distance, positive_number(place, config, "epsilon", float))
