"""Semantic heads and head-binarization."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.parsing import forest_from_bracket
from forest_align.parsing.forests._forest_builder import binarization_plan
from forest_align.parsing.forests._semantic_heads import PUNCTUATION, coordinations, head_child, symbol


def head_of(bracket: str) -> str:
    words, forest = forest_from_bracket(bracket)
    return words[forest.head[forest.roots[0]]]


@pytest.mark.parametrize(
    ("bracket", "head"),
    [
        ("(S (NP (NNP Ann)) (VP (MD may) (VP (VB have) (VP (VBN left)))) (. .))", "left"),
        ("(VP (VBZ is) (RB n't) (VP (VBG going)))", "going"),
        ("(VP (TO to) (VP (VB go)))", "go"),
        ("(VP (VBZ has) (NP (NNS cats)))", "has"),
        ("(VP (VBD helped) (VP (VB wash)))", "helped"),
        ("(SQ (MD Will) (NP (PRP he)) (VP (VB go)) (. ?))", "go"),
        ("(SQ (VBZ Is) (NP (PRP he)) (ADJP (JJ ill)) (. ?))", "Is"),
        ("(S (NP (PRP He)) (VP (VBZ is) (ADJP (JJ ill))))", "is"),
        ("(SBAR (IN that) (S (NP (PRP he)) (VP (VBD left))))", "left"),
        ("(SBAR (WHNP (WP who)) (S (VP (VBD left))))", "left"),
        ("(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP he)) (VP (VB do))) (. ?))", "do"),
        ("(PP (IN on) (NP (DT the) (NN mat)))", "on"),
        ("(NP (DT the) (JJ old) (NN house) (NN cat))", "cat"),
        ("(NP (NP (DT the) (NN cat)) (PP (IN on) (NP (DT the) (NN mat))))", "cat"),
        ("(NP (NP (NNP John) (POS 's)) (NN house))", "house"),
        ("(NP (NNP John) (POS 's))", "John"),
        ("(NP (NP (NNS cats)) (CC and) (NP (NNS dogs)))", "and"),
        ("(NP (DT the) (NN sales) (CC and) (NN marketing) (NN director))", "director"),
        ("(NP (JJ black) (CC and) (JJ white) (NNS cats))", "cats"),
        ("(NP (NNS apples) (CC and) (JJ red) (NNS oranges))", "and"),
        ("(VP (VBD bought) (CC and) (VBD sold) (NP (NNS shares)))", "and"),
        ("(S (CC But) (NP (PRP he)) (VP (VBD left)) (. .))", "left"),
        ("(S (S (VP (VB Come))) (, ,) (CC and) (S (NP (PRP he)) (VP (VBZ goes))) (. .))", "and"),
        ("(NP (NP (NNS drones)) (CC and) (ADVP (RB so) (RB on)))", "and"),
        ("(ADJP (JJ rare) (CC and) (VBN protected))", "and"),
        ("(QP (CD ten) (CC or) (JJR more))", "ten"),
        ("(S (INTJ (UH Yes)) (, ,) (CC but) (S (NP (PRP he)) (VP (VBD left))) (. .))", "left"),
        ("(SBAR (IN whether) (S (NP (PRP he)) (VP (VBD left))) (CC or) (RB not))", "left"),
        ("(UCP (NP (NN fun)) (CC and) (ADJP (JJ easy)))", "and"),
        ("(UCP (NP (NN fun)) (, ,) (ADJP (JJ easy)) (CC and) (PP (IN on) (NP (NN time))))", "and"),
        ("(ADJP (RB very) (JJ happy))", "happy"),
        ("(ADJP (NP (CD 10) (NNS years)) (JJ old))", "old"),
        ("(ADVP (RB very) (RB quickly))", "quickly"),
        ("(ADJP (RB particularly) (RB close) (PP (TO to) (NP (PRP him))))", "close"),
        ("(NP (DT the) (JJ poor))", "poor"),
        ("(NP (DT the) (VBG following))", "following"),
        ("(NP (RB nearly) (DT all))", "all"),
        ("(QP (IN about) (CD 10) (CD million))", "million"),
        ("(NP ($ $) (CD 5))", "$"),
        ("(NP (PRP it))", "it"),
        ("(WHNP (WDT which) (NN man))", "man"),
        ("(PRN (-LRB- -LRB-) (NP (NN x)) (-RRB- -RRB-))", "x"),
        ("(FRAG (NP (NN Nonsense)) (. !))", "Nonsense"),
        ("(X (SYM *) (. .))", "*"),
        ("(S (VP (VB go) (ADVP (RB home))))", "go"),
        ("(ODD (NN a) (NN b) (. .))", "b"),
        ("(ODD (NN a) (POS 's))", "a"),
        # Of a collapsed chain the lowest label decides.
        ("(S (NP (NN cat) (PP (IN on) (NP (NN mat)))))", "cat"),
    ],
)
def test_the_head_is_the_word_that_carries_the_meaning(bracket: str, head: str) -> None:
    assert head_of(bracket) == head


def headed_shape(label: str, children: str) -> str:
    """The binary structure with a mark at each step that points to the side with the head."""
    parts = children.split()
    for left, right, head_is_left in binarization_plan(label, tuple(parts)):
        parts.append(f"({parts[left]} {'<' if head_is_left else '>'} {parts[right]})")
    return parts[-1]


@pytest.mark.parametrize(
    ("label", "children", "expected"),
    [
        ("NP", "DT JJ NN", "(DT > (JJ > NN))"),
        ("VP", "ADVP VBD NP PP", "(ADVP > ((VBD < NP) < PP))"),
        ("S", "`` NP VP . ''", "(((`` > (NP > VP)) < .) < '')"),
        ("S", "ADVP , NP ADVP VP .", "((ADVP > (, > (NP > (ADVP > VP)))) < .)"),
        ("PRN", "-LRB- NP -RRB-", "((-LRB- > NP) < -RRB-)"),
        ("NP", "NP , NP CC NP", "(NP > (, > (NP > (CC < NP))))"),
        ("NP", "DT JJ CC JJ NN", "(DT > ((JJ > (CC < JJ)) > NN))"),
        ("VP", "VBD CC VBD NP", "((VBD > (CC < VBD)) < NP)"),
        ("S", "S , CC S .", "((S > (, > (CC < S))) < .)"),
        # A coordination is headed by its last conjunction, its last member by its own head.
        ("VP", "VP CC ADVP VP", "(VP > (CC < (ADVP > VP)))"),
        ("NP", "NP CC NP CC NP", "(NP > (CC > (NP > (CC < NP))))"),
        ("NP", "DT NNS CC NNS PP", "(DT > ((NNS > (CC < NNS)) < PP))"),
        # A coordination whose number is beyond those of the children is no punctuation at the edge.
        ("NP", "DT NN PP CC PP .", "((DT > (NN < (PP > (CC < PP)))) < .)"),
        ("NP", "NN CC NN NN PP CC PP", "((NN > (CC < NN)) > (NN < (PP > (CC < PP))))"),
    ],
)
def test_every_step_of_binarization_knows_its_head(label: str, children: str, expected: str) -> None:
    assert headed_shape(label, children) == expected


@pytest.mark.parametrize(
    ("label", "children", "runs"),
    [
        ("NP", "NP , NP CC NP", [(0, 5)]),
        ("NP", "NP : NP CC NP", [(0, 5)]),
        ("NP", "`` NP '' CC NP", [(1, 5)]),
        ("NP", "PP , NP CC NP", [(2, 5)]),
        ("NP", "NP CC NP CC NP", [(0, 5)]),
        ("NP", "NP CC NP , CC NP", [(0, 6)]),
        ("NP", "NP CC NP , NP CC NP", [(0, 3), (4, 7)]),
        ("NP", "NP CC CC NP", []),
        ("NP", "NP CC", []),
        ("S", "CC NP VP", []),
        # apples and red oranges; sales and marketing director; Smith and Wesson Inc; wine and red table wine
        ("NP", "NNS CC JJ NNS", [(0, 4)]),
        ("NP", "NN CC NN NN", [(0, 3)]),
        ("NP", "NNP CC NNP NNP", [(0, 4)]),
        ("NP", "NN CC JJ NN NN", [(0, 5)]),
        # tea and two red roses; two or three cats; boys and all of them; nothing goes together
        ("NP", "NN CC CD JJ NNS", [(0, 5)]),
        ("NP", "CD CC CD NNS", [(0, 3)]),
        ("NP", "NNS CC DT PP", [(0, 3)]),
        ("NP", "NNS CC JJ PP", []),
        ("VP", "VP CC ADVP VP", [(0, 4)]),
        ("ADVP", "RB CC RB", [(0, 3)]),
        ("NP", "NNS CC ADVP", [(0, 3)]),
        ("NP", "NP CONJP NP", [(0, 3)]),
        ("QP", "CD CC JJR", []),
        ("ODD", "ODD CC ODD", [(0, 3)]),
        ("ODD", "VB CC ODD NN", []),
        ("ODD", "ONE CC TWO NN", []),
    ],
)
def test_coordinations_are_what_goes_together(label: str, children: str, runs: list[tuple[int, int]]) -> None:
    assert list(coordinations(label, tuple(children.split()))) == runs


def test_auxiliaries_are_coordinated_like_verbs_and_pass_the_head_on() -> None:
    assert coordinations("VP", ("AUX VBZ", "CC", "VBD", "NP")) == ((0, 3),)
    assert head_of("(VP (VP (MD can) (CC and) (MD will) (VP (VB go))) (. .))") == "go"


SYMBOLS = ["AUX VBZ", *"NN NNS NP DT JJ CC CONJP , . `` VBD VP S RB PP ZZ".split()]  # noqa: SIM905
LABELS = ["NP", "VP", "S", "UCP", "ADJP", "PP", "SBAR", "QP", "FRAG", "UNHEARD-OF"]


@given(label=st.sampled_from(LABELS), children=st.lists(st.sampled_from(SYMBOLS), min_size=2, max_size=9))
def test_any_children_are_binarized_in_order_with_the_head_inside(label: str, children: list[str]) -> None:
    symbols = tuple(children)
    plan = binarization_plan(label, symbols)
    assert len(plan) == len(symbols) - 1
    covered = [(i, i + 1) for i in range(len(symbols))]
    heads = list(range(len(symbols)))
    used: set[int] = set()
    for left, right, head_is_left in plan:
        assert covered[left][1] == covered[right][0]
        assert not {left, right} & used
        used |= {left, right}
        covered.append((covered[left][0], covered[right][1]))
        heads.append(heads[left] if head_is_left else heads[right])
    assert covered[-1] == (0, len(symbols))
    assert heads[-1] == head_child(label, symbols)
    if any(child not in PUNCTUATION for child in symbols):
        assert symbols[heads[-1]] not in PUNCTUATION


@given(label=st.sampled_from(LABELS), children=st.lists(st.sampled_from(SYMBOLS), min_size=2, max_size=9))
def test_coordinations_do_not_overlap_and_each_holds_a_conjunction(label: str, children: list[str]) -> None:
    at = 0
    for first, last in coordinations(label, tuple(children)):
        assert at <= first < last <= len(children)
        assert {"CC", "CONJP"} & set(children[first:last])
        assert last - first >= 3
        at = last


def test_a_full_stop_goes_on_last_so_that_the_rest_is_a_node() -> None:
    _, forest = forest_from_bracket("(S (NP (PRP He)) (VP (VBD left)) (. .))")
    (rest,) = forest.node_of_span(0, 2)
    assert forest.node(rest).label == "S'"
    assert not forest.node(rest).is_constituent


def test_only_forms_of_auxiliaries_are_marked() -> None:
    assert symbol("VBZ", "Has") == "AUX VBZ"
    assert symbol("VBZ", "’s") == symbol("VBZ", "´s") == "AUX VBZ"
    assert symbol("VBZ", "runs") == "VBZ"
    assert symbol("MD", "oughta") == "AUX MD"
    assert symbol("TO", "to") == "AUX TO"
    assert symbol("VB", "to") == symbol("VB", None) == "VB"
    assert symbol("VP::VBZ", "is") == "VP"
    assert symbol("NN", "do") == "NN"
