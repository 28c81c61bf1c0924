"""Conventions of edits are learned: whether neighbouring changes are one edit or two."""

from __future__ import annotations

import pytest

from forest_align import Alignment, Links, Sentence
from forest_align.data.corpora.edit_corpus import EditedPair, EditSpans
from forest_align.edits import edits_of
from forest_align.em.edits.edit_training import (
    choose_edits,
    cross_fitted_f1,
    edit_examples,
    train_conventions,
)

LINKS = Links.from_pharaoh("0-0 1-1 2-2 3-3")


def example(noun: str, *marked: EditSpans) -> tuple[EditedPair, Alignment]:
    source = Sentence.from_words(["the", "red", noun, "."])
    target = Sentence.from_words(["the", "blue", f"{noun}s", "."])
    return EditedPair("1", source, target, (frozenset(marked),)), Alignment(source, target, LINKS)


@pytest.mark.parametrize(
    "marked", [(((1, 3), (1, 3)),), (((1, 2), (1, 2)), ((2, 3), (2, 3)))], ids=["one edit", "two edits"]
)
def test_what_people_marked_is_learned(marked: tuple[EditSpans, ...]) -> None:
    pairs = [example(noun, *marked) for noun in ("cat", "dog", "car", "house", "boat", "tree")]
    examples = edit_examples(*zip(*pairs, strict=True))
    learned = train_conventions(examples, regularization=0.1)
    (_, alignment) = example("field")
    found = {
        (one.source, one.target) for one in edits_of(alignment, conventions=learned) if one.kind != "keep"
    }
    assert found == set(marked)
    assert choose_edits(learned, examples[0]) == set(marked)
    assert cross_fitted_f1(examples * 3, 3) == 1.0


def test_pairs_without_changes_have_no_edits() -> None:
    same = Sentence.from_words(["a", "cat"])
    pair = EditedPair("1", same, same, (frozenset(),))
    (one,) = edit_examples([pair], [Alignment(same, same, Links.from_pharaoh("0-0 1-1"))])
    assert choose_edits(train_conventions([one]), one) == frozenset()
