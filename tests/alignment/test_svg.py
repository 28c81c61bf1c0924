from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from forest_align.alignment import Alignment, ArcPair, Links, PhrasePair, PhraseRelation
from forest_align.alignment._svg import to_svg
from forest_align.alignment.page_style import INK, LINK, PALETTE, PAPER, UNALIGNED, picture_style
from forest_align.types import InputError, Node, Sentence

SVG = "{http://www.w3.org/2000/svg}"


def drawn(alignment: Alignment, **options: Any) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(alignment, **options))


def words_of(root: ElementTree.Element) -> list[ElementTree.Element]:
    """The texts of the words: labels, numbers and the legend have sizes of their own."""
    return [text for text in root.iter(f"{SVG}text") if text.get("font-size") is None]


def numbers_of(path: ElementTree.Element) -> list[float]:
    return [float(number) for number in re.findall(r"-?[\d.]+", path.get("d", ""))]


def died_and_passed_away() -> Alignment:
    noun, verb = Node(0, 1, "NP::PRP", head=0), Node(1, 2, "VP::VBD", head=1)
    passed_away = Node(1, 3, "VP", head=1)
    return Alignment(
        Sentence.from_words(["He", "died", "<&>"]),
        Sentence.from_words(["He", "passed", "away", "."]),
        words=Links.of([(0, 0), (1, 1), (1, 2)], scores=[0.99, 0.8, 0.4]),
        phrases=(
            PhrasePair(noun, Node(0, 1, "NP::PRP", head=0), 0.99),
            PhrasePair(verb, passed_away, 0.7),
            PhrasePair(Node(0, 3, "S", head=1), Node(0, 4, "S", head=1), 1.0),
        ),
        source_tree="(TOP (S (NP (PRP He)) (VP (VBD died)) (. <&>)))",
        target_tree="(S (NP (PRP He)) (VP (VBD passed) (PRT (RP away))) (. .))",
    )


@pytest.mark.parametrize("simple", [False, True])
def test_pictures_have_only_colours_whose_contrast_is_tested_on_both_papers(simple: bool) -> None:
    picture = to_svg(died_and_passed_away(), simple=simple, rings={(1, 1)})
    elements = list(ElementTree.fromstring(picture).iter())
    painted = [(one, one.get(kind)) for one in elements for kind in ("fill", "stroke") if one.get(kind)]
    colours = {colour for _, colour in painted} - {"none"}
    assert {INK, PAPER, UNALIGNED, PALETTE[0]} <= colours <= {INK, LINK, PAPER, UNALIGNED, *PALETTE}
    dark = set(re.findall(r"\.(\w+)", picture_style()))
    for one, colour in painted:
        # Classes give the colour on dark paper.
        assert colour == "none" or set(str(one.get("class")).split()) & dark, ElementTree.tostring(one)


def texts_of(root: ElementTree.Element) -> list[ElementTree.Element]:
    """All texts but the legend."""
    texts = root.iter(f"{SVG}text")
    return [text for text in texts if "legend" not in str(text.get("class"))]


def lines_of(root: ElementTree.Element) -> list[ElementTree.Element]:
    """The lines of the links, without the wide ones that only the pointer meets."""
    links = [group for group in root.iter(f"{SVG}g") if group.get("class") == "l"]
    return [path for group in links for path in group.iter(f"{SVG}path") if path.get("stroke") != "none"]


def test_the_two_sides_of_a_phrase_pair_share_number_and_colour() -> None:
    root = drawn(died_and_passed_away())
    labels = [node for node in texts_of(root) if len(node)]
    by_number: dict[str, set[str | None]] = {}
    for node in labels:
        by_number.setdefault("".join(node[0].itertext()), set()).add(node.get("fill"))
    assert set(by_number) == {"1"} and len([node for node in labels if node.get("class") == "f c0"]) == 2
    assert all(len(colours) == 1 for colours in by_number.values())


