"""Reads and writes the folder of a span parser: JSON and safetensors, which cannot run code.

The sizes of networks are read from its configuration, and weights are compared with them.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from safetensors.numpy import save_file

from forest_align.cext import encoder
from forest_align.parsing.networks.encoder_batches import CASE_COUNT
from forest_align.parsing.networks.stored_tables import IntegerTable, map_arrays, whole
from forest_align.types import InputError, ModelError
from forest_align.types.brackets import is_label
from forest_align.types.json_fields import LARGEST_WEIGHT, Fields, check_texts, describe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forest_align.parsing.networks.stored_tables import Table

#: Section of ``config.json`` with all fields that do not describe the parser's layers of BERT.
SECTION = "forest_align"
#: Version of this section. In the first one, parsers had an encoder of their own.
FORMAT = 2
#: The parser's weights, and the encoder that it reads: weights and sizes.
WEIGHTS, ENCODER_WEIGHTS, ENCODER_SIZES = "parser.safetensors", "encoder.safetensors", "encoder.json"
TOKENIZER = "tokenizer.json"
ENCODER_FILES = (ENCODER_WEIGHTS, ENCODER_SIZES, TOKENIZER)

#: Least and greatest temperature: scores divided by others lose their digits, or exceed what kernels take.
TEMPERATURES = (1e-3, 1e3)

_ROWS, _SCALES = ".int8", ".scale"
# More than any size of a network.
_MOST = 2**31 - 1
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class ParserConfig:
    """A model folder's configuration of its parser, apart from that of the encoder that it reads."""

    labels: tuple[str, ...]  # Label chains, starting with the empty label
    tags: tuple[str, ...]  # Part-of-speech tags. The first means an unknown tag and is never predicted.
    hparams: Mapping[str, Any]
    layers: Mapping[str, Any]  # Sizes and kind of the parser's layers of BERT, as `transformers` names them
    temperature: float = 1.0  # Label scores are divided by it to calibrate probabilities


def read_config(folder: Path, name: str = "config.json") -> dict[str, Any]:
    """Read ``config.json`` of a model folder, or another file of this kind."""
    path = folder / name
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: not JSON ({error})") from None
    if not isinstance(config, dict):
        raise ModelError(f"{path}: expected a JSON object")
    return config


def parser_config(folder: Path, config: Mapping[str, Any]) -> ParserConfig:
    """Read the parser's section of a model folder's configuration."""
    section, place = config[SECTION], f"{folder / 'config.json'}: section {SECTION!r}"
    if not isinstance(section, dict):
        raise ModelError(f"{place}: expected an object")
    if section.get("format") != FORMAT:
        raise ModelError(f"{place}: format {section.get('format')!r}, this version reads {FORMAT}")
    fields = Fields(section)
    try:
        labels, tags = check_names(fields, "labels"), check_names(fields, "tags")
        if labels[0] or not all(is_label(part) for label in labels[1:] for part in label.split("::")):
            message = "expected the empty label, then labels that brackets can hold"
            raise InputError(message, field="labels")
        if not all(map(is_label, tags)):
            raise InputError("expected tags that brackets can hold", field="tags")
        hparams, temperature = fields.raw("hparams"), fields.number("temperature")
        Fields(hparams, "hparams").boolean("force_root_constituent", True)
    except InputError as error:
        raise ModelError(f"{place}: {error}") from None
    least, most = TEMPERATURES
    if not least <= temperature <= most:
        raise ModelError(f"{place}: expected a temperature from {least} to {most}, found {temperature}")
    layers = {name: value for name, value in config.items() if name != SECTION}
    return ParserConfig(labels, tags, dict(hparams), layers, temperature)


def check_names(fields: Fields, key: str) -> tuple[str, ...]:
    """Read a field that lists at least two different names."""
    names = check_texts(fields.raw(key), key)
    if len(names) < 2 or len(set(names)) < len(names):
        raise InputError("expected at least two names, all different", field=key)
    return tuple(names)


def positive_number(place: Path, fields: Mapping[str, Any], name: str, kind: type[Number]) -> Number:
    """Read a configuration field that must be a number above 0 of a given type, int or float."""
    value: Any = fields.get(name)
    if not isinstance(value, kind) or isinstance(value, bool) or not 0 < value <= _MOST:
        expected = "whole number" if kind is int else "number"
        raise ModelError(
            f"{place}: expected a {expected} above 0 and at most {_MOST} as {name!r}, found {describe(value)}"
        )
    return value


