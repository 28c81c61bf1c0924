"""Aligned parts of constituents are widened to the constituents, unless something speaks against it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_align.aligners.forest import ForestAligner
from forest_align.aligners.forest_result import reported_derivation
from forest_align.aligners.legitimacy import alignment_violations
from forest_align.aligners.phrase_features import forest_of
from forest_align.aligners.whole_constituents import with_whole_constituents
from forest_align.lexicon.candidates import GivenCandidates
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import Alignment, Links

REFUGEE = "(S (NP (DT a) (JJ political) (NN refugee)) (VP (VBD came) (RB back)))"
ASYLUM = "(S (NP (JJ political) (NN asylum)) (VP (VBD returned)))"
NOUNS = [(1, 0), (2, 1)]
VERBS = [(3, 2), (4, 2)]


@pytest.fixture(scope="module")
def aligner() -> ForestAligner:
    return ForestAligner.load("forest", lexicon=load_lexicon())


def align(
    aligner: ForestAligner, links: list[tuple[int, int]], source: str = REFUGEE, target: str = ASYLUM
) -> Alignment:
    sentences = [sentence_from_bracket(text, lemmatizer=load_lexicon().lemma) for text in (source, target)]
    found = aligner.align_candidates(
        *sentences, GivenCandidates(Links.of(links)).candidates(sentences[0], sentences[1])
    )
    assert alignment_violations(found) == []
    return found


def phrases(alignment: Alignment) -> dict[tuple[str, str], bool]:
    return {alignment.texts_of(pair): pair.constituents for pair in alignment.phrases}


def test_a_null_determiner_does_not_make_a_noun_phrase_a_mere_part(aligner: ForestAligner) -> None:
    found = phrases(align(aligner, NOUNS + VERBS))
    assert found[("a political refugee", "political asylum")]
    assert ("political refugee", "political asylum") not in found


def test_both_phrases_are_widened_at_once(aligner: ForestAligner) -> None:
    target = ASYLUM.replace("(NP ", "(NP (DT the) ")
    found = phrases(align(aligner, [(1, 1), (2, 2), (3, 3), (4, 3)], target=target))
    assert found[("a political refugee", "the political asylum")]


@pytest.mark.parametrize(("link", "is_whole"), [((0, 2), False), ((0, 1), True), ((4, 0), True)])
def test_words_that_are_linked_elsewhere_are_not_taken_in(
    aligner: ForestAligner, link: tuple[int, int], is_whole: bool
) -> None:
    """Links that structure left out count, but only those of the words to be taken in."""
    source, target = (sentence_from_bracket(text) for text in (REFUGEE, ASYLUM))
    candidates = GivenCandidates(Links.of(NOUNS + VERBS)).candidates(source, target)
    options = replace(aligner.model.options, whole_constituents=False)
    arrays, base = aligner.search(source, target, candidates)
    forests = forest_of(source), forest_of(target)
    reported = reported_derivation(forests, arrays, base, candidates, options)
    found = with_whole_constituents(arrays, forests, reported.trees, [*reported.links, link])
    spans = {forests[0].node(node).span for node in found.source.tolist()}
    assert ((0, 3) in spans, (1, 3) in spans) == (is_whole, not is_whole)


def test_words_of_other_pairs_are_not_taken_in(aligner: ForestAligner) -> None:
    source = "(S (NP (NNS cats) (, ,) (NNS dogs) (CC and) (NNS mice)) (VP (VBD ran)))"
    target = "(S (NP (NP (NNS dogs) (CC and) (NNS mice)) (PP (IN with) (NP (NNS cats)))) (VP (VBD ran)))"
    found = phrases(align(aligner, [(0, 4), (2, 0), (3, 1), (4, 2), (5, 5)], source, target))
    assert found[("dogs and mice", "dogs and mice")] is False
    assert ("cats , dogs and mice", "dogs and mice") not in found


def test_the_probability_of_a_widened_pair_is_that_of_its_own_links(aligner: ForestAligner) -> None:
    bare = ForestAligner(
        replace(aligner.model, options=replace(aligner.model.options, whole_constituents=False)),
        lexicon=aligner.lexicon,
    )
    links = NOUNS + VERBS
    (before,) = (pair for pair in align(bare, links).phrases if pair.source_node.span == (1, 3))
    (after,) = (pair for pair in align(aligner, links).phrases if pair.source_node.span == (0, 3))
    # The determiner has no link at all.
    assert after.probability == pytest.approx(before.probability)


def test_the_published_variant_reports_the_nodes_of_the_search() -> None:
    found = phrases(align(ForestAligner.load("forest", variant="published"), [*NOUNS, (3, 2)]))
    assert found[("political refugee", "political asylum")] is False
