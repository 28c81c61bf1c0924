"""Typed dependencies: the manual's cases, and the Stanford parser's own output for the same trees."""
# ruff: noqa: E501 - trees read best on one line

from __future__ import annotations

import gzip
import html
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from nltk import Tree

from forest_align.parsing import sentence_from_bracket
from forest_align.parsing.dependencies import (
    Dependency,
    basic_dependencies,
    collapse,
    forest_dependencies,
)

SHARED = Path(os.environ.get("FOREST_ALIGN_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
STANFORD = SHARED / "data" / "alignment" / "edinburgh" / "train.stanford.xml.gz"
#: What table 1 of Sultan et al. (2014) names, and the basic types that they are collapsed from.
BASIC_TYPES = frozenset(
    [
        "prep",
        "pobj",
        "pcomp",
        "conj",
        "cc",
        "nsubj",
        "nsubjpass",
        "dobj",
        "iobj",
        "amod",
        "nn",
        "poss",
        "rcmod",
        "partmod",
        "infmod",
        "ccomp",
        "xcomp",
        "advcl",
        "appos",
        "prt",
        "det",
        "num",
        "aux",
        "auxpass",
        "neg",
        "cop",
        "csubj",
        "tmod",
        "acomp",
        "rel",
        "purpcl",
        "advmod",
    ]
)


def named(dependencies: tuple[Dependency, ...], words: list[str]) -> set[str]:
    return {
        f"{d.relation}({words[d.governor] if d.governor >= 0 else 'ROOT'}, {words[d.dependent]})"
        for d in dependencies
    }


def collapsed(text: str) -> set[str]:
    tree = Tree.fromstring(text)
    words, tags = zip(*tree.pos(), strict=True)
    return named(collapse(basic_dependencies(tree), words, tags), tree.leaves())


def basic(text: str) -> set[str]:
    tree = Tree.fromstring(text)
    return named(basic_dependencies(tree), tree.leaves())


def test_a_passive_has_its_subject_auxiliary_and_agent() -> None:
    found = collapsed(
        "(S (NP (NNS Effects)) (VP (VBP are) (VP (VBN caused) (PP (IN by) (NP (DT the) (NN protein))))) (. .))"
    )
    assert found == {
        "root(ROOT, caused)",
        "nsubjpass(caused, Effects)",
        "auxpass(caused, are)",
        "agent(caused, protein)",
        "det(protein, the)",
    }


def test_the_predicate_of_a_copula_is_its_head() -> None:
    found = basic("(S (NP (NNP Bill)) (VP (VBZ is) (NP (DT an) (JJ honest) (NN man))) (. .))")
    assert {"root(ROOT, man)", "cop(man, is)", "nsubj(man, Bill)", "amod(man, honest)"} <= found


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (NNS Effects)) (VP (VBP are) (VP (VBN caused) (PP (IN by) (NP (DT the) (NN protein))))) (. .))",
        "(TOP (S (NP (EX There)) (VP (VBZ is) (NP (NP (DT a) (JJ big) (NN ghost)) (PP (IN in) (NP (NNP LA)))))))",
        "(S (NP (NNP Bell)) (VP (VBZ makes) (NP (NNS nuts) (, ,) (NNS bolts) (CC and) (NNS tools)) (-LRB- -LRB-)))",
        "(NP (NN silence))",
    ],
)
def test_a_forest_has_the_dependencies_of_its_best_tree(text: str) -> None:
    sentence = sentence_from_bracket(text)
    assert sentence.forest is not None
    tree = sentence.forest.best_tree(sentence.words)
    words, tags = zip(*tree.pos(), strict=True)
    expected = basic_dependencies(tree)
    assert expected and forest_dependencies(sentence.forest, sentence.words) == (
        expected,
        collapse(expected, words, tags),
    )


