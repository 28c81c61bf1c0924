"""Edits count as right if both spans are; the version that suits best counts."""

from __future__ import annotations

import pytest

from forest_align.eval.metrics.edit_scores import edit_counts, edit_f1, edit_statistics

DELETED, INSERTED, REPLACED = ((1, 2), None), (None, (2, 3)), ((1, 3), (1, 3))


def test_the_version_with_the_highest_f1_counts() -> None:
    versions = [frozenset({DELETED, INSERTED}), frozenset({REPLACED})]
    assert edit_counts({DELETED}, versions) == (1, 1, 2)
    assert edit_counts({REPLACED}, versions) == (1, 1, 1)
    assert edit_counts(set(), [frozenset(), *versions]) == (0, 0, 0)


def test_f1_is_over_all_edits_of_a_corpus() -> None:
    assert edit_f1([(1, 1, 2), (1, 3, 1), (0, 0, 0)]) == pytest.approx(4 / 7)
    assert edit_f1([]) == 1.0


def test_the_figures_of_a_corpus() -> None:
    found = [{DELETED}, {REPLACED, INSERTED}, set()]
    versions = [[{DELETED, INSERTED}], [{REPLACED}], [set()]]
    values = {name: one.value for name, one in edit_statistics(found, versions).items()}
    assert values == pytest.approx(
        {
            "precision": 2 / 3,
            "recall": 2 / 3,
            "f1": 2 / 3,
            "replace.f1": 1.0,
            "delete.f1": 1.0,
            "insert.f1": 0.0,
            "exact": 1 / 3,
        }
    )