def read_weights(folder: Path) -> dict[str, np.ndarray]:
    """Read ``parser.safetensors`` as float32, quantized rows restored."""
    return {name: whole(value) for name, value in read_tables(folder).items()}


def read_tables(folder: Path) -> dict[str, np.ndarray | IntegerTable]:
    """Map ``parser.safetensors`` as it is; matrices of 8-bit integers as tables."""
    path = folder / WEIGHTS
    stored = map_arrays(path)
    weights: dict[str, np.ndarray | IntegerTable] = {}
    for name, value in stored.items():
        if name.endswith(_ROWS):
            name = name.removesuffix(_ROWS)
            if name + _SCALES not in stored:
                raise ModelError(f"{path}: expected {name + _SCALES!r} beside {name + _ROWS!r}")
            scales = stored[name + _SCALES]
            if value.ndim != 2 or scales.shape != value.shape[:1]:
                shapes = f"found shapes {value.shape} and {scales.shape}"
                raise ModelError(f"{path}: expected a scale for each row of {name + _ROWS!r}, {shapes}")
            weights[name] = IntegerTable(value, scales)
        elif not name.endswith(_SCALES):
            weights[name] = value
    # Without this check, the chart of the first sentence would fail.
    check_bounded(path, weights)
    return weights


def check_bounded(path: Path, weights: Mapping[str, np.ndarray | Table]) -> None:
    """Make sure that all weights of a file are finite and not too large; integers are of any size."""
    for name, weight in weights.items():
        value = weight if isinstance(weight, np.ndarray) else weight.largest()
        # NaN is not below anything.
        if value.dtype.kind == "f" and not (np.abs(value.astype(np.float32)) <= LARGEST_WEIGHT).all():
            expected = f"expected finite weights within ±{LARGEST_WEIGHT:.0f}"
            raise ModelError(f"{path}: {expected}, found others in {name!r}")


def write_model(
    folder: Path,
    encoder_folder: Path,
    weights: Mapping[str, Any],
    config: ParserConfig,
) -> None:
    """Write a model folder; an existing one is replaced only when the new one is complete.

    Other files of an existing folder, such as a model card, are kept. Matrices are stored as 8-bit integers
    with one scale per row; this changes F1 on GUM dev by 0.01.
    """
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    if folder.exists():
        # Do not copy files that are written below: writing to a copied link would change its target.
        rewritten = shutil.ignore_patterns("config.json", WEIGHTS, *ENCODER_FILES)
        shutil.copytree(folder, fresh, symlinks=True, ignore=rewritten)
    else:
        fresh.mkdir(parents=True)
    for name in ENCODER_FILES:
        shutil.copyfile(encoder_folder / name, fresh / name)
    section = {
        "format": FORMAT,
        "labels": list(config.labels),
        "tags": list(config.tags),
        "hparams": dict(config.hparams),
        "temperature": config.temperature,
    }
    description = {**config.layers, SECTION: section}
    (fresh / "config.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    packed = {}
    for name, weight in weights.items():
        value = np.asarray(weight)
        if value.ndim == 2:
            rows = np.ascontiguousarray(value, dtype=np.float32)
            packed[name + _ROWS], packed[name + _SCALES] = encoder.quantize(rows)
        else:
            packed[name] = np.ascontiguousarray(value, dtype=np.float16)
    save_file(packed, fresh / WEIGHTS)
    # The library makes files readable by their owner only; all users may read an installed model.
    (fresh / WEIGHTS).chmod(0o644)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


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
        layers = f"{sizes.encoder_layers} layers ('num_hidden_layers') and {sizes.layers} ('num_layers')"
        raise ModelError(f"{place}: expected {layers}, found {len(weights)} weights")
    shapes = sizes.weight_shapes()
    for name, shape in shapes.items():
        if name not in weights:
            raise ModelError(f"{place}: {name!r} is missing")
        if tuple(weights[name].shape) != shape:
            raise ModelError(f"{place}: expected {name!r} as {shape}, found {tuple(weights[name].shape)}")
    if unknown := weights.keys() - shapes:
        raise ModelError(f"{place}: {min(unknown)!r} is unknown")