@pytest.mark.parametrize(
    "grow", ["(NP {} (NN cat))", "(S (NP (NN cat)) (VP (VBZ says) {}))", "(VP (TO to) (VP (VB go) {}))"]
)
def test_trees_deeper_than_the_stack_have_dependencies(grow: str) -> None:
    text = "(NP (NN cat))"
    for _ in range(1200):
        text = grow.format(text)
    sentence = sentence_from_bracket(text)
    assert sentence.forest is not None
    basic_ones, _ = forest_dependencies(sentence.forest, sentence.words)
    assert [d.dependent for d in basic_ones] == list(range(len(sentence)))


@pytest.mark.parametrize("verb", ["became", "remains", "seemed", "stayed"])
def test_a_predicate_is_the_head_of_other_copulas_too(verb: str) -> None:
    found = basic(f"(S (NP (PRP He)) (VP (VBD {verb}) (NP (DT a) (NN friend))) (. .))")
    assert {"root(ROOT, friend)", f"cop(friend, {verb})", "nsubj(friend, He)"} <= found


def test_there_with_be_is_no_copula() -> None:
    found = basic("(S (NP (EX There)) (VP (VBZ is) (NP (DT a) (NN ghost))))")
    assert {"root(ROOT, is)", "expl(is, There)", "nsubj(is, ghost)"} <= found


def test_prepositions_and_conjunctions_are_collapsed() -> None:
    found = collapsed(
        "(S (NP (NNP Bell)) (VP (VBZ makes) (NP (NNS products)) (PP (IN in) (NP (NP (NNP LA)) (CC and) (NP (NNP NY))))))"
    )
    assert {"prep_in(makes, LA)", "conj_and(LA, NY)", "dobj(makes, products)", "nsubj(makes, Bell)"} <= found
    assert not any(item.startswith(("prep(", "pobj", "cc", "conj(")) for item in found)


def test_a_preposition_of_two_words_is_one_type() -> None:
    found = collapsed("(S (NP (PRP He)) (VP (VBD cried) (PP (IN because) (PP (IN of) (NP (PRP you))))))")
    assert "prep_because_of(cried, you)" in found


def test_the_object_is_the_subject_of_an_infinitive_else_the_subject_is() -> None:
    found = collapsed("(S (NP (NNP Tom)) (VP (VBZ likes) (S (VP (TO to) (VP (VB eat) (NP (NN fish)))))))")
    assert {"xcomp(likes, eat)", "xsubj(eat, Tom)", "aux(eat, to)", "dobj(eat, fish)"} <= found


def test_two_objects_are_an_indirect_and_a_direct_one() -> None:
    found = basic("(S (NP (PRP She)) (VP (VBD gave) (NP (PRP me)) (NP (DT a) (NN raise))))")
    assert {"iobj(gave, me)", "dobj(gave, raise)"} <= found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(NP (NP (DT the) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBD came)))))", "rcmod(man, came)"),
        (
            "(NP (NP (NNS truffles)) (VP (VBN picked) (PP (IN in) (NP (NN spring)))))",
            "partmod(truffles, picked)",
        ),
        ("(NP (NP (NNS points)) (SBAR (S (VP (TO to) (VP (VB establish))))))", "infmod(points, establish)"),
        ("(NP (NP (NNP Sam)) (, ,) (NP (PRP$ my) (NN brother)))", "appos(Sam, brother)"),
        ("(NP (NP (NNP Bill) (POS 's)) (NNS clothes))", "poss(clothes, Bill)"),
        ("(NP (NN oil) (NN price) (NNS futures))", "nn(futures, oil)"),
        ("(VP (VB shut) (PRT (RP down)))", "prt(shut, down)"),
        ("(NP (NP (DT those)) (PP (RB not) (IN like) (NP (PRP us))))", "prep(those, like)"),
        ("(NP (DT the) (JJ rich) (CC and) (JJ rare) (NNS fossils))", "amod(fossils, rich)"),
        ("(NP (NNS nuts) (, ,) (NNS bolts) (CC and) (NNS tools))", "conj(nuts, tools)"),
        ("(NP (NNS nuts) (, ,) (NNS bolts) (CC and) (NNS tools))", "conj(nuts, bolts)"),
        ("(ADJP (JJ safe) (, ,) (JJ sound) (CC and) (JJ clean))", "conj(safe, clean)"),
        ("(PP (IN to) (NP (QP ($ $) (CD 247) (CD billion))))", "pobj(to, $)"),
        ("(VP (VBP have) (NP (JJ enough) (NN time)))", "dobj(have, time)"),
        ("(S (NP (PRP I)) (VP (VBP ’m) (VP (VBG going))))", "aux(going, ’m)"),
        (
            "(S (NP (PRP He)) (VP (VBZ says) (SBAR (IN that) (S (NP (PRP you)) (VP (VBP like) (S (VP (VBG swimming))))))))",
            "ccomp(says, like)",
        ),
        ("(S (NP (PRP He)) (VP (VBD did) (RB not) (VP (VB come))))", "neg(come, not)"),
        (
            "(S (SBAR (IN If) (S (NP (PRP you)) (VP (VBP know)))) (, ,) (NP (PRP you)) (VP (MD should) (VP (VB tell))))",
            "advcl(tell, know)",
        ),
        (
            "(S (NP (DT The) (NN accident)) (VP (VBD happened) (SBAR (IN as) (S (NP (DT the) (NN night)) (VP (VBD fell))))))",
            "advcl(happened, fell)",
        ),
    ],
)
def test_the_manual_example(text: str, expected: str) -> None:
    assert expected in basic(text)


