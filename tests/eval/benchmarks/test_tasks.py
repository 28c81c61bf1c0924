"""Files of benchmarks, and scorers on alignments made by hand."""

from __future__ import annotations

import gzip
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.chunks import align_chunks
from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.cli.commands.benchmark import IdentityAligner
from forest_align.data.formats.format import ChunkLink, PhraseUnit
from forest_align.data.formats.spade import pair_of_trees
from forest_align.data.pairs import SentencePair
from forest_align.data.trees.enju import parse_enju
from forest_align.eval.benchmarks._chunk_links import ChunkedPair, chunk_scorer
from forest_align.eval.benchmarks._word_links import GoldVersion, word_scorer
from forest_align.eval.benchmarks.marked_phrases import (
    AnnotatedPhrases,
    linked_phrases,
    phrase_scorer,
    unit_scorer,
)
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.benchmarks.task import Files
from forest_align.eval.metrics.phrase_scores import constituent_pairs
from forest_align.types import InputError, Node, Sentence


def aligned(source: str, target: str, links: str = "", phrases: tuple[PhrasePair, ...] = ()) -> Alignment:
    sides = Sentence.from_words(source.split()), Sentence.from_words(target.split())
    return Alignment(*sides, Links.from_pharaoh(links), phrases, root_aligned=bool(phrases))


def phrase(source: tuple[int, int], target: tuple[int, int], constituent: bool = True) -> PhrasePair:
    return PhrasePair(Node(*source, "NP"), Node(*target, "NP", constituent), 1.0)


def test_the_identity_baseline_links_equal_words_whatever_their_case() -> None:
    pair = Sentence.from_words(["The", "dog", "the"]), Sentence.from_words(["the", "cat"])
    (found,) = IdentityAligner().align_many([pair])
    assert found.words.pairs == ((0, 0), (2, 0))
    assert found.aligner == "identity"


def test_one_run_is_scored_against_every_version_of_the_gold() -> None:
    gold = Links.from_pharaoh("0-0 1p1")
    versions = [GoldVersion("sure", [gold]), GoldVersion("all", [gold], wanted="all")]
    sure, both = word_scorer(versions, ["a"])([aligned("a b", "a b", "0-0 1-1")])
    assert (sure.table, sure.values["precision"]) == ("sure", 50)
    assert (both.table, both.values["exact_match"], both.values["identical.f1"]) == ("all", 100, 100)
    assert sure.intervals(seed=1)["precision"] == (50, 50)


def test_constituents_are_projected_from_the_first_version() -> None:
    spans = [(0, 1), (1, 2), (0, 2)]
    gold = [Links.from_pharaoh("0-0 1-1")]
    run = aligned(
        "a b", "a b", "0-0", (phrase((0, 2), (0, 2)), phrase((0, 1), (1, 2)), phrase((1, 2), (1, 2), False))
    )
    score = word_scorer([GoldVersion("t", gold)], ["x"], [(spans, spans)], "t constituents")
    found = score([run])[1]
    assert found.table == "t constituents"
    assert (found.values["precision"], found.values["recall"]) == (50, pytest.approx(100 / 3))
    assert found.values["reachability"] == 100
    assert constituent_pairs(run) == {((0, 2), (0, 2)), ((0, 1), (1, 2))}


CUTS = st.sets(st.integers(1, 5), max_size=4).map(lambda cuts: list(pairwise(sorted({0, *cuts, 6}))))
LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), unique=True, max_size=12)


@given(CUTS, CUTS, LINKS)
def test_swapped_sentences_have_swapped_chunks(source, target, links) -> None:
    # Powers of two, so that no two sums are equal.
    scores = [2.0**-k for k in range(len(links))]
    words = ["the", "switch", "of", "the", "bulb", "is"], ["a", "b", "c", "d", "e", "f"]
    sides = Sentence.from_words(words[0]), Sentence.from_words(words[1])
    alignment = Alignment(*sides, Links.of(links, scores=scores))
    there = align_chunks(source, target, alignment)
    back = align_chunks(target, source, alignment.swap())
    assert sorted((theirs, ours) for ours, theirs in there) == back


def test_chunk_figures_come_for_each_set_and_for_all() -> None:
    pair = ChunkedPair([(0, 1), (1, 2)], [(0, 1), (1, 2)], [ChunkLink((0,), (0,), "SPE1", "4")])
    runs = [aligned("a b", "a b", "0-0"), aligned("a b", "a b", "1-1")]
    figures = chunk_scorer(["one", "two"], [pair, pair])(runs)
    assert [(f.table, f.values["f1"]) for f in figures] == [("ists one", 100), ("ists two", 0), ("ists", 50)]
    # The words are linked, so the chunks are equivalent with 5, which is no mistake beside SPE1 with 4.
    names = "f1.type", "f1.score", "f1.type_and_score"
    assert [figures[0].values[name] for name in names] == pytest.approx([0, 80, 80])


