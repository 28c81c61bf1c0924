"""Word candidates of the lexicon, of a link model and of the caller."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.lexical import (
    ContextualCandidates,
    Dictionary,
    GivenCandidates,
    LexicalCandidates,
)
from forest_align.alignment import Links
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError, Sentence

LISTED = (
    "the cat sat on a mat , NYC New York City passed away died created creation two 2 new york % in he him"
)
WORDS = LISTED.split()
DERIVED = Dictionary(derivations=frozenset({("creation", "creator")}))


def sentence_of(text: str) -> Sentence:
    return Sentence.from_words(text.split())


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    words = draw(st.lists(st.sampled_from(WORDS), max_size=9))
    generator = np.random.default_rng(draw(st.integers(0, 1000)))
    vectors = generator.normal(size=(len(words), 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return replace(Sentence.from_words(words), vectors=vectors)


def spans(candidates: tuple[Candidate, ...]) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    return {(found.source, found.target) for found in candidates}


def linked_words(
    source: Sentence, target: Sentence, dictionary: Dictionary | None = None, ppdb: PairTable | None = None
) -> set[tuple[str, str]]:
    """The single words that are candidates."""
    candidates = LexicalCandidates(load_lexicon(), dictionary, ppdb=ppdb).candidates(source, target)
    return {(source.words[c.source[0]], target.words[c.target[0]]) for c in candidates if not c.is_group}


@given(source=sentences(), target=sentences(), cosine=st.sampled_from([None, 0.3, 0.8]))
def test_swapped_sentences_give_swapped_candidates(
    source: Sentence, target: Sentence, cosine: float | None
) -> None:
    provider = LexicalCandidates(load_lexicon(), Dictionary(cosine))
    straight = provider.candidates(source, target)
    swapped = {(c.target, c.source, frozenset(c.evidence)) for c in provider.candidates(target, source)}
    assert {(c.source, c.target, frozenset(c.evidence)) for c in straight} == swapped
    assert list(straight) == sorted(straight) and len(spans(straight)) == len(straight)
    assert all(c.score == 1 and not c.weighted and c.evidence for c in straight)


def test_candidates_are_equal_words_synonyms_derivations_and_prepositions() -> None:
    source = sentence_of("The films bought it quickly in colour , 1,000 cats !")
    target = sentence_of("the movie purchased them quick on color ; thousand Cat ,")
    assert linked_words(source, target) == {
        ("The", "the"), ("films", "movie"), ("bought", "purchased"), ("quickly", "quick"), ("in", "on"),
        ("colour", "color"), (",", ","), ("1,000", "thousand"), ("cats", "Cat"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "two"),
    [("he", "him"), ("a", "the"), ("catfish", "fish"), (".", ";"), ("car", "tree"), ("NYC", "York")],
)
def test_other_words_are_no_candidates(one: str, two: str) -> None:
    assert linked_words(sentence_of(one), sentence_of(two)) == set()


def test_every_equal_word_is_a_candidate_however_often_it_occurs() -> None:
    candidates = LexicalCandidates(load_lexicon()).candidates(
        sentence_of("the cat the"), sentence_of("the the")
    )
    assert spans(candidates) == {((i, i + 1), (j, j + 1)) for i in (0, 2) for j in (0, 1)}


def test_derivations_by_suffix_rules_count_if_the_training_corpus_has_them() -> None:
    """WordNet relates *create* and *creation*, but not the two nouns."""
    source, target = sentence_of("creation googler"), sentence_of("creator googling create")
    assert linked_words(source, target) == {("creation", "create")}
    assert linked_words(source, target, DERIVED) == {("creation", "create"), ("creation", "creator")}
    assert linked_words(target, source, DERIVED) == {("create", "creation"), ("creator", "creation")}


def test_similar_vectors_make_candidates_from_the_cosine_on() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    source = replace(sentence_of("firms oaks"), vectors=vectors)
    target = replace(sentence_of("trees noses"), vectors=np.array([[0.6, 0.8], [1, 0]], dtype=np.float32))
    assert linked_words(source, target) == set()
    assert linked_words(source, target, Dictionary(0.7)) == {("firms", "noses"), ("oaks", "trees")}
    assert linked_words(source, target, Dictionary(0.9)) == {("firms", "noses")}
    bare = replace(target, vectors=None)
    assert linked_words(source, bare, Dictionary(0.1)) == set()
    assert LexicalCandidates(load_lexicon(), Dictionary(0.7)).uses_vectors
    assert not LexicalCandidates(load_lexicon()).uses_vectors


def test_groups_of_the_lexicon_and_of_the_table_are_candidates_with_all_their_reasons() -> None:
    source, target = sentence_of("NYC kicked it"), sentence_of("New York City")
    provider = LexicalCandidates(load_lexicon(), ppdb=PairTable([("NYC", "New York City")]))
    (found,) = provider.candidates(source, target)
    assert found == Candidate((0, 1), (0, 3), 1.0, ("acronym", "ppdb"), weighted=False)


def test_empty_sentences_have_no_candidates() -> None:
    provider, nothing, one = (
        LexicalCandidates(load_lexicon(), Dictionary(0.5)),
        sentence_of(""),
        sentence_of("cat"),
    )
    assert provider.candidates(nothing, one) == provider.candidates(one, nothing) == ()


@pytest.mark.parametrize("wrong", [1.5, -2, float("nan"), "0.5", True])
def test_a_cosine_that_is_none_is_refused(wrong: object) -> None:
    with pytest.raises(InputError, match="'cosine': expected a number from -1 to 1"):
        Dictionary(wrong)  # type: ignore[arg-type]


def test_given_links_become_candidates_with_their_blocks() -> None:
    links = Links.of([(0, 0), (1, 1), (1, 2)], scores=[1.0, 0.5, 0.7])
    sentence = sentence_of("a b c")
    candidates = GivenCandidates(links).candidates(sentence, sentence)
    assert spans(candidates) == {((0, 1), (0, 1)), ((1, 2), (1, 2)), ((1, 2), (2, 3)), ((1, 2), (1, 3))}
    assert [round(c.score, 3) for c in candidates] == [0.99, 0.5, 0.6, 0.7]
    assert {c.evidence for c in candidates} == {("given",)}


def test_wrong_given_links_are_errors() -> None:
    sentence = Sentence.from_words(["a"])
    with pytest.raises(InputError, match="out of range"):
        GivenCandidates(Links.of([(0, 1)])).candidates(sentence, sentence)
    with pytest.raises(InputError, match="expected a probability"):
        GivenCandidates(Links.of([(0, 0)], scores=[-3.0])).candidates(sentence, sentence)


def test_weak_given_links_make_blocks_too_and_scores_beyond_one_are_errors() -> None:
    sentence = sentence_of("a b")
    links = Links.of([(0, 0), (0, 1)], scores=[0.0, 0.2])
    candidates = GivenCandidates(links).candidates(sentence, sentence)
    assert {(c.source, c.target): round(c.score, 3) for c in candidates} == {
        ((0, 1), (0, 1)): 0.01,
        ((0, 1), (1, 2)): 0.2,
        ((0, 1), (0, 2)): 0.105,
    }
    without_scores = GivenCandidates(Links.of([(1, 0)])).candidates(sentence, sentence)
    assert without_scores == (Candidate((1, 2), (0, 1), 0.99, ("given",)),)
    with pytest.raises(InputError, match="from 0 to 1 for link 0-1, found 2"):
        links = Links.of([(0, 1)], scores=[2.0])
        GivenCandidates(links).candidates(sentence, sentence)


SOURCE = Sentence.from_words(["He", "kicked", "the", "bucket"], ["PRP", "VBD", "DT", "NN"])
TARGET = Sentence.from_words(["He", "died"], ["PRP", "VBD"])


@pytest.mark.parametrize(
    ("linked", "kinds", "score"),
    [(0.75, ("block", "collocation", "ppdb"), 0.75), (0.25, ("collocation", "ppdb"), 0.25)],
)
def test_a_pair_of_spans_has_all_that_speaks_for_it(
    linked: float, kinds: tuple[str, ...], score: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    aligner = ContextualAligner(ppdb=PairTable([("kicked the bucket", "died")]))
    probability = np.array([[0.9, 0], [0, linked], [0, linked], [0, linked]])
    evidence = np.zeros((4, 2), dtype=np.int32)
    monkeypatch.setattr(aligner, "scored_cells", lambda source, target: (probability, evidence))
    found = {(c.source, c.target): c for c in ContextualCandidates(aligner).candidates(SOURCE, TARGET)}
    group = found[(1, 4), (1, 2)]
    assert (group.evidence, group.score) == (kinds, score)
    assert found[(0, 1), (0, 1)].evidence == ("context",)


def test_a_group_below_the_minimum_is_no_candidate_whatever_speaks_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    aligner = ContextualAligner(ppdb=PairTable([("kicked the bucket", "died")]))
    nothing = np.full((4, 2), 0.01), np.zeros((4, 2), dtype=np.int32)
    monkeypatch.setattr(aligner, "scored_cells", lambda source, target: nothing)
    assert ContextualCandidates(aligner).candidates(SOURCE, TARGET) == ()


def candidates_of(
    table: list[list[float]],
    source: Sentence,
    target: Sentence,
    least: float,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[tuple[tuple[int, int], tuple[int, int]], float]:
    aligner = ContextualAligner(ppdb=PairTable([("kicked the bucket", "died")]))
    probability = np.array(table, dtype=np.float32)
    cells = probability, np.zeros(probability.shape, dtype=np.int32)
    monkeypatch.setattr(aligner, "scored_cells", lambda source, target: cells)
    candidates = ContextualCandidates(aligner, minimum_score=least).candidates(source, target)
    assert list(candidates) == sorted(candidates)
    return {(c.source, c.target): c.score for c in candidates}


def test_words_and_groups_are_candidates_from_the_minimum_on(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [[0.25, 0], [0, 0.125], [0, 0.25], [0.125, 0]]
    candidates = candidates_of(table, SOURCE, TARGET, 0.25, monkeypatch)
    # A group that the lexicon knows is as likely as the best of its cells.
    assert candidates == {((0, 1), (0, 1)): 0.25, ((1, 4), (1, 2)): 0.25, ((2, 3), (1, 2)): 0.25}
    assert set(candidates_of(table, SOURCE, TARGET, 0.3, monkeypatch)) == set()
    least = candidates_of(table, SOURCE, TARGET, 0.125, monkeypatch)
    assert set(least) == {*candidates, ((1, 2), (1, 2)), ((3, 4), (0, 1))}


def test_a_block_of_links_is_as_likely_as_its_cells_in_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = Sentence.from_words(["go", "x", "on"]), Sentence.from_words(["y", "continue"])
    candidates = candidates_of([[0, 0.75], [0, 0.5], [0, 0]], *sides, 0.05, monkeypatch)
    assert candidates[(0, 2), (1, 2)] == 0.625


def test_nothing_is_proposed_where_a_sentence_is_empty() -> None:
    provider = ContextualCandidates(ContextualAligner())
    assert provider.uses_vectors
    for pair in ((SOURCE, Sentence(())), (Sentence(()), TARGET), (Sentence(()), Sentence(()))):
        assert provider.candidates(*pair) == ()


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_minimum_that_is_no_probability_is_refused(wrong: float) -> None:
    with pytest.raises(InputError, match="expected a minimum score from 0 to 1"):
        ContextualCandidates(minimum_score=wrong)
