"""From probabilities to links: the threshold, where it comes from and where it goes to."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.contextual.aligner import ContextualAligner, most_likely_links
from forest_align.aligners.contextual.model import LinkModel
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.lexicon.pair_table import PairTable
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, ModelError, Sentence

PROBABILITY = np.array([[0.9, 0.25, 0.0], [0.5, 0.3, 1.0]], dtype=np.float32)
SOURCE, TARGET = Sentence.from_words(["one", "two"]), Sentence.from_words(["a", "b", "c"])


class Told:
    """A link model that has been told its answer."""

    threshold = 0.5

    def __init__(self, probability: np.ndarray) -> None:
        self.probability = probability

    def link_probabilities(self, source: Sentence, target: Sentence, evidence: np.ndarray) -> np.ndarray:
        return self.probability if len(source) == len(self.probability) else self.probability.T


def told(threshold: float | None = None, probability: np.ndarray = PROBABILITY) -> ContextualAligner:
    return ContextualAligner(Told(probability), threshold=threshold)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (None, {(0, 0), (1, 0), (1, 2)}),
        (0.25, {(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)}),
        (0.0, {(i, j) for i in range(2) for j in range(3)}),
        (0.6, {(0, 0), (1, 2)}),
        (1.0, {(1, 2)}),
    ],
)
def test_links_are_the_cells_from_the_threshold_on_and_an_alignment_is_as_likely_as_its_cells(
    threshold: float | None, expected: set[tuple[int, int]]
) -> None:
    alignments = told(threshold).align_prepared(SOURCE, TARGET)
    assert (alignments.aligner, set(alignments.words)) == ("contextual", expected)
    assert list(alignments.words) == sorted(expected)
    assert alignments.words.scores == pytest.approx([float(PROBABILITY[pair]) for pair in sorted(expected)])
    chances = [
        PROBABILITY[i, j] if (i, j) in expected else 1 - PROBABILITY[i, j]
        for i, j in np.ndindex(PROBABILITY.shape)
    ]
    # No cell is less likely than 1e-7: log-probabilities stay finite.
    logarithms = [math.log(max(float(chance), 1e-7)) for chance in chances]
    assert alignments.log_probability == pytest.approx(sum(logarithms), abs=1e-5)


def test_an_alignment_and_its_transpose_are_equally_likely_to_the_last_digit() -> None:
    table = np.random.default_rng(1).random((17, 23)).astype(np.float32)
    sides = Sentence.from_words(["x"] * 17), Sentence.from_words(["x"] * 23)
    there, back = (told(probability=table).align_prepared(*pair) for pair in (sides, sides[::-1]))
    assert there.log_probability == back.log_probability
    assert there.words == back.words.swap()


def test_the_threshold_that_is_given_goes_into_settings_and_folders_and_comes_before_theirs(
    tmp_path: Path, bundled: LinkModel
) -> None:
    assert told().settings == {"threshold": 0.5}
    assert told(0.0).settings == {"threshold": 0.0}
    ContextualAligner(bundled, threshold=0.25).save(tmp_path)
    assert ContextualAligner.load(tmp_path).threshold == 0.25
    assert ContextualAligner.load(tmp_path, threshold=0.75).threshold == 0.75
    changed = told(0.25).with_values({"threshold": 0.75})
    assert (changed.threshold, changed.align_prepared(SOURCE, TARGET).words.pairs) == (0.75, ((0, 0), (1, 2)))


def test_a_tuned_threshold_is_saved_with_the_model(tmp_path: Path) -> None:
    aligner = ContextualAligner()
    aligner.with_values({"threshold": 0.25}).save(tmp_path)
    assert ContextualAligner.load(tmp_path).threshold == 0.25 != aligner.threshold


@pytest.fixture(scope="module")
def bundled() -> LinkModel:
    return ContextualAligner.load().model


@pytest.mark.parametrize("threshold", [-0.01, 1.01, math.nan, "0.5", True])
def test_a_threshold_that_is_no_probability_is_refused(threshold: Any) -> None:
    with pytest.raises(InputError, match=r"field 'threshold': expected a probability, found"):
        ContextualAligner(threshold=threshold)


def test_both_word_aligners_have_parsed_what_it_reads_and_no_more() -> None:
    tree = sentence_from_bracket("(NP (DT a) (NN cat))")
    vectors = np.ones((2, 3), dtype=np.float32)
    with_tree = tree
    with_vectors = replace(Sentence.from_words(["a", "cat"]), vectors=vectors)
    asked: list[str] = []

    class Recorder:
        def parse_many(self, texts: list[object], batch_size: int = 32) -> list[Sentence]:
            asked.append("parse")
            return self.with_vectors([tree] * len(texts), asked_for=False)

        def with_vectors(self, sentences: list[Sentence], asked_for: bool = True) -> list[Sentence]:
            asked.extend(["vectors"] * asked_for)
            return [replace(one, vectors=vectors) for one in sentences]

    def lacks(
        kind: type[ContextualAligner | SultanAligner], sentence: Sentence, ppdb: PairTable | None = None
    ) -> list[str]:
        asked.clear()
        aligner = kind(parser=Recorder(), ppdb=ppdb)  # type: ignore[arg-type]
        (ready,) = aligner.prepare([sentence])
        assert isinstance(ready, Sentence)
        assert (ready.vectors if kind is ContextualAligner else ready.forest) is not None
        return list(asked)

    plain = Sentence.from_words(["a", "cat"])
    assert [lacks(ContextualAligner, one) for one in (plain, with_tree, with_vectors)] == [
        ["parse"],
        ["vectors"],
        [],
    ]
    assert [lacks(SultanAligner, one) for one in (plain, with_tree, with_vectors)] == [
        ["parse"],
        ["vectors"],  # which stand for a table of paraphrases
        ["parse"],
    ]
    assert lacks(SultanAligner, with_tree, PairTable([("cat", "tomcat")])) == []


def test_vectors_of_another_parser_and_missing_ones_are_told_apart(bundled: LinkModel) -> None:
    aligner = ContextualAligner(bundled)
    size = len(bundled.mean)
    good, other = (
        replace(Sentence.from_words(["x"]), vectors=np.ones((1, k), np.float32)) for k in (size, size + 1)
    )
    for pair in ((good, other), (other, good)):
        with pytest.raises(
            ModelError, match=f"word vectors of {size} numbers, found {size + 1}: .* other ones"
        ):
            aligner.align_prepared(*pair)
    for pair in ((good, Sentence.from_words(["x"])), (Sentence.from_words(["x"]), good)):
        with pytest.raises(InputError, match="needs word vectors, which the parser gives"):
            aligner.align_prepared(*pair)


def chosen(
    source: str, target: str, rows: list[list[float]], threshold: float = 0.5
) -> list[tuple[int, int]]:
    words = source.split(), target.split()
    links, log_probability = most_likely_links(words, np.array(rows, dtype=np.float32), threshold)
    table = np.array(rows)
    linked = np.zeros(table.shape, dtype=bool)
    for pair in links:
        linked[pair] = True
    assert links.scores == pytest.approx(tuple(table[pair] for pair in links))
    wanted = np.log(np.maximum(np.where(linked, table, 1 - table), 1e-7)).sum()
    assert log_probability == pytest.approx(wanted, rel=1e-5)
    return list(links.pairs)


def test_words_are_linked_from_the_threshold_on() -> None:
    rows = [[0.5, 0.4], [0.9, 0.49]]
    assert chosen("a b", "c d", rows) == [(0, 0), (1, 0)]
    assert chosen("a b", "c d", rows, 0.49) == [(0, 0), (1, 0), (1, 1)]


def test_repeated_words_that_share_their_probability_are_linked_one_to_one() -> None:
    rows = [[0.25, 0.3], [0.4, 0.2]]
    assert chosen("John john", "JOHN John", rows) == [(0, 1), (1, 0)]
    # Other words are not, nor those that stand once on one side.
    assert chosen("John Mary", "John John", rows) == []
    assert chosen("a b", "c d", rows) == []


def test_a_repeated_word_needs_probability_that_adds_up_to_the_threshold() -> None:
    # The second word of the source has too little, and so has then the first one of the target.
    assert chosen("a a", "a a", [[0.1, 0.45], [0.1, 0.3]]) == [(0, 1)]
    assert chosen("a a", "a a", [[0.3, 0.19], [0.19, 0.3]]) == []
    assert chosen("a a", "a a", [[0.3, 0.19], [0.19, 0.3]], 0.45) == [(0, 0), (1, 1)]
    # What it has with other words does not count.
    assert chosen("a a b", "a a b", [[0.2, 0.2, 0.4], [0.2, 0.2, 0.4], [0.0, 0.0, 0.9]]) == [(2, 2)]


def test_what_is_linked_takes_no_part() -> None:
    # The first word has its link; the second has no other word left that is as likely as it must be.
    assert chosen("a a", "a a", [[0.6, 0.4], [0.4, 0.4]]) == [(0, 0)]
    assert chosen("a a a", "a a a", [[0.6, 0.1, 0.1], [0.4, 0.3, 0.3], [0.1, 0.35, 0.2]]) == [
        (0, 0),
        (1, 2),
        (2, 1),
    ]
    # A link with another word is a link as well: what the linked one had with equal words does not count.
    assert chosen("a a", "a a b", [[0.3, 0.3, 0.8], [0.3, 0.3, 0.1]]) == [(0, 2)]
    assert chosen("a a", "a a b", [[0.3, 0.3, 0.8], [0.5, 0.3, 0.1]], 0.5) == [(0, 2), (1, 0)]


def test_a_certain_set_of_links_has_a_finite_probability() -> None:
    assert chosen("a b", "c", [[0.0], [1.0]], 0.0) == [(0, 0), (1, 0)]


def test_the_most_probable_come_first_then_those_from_the_left() -> None:
    assert chosen("a a", "b b a a", [[0.0, 0.0, 0.25, 0.25], [0.0, 0.0, 0.25, 0.25]]) == [(0, 2), (1, 3)]
    assert chosen("a a", "a a", [[0.3, 0.3], [0.3, 0.3]]) == [(0, 0), (1, 1)]
    assert chosen("a a a", "a a", [[0.3, 0.3], [0.3, 0.3], [0.3, 0.3]]) == [(0, 0), (1, 1)]
    assert chosen("a a", "a a", [[0.3, 0.31], [0.3, 0.3]]) == [(0, 1), (1, 0)]


@given(data=st.data(), n=st.integers(0, 6), m=st.integers(0, 6), threshold=st.sampled_from([0.0, 0.3, 0.5]))
def test_swapped_sentences_have_the_transposed_links(
    data: st.DataObject, n: int, m: int, threshold: float
) -> None:
    words = [data.draw(st.lists(st.sampled_from("aAb"), min_size=k, max_size=k)) for k in (n, m)]
    values = st.sampled_from([0.0, 0.1, 0.25, 0.26, 0.4, 0.7, 1.0])
    rows = data.draw(st.lists(values, min_size=n * m, max_size=n * m))
    table = np.array(rows, dtype=np.float32).reshape(n, m)
    links, log_probability = most_likely_links((words[0], words[1]), table, threshold)
    other, other_log = most_likely_links((words[1], words[0]), table.T, threshold)
    assert links.swap() == other and log_probability == pytest.approx(other_log)
    certain = {(i, j) for i in range(n) for j in range(m) if table[i, j] >= threshold}
    added = set(links) - certain
    assert certain <= set(links)
    for i, j in added:
        assert words[0][i].lower() == words[1][j].lower()
        assert sum(i == a or j == b for a, b in links) == 1
