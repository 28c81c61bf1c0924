"""What word candidates are to the search: links that count, and node pairs that need no support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from forest_align.aligners.forest.base_pairs import CONFIDENT_LINK, base_pairs, features_of_candidates
from forest_align.aligners.forest.features import pair_features
from forest_align.aligners.words.candidate import Candidate
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket, sentence_from_trees
from forest_align.parsing.forests.trees import read_bracket
from forest_align.types import InputError

# Several nodes of a packed forest cover the same words.
SOURCE = sentence_from_trees(
    [
        read_bracket("(S (NP (DT the) (NN dog)) (VP (VBZ gives) (PRT (RP up))))"),
        read_bracket("(S (X (DT the) (VB dog)) (NP (NNS gives) (IN up)))"),
    ]
)
TARGET = sentence_from_bracket("(S (NP (DT a) (NN hound)) (VP (VBZ surrenders)))")


def spans_of(pairs: dict[tuple[int, int], Candidate]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    source, target = SOURCE.forest, TARGET.forest
    assert source is not None and target is not None
    return [
        ((int(source.start[s]), int(source.end[s])), (int(target.start[t]), int(target.end[t])))
        for s, t in pairs
    ]


WORD, GROUP = Candidate((0, 1), (0, 1), 0.5), Candidate((2, 4), (2, 3), 0.7)
OTHER_WAY = Candidate((1, 2), (0, 2), 0.6)


def test_every_pair_of_nodes_that_cover_a_candidate_is_a_base_pair() -> None:
    found = base_pairs(SOURCE, TARGET, [GROUP, OTHER_WAY, WORD])
    assert list(found) == sorted(found)
    source, target = SOURCE.forest, TARGET.forest
    assert source is not None and target is not None
    for candidate in (WORD, GROUP, OTHER_WAY):
        expected = {
            (s, t)
            for s in range(len(source))
            for t in range(len(target))
            if (int(source.start[s]), int(source.end[s])) == candidate.source
            and (int(target.start[t]), int(target.end[t])) == candidate.target
        }
        assert {pair for pair, of in found.items() if of == candidate} == expected
        assert len(expected) > 1 or candidate == WORD


def test_groups_on_either_side_are_left_out_unless_wanted_and_spans_that_are_no_node_always() -> None:
    candidates = [WORD, GROUP, OTHER_WAY, Candidate((1, 3), (0, 1), 0.9)]
    assert set(spans_of(base_pairs(SOURCE, TARGET, candidates, groups=False))) == {(WORD.source, WORD.target)}
    every = set(spans_of(base_pairs(SOURCE, TARGET, candidates)))
    assert every == {(c.source, c.target) for c in (WORD, GROUP, OTHER_WAY)}


@pytest.mark.parametrize("order", [(0.3, 0.8, 0.5), (0.8, 0.5, 0.3), (0.5, 0.3, 0.8)])
def test_of_several_candidates_for_a_pair_the_most_probable_counts(order: Sequence[float]) -> None:
    candidates = [Candidate((0, 1), (0, 1), score) for score in order]
    (found,) = base_pairs(SOURCE, TARGET, candidates).values()
    assert found.score == 0.8


def test_candidates_that_are_probable_enough_count_as_links_of_all_their_words() -> None:
    lexicon = load_lexicon()
    evidence = word_evidence(SOURCE, TARGET, lexicon)
    for scores, links in (
        ((CONFIDENT_LINK, 0.49), [(2, 2), (3, 2)]),
        ((0.9, 0.6), [(2, 2), (3, 2), (1, 0), (1, 1)]),
        ((0.49, 0.1), []),
    ):
        candidates = [
            replace(group, score=score) for group, score in zip((GROUP, OTHER_WAY), scores, strict=True)
        ]
        found = features_of_candidates(SOURCE, TARGET, candidates, lexicon)
        expected = pair_features(SOURCE, TARGET, evidence, links)
        assert (found.relations == expected.relations).all()


@pytest.mark.parametrize(
    ("source", "target"),
    [((-1, 1), (0, 1)), ((4, 5), (0, 1)), ((0, 1), (2, 4)), ((1, 1), (0, 1)), ((0, 1), (2, 1))],
)
def test_a_candidate_outside_of_its_sentence_is_refused(
    source: tuple[int, int], target: tuple[int, int]
) -> None:
    bad = Candidate(source, target, 0.1)
    message = rf"candidate \({source[0]}, {source[1]}\)-.* is out of range: the sentences have 4 and 3 tokens"
    with pytest.raises(InputError, match=message):
        features_of_candidates(SOURCE, TARGET, [WORD, bad], load_lexicon())


def test_candidates_without_a_probability_do_not_count_as_links() -> None:
    free = Candidate((1, 2), (1, 2), 1.0, weighted=False)
    found, none = (features_of_candidates(SOURCE, TARGET, of, load_lexicon()) for of in ([free], []))
    assert (found.relations == none.relations).all()
    assert list(base_pairs(SOURCE, TARGET, [free], groups=False).values()) == [free] * 2
