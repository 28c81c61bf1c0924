"""The sizes of networks; reads those of the span parser from its configuration, and lists its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forest_align.parsing.networks.encoder_batches import CASE_COUNT
from forest_align.parsing.networks.model_files import WEIGHTS, positive_number
from forest_align.types import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from forest_align.parsing.networks.model_files import ParserConfig
    from forest_align.parsing.networks.stored_tables import IntegerTable

# The only kinds of encoder and of parser that this package implements.
_ENCODER_KIND = {"model_type": "bert", "hidden_act": "gelu"}
_PARSER_KIND = {"use_pretrained": True, "use_encoder": True, "use_chars_lstm": False, "predict_tags": True}


@dataclass(frozen=True, slots=True)
class VectorSizes:
    """Sizes of an encoder for word vectors that do not follow from its weights."""

    # layers, heads: Layers, and attention heads of each
    layers: int
    heads: int
    distance: int  # All distances between subwords above this one count as equal
    epsilon: float  # Added to variances by normalisation


@dataclass(frozen=True, slots=True)
class NetworkSizes:
    """Sizes of the parser's network; those of its encoder layers begin with ``encoder_``."""

    states: int  # Width of the states of the word vectors' encoder, which the network reads
    # encoder_layers, encoder_heads, encoder_width, encoder_inner: Layers, attention heads, width of hidden
    # states and of the feed-forward layers
    encoder_layers: int
    encoder_heads: int
    encoder_width: int
    encoder_inner: int
    epsilon: float  # Added to variances by the normalisation of these layers
    # layers, heads, width, inner, part: Partitioned attention: layers, heads, widths, and width of a head's
    # query, key and value
    layers: int
    heads: int
    width: int
    inner: int
    part: int
    positions: int  # Maximum number of words of a sentence, including start and stop symbols
    # label_hidden, tag_hidden, labels, tags: Widths of hidden layers and outputs; labels do not include the
    # empty one
    label_hidden: int
    tag_hidden: int
    labels: int
    tags: int

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of all weights; the names are those of benepar and ``transformers``."""
        width, half, inner = self.encoder_width, self.width // 2, self.inner // 2
        encoder = "pretrained_model."
        shapes = {
            **_linear("input", width, self.states),
            "case_embedding.weight": (CASE_COUNT, width),
            "project_pretrained.weight": (half, width),
            "add_timing.timing_table": (self.positions, half),
            **_norm("add_timing.norm", self.width),
        }
        for number in range(self.encoder_layers):
            layer = f"{encoder}encoder.layer.{number}"
            for name in ("query", "key", "value"):
                shapes |= _linear(f"{layer}.attention.self.{name}", width, width)
            shapes |= _linear(f"{layer}.attention.output.dense", width, width)
            shapes |= _norm(f"{layer}.attention.output.LayerNorm", width)
            shapes |= _linear(f"{layer}.intermediate.dense", self.encoder_inner, width)
            shapes |= _linear(f"{layer}.output.dense", width, self.encoder_inner)
            shapes |= _norm(f"{layer}.output.LayerNorm", width)
        for number in range(self.layers):
            layer = f"encoder.layers.{number}"
            for content_or_position in "cp":
                attention = f"{layer}.self_attn.w_{{}}_{content_or_position}"
                shapes[attention.format("qkv")] = (self.heads, half, 3, self.part // 2)
                shapes[attention.format("o")] = (self.heads, self.part // 2, half)
                shapes |= _linear(f"{layer}.linear1.linear_{content_or_position}", inner, half)
                shapes |= _linear(f"{layer}.linear2.linear_{content_or_position}", half, inner)
            shapes |= _norm(f"{layer}.norm_attn", self.width) | _norm(f"{layer}.norm_ff", self.width)
        for name, hidden, output in (
            ("f_label", self.label_hidden, self.labels),
            ("f_tag", self.tag_hidden, self.tags),
        ):
            shapes |= _linear(f"{name}.0", hidden, self.width) | _norm(f"{name}.1", hidden)
            shapes |= _linear(f"{name}.3", output, hidden)
        return shapes


def _linear(name: str, rows: int, columns: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}


def _norm(name: str, size: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (size,), f"{name}.bias": (size,)}


def network_sizes(folder: Path, parser: ParserConfig, states: int) -> NetworkSizes:
    """Read the sizes of a model folder's network."""
    place = folder / "config.json"

    def size(fields: Mapping[str, Any], name: str) -> int:
        return positive_number(place, fields, name, int)

    parameters, encoder = parser.hparams, parser.layers
    for fields, kind in ((encoder, _ENCODER_KIND), (parameters, _PARSER_KIND)):
        for name, expected in kind.items():
            if fields.get(name, expected) != expected:
                raise ModelError(f"{place}: expected {expected!r} as {name!r}, found {fields[name]!r}")
    epsilon = encoder.get("layer_norm_eps", 1e-12)
    if not isinstance(epsilon, float) or not 0 <= epsilon < 1:
        raise ModelError(f"{place}: expected a number from 0 to 1 as 'layer_norm_eps', found {epsilon!r}")
    sizes = NetworkSizes(
        states=states,
        encoder_layers=size(encoder, "num_hidden_layers"),
        encoder_heads=size(encoder, "num_attention_heads"),
        encoder_width=size(encoder, "hidden_size"),
        encoder_inner=size(encoder, "intermediate_size"),
        epsilon=epsilon,
        layers=size(parameters, "num_layers"),
        heads=size(parameters, "num_heads"),
        width=size(parameters, "d_model"),
        inner=size(parameters, "d_ff"),
        part=size(parameters, "d_kv"),
        positions=size(parameters, "encoder_max_len"),
        label_hidden=size(parameters, "d_label_hidden"),
        tag_hidden=size(parameters, "d_tag_hidden"),
        labels=len(parser.labels) - 1,
        tags=len(parser.tags),
    )
    if sizes.encoder_width % sizes.encoder_heads:
        raise ModelError(f"{place}: hidden_size is no multiple of num_attention_heads")
    return sizes


def check_weights(
    folder: Path, weights: Mapping[str, np.ndarray | IntegerTable], sizes: NetworkSizes
) -> None:
    """Make sure that a model folder's weights match its configuration."""
    place = f"{folder / WEIGHTS}: does not fit config.json"
    # Of far too many layers even the names take all memory.
    if sizes.encoder_layers + sizes.layers > len(weights):
        raise ModelError(
            f"{place}: expected {sizes.encoder_layers} layers ('num_hidden_layers') and {sizes.layers} "
            f"('num_layers'), found {len(weights)} weights"
        )
    shapes = sizes.weight_shapes()
    for name, shape in shapes.items():
        if name not in weights:
            raise ModelError(f"{place}: {name!r} is missing")
        if tuple(weights[name].shape) != shape:
            raise ModelError(f"{place}: expected {name!r} as {shape}, found {tuple(weights[name].shape)}")
    if unknown := weights.keys() - shapes:
        raise ModelError(f"{place}: {min(unknown)!r} is unknown")
