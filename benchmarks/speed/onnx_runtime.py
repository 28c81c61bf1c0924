"""Compare ONNX Runtime with torch as the engine of the two encoders: start, speed, equal links.

The encoders of the bundled parser and of the word vectors are exported to ONNX as float32, as int8 (one scale
a tensor for inputs, one a column for weights) and with 8-bit weights in blocks. All else stays as it is. The
packages onnx, onnx-ir and onnxruntime are needed, which forest-align itself does not need::

    python benchmarks/speed/onnx_runtime.py PAIRS [--limit 100] [--aligner contextual forest]
"""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, matmul_nbits_quantizer, quantize_dynamic
from torch import nn
from torch.nn import functional

from forest_align.aligners import Aligner, load
from forest_align.data.pairs import read_pairs
from forest_align.parsing.networks import encoder_scorer, vector_network
from forest_align.parsing.networks.encoder_batches import EncoderBatch
from forest_align.parsing.networks.model_files import read_config, read_tensors, read_weights
from forest_align.parsing.networks.span_network import SpanNetwork
from forest_align.parsing.networks.vector_network import (
    VECTORS,
    PackedTable,
    VectorNetwork,
    distance_buckets,
    read_sizes,
)
from forest_align.parsing.parser_loading import locate_parser
from forest_align.types import InputError

#: Size of the blocks of weights that share a scale, in the third kind.
BLOCK = 64
KINDS = ("float32", "int8", "int8 in blocks")


