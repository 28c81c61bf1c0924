"""The script that fits the link probabilities, on small corpora made here."""

from __future__ import annotations

import json

import numpy as np
import pytest

from forest_align.aligners.words.lexical_features import LEXICAL_FEATURES
from forest_align.aligners.words.lexical_model import GROUP_FEATURES, MODEL_FEATURES, LexicalModel
from forest_align.em.lexical import training as script
from forest_align.lexicon.kinds import Evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import Sentence

_LISTED = "the cats saw a house near New York city and two dogs ran away"
VOCABULARY = _LISTED.split()


def corpus(seed: int, count: int) -> list:
    """Pairs in which the same words, whose vectors are equal, are linked."""
    generator = np.random.default_rng(seed)
    vectors = np.linalg.qr(generator.normal(size=(len(VOCABULARY), len(VOCABULARY))))[0].astype(np.float32)
    pairs = []
    for _ in range(count):
        sides = []
        for _ in range(2):
            chosen = generator.choice(len(VOCABULARY), 6)
            words = Sentence.from_words([VOCABULARY[k] for k in chosen])
            sides.append(Sentence(words.tokens, vectors=vectors[chosen], text=words.text))
        gold = np.array([[one == two for two in sides[1].words] for one in sides[0].words])
        pairs.append(script.AnalysedPair(*sides, gold))
    return pairs


def test_fitted_models_tell_linked_words_and_are_the_same_every_time() -> None:
    lexicon = load_lexicon()
    corpora = [corpus(1, 12), corpus(2, 30)]
    features = [array for pairs in corpora for array in script.features_of(pairs, lexicon, None)]
    weights = script.fit(corpora, features, lexicon)
    assert json.dumps(weights) == json.dumps(script.fit(corpora, features, lexicon))
    assert sorted(weights) == sorted(MODEL_FEATURES)
    unseen = corpus(3, 5)
    for name in MODEL_FEATURES:
        model = LexicalModel.from_weights(name, weights)
        for pair, array in zip(unseen, script.features_of(unseen, lexicon, None), strict=True):
            own = array if model.uses_vectors else array[: len(LEXICAL_FEATURES)]
            assert np.array_equal(model.link_logits(own) > 0, pair.gold)


def test_every_corpus_weighs_the_same_and_all_links_are_kept() -> None:
    corpora = [corpus(1, 20), corpus(2, 60)]
    cells = script.cells_of(corpora, [])
    pairs = [pair for pairs in corpora for pair in pairs]
    golden = [pair.gold.ravel()[kept] for pair, kept in zip(pairs, cells.kept, strict=True)]
    assert np.array_equal(np.concatenate(golden), cells.labels.astype(bool))
    assert [part.sum() for part in golden] == [pair.gold.sum() for pair in pairs]
    ends = np.cumsum([len(kept) for kept in cells.kept])
    for first, last in ((0, ends[19]), (ends[19], ends[-1])):
        weights, labels = cells.weights[first:last], cells.labels[first:last]
        assert weights[labels == 1].sum() == pytest.approx(1000)
        # Of the unlikely cells a seventh is there, at seven times the weight.
        assert set(np.round(weights[labels == 0] / weights[labels == 1][0])) == {7}
    unlikely = sum(pair.gold.size - int(pair.gold.sum()) for pair in pairs)
    assert unlikely / 9 < (cells.labels == 0).sum() < unlikely / 5


def test_all_cells_of_links_and_of_words_with_like_vectors_are_kept() -> None:
    for sign, likely in ((1, "linked or alike"), (-1, "linked")):
        pairs = []
        for pair in corpus(1, 30):
            target = Sentence(pair.target.tokens, vectors=sign * pair.target.vectors, text=pair.target.text)
            gold = pair.gold.copy()
            gold[1::2] = False
            pairs.append((pair._replace(target=target, gold=gold), pair.gold if sign == 1 else gold))
        cells = script.cells_of([[pair for pair, _ in pairs]], [])
        kept = [np.isin(np.flatnonzero(sure), cells.kept[at]) for at, (_, sure) in enumerate(pairs)]
        assert np.concatenate(kept).all(), likely
        rest = sum(int((~sure).sum()) for _, sure in pairs)
        drawn = len(cells.labels) - sum(map(len, kept))
        assert rest / 9 < drawn < rest / 5, likely


def test_the_table_is_on_for_every_second_pair() -> None:
    pairs = corpus(1, 6)
    table = PairTable([(word, other) for word in VOCABULARY for other in VOCABULARY])
    row = LEXICAL_FEATURES.index(str(Evidence.PPDB.name).lower())
    used = [bool(array[row].any()) for array in script.features_of(pairs, load_lexicon(), table)]
    assert used == [False, True] * 3


def test_groups_are_right_where_all_their_words_are_linked() -> None:
    source, target = Sentence.from_words(["passed", "away"]), Sentence.from_words(["died"])
    pairs = [script.AnalysedPair(source, target, np.array([[True], [True]]))] * 20
    source, target = Sentence.from_words(["New", "York"]), Sentence.from_words(["NY"])
    pairs += [script.AnalysedPair(source, target, np.array([[True], [False]]))] * 20
    features = [np.zeros((len(LEXICAL_FEATURES), 2, 1), dtype=np.float32)] * len(pairs)
    cells = script.LexicalCells(features, [], np.empty(0), np.empty(0))
    lexicon, model = load_lexicon(), LexicalModel.bundled("dictionary")
    weights = script.fit_groups(pairs, cells, model, lexicon, own=True)
    assert tuple(weights) == GROUP_FEATURES
    assert weights["collocation"] > 0.5 and weights["acronym"] < -0.5
    assert weights["joined"] == weights["ppdb"] == 0
