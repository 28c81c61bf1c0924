"""Networks on devices: floating point on the processor, a pretended GPU, and a real one if it is there."""

# ruff: noqa: SIM905
from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
import torch

import forest_align
from forest_align.parsing import load_parser
from forest_align.parsing.networks.devices import Device, find_device
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.networks.vector_network import WordVectors
from forest_align.parsing.parser import Parser
from forest_align.parsing.parser_loading import MODELS
from forest_align.types import InputError, Sentence

from .pretended_device import Moved, PretendedGpu

SENTENCES = [
    "The cat sat on the mat .".split(),
    "After being ill for a long time , he died in New York City .".split(),
    ["Go"],
    "The committee which had met twice agreed that nothing could be done about it .".split(),
]
ON_GPU = Device("cuda", "float32", 1 << 14)


def test_the_processor_computes_in_its_own_arithmetic() -> None:
    assert find_device() == find_device("cpu") and find_device().place == "cpu"


@pytest.mark.parametrize("name", ["gpu", "", "cuda:", "cuda:x", "CPU", "mps", "meta", 0, None])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="expected cpu, cuda, cuda:N or auto, found") as refused:
        find_device(name)
    assert refused.value.field == "device"


@pytest.mark.parametrize(("there", "name"), [(0, "cuda"), (1, "cuda:1"), (2, "cuda:2")])
def test_a_device_that_is_not_there_is_refused(
    there: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: there)
    with pytest.raises(InputError, match=f"there is no device '{name}': torch finds {there} GPUs here"):
        find_device(name)


def test_auto_takes_a_gpu_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert find_device("auto") == find_device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert find_device("auto") == find_device("cuda") == Device("cuda", "float16", 1 << 14)
    assert find_device("cuda:1").place == "cuda:1"


def test_on_a_gpu_all_tensors_are_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = replace(ON_GPU, place="cpu")
    expected = EncoderScorer.read(MODELS / "en", device=plain).score(SENTENCES)
    vectors = WordVectors(device=plain)(SENTENCES)
    with PretendedGpu():
        scorer, make = EncoderScorer.read(MODELS / "en", device=ON_GPU), WordVectors(device=ON_GPU)
        found, made = scorer.score(SENTENCES), make(SENTENCES)
        assert scorer.tag(SENTENCES) == [one.tags for one in expected]
        network = scorer._network._network  # type: ignore[attr-defined]
        assert isinstance(network._cases, Moved) and isinstance(make.network._positions, Moved)
    for one, other, words in zip(found, expected, made, strict=True):
        assert one.tags == other.tags
        np.testing.assert_array_equal(one.vectors, words)
        np.testing.assert_array_equal(one.scores, other.scores)
    for one, other in zip(made, vectors, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_pretended_gpu_refuses_what_a_gpu_refuses() -> None:
    with PretendedGpu():
        there, here = torch.ones(2, device="cuda"), torch.ones(2)
        assert there.device.type == "cuda" and here.device.type == "cpu"
        assert (there + there).device.type == "cuda" and there.cpu().device.type == "cpu"
        with pytest.raises(RuntimeError, match="same device"):
            there + here
        with pytest.raises(TypeError, match="numpy"):
            there.numpy()
        assert there.cpu().numpy().tolist() == here.to("cuda").cpu().tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bits_parse_nearly_as_32_do(dtype: str) -> None:
    devices = (Device("cpu", kind, 1 << 14) for kind in ("float32", dtype))
    exact, rough = (
        Parser(EncoderScorer.read(MODELS / "en", device=device), vectors=WordVectors(device=device))
        for device in devices
    )
    for one, other in zip(exact.parse_many(SENTENCES), rough.parse_many(SENTENCES), strict=True):
        assert isinstance(one, Sentence) and isinstance(other, Sentence)
        assert one.forest.bracket(one.words) == other.forest.bracket(other.words)  # type: ignore[union-attr]
        assert (one.vectors * other.vectors).sum(1).min() > 0.999  # type: ignore[operator]


def test_a_batch_of_a_gpu_has_thousands_of_subwords() -> None:
    sizes = []

    class Watched:
        longest = 512

        def __init__(self, network: object) -> None:
            self._network = network

        def tags(self, sentences: list[object]) -> np.ndarray:
            sizes.append(len(sentences))
            return self._network.tags(sentences)  # type: ignore[attr-defined, no-any-return]

    for device, batches in ((find_device(), 5), (replace(ON_GPU, place="cpu"), 1)):
        scorer, sizes[:] = EncoderScorer.read(MODELS / "en", device=device), []
        scorer._network = Watched(scorer._network)  # type: ignore[assignment]
        scorer.tag([["cat"] * 48] * 60)
        assert len(sizes) == batches and sum(sizes) == 60


def test_a_gpu_is_asked_for_when_an_aligner_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for load in (forest_align.load, load_parser):
        with pytest.raises(InputError, match="there is no device 'cuda'"):
            load(device="cuda")
    assert forest_align.load("contextual", device="auto").device == "cpu"
    with pytest.raises(InputError, match="expected the name or folder of a parser beside a device"):
        forest_align.load("contextual", device="auto", parser=load_parser())


def test_beside_a_gpu_workers_align_and_this_process_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [(f"The cat {number} sat on a mat.", f"A cat {number} was sitting.") for number in range(24)]
    aligner = forest_align.load("contextual")
    expected = list(aligner.align_many(pairs, batch_size=8))
    aligner.device = "cuda"  # its parser is loaded already, on the processor
    prepare, align, places = aligner.prepare, aligner.align_prepared, []

    def prepare_here(*arguments: object) -> object:
        places.append(os.getpid())
        return prepare(*arguments)  # type: ignore[arg-type]

    def align_elsewhere(*arguments: object) -> object:
        assert os.getpid() != here or not places[1:]  # the first pair loads the models
        return align(*arguments)  # type: ignore[arg-type]

    here = os.getpid()
    monkeypatch.setattr(aligner, "prepare", prepare_here)
    monkeypatch.setattr(aligner, "align_prepared", align_elsewhere)
    found = list(aligner.align_many(pairs, batch_size=8, workers=2))
    assert [one.to_json() for one in found] == [one.to_json() for one in expected]
    assert len(places) == 4 and set(places) == {here}


def test_a_parser_on_a_gpu_takes_one_process() -> None:
    parser = load_parser()
    parser.device = "cuda"
    with pytest.raises(InputError, match="a parser on a GPU takes one process"):
        list(parser.parse_many(["He died."], workers=2))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that torch can use")
def test_a_gpu_aligns_nearly_as_a_processor_does() -> None:
    pairs = [("The cat sat on the mat.", "A cat was sitting on the mat."), ("He died.", "He passed away.")]
    here, there = forest_align.load("forest"), forest_align.load("forest", device="cuda")
    assert there.device == "cuda" and there.parser.device == "cuda"
    for one, other in zip(here.align_many(pairs), there.align_many(pairs, workers=2), strict=True):
        assert one.words.pairs == other.words.pairs
        assert one.source_tree == other.source_tree and one.target_tree == other.target_tree
        assert other.log_probability == pytest.approx(one.log_probability, abs=0.3)
