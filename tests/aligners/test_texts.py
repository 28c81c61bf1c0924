"""Texts of several sentences, aligned by the bundled aligners."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import forest_align
from forest_align import Alignment, Sentence
from forest_align.aligners.base import Aligner

SPACE = (
    "NASA helped ignite the space industry. The new companies have grown.",
    "NASA helped start the space industry, which has grown.",
)
EXCHANGED = (
    "The prime minister died in Paris. His brother opened a new bank.",
    "A new bank was opened by his brother. In Paris the premier passed away.",
)
THREE = (
    "He was born in Rome. He studied law there. He died in 1904.",
    "He was born in Rome and studied law there. In 1904 he died.",
)
PAIRS = (SPACE, EXCHANGED, THREE)


@pytest.fixture(scope="module", params=["forest", "projection", "joint", "semi-markov"])
def aligner(request: pytest.FixtureRequest) -> Aligner:
    return forest_align.load(request.param)


@pytest.fixture(scope="module")
def forest() -> Aligner:
    return forest_align.load("forest")


def crossing(alignment: Alignment) -> Iterator[str]:
    """Phrases that lead over a boundary without being a join of whole sentences."""
    for pair in alignment.phrases:
        sides = (pair.source_node, alignment.source), (pair.target_node, alignment.target)
        for node, sentence in sides:
            edges = {edge for span in sentence.sentences for edge in span}
            leads_over = any(node.start < start < node.end for start in sentence.starts)
            if leads_over and not {node.start, node.end} <= edges:
                yield " ".join(sentence.words[node.start : node.end])


def spans_of(alignment: Alignment) -> set[tuple[str, str]]:
    return {
        (
            " ".join(alignment.source.words[pair.source_node.start : pair.source_node.end]),
            " ".join(alignment.target.words[pair.target_node.start : pair.target_node.end]),
        )
        for pair in alignment.phrases
    }


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("pair", PAIRS)
def test_no_phrase_leads_from_one_sentence_into_the_next(
    aligner: Aligner, pair: tuple[str, str], swapped: bool
) -> None:
    source, target = pair[::-1] if swapped else pair
    raw = aligner.align(source, target)
    words = aligner.align(*(Sentence.from_words(side.words) for side in (raw.source, raw.target)))
    for alignment in (raw, words):
        assert len(alignment.source.sentences) + len(alignment.target.sentences) >= 3
        assert len(alignment.phrases) > 4
        assert list(crossing(alignment)) == []


def test_sentences_in_another_order_are_aligned_with_each_other(forest: Aligner) -> None:
    alignment = forest.align(*EXCHANGED)
    assert alignment.root_aligned
    # The full stops are linked in the order of the text, so the sentences are aligned without them.
    assert {
        ("The prime minister died in Paris", "In Paris the premier passed away"),
        ("His brother opened a new bank", "A new bank was opened by his brother"),
    } <= spans_of(alignment)


def test_a_sentence_is_aligned_with_parts_of_two(forest: Aligner) -> None:
    alignment = forest.align(*THREE)
    assert alignment.root_aligned and alignment.source_tree.startswith("(TEXT (")
    assert {("He died in 1904 .", "In 1904 he died .")} <= spans_of(alignment)
    linked = {i for i, j in alignment.words if j < alignment.target.starts[0]}
    assert linked & set(range(5)) and linked & set(range(6, 10))


def test_the_record_of_an_alignment_keeps_the_sentences(forest: Aligner) -> None:
    found = Alignment.from_json(forest.align(*SPACE).to_json())
    assert found.source.starts == (7,) and found.target.starts == ()