def test_a_numbered_phrase_has_its_probability_and_relation_as_a_title() -> None:
    one, two, three = died_and_passed_away().phrases
    two = replace(two, relation=PhraseRelation("equivalent", 0.9, ("format",)), similarity=4.8)
    root = drawn(replace(died_and_passed_away(), phrases=(one, two, three)))
    labels = [node for node in root.iter(f"{SVG}text") if node.find(f"{SVG}title") is not None]
    titles = {(node.findtext(f"{SVG}tspan"), node.findtext(f"{SVG}title")) for node in labels}
    assert titles == {("1", "0.70 equivalent (format) 4.8/5")} and len(labels) == 2


def test_the_two_arcs_of_a_pair_run_beside_their_words_in_one_colour() -> None:
    arcs = (ArcPair((1, 0), (1, 0), "nsubj", "subj<1>"), ArcPair((-1, 1), (-1, 1), "root", "root"))
    plain, alignment = died_and_passed_away(), replace(died_and_passed_away(), arcs=arcs)
    root = drawn(alignment)
    arcs_of = [f"{SVG}path", f"{SVG}circle"]
    titled = [node for node in root.iter() if node.tag in arcs_of and node.find(f"{SVG}title") is not None]
    assert [node.tag.removeprefix(SVG) for node in titled] == ["path", "path", "circle", "circle"]
    assert [node.findtext(f"{SVG}title") for node in titled] == ["nsubj – subj<1>"] * 2 + ["root – root"] * 2
    colours = [node.get("stroke", node.get("fill")) for node in titled]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    words = words_of(root)
    # He died <&>; He passed away.
    for path, governor, dependent, down in ((titled[0], 1, 0, 1), (titled[1], 4, 3, -1)):
        numbers = numbers_of(path)
        assert (numbers[0], numbers[6]) == tuple(float(words[k].get("x", "")) for k in (governor, dependent))
        height = float(words[governor].get("y", ""))
        assert 0 < down * (numbers[1] - height) < down * (numbers[3] - height) < 42
        assert numbers[1] == numbers[7] and numbers[3] == numbers[5]
    assert root.get("width") == drawn(plain).get("width")
    swapped = drawn(alignment.swap())
    titled = [node for node in swapped.iter() if node.tag in arcs_of and node.find(f"{SVG}title") is not None]
    assert len(titled) == 4


def test_links_run_from_word_to_word_and_words_without_any_are_grey() -> None:
    alignment = replace(
        died_and_passed_away(), words=Links.of([(0, 1), (1, 0), (1, 2)], scores=[1.5, 0.4, -1.0])
    )
    root = drawn(alignment)
    words = [
        (float(text.get("x", "")), float(text.get("y", "")), text.get("fill"), text.text)
        for text in words_of(root)
    ]
    assert [word for *_, word in words] == ["He", "died", "<&>", "He", "passed", "away", "."]
    assert [word for *_, colour, word in words if colour == UNALIGNED] == ["<&>", "."]
    source, target = words[:3], words[3:]
    links = []
    for path in lines_of(root):
        numbers = numbers_of(path)
        one = [i for i, word in enumerate(source) if word[0] == numbers[0]]
        two = [j for j, word in enumerate(target) if word[0] == numbers[6]]
        assert source[0][1] < numbers[1] < numbers[7] < target[0][1]
        links.append((*one, *two, float(path.get("stroke-opacity", ""))))
    assert links == [(0, 1, 1.0), (1, 0, 0.55), (1, 2, 0.25)]


def test_both_sentences_take_the_whole_width_and_nothing_stands_outside_or_on_another_word() -> None:
    words = [["I", "a", "extraordinarily", "b"], ["x", ".", ",", "y", "incomprehensibility", "z", "."]]
    tree = "(S (X {}) (NP (X {}) (X {})) {})"
    trees = [tree.format(*side[:3], " ".join(f"(X {word})" for word in side[3:])) for side in words]
    trees[0] = "(S (A (B (C (X I) (X a)) (X extraordinarily)) (X b)))"
    alignment = Alignment(*map(Sentence.from_words, words), source_tree=trees[0], target_tree=trees[1])
    for shown in (alignment, alignment.swap()):
        root = drawn(shown)
        width, height = float(root.get("width", "")), float(root.get("height", ""))
        texts = texts_of(root)
        boxes = []
        for at in texts:
            size = (7.6 if at.get("font-size") is None else 6.5) * len("".join(at.itertext()))
            x, y = float(at.get("x", "")), float(at.get("y", ""))
            boxes.append((round(y, 1), x - size / 2, x + size / 2))
            assert x - size / 2 >= 0 and x + size / 2 <= width and 10 <= y <= height - 4
        for (y, _, end), (other_y, start, _) in pairwise(sorted(boxes)):
            assert y != other_y or end < start
        for sentence in (shown.source, shown.target):
            ends = [box[1:] for box, at in zip(boxes, texts, strict=True) if at.text in sentence.words]
            assert max(end for _, end in ends) - min(start for start, _ in ends) > 0.8 * (width - 32)


