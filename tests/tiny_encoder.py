"""A frozen encoder of next to no size, for parsers of next to no size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from transformers import BertConfig, BertTokenizerFast

from forest_align.parsing.networks.model_files import ENCODER_SIZES, ENCODER_WEIGHTS
from forest_align.parsing.networks.vector_network import FORMAT

#: Width of the states of the encoder, and how many subwords it reads.
STATES, POSITIONS = 24, 36
_HEADS, _INNER, _BUCKETS = 2, 16, 8


def write_encoder(folder: Path, subwords: int, positions: int = POSITIONS) -> None:
    """Write one layer with random weights, which are stored as they are."""
    random = np.random.default_rng(5)

    def drawn(*shape: int) -> np.ndarray:
        return (0.5 * random.normal(size=shape)).astype(np.float32)

    layer = {
        **{f"attention.self.{name}": (STATES, STATES) for name in ("query", "key", "value")},
        "attention.output.dense": (STATES, STATES),
        "intermediate.dense": (_INNER, STATES),
        "output.dense": (STATES, _INNER),
    }
    weights = {
        "words": drawn(subwords, STATES),
        "positions": drawn(positions, STATES),
        "relative_attention_bias": drawn(_BUCKETS, _HEADS),
    }
    for name, (rows, columns) in layer.items():
        weights |= {f"layer.0.{name}.weight": drawn(rows, columns), f"layer.0.{name}.bias": drawn(rows)}
    for name in ("norm", "layer.0.attention.output.LayerNorm", "layer.0.output.LayerNorm"):
        weights |= {f"{name}.weight": 1 + drawn(STATES), f"{name}.bias": drawn(STATES)}
    save_file(weights, folder / ENCODER_WEIGHTS)
    sizes = {"format": FORMAT, "layers": 1, "heads": _HEADS, "distance": 32, "epsilon": 1e-5}
    (folder / ENCODER_SIZES).write_text(json.dumps(sizes))


def write_encoders(folder: Path, **upper: Any) -> Path:
    """Write a frozen encoder, a BERT configuration of the sizes ``upper``, and a tokenizer for both.

    The tokenizer is uncased; it knows single letters and a few words.
    """
    folder.mkdir(parents=True, exist_ok=True)
    letters = [chr(code) for code in range(33, 127) if not chr(code).isupper()]
    symbols = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*symbols, *letters, *(f"##{letter}" for letter in letters), "the", "cat", "they", "won", "bark"]
    (folder / "pieces.txt").write_text("\n".join(pieces))
    BertTokenizerFast(str(folder / "pieces.txt"), do_lower_case=True, model_max_length=40).save_pretrained(
        folder
    )
    BertConfig(vocab_size=len(pieces), **upper).save_pretrained(folder)
    write_encoder(folder, len(pieces))
    return folder
