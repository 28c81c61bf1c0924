"""Table 1 of Sultan et al. (2014), copied from the paper, against the one in the code and what it does."""

from __future__ import annotations

from itertools import product

from forest_align.aligners.sultan._pipeline import Pipeline
from forest_align.aligners.sultan.parameters import PublishedParameters
from forest_align.aligners.sultan.sentence_view import (
    SentenceView,
    category,
    crossed,
    parallel,
    word_similarity,
)
from forest_align.parsing.dependencies.annotators import Annotation
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import Sentence

# Orientation, categories of s and t and of their relatives, types in S, types in T (= stands for the arrow,
# the same as in S). Where the paper prints "pos" and "rcmmod" it means poss and rcmod.
TABLE = """
a | verb      | verb      | purpcl xcomp                           | =
a | verb      | noun      | agent nsubj xsubj                      | =
a | verb      | noun      | dobj nsubjpass rel                     | =
a | verb      | noun      | tmod prep_in prep_at prep_on           | =
a | verb      | noun      | iobj prep_to                           | =
a | noun      | verb      | infmod partmod rcmod                   | =
a | noun      | noun      | poss nn prep_of prep_in prep_at prep_for | =
a | noun      | adjective | amod rcmod                             | =
c | verb      | verb      | conj_and                               | =
c | verb      | verb      | conj_or                                | =
c | verb      | verb      | conj_nor                               | =
c | verb      | noun      | dobj nsubjpass rel                     | infmod partmod rcmod
c | verb      | adjective | acomp                                  | cop csubj
c | noun      | noun      | conj_and                               | =
c | noun      | noun      | conj_or                                | =
c | noun      | noun      | conj_nor                               | =
c | noun      | adjective | amod rcmod                             | nsubj
c | adjective | adjective | conj_and                               | =
c | adjective | adjective | conj_or                                | =
c | adjective | adjective | conj_nor                               | =
c | adverb    | adverb    | conj_and                               | =
c | adverb    | adverb    | conj_or                                | =
c | adverb    | adverb    | conj_nor                               | =
"""
Row = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]
TAGS = {"verb": "VBD", "noun": "NN", "adjective": "JJ", "adverb": "RB"}


def read_row(line: str) -> Row:
    orientation, own, other, left, right = (cell.strip() for cell in line.split("|"))
    types = tuple(left.split())
    return orientation, own, other, types, types if right == "=" else tuple(right.split())


ROWS = [read_row(line) for line in TABLE.strip().splitlines()]


def view(tags: tuple[str, str], dependency: Dependency) -> SentenceView:
    """Two words with a dependency between them."""
    sentence = Sentence.from_words(["blick", "snorp"], tags)
    return SentenceView.of(sentence, ["", ""], Annotation((), (dependency,)))


def evidence(source: SentenceView, target: SentenceView) -> list[list[tuple[int, int]]]:
    """What speaks for the first words of two sentences, and what for the second ones."""
    similar = word_similarity(source, target, lambda word: (), 0.9)
    pipeline = Pipeline(source, target, similar, PublishedParameters())
    return [pipeline.dependency_context((word, word)) for word in (0, 1)]


def test_every_row_is_evidence_in_every_orientation_and_both_ways_round() -> None:
    for orientation, own, other, left, right in ROWS:
        tags = (TAGS[own], TAGS[other])
        for one, two in product(left, right):
            # In orientation (a) both first words are the parents, in (c) one is the child; the second words
            # see the same as (b) and (d).
            source = view(tags, Dependency(0, 1, one))
            target = view(tags, Dependency(0, 1, two) if orientation == "a" else Dependency(1, 0, two))
            for pair in ((source, target), (target, source)):
                assert evidence(*pair) == [[(1, 1)], [(0, 0)]], (tags, one, two)


def test_categories_are_read_off_the_tags() -> None:
    assert [category(tag) for tag in TAGS.values()] == list(TAGS)
    others = {"PRP": "noun", "JJR": "adjective", "RP": "RP", "DT": "DT"}
    assert [category(tag) for tag in others] == list(others.values())


def test_two_words_are_evidence_once_however_many_dependencies_they_have() -> None:
    both = (Dependency(0, 1, "nsubj"), Dependency(0, 1, "xsubj"))
    sentence = Sentence.from_words(["blick", "snorp"], ("VBD", "NN"))
    one = SentenceView.of(sentence, ["", ""], Annotation((), both))
    assert evidence(one, one) == [[(1, 1)], [(0, 0)]]


def expected(orientation: str) -> set[tuple[str, str, str, str]]:
    """All that the rows of an orientation say, also when the sentences change places."""
    found = set()
    for one, own, other, left, right in ROWS:
        for a, b in product(left, right) if one == orientation else ():
            found.add((own, other, a, b))
            found.add((own, other, b, a) if orientation == "a" else (other, own, b, a))
    return found


def all_calls() -> product[tuple[str, str, str, str]]:
    categories = (*TAGS, "RP")
    types = sorted({name for row in ROWS for name in (*row[3], *row[4])} | {"advmod"})
    return product(categories, categories, types, types)


def test_nothing_else_is_equivalent() -> None:
    rows = expected("a")
    assert {call for call in all_calls() if parallel(*call) and call[2] != call[3]} == {
        row for row in rows if row[2] != row[3]
    }
    assert all(parallel(one, two, name, name) for one, two, name, _ in all_calls())
    assert {call for call in all_calls() if crossed(*call)} == expected("c")
