"""Trees that came with sentences: the forests of training are those that the aligner aligns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import LINKED, RELATIONS
from forest_align.aligners.words.candidate import Candidate
from forest_align.data.formats.format import SentencePair
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.forest.dev_set import align_pair
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.parsing.forests.given_trees import with_given_trees
from forest_align.types import InputError, Sentence

WORDS = ("she saw the man with binoculars", "with binoculars she saw the man")
NOUN = "(S (NP (PRP she)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (NNS binoculars))))))"
VERB = "(S (NP (PRP she)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (NNS binoculars)))))"
FRONT = "(S (PP (IN with) (NP (NNS binoculars))) (NP (PRP she)) (VP (VBD saw) (NP (DT the) (NN man))))"


class FlatParser:
    """Gives flat trees, and remembers what it parsed."""

    def __init__(self) -> None:
        self.parsed: list[Any] = []

    def parse_many(self, texts: Sequence[Any], batch_size: int = 32) -> list[Sentence | InputError]:
        self.parsed += texts
        return [self._parse(text.split() if isinstance(text, str) else text) for text in texts]

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        return [replace(one, vectors=np.ones((len(one), 4), np.float32) / 2) for one in sentences]

    def _parse(self, words: Sequence[str]) -> Sentence | InputError:
        if "unreadable" in words:
            return InputError("too many words")
        tree = f"(S {' '.join(f'(NN {word})' for word in words)})"
        return self.with_vectors([sentence_from_bracket(tree, lemmatizer=load_lexicon().lemma)])[0]


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> FlatParser:
    made = FlatParser()
    monkeypatch.setattr("forest_align.parsing.load_parser_for_alignment", lambda *args, **options: made)
    return made


def pair(*trees: tuple[str, ...], id: str = "1") -> SentencePair:
    given = [tuple((tree, float(-rank)) for rank, tree in enumerate(side)) for side in trees]
    sides = (Sentence.from_words(words.split()) for words in WORDS)
    return SentencePair(id, *sides, source_trees=given[0], target_trees=given[1])


def read(one: SentencePair, **options: Any) -> CorpusPair:
    made = CorpusReader(candidates=options.pop("candidates", "dictionary"), **options)
    found, problems = made.read([one])
    assert not problems
    return found[0]


def brackets(found: CorpusPair) -> list[str]:
    texts = []
    for side in (found.source, found.target):
        assert side.forest is not None
        texts.append(side.forest.bracket(side.words))
    return texts


def test_given_trees_become_the_forests(parser: FlatParser) -> None:
    found = read(pair((VERB,), (FRONT,)), given_trees=True)
    assert brackets(found) == [VERB, FRONT]
    assert not parser.parsed
    # The forests are no gold to measure themselves by.
    assert found.gold_heads is None and found.given_forests


def test_word_candidates_that_need_vectors_get_them(parser: FlatParser, monkeypatch: Any) -> None:
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


def test_a_tree_over_other_words_is_reported_by_pair_and_side(parser: FlatParser) -> None:
    found, problems = CorpusReader(candidates="dictionary", given_trees=True).read([pair((VERB,), (VERB,))])
    assert not found
    assert len(problems) == 1 and "pair '1'" in problems[0] and "target tree" in problems[0]


def test_a_tree_that_is_too_large_is_told_and_the_rest_is_used(
    parser: FlatParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_align.aligners.forest.features.MOST_NODES", 3)
    sides = (Sentence.from_words(["yes"]), Sentence.from_words(["no"]))
    small = SentencePair("2", *sides, source_trees=(("(UH yes)", 0.0),), target_trees=(("(UH no)", 0.0),))
    made = CorpusReader(candidates="dictionary", given_trees=True)
    found, problems = made.read([pair((VERB,), (FRONT,)), small])
    assert [one.id for one in found] == ["2"]
    assert len(problems) == 1 and "pair '1': field 'forest': expected a forest of at most 3" in problems[0]


@pytest.mark.parametrize(
    ("change", "parses"),
    [({"parser": "other"}, 2), ({"forest_size": 3}, 2), ({}, 0)],
)
def test_each_setting_has_cache_entries_of_its_own(
    parser: FlatParser, tmp_path: Path, change: dict[str, Any], parses: int
) -> None:
    read(pair((), ()), cache=tmp_path)
    entries = set(tmp_path.rglob("*.safetensors"))
    parser.parsed.clear()
    read(pair((), ()), cache=tmp_path, **change)
    assert len(parser.parsed) == parses
    # One more for the features of the pair.
    assert len(set(tmp_path.rglob("*.safetensors")) - entries) == parses + bool(change)


def test_confident_candidates_are_links_of_the_features(parser: FlatParser, monkeypatch: Any) -> None:
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
def test_a_sentence_that_cannot_be_parsed_leaves_its_pair_out(parser: FlatParser, broken: int) -> None:
    sides = [Sentence.from_words(["fine"]), Sentence.from_words(["fine"])]
    sides[broken] = Sentence.from_words(["unreadable"])
    found, problems = CorpusReader(candidates="dictionary").read(
        [SentencePair("odd", *sides), pair((), (), id="2")]
    )
    assert [(one.id, one.source.words) for one in found] == [("2", tuple(WORDS[0].split()))]
    assert problems == ["pair 'odd': too many words"]


def test_a_pair_with_trees_is_trained_as_it_is_aligned(parser: FlatParser) -> None:
    model = replace(ForestAligner.load().model, judge=None)
    given = pair((VERB, NOUN), (FRONT,))
    expected = ForestAligner(model, candidates="dictionary").align(*with_given_trees(given))
    found = align_pair(read(given, given_trees=True), model)
    assert list(found.phrases) == [replace(one, relation=None) for one in expected.phrases]
    for name in ("words", "source_tree", "target_tree", "log_probability"):
        assert getattr(found, name) == getattr(expected, name)


def test_a_learned_dictionary_decides_on_candidates_and_features(parser: FlatParser, tmp_path: Path) -> None:
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
