"""The contextual aligner: symmetry, probabilities, explanations, model files, candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.contextual.features import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    DIRECTION_FEATURES,
    LINK_CLASSES,
    direction_features,
)
from forest_align.aligners.contextual.passes import UNLIKELY
from forest_align.aligners.words.lexical import ContextualCandidates
from forest_align.cext import contextual as kernel
from forest_align.lexicon.pair_table import PairTable
from forest_align.parsing.forests.trees import sentence_from_bracket
from forest_align.types import InputError, ModelError, Sentence

from .link_models import WORDS, random_model, sentence

sentences = st.builds(sentence, st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), st.integers(0, 3))
MODEL = random_model(0)
ALIGNER = ContextualAligner(MODEL)
# Matrix products round differently on the two sides of the diagonal of this sentence with itself.
REPETITIVE = sentence("the dogs the the the a dog the".split())  # noqa: SIM905


@given(sentences, sentences)
@example(REPETITIVE, REPETITIVE)
def test_the_alignment_of_swapped_sentences_is_the_transpose(one: Sentence, two: Sentence) -> None:
    there, back = ALIGNER.align(one, two), ALIGNER.align(two, one)
    assert there.words == back.words.swap()
    assert there.unaligned_source == back.unaligned_target
    assert there.log_probability == pytest.approx(back.log_probability)


@given(sentences, sentences)
def test_links_are_the_cells_above_the_threshold_with_their_probabilities(
    one: Sentence, two: Sentence
) -> None:
    probability = ALIGNER.link_probabilities(one, two)
    links = ALIGNER.align(one, two).words
    certain = set(zip(*map(list, np.nonzero(probability >= ALIGNER.threshold)), strict=True))
    added = set(links) - certain  # words that both sentences repeat
    assert certain <= set(links)
    assert all(one.words[i].lower() == two.words[j].lower() for i, j in added)
    assert links.scores == pytest.approx([float(probability[pair]) for pair in links])


@settings(max_examples=30)
@given(sentences, sentences, st.data())
def test_contributions_add_up_to_the_log_odds(one: Sentence, two: Sentence, data: st.DataObject) -> None:
    i, j = data.draw(st.integers(0, len(one) - 1)), data.draw(st.integers(0, len(two) - 1))
    parts = ALIGNER.explain(one, two, i, j)
    probability = float(ALIGNER.link_probabilities(one, two)[i, j])
    assert 1 / (1 + np.exp(-sum(parts.values()))) == pytest.approx(probability, abs=1e-4)
    strengths = [abs(value) for value in parts.values()]
    assert strengths == sorted(strengths, reverse=True)


@settings(max_examples=30)
@given(sentences, sentences, st.data())
@example(REPETITIVE, REPETITIVE, None)
def test_swapped_sentences_have_the_same_explanation(
    one: Sentence, two: Sentence, data: st.DataObject | None
) -> None:
    i, j = (5, 0) if data is None else (data.draw(st.integers(0, len(side) - 1)) for side in (one, two))
    assert ALIGNER.explain(one, two, i, j) == ALIGNER.explain(two, one, j, i)


@pytest.mark.parametrize(
    ("i", "j", "message"),
    [
        (3, 0, "field 'i': expected a word of the source, 0 to 2, found 3"),
        (-1, 0, "field 'i': expected a word of the source, 0 to 2, found -1"),
        (0, 2, "field 'j': expected a word of the target, 0 to 1, found 2"),
        (1, -1, "field 'j': expected a word of the target, 0 to 1, found -1"),
        (0.5, 0, "field 'i': expected a word of the source, 0 to 2, found 0.5"),
    ],
)
def test_only_words_that_there_are_can_be_explained(i: Any, j: int, message: str) -> None:
    # The longer sentence comes first, so the sentences are swapped inside.
    with pytest.raises(InputError) as refused:
        ALIGNER.explain(sentence(["the", "big", "cat"], 1), sentence(["a", "dog"], 2), i, j)
    assert str(refused.value) == message


def test_words_lie_together_along_a_direction_where_their_vectors_sum_to() -> None:
    one, two = ALIGNER.model.prepare(sentence(["the", "big", "cat"], 1), sentence(["cats", "slept"], 2))
    directions, cells = ALIGNER.model.directions, np.array([1, 4], dtype=np.int32)
    expected = [
        (one.vectors[i].astype(float) + two.vectors[j]) @ directions.astype(float)
        for i, j in ((0, 1), (2, 0))
    ]
    found = direction_features(one, two, directions, cells)
    assert found.shape == (2, len(DIRECTION_FEATURES))
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_later_passes_see_the_words_themselves_and_explain_them_as_one_reason() -> None:
    blind = replace(MODEL, directions=np.zeros_like(MODEL.directions))
    one, two = sentence(["the", "cat"], 1), sentence(["a", "dog"], 2)
    with_words, without = ALIGNER.explain(one, two, 1, 1), ContextualAligner(blind).explain(one, two, 1, 1)
    assert "the words themselves" in with_words and "the words themselves" not in without
    assert not set(DIRECTION_FEATURES) & set(with_words)


def test_messages_from_other_links_are_one_reason() -> None:
    one, two = sentence(["the", "big", "cat"], 1), sentence(["a", "large", "dog"], 2)
    assert ALIGNER.explain(one, two, 1, 1)["messages from the links around"]
    deaf = replace(MODEL, third=replace(MODEL.third, receive=np.zeros_like(MODEL.third.receive)))
    assert "messages from the links around" not in ContextualAligner(deaf).explain(one, two, 1, 1)


@settings(max_examples=30)
@given(sentences, sentences)
def test_cells_that_the_second_pass_thinks_unlikely_keep_its_probability(
    one: Sentence, two: Sentence
) -> None:
    evidence = np.zeros((len(one), len(two)), dtype=np.int32)
    second, third = MODEL.run(*MODEL.prepare(one, two), evidence)
    is_kept = second.probability == third.probability
    np.testing.assert_array_equal(is_kept, second.probability < UNLIKELY)


def test_a_saved_model_aligns_as_before(tmp_path: Path) -> None:
    ALIGNER.save(tmp_path / "model")
    again = ContextualAligner.load(tmp_path / "model")
    one, two = sentence(["the", "big", "cat"], 1), sentence(["a", "large", "cat", "sat"], 2)
    np.testing.assert_array_equal(again.link_probabilities(one, two), ALIGNER.link_probabilities(one, two))
    assert again.model.card == ALIGNER.model.card


def test_the_feature_names_are_as_many_as_the_kernel_computes() -> None:
    assert len(BASE_FEATURES) == len(set(BASE_FEATURES)) == kernel.BASE_FEATURES
    assert len(CONTEXT_FEATURES) == len(set(CONTEXT_FEATURES)) == kernel.CONTEXT_FEATURES
    assert len(LINK_CLASSES) == kernel.LINK_CLASSES


def test_candidates_are_symmetric_probable_and_sorted() -> None:
    provider = ContextualCandidates(ALIGNER, minimum_score=0.2)
    one, two = sentence(["New", "York", "sat"], 1), sentence(["NYC", "slept", ".", "the"], 2)
    there, back = provider.candidates(one, two), provider.candidates(two, one)
    assert list(there) == sorted(there)
    assert {(c.source, c.target, c.score) for c in there} == {(c.target, c.source, c.score) for c in back}
    assert all(0.2 <= c.score <= 1 and c.evidence for c in there if not c.is_group)
    assert provider.candidates(Sentence(()), two) == ()


def test_paraphrases_of_the_user_count_as_synonyms() -> None:
    one, two = sentence(["cat"], 1), sentence(["dog"], 2)
    informed = ContextualAligner(MODEL, ppdb=PairTable([("cat", "dog")]))
    assert "synonym" in informed.explain(one, two, 0, 0) and "synonym" not in ALIGNER.explain(one, two, 0, 0)


class VectorParser:
    """Makes up vectors, and trees of one kind for all sentences."""

    def parse_many(self, texts: Sequence[Any], batch_size: int = 32) -> Iterator[Sentence]:
        for text in texts:
            words = text.split() if isinstance(text, str) else text
            parsed = sentence_from_bracket("(X " + " ".join(f"(SYM {word})" for word in words) + ")")
            yield self.with_vectors([parsed])[0]

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        return [replace(one, vectors=sentence(list(one.words)).vectors) for one in sentences]


def test_trees_and_tags_that_a_sentence_came_with_are_kept() -> None:
    aligner = ContextualAligner(MODEL, parser=VectorParser())  # type: ignore[arg-type]
    given = sentence_from_bracket("(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT it)))) (. .))")
    alignment = aligner.align(given, "the cat sat")
    assert alignment.source.tags == given.tags and alignment.source.forest is given.forest
    assert alignment.source.vectors is not None and alignment.target.tags == ("SYM",) * 3


def test_text_and_sentences_without_vectors_are_prepared_to_be_explained() -> None:
    aligner = ContextualAligner(MODEL, parser=VectorParser())  # type: ignore[arg-type]
    alignment = aligner.align("the big cat", "a dog")
    expected = aligner.explain(alignment.source, alignment.target, 2, 1)
    assert aligner.explain("the big cat", Sentence.from_words(["a", "dog"]), 2, 1) == expected
    with pytest.raises(InputError, match="expected a text or a Sentence, found 7"):
        aligner.explain("the big cat", 7, 2, 1)  # type: ignore[arg-type]


def test_bad_input_is_explained() -> None:
    with pytest.raises(InputError, match="expected a probability"):
        ContextualAligner(threshold=1.5)
    with pytest.raises(InputError, match="at least one token"):
        ALIGNER.align_prepared(Sentence(()), sentence(["a"]))
    with pytest.raises(InputError, match="needs word vectors"):
        ALIGNER.align_prepared(Sentence.from_words(["a"]), sentence(["a"]))
    wide = Sentence.from_words(["a"])
    wide = Sentence(wide.tokens, text=wide.text, vectors=np.ones((1, 3), dtype=np.float32))
    with pytest.raises(ModelError, match="trained with other ones"):
        ALIGNER.align_prepared(wide, sentence(["a"]))