TOP, PART = ((0, 2), (0, 2)), ((0, 1), (0, 1))


def judged(*annotators: set) -> AnnotatedPhrases:
    """Two words each."""
    spans = {(0, 1), (1, 2), (0, 2)}
    return AnnotatedPhrases(spans, spans, annotators, ([1, -1], [1, -1]))


def test_spade_prints_the_annotators_beside_the_system() -> None:
    run = aligned("a b", "a b", "", (phrase(*TOP), phrase((1, 2), (1, 2))))
    figures = phrase_scorer([judged({TOP}, {TOP, PART}, {TOP})])([run])
    system, people = figures[0], figures[2]
    assert (system.values["recall"], system.values["precision"]) == (100, 50)
    assert system.values["reachability"] == 100
    assert people.values["recall"] == 100
    rows = [(one.label, one.values["precision"]) for one in figures if one.table == "spade people"]
    means = ("people, each against the others", pytest.approx(250 / 3))
    assert rows == [means, ("annotator 1", 100), ("annotator 2", 50), ("annotator 3", 100)]


def test_reachability_is_for_aligners_with_derivations() -> None:
    tree = "(S (NN a) (VB b))"
    trees = {"source_tree": tree, "target_tree": tree}
    reached = aligned("a b", "a b", "", (phrase(*TOP),))
    missed = replace(aligned("a b", "a b"), **trees)
    linked = aligned("a b", "a b", "0-0")
    score = phrase_scorer([judged({TOP}, {TOP})] * 2)
    figures = score([reached, missed])
    assert [one.values.get("reachability") for one in figures] == [50, 50, *[None] * 6]
    # The second words are roots in the gold trees and in those of the alignment that has any.
    assert [one.values.get("uas") for one in figures[:2]] == [50, 50]
    assert all("reachability" not in figures.values for figures in score([linked, linked]))


def test_spade_with_nulls_wants_what_both_annotators_left_unaligned() -> None:
    run = aligned("a b", "a b", "", (phrase(*TOP), phrase((1, 2), (1, 2))))
    figures = phrase_scorer([judged({TOP}, {TOP, PART})])([run])
    assert [one.table for one in figures if one.table.endswith("nulls")] == [
        "spade with nulls",
        *["spade people with nulls"] * 3,
    ]
    # agreed: the whole, and null for the second word of either side; found: the whole, the second words,
    # and null for the first words, which one annotator has
    assert figures[1].values["recall"] == pytest.approx(100 / 3)
    assert figures[1].values["precision"] == 75


def test_word_links_alone_align_the_smallest_phrases_that_hold_them() -> None:
    pair = judged({TOP})
    assert linked_phrases(aligned("a b", "a b", "0-0"), pair) == {PART}
    assert linked_phrases(aligned("a b", "a b", "0-0 1-1"), pair) == {PART, ((1, 2), (1, 2)), TOP}
    assert linked_phrases(aligned("a b", "a b"), pair) == set()
    short = replace(aligned("a b", "a b", "0-0 1-1", (phrase((0, 1), (0, 1)),)), root_aligned=False)
    assert linked_phrases(short, pair) == {PART, ((1, 2), (1, 2)), TOP}


def test_phrases_of_a_pair_without_trees_cannot_be_judged() -> None:
    sentence = Sentence.from_words(["a"])
    with pytest.raises(InputError, match="pair '7': expected annotated trees"):
        AnnotatedPhrases.of(SentencePair("7", sentence, sentence))


def test_a_phrase_is_not_null_where_another_of_its_unary_chain_is_aligned() -> None:
    tree = """<sentence id="s"><cons id="c0" cat="NP" sem_head="c1" pa1="c0" pa2="-1"><cons id="c1" cat="NX"
        sem_head="t0" pa1="-1" pa2="c1"><tok id="t0" pos="NN" base="dog">dog</tok></cons></cons></sentence>"""
    (source,), (target,) = parse_enju(tree), parse_enju(tree)
    found = AnnotatedPhrases.of(pair_of_trees(source, target, "1"))
    one = (0, 1)
    assert found.source == {one}
    assert found.aligned == (frozenset({(one, one)}),) * 2
    run = aligned("dog", "dog", "", (phrase(one, one),))
    scores = {figures.table: figures.values for figures in phrase_scorer([found])([run])}
    for table in ("spade with nulls", "spade people with nulls"):
        assert (scores[table]["precision"], scores[table]["recall"]) == (100, 100)