def test_a_phrase_stands_over_the_middle_of_its_children_under_the_label_of_its_chain() -> None:
    root = drawn(died_and_passed_away())
    labels = {}
    for at in texts_of(root):
        if at.get("font-size") is not None:
            labels.setdefault(at.text, []).append(float(at.get("x", "")))
    # TOP is no part of a label; the source comes first.
    assert set(labels) == {"S", "NP–PRP", "VP–VBD", "VP", "VBD", "PRT–RP", "."}
    (left, _), (first, second), (verb,), (particle,) = (labels[k] for k in (".", "NP–PRP", "VBD", "PRT–RP"))
    assert labels["S"] == pytest.approx([(first + left) / 2, (second + labels["."][1]) / 2], abs=0.1)
    assert labels["VP"] == pytest.approx([(verb + particle) / 2], abs=0.1)


@pytest.mark.parametrize(
    ("tree", "nodes"),
    [
        (
            "(S (NP (DT a) (NN b)) (VP (VBD c) (PP (IN d) (NP (NP (DT e) (NN f)) (PP (IN g) (NN h))))))",
            15,
        ),
        ("(S (NP (PRP I)) (VP (VBP am)) (ADVP (NP (NN a)) (ADVP (RB b))) (. .))", 7),
    ],
)
def test_no_edge_of_a_tree_runs_behind_the_label_of_another_node(tree: str, nodes: int) -> None:
    sentence = Sentence.from_words(re.findall(r"[^ ()]+(?=\))", tree))
    root = drawn(Alignment(sentence, sentence, source_tree=tree, target_tree=tree))
    labels = [
        [float(box.get(key, "")) for key in ("x", "y", "width", "height")]
        for box in root.iter(f"{SVG}rect")
        if box.get("rx")
    ]
    edges = [
        [tuple(map(float, point.split(","))) for point in line.get("points", "").split()]
        for line in root.iter(f"{SVG}polyline")
    ]
    assert (len(labels), len(edges)) == (2 * nodes, 2 * (nodes - 1))
    for (x, y, width, _), (other_x, other_y, *_) in pairwise(
        sorted(labels, key=lambda box: (box[1], box[0]))
    ):
        assert y != other_y or x + width < other_x
    for points in edges:
        behind = set()
        for (x, y), (other_x, other_y) in pairwise(points):
            left, right, top, bottom = min(x, other_x), max(x, other_x), min(y, other_y), max(y, other_y)
            behind |= {
                (at, level)
                for at, level, width, height in labels
                if left < at + width and right > at and top < level + height and bottom > level
            }
        assert len(behind) == 2  # its own two


def test_what_cannot_be_drawn_is_refused() -> None:
    for tree in (
        *("(S (X a) (X b))", "(S (X a) (X b) (X c) (X d))", "(S (X a) (X b) c)", "(S (X a b) (X c))"),
        *("(S (X a) (X) (X b) (X c))", "()"),
    ):
        with pytest.raises(InputError, match="expected a tree over 3 tokens"):
            to_svg(replace(died_and_passed_away(), source_tree=tree))
    with pytest.raises(InputError, match="words on both sides"):
        to_svg(Alignment.failed("cannot be read"))


def test_without_trees_the_words_and_links_are_drawn() -> None:
    for edges, missing in ((5, ["source_tree"]), (3, ["target_tree"]), (0, ["source_tree", "target_tree"])):
        root = drawn(replace(died_and_passed_away(), **dict.fromkeys(missing, "")))
        assert len(lines_of(root)) == 3
        words = [text.text for text in words_of(root)]
        assert words == ["He", "died", "<&>", "He", "passed", "away", "."]
        assert len(list(root.iter(f"{SVG}polyline"))) == edges


