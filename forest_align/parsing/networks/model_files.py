"""Reads and writes the folder of a span parser: JSON and safetensors, which cannot run code."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from safetensors.numpy import save_file

from forest_align.cext import encoder
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
                raise ModelError(
                    f"{path}: expected a scale for each row of {name + _ROWS!r}, "
                    f"found shapes {value.shape} and {scales.shape}"
                )
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
            raise ModelError(
                f"{path}: expected finite weights within ±{LARGEST_WEIGHT:.0f}, found others in {name!r}"
            )


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
    save_file(_pack(weights), fresh / WEIGHTS)
    # The library makes files readable by their owner only; all users may read an installed model.
    (fresh / WEIGHTS).chmod(0o644)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def _pack(weights: Mapping[str, Any]) -> dict[str, np.ndarray]:
    packed = {}
    for name, weight in weights.items():
        value = np.asarray(weight)
        if value.ndim == 2:
            packed[name + _ROWS], packed[name + _SCALES] = encoder.quantize(
                np.ascontiguousarray(value, dtype=np.float32)
            )
        else:
            packed[name] = np.ascontiguousarray(value, dtype=np.float16)
    return packed
