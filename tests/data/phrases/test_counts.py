from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from growth import growth
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.data.phrases import counts as phrase_counts
from forest_align.data.phrases.counts import PhraseCounts, extract
from forest_align.data.phrases.occurrences import Occurrence, Selection, occurrences
from forest_align.data.phrases.phrase_table import PhraseEntry
from forest_align.types import InputError, Node, Sentence


def aligned(
    source: str,
    target: str,
    links: str = "",
    phrases: list[tuple[tuple[int, int], tuple[int, int], float]] | None = None,
    *,
    id: str = "1",
    labels: tuple[str, str] = ("NP", "NP"),
    scores: list[float] | None = None,
    constituent: bool = True,
) -> Alignment:
    """An alignment of words with their forms as tags, and phrases with one label a side."""
    sentences = [Sentence.from_words(side.split(), tags=side.upper().split()) for side in (source, target)]
    pairs = tuple(
        PhrasePair(Node(*one, labels[0], constituent), Node(*two, labels[1], constituent), probability)
        for one, two, probability in phrases or ()
    )
    words = replace(Links.from_pharaoh(links), scores=tuple(scores) if scores else None)
    return Alignment(*sentences, words, pairs, id=id)


def table(*alignments: Alignment, min_count: int = 1, **selection: object) -> list[PhraseEntry]:
    return list(extract(alignments, Selection(**selection), min_count=min_count))  # type: ignore[arg-type]


def texts(*alignments: Alignment, **selection: object) -> set[tuple[str, str]]:
    return {(entry.source, entry.target) for entry in table(*alignments, **selection)}


def test_counts_expected_counts_and_conditional_probabilities() -> None:
    died = ((1, 2), (1, 3))
    one = aligned("he died", "he left us", "0-0 1-1 1-2", [(*died, 1.0)], id="10")
    two = aligned("he died", "he left us", "0-0 1-1 1-2", [(*died, 0.5)], id="9")
    same = aligned("he died", "he died", "0-0 1-1", [((1, 2), (1, 2), 0.5)], id="8")
    (entry,) = table(one, two, same)
    assert (entry.source, entry.target, entry.count, entry.expected_count) == ("died", "left us", 2, 1.5)
    # The times that it was left as it was count for the whole, though they are not listed.
    assert entry.target_given_source == pytest.approx(1.5 / 2.0)
    assert entry.source_given_target == 1.0
    assert (entry.links, entry.example) == ("0-0 0-1", "9")


def related(
    relation: str, similarity: float | None, links: str = "0-0", *, swapped: bool = False
) -> Alignment:
    one = aligned("film", "movie", links, [((0, 1), (0, 1), 1.0)])
    pair = replace(one.phrases[0], relation=PhraseRelation(relation, 0.9), similarity=similarity)
    found = replace(one, phrases=(pair,))
    return found.swap() if swapped else found


def test_the_most_frequent_relation_and_the_mean_similarity() -> None:
    found = [related("similar", 3.0), related("more general", 4.5), related("more general", None)]
    (entry,) = table(*found)
    assert (entry.count, entry.relation, entry.similarity) == (3, "more general", pytest.approx(3.75))
    (entry,) = table(*found[:2])
    assert entry.relation == "more general"  # of equally frequent ones the first in the order of the names
    (entry,) = table(aligned("film", "movie", "0-0"))
    assert (entry.relation, entry.similarity) == ("", None)


def test_a_symmetric_table_exchanges_more_specific_and_more_general_with_the_phrases() -> None:
    found = [related("more specific", 4.0), related("more specific", 2.0, swapped=True)]
    (entry,) = table(*found, symmetric=True)
    assert (entry.source, entry.relation, entry.similarity) == ("film", "more specific", pytest.approx(3.0))
    relations = [("film", "more specific"), ("movie", "more general")]
    assert [(entry.source, entry.relation) for entry in table(*found)] == relations


def test_pairs_of_equal_words_are_listed_on_demand() -> None:
    same = aligned("The cat", "the cat", "0-0 1-1")
    assert texts(same) == set()
    assert texts(same, identical=True) == {("the", "the"), ("cat", "cat")}
    assert texts(same, identical=True, keep_case=True) == {("The", "the"), ("cat", "cat")}


def test_a_pair_that_only_adds_equal_words_to_a_smaller_one_is_left_out() -> None:
    phrases = [((0, 3), (0, 3), 1.0), ((0, 4), (0, 4), 1.0)]
    big = aligned("the big cat sat", "The large cat rested", "0-0 1-1 2-2 3-3", phrases)
    assert texts(big) == {("big", "large"), ("sat", "rested"), ("the big cat sat", "the large cat rested")}
    assert texts(big, expanded=True) - texts(big) == {("the big cat", "the large cat")}


def test_a_pair_that_adds_equal_words_to_what_is_not_aligned_stays() -> None:
    shorter = aligned("the last one month", "the last month", "0-0 1-1 3-2", [((0, 4), (0, 3), 1.0)])
    assert texts(shorter) == {("the last one month", "the last month")}
    unlikely = aligned("the big cat", "the large cat", "1-1", [((0, 3), (0, 3), 1.0)], scores=[0.1])
    assert texts(unlikely) == {("the big cat", "the large cat")}


