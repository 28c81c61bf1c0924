"""Reads and writes the folder of a span parser: JSON and safetensors, which cannot run code."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from forest_align.parsing.networks.linear_layers import quantize_rows
from forest_align.types import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Section of ``config.json`` with all fields that are not the encoder's.
SECTION = "forest_align"
FORMAT = 1
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")

_ROWS, _SCALES = ".int8", ".scale"
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class ParserConfig:
    """A model folder's configuration of its parser, apart from that of the encoder.

    Attributes
    ----------
    labels : tuple of str
        Label chains, starting with the empty label.
    tags : tuple of str
        Part-of-speech tags. The first means an unknown tag and is never predicted.
    hparams : mapping
        benepar's hyper-parameters.
    temperature : float
        Label scores are divided by it to calibrate probabilities.
    """

    labels: tuple[str, ...]
    tags: tuple[str, ...]
    hparams: Mapping[str, Any]
    temperature: float = 1.0


def read_config(folder: Path, name: str = "config.json") -> dict[str, Any]:
    """Read ``config.json`` of a model folder, or another file of this kind.

    Raises
    ------
    ModelError
        If it is missing or is not a JSON object.
    """
    path = folder / name
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise ModelError(f"{path}: not JSON ({error})") from None
    if not isinstance(config, dict):
        raise ModelError(f"{path}: expected a JSON object")
    return config


def parser_config(folder: Path, config: Mapping[str, Any]) -> ParserConfig:
    """Read the parser's section of a model folder's configuration.

    Raises
    ------
    ModelError
        If a field is missing or wrong, or the format is from a later version.
    """
    section, place = config[SECTION], f"{folder / 'config.json'}: section {SECTION!r}"
    if not isinstance(section, dict):
        raise ModelError(f"{place}: expected an object")
    if section.get("format") != FORMAT:
        raise ModelError(f"{folder}: format {section.get('format')!r}, this version reads {FORMAT}")
    try:
        found = ParserConfig(
            tuple(section["labels"]),
            tuple(section["tags"]),
            dict(section["hparams"]),
            float(section["temperature"]),
        )
    except KeyError as error:
        raise ModelError(f"{place}: field {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise ModelError(f"{place}: {error}") from None
    if not 0 < found.temperature < math.inf:
        raise ModelError(f"{place}: expected a temperature above 0, found {found.temperature}")
    return found


def positive_number(place: Path, fields: Mapping[str, Any], name: str, kind: type[Number]) -> Number:
    """Read a configuration field that must be a number above 0 of a given type, int or float.

    Raises
    ------
    ModelError
        If it is missing or not such a number; names the file.
    """
    value: Any = fields.get(name)
    if not isinstance(value, kind) or isinstance(value, bool) or not value > 0:
        expected = "whole number" if kind is int else "number"
        raise ModelError(f"{place}: expected a {expected} above 0 as {name!r}, found {value!r}")
    return value


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Read ``model.safetensors`` as float32, quantized rows restored.

    Raises
    ------
    ModelError
        If the file is missing or damaged, or a weight is not finite.
    """
    path = folder / "model.safetensors"
    stored = read_tensors(path)
    weights = {}
    for name, value in stored.items():
        if name.endswith(_ROWS):
            name = name.removesuffix(_ROWS)
            if name + _SCALES not in stored:
                raise ModelError(f"{path}: expected {name + _SCALES!r} beside {name + _ROWS!r}")
            weights[name] = value.float() * stored[name + _SCALES].float()[:, None]
        elif not name.endswith(_SCALES):
            weights[name] = value.float()
    # Without this check, the chart of the first sentence would fail.
    check_finite(path, weights)
    return weights


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Read a safetensors file as it is.

    Raises
    ------
    ModelError
        If it is missing or damaged.
    """
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read ({error})") from None


def check_finite(path: Path, weights: Mapping[str, torch.Tensor]) -> None:
    """Make sure that all weights of a file are finite.

    Raises
    ------
    ModelError
        If one is not; names it.
    """
    for name, value in weights.items():
        if not value.isfinite().all():
            raise ModelError(f"{path}: expected finite weights, found others in {name!r}")


def write_model(
    folder: Path,
    encoder_folder: Path,
    weights: Mapping[str, torch.Tensor],
    config: ParserConfig,
) -> None:
    """Write a model folder; an existing one is replaced only when the new one is complete.

    Other files of an existing folder, such as a model card, are kept.
    Matrices are stored as 8-bit integers with one scale per row; this changes F1 on GUM dev by 0.01.

    Parameters
    ----------
    folder : Path
        The folder to write.
    encoder_folder : Path
        Folder with the encoder's ``config.json`` and tokenizer files.
    weights : mapping of str to torch.Tensor
        Parameters under benepar's names; those that are not matrices are stored in half precision.
    config : ParserConfig
        The parser's configuration.
    """
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    if folder.exists():
        # Do not copy files that are written below: writing to a copied link would change its target.
        rewritten = shutil.ignore_patterns("config.json", "model.safetensors", *TOKENIZER_FILES)
        shutil.copytree(folder, fresh, symlinks=True, ignore=rewritten)
    else:
        fresh.mkdir(parents=True)
    for name in TOKENIZER_FILES:
        shutil.copyfile(encoder_folder / name, fresh / name)
    encoder = read_config(encoder_folder)
    for key in ("_name_or_path", "gradient_checkpointing", "use_cache", "transformers_version", SECTION):
        encoder.pop(key, None)
    encoder[SECTION] = {
        "format": FORMAT,
        "labels": list(config.labels),
        "tags": list(config.tags),
        "hparams": dict(config.hparams),
        "temperature": config.temperature,
    }
    (fresh / "config.json").write_text(json.dumps(encoder, indent=1) + "\n", encoding="utf-8")
    save_file(_pack(weights), fresh / "model.safetensors")
    # The library makes files readable by their owner only; all users may read an installed model.
    (fresh / "model.safetensors").chmod(0o644)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def _pack(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    packed = {}
    for name, value in weights.items():
        if value.dim() == 2:
            packed[name + _ROWS], scale = quantize_rows(value)
            packed[name + _SCALES] = scale.flatten().to(torch.float32)
        else:
            packed[name] = value.to(torch.float16).contiguous()
    return packed
