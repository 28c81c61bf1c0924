from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import forest_align
from forest_align.aligners.contextual import ContextualAligner
from forest_align.aligners.documents import DocumentAligner, align_documents
from forest_align.types import InputError, ModelError, Sentence

SOURCE = """The company was founded in Oslo in 1990. It makes shoes and bags.

Sales rose by 5% last year. Nobody came."""
TARGET = """Turnover grew five percent in the last year. It makes shoes. It also makes bags.
The firm was founded in Oslo in 1990."""


@pytest.fixture(scope="module")
def sentences_only() -> DocumentAligner:
    return DocumentAligner(None)


def groups(found: forest_align.DocumentAlignment) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(group.source, group.target) for group in found.groups]


def test_sentences_are_aligned_in_any_order_and_several_to_one(sentences_only: DocumentAligner) -> None:
    alignment = sentences_only.align(SOURCE, TARGET, id="7")
    assert groups(alignment) == [((0,), (3,)), ((1,), (1, 2)), ((2,), (0,))]
    assert (alignment.unaligned_source, alignment.unaligned_target) == ((3,), ())
    assert all(0.5 < group.probability <= 1 and group.alignment is None for group in alignment.groups)
    assert (alignment.id, alignment.aligner, alignment.error, alignment.warnings) == ("7", "", "", ())
    assert (
        SOURCE[slice(*alignment.source_spans[2])] == alignment.source[2].text == "Sales rose by 5% last year."
    )


def test_words_of_each_group_are_aligned_as_those_of_the_sentences_alone() -> None:
    aligner = ContextualAligner.load()
    alignment = DocumentAligner(aligner).align(SOURCE, TARGET, id="7")
    assert (alignment.aligner, alignment.made_by) == ("contextual", aligner.made_by)
    first, second, _ = (group.alignment for group in alignment.groups)
    assert first is not None and second is not None
    assert first.words.pairs == aligner.align(first.source.text, first.target.text).words.pairs
    assert (second.id, second.target.text) == ("7:2", "It makes shoes. It also makes bags.")
    assert second.target.sentences == ((0, 4), (4, 9))
    words = {(second.source.words[i], second.target.words[j]) for i, j in second.words}
    assert {("shoes", "shoes"), ("bags", "bags")} <= words


def test_given_sentences_stay_as_they_are(sentences_only: DocumentAligner) -> None:
    source = ["One came. Two left.", "", Sentence.from_words(["It", "rained", "."]), "  "]
    alignment = sentences_only.align(source, ["", "It was raining.", "One came and two left."])
    assert groups(alignment) == [((0,), (2,)), ((2,), (1,))]
    assert (alignment.unaligned_source, alignment.unaligned_target) == ((1, 3), (0,))
    assert (alignment.source_spans, alignment.target_spans) == ((), ())


@pytest.mark.parametrize("pair", [("", ""), ("", "It rained."), ([], ["It rained."]), (["", ""], [""])])
def test_blank_documents_have_no_groups(sentences_only: DocumentAligner, pair: Any) -> None:
    alignment = sentences_only.align(*pair)
    assert alignment.groups == ()
    assert alignment.error == ""


def test_a_sentence_that_cannot_be_read_is_named(sentences_only: DocumentAligner) -> None:
    broken = Sentence.from_words(["word", "."] * 600)
    alignment = sentences_only.align(["It rained.", broken], ["It rained."])
    assert groups(alignment) == [((0,), (0,))]
    assert alignment.warnings == ("source sentence 2 could not be read: it has 1200 words",)


def test_a_stream_keeps_the_places_of_broken_pairs(sentences_only: DocumentAligner) -> None:
    def pairs() -> Iterator[Any]:
        yield "It rained.", "It was raining."
        yield InputError("no such file", file="x")
        yield 3, "It rained."
        yield "It rained.", "It rained."

    found = list(sentences_only.align_many(pairs()))
    assert [one.id for one in found] == ["1", "2", "3", "4"]
    assert [bool(one.groups) for one in found] == [True, False, False, True]
    assert found[1].error == "x: no such file"
    assert found[2].error.startswith("field 'source': expected a text")


def test_a_failed_alignment_of_words_keeps_its_group() -> None:
    class Failing(ContextualAligner):
        def align_prepared(self, source: Sentence, target: Sentence) -> forest_align.Alignment:
            raise InputError("too difficult")

    (group,) = DocumentAligner(Failing()).align("It rained.", "It rained.").groups
    assert group.alignment is not None
    assert group.alignment.error == "too difficult"


def test_an_aligner_may_be_given_or_named() -> None:
    (group,) = align_documents("It rained.", "It rained.", aligner="contextual").groups
    assert group.alignment is not None and group.alignment.words.to_pharaoh() == "0-0 1-1 2-2"
    with pytest.raises(ModelError):
        DocumentAligner("nobody")
    with pytest.raises(InputError, match="threshold"):
        DocumentAligner(None, threshold=2)