def test_phrases_that_are_no_constituents_can_be_left_out() -> None:
    part = aligned("big cat", "large feline", phrases=[((0, 2), (0, 2), 1.0)], constituent=False)
    assert texts(part) == {("big cat", "large feline")}
    assert texts(part, constituents=True) == set()


def test_groups_of_links_are_pairs_too() -> None:
    # died ↔ passed away is one group; x ↔ y … z has a word between that belongs to no one.
    links, scores = "0-0 1-1 1-2 2-3 2-5", [0.9, 0.8, 0.7, 1.0, 1.0]
    words = aligned("he died x", "she passed away y w z", links, scores=scores)
    entries = {(entry.source, entry.target): entry for entry in table(words)}
    assert set(entries) == {("he", "she"), ("died", "passed away")}
    assert entries["died", "passed away"].expected_count == pytest.approx(0.7)
    assert (entries["he", "she"].source_label, entries["he", "she"].target_label) == ("HE", "SHE")
    # Where there are trees, a group that is no pair of their phrases is no pair of constituents.
    with_tree = replace(words, phrases=aligned("a", "b", phrases=[((0, 1), (0, 1), 1.0)]).phrases)
    assert texts(with_tree) == texts(words, constituents=True) == set(entries)
    assert texts(with_tree, constituents=True) == {("he", "she")}


def test_a_link_that_is_a_phrase_too_counts_once() -> None:
    (entry,) = table(aligned("cat", "feline", "0-0", [((0, 1), (0, 1), 0.75)], scores=[0.5]))
    assert (entry.count, entry.expected_count, entry.source_label) == (1, 0.75, "NP")


def test_possible_links_do_not_count() -> None:
    assert texts(replace(aligned("a", "b"), words=Links.of([(0, 0)], sure=[False]))) == set()


def test_what_is_improbable_long_or_rare_is_left_out() -> None:
    cat = aligned("cat", "feline", "0-0", scores=[0.4])
    assert texts(cat) == set() and texts(cat, min_probability=0.4) == {("cat", "feline")}
    long = aligned("a b", "c", phrases=[((0, 2), (0, 1), 1.0)])
    assert texts(long, max_words=1) == set() and texts(long, max_words=2) == {("a b", "c")}
    assert len(table(long, long, min_count=2)) == 1 and table(long, min_count=2) == []


def test_punctuation_alone_is_left_out_and_signs_of_units_are_not() -> None:
    marks = aligned(", $ %", ": dollars percent", "0-0 1-1 2-2")
    assert texts(marks) == {("$", "dollars"), ("%", "percent")}


def test_the_most_probable_labels_stand_for_a_pair() -> None:
    phrase = [((0, 1), (0, 1), 0.9)]
    found = [aligned("cat", "feline", phrases=phrase, labels=("NN", "NN"))]
    found += 2 * [aligned("cat", "feline", phrases=[((0, 1), (0, 1), 0.5)], labels=("NP::NN", "NP"))]
    for order in (found, found[::-1]):
        (entry,) = table(*order)
        assert (entry.source_label, entry.target_label) == ("NP::NN", "NP")


def test_without_sides_both_directions_are_one_pair() -> None:
    one, two = (aligned(*sides, "0-0", id=sides[0]) for sides in (("cat", "feline"), ("feline", "cat")))
    dog = aligned("dog", "feline", "0-0")
    both = [("cat", "feline", 1), ("feline", "cat", 1)]
    assert [(entry.source, entry.target, entry.count) for entry in table(one, two)] == both
    cat, hound = table(one, two, dog, symmetric=True)
    assert (cat.source, cat.target, cat.count) == ("cat", "feline", 2)
    assert (cat.target_given_source, cat.source_given_target) == (1.0, pytest.approx(2 / 3))
    assert (hound.source, hound.target, hound.target_given_source) == ("dog", "feline", 1.0)


def test_without_sides_a_phrase_that_is_left_as_it_was_has_its_two_labels_in_one_order() -> None:
    span = (0, 1)
    one, other, most = (
        aligned("run", "run", phrases=[(span, span, probability)], labels=labels)
        for labels, probability in ((("NN", "VB"), 0.6), (("VB", "NN"), 0.6), (("NN", "NN"), 0.9))
    )
    (entry,) = table(one, other, most, symmetric=True, identical=True)
    assert (entry.source_label, entry.target_label, entry.count) == ("NN", "VB", 3)
    (entry,) = table(one, other, most, identical=True)
    assert (entry.source_label, entry.target_label, entry.count) == ("NN", "NN", 3)


def test_alignments_with_an_error_are_counted_apart() -> None:
    counts = PhraseCounts()
    for alignment in (aligned("cat", "feline", "0-0"), Alignment.failed("no sentence")):
        counts.add(alignment)
    assert (counts.alignments, counts.failed, len(counts)) == (1, 1, 1)


