from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners import load
from forest_align.aligners.contextual.aligner import ContextualAligner, bundled_model
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.words.choose import WORD_CANDIDATES, word_candidate_files, word_candidates
from forest_align.aligners.words.lexical import Dictionary, GivenCandidates, LexicalCandidates
from forest_align.alignment import Links
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError, Sentence


def sentence(text: str) -> Sentence:
    """A sentence with made-up word vectors, equal ones for equal words."""
    words, size = text.split(), len(bundled_model().mean)
    vectors = np.array([np.random.default_rng(zlib.crc32(word.encode())).normal(size=size) for word in words])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return replace(Sentence.from_words(words), vectors=vectors.astype(np.float32))


SOURCE, TARGET = sentence("the old man died in the house"), sentence("the man passed away in a house")


@pytest.mark.parametrize("name", WORD_CANDIDATES)
def test_every_name_proposes_the_same_word(name: str) -> None:
    candidates = word_candidates(name).candidates(SOURCE, TARGET)
    assert ((2, 3), (1, 2)) in {(c.source, c.target) for c in candidates}
    assert list(candidates) == sorted(candidates)


def test_contextual_candidates_bear_the_probabilities_of_the_contextual_aligner() -> None:
    probability = ContextualAligner().link_probabilities(SOURCE, TARGET)
    counts = []
    for least, minimum in ((0.01, 0.01), (0.2, None), (0.9, 0.9)):
        candidates = word_candidates("contextual", minimum_score=minimum).candidates(SOURCE, TARGET)
        single = {(c.source[0], c.target[0]): c.score for c in candidates if not c.is_group}
        assert single == {
            (i, j): pytest.approx(float(probability[i, j]))
            for i, j in np.argwhere(probability >= least).tolist()
        }
        counts.append(len(single))
    assert counts[0] > counts[1] >= counts[2] >= 3


def test_without_vectors_contextual_candidates_are_what_the_lexicon_tells() -> None:
    table = PairTable([("old man", "man")])
    bare = [replace(side, vectors=None) for side in (SOURCE, TARGET)]
    for pair in ((SOURCE, bare[1]), (bare[0], TARGET), (bare[0], bare[1])):
        candidates = word_candidates("contextual", ppdb=table).candidates(*pair)
        assert candidates == LexicalCandidates(load_lexicon(), ppdb=table).candidates(*pair)
        assert ("ppdb",) in {candidate.evidence for candidate in candidates}


def test_the_dictionary_has_what_a_training_corpus_adds() -> None:
    provider = word_candidates("dictionary", dictionary=Dictionary(0.5))
    assert isinstance(provider, LexicalCandidates) and provider.uses_vectors
    assert not word_candidates("dictionary").uses_vectors


def test_contextual_candidates_are_those_from_a_fifth_on(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.zeros((len(SOURCE), len(TARGET)), dtype=np.float64)
    table[0, 0], table[1, 3], table[2, 1] = 0.2, 0.19, 0.21
    cells = table, np.zeros(table.shape, dtype=np.int32)
    monkeypatch.setattr(ContextualAligner, "scored_cells", lambda self, source, target: cells)
    candidates = word_candidates().candidates(SOURCE, TARGET)
    assert [(c.source, c.target) for c in candidates if not c.is_group] == [
        ((0, 1), (0, 1)),
        ((2, 3), (1, 2)),
    ]


def test_the_forest_aligner_takes_candidates_by_name() -> None:
    named = ForestAligner.load(candidates="contextual").candidates.candidates(SOURCE, TARGET)
    assert named == word_candidates("contextual").candidates(SOURCE, TARGET)
    assert ForestAligner.load().candidates.candidates(SOURCE, TARGET) == word_candidates().candidates(
        SOURCE, TARGET
    )


@pytest.mark.parametrize("name", WORD_CANDIDATES)
def test_paraphrases_are_evidence_for_candidates_by_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "ppdb.tsv"
    path.write_text("old man\tman\n", encoding="utf-8")
    group = ((1, 3), (1, 2), ("ppdb",))
    for given, expected in ((None, False), (path, True), (PairTable([("man", "old man")]), True)):
        aligner = ForestAligner.load(candidates=name, ppdb=given)
        for provider in (aligner.candidates, word_candidates(name, ppdb=given)):
            found = {(c.source, c.target, c.evidence) for c in provider.candidates(SOURCE, TARGET)}
            assert (group in found) == expected


def test_paraphrases_beside_a_provider_that_would_not_see_them_are_refused() -> None:
    given = GivenCandidates(Links.of([(0, 0)]))
    with pytest.raises(InputError, match=r"expected word candidates by name, .* found a provider"):
        ForestAligner.load(candidates=given, ppdb=PairTable([]))


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    for refuse in (word_candidates, lambda name: ForestAligner.load(candidates=name)):
        with pytest.raises(InputError, match=r"expected .* contextual, dictionary, found 'magic'"):
            refuse("magic")


@pytest.mark.parametrize("name", ["union", "encoder"])
def test_a_name_of_earlier_versions_is_refused_with_those_there_are(name: str) -> None:
    for refuse in (word_candidates, lambda name: load("forest", candidates=name)):
        with pytest.raises(InputError, match=f"{name!r} are gone: use contextual or dictionary"):
            refuse(name)


def test_a_cache_of_contextual_candidates_knows_the_model_they_come_from() -> None:
    lexicon = word_candidate_files("dictionary")
    assert any(path.parent.name == "resources" for path in lexicon)
    assert "model.safetensors" not in {path.name for path in lexicon}
    contextual = word_candidate_files("contextual")
    assert {path.name for path in set(contextual) - set(lexicon)} >= {"model.json", "model.safetensors"}
    assert set(lexicon) < set(contextual) and contextual == sorted(contextual)
