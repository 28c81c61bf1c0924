"""Chunk alignment F1 by hand, and against a second implementation of the shared task's formulas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.chunk_scores import count_chunks, score_chunks
from forest_align.types import InputError

SOURCE, TARGET = ["a", "guard", ",", "dies", "."], ["the", "camp", "guard", "dies"]


def test_a_token_linked_to_three_weighs_a_third_each() -> None:
    # gold: [a guard] ↔ [the camp guard], [dies] ↔ [dies]; prediction: guard ↔ guard, dies ↔ dies
    gold = [((0, 1), (0, 1, 2)), ((3,), (3,))]
    counts = count_chunks(SOURCE, TARGET, gold, [((1,), (2,)), ((3,), (3,))])
    # six gold links of weight 1/3 and one of 1; of the shared two, the gold weighs one 1/3
    assert counts == pytest.approx((2, 2, 1 / 3 + 1, 3))
    scores = score_chunks([counts]).scores
    assert (scores.precision, scores.recall) == (1, pytest.approx(4 / 9))


def test_the_first_headlines_pair_scores_what_the_official_script_prints() -> None:
    source = ["Former", "Nazi", "death", "camp", "guard", "Demjanjuk", "dead", "at", "91"]
    target = [
        "John",
        "Demjanjuk",
        ",",
        "convicted",
        "Nazi",
        "death",
        "camp",
        "guard",
        ",",
        "dies",
        "aged",
        "91",
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
            count_chunks(SOURCE, TARGET, gold, found)


CHUNKS = st.lists(st.tuples(st.sets(st.integers(0, 4)), st.sets(st.integers(0, 3))), max_size=4)


def naive(cases) -> float:
    """The scorer's formulas, token by token."""
    totals = {"sys": 0.0, "gold": 0.0, "overlap sys": 0.0, "overlap gold": 0.0}
    for gold, predicted in cases:
        tables = {}
        for name, chunks in (("gold", gold), ("sys", predicted)):
            table = [[0] * 4 for _ in range(5)]
            for ours, theirs in chunks:
                for s in ours:
                    for t in theirs:
                        table[s][t] = int(SOURCE[s] not in {",", "."})
            tables[name] = table
        for name, other in (("gold", "sys"), ("sys", "gold")):
            for s in range(5):
                for t in range(4):
                    if tables[name][s][t]:
                        weight = 1 / max(sum(tables[name][s]), sum(row[t] for row in tables[name]))
                        totals[name] += weight
                        totals[f"overlap {name}"] += weight * tables[other][s][t]
    precision = totals["overlap sys"] / totals["sys"] if totals["sys"] else 0
    recall = totals["overlap gold"] / totals["gold"] if totals["gold"] else 0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


@given(st.lists(st.tuples(CHUNKS, CHUNKS), min_size=1, max_size=3))
def test_f1_equals_the_naive_implementation(cases) -> None:
    result = score_chunks([count_chunks(SOURCE, TARGET, gold, found) for gold, found in cases])
    assert result.scores.f1 == pytest.approx(naive(cases))
    assert result.statistics()["f1"].value == pytest.approx(result.scores.f1)