class Encoder(nn.Module):
    """Layers of BERT over padded sentences, with an attention bias by distance if there is one.

    Parameters
    ----------
    weights : mapping of str to torch.Tensor
        Float32, under the names of BERT below ``layer.NUMBER.``; also ``words``, ``positions``,
        ``norm.weight``, ``norm.bias``.
    layers, heads : int
        Layers, and attention heads of each.
    epsilon : float
        Added to variances.
    bias : torch.Tensor, optional
        ``[heads, S, S]`` for S positions.
    """

    def __init__(
        self,
        weights: dict[str, torch.Tensor],
        layers: int,
        heads: int,
        epsilon: float,
        bias: torch.Tensor | None,
    ) -> None:
        super().__init__()
        self.weights = nn.ParameterDict({name.replace(".", "/"): value for name, value in weights.items()})
        self.bias = None if bias is None else nn.Parameter(bias)
        self.layers, self.heads, self.epsilon = layers, heads, epsilon
        self.width = weights["words"].shape[1]

    def forward(self, subwords: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
        """Hidden states of the last layer, ``[B, S, D]``."""
        length = subwords.shape[1]
        hidden = functional.embedding(subwords, self.weights["words"]) + self.weights["positions"][:length]
        hidden = self._normalise(hidden, "norm")
        mask = torch.where(present, 0.0, -1e9)[:, None, None, :]
        if self.bias is not None:
            mask = mask + self.bias[:, :length, :length]
        for number in range(self.layers):
            hidden = self._layer(hidden, mask, f"layer.{number}.")
        return hidden

    def _layer(self, hidden: torch.Tensor, mask: torch.Tensor, prefix: str) -> torch.Tensor:
        parts = [self._linear(hidden, f"{prefix}attention.self.{name}") for name in ("query", "key", "value")]
        query, key, value = (
            part.unflatten(-1, (self.heads, self.width // self.heads)).transpose(1, 2) for part in parts
        )
        scores = query @ key.transpose(2, 3) / (self.width / self.heads) ** 0.5 + mask
        attended = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
        hidden = hidden + self._linear(attended, f"{prefix}attention.output.dense")
        hidden = self._normalise(hidden, f"{prefix}attention.output.LayerNorm")
        inner = functional.gelu(self._linear(hidden, f"{prefix}intermediate.dense"))
        return self._normalise(
            hidden + self._linear(inner, f"{prefix}output.dense"), f"{prefix}output.LayerNorm"
        )

    def _pair(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        name = name.replace(".", "/")
        return self.weights[f"{name}/weight"], self.weights[f"{name}/bias"]

    def _linear(self, rows: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._pair(name)
        return rows @ weight.T + bias

    def _normalise(self, rows: torch.Tensor, name: str) -> torch.Tensor:
        return functional.layer_norm(rows, (self.width,), *self._pair(name), self.epsilon)


def vector_encoder() -> Encoder:
    """The encoder of the bundled word vectors."""
    stored, sizes = read_tensors(VECTORS / "model.safetensors"), read_sizes(VECTORS)
    weights = {
        name: value.float() for name, value in stored.items() if not name.endswith((".int4", ".int4.scale"))
    }
    for name in (name.removesuffix(".int4") for name in stored if name.endswith(".int4")):
        weights[name] = PackedTable(
            stored[f"{name}.int4"], stored[f"{name}.int4.scale"], torch.float32
        ).whole()
    table = weights.pop("relative_attention_bias").T
    buckets = distance_buckets(len(weights["positions"]), len(table[0]), sizes.distance)
    return Encoder(weights, sizes.layers, sizes.heads, sizes.epsilon, table[:, buckets])


def parser_encoder() -> Encoder:
    """The encoder of the bundled parser."""
    folder = locate_parser("en")
    config, stored = read_config(folder), read_weights(folder)
    front = "pretrained_model.embeddings."
    layers = "pretrained_model.encoder."
    weights = {name.removeprefix(layers): value for name, value in stored.items() if name.startswith(layers)}
    weights["words"] = stored[front + "word_embeddings.weight"]
    segment = stored[front + "token_type_embeddings.weight"][0]
    weights["positions"] = stored[front + "position_embeddings.weight"] + segment
    for part in ("weight", "bias"):
        weights[f"norm.{part}"] = stored[f"{front}LayerNorm.{part}"]
    sizes = config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"]
    return Encoder(weights, *sizes, None)


def export(encoder: Encoder, folder: Path) -> dict[str, Path]:
    """Write an encoder in every kind of arithmetic."""
    files = {kind: folder / f"{kind.replace(' ', '-')}.onnx" for kind in KINDS}
    example = torch.ones((2, 5), dtype=torch.int64), torch.ones((2, 5), dtype=torch.bool)
    axes = {name: {0: "sentences", 1: "subwords"} for name in ("subwords", "present", "hidden")}
    torch.onnx.export(
        *(encoder.eval(), example, files["float32"]),
        input_names=["subwords", "present"],
        output_names=["hidden"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(files["float32"], files["int8"], per_channel=True, weight_type=QuantType.QInt8)
    options = {"bits": 8, "block_size": BLOCK, "is_symmetric": True, "accuracy_level": 4}
    blocks = matmul_nbits_quantizer.MatMulNBitsQuantizer(onnx.load(files["float32"]), **options)
    blocks.process()
    onnx.save(blocks.model.model, files["int8 in blocks"])
    return files


def session(file: Path, threads: int) -> onnxruntime.InferenceSession:
    """Load a file, with a number of threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def encode(loaded: onnxruntime.InferenceSession, batch: EncoderBatch) -> torch.Tensor:
    """Hidden states of a batch."""
    inputs = {"subwords": batch.subwords.numpy(), "present": batch.subword_mask.numpy()}
    return torch.from_numpy(loaded.run(None, inputs)[0])


@contextmanager
def engine(vectors: Path, parser: Path, threads: int) -> Iterator[None]:
    """Let ONNX Runtime do what the two encoders do."""
    of_vectors, of_parser = session(vectors, threads), session(parser, threads)
    with (
        patch.object(VectorNetwork, "__call__", lambda _, batch: encode(of_vectors, batch)),
        patch.object(SpanNetwork, "_encode", lambda _, batch: encode(of_parser, batch)),
    ):
        yield


def links_and_seconds(aligner: Aligner, pairs: Sequence[Any]) -> tuple[list[set[Any]], float]:
    """Links of each pair, and processor seconds of the faster of two runs."""
    found: list[set[Any]] = []
    seconds = []
    for _ in range(2):
        started = time.process_time()
        found = [
            set(one.words) if not isinstance(one, InputError) else set() for one in aligner.align_many(pairs)
        ]
        seconds.append(time.process_time() - started)
    return found, min(seconds)


@contextmanager
def timed(seconds: list[float]) -> Iterator[None]:
    """Add up the processor seconds of the two encoders."""

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            started = time.process_time()
            try:
                return function(*arguments)
            finally:
                seconds.append(time.process_time() - started)

        return call

    with (
        patch.object(VectorNetwork, "__call__", watched(VectorNetwork.__call__)),
        patch.object(SpanNetwork, "_encode", watched(SpanNetwork._encode)),
    ):
        yield


def start_seconds(code: str) -> float:
    """Seconds of a new Python that runs some code, the fastest of three."""
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def equal_links(found: Sequence[set[Any]], others: Sequence[set[Any]]) -> float:
    """Links that are in both alignments of a pair, in % of those in either."""
    common = sum(len(a & b) for a, b in zip(found, others, strict=True))
    return 100 * common / max(sum(len(a | b) for a, b in zip(found, others, strict=True)), 1)


def compare(name: str, pairs: Sequence[Any], files: Sequence[dict[str, Path]], threads: int) -> None:
    """Print the rows of one aligner."""
    native = load(name)
    with ExitStack() as stack:
        for module in (encoder_scorer, vector_network):
            stack.enter_context(patch.object(module, "native_dtype", lambda: torch.float32))
        exact = load(name)
        exact.align("He died.", "He passed away.")  # loads the networks
    bundled: list[set[Any]] = []
    for kind in ("torch", "torch, float32", *KINDS):
        aligner = exact if kind == "torch, float32" else native
        spent: list[float] = []
        with ExitStack() as stack:
            if kind in KINDS:
                vectors, parser = (one[kind] for one in files)
                stack.enter_context(engine(vectors, parser, threads))
            stack.enter_context(timed(spent))
            found, seconds = links_and_seconds(aligner, pairs)
            encoders = sum(spent) / 2
            alone = [set(aligner.align(*pair).words) for pair in pairs]
        bundled = bundled or found
        cells = [name, f"ONNX Runtime, {kind}" if kind in KINDS else kind, f"{len(pairs) / seconds:.1f}"]
        cells += [f"{encoders:.2f}", f"{equal_links(bundled, found):.2f}", f"{equal_links(found, alone):.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Export, measure and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pairs")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--aligner", nargs="+", default=["contextual", "forest"])
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    read = [pair for pair in read_pairs(options.pairs) if not isinstance(pair, InputError)][: options.limit]
    pairs = [tuple(one if one.tokens else one.text for one in (pair.source, pair.target)) for pair in read]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, encoder in (("vectors", vector_encoder()), ("parser", parser_encoder())):
            (Path(folder) / name).mkdir()
            logging.disable(logging.WARNING)  # every operator that is not quantized
            files.append(export(encoder, Path(folder) / name))
            logging.disable(logging.NOTSET)
        heads = ["aligner", "engine", "pairs a processor second", "seconds in the encoders"]
        heads += ["links as with torch, %", "links as of each pair alone, %"]
        print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
        for name in options.aligner:
            compare(name, pairs, files, options.threads)
        print("\n| start | seconds |\n|---|---|")
        print(f"| import torch | {start_seconds('import torch'):.2f} |")
        print(f"| import onnxruntime | {start_seconds('import onnxruntime'):.2f} |")
        for kind in KINDS:
            load_both = "; ".join(f"onnxruntime.InferenceSession({str(one[kind])!r})" for one in files)
            size = sum(one[kind].stat().st_size for one in files) / 1e6
            seconds = start_seconds(f"import onnxruntime; {load_both}")
            print(f"| the same, and both encoders as {kind} ({size:.0f} MB) | {seconds:.2f} |")


if __name__ == "__main__":
    main()
