"""The link model: its passes against a plain computation, the data of a sentence, and equal sentences."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.aligners.contextual.features import related_word_features
from forest_align.aligners.contextual.model import IDENTICAL, LinkModel, _have_same_words
from forest_align.aligners.contextual.passes import HOPELESS, UNLIKELY
from forest_align.aligners.contextual.relations import related_words
from forest_align.aligners.pair import is_after
from forest_align.cext import contextual as kernel
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import Sentence

from ...cext.reference import contextual_reference as reference
from .link_models import WORDS, random_model, sentence


def plain_probabilities(
    model: LinkModel, source: Sentence, target: Sentence, evidence: np.ndarray
) -> np.ndarray:
    """What the last pass says, by the plain twin of the kernel."""
    vectors, projected, words = [], [], []
    for side in (source, target):
        assert side.vectors is not None
        moved = (side.vectors.astype(float) - model.mean) @ model.projection
        vectors.append(side.vectors.astype(float))
        projected.append(moved / np.linalg.norm(moved, axis=1, keepdims=True))
        words.append([token.text for token in side.tokens])
    kinds = [np.array([kind_of(word) for word in side]) for side in words]
    capital = [np.array([word[0].isupper() for word in side]) for side in words]
    letters = [np.array([ord(x) for word in side for x in word.lower()]) for side in words]
    ends = [np.cumsum([len(word) for word in side]) for side in words]
    tags = [[token.tag or "" for token in side.tokens] for side in (source, target)]
    related = [related_words(*side) for side in zip(words, tags, strict=True)]
    inputs = (
        *(vectors[0] @ vectors[1].T, projected[0] @ projected[1].T, evidence, *kinds, *capital),
        *(letters[0], ends[0], letters[1], ends[1]),
    )
    base, classes = reference.base_features(*inputs)
    probability = reference.first_probabilities(base, classes, model.first).reshape(evidence.shape)
    names = capital[0][:, None] & capital[1][None]
    rows, columns = np.divmod(np.arange(evidence.size), len(target))
    words_themselves = (vectors[0][rows] + vectors[1][columns]) @ model.directions
    for network, least in ((model.second, HOPELESS), (model.third, UNLIKELY)):
        cells = np.flatnonzero(probability >= least)
        context = reference.context_features(probability, names, evidence, *kinds, *related, cells)
        features = np.concatenate([base[cells], words_themselves[cells], context], 1)
        weights = [getattr(network, name) for name in ("send", "send_bias", "own", "receive", "receive_bias")]
        probability, _ = reference.message_pass(
            *(probability, cells, classes[cells], features @ network.hidden, network.hidden_bias),
            *(*kinds, *related, *weights, network.output),
        )
    return probability


def kind_of(word: str) -> int:
    """0 content word, 1 function word, 2 punctuation, of the words here."""
    return 2 if word in ",.?" else 1 if word in ("the", "of") else 0


@settings(derandomize=True)
@given(
    st.integers(0, 20),
    *(st.builds(sentence, st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=9), st.integers(0, 5)),)
    * 2,
)
def test_all_passes_together_are_those_of_the_plain_computation(
    seed: int, source: Sentence, target: Sentence
) -> None:
    model = random_model(seed)
    evidence = lexical_evidence(source, target, load_lexicon()).astype(np.int32)
    probabilities = model.link_probabilities(source, target, evidence)
    swapped = is_after(source, target)
    order = (target, source, evidence.T) if swapped else (source, target, evidence)
    expected = plain_probabilities(model, *order)
    if _have_same_words(source, target):
        expected = np.eye(len(source)) * IDENTICAL
    np.testing.assert_allclose(probabilities, expected.T if swapped else expected, atol=2e-4)


def test_the_plain_computation_has_cells_that_each_pass_leaves_alone() -> None:
    counts = []
    for seed in range(20):
        model, source, target = random_model(seed), sentence(WORDS[:8], 1), sentence(WORDS[4:-1], 2)
        evidence = lexical_evidence(source, target, load_lexicon()).astype(np.int32)
        second, third = model.run(*model.prepare(source, target), evidence)
        counts.append(
            (evidence.size - len(second.cells), len(second.cells) - len(third.cells), len(third.cells))
        )
    assert (np.sum(counts, 0) > 50).all()


def test_every_word_of_a_sentence_is_linked_to_itself_in_the_same_sentence() -> None:
    """Equal words stood in each other's way: of *No, no, no!* only the last *no* was linked."""
    model = random_model(0)
    for words in (["no", ",", "no", ",", "no", "!"], ["the"] * 9, ["cat"]):
        one, other = sentence(words, 1), sentence([word.title() for word in words], 2)
        evidence = lexical_evidence(one, other, load_lexicon()).astype(np.int32)
        for pair in ((one, one), (one, other), (other, one)):
            probabilities = model.link_probabilities(*pair, evidence)
            assert probabilities.dtype == np.float32
            assert (
                probabilities.tolist()
                == (np.eye(len(words), dtype=np.float32) * np.float32(IDENTICAL)).tolist()
            )
    longer = sentence(["no", "no"], 1)
    evidence = lexical_evidence(sentence(["no"], 1), longer, load_lexicon()).astype(np.int32)
    assert model.link_probabilities(sentence(["no"], 1), longer, evidence).shape == (1, 2)


def test_what_a_sentence_is_to_the_model_is_told_word_by_word() -> None:
    kinds, capital, letters, ends, related = related_word_features(
        Sentence.from_words(["The", "NASA", "eBay", "...", "I\u0307x"])
    )
    assert kinds.tolist() == [1, 0, 0, 2, 0]
    assert capital.tolist() == [1, 1, 0, 0, 1]
    assert ends.tolist() == [3, 7, 11, 14, 17]
    assert "".join(map(chr, letters)) == "thenasaebay...i\u0307x"
    assert related.shape == (5, *kernel.RELATED) and (related == -1).all()  # nothing is known without tags
    assert all(len(part) == 0 for part in related_word_features(Sentence(())))
