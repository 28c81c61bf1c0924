"""Running an aligner over a benchmark: resumed predictions, shared parses, a method without a part."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.alignment import Alignment, Links
from forest_align.cli.commands.benchmark import IdentityAligner
from forest_align.eval.benchmarks.report import report
from forest_align.eval.benchmarks.runner import (
    VARIANTS,
    ParseOnce,
    Prediction,
    Run,
    ablated,
    read_predictions,
    run_task,
)
from forest_align.eval.benchmarks.task import Figures, Task
from forest_align.parsing.forests.trees import sentence_from_n_best
from forest_align.types import ForestAlignError, InputError, Sentence

PAIR = Sentence.from_words(["a", "b"]), Sentence.from_words(["a"])

TASK = Task(["1", "2"], [PAIR, PAIR], lambda alignments: [])


def test_a_pair_that_failed_keeps_its_name_and_sentences() -> None:
    def align_many(pairs) -> Iterator[Alignment]:
        first, _ = pairs
        yield replace(Alignment.failed("too long"), aligner="x")
        yield IdentityAligner().align(*first)

    failed, good = (prediction.alignment for prediction in run_task(TASK, align_many))
    assert (failed.id, failed.error, failed.source.words) == ("1", "too long", ("a", "b"))
    assert (good.id, good.words.pairs) == ("2", ((0, 0),))


@pytest.mark.parametrize(("returned", "message"), [(1, "ended before pair '2'"), (3, "more .* than the 2")])
def test_one_alignment_a_pair_is_expected(returned: int, message: str) -> None:
    with pytest.raises(ForestAlignError, match=message):
        list(run_task(TASK, lambda pairs: [IdentityAligner().align(*PAIR)] * returned))


def test_other_tokens_name_the_pair() -> None:
    other = Alignment(PAIR[1], PAIR[0])
    with pytest.raises(ForestAlignError, match="changed the tokens of pair '1'"):
        list(run_task(TASK, lambda pairs: [other] * 2))


def test_a_threshold_that_nothing_reaches_is_null_in_the_report(tmp_path: Path) -> None:
    figures = Figures("msrp", {"accuracy": 50.0, "threshold": math.inf}, {})
    values = report(Run("msrp", "dev", "x", [], [figures], 1.0), [], tmp_path, 0, {}, [])
    json.dumps(values, allow_nan=False)
    table = values["tables"]["msrp"]  # type: ignore[index]
    assert table["values"] == {"accuracy": 50.0, "threshold": None}


TWO_AND_ONE = Sentence.from_words(["a", "b"]), Sentence.from_words(["c"])

OTHER_TASK = Task(["1", "2"], [TWO_AND_ONE, TWO_AND_ONE], lambda alignments: [])


def prediction(name: str) -> Prediction:
    vectors = np.array([[1.0, 0.0], [0.0, 2.0]], np.float32), np.array([[-3.0, 3.0]], np.float32)
    source, target = (
        Sentence(sentence.tokens, text=sentence.text, vectors=rows)
        for sentence, rows in zip(TWO_AND_ONE, vectors, strict=True)
    )
    links = Links.of([(0, 0), (1, 0)], scores=[0.1, 1 / 3])
    return Prediction.of(Alignment(source, target, links, id=name))


def test_similarities_are_cosines_of_at_least_zero_and_vectors_are_dropped() -> None:
    found = prediction("1")
    assert found.similarities == (0.0, pytest.approx(0.5**0.5))
    assert found.alignment.source.vectors is None
    assert found.alignment.words.scores == (0.1, 1 / 3)


def test_the_same_word_is_fully_similar_whatever_its_vectors() -> None:
    sides = [
        Sentence(Sentence.from_words([word]).tokens, text=word, vectors=np.array([vector], np.float32))
        for word, vector in (("Dog", [1.0, 0.0]), ("dog", [0.6, 0.8]))
    ]
    assert Prediction.of(Alignment(*sides, Links.of([(0, 0)]))).similarities == (1.0,)


def test_an_unfinished_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    assert read_predictions(path, OTHER_TASK) == []
    path.write_text(prediction("1").to_line() + prediction("2").to_line()[:30], encoding="utf-8")
    assert [found.to_line() for found in read_predictions(path, OTHER_TASK)] == [prediction("1").to_line()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            prediction("2").to_line(),
            "1: cannot resume: expected the alignment of pair '1', found that of '2'",
        ),
        (
            prediction("1").to_line() + prediction("2").to_line() + prediction("3").to_line(),
            "cannot resume: expected at most 2 lines, one per pair, found 3",
        ),
        (
            prediction("1").to_line().replace('["c"]', '["x"]').replace('"text": "c"', '"text": "x"'),
            "the target of pair '1' is 'c' now and 'x' in it",
        ),
        (prediction("1").to_line().replace("[0.0, ", '["x", '), "field 'word_similarities[0]'"),
        (prediction("1").to_line().replace("[0.0, ", "[2.5, "), "from 0 to 1, found 2.5"),
        ("caf\u00e9\n", "1: not JSON"),
        (prediction("1").to_line() + "{}\n", "predictions.jsonl:2: "),
        (prediction("1").alignment.to_json() + "\n", "word_similarities"),
    ],
)
def test_predictions_of_something_else_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_predictions(path, OTHER_TASK)
    assert message in str(caught.value)


class Counting:
    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def parse_many(self, sentences, batch_size):
        for words in sentences:
            self.asked.append(words)
            yield Sentence.from_words(words) if words != ("bad",) else InputError("bad")


def test_each_sentence_is_parsed_once_and_comes_out_wherever_it_stands() -> None:
    parser = Counting()
    shared = ParseOnce(parser)
    first = list(shared.parse_many([["a"], ["b", "c"], ["a"], ["bad"]]))
    assert [one.words for one in first[:3]] == [("a",), ("b", "c"), ("a",)]
    again = list(shared.parse_many([["bad"], ["d"], ["a"]], 8))
    assert again[0] is first[3] and again[2] is first[0]
    assert parser.asked == [("a",), ("b", "c"), ("bad",), ("d",)]


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
