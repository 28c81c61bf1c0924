"""Chunk alignment F1 by hand, and against a second implementation of the shared task's formulas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.data.formats.format import ChunkLink
from forest_align.eval.metrics.chunk_scores import (
    CHUNK_F1S,
    chunk_relation_statistics,
    count_chunk_relations,
    count_chunks,
    score_chunks,
)
from forest_align.types import InputError

GUARD, CAMP_GUARD = ["a", "guard", ",", "dies", "."], ["the", "camp", "guard", "dies"]


def test_the_first_headlines_pair_scores_what_the_official_script_prints() -> None:
    source = ["Former", "Nazi", "death", "camp", "guard", "Demjanjuk", "dead", "at", "91"]
    target = [
        *("John", "Demjanjuk", ",", "convicted", "Nazi", "death", "camp", "guard"),
        *(",", "dies", "aged", "91"),
    ]
    gold = [((7, 8), (10, 11)), (range(6), (0, 1, 3, 4, 5, 6, 7)), ((6,), (9,))]
    # Overlapping chunks, a token aligned twice, punctuation inside chunks.
    found = [(range(6), range(3)), (range(6), range(3, 8)), ((6, 7, 8), (10, 11)), ((2,), (8, 9))]
    counts = count_chunks(source, target, gold, found)
    assert (counts[1], counts[3]) == (pytest.approx(8), pytest.approx(9))
    scores = score_chunks([counts]).scores
    assert scores.precision == pytest.approx(0.901042, abs=5e-7)
    assert scores.recall == pytest.approx(0.888889, abs=5e-7)
    assert scores.f1 == pytest.approx(0.8949, abs=5e-5)


@pytest.mark.parametrize(("s", "t"), [(5, 0), (-1, 0), (0, 4), (0, -1)])
def test_an_index_out_of_range_is_an_error(s: int, t: int) -> None:
    message = rf"chunk link {s}-{t} is out of range: the sentences have 5 and 4 tokens"
    for gold, found in (([], [((s,), (t,))]), ([((s,), (t,))], [])):
        with pytest.raises(InputError, match=message):
            count_chunks(GUARD, CAMP_GUARD, gold, found)


MARKS = [".", ",", ":", "'", "`", "?", ";", '"', "-"]

OTHERS = ["dog", "--", "...", "''", "!", "(", "'s", "—"]


SENTENCE = st.lists(st.sampled_from(MARKS + OTHERS), min_size=5, max_size=5)

CHUNKS = st.lists(st.tuples(st.sets(st.integers(0, 4)), st.sets(st.integers(0, 4))), max_size=4)


def naive_links(source: list[str], target: list[str], chunks: list) -> list[tuple[int, int]]:
    return [
        (s, t)
        for s in range(5)
        for t in range(5)
        if source[s] not in MARKS
        and target[t] not in MARKS
        and any(s in ours and t in theirs for ours, theirs in chunks)
    ]


def naive_share(of: list[tuple[int, int]], others: list[tuple[int, int]]) -> tuple[float, float]:
    """Weight of the links that are also among the others, and of all, by the fanouts of ``of``."""
    shared = total = 0.0
    for s, t in of:
        weight = 1 / max(sum(link[0] == s for link in of), sum(link[1] == t for link in of))
        total += weight
        shared += weight * ((s, t) in others)
    return shared, total


@given(st.lists(st.tuples(SENTENCE, SENTENCE, CHUNKS, CHUNKS), min_size=1, max_size=3))
def test_precision_and_recall_equal_a_naive_implementation_over_all_marks(corpus) -> None:
    rows, sums = [], [0.0, 0.0, 0.0, 0.0]
    for source, target, gold, found in corpus:
        rows.append(count_chunks(source, target, gold, found))
        wanted, made = (naive_links(source, target, chunks) for chunks in (gold, found))
        for place, value in enumerate((*naive_share(made, wanted), *naive_share(wanted, made))):
            sums[place] += value
    result = score_chunks(rows)
    scores = result.scores
    assert result.statistics()["f1"].value == pytest.approx(scores.f1)
    assert scores.precision == pytest.approx(sums[0] / sums[1] if sums[1] else 0)
    assert scores.recall == pytest.approx(sums[2] / sums[3] if sums[3] else 0)


SOURCE, TARGET = ["the", "red", "dog", ",", "barked"], ["a", "dog", ".", "ran"]


def scores(gold: list[ChunkLink], found: list[ChunkLink]) -> list[float]:
    statistics = chunk_relation_statistics([count_chunk_relations(SOURCE, TARGET, gold, found)])
    assert tuple(statistics) == CHUNK_F1S
    return [round(one.value, 6) for one in statistics.values()]


def dog(type: str, score: str) -> list[ChunkLink]:
    return [ChunkLink((2,), (1,), type, score)]


@pytest.mark.parametrize(
    ("gold", "found", "expected"),
    [
        (("EQUI", "5"), ("EQUI", "5"), [1, 1, 1, 1]),
        (("EQUI", "5"), ("OPPO", "4"), [1, 0, 0.8, 0]),
        (("SIMI", "3"), ("SIMI", "1"), [1, 1, 0.6, 0.6]),
        (("SPE1_FACT", "4"), ("SPE1", "4"), [1, 0.5, 1, 0.5]),
        # Types do not matter here, in either direction.
        (("EQUI", "5"), ("SPE1", "4"), [1, 0, 0.8, 0.8]),
        (("SIMI", "4"), ("EQUI", "5"), [1, 0, 0.8, 0.8]),
        (("EQUI", "5"), ("SIMI", "3"), [1, 0, 0.6, 0]),
        (("EQUI", "5"), ("REL", "4"), [1, 0, 0.8, 0]),
        (("SPE1", "2"), ("REL", "1"), [1, 0, 0.8, 0.8]),
        (("SPE1", "3"), ("REL", "2"), [1, 0, 0.8, 0]),
        (("OPPO", "2"), ("REL", "2"), [1, 0, 1, 0]),
        # One of two types in common, but not the one that says how similar they are: 2 of 2.
        (("EQUI_FACT", "5"), ("SIMI_FACT", "5"), [1, round(1 / 3, 6), 1, 1]),
        (("EQUI_FACT", "5"), ("SIMI", "5"), [1, 0, 1, 0.5]),
        (("NOALI", "NIL"), ("EQUI", "5"), [1, 0, 0, 0]),
    ],
)
def test_a_shared_link_counts_by_types_and_scores(gold, found, expected) -> None:
    assert scores(dog(*gold), dog(*found)) == expected


def test_links_weigh_by_the_fanouts_of_each_side() -> None:
    gold = [ChunkLink((0, 1, 2), (0, 1), "SPE1", "4"), ChunkLink((4,), (3,), "REL", "3")]
    found = [ChunkLink((2,), (1,), "SPE1", "4"), ChunkLink((4,), (3,), "SIMI", "3")]
    # Prediction: two links of weight 1. Gold: six links of 1/3 and one of 1.
    assert scores(gold, found)[0] == round(2 * (1 * 4 / 9) / (1 + 4 / 9), 6)
    precision, recall = 1 / 2, (1 / 3) / 3
    assert scores(gold, found)[1] == round(2 * precision * recall / (precision + recall), 6)


def test_a_chunk_beyond_the_sentence_is_refused() -> None:
    with pytest.raises(InputError, match="out of range"):
        scores(dog("EQUI", "5"), [ChunkLink((2,), (9,), "EQUI", "5")])


TOKENS = st.sets(st.integers(0, 3), min_size=1, max_size=3).map(lambda chosen: tuple(sorted(chosen)))

LABELS = st.tuples(st.sampled_from(["EQUI", "SPE1", "REL", "OPPO_POL"]), st.sampled_from("12345"))

TYPED_CHUNKS = st.lists(
    st.builds(lambda s, t, label: ChunkLink(s, t, *label), TOKENS, TOKENS, LABELS), max_size=3
)


@given(TYPED_CHUNKS, TYPED_CHUNKS)
def test_the_first_figure_is_that_of_alignments_alone_and_bounds_the_others(gold, found) -> None:
    values = scores(gold, found)
    pairs = ([(chunk.source, chunk.target) for chunk in side] for side in (gold, found))
    alone = score_chunks([count_chunks(SOURCE, TARGET, *pairs)]).scores.f1
    assert values[0] == pytest.approx(alone, abs=1e-6)
    assert max(values[1:]) <= values[0] + 1e-9 and values[3] <= values[2] + 1e-9
    assert scores(gold, gold)[0] == scores(gold, gold)[3] == (1 if any(links(gold)) else 0)


def links(chunks: list[ChunkLink]) -> list[tuple[int, int]]:
    return [(i, j) for chunk in chunks for i in chunk.source for j in chunk.target if i != 3 and j != 2]