def test_a_node_lights_the_words_of_its_pairs_and_the_other_node() -> None:
    root = drawn(died_and_passed_away())
    nodes = [group for group in root.iter(f"{SVG}g") if group.get("class") == "n"]
    with_pairs = sorted(
        (str(n.get("data-pair")), str(n.get("data-with"))) for n in nodes if n.get("data-pair")
    )
    whole = "s0 s1 s2 t0 t1 t2 t3"
    assert with_pairs == [("0", whole)] * 2 + [("1", "s0 t0")] * 2 + [("2", "s1 t1 t2")] * 2
    assert sorted(n.get("data-with") for n in nodes if not n.get("data-pair")) == ["s2", "t1", "t2", "t3"]


def long_pair(length: int) -> Alignment:
    sentence = Sentence.from_words([f"word{k}" for k in range(length)])
    other = Sentence.from_words([f"other{k}" for k in range(length)])
    phrase = PhrasePair(Node(1, 4, "X"), Node(2, 4, "X"), 0.9)
    links = Links.of([(k, k) for k in range(length)])
    return Alignment(sentence, other, links, (phrase,))


def test_sentences_that_are_longer_than_the_picture_may_be_wide_run_from_the_top_down() -> None:
    for length, is_upright in ((5, False), (60, True)):
        root = drawn(long_pair(length), width=600)
        assert float(root.get("width", "")) <= 600 and (root.get("data-upright") == "true") == is_upright
        words = words_of(root)
        same = [len({float(text.get(axis, "")) for text in words}) for axis in ("x", "y")]
        assert same == [2, length] if is_upright else same[1] == 2
        starts = {path.get("d", "").split()[0] for path in lines_of(root)}
        ends = {f"M{group.get('data-end')}" for group in root.iter() if group.get("data-w", "")[:1] == "s"}
        assert starts == ends


def test_a_wide_tree_makes_an_upright_picture_smaller_unless_told_otherwise() -> None:
    words = [f"w{k}" for k in range(40)]
    tree = "".join(f"(X (Y {word}) " for word in words[:-1]) + f"(Y {words[-1]})" + ")" * 39
    sentence = Sentence.from_words(words)
    deep = Alignment(sentence, sentence, source_tree=tree, target_tree=tree)
    scaled, whole = (drawn(deep, width=600, is_scaled=scaled) for scaled in (True, False))
    assert float(scaled.get("width", "")) == 600 < float(whole.get("width", ""))
    assert scaled.get("viewBox") == whole.get("viewBox")


@pytest.mark.parametrize("width", [400, 4000])
def test_brackets_that_would_meet_have_lanes_of_their_own_and_span_their_words(width: int) -> None:
    pair = long_pair(20)
    wider = PhrasePair(Node(3, 9, "X"), Node(3, 8, "X"), 0.8)
    apart = PhrasePair(Node(10, 12, "X"), Node(10, 11, "X"), 0.8)
    root = drawn(replace(pair, phrases=(*pair.phrases, wider, apart)), width=width)
    upright = root.get("data-upright") == "true"
    words = {g.get("data-w"): g.find(f"{SVG}text") for g in root.iter(f"{SVG}g") if g.get("data-w")}
    lanes = []
    for group in (g for g in root.iter(f"{SVG}g") if g.get("class") == "n"):
        (path,) = group.iter(f"{SVG}path")
        points = [tuple(map(float, p.split(","))) for p in path.get("d", "")[1:].split()]
        along, across = (1, 0) if upright else (0, 1)
        names = [n for n in group.get("data-with", "").split() if n[0] == "st"[len(lanes) // 3]]
        places = [float(words[one].get("xy"[along], "")) for one in names]
        assert points[1][along] < min(places) and max(places) < points[2][along] + 4
        lanes.append(points[1][across])
    assert lanes[0] == lanes[1] != lanes[2] and lanes[3] == lanes[4] != lanes[5]
