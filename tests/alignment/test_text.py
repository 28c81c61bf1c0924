from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.alignment.text import columns_of, plain, to_text
from forest_align.types import Node, Sentence


def cat() -> Alignment:
    return Alignment(
        Sentence.from_words(["The", "cat", "sat", "."]),
        Sentence.from_words(["A", "cat", "was", "sitting"]),
        Links.of([(0, 0), (1, 1), (2, 3)], scores=[0.9, 1.0, 0.55]),
        (
            PhrasePair(Node(0, 1, "DT"), Node(0, 1, "DT"), 0.9),
            PhrasePair(Node(0, 2, "S'", False), Node(0, 2, "S'", False), 0.9),
            PhrasePair(Node(0, 2, "NP"), Node(0, 2, "NP"), 0.95, False),
            PhrasePair(Node(2, 3, "VP::VBD"), Node(2, 4, "VP"), 0.4),
            PhrasePair(Node(0, 4, "S"), Node(0, 4, "S"), 1.0),
        ),
        unaligned_source=((3, 4),),
        unaligned_target=((2, 3),),
        log_probability=-12.345,
        root_aligned=True,
        aligner="forest",
        id="7",
    )


def test_the_view_has_what_differs_and_the_words_left_over() -> None:
    assert to_text(cat()) == (
        "pair 7 · forest · whole sentences aligned\n"
        "source       The cat sat .\n"
        "target       A cat was sitting\n"
        "\n"
        "The │ A           0.90\n"
        "sat │ was sitting 0.40\n"
        "\n"
        "source only  .\n"
        "target only  was\n"
        "not shown    3 more phrase pairs; --all shows them\n"
    )


def test_the_whole_view_has_all_pairs_with_their_labels() -> None:
    assert to_text(cat(), everything=True) == (
        "pair 7 · forest · whole sentences aligned · log score -12.35\n"
        "source       The cat sat .\n"
        "target       A cat was sitting\n"
        "\n"
        "S The cat sat . │ S A cat was sitting 1.00\n"
        "  S' The cat    │   S' A cat          0.90\n"
        "    NP The cat  │     NP A cat        0.95*\n"
        "      DT The    │       DT A          0.90\n"
        "  VP sat        │   VP was sitting    0.40\n"
        "*            only non-compositional alignment could form it\n"
        "\n"
        "words        The–A, cat–cat 1.00, sat–sitting 0.55\n"
        "source only  .\n"
        "target only  was\n"
    )


def test_sentences_of_the_same_words_differ_in_nothing() -> None:
    same = Sentence.from_words(["Cats", "sit"])
    lower = Sentence.from_words(["cats", "sit"])
    phrases = (PhrasePair(Node(0, 2, "S"), Node(0, 2, "S"), 1.0),)
    for links in (Links.of([(0, 0), (1, 1)]), Links.of([])):
        shown = to_text(Alignment(same, lower, links, phrases))
        more = "not shown    1 more phrase pair; --all shows it"
        assert shown.splitlines()[4:] == ["differs      nothing", more]


def related() -> Alignment:
    dt, part, np, vp, root = cat().phrases
    np = replace(np, relation=PhraseRelation("equivalent", 0.9), similarity=5.0)
    vp = replace(vp, relation=PhraseRelation("more specific", 0.8, ("inflection",)), similarity=4.25)
    root = replace(root, relation=PhraseRelation("similar", 0.6))
    return replace(cat(), phrases=(dt, part, np, vp, root), paraphrase_probability=0.814)


def test_relations_follow_the_probabilities_unless_phrases_are_simply_equivalent() -> None:
    lines = to_text(related(), everything=True).splitlines()
    assert lines[0] == "pair 7 · forest · similar · paraphrases: 0.81 · log score -12.35"
    assert lines[4:9] == [
        "S The cat sat . │ S A cat was sitting 1.00  similar",
        "  S' The cat    │   S' A cat          0.90",
        "    NP The cat  │     NP A cat        0.95*",
        "      DT The    │       DT A          0.90",
        "  VP sat        │   VP was sitting    0.40  more specific (inflection)",
    ]
    assert "sat │ was sitting 0.40  more specific (inflection)" in to_text(related()).splitlines()


def test_links_outside_of_the_phrases_stand_apart_with_their_probability() -> None:
    apart = replace(cat(), outside=((0, 0), (2, 3)))
    lines = to_text(apart, everything=True).splitlines()
    assert "words        cat–cat 1.00" in lines
    assert "outside      The–A, sat–sitting 0.55 (links that the phrases leave out)" in lines


def test_alternatives_follow_without_the_sentences() -> None:
    other = replace(cat(), phrases=cat().phrases[-1:], words=Links.of([]), id="")
    text = to_text(replace(cat(), alternatives=(other, other)))
    first, *others = text.split("\n\nalternative ")
    assert first + "\n" == to_text(cat())
    assert others[0].split("\n") == [
        *("2 · whole sentences aligned", "", "The cat sat . │ A cat was sitting 1.00", ""),
        *("source only  .", "target only  was"),
    ]
    assert others[1] == others[0].replace("2 ·", "3 ·") + "\n"


def test_columns_stand_one_below_the_other_whatever_the_width_of_letters() -> None:
    words = Sentence.from_words(["漢字漢字", "e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}", "ab"])
    phrases = tuple(PhrasePair(Node(k, k + 1, "X"), Node(k, k + 1, "X"), 0.5) for k in range(3))
    rows = [line for line in everything_of(Alignment(words, words, phrases=phrases)) if "│" in line]
    for row in rows:
        before = row[: row.index("│")]
        wide = sum(unicodedata.east_asian_width(c) == "W" for c in before)
        assert len(before) + wide - before.count("\N{COMBINING ACUTE ACCENT}") == len("X 漢字漢字 ") + 4
    assert len(rows) == 3


