"""What a training corpus adds to the dictionaries: similar words, and words derived from each other."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from forest_align.aligners.words.lexical import Dictionary
from forest_align.em.corpus.learned_dictionary import RANK, learn_dictionary
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import InputError, Sentence

LEXICON = load_lexicon()


def sentence(words: list[str], angles: list[float]) -> Sentence:
    """A sentence whose vectors point into these directions of a plane."""
    vectors = [(math.cos(angle), math.sin(angle)) for angle in angles]
    return replace(Sentence.from_words(words), vectors=np.array(vectors, dtype=np.float32))


def test_the_cosine_is_that_of_rank_100_among_different_lemmas() -> None:
    generator = np.random.default_rng(4)
    names = [f"name{'abcdefghijklmnopqrstuvwxyz'[k]}x" for k in range(26)]
    pairs, best = [], {}
    for _ in range(60):
        sides = []
        for _ in range(2):
            chosen = generator.choice(26, 6, replace=False)
            sides.append(([names[k] for k in chosen], generator.uniform(0, 3, 6).tolist()))
        pairs.append(tuple(sentence(*side) for side in sides))
        for one, first in zip(*sides[0], strict=True):
            for two, second in zip(*sides[1], strict=True):
                if one != two:
                    key = frozenset((one, two))
                    best[key] = max(best.get(key, -1), math.cos(first - second))
    assert len(best) > 2 * RANK
    found = learn_dictionary(pairs, LEXICON)  # type: ignore[arg-type]
    assert found.cosine == pytest.approx(sorted(best.values())[-RANK], abs=1e-6)
    assert found == learn_dictionary([pair[::-1] for pair in pairs], LEXICON)  # type: ignore[arg-type]


def test_derivations_are_those_within_sentence_pairs() -> None:
    texts = ["creation of a blogger", "the creators blogging", "googler", "googling"]
    one, two, three, four = (Sentence.from_words(text.split()) for text in texts)
    found = learn_dictionary([(one, two), (three, two), (one, four)], LEXICON)
    assert found == Dictionary(None, frozenset({("creation", "creator"), ("blog", "blogger")}))
    assert ("google", "googler") in learn_dictionary([(three, four)], LEXICON).derivations


def test_an_empty_corpus_teaches_nothing_and_broken_vectors_are_refused() -> None:
    assert learn_dictionary([], LEXICON) == learn_dictionary([(Sentence(()),) * 2], LEXICON) == Dictionary()
    good, bad = sentence(["a"], [0]), sentence(["b"], [math.nan])
    with pytest.raises(InputError, match="expected word vectors of finite numbers"):
        learn_dictionary([(good, bad)], LEXICON)


def test_only_the_highest_similarities_are_kept_at_a_time() -> None:
    """Many more words than are kept: those dropped on the way are not among the highest."""
    letters = ["".join(pair) for pair in combinations("abcdefghijklmnopqrstuvwxyz", 2)]
    angles = np.linspace(0, 1.5, len(letters)).tolist()
    pairs = [
        (
            sentence(letters[k : k + 60], angles[k : k + 60]),
            sentence(letters[k + 7 : k + 67], angles[k + 7 : k + 67]),
        )
        for k in range(0, 240, 60)
    ]
    values = {}
    for source, target in pairs:
        assert source.vectors is not None and target.vectors is not None
        for (i, j), cosine in np.ndenumerate(source.vectors @ target.vectors.T):
            words = frozenset((LEXICON.lemma(source.words[i]), LEXICON.lemma(target.words[j])))
            if len(words) == 2:
                values[words] = max(values.get(words, -1), float(cosine))
    assert len(values) > 20 * RANK
    assert learn_dictionary(pairs, LEXICON).cosine == pytest.approx(sorted(values.values())[-RANK], abs=1e-6)
