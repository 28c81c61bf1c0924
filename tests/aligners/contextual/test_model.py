"""The link model: its files, what it refuses to read, and sentences with the same words."""

from __future__ import annotations

import numpy as np

from forest_align.aligners.contextual.features import related_word_features
from forest_align.aligners.contextual.model import IDENTICAL
from forest_align.cext import contextual as kernel
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import Sentence

from .link_models import random_model, sentence


def test_every_word_of_a_sentence_is_linked_to_itself_in_the_same_sentence() -> None:
    """Equal words stood in each other's way: of *No, no, no!* only the last *no* was linked."""
    model = random_model(0)
    for words in (["no", ",", "no", ",", "no", "!"], ["the"] * 9, ["cat"]):
        one, other = sentence(words, 1), sentence([word.title() for word in words], 2)
        evidence = lexical_evidence(one, other, load_lexicon()).astype(np.int32)
        for pair in ((one, one), (one, other), (other, one)):
            found = model.link_probabilities(*pair, evidence)
            assert found.dtype == np.float32
            assert found.tolist() == (np.eye(len(words), dtype=np.float32) * np.float32(IDENTICAL)).tolist()
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