def sentences_of(source: str, target: str) -> Alignment:
    """An alignment of two whole sentences and nothing else."""
    one, two = (Sentence.from_words(text.split()) for text in (source, target))
    return Alignment(one, two, phrases=(PhrasePair(Node(0, len(one), "S"), Node(0, len(two), "S"), 1.0),))


def everything_of(alignment: Alignment, width: int = 80) -> list[str]:
    return to_text(alignment, width=width, everything=True).splitlines()


def rows_of(alignment: Alignment, width: int = 80) -> list[str]:
    """The lines of the phrases."""
    lines = everything_of(alignment, width)
    return lines[lines.index("") + 1 : lines.index("", lines.index("") + 1)]


def test_phrases_stand_side_by_side_where_columns_suffice_and_else_one_below_the_other() -> None:
    short, long = "ab", "c" * 20 + " " + "d" * 39
    assert rows_of(sentences_of(long, short)) == [f"S {long} │ S ab 1.00"]
    assert rows_of(sentences_of(short, long)) == [f"S ab │ S {long} 1.00"]
    assert rows_of(sentences_of(long, long)) == [f"S {long}", f"│ S {long}".ljust(75) + "1.00"]
    rows = ["S ab", f"│ S {'c' * 20}", f"│ {'d' * 32}", "│ ddddddd".ljust(35) + "1.00"]
    assert rows_of(sentences_of(short, long), 40) == rows


def test_what_a_sentence_has_several_times_is_numbered() -> None:
    alignment = Alignment(
        Sentence.from_words(["The", "dog", "saw", "the", "cat", "and", "the", "cat", "fled"]),
        Sentence.from_words(["the", "cat", "saw", "a", "dog", ";", "it", "fled", "the", "scene"]),
        Links.of([(0, 0), (3, 8), (6, 0), (4, 1)], scores=[0.5] * 4),
        (
            PhrasePair(Node(6, 8, "NP"), Node(0, 2, "NP"), 1.0),
            PhrasePair(Node(6, 7, "DT"), Node(0, 1, "DT"), 1.0),
        ),
        unaligned_source=((7, 8),),
        unaligned_target=((2, 8),),
    )
    shown = to_text(alignment, everything=True)
    assert "source       The dog saw the cat and the cat fled\n" in shown
    assert "\nNP the cat₂ │ NP the cat 1.00\n  DT the₂   │   DT the₁  1.00\n" in shown
    assert "words        The–the₁ 0.50, the₁–the₂ 0.50, cat₁–cat 0.50, the₂–the₁ 0.50\n" in shown
    assert "source only  cat₂\ntarget only  saw a dog ; it fled\n" in shown


def test_an_alignment_without_phrases_shows_its_words() -> None:
    evidence = (("lemma", "synonym"),)
    shown = to_text(replace(cat(), phrases=(), words=Links.of([(0, 0)]), word_evidence=evidence))
    assert "words        The–A (lemma synonym)\n" in shown and "│" not in shown


def test_without_trees_all_phrases_are_shown_and_nothing_is_said_of_whole_sentences() -> None:
    phrases = (
        PhrasePair(Node(0, 2, "NP", False), Node(0, 2, "NP", False), 0.75),
        PhrasePair(Node(2, 3, "", False), Node(2, 4, "", False), 0.5),
    )
    title, *lines = everything_of(replace(cat(), phrases=phrases, root_aligned=False))
    assert title == "pair 7 · forest · log score -12.35"
    assert [line.split() for line in lines if "│" in line] == [
        ["NP", "The", "cat", "│", "NP", "A", "cat", "0.75"],
        ["sat", "│", "was", "sitting", "0.50"],
    ]


def test_colours_are_used_on_request_only_and_change_nothing_else() -> None:
    plain, coloured = to_text(cat()), to_text(cat(), colour=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain != coloured


@pytest.mark.parametrize("word", ["\x1b[31mred", "\u202eright-to-left", "a\rb", "\ud800"])
def test_words_cannot_take_over_the_terminal(word: str) -> None:
    sentence = Sentence.from_words([word])
    node = Node(0, 1, "NP")
    phrases = (PhrasePair(node, node, 1.0),)
    shown = to_text(Alignment(sentence, sentence, Links.of([(0, 0)]), phrases, id=word))
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\ud800]", shown)


words = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), min_size=1, max_size=12)


@given(words, words, st.integers(40, 120))
def test_no_line_is_wider_than_the_terminal(source: list[str], target: list[str], width: int) -> None:
    phrases = tuple(
        PhrasePair(Node(0, end, "NP"), Node(0, min(end, len(target)), "VP"), 0.5)
        for end in range(1, len(source) + 1)
    )
    alignment = Alignment(
        Sentence.from_words(source),
        Sentence.from_words(target),
        Links.of((i, j) for i in range(len(source)) for j in range(len(target))),
        phrases,
        unaligned_source=((0, len(source)),),
        id="7",
    )
    for everything in (False, True):
        lines = to_text(alignment, width=width, everything=everything).splitlines()
        assert max(sum(map(columns_of, line)) for line in lines) <= width


@given(words, st.integers(40, 120))
def test_nothing_is_cut(source: list[str], width: int) -> None:
    sentence = Sentence.from_words(source)
    phrase = PhrasePair(Node(0, len(source), "X"), Node(0, len(source), "Y"), 0.5)
    shown = to_text(Alignment(sentence, sentence, phrases=(phrase,)), width=width, everything=True)
    letters = "".join("".join(plain(word) for word in source).split())
    assert "".join(shown.split()).replace("│", "").count(letters.replace("│", "")) >= 4
