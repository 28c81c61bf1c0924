"""The span parser's forward pass on a processor, without torch, which takes seconds to load."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from forest_align.cext import encoder
from forest_align.parsing.networks.encoder_batches import RowBatch, join_rows, mean_vectors, places_within
from forest_align.parsing.networks.vector_network import IntegerEncoderLayer, IntegerLinear, LayerWeights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from forest_align.parsing.networks.encoder_batches import EncodedSentence
    from forest_align.parsing.networks.model_files import NetworkSizes
    from forest_align.parsing.networks.stored_tables import IntegerTable
    from forest_align.parsing.networks.vector_network import VectorNetwork

#: Spans scored at once: their hidden layers fit in a processor's cache.
SPAN_CHUNK = 1024


class IntegerParser:
    """BERT layers on the states of the vectors' encoder, benepar's partitioned attention, and the scores."""

    def __init__(
        self, states: VectorNetwork, weights: Mapping[str, np.ndarray | IntegerTable], sizes: NetworkSizes
    ) -> None:
        self._states = states
        self.longest = min(states.longest, sizes.positions)
        named = LayerWeights(weights)
        self._input = named.linear("input")
        self._encoder = [
            IntegerEncoderLayer(
                named.below(f"pretrained_model.encoder.layer.{number}."), sizes.encoder_heads, sizes.epsilon
            )
            for number in range(sizes.encoder_layers)
        ]
        self._cases = named["case_embedding.weight"]
        self._project = IntegerLinear(named["project_pretrained.weight"])
        self._timing, self._timing_norm = named["add_timing.timing_table"], named.norm("add_timing.norm")
        self._partitioned = [
            _PartitionedLayer(named.below(f"encoder.layers.{number}."), sizes.heads)
            for number in range(sizes.layers)
        ]
        self._label_input = IntegerLinear(named["f_label.0.weight"])
        self._label_bias = named["f_label.0.bias"]
        self._tag_input = named.linear("f_tag.0")
        self._labels, self._tags = _Output(named.below("f_label.")), _Output(named.below("f_tag."))

    def __call__(self, sentences: Sequence[EncodedSentence]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Score every span and tag; see :class:`~forest_align.parsing.networks.encoder_scorer.Network`."""
        batch = join_rows(sentences)
        states = self._states.states(batch)
        annotations = self._annotate(states, batch)
        spans, tags = self._score_spans(annotations, batch), self._score_tags(annotations, batch)
        return spans, tags, mean_vectors(states, batch)

    def tags(self, sentences: Sequence[EncodedSentence]) -> np.ndarray:
        """Score every tag."""
        batch = join_rows(sentences)
        return self._score_tags(self._annotate(self._states.states(batch), batch), batch)

    def _score_tags(self, annotations: np.ndarray, batch: RowBatch) -> np.ndarray:
        return self._tags(self._tag_input(annotations[batch.is_word()]))

    def _annotate(self, states: np.ndarray, batch: RowBatch) -> np.ndarray:
        """Inputs for scoring labels and tags, (V, D): forward and backward halves."""
        hidden = self._input(states) + self._cases[batch.subword_cases()]
        for layer in self._encoder:
            hidden = layer(hidden, batch.starts)
        content = self._project(hidden[batch.word_rows])
        timing = self._timing[places_within(batch.word_starts)]
        annotations = self._timing_norm(np.concatenate([content, timing], 1))
        for layer_of_words in self._partitioned:
            annotations = layer_of_words(annotations, batch.word_starts)
        return np.concatenate([annotations[:, 0::2], annotations[:, 1::2]], 1)

    def _score_spans(self, annotations: np.ndarray, batch: RowBatch) -> np.ndarray:
        """Scores of the labels of all spans, (N, L - 1).

        The first layer is linear, so it is applied to fenceposts, which are far fewer than spans.
        """
        half = annotations.shape[1] // 2
        posts = self._label_input(np.concatenate([annotations[:-1, :half], annotations[1:, half:]], 1))
        before, after = fenceposts(batch.word_starts)
        chunks = [slice(start, start + SPAN_CHUNK) for start in range(0, len(before), SPAN_CHUNK)]
        return np.concatenate(
            [self._labels(posts[after[chunk]] - posts[before[chunk]] + self._label_bias) for chunk in chunks]
        )


def fenceposts(word_starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The posts before and after each closed span of each sentence, row by row, int64.

    A sentence of n words, and two symbols, has n + 1 posts; post p of it follows word p of the batch.
    """
    before, after = [], []
    for start, end in itertools.pairwise(word_starts):
        first, last = np.triu_indices(end - start - 2)
        before.append(start + first)
        after.append(start + last + 1)
    return np.concatenate(before), np.concatenate(after)


class _PartitionedLayer:
    """One layer that separates content (first half) from position (Kitaev & Klein 2018, §3)."""

    def __init__(self, weights: LayerWeights, heads: int) -> None:
        self._heads = heads
        # benepar's weights are (head, feature, query/key/value, part) and (head, part, feature).
        inputs = [weights[f"self_attn.w_qkv_{half}"] for half in "cp"]
        outputs = [weights[f"self_attn.w_o_{half}"] for half in "cp"]
        self._attention_inputs = [
            IntegerLinear(weight.transpose(2, 0, 3, 1).reshape(-1, weight.shape[1])) for weight in inputs
        ]
        self._attention_outputs = [IntegerLinear(weight.reshape(-1, weight.shape[2]).T) for weight in outputs]
        self._attention_norm = weights.norm("norm_attn")
        self._inner = [weights.linear(f"linear1.linear_{half}") for half in "cp"]
        self._outer = [weights.linear(f"linear2.linear_{half}") for half in "cp"]
        self._norm = weights.norm("norm_ff")

    def __call__(self, hidden: np.ndarray, starts: np.ndarray) -> np.ndarray:
        count = len(hidden)
        parts = [
            linear(half).reshape(count, 3, self._heads, -1)
            for half, linear in zip(np.split(hidden, 2, 1), self._attention_inputs, strict=True)
        ]
        attended = encoder.attend(np.concatenate(parts, 3).reshape(count, -1), starts, self._heads)
        by_head = np.split(attended.reshape(count, self._heads, -1), 2, 2)
        parts = [
            linear(half.reshape(count, -1))
            for half, linear in zip(by_head, self._attention_outputs, strict=True)
        ]
        hidden = self._attention_norm(np.concatenate(parts, 1), hidden)
        parts = [
            outer(np.maximum(inner(half), 0))
            for half, inner, outer in zip(np.split(hidden, 2, 1), self._inner, self._outer, strict=True)
        ]
        return self._norm(np.concatenate(parts, 1), hidden)


class _Output:
    """The layers of label or tag scores after the first."""

    def __init__(self, weights: LayerWeights) -> None:
        self._norm, self._scores = weights.norm("1"), weights.linear("3")

    def __call__(self, hidden: np.ndarray) -> np.ndarray:
        return self._scores(np.maximum(self._norm(hidden), 0))
