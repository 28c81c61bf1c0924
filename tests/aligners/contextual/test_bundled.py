"""The bundled link model with the bundled parser: the whole way from text, and no worse than it was."""

from __future__ import annotations

import zlib
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import forest_align
from forest_align.aligners.contextual.aligner import ContextualAligner, bundled_model
from forest_align.aligners.words.lexical import ContextualCandidates
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.eval.metrics.word_scores import WordPair, score_words
from forest_align.types import Sentence

from ...places import SHARED

MTREF = SHARED / "data" / "alignment" / "mtref" / "dev.tsv"


@pytest.fixture(scope="module")
def aligner() -> ContextualAligner:
    return ContextualAligner.load()


def test_text_goes_in_and_links_with_probabilities_come_out(aligner: ContextualAligner) -> None:
    alignment = forest_align.align(
        "The committee rejected the proposal on Monday.",
        "On Monday, the proposal was turned down.",
        aligner=aligner,
    )
    pairs = {(alignment.source.words[i], alignment.target.words[j]) for i, j in alignment.words}
    assert {("proposal", "proposal"), ("Monday", "Monday"), ("rejected", "turned"), (".", ".")} <= pairs
    assert alignment.words.scores is not None and all(
        aligner.threshold <= score <= 1 for score in alignment.words.scores
    )
    assert (0, 2) in alignment.unaligned_source  # the committee


def test_an_empty_sentence_fails_alone(aligner: ContextualAligner) -> None:
    results = list(aligner.align_many([("A cat.", "A dog."), ("", "A dog."), ("A cat.", "A cat.")]))
    assert [bool(result.error) for result in results] == [False, True, False]
    assert results[2].words.pairs == ((0, 0), (1, 1), (2, 2))


def test_swapped_texts_give_transposed_links(aligner: ContextualAligner) -> None:
    one, two = "Mr. Merino's home in New York was attacked.", "An attack hit Francisco Merino's NYC home."
    assert aligner.align(one, two).words == aligner.align(two, one).words.swap()


@pytest.mark.parametrize(
    ("one", "two", "pairs"),
    [
        (
            "The tall boy saw the short boy.",
            "The short boy was seen by the tall boy.",
            [(0, 6), (1, 7), (2, 8), (3, 4), (4, 0), (5, 1), (6, 2), (7, 9)],
        ),
        (
            "The teacher praised the student.",
            "The student was praised by the teacher.",
            [(0, 5), (1, 6), (2, 3), (3, 0), (4, 1), (5, 7)],
        ),
        (
            "The old king and the young king liked the castle.",
            "The young king and the old king liked the castle.",
            [(0, 4), (1, 5), (2, 6), (3, 3), (4, 0), (5, 1), (6, 2), (7, 7), (8, 8), (9, 9), (10, 10)],
        ),
    ],
)
def test_equal_words_are_told_apart_by_what_stands_beside_them(
    aligner: ContextualAligner, one: str, two: str, pairs: list[tuple[int, int]]
) -> None:
    assert list(aligner.align(one, two).words.pairs) == pairs


def test_candidates_hold_every_link(aligner: ContextualAligner) -> None:
    alignment = aligner.align("He bought a car.", "He purchased an automobile.")
    assert isinstance(alignment.source, Sentence)
    proposed = ContextualCandidates(aligner).candidates(alignment.source, alignment.target)
    cells = {(c.source[0], c.target[0]) for c in proposed if not c.is_group}
    assert set(alignment.words) <= cells


@pytest.mark.skipif(not MTREF.exists(), reason="needs shared/data/alignment/mtref, see CONTRIBUTING.md")
def test_f1_on_a_part_of_the_mtref_development_set(aligner: ContextualAligner) -> None:
    pairs = [pair for pair in islice(read_pairs(MTREF), 80) if isinstance(pair, SentencePair)]
    alignments = aligner.align_many([(pair.source, pair.target) for pair in pairs])
    scored = [
        WordPair(pair.source.words, pair.target.words, pair.links, result.words)
        for pair, result in zip(pairs, alignments, strict=True)
        if pair.links is not None
    ]
    assert score_words(scored).counts.macro().f1 > 0.86


def test_the_bundled_model_says_what_it_was_trained_on() -> None:
    model = bundled_model()
    assert model.card["trained on"] and 0.3 <= model.threshold <= 0.7


# Probabilities in thousandths of the two sentences below, as the bundled model gave them when it was made.
TABLE = """
  4   1  37 778  40   8  41   2  64   1   0
  1   4   9  53 385  90  73   2  64   9   1
  4   1   6   7  82 425 165   1  65  38   3
  0   1   1   1   9  21   6   2  71 860   0
  7   5  50  19  32  79 169   8 138  57   4
  3   8  45  14  40  52 181  71  37   8   1
  1   1   3   4   1   1  11 620   5   2   0
998   1   3   2   9   0   5   2   4   0   0
  0 984  34   2   1   9   4   1   3   1   0
  1   0 111   0   1   1   0   0   1   0 978
"""


def made_up(text: str, tags: str, size: int) -> Sentence:
    """A sentence with vectors of its own; words with the same four first letters have similar ones."""

    def drawn(key: str) -> np.ndarray:
        return np.random.default_rng(zlib.crc32(key.encode())).normal(size=size)

    words = text.split()
    rows = [
        drawn(word.lower()[:4]) + 0.6 * drawn(f"noise{k}{word}") + 0.8 * drawn("all")
        for k, word in enumerate(words)
    ]
    vectors = np.array(rows) / np.linalg.norm(rows, axis=1, keepdims=True)
    return replace(Sentence.from_words(words, tags.split()), vectors=vectors.astype(np.float32))


def test_the_bundled_model_gives_the_probabilities_that_it_was_made_with(aligner: ContextualAligner) -> None:
    size = len(aligner.model.mean)
    sides = (
        made_up(
            "The committee rejected plans of Mr. Smith on Monday .", "DT NN VBD NNS IN NNP NNP IN NNP .", size
        ),
        made_up(
            "On Monday , the panel turned down Smith 's plan .", "IN NNP , DT NN VBD RP NNP POS NN .", size
        ),
    )
    expected = np.array([row.split() for row in TABLE.strip().splitlines()], dtype=float) / 1000
    for one, two, table in ((*sides, expected), (*sides[::-1], expected.T)):
        np.testing.assert_allclose(aligner.link_probabilities(one, two), table, atol=1.5e-3)
