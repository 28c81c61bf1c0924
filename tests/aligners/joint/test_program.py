"""The integer linear program against a walk through all alignments, and the checker of the constraints."""

from __future__ import annotations

import random
import sys

import highspy
import numpy as np
import pytest

from forest_align.aligners.joint import program as joint_program
from forest_align.aligners.joint._phrase_edits import deleted_phrases
from forest_align.aligners.joint.edit_table import ArcPairs, arc_pairs
from forest_align.aligners.joint.program import Solution, best_edits
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import ModelError

from .joint_cases import Problem, all_alignments, random_problem, violations


def solve(problem: Problem) -> Solution:
    return best_edits(
        problem.lengths, problem.spans, problem.phrase_scores, problem.pairs, problem.arc_scores
    )


@pytest.mark.parametrize("seed", range(50))
def test_the_program_finds_the_best_of_all_alignments(seed: int) -> None:
    problem = random_problem(random.Random(seed))
    solution = solve(problem)
    assert solution.score == pytest.approx(max(score for score, _, _ in all_alignments(problem)), abs=1e-6)
    assert not violations(problem.lengths, problem.spans, problem.pairs, solution.phrases, solution.arcs)


@pytest.mark.parametrize("seed", range(20))
def test_phrases_are_deleted_as_wholes_where_that_is_best(seed: int) -> None:
    rng = random.Random(5000 + seed)
    problem = random_problem(rng, most_words=3)
    deleted = deleted_phrases(problem.lengths, 3)
    scores = np.array([rng.gauss(0, 0.7) for _ in deleted])
    parts = problem.lengths, problem.spans, problem.phrase_scores, problem.pairs, problem.arc_scores
    edits = best_edits(*parts, deleted, scores)
    best = max(
        score + best_deletions(problem, phrases, deleted.tolist(), scores.tolist())
        for score, phrases, _ in all_alignments(problem)
    )
    assert edits.score == pytest.approx(best, abs=1e-6)
    gone = deleted[edits.deletions]
    assert not violations(problem.lengths, problem.spans, problem.pairs, edits.phrases, edits.arcs, gone)


def best_deletions(
    problem: Problem, phrases: tuple[int, ...], deleted: list[list[int]], scores: list[float]
) -> float:
    """The most that deleted phrases add to an alignment of these phrase pairs, of all their sets."""
    taken = [(0, i) for k in phrases for i in range(*problem.spans[k, :2])]
    taken += [(1, j) for k in phrases for j in range(*problem.spans[k, 2:])]

    def best(place: int, used: frozenset[tuple[int, int]]) -> float:
        if place == len(deleted):
            return 0.0
        side, start, end = deleted[place]
        words = {(side, k) for k in range(start, end)}
        without = best(place + 1, used)
        return without if words & used else max(without, scores[place] + best(place + 1, used | words))

    return best(0, frozenset(taken))


@pytest.mark.parametrize("seed", range(20))
def test_solutions_of_longer_sentences_meet_all_constraints(seed: int) -> None:
    problem = random_problem(random.Random(1000 + seed), most_words=9)
    solution = solve(problem)
    assert not violations(problem.lengths, problem.spans, problem.pairs, solution.phrases, solution.arcs)
    again = solve(problem)
    assert np.array_equal(solution.phrases, again.phrases) and np.array_equal(solution.arcs, again.arcs)


def two_words(arc_score: float) -> Problem:
    """Two words on either side, the second depending on the first; links of equal words are worth 1."""
    spans = np.array([(0, 1, 0, 1), (1, 2, 1, 2), (0, 2, 0, 2)], np.int32)
    arcs = [Dependency(0, 1, "det")]
    pairs = arc_pairs(arcs, arcs, np.ones((2, 2), dtype=bool))
    return Problem((2, 2), spans, np.array([1.0, 1.0, 1.5]), pairs, np.array([arc_score]))


@pytest.mark.parametrize(
    ("phrases", "arcs", "constraint"),
    [([0, 2], [0], "(4)"), ([0], [0], "(7)"), ([0, 1], [], "(9)")],
)
def test_the_checker_names_the_broken_constraint(
    phrases: list[int], arcs: list[int], constraint: str
) -> None:
    problem = two_words(1.0)
    broken = violations(problem.lengths, problem.spans, problem.pairs, phrases, arcs)
    assert broken and all(
        constraint in one for one in broken if not one.startswith("(4)") or constraint == "(4)"
    )


def test_the_checker_notices_an_arc_in_two_edits() -> None:
    pairs = ArcPairs(
        np.array([[0, 0], [0, 1]], np.int32), np.full((2, 2), -1, np.int32), np.zeros((2, 2), np.int32)
    )
    broken = violations((1, 1), np.array([(0, 1, 0, 1)], np.int32), pairs, [0], [0, 1])
    assert broken == ["(5): a source arc is in several edits"]


def test_a_search_that_is_cut_short_gives_what_it_has_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(joint_program._OPTIONS, "mip_max_nodes", 0)
    found = [solve(random_problem(random.Random(1000 + seed), most_words=9)) for seed in range(20)]
    assert not all(one.is_best for one in found)
    for seed, one in enumerate(found):
        problem = random_problem(random.Random(1000 + seed), most_words=9)
        if one.is_best:
            continue
        broken = violations(problem.lengths, problem.spans, problem.pairs, one.phrases, one.arcs)
        assert all(text.startswith("(9)") for text in broken)


def test_a_solver_that_others_started_with_more_threads_is_used_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # HiGHS keeps the threads of its first run of a process, which here is one, and refuses another number.
    problem = two_words(1.0)
    alone = solve(problem)
    assert len(alone.phrases) and alone.is_best
    monkeypatch.setitem(joint_program._OPTIONS, "threads", 2)
    refused = highspy.Highs()
    for name, value in joint_program._OPTIONS.items():
        refused.setOptionValue(name, value)
    refused.addVariable(0, 1, 1.0)
    assert refused.run() == highspy.HighsStatus.kError
    solution = solve(problem)
    assert solution.is_best and np.array_equal(solution.phrases, alone.phrases)


def test_a_relaxed_program_without_a_solution_is_branched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(joint_program._OPTIONS, "simplex_iteration_limit", 1)
    for seed in range(10):
        problem = random_problem(random.Random(seed))
        solution = solve(problem)
        assert solution.is_best
        assert solution.score == pytest.approx(
            max(score for score, _, _ in all_alignments(problem)), abs=1e-6
        )


def test_a_solver_that_fails_says_so() -> None:
    class Failing(highspy.Highs):  # type: ignore[misc]
        def run(self) -> object:
            return highspy.HighsStatus.kError

    with pytest.raises(ModelError, match="HiGHS failed on this pair of sentences"):
        joint_program._run(highspy, Failing())


def test_without_the_solver_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(ModelError, match="pip install highspy"):
        solve(two_words(1.0))
