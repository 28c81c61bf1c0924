"""The span parser's forward pass in torch, for devices and in floating point: the twin of ``integer_parser``.

:class:`~forest_align.em.parser._span_parser.SpanParser` is the same network as a module of benepar. Training
uses that module, and the tests compare this one with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from forest_align.parsing.networks.encoder_batches import join_rows, mean_vectors
from forest_align.parsing.networks.torch_layers import (
    EncoderBatch,
    EncoderLayer,
    PackedRows,
    Weights,
    collate,
    normalise,
)

if TYPE_CHECKING:
    from forest_align.parsing.networks.encoder_batches import EncodedSentence
    from forest_align.parsing.networks.model_files import NetworkSizes
    from forest_align.parsing.networks.torch_layers import TorchVectorNetwork

#: Applies a layer: ``[..., K]`` to ``[..., N]``.
Linear = Callable[[torch.Tensor], torch.Tensor]
_PROCESSOR = torch.device("cpu")
#: Spans scored at once: enough to keep two cores busy, few enough for a processor's cache.
SPAN_CHUNK = 2048
# The same on a GPU: 0.4 GB of memory in 16 bits.
_DEVICE_SPAN_CHUNK = 1 << 18
# Spans are scored in multiples of this number.
_SPAN_STEP = 256


@dataclass(frozen=True, slots=True)
class BatchScores:
    """The output of one forward pass for B sentences."""

    # `[N, L - 1]`: scores of the labels other than the empty one, for all closed spans of all sentences, in
    # the order of span_index
    spans: torch.Tensor
    # `[B, W + 2, T]` tag scores; the first and the last word row are the start and stop symbols
    tags: torch.Tensor


def span_index(lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """List the closed spans of a batch: sentence, first word, last word, each int64 ``[N]``, row by row."""
    longest = int(lengths.max())
    first, last = torch.triu_indices(longest, longest, device=lengths.device)
    inside = last[None, :] < lengths[:, None]
    sentence, which = inside.nonzero(as_tuple=True)
    return sentence, first[which], last[which]


def score_spans(
    annotations: torch.Tensor,
    lengths: torch.Tensor,
    first_layer: tuple[Linear, torch.Tensor],
    rest: Linear,
    chunk: int = SPAN_CHUNK,
) -> torch.Tensor:
    """Score the labels of all spans.

    The first layer is linear, so it is applied to fenceposts, which are far fewer than spans.
    """
    half = annotations.shape[-1] // 2
    linear, bias = first_layer
    posts = linear(torch.cat([annotations[:, :-1, :half], annotations[:, 1:, half:]], -1))
    sentence, first, last = span_index(lengths)
    count = posts.shape[1]
    flat = posts.reshape(-1, posts.shape[-1])
    chunks = []
    # Chunks keep the memory of long sentences bounded: hidden layers are wider than the scores.
    for chosen in torch.arange(len(sentence), device=sentence.device).split(chunk):
        # The library caches code and memory for every number of rows, so use few different numbers.
        rows = functional.pad(chosen, (0, -len(chosen) % _SPAN_STEP))
        offset = sentence[rows] * count
        spans = flat.index_select(0, offset + last[rows] + 1)
        spans = spans - flat.index_select(0, offset + first[rows])
        chunks.append(rest(spans + bias)[: len(chosen)])
    return torch.cat(chunks)


class SpanNetwork:
    """BERT layers on the states of the vectors' encoder, benepar's partitioned attention, and the scores."""

    def __init__(
        self,
        weights: Mapping[str, Any],
        sizes: NetworkSizes,
        dtype: torch.dtype,
        device: torch.device = _PROCESSOR,
    ) -> None:
        self.sizes = sizes
        self.longest = sizes.positions
        named = Weights(weights, dtype, device)
        self._span_chunk = SPAN_CHUNK if device.type == "cpu" else _DEVICE_SPAN_CHUNK
        self._input = named.layer("input")
        self._encoder = [
            EncoderLayer(
                named.below(f"pretrained_model.encoder.layer.{number}."),
                sizes.encoder_heads,
                sizes.epsilon,
            )
            for number in range(sizes.encoder_layers)
        ]
        self._cases = named["case_embedding.weight"]
        self._project = named["project_pretrained.weight"]
        self._timing, self._timing_norm = named["add_timing.timing_table"], named.layer("add_timing.norm")
        self._partitioned = [
            _PartitionedLayer(named.below(f"encoder.layers.{number}."), sizes)
            for number in range(sizes.layers)
        ]
        weight, bias = named.layer("f_label.0")
        self._label_input = partial(functional.linear, weight=weight), bias
        self._labels, self._tags = _Output(named.below("f_label.")), _Output(named.below("f_tag."))
        self._tag_input = named.layer("f_tag.0")

    def __call__(self, batch: EncoderBatch, states: torch.Tensor) -> BatchScores:
        """Score every span and tag of a batch; ``states`` of the vectors' encoder are ``[B, T, D]``."""
        annotations = self._annotate(batch, states)
        spans = score_spans(annotations, batch.lengths, self._label_input, self._labels, self._span_chunk)
        return BatchScores(spans, self._score_tags(annotations))

    def tags(self, batch: EncoderBatch, states: torch.Tensor) -> torch.Tensor:
        """Score every tag of a batch and no span; see :attr:`BatchScores.tags`."""
        return self._score_tags(self._annotate(batch, states))

    def _score_tags(self, annotations: torch.Tensor) -> torch.Tensor:
        return self._tags(functional.linear(annotations, *self._tag_input))

    def _annotate(self, batch: EncoderBatch, states: torch.Tensor) -> torch.Tensor:
        """Inputs for scoring labels and tags: ``[B, W + 2, D]``, forward and backward halves."""
        hidden = self._encode(batch, states)
        rows = torch.arange(len(batch.subwords), device=hidden.device)[:, None]
        content = functional.linear(hidden[rows, batch.word_ends], self._project)
        timing = self._timing[: content.shape[1]].expand(len(content), -1, -1)
        packed = PackedRows(batch.word_mask)
        annotations = normalise(packed.pack(torch.cat([content, timing], -1)), self._timing_norm)
        for layer in self._partitioned:
            annotations = layer(annotations, packed)
        annotations = packed.unpack(annotations)
        return torch.cat([annotations[..., 0::2], annotations[..., 1::2]], -1)

    def _encode(self, batch: EncoderBatch, states: torch.Tensor) -> torch.Tensor:
        """Hidden states of the last encoder layer, ``[B, T, D]``."""
        packed = PackedRows(batch.subword_mask)
        hidden = functional.linear(packed.pack(states), *self._input)
        hidden = hidden + functional.embedding(packed.pack(batch.cases), self._cases)
        for layer in self._encoder:
            hidden = layer(hidden, packed)
        return packed.unpack(hidden)


