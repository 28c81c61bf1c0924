from __future__ import annotations

import numpy as np
import pytest

from forest_align.aligners.documents import sentence_matches as module
from forest_align.aligners.documents.sentence_matches import SentenceMatches
from forest_align.types import Sentence

from .toy_documents import document, sentence


def test_coverage_is_the_best_cosine_of_each_word() -> None:
    source, target = document("red dogs bark", "cats sleep"), document("cats bark", "dogs sleep loudly")
    matches = SentenceMatches(source, target)
    assert set(matches.coverage) == {(i, j) for i in (0, 1) for j in (0, 1)}
    for (i, j), found in matches.coverage.items():
        first, second = source[i].vectors, target[j].vectors
        assert first is not None and second is not None
        cosine = first @ second.T
        same = np.array([[a == b for b in target[j].words] for a in source[i].words])
        cosine[same] = 1.0  # the vector of a word is that of the word alone
        assert np.allclose(found.source, cosine.max(1), atol=1e-5)
        assert np.allclose(found.target, cosine.max(0), atol=1e-5)


def test_words_of_one_lemma_are_similar_in_any_context() -> None:
    one, other = sentence("dogs"), sentence("cats")
    renamed = Sentence.from_words(["dogs"])
    different = Sentence(renamed.tokens, vectors=other.vectors)
    (found,) = SentenceMatches([one], [different]).coverage.values()
    assert found.source.tolist() == pytest.approx([0.9])


def test_rare_content_words_weigh_most() -> None:
    matches = SentenceMatches(document("the dogs", "dogs bark"), document("dogs"))
    the, dogs = matches.weights[0][matches.source.words(0)]
    bark = matches.weights[0][3]
    assert the < dogs < bark


def test_overlap_is_the_cosine_of_the_weights_of_lemmas(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["red dogs bark", "cats sleep now", "dogs sleep"], ["cats bark", "dogs sleep loudly"]
    matches = SentenceMatches(*(document(*side) for side in texts))
    whole = matches.overlap
    for i, one in enumerate(texts[0]):
        for j, other in enumerate(texts[1]):
            first = dict(zip(one.split(), matches.weights[0][matches.source.words(i)].tolist(), strict=True))
            second = dict(
                zip(other.split(), matches.weights[1][matches.target.words(j)].tolist(), strict=True)
            )
            product = sum(first[word] * second[word] for word in first.keys() & second.keys())
            norms = [sum(w * w for w in side.values()) ** 0.5 for side in (first, second)]
            assert whole[i, j] == pytest.approx(product / (norms[0] * norms[1]), abs=1e-5)
    monkeypatch.setattr(module, "_COLUMNS", 3)  # in several blocks
    assert np.allclose(SentenceMatches(*(document(*side) for side in texts)).overlap, whole)


def test_sentences_without_words_or_vectors_match_nothing() -> None:
    source = document("", "dogs bark", "")
    matches = SentenceMatches(source, [Sentence.from_words(["dogs"]), sentence("dogs")])
    assert set(matches.coverage) == {(1, 1)}
    assert SentenceMatches([], []).coverage == {}
    assert SentenceMatches(document(""), document("a")).coverage == {}


def test_each_sentence_has_a_few_candidates_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CANDIDATES", 1)
    texts = [f"word{k} thing{k} other{k}" for k in range(20)]
    found = SentenceMatches(document(*texts), document(*reversed(texts))).coverage
    assert {(k, 19 - k) for k in range(20)} <= set(found)
    assert len(found) < 100


def test_of_many_equal_sentences_the_near_ones_are_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CANDIDATES", 2)
    same = document(*["yes"] * 30)
    found = SentenceMatches(same, same).coverage
    assert {(k, k) for k in range(30)} <= set(found)


def test_swapped_documents_give_the_transpose() -> None:
    source, target = document("red dogs bark", "cats sleep"), document("cats bark", "dogs sleep", "a b")
    one, other = SentenceMatches(source, target), SentenceMatches(target, source)
    assert np.allclose(one.cosine, other.cosine.T, atol=1e-5)
    assert {(j, i) for i, j in one.coverage} == set(other.coverage)
    assert one.shares((0, 1)) == pytest.approx(other.shares((1, 0))[::-1], abs=1e-5)


def test_two_halves_gain_and_two_copies_do_not() -> None:
    matches = SentenceMatches(
        document("dogs bark cats sleep"), document("dogs bark", "cats sleep", "dogs bark")
    )
    assert matches.gain((0, 0), (0, 1)) > 0.3
    assert matches.gain((0, 0), (0, 2)) == pytest.approx(0, abs=1e-6)
