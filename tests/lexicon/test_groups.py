"""Groups of words, against second implementations that look at every pair of spans."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.lexicon._abbreviations import acronym_spans
from forest_align.lexicon.groups import Group, lexical_groups, linked_blocks
from forest_align.lexicon.lexicon import WordProfile, load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import Sentence

_LISTED = """
once in a while|occasionally|now and then|New York City|New York|NYC|passed away|died|kicked the bucket
well - known|well known|well-known|wellknown|per cent|percent|- cats|cats --|cats|all to gether|altogether
to o|too|--|- -|---|just about|more or less|about|the United States|America|broken wind|heaves|fart
hit the road|leave|a
"""
SEGMENTS = [segment.strip() for segment in _LISTED.replace("\n", "|").split("|") if segment.strip()]
TABLE = PairTable([("hit the road", "leave"), ("cats", "died"), ("a", "well known"), ("now and then a", "a")])
SHORT_TABLE = PairTable([("per cent", "cats")])

sentences = st.lists(st.sampled_from(SEGMENTS), max_size=4).map(
    lambda segments: Sentence.from_words(" ".join(segments).split())
)


def spans(length: int, longest: int = 4) -> Iterator[tuple[int, int]]:
    for start in range(length):
        for end in range(start + 1, min(start + longest, length) + 1):
            yield start, end


def wordnet_name(words: list[WordProfile]) -> str:
    """The lemma of WordNet that the words are, their forms first."""
    if len(words) == 1:
        return "" if words[0].is_function else words[0].lemma
    for name in ("_".join(w.lower for w in words), "_".join(w.lemma for w in words)):
        if name in load_lexicon().store.ids:
            return name
    return ""


def written_together(single: list[WordProfile], several: list[WordProfile]) -> bool:
    if len(single) != 1 or len(several) not in (2, 3) or len(single[0].lower) < 4:
        return False
    if not several[0].lower.strip("-") or not several[-1].lower.strip("-"):
        return False
    return single[0].lower.replace("-", "") == "".join(w.lower for w in several).replace("-", "")


def naive_groups(source: Sentence, target: Sentence, table: PairTable | None) -> list[Group]:
    lexicon = load_lexicon()
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    found = [Group((i, i + 1), span, "acronym") for i, span in acronym_spans(source.words, target.words)]
    found += [Group(span, (j, j + 1), "acronym") for j, span in acronym_spans(target.words, source.words)]
    for left in spans(len(lefts)):
        for right in spans(len(rights)):
            ours, theirs = lefts[slice(*left)], rights[slice(*right)]
            if len(ours) == len(theirs) == 1:
                continue
            if written_together(ours, theirs) or written_together(theirs, ours):
                found.append(Group(left, right, "joined"))
            one, two = wordnet_name(ours), wordnet_name(theirs)
            if one and two and one != two and {*lexicon.synsets(one)} & {*lexicon.synsets(two)}:
                found.append(Group(left, right, "collocation"))
            phrases = tuple(" ".join(w.lower for w in side) for side in (ours, theirs))
            if table is not None and phrases in table:
                found.append(Group(left, right, "ppdb"))
    return sorted(set(found))


@given(sentences, sentences, st.sampled_from([None, TABLE, SHORT_TABLE]))
def test_groups_are_those_that_a_search_over_all_spans_finds(
    source: Sentence, target: Sentence, table: PairTable | None
) -> None:
    assert lexical_groups(source, target, load_lexicon(), table) == naive_groups(source, target, table)


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("once in a while", "occasionally", [((0, 4), (0, 1), "collocation")]),
        ("once in a while", "now and then", [((0, 4), (0, 3), "collocation")]),
        ("New York City", "New York", [((0, 3), (0, 2), "collocation")]),
        ("United States", "America", [((0, 2), (0, 1), "collocation")]),
        ("broken wind", "heaves fart", [((0, 2), (0, 1), "collocation")]),
        ("just about", "about", []),
        ("kicked the bucket", "died", [((0, 3), (0, 1), "collocation")]),
        ("well - known", "well-known", [((0, 3), (0, 1), "joined")]),
        ("cats - dogs", "cats dogs", []),
        ("-- --", "----", []),
        ("to o", "too", []),
        (
            "the Department of Justice",
            "the DOJ",
            [((1, 4), (1, 2), kind) for kind in ("acronym", "collocation")],
        ),
        ("the Bank of America", "the BA", [((1, 4), (1, 2), "acronym")]),
        ("IT", "it", []),
    ],
)
def test_groups_of_small_sentences(one: str, two: str, expected: list) -> None:
    groups = lexical_groups(*(Sentence.from_words(text.split()) for text in (one, two)), load_lexicon())
    assert groups == [Group(*group) for group in expected]


def test_a_table_of_two_words_at_most_makes_groups() -> None:
    source, target = (Sentence.from_words(text.split()) for text in ("per cent", "cats"))
    assert lexical_groups(source, target, load_lexicon(), SHORT_TABLE) == [Group((0, 2), (0, 1), "ppdb")]
    cats, died = Sentence.from_words(["cats"]), Sentence.from_words(["died"])
    assert ("cats", "died") in TABLE and lexical_groups(cats, died, load_lexicon(), TABLE) == []


def naive_blocks(probabilities: np.ndarray, threshold: float) -> list[Group]:
    likely = probabilities >= threshold
    links = [(i, j) for i, j in np.argwhere(likely).tolist() if likely[i].sum() + likely[:, j].sum() > 2]
    sets = [({i}, {j}) for i, j in links]
    for i, j in links:
        joined = [one for one in sets if i in one[0] or j in one[1]]
        sets = [one for one in sets if one not in joined]
        sets.append((set().union(*(rows for rows, _ in joined)), set().union(*(cols for _, cols in joined))))
    found = []
    for source in spans(len(probabilities)):
        for target in spans(probabilities.shape[1]):
            rows, columns = set(range(*source)), set(range(*target))
            fits = any(
                rows <= ours and columns <= theirs and max(len(ours), len(theirs)) <= 8
                for ours, theirs in sets
            )
            inside = {(i, j) for i, j in links if i in rows and j in columns}
            is_full = {i for i, _ in inside} == rows and {j for _, j in inside} == columns
            if fits and is_full and len(rows) + len(columns) > 2:
                found.append(Group(source, target, "block"))
    return sorted(found)


@given(
    st.integers(0, 10),
    st.integers(0, 10),
    st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25),
    st.sampled_from([0.5, 0.2]),
)
def test_blocks_are_the_spans_of_one_connected_set_that_leave_no_word_without_a_link(
    rows: int, columns: int, links: set, threshold: float
) -> None:
    probabilities = np.full((rows, columns), 0.1)
    for number, (i, j) in enumerate(sorted(links)):
        if i < rows and j < columns:
            probabilities[i, j] = (0.5, 0.9, 0.2)[number % 3]
    assert linked_blocks(probabilities, threshold) == naive_blocks(probabilities, threshold)


def test_eight_words_on_a_side_still_have_blocks_and_half_is_likely() -> None:
    column = np.full((8, 1), 0.5)
    assert linked_blocks(column) == naive_blocks(column, 0.5) != []
    assert linked_blocks(np.full((9, 1), 0.5)) == []