class OnDevice:
    """Networks of torch that read encoded sentences and return arrays, wherever they compute."""

    def __init__(self, states: TorchVectorNetwork, network: SpanNetwork) -> None:
        self._states, self._network = states, network
        self.longest = min(states.longest, network.longest)

    def __call__(self, sentences: Sequence[EncodedSentence]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Score every span and tag; see :class:`~forest_align.parsing.networks.encoder_scorer.Network`."""
        batch = collate(sentences).to(self._states.place)
        with torch.inference_mode():
            states = self._states.hidden(batch)
            scores = self._network(batch, states)
        vectors = mean_vectors(states[batch.subword_mask].float().cpu().numpy(), join_rows(sentences))
        return scores.spans.float().cpu().numpy(), of_words(scores.tags, batch), vectors

    def tags(self, sentences: Sequence[EncodedSentence]) -> np.ndarray:
        """Score every tag."""
        batch = collate(sentences).to(self._states.place)
        with torch.inference_mode():
            return of_words(self._network.tags(batch, self._states.hidden(batch)), batch)


def of_words(tags: torch.Tensor, batch: EncoderBatch) -> np.ndarray:
    """Drop padding, and the rows of start and stop symbols."""
    return tags[:, 1:-1][batch.word_mask[:, 2:]].float().cpu().numpy()


class _PartitionedLayer:
    """One layer that separates content (first half) from position (Kitaev & Klein 2018, §3)."""

    def __init__(self, weights: Weights, sizes: NetworkSizes) -> None:
        self._heads = sizes.heads
        # benepar's weights are [head, feature, query/key/value, part] and [head, part, feature].
        self._attention_inputs = [
            weights[f"self_attn.w_qkv_{half}"].permute(2, 0, 3, 1).flatten(0, 2) for half in "cp"
        ]
        self._attention_outputs = [weights[f"self_attn.w_o_{half}"].flatten(0, 1).t() for half in "cp"]
        self._attention_norm = weights.layer("norm_attn")
        self._inner = [weights.layer(f"linear1.linear_{half}") for half in "cp"]
        self._outer = [weights.layer(f"linear2.linear_{half}") for half in "cp"]
        self._norm = weights.layer("norm_ff")

    def __call__(self, hidden: torch.Tensor, packed: PackedRows) -> torch.Tensor:
        parts = [
            functional.linear(half, weight).unflatten(-1, (3, self._heads, -1))
            for half, weight in zip(hidden.chunk(2, -1), self._attention_inputs, strict=True)
        ]
        attended = packed.attend(torch.cat(parts, -1).flatten(1), self._heads)
        parts = [
            functional.linear(half.flatten(1), weight)
            for half, weight in zip(attended.chunk(2, -1), self._attention_outputs, strict=True)
        ]
        hidden = normalise(hidden + torch.cat(parts, -1), self._attention_norm)
        parts = [
            functional.linear(functional.relu(functional.linear(half, *inner)), *outer)
            for half, inner, outer in zip(hidden.chunk(2, -1), self._inner, self._outer, strict=True)
        ]
        return normalise(hidden + torch.cat(parts, -1), self._norm)


class _Output:
    """The layers of label or tag scores after the first."""

    def __init__(self, weights: Weights) -> None:
        self._norm, self._scores = weights.layer("1"), weights.layer("3")

    def __call__(self, hidden: torch.Tensor) -> torch.Tensor:
        return functional.linear(functional.relu(normalise(hidden, self._norm)), *self._scores)
