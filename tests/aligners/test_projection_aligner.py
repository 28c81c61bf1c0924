"""The baseline: word links projected onto the parser's best trees."""

from __future__ import annotations

from pathlib import Path

import pytest

import forest_align
from forest_align.aligners.projection_aligner import ProjectionAligner
from forest_align.alignment import Links, project
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, ModelError, Sentence

SOURCE = "(S (NP (DT the) (JJ little) (NN dog)) (VP (VBD chased) (NP (DT the) (NN cat))))"
TARGET = "(S (NP (DT the) (NN cat)) (VP (VBD was) (VP (VBN chased) (PP (IN by) (NP (DT the) (NN dog))))))"
LINKS = ((0, 5), (2, 6), (3, 3), (4, 0), (5, 1))


@pytest.fixture(scope="module")
def aligner() -> ProjectionAligner:
    return ProjectionAligner()


def sentences() -> tuple[Sentence, Sentence]:
    return sentence_from_bracket(SOURCE), sentence_from_bracket(TARGET)


def spans(alignment: forest_align.Alignment) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases}


def test_constituents_whose_words_are_linked_to_each_other_alone_are_aligned(
    aligner: ProjectionAligner,
) -> None:
    alignment = aligner.align(*sentences(), Links.of(LINKS))
    words = {((i, i + 1), (j, j + 1)) for i, j in LINKS}
    assert spans(alignment) == words | {((0, 3), (5, 7)), ((4, 6), (0, 2)), ((0, 6), (0, 7))}
    assert alignment.root_aligned
    assert alignment.aligner == "projection"


def test_a_link_that_leaves_a_phrase_prevents_its_pair(aligner: ProjectionAligner) -> None:
    alignment = aligner.align(*sentences(), Links.of((*LINKS, (1, 1))))
    assert ((0, 3), (5, 7)) not in spans(alignment)


def test_a_phrase_pair_has_the_probability_of_its_least_probable_link(aligner: ProjectionAligner) -> None:
    scores = [0.9, 0.6, 0.8, 0.7, 0.95]
    alignment = aligner.align(*sentences(), Links.of(LINKS, scores=scores))
    by_span = {pair.source_node.span: pair.probability for pair in alignment.phrases}
    assert by_span[(0, 3)] == 0.6
    assert by_span[(4, 6)] == 0.7
    assert by_span[(0, 6)] == 0.6


def test_own_links_are_those_of_the_contextual_aligner_on_the_best_trees(aligner: ProjectionAligner) -> None:
    pair = "The little dog chased the old cat.", "The old cat was chased by the small dog."
    alignment = aligner.align(*pair)
    links = forest_align.load("contextual").align(*pair).words
    assert alignment.words.pairs == links.pairs
    assert ((0, 3), (6, 9)) in spans(alignment)
    trees = [one.forest for one in aligner.prepare_pair(*pair)]
    nodes = [
        [(int(tree.start[k]), int(tree.end[k])) for k in tree.best_nodes() if tree.is_constituent[k]]
        for tree in trees
    ]
    assert spans(alignment) == project(*nodes, links).sure_pairs()


def test_swapped_sentences_give_the_transpose(aligner: ProjectionAligner) -> None:
    pair = "A man is playing a guitar.", "The man plays his guitar loudly."
    assert spans(aligner.align(*pair[::-1])) == {(b, a) for a, b in spans(aligner.align(*pair))}


def test_the_threshold_survives_a_folder(tmp_path: Path) -> None:
    ProjectionAligner(threshold=0.25).save(tmp_path)
    assert forest_align.load(tmp_path).settings == {"threshold": 0.25}
    assert forest_align.load(tmp_path, threshold=0.75).settings == {"threshold": 0.75}


def test_a_folder_of_another_kind_is_refused(tmp_path: Path) -> None:
    forest_align.load("sultan").save(tmp_path)
    with pytest.raises(ModelError, match="expected a model of the projection aligner"):
        ProjectionAligner.load(tmp_path)


@pytest.mark.parametrize("links", [Links.of([(0, 7)]), Links.of([(0, 0)], scores=[1.5])])
def test_wrong_links_of_the_caller_are_refused(aligner: ProjectionAligner, links: Links) -> None:
    with pytest.raises(InputError):
        aligner.align(*sentences(), links)


def test_candidates_are_refused_as_links(aligner: ProjectionAligner) -> None:
    with pytest.raises(InputError, match="expected word links"):
        aligner.align(*sentences(), ())
