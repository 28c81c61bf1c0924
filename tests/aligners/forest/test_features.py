"""Classes of phrases, and the relations between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from forest_align.aligners.forest.features import (
    CATEGORIES,
    CONFIDENT_LINK,
    RELATIONS,
    PairFeatures,
    features_of_candidates,
    pair_features,
    phrase_classes,
    reduced_category,
)
from forest_align.aligners.words.candidate import Candidate
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import Evidence, load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError

SOURCE = "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"
TARGET = "(S (NP (DT A) (NN cat)) (VP (VBD was) (VP (VBG sitting) (PP (IN at) (NP (NNS mats))))))"


def features() -> PairFeatures:
    lexicon = load_lexicon()
    source, target = (sentence_from_bracket(text, lemmatizer=lexicon.lemma) for text in (SOURCE, TARGET))
    return pair_features(source, target, word_evidence(source, target, lexicon), [(1, 1)])


def test_phrases_with_one_head_lemma_and_category_share_a_class() -> None:
    sentence = sentence_from_bracket(SOURCE, lemmatizer=load_lexicon().lemma)
    classes = phrase_classes(sentence)
    assert sorted(classes.lemmas) == ["cat", "mat", "on", "sit", "the"]
    forest = sentence.forest
    assert forest is not None
    top = classes.class_of_node[forest.roots[0]]
    assert (classes.lemmas[top], CATEGORIES[classes.categories[top]]) == ("sit", "V")


@pytest.mark.parametrize(
    ("tag", "category"),
    [("NNS", "N"), ("PRP", "N"), ("MD", "V"), ("JJR", "ADJ"), ("RB", "ADV"), ("IN", "P"), ("TO", "P"),
     ("CC", "CC"), ("DT", "other"), ("", "other"), ("RP", "ADV"), ("WRB", "ADV"), ("WP", "N"), ("CD", "N"),
     ("EX", "N"), ("$", "N"), ("PRP$", "ADJ"), ("VBG", "V"), ("WP$", "other"), ("PDT", "other")],
)  # fmt: skip
def test_tags_fall_into_reduced_categories(tag: str, category: str) -> None:
    assert CATEGORIES[reduced_category(tag)] == category


def test_relations_hold_between_heads() -> None:
    found = features()
    places = [dict(zip(classes.lemmas, range(99), strict=False)) for classes in (found.source, found.target)]

    def relations(one: str, two: str) -> set[str]:
        return {
            name
            for name, on in zip(RELATIONS, found.relations[places[0][one], places[1][two]], strict=True)
            if on
        }

    assert relations("cat", "cat") == {"identical", "linked", "same_category"}
    assert relations("sit", "sit") == {"identical", "same_category"}
    assert relations("on", "at") >= {"preposition", "same_category"}
    assert relations("the", "cat") == set()


RELATION_OF_EVIDENCE = {
    Evidence.IDENTICAL: "identical",
    Evidence.LEMMA: "identical",
    Evidence.SUBSTRING: "substring",
    Evidence.EMBEDDING: "embedding",
    Evidence.PREPOSITION: "preposition",
    **dict.fromkeys((Evidence.SYNONYM, Evidence.DERIVATION, Evidence.SUFFIX, Evidence.SPELLING), "wordnet"),
    **dict.fromkeys((Evidence.NUMBER, Evidence.ABBREVIATION, Evidence.ACRONYM, Evidence.PPDB), "wordnet"),
}


@pytest.mark.parametrize("flag", list(RELATION_OF_EVIDENCE))
def test_a_relation_holds_between_classes_if_it_does_between_two_of_their_heads(flag: Evidence) -> None:
    # Without lemmas capitals make no class of their own.
    texts = ("The cat saw the Cat near THE cat", "a dog and A Dog or a dog")
    source, target = (
        sentence_from_bracket(f"(S {' '.join(f'(NN {word})' for word in text.split())})") for text in texts
    )
    holds = np.random.default_rng(6).random((len(source), len(target))) < 0.1
    assert holds.any()
    evidence = np.where(holds, int(flag), 0).astype(np.int32)
    links = {(0, 1), (4, 7)}
    found = pair_features(source, target, evidence, links)
    assert sorted(found.source.lemmas) == sorted({word.lower() for word in texts[0].split()})
    for one, first in enumerate(found.source.lemmas):
        for two, second in enumerate(found.target.lemmas):
            places = [
                (i, j)
                for i, word in enumerate(source.words)
                for j, other in enumerate(target.words)
                if (word.lower(), other.lower()) == (first, second)
            ]
            expected = {RELATION_OF_EVIDENCE[flag] for place in places if holds[place]}
            expected |= {"linked"} if links.intersection(places) else set()
            expected |= {"same_category"}
            assert {RELATIONS[k] for k in np.flatnonzero(found.relations[one, two])} == expected


CANDIDATES = Candidate((2, 4), (2, 3), 0.7), Candidate((1, 2), (0, 2), 0.6)


@pytest.mark.parametrize(
    ("scores", "links"),
    [
        ((CONFIDENT_LINK, 0.49), [(2, 2), (3, 2)]),
        ((0.9, 0.6), [(2, 2), (3, 2), (1, 0), (1, 1)]),
        ((0.49, 0.1), []),
    ],
)
def test_candidates_that_are_probable_enough_count_as_links_of_all_their_words(
    scores: tuple[float, float], links: list[tuple[int, int]]
) -> None:
    source, target = map(sentence_from_bracket, (SOURCE, TARGET))
    scored = [replace(one, score=score) for one, score in zip(CANDIDATES, scores, strict=True)]
    free = Candidate((1, 2), (1, 2), 1.0, weighted=False)
    expected = pair_features(source, target, word_evidence(source, target, load_lexicon()), links)
    for candidates in (scored, [*scored, free]):
        found = features_of_candidates(source, target, candidates, load_lexicon())
        assert (found.relations == expected.relations).all()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [((-1, 1), (0, 1)), ((6, 7), (0, 1)), ((0, 1), (5, 7)), ((1, 1), (0, 1)), ((0, 1), (2, 1))],
)
def test_a_candidate_outside_of_its_sentence_is_refused(
    ours: tuple[int, int], theirs: tuple[int, int]
) -> None:
    source, target = map(sentence_from_bracket, (SOURCE, TARGET))
    bad = Candidate(ours, theirs, 0.1)
    message = rf"candidate \({ours[0]}, {ours[1]}\)-.* is out of range: the sentences have 6 and 6 tokens"
    with pytest.raises(InputError, match=message):
        features_of_candidates(source, target, [*CANDIDATES, bad], load_lexicon())