@pytest.mark.parametrize(("name", "value"), [("min_probability", 1.5), ("max_words", 0)])
def test_settings_out_of_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=name):
        Selection(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(("batch", "saved"), [("BATCH", 4), ("BATCH_ALIGNMENTS", 3)])
def test_counts_are_saved_after_many_phrases_or_many_alignments(
    batch: str, saved: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phrase_counts, batch, 3)
    with PhraseCounts(path=tmp_path / "counts") as counts:
        for number in range(4):
            word = "cat" if batch == "BATCH_ALIGNMENTS" else f"cat{number}"
            counts.add(aligned(word, "feline", "0-0"), [number])
    with PhraseCounts(path=tmp_path / "counts", resume=True) as counts:
        assert (counts.alignments, counts.position) == (saved, [saved - 1])


WORDS = st.sampled_from(["a", "b", "c", "B", "."])


@st.composite
def alignments(draw: st.DrawFn) -> Alignment:
    """Small alignments of few words, so that pairs come again; labels follow from the words."""
    sides = [draw(st.lists(WORDS, min_size=1, max_size=4)) for _ in range(2)]
    lengths = [len(side) for side in sides]
    links = draw(st.sets(st.tuples(*(st.integers(0, n - 1) for n in lengths)), max_size=4))
    spans = [[(a, b) for a in range(n) for b in range(a + 1, n + 1)] for n in lengths]
    probability = st.floats(0.0, 1.0, allow_nan=False)
    chosen = draw(st.dictionaries(st.tuples(*map(st.sampled_from, spans)), probability, max_size=4))
    label = ["".join(side).lower() for side in sides]
    phrases = tuple(
        PhrasePair(*(Node(*span, f"{text[span[0] :]}") for span, text in zip(pair, label, strict=True)), p)
        for pair, p in chosen.items()
    )
    sentences = [Sentence.from_words(side, tags=[word.lower() for word in side]) for side in sides]
    return Alignment(*sentences, Links.of(links, scores=[draw(probability) for _ in links]), phrases)


def named(found: list[Alignment]) -> list[Alignment]:
    return [replace(alignment, id=str(k)) for k, alignment in enumerate(found)]


def test_a_word_is_a_constituent_of_itself_where_the_aligner_knows_no_tree() -> None:
    sides = Sentence.from_words(["a", "car"]), Sentence.from_words(["the", "auto"])
    phrases = tuple(
        PhrasePair(Node(*span, label, False), Node(*span, label, False), 1.0)
        for span, label in (((0, 2), "NP"), ((1, 2), "NN"))
    )
    (entry,) = extract([Alignment(*sides, phrases=phrases)], Selection(constituents=True))
    assert (entry.source, entry.target, entry.source_label) == ("car", "auto", "NN")


def test_many_words_linked_to_many_take_no_longer_than_there_are_links() -> None:
    def run(links: int) -> None:
        size = int(links**0.5)
        words = Sentence.from_words([f"w{k}" for k in range(size)])
        alignment = Alignment(words, words, Links(tuple((i, j) for i in range(size) for j in range(size))))
        assert not list(extract([alignment]))

    assert growth(run, 120**2) < 3


several = st.lists(alignments(), min_size=1, max_size=6).map(named)
selections = st.builds(
    Selection,
    min_probability=st.sampled_from([0.0, 0.5]),
    constituents=st.booleans(),
    identical=st.booleans(),
    expanded=st.booleans(),
    symmetric=st.booleans(),
)


def figures(entries: list[PhraseEntry], swapped: bool = False) -> set[tuple[object, ...]]:
    """What of a table does not depend on which of several best labels or inner links was taken."""
    turn = -1 if swapped else 1
    return {
        (
            *(entry.source, entry.target)[::turn],
            *(entry.target_given_source, entry.source_given_target)[::turn],
            *(entry.count, entry.expected_count),
        )
        for entry in entries
    }


@given(several, selections, st.randoms(use_true_random=False), st.integers(1, 9))
def test_a_table_counts_one_by_one_whatever_the_order_the_memory_and_the_side_that_comes_first(
    found: list[Alignment],
    selection: Selection,
    random,  # type: ignore[no-untyped-def]
    batch: int,
) -> None:
    entries = list(extract(found, selection))
    shuffled = found[:]
    random.shuffle(shuffled)
    with mock.patch.object(phrase_counts, "BATCH", batch):
        assert list(extract(shuffled, selection)) == entries
    swapped = list(extract([alignment.swap() for alignment in found], selection))
    assert figures(swapped, swapped=not selection.symmetric) == figures(entries)
    listed = [(pair, a.id) for a in found for pair in occurrences(a, selection) if pair.listed]
    assert len(listed) == sum(entry.count for entry in entries)

    def key(pair: Occurrence | PhraseEntry) -> object:
        return frozenset((pair.source, pair.target)) if selection.symmetric else (pair.source, pair.target)

    for entry in entries:
        same = [(pair, id) for pair, id in listed if key(pair) == key(entry)]
        assert entry.count == len(same)
        assert entry.expected_count == pytest.approx(sum(pair.probability for pair, _ in same), abs=1e-6)
        assert entry.example == min(id for _, id in same)
        assert 0.0 <= entry.target_given_source <= 1.0 and 0.0 <= entry.source_given_target <= 1.0
