"""Sultan's aligner: symmetry, gaps, what it has parsed, its settings."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.lexicon.pair_table import PairTable
from forest_align.parsing import sentence_from_bracket
from forest_align.parsing.dependencies.annotators import Annotation
from forest_align.parsing.dependencies.entities import Entity
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import InputError, Sentence

TREES = [
    "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .))",
    "(S (NP (NP (DT The) (NN mat)) (SBAR (S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on)))))) (. .))",
    "(S (NP (NNP New) (NNP York)) (VP (VBZ is) (NP (DT the) (NN cat) (CC and) (NN cat))) (. .))",
    "(S (NP (NNP York)) (VP (VBD saw) (NP (NNP New) (NNP York))) (, ,))",
    "(NP (DT the) (DT the) (NN cat) (NN cat))",
    "(NP (NN cat) (DT the) (NN cat) (DT the) (NN cat))",
]


@pytest.mark.parametrize("left", TREES)
@pytest.mark.parametrize("right", TREES)
def test_the_alignment_of_swapped_sentences_is_the_transpose(left: str, right: str) -> None:
    aligner = SultanAligner(ppdb=PairTable([("cat", "mat"), ("sat", "saw")]))
    one, two = sentence_from_bracket(left), sentence_from_bracket(right)
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
    found = SultanAligner().align(one, one).words
    assert found.pairs == tuple((k, k) for k in range(len(one)))


def test_settings_are_the_parameters_and_the_annotator_as_json_values() -> None:
    found = json.loads(json.dumps(SultanAligner().settings))
    assert found["ppdb_similarity"] == found["word_weight"] == 0.9
    assert (found["annotator"], "threshold" in found) == ("trees", False)