def test_every_word_but_punctuation_has_one_governor_and_no_cycle() -> None:
    tree = Tree.fromstring(
        "(S (NP (NP (DT the) (NN cat)) (, ,) (CC and) (NP (DT a) (NN dog))) (VP (VBD ran) (CC or) (VBD sat)) (. .))"
    )
    found = basic_dependencies(tree)
    assert [d.dependent for d in found] == [0, 1, 3, 4, 5, 6, 7, 8]
    above = {d.dependent: d.governor for d in found}
    for word in above:
        seen = set()
        while word >= 0:
            assert word not in seen
            seen.add(word)
            word = above[word]


def stanford_sentences(path: Path) -> Iterator[tuple[Tree, list[tuple[str, int, int]]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        text = file.read()
    for block in re.findall(r'<s id="\d+">(.*?)</s>', text, re.S):
        tree = re.search(r'<tree style="penn">(.*?)</tree>', block, re.S)
        assert tree is not None
        found = re.findall(
            r'<dep type="([^"]+)">\s*<governor idx="(\d+)">.*?</governor>\s*<dependent idx="(\d+)">',
            block,
            re.S,
        )
        yield (
            Tree.fromstring(html.unescape(tree.group(1))),
            [(t, int(g) - 1, int(d) - 1) for t, g, d in found],
        )


@pytest.mark.skipif(
    not STANFORD.exists(), reason="needs shared/data/alignment/edinburgh, see CONTRIBUTING.md"
)
def test_labelled_attachment_agrees_with_the_stanford_parser_on_the_same_trees() -> None:
    basic_counts: Counter[str] = Counter()
    collapsed_counts: Counter[str] = Counter()
    for number, (tree, gold) in enumerate(stanford_sentences(STANFORD)):
        if number % 3:
            continue
        words, tags = zip(*tree.pos(), strict=True)
        ours = basic_dependencies(tree)
        theirs = tuple(Dependency(g, d, t) for t, g, d in gold if t in BASIC_TYPES)
        basic_counts["gold"] += len(theirs)
        basic_counts["both"] += len(set(ours) & set(theirs))
        everything = tuple(Dependency(g, d, t) for t, g, d in gold)
        one, two = set(collapse(ours, words, tags)), set(collapse(everything, words, tags))
        table = ("prep_", "conj_", "agent", "xsubj", *(BASIC_TYPES - {"prep", "conj", "cc", "pobj", "pcomp"}))
        wanted = {d for d in two if d.relation.startswith(table)}
        collapsed_counts["gold"] += len(wanted)
        collapsed_counts["both"] += len(one & wanted)
    assert basic_counts["both"] / basic_counts["gold"] >= 0.95
    assert collapsed_counts["both"] / collapsed_counts["gold"] >= 0.93
