from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.lexical import ScoredCandidates, candidate_provider
from forest_align.aligners.words.lexical_features import around, lead, neighbours, pair_features
from forest_align.aligners.words.lexical_model import LexicalModel, probability
from forest_align.alignment import Links
from forest_align.lexicon.evidence import explain, word_evidence
from forest_align.lexicon.groups import Group, lexical_groups, linked_blocks
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError, ModelError, Sentence

LISTED = "the cat sat on a mat , NYC New York City passed away died created creation two 2 new york %"
WORDS = LISTED.split()


def sentence_of(text: str) -> Sentence:
    return Sentence.from_words(text.split())


@st.composite
def sentences(draw: st.DrawFn, with_vectors: bool) -> Sentence:
    words = draw(st.lists(st.sampled_from(WORDS), max_size=9))
    sentence = Sentence.from_words(words)
    if not with_vectors:
        return sentence
    generator = np.random.default_rng(draw(st.integers(0, 1000)))
    vectors = generator.normal(size=(len(words), 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Sentence(sentence.tokens, text=sentence.text, vectors=vectors)


def vectors_by_word(text: str) -> Sentence:
    """A sentence whose vectors say only which words are the same."""
    words = text.split()
    vectors = np.zeros((len(words), 64), dtype=np.float32)
    for k, word in enumerate(words):
        vectors[k, sum(map(ord, word)) % 64] = 1.0
    sentence = Sentence.from_words(words)
    return Sentence(sentence.tokens, text=sentence.text, vectors=vectors)


def spans(candidates: tuple[Candidate, ...]) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    return {(found.source, found.target) for found in candidates}


@pytest.mark.parametrize("name", ["union", "encoder", "dictionary"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_swapped_sentences_give_swapped_candidates(name: str, data: st.DataObject) -> None:
    source, target = (data.draw(sentences(with_vectors=name != "dictionary")) for _ in range(2))
    provider = candidate_provider(name, minimum_score=0.0001)
    straight = {(c.source, c.target): c for c in provider.candidates(source, target)}
    swapped = {(c.target, c.source): c for c in provider.candidates(target, source)}
    assert all(0 < c.score < 1 for c in straight.values())
    near = {key for key in straight.keys() ^ swapped.keys() if (straight | swapped)[key].score > 0.0002}
    assert not near
    for key in straight.keys() & swapped.keys():
        assert straight[key].score == pytest.approx(swapped[key].score, abs=1e-4)
        assert set(straight[key].evidence) == set(swapped[key].evidence)


@pytest.mark.parametrize("name", ["union", "encoder", "dictionary"])
def test_candidates_come_in_order_once_and_inside(name: str) -> None:
    source, target = (
        vectors_by_word("the cat sat on the mat"),
        vectors_by_word("a cat sat on mats"),
    )
    found = candidate_provider(name).candidates(source, target)
    assert list(found) == sorted(found)
    assert len(spans(found)) == len(found) > 0
    assert all(c.source[1] <= 6 and c.target[1] <= 5 for c in found)
    assert all(c.evidence for c in found)


def test_the_same_word_is_a_likely_candidate_and_another_one_is_not() -> None:
    source, target = vectors_by_word("cats eat fish"), vectors_by_word("cats eat bread")
    scores = {(c.source, c.target): c.score for c in candidate_provider("union").candidates(source, target)}
    assert scores[(0, 1), (0, 1)] > 0.8
    assert scores.get(((0, 1), (2, 3)), 0.0) < 0.2


@pytest.mark.parametrize("name", ["union", "encoder"])
def test_words_far_apart_that_the_lexicon_does_not_relate_have_their_context_alone(name: str) -> None:
    provider = candidate_provider(name, minimum_score=0.0)
    found = provider.candidates(vectors_by_word("cats eat fish"), vectors_by_word("cats eat bread"))
    evidence = {(c.source[0], c.target[0]): c.evidence for c in found if not c.is_group}
    assert evidence[2, 2] == ("context",) and "embedding" in evidence[0, 0]


def test_the_dictionary_proposes_only_what_the_lexicon_knows() -> None:
    source, target = (
        sentence_of("firms bought it"),
        sentence_of("it purchased it"),
    )
    found = candidate_provider("dictionary", minimum_score=0.0).candidates(source, target)
    assert spans(found) == {((1, 2), (1, 2)), ((2, 3), (0, 1)), ((2, 3), (2, 3))}


def test_near_vectors_are_nothing_to_the_dictionary() -> None:
    vectors = np.ones((1, 1), dtype=np.float32)
    source, target = (Sentence(sentence_of(word).tokens, vectors=vectors) for word in ("firms", "trees"))
    assert candidate_provider("dictionary", minimum_score=0.0).candidates(source, target) == ()
    (found,) = candidate_provider("union", minimum_score=0.0).candidates(source, target)
    assert found.evidence == ("embedding",)


def test_two_reasons_for_a_group_count_as_the_better_one() -> None:
    source, target = sentence_of("NYC"), sentence_of("New York City")
    scores = {}
    for phrase in ("New York City", "nothing else"):
        provider = candidate_provider("dictionary", ppdb=PairTable([("NYC", phrase)]), minimum_score=0.0)
        (group,) = (c for c in provider.candidates(source, target) if c.target == (0, 3) and c.is_group)
        scores[group.evidence] = group.score
    assert set(scores) == {("acronym",), ("acronym", "ppdb")}
    assert scores["acronym", "ppdb"] >= scores["acronym",]


def test_the_union_does_without_vectors_and_the_encoder_does_not() -> None:
    source = sentence_of("the cat")
    union, dictionary = (candidate_provider(n).candidates(source, source) for n in ("union", "dictionary"))
    assert spans(dictionary) <= spans(union)
    with pytest.raises(InputError, match="need sentences with word vectors"):
        candidate_provider("encoder").candidates(source, source)


@pytest.mark.parametrize("name", ["union", "encoder", "dictionary"])
def test_empty_and_one_word_sentences_give_no_error(name: str) -> None:
    nothing, one = vectors_by_word(""), vectors_by_word("cat")
    provider = candidate_provider(name)
    assert provider.candidates(nothing, one) == provider.candidates(one, nothing) == ()
    assert spans(provider.candidates(one, one)) == {((0, 1), (0, 1))}


def test_given_links_become_candidates_with_their_blocks() -> None:
    links = Links.of([(0, 0), (1, 1), (1, 2)], scores=[1.0, 0.5, 0.7])
    sentence = sentence_of("a b c")
    found = candidate_provider("given", links=links).candidates(sentence, sentence)
    assert spans(found) == {((0, 1), (0, 1)), ((1, 2), (1, 2)), ((1, 2), (2, 3)), ((1, 2), (1, 3))}
    assert [round(c.score, 3) for c in found] == [0.99, 0.5, 0.6, 0.7]
    assert {c.evidence for c in found} == {("given",)}


def test_wrong_given_links_are_errors() -> None:
    sentence = Sentence.from_words(["a"])
    with pytest.raises(InputError, match="out of range"):
        candidate_provider("given", links=Links.of([(0, 1)])).candidates(sentence, sentence)
    with pytest.raises(InputError, match="expected a probability"):
        candidate_provider("given", links=Links.of([(0, 0)], scores=[-3.0])).candidates(sentence, sentence)
    with pytest.raises(InputError, match="need links"):
        candidate_provider("given")


def test_weak_given_links_make_blocks_too_and_scores_beyond_one_are_errors() -> None:
    sentence = sentence_of("a b")
    links = Links.of([(0, 0), (0, 1)], scores=[0.0, 0.2])
    found = candidate_provider("given", links=links).candidates(sentence, sentence)
    assert {(c.source, c.target): round(c.score, 3) for c in found} == {
        ((0, 1), (0, 1)): 0.01,
        ((0, 1), (1, 2)): 0.2,
        ((0, 1), (0, 2)): 0.105,
    }
    without_scores = candidate_provider("given", links=Links.of([(1, 0)])).candidates(sentence, sentence)
    assert without_scores == (Candidate((1, 2), (0, 1), 0.99, ("given",)),)
    with pytest.raises(InputError, match="from 0 to 1 for link 0-1, found 2"):
        links = Links.of([(0, 1)], scores=[2.0])
        candidate_provider("given", links=links).candidates(sentence, sentence)


def test_a_side_without_vectors_is_an_error_or_makes_do_with_the_lexicon() -> None:
    with_vectors, without = vectors_by_word("the cat"), sentence_of("the cat")
    for pair in ((with_vectors, without), (without, with_vectors)):
        with pytest.raises(InputError, match="need sentences with word vectors"):
            candidate_provider("encoder").candidates(*pair)
        assert candidate_provider("union").candidates(*pair)


PHRASES = [
    "once in a while",
    "occasionally",
    "New York City",
    "NYC",
    "well - known",
    "well-known",
    "cats",
    "cat",
]
PHRASES += ["hit the road", "leave", "the", "a", "in", "on", "two", "2", ","]
TABLE = PairTable(
    [("hit the road", "leave"), ("cat", "leave"), ("cats", "well known"), ("NYC", "New York City")]
)


@pytest.mark.parametrize("name", ["union", "encoder", "dictionary"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_candidates_are_the_likely_words_and_the_likely_groups(name: str, data: st.DataObject) -> None:
    sides = []
    for _ in range(2):
        phrases = data.draw(st.lists(st.sampled_from(PHRASES), min_size=1, max_size=4))
        sides.append(vectors_by_word(" ".join(phrases)))
    minimum = data.draw(st.sampled_from([0.02, 0.1, 0.4]))
    found = candidate_provider(name, ppdb=TABLE, minimum_score=minimum).candidates(*sides)

    lexicon, model = load_lexicon(), LexicalModel.bundled(name)
    table = None if name == "encoder" else TABLE
    evidence = word_evidence(*sides, lexicon, table)
    with_vectors = name != "dictionary"
    logits = model.link_logits(pair_features(*sides, evidence, lexicon, with_vectors=with_vectors))
    scores = probability(logits)
    groups = linked_blocks(scores) + ([] if name == "encoder" else lexical_groups(*sides, lexicon, table))
    expected = {}
    for i, j in np.ndindex(scores.shape):
        kinds = explain(int(evidence[i, j]))
        if name != "dictionary" or set(kinds) - {"embedding"}:
            expected[(i, i + 1), (j, j + 1)] = float(scores[i, j]), set(kinds or ("context",))
    for source, target in {(group.source, group.target) for group in groups}:
        kinds = tuple(group.kind for group in groups if (group.source, group.target) == (source, target))
        estimate = np.clip(logits[slice(*source), slice(*target)], -12, 12).mean()
        odds = max(np.exp(model.group_logit(kind, float(estimate))) for kind in kinds)
        expected[source, target] = odds / (1 + odds), set(kinds)
    assert {(c.source, c.target): set(c.evidence) for c in found} == {
        spans: kinds for spans, (score, kinds) in expected.items() if score >= minimum
    }
    for candidate in found:
        assert candidate.score == pytest.approx(expected[candidate.source, candidate.target][0], abs=1e-4)


def test_probabilities_stay_off_zero_and_one() -> None:
    low, middle, high = probability(np.array([-1000.0, 0.0, 1000.0]))
    assert 0 < low < 1e-5 and middle == 0.5 and 1 - 1e-5 < high < 1


def test_an_unknown_provider_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(InputError, match="dictionary, encoder, union, given, found 'magic'"):
        candidate_provider("magic")


def test_a_missing_weight_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="has no 'first' for 'union'"):
        LexicalModel.from_weights("union", {"union": {}})


def groups_of(one: str, two: str, ppdb: PairTable | None = None) -> set[tuple[str, str, str]]:
    source, target = sentence_of(one), sentence_of(two)
    found = lexical_groups(source, target, load_lexicon(), ppdb)
    swapped = lexical_groups(target, source, load_lexicon(), ppdb)
    assert sorted(Group(g.target, g.source, g.kind) for g in swapped) == found
    return {
        (" ".join(source.words[slice(*g.source)]), " ".join(target.words[slice(*g.target)]), g.kind)
        for g in found
    }


@pytest.mark.parametrize(
    ("one", "two", "group"),
    [
        ("He passed away yesterday", "Yesterday he died", ("passed away", "died", "collocation")),
        ("in NYC today", "in New York City today", ("NYC", "New York City", "acronym")),
        ("a well-known man", "a well known man", ("well-known", "well known", "joined")),
        ("ten per cent", "ten percent", ("per cent", "percent", "joined")),
        ("the Department of Justice", "the DOJ", ("Department of Justice", "DOJ", "acronym")),
        ("the Bank of America", "the BA", ("Bank of America", "BA", "acronym")),
    ],
)
def test_groups_that_the_lexicon_knows(one: str, two: str, group: tuple[str, str, str]) -> None:
    assert group in groups_of(one, two)


@pytest.mark.parametrize("least", [float("nan"), -0.1, 1.5])
@pytest.mark.parametrize("name", ["union", "dictionary", "encoder"])
def test_a_minimum_that_is_no_probability_is_refused(name: str, least: float) -> None:
    with pytest.raises(InputError, match=f"expected a minimum score from 0 to 1, found {least:g}"):
        candidate_provider(name, minimum_score=least)


def test_groups_of_the_users_table() -> None:
    table = PairTable([("hit the road", "leave"), ("cat", "feline")])
    assert groups_of("they hit the road", "they leave", table) == {("hit the road", "leave", "ppdb")}


def test_sentences_without_groups_have_none() -> None:
    assert groups_of("the cat sat", "a dog ran") == set()
    assert groups_of("IT", "it") == set()


def test_blocks_of_links_are_taken_apart_into_smaller_ones() -> None:
    """*was taken into custody* and *arrested*: the phrase of the tree may leave *was* out."""
    probabilities = np.zeros((4, 2))
    probabilities[:, 1] = [0.6, 0.9, 0.8, 0.8]
    found = {group.source for group in linked_blocks(probabilities)}
    assert found == {(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (2, 4)}


def test_where_all_words_are_linked_there_are_no_blocks() -> None:
    assert linked_blocks(np.ones((9, 9))) == []


def test_linked_blocks_fill_their_spans() -> None:
    probabilities = np.zeros((5, 6))
    probabilities[0, 0] = 0.9
    probabilities[1, 1:3] = 0.8
    probabilities[2:4, 4] = 0.7
    probabilities[4, [3, 5]] = 0.9
    assert linked_blocks(probabilities) == [Group((1, 2), (1, 3), "block"), Group((2, 4), (4, 5), "block")]


def test_lead_is_the_distance_to_the_best_other_value_of_the_row() -> None:
    values = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 1.0]])
    assert lead(values).tolist() == [[1.0, -2.0, -1.0], [0.0, 0.0, -4.0]]
    assert lead(values[:, :1]).tolist() == [[3.0], [5.0]]


def test_neighbours_and_surroundings_sum_what_lies_beside() -> None:
    values = np.arange(9.0).reshape(3, 3)
    assert neighbours(values, 1).tolist() == [[4, 5, 0], [7, 8, 1], [0, 3, 4]]
    one = np.zeros((5, 5), dtype=np.float32)
    one[0, 0] = 1
    assert np.argwhere(around(one)).tolist() == [[i, j] for i in (1, 2, 3) for j in (1, 2, 3)]


def test_a_model_of_zero_weights_gives_even_odds() -> None:
    bundled = LexicalModel.bundled("dictionary")
    zero = LexicalModel(
        np.zeros_like(bundled.first), np.zeros_like(bundled.second), bundled.rows, bundled.groups
    )
    sentence = sentence_of("a cat")
    provider = ScoredCandidates(load_lexicon(), zero)
    assert np.allclose(provider.link_probabilities(sentence, sentence), 0.5)


def test_the_bundled_weights_are_finite_numbers_under_known_names() -> None:
    from importlib import resources

    text = (resources.files("forest_align.data") / "resources" / "candidates.json").read_text("utf-8")
    weights = json.loads(text)
    assert sorted(weights) == ["dictionary", "encoder", "union"]
    for name in weights:
        model = LexicalModel.bundled(name)
        assert all(np.isfinite(part).all() for part in (model.first, model.second, model.groups))
