"""The ablation takes one part of the forest aligner away and leaves the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.eval.benchmarks.table_aligners import VARIANTS, ablated
from forest_align.parsing.forests.trees import sentence_from_n_best
from forest_align.types import InputError, Sentence

TREES = (
    "-0.1\t(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (NP (NN wood)) (PP (IN in) (NP (NN town))))))\n"
    "-0.9\t(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (NN wood)) (PP (IN in) (NP (NN town)))))\n"
)
SENTENCE = sentence_from_n_best(TREES.splitlines())


class TwoTrees:
    def parse_many(self, sentences: Sequence[Sequence[str]], batch_size: int = 32) -> Iterator[Sentence]:
        return (SENTENCE for _ in sentences)


def full() -> ForestAligner:
    return ForestAligner(parser=TwoTrees(), candidates="dictionary")  # type: ignore[arg-type]


def roots(aligner: ForestAligner) -> int:
    (sentence,) = aligner.prepare(["the man saw wood in town"])
    assert isinstance(sentence, Sentence) and sentence.forest is not None
    return len(list(sentence.forest.trees(sentence.words)))


def test_every_variant_lacks_one_part_only() -> None:
    aligner = full()
    found = {name: ablated(aligner, name) for name in VARIANTS}
    assert {name: roots(one) for name, one in found.items()} == {"monotonic": 2, "without-em": 2, "1-best": 1}
    options = aligner.model.options
    assert (
        math.isfinite(options.noncompositional_penalty)
        and aligner.model.weights.any()
        and aligner.model.lexical
    )
    assert found["monotonic"].model.options == replace(options, noncompositional_penalty=None)
    assert found["without-em"].model.options == found["1-best"].model.options == options
    assert not found["without-em"].model.weights.any() and not found["without-em"].model.lexical
    for name in ("monotonic", "1-best"):
        assert found[name].model.lexical is aligner.model.lexical


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(InputError, match="expected one of monotonic, without-em, 1-best, found 'no-trees'"):
        ablated(full(), "no-trees")