NAMES, CONTEXT, ORDER = "Substitution (named ent.)", "substitution (contextual)", "Change of order"
UNITS = [
    [
        PhraseUnit((0, 1), (0,), NAMES),
        PhraseUnit((2, 3), (2, 3), ORDER),
        PhraseUnit((4,), (), "Addition/Deletion"),
    ],
    [PhraseUnit((0, 1), (0, 1), NAMES), PhraseUnit((2, 3), (2,), CONTEXT), PhraseUnit((4,), (4,), CONTEXT)],
]


def phrases_of(links: str, *phrases: tuple[tuple[int, int], tuple[int, int]]) -> Alignment:
    pairs = tuple(PhrasePair(Node(*ours, "X"), Node(*theirs, "X"), 1.0) for ours, theirs in phrases)
    sentence = Sentence.from_words(list("abcde"))
    return Alignment(sentence, sentence, Links.from_pharaoh(links), pairs)


def test_there_is_a_table_of_all_substitutions_and_one_of_each_type_and_of_the_others() -> None:
    runs = [
        phrases_of("0-0 4-4", ((0, 2), (0, 1)), ((2, 4), (2, 4))),
        phrases_of("0-0 1-3", ((0, 2), (3, 5))),
    ]
    found = {figures.table: figures.values for figures in unit_scorer(UNITS)(runs)}
    assert set(found) == {"etpc", f"etpc {NAMES}", f"etpc {CONTEXT}", "etpc other types"}
    assert {table: values["units"] for table, values in found.items()} == {
        "etpc": 3,
        f"etpc {NAMES}": 2,
        f"etpc {CONTEXT}": 1,
        "etpc other types": 1,
    }
    names, everything = found[f"etpc {NAMES}"], found["etpc"]
    # The link 1-3 leads out of the second unit, and the link 0-0 alone is a quarter of it and no half.
    assert (names["exact"], names["near"], names["linked"], names["clean"]) == (50, 100, 100, 50)
    assert (everything["exact"], everything["near"]) == pytest.approx((100 / 3, 200 / 3))
    assert (everything["left_alone"], everything["phrase_precision"]) == (0, pytest.approx(200 / 3))
    assert found["etpc other types"]["exact"] == 100
    assert "left_alone" not in names


def test_an_aligner_without_phrases_has_no_precision_of_phrases() -> None:
    (figures, *_) = unit_scorer(UNITS)([phrases_of("0-0"), phrases_of("4-4")])
    assert "phrase_precision" not in figures.values
    assert (figures.values["near"], figures.values["left_alone"]) == (pytest.approx(100 / 3), 100)


def test_another_version_with_other_sentences_is_refused_by_file_and_pair(tmp_path: Path) -> None:
    paths = [tmp_path / "a.tsv", tmp_path / "b.tsv", tmp_path / "c.tsv"]
    line = "{}\ta\tN/A\t{}\tN/A\t1\t1\t\t\n"
    paths[0].write_text(line.format(1, "b") + line.format(2, "c"))
    paths[1].write_text(line.format(1, "b") + line.format(2, "d"))
    paths[2].write_text(line.format(1, "b"))
    files = Files(paths)
    for other in (1, 2):
        with pytest.raises(InputError, match=f"{paths[other].name}: .* pair 2 differs"):
            files.version(other, files.pairs())
    assert [pair.id for pair in files.version(0, files.pairs())] == ["1", "2"]


def trees_file(tmp_path: Path, *trees: str) -> Path:
    path = tmp_path / "trees.xml.gz"
    text = "".join(f'<tree style="penn">{tree}</tree>\n' for tree in trees)
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_constituents_are_read_with_words_that_are_brackets(tmp_path: Path) -> None:
    path = trees_file(tmp_path, "(ROOT (NP (DT a) (JJ ()\n (NN b&amp;c) (-RRB- ))))")
    parses = StanfordParses.read(path)
    assert parses.constituents() == [(4, [(0, 1), (0, 4), (1, 2), (2, 3), (3, 4)])]
    assert parses.brackets() == ["(ROOT (NP (DT a) (JJ -LRB-)\n (NN b&c) (-RRB- -RRB-)))"]


@pytest.mark.parametrize(
    ("tree", "problem"),
    [("(NP (NN a)", "a bracket is never closed"), ("(NP (NN a)))", "closing bracket without an opening one")],
)
def test_brackets_that_do_not_match_name_the_tree(tree: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"trees\.xml\.gz: tree 2: {problem}"):
        StanfordParses.read(trees_file(tmp_path, "(NN a)", tree)).constituents()


def test_a_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    path = trees_file(tmp_path, "(NN a)")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot decompress"):
        StanfordParses.read(path)
