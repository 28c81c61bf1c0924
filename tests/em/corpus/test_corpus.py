"""Corpora are prepared as the aligner prepares pairs, and teach it similar and derived words."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import LINKED, RELATIONS
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.lexical import Dictionary
from forest_align.data.formats.format import SentencePair
from forest_align.em.corpus.corpus import RANK, CorpusPair, CorpusReader, learn_dictionary
from forest_align.em.forest.dev_set import align_pair
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing.forests.trees import with_given_trees
from forest_align.types import InputError, Sentence

WORDS = ("she saw the man with binoculars", "with binoculars she saw the man")
NOUN = "(S (NP (PRP she)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (NNS binoculars))))))"
VERB = "(S (NP (PRP she)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (NNS binoculars)))))"
FRONT = "(S (PP (IN with) (NP (NNS binoculars))) (NP (PRP she)) (VP (VBD saw) (NP (DT the) (NN man))))"


def pair(*trees: tuple[str, ...], id: str = "1") -> SentencePair:
    given = [tuple((tree, float(-rank)) for rank, tree in enumerate(side)) for side in trees]
    sides = (Sentence.from_words(words.split()) for words in WORDS)
    return SentencePair(id, *sides, source_trees=given[0], target_trees=given[1])


def read(given: SentencePair, **options: Any) -> CorpusPair:
    (prepared,), problems = CorpusReader(candidates="dictionary", **options).read([given])
    assert not problems
    return prepared


def brackets(prepared: CorpusPair) -> list[str]:
    sides = (prepared.source, prepared.target)
    return [side.forest.bracket(side.words) for side in sides if side.forest is not None]


def test_given_trees_become_the_forests(parser: Any) -> None:
    found = read(pair((VERB,), (FRONT,)), given_trees=True)
    assert brackets(found) == [VERB, FRONT]
    assert not parser.parsed
    # The forests are no gold to measure themselves by.
    assert found.gold_heads is None and found.given_forests


def test_word_candidates_that_need_vectors_get_them(parser: Any, monkeypatch: Any) -> None:
    class Provider:
        uses_vectors = True

        def candidates(self, source: Sentence, target: Sentence) -> tuple[()]:
            seen.append((source.vectors is not None, target.vectors is not None))
            return ()

    seen: list[tuple[bool, bool]] = []
    monkeypatch.setattr("forest_align.em.corpus.corpus.word_candidates", lambda *_, **options: Provider())
    assert brackets(read(pair((VERB,), (FRONT,)), given_trees=True)) == [VERB, FRONT]
    assert brackets(read(pair((VERB,), ()), given_trees=True))[0] == VERB
    assert seen == [(True, True), (True, True)]
    assert [list(words) for words in parser.parsed] == [WORDS[1].split()]


def test_a_tree_over_other_words_is_reported_by_pair_and_side(parser: Any) -> None:
    pairs, (problem,) = CorpusReader(candidates="dictionary", given_trees=True).read([pair((VERB,), (VERB,))])
    assert not pairs and "pair '1'" in problem and "target tree" in problem


def test_a_tree_that_is_too_large_is_told_and_the_rest_is_used(
    parser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_align.aligners.forest.features.MOST_NODES", 3)
    sides = (Sentence.from_words(["yes"]), Sentence.from_words(["no"]))
    small = SentencePair("2", *sides, source_trees=(("(UH yes)", 0.0),), target_trees=(("(UH no)", 0.0),))
    reader = CorpusReader(candidates="dictionary", given_trees=True)
    (prepared,), (problem,) = reader.read([pair((VERB,), (FRONT,)), small])
    assert prepared.id == "2" and "pair '1': field 'forest': expected a forest of at most 3" in problem


@pytest.mark.parametrize(
    ("change", "parses"),
    [({"parser": "other"}, 2), ({"forest_size": 3}, 2), ({}, 0)],
)
def test_each_setting_has_cache_entries_of_its_own(
    parser: Any, tmp_path: Path, change: dict[str, Any], parses: int
) -> None:
    read(pair((), ()), cache=tmp_path)
    entries = set(tmp_path.rglob("*.safetensors"))
    parser.parsed.clear()
    read(pair((), ()), cache=tmp_path, **change)
    assert len(parser.parsed) == parses
    # One more for the features of the pair.
    assert len(set(tmp_path.rglob("*.safetensors")) - entries) == parses + bool(change)


def test_confident_candidates_are_links_of_the_features(parser: Any, monkeypatch: Any) -> None:
    class Provider:
        uses_vectors, score = False, 0.0

        def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
            return (Candidate((0, 1), (0, 1), self.score),)

    monkeypatch.setattr("forest_align.em.corpus.corpus.word_candidates", lambda *_, **options: Provider())
    linked = []
    for score in (0.5, 0.49):
        Provider.score = score
        linked.append(read(pair((), ())).features.relations[:, :, LINKED].sum())
    assert linked[0] > 0 and linked[1] == 0


@pytest.mark.parametrize("broken", [0, 1])
def test_a_sentence_that_cannot_be_parsed_leaves_its_pair_out(parser: Any, broken: int) -> None:
    sides = [Sentence.from_words(["fine"]), Sentence.from_words(["fine"])]
    sides[broken] = Sentence.from_words(["unreadable"])
    reader = CorpusReader(candidates="dictionary")
    (prepared,), problems = reader.read([SentencePair("odd", *sides), pair((), (), id="2")])
    assert (prepared.id, prepared.source.words) == ("2", tuple(WORDS[0].split()))
    assert problems == ["pair 'odd': too many words"]


def test_a_pair_with_trees_is_trained_as_it_is_aligned(parser: Any) -> None:
    model = replace(ForestAligner.load().model, judge=None)
    given = pair((VERB, NOUN), (FRONT,))
    expected = ForestAligner(model, candidates="dictionary").align(*with_given_trees(given))
    found = align_pair(read(given, given_trees=True), model)
    assert list(found.phrases) == [replace(one, relation=None) for one in expected.phrases]
    for name in ("words", "source_tree", "target_tree", "log_probability"):
        assert getattr(found, name) == getattr(expected, name)


def test_a_learned_dictionary_decides_on_candidates_and_features(parser: Any, tmp_path: Path) -> None:
    """Vectors of the flat parser are equal, so that all words of different lemmas are similar."""
    raw = [pair((), ())]
    reader = CorpusReader(candidates="dictionary", cache=tmp_path)
    before = reader.identity
    (plain,), _ = reader.read(raw)
    dictionary = reader.learn_dictionary(reader.parse(raw))
    assert reader.dictionary == dictionary and dictionary.cosine == pytest.approx(1)
    assert reader.identity != before
    (found,), _ = reader.read(raw)
    assert len(found.candidates) == 36 > len(plain.candidates)
    assert not any(candidate.weighted for candidate in found.candidates)
    embedding = RELATIONS.index("embedding")
    assert found.features.relations[:, :, embedding].all()
    again = CorpusReader(candidates="dictionary", dictionary=dictionary, cache=tmp_path)
    assert again.identity == reader.identity
    (cached,), _ = again.read(raw)
    assert [replace(one, evidence=()) for one in found.candidates] == list(cached.candidates)


def sentence(words: list[str], angles: list[float]) -> Sentence:
    """A sentence whose vectors point into these directions of a plane."""
    vectors = [(math.cos(angle), math.sin(angle)) for angle in angles]
    return replace(Sentence.from_words(words), vectors=np.array(vectors, dtype=np.float32))


def test_the_cosine_is_that_of_rank_100_among_different_lemmas() -> None:
    generator = np.random.default_rng(4)
    names = [f"name{letter}x" for letter in ascii_lowercase]
    pairs, best = [], {}
    for _ in range(60):
        sides = []
        for _ in range(2):
            chosen = generator.choice(26, 6, replace=False)
            sides.append(([names[number] for number in chosen], generator.uniform(0, 3, 6).tolist()))
        pairs.append(tuple(sentence(*side) for side in sides))
        for one, first in zip(*sides[0], strict=True):
            for two, second in zip(*sides[1], strict=True):
                if one != two:
                    key = frozenset((one, two))
                    best[key] = max(best.get(key, -1), math.cos(first - second))
    assert len(best) > 2 * RANK
    dictionary = learn_dictionary(pairs, load_lexicon())  # type: ignore[arg-type]
    assert dictionary.cosine == pytest.approx(sorted(best.values())[-RANK], abs=1e-6)
    assert dictionary == learn_dictionary([pair[::-1] for pair in pairs], load_lexicon())  # type: ignore[arg-type]


def test_derivations_are_those_within_sentence_pairs() -> None:
    texts = ["creation of a blogger", "the creators blogging", "googler", "googling"]
    one, two, three, four = (Sentence.from_words(text.split()) for text in texts)
    dictionary = learn_dictionary([(one, two), (three, two), (one, four)], load_lexicon())
    assert dictionary == Dictionary(None, frozenset({("creation", "creator"), ("blog", "blogger")}))
    assert ("google", "googler") in learn_dictionary([(three, four)], load_lexicon()).derivations


def test_an_empty_corpus_teaches_nothing_and_broken_vectors_are_refused() -> None:
    assert (
        learn_dictionary([], load_lexicon())
        == learn_dictionary([(Sentence(()),) * 2], load_lexicon())
        == Dictionary()
    )
    good, bad = sentence(["a"], [0]), sentence(["b"], [math.nan])
    with pytest.raises(InputError, match="expected word vectors of finite numbers"):
        learn_dictionary([(good, bad)], load_lexicon())


def test_only_the_highest_similarities_are_kept_at_a_time() -> None:
    """Many more words than are kept: those dropped on the way are not among the highest."""
    letters = ["".join(pair) for pair in combinations(ascii_lowercase, 2)]
    angles = np.linspace(0, 1.5, len(letters)).tolist()
    sides = {start: sentence(letters[start : start + 60], angles[start : start + 60]) for start in range(250)}
    pairs = [(sides[start], sides[start + 7]) for start in range(0, 240, 60)]
    values = {}
    for source, target in pairs:
        assert source.vectors is not None and target.vectors is not None
        for (i, j), cosine in np.ndenumerate(source.vectors @ target.vectors.T):
            words = frozenset((load_lexicon().lemma(source.words[i]), load_lexicon().lemma(target.words[j])))
            if len(words) == 2:
                values[words] = max(values.get(words, -1), float(cosine))
    assert len(values) > 20 * RANK
    assert learn_dictionary(pairs, load_lexicon()).cosine == pytest.approx(
        sorted(values.values())[-RANK], abs=1e-6
    )
