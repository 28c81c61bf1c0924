"""Sultan's aligner: symmetry, its settings, and what is similar if the user brings no paraphrase table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.aligners.sultan.parameters import PublishedParameters
from forest_align.aligners.sultan.sentence_view import RELATION_WORTH, similar_words
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.parsing import sentence_from_bracket
from forest_align.parsing.dependencies.annotators import Annotation
from forest_align.parsing.dependencies.entities import Entity
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import InputError, Sentence

ALIGNER = SultanAligner()
TREES = [
    "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .))",
    "(S (NP (NP (DT The) (NN mat)) (SBAR (S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on)))))) (. .))",
    "(S (NP (NNP New) (NNP York)) (VP (VBZ is) (NP (DT the) (NN cat) (CC and) (NN cat))) (. .))",
    "(S (NP (NNP York)) (VP (VBD saw) (NP (NNP New) (NNP York))) (, ,))",
    "(NP (DT the) (DT the) (NN cat) (NN cat))",
    "(NP (NN cat) (DT the) (NN cat) (DT the) (NN cat))",
]


def test_the_alignment_of_swapped_sentences_is_the_transpose() -> None:
    aligner = SultanAligner(ppdb=PairTable([("cat", "mat"), ("sat", "saw")]))
    for one, two in combinations_with_replacement(map(sentence_from_bracket, TREES), 2):
        assert aligner.align(one, two).words == aligner.align(two, one).words.swap()


class GivenAnnotations:
    """An annotator that has been told everything."""

    name = "given"

    def __init__(self) -> None:
        self.known: dict[int, Annotation] = {}

    def annotate(self, sentence: Sentence) -> Annotation:
        return self.known[id(sentence)]

    def prepare(self, sentences: Sequence[Sentence | str]) -> list[Sentence | InputError]:
        return [one for one in sentences if isinstance(one, Sentence)]


FEW_WORDS = "cat mat cats saw the of New York Smith , .".split()  # noqa: SIM905
FEW_TAGS = "NN NNP VBD JJ IN .".split()  # noqa: SIM905
FEW_TYPES = "nsubj dobj nsubjpass rcmod nn prep_of conj_and det".split()  # noqa: SIM905
AnnotatedSentence = tuple[Sentence, Annotation]


@st.composite
def annotated_pairs(draw: st.DrawFn) -> tuple[AnnotatedSentence, AnnotatedSentence]:
    """Two sentences of few words with any tags, dependencies and names, often equally long: many ties."""
    lengths = draw(st.integers(3, 7).map(lambda n: (n, n)) | st.tuples(st.integers(1, 7), st.integers(1, 7)))
    words, tags = draw(st.sampled_from((2, 3, len(FEW_WORDS)))), draw(st.integers(1, len(FEW_TAGS)))
    one, two = (draw(annotated(n, FEW_WORDS[:words], FEW_TAGS[:tags])) for n in lengths)
    return one, two


@st.composite
def annotated(draw: st.DrawFn, length: int, words: list[str], tags: list[str]) -> AnnotatedSentence:
    place = st.integers(0, length - 1)
    edges = st.lists(st.builds(Dependency, place, place, st.sampled_from(FEW_TYPES)), max_size=6)
    spans = draw(st.lists(st.tuples(place, place, st.sampled_from(["", "person"])), max_size=2))
    names = tuple(Entity(min(a, b), max(a, b) + 1, kind) for a, b, kind in spans)
    forms, labels = (
        draw(st.lists(st.sampled_from(items), min_size=length, max_size=length)) for items in (words, tags)
    )
    return Sentence.from_words(forms, labels), Annotation(tuple(draw(edges)), tuple(draw(edges)), names)


# Two sequences as long and as far from the diagonal as each other: which is taken first decides.
TIED = tuple((Sentence.from_words(text.split()), Annotation()) for text in ("cat mat cat", "mat cat mat"))


@given(annotated_pairs(), st.sampled_from([None, PairTable([("cat", "mat"), ("saw", "York")])]))
@example((TIED[0], TIED[1]), None)
def test_the_alignment_is_transposed_whatever_the_dependencies_and_names(
    pair: tuple[AnnotatedSentence, AnnotatedSentence], ppdb: PairTable | None
) -> None:
    annotator = GivenAnnotations()
    annotator.known = {id(sentence): annotation for sentence, annotation in pair}
    aligner = SultanAligner(ppdb=ppdb, annotator=annotator)
    (one, _), (two, _) = pair
    assert aligner.align(one, two).words == aligner.align(two, one).words.swap()


def test_a_sentence_is_aligned_to_itself_along_the_diagonal() -> None:
    one = sentence_from_bracket(TREES[0])
    assert ALIGNER.align(one, one).words.pairs == tuple((word, word) for word in range(len(one)))


def test_settings_are_the_parameters_and_the_annotator_as_json_values() -> None:
    values = json.loads(json.dumps(ALIGNER.settings))
    assert values["ppdb_similarity"] == values["word_weight"] == 0.9
    assert (values["annotator"], "threshold" in values) == ("trees", False)


NEAR, FAR = PublishedParameters().cosine + 0.05, PublishedParameters().cosine - 0.05
ANY_WORDS = "the/DT of/IN cat/NN car/NN automobile/NN mice/NNS ran/VBD 7/CD seven/CD 8/CD 's/POS ./.".split()  # noqa: SIM905


def tagged(text: str, vectors: Sequence[Sequence[float]] | None = None) -> Sentence:
    """A sentence written word/TAG."""
    words, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    plain = Sentence.from_words(words, tags)
    return Sentence(plain.tokens, vectors=None if vectors is None else np.array(vectors, dtype=np.float32))


def are_similar(one: str, two: str, cosine: float | None = None) -> bool:
    """Whether two words are similar, without vectors or with vectors of this cosine."""
    pair = tagged(one), tagged(two)
    if cosine is not None:
        pair = tagged(one, [[1, 0]]), tagged(two, [[cosine, (1 - cosine**2) ** 0.5]])
    return bool(similar_words(*pair, load_lexicon(), PublishedParameters().cosine))


def linked(one: Sentence, two: Sentence, aligner: SultanAligner = ALIGNER) -> set[tuple[int, int]]:
    return set(aligner.align_prepared(one, two).words)


def test_synonyms_are_linked_without_a_table_and_without_vectors() -> None:
    one, two = tagged("red/JJ car/NN"), tagged("big/JJ automobile/NN")
    assert linked(one, two) == {(1, 1)}


@pytest.mark.parametrize(
    "pair", ["create/VB creation/NN", "colour/NN color/NN", "government/NN govt./NN", "two/CD 2/CD"]
)
def test_other_relations_of_the_lexicon_count_too(pair: str) -> None:
    left, right = pair.split()
    assert are_similar(left, right) and are_similar(right, left)


def test_where_the_lexicon_relates_two_words_less_likeness_is_enough_but_some_is_needed() -> None:
    assert are_similar("car/NN", "automobile/NN", FAR)
    assert not are_similar("car/NN", "automobile/NN", NEAR - 2 * RELATION_WORTH)


def test_different_numbers_are_never_similar() -> None:
    assert not are_similar("7/CD", "8/CD", 1)
    assert not are_similar("2004/CD", "120041/CD", 1)
    assert are_similar("7/CD", "seven/CD", NEAR)


def test_a_table_takes_the_place_of_lexicon_and_vectors() -> None:
    one, two = tagged("car/NN rain/NN", np.eye(2)), tagged("automobile/NN snow/NN", np.eye(2))
    assert linked(one, two) == {(0, 0), (1, 1)}
    table = PairTable([("rain", "snow")])
    assert linked(one, two, SultanAligner(ppdb=table)) == {(1, 1)}


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    words = draw(st.lists(st.sampled_from(ANY_WORDS), min_size=1, max_size=8))
    vectors = np.random.default_rng(draw(st.integers(0, 5))).normal(size=(len(words), 2))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return tagged(" ".join(words), vectors.tolist() if draw(st.booleans()) else None)


@given(sentences(), sentences())
def test_links_of_swapped_sentences_are_the_transpose(one: Sentence, two: Sentence) -> None:
    assert linked(one, two) == {(i, j) for j, i in linked(two, one)}


@given(sentences(), st.integers(0, 5))
def test_so_are_those_of_the_same_words_with_other_vectors(one: Sentence, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(len(one), 2))
    two = Sentence(one.tokens, vectors=(vectors / np.linalg.norm(vectors, axis=1, keepdims=True)))
    only_text = PublishedParameters(modules=frozenset({"text"}))
    for aligner in (ALIGNER, SultanAligner(only_text)):
        assert linked(one, two, aligner) == {(i, j) for j, i in linked(two, one, aligner)}
