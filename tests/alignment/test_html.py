from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, AlignmentList, Links, PhrasePair, PhraseRelation
from forest_align.alignment._svg import to_svg
from forest_align.alignment.html import comparison_section, to_html, to_section
from forest_align.types import Node, Sentence

from .html_page import Page


def example() -> Alignment:
    return Alignment(
        Sentence.from_words(["He", "died"]),
        Sentence.from_words(["He", "passed", "away"]),
        Links.of([(0, 0), (1, 1), (1, 2)], scores=[1.0, 0.8, 0.4]),
        (
            PhrasePair(Node(0, 1, "NP::PRP"), Node(0, 1, "NP::PRP"), 1.0),
            PhrasePair(Node(1, 2, "VP::VBD"), Node(1, 3, "VP"), 0.75, False),
            PhrasePair(Node(0, 2, "S"), Node(0, 3, "S"), 1.0),
        ),
        source_tree="(S (NP (PRP He)) (VP (VBD died)))",
        target_tree="(S (NP (PRP He)) (VP (VBD passed) (PRT (RP away))))",
        id="7",
    )


def boxes_of(section: str) -> list[str | None]:
    """The titles of the boxes around phrases."""
    return [attributes["title"] for _, attributes in Page(section).elements if attributes.get("class") == "p"]


def cells_of(section: str) -> list[list[str]]:
    return [re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", row) for row in section.split("<tr")[1:]]


def table_rows(section: str, name: str) -> list[str]:
    """The names of the words in each row of the table of what differs, or of all phrase pairs."""
    before, after = section.split("phrase pairs</summary>" if "phrase pairs<" in section else "phrase pair<")
    return re.findall('<tr[^>]* data-with="([^"]*)"', {"differences": before, "all": after}[name])


def test_phrases_that_differ_are_boxes_around_their_words_and_rows_of_the_first_table() -> None:
    section = to_section(example())
    assert boxes_of(section) == ["1: 0.75", "1: 0.75"]
    assert table_rows(section, "differences") == ["s1 t1 t2"]
    assert table_rows(section, "all") == ["s0 s1 t0 t1 t2", "s0 t0", "s1 t1 t2"]


def words_in_boxes(section: str) -> list[tuple[str, list[str]]]:
    """Number of each box and the words that stand in it, by a walk through the elements."""
    boxes: list[tuple[str, list[str]]] = []
    around: list[list[str]] = []  # the words of each open element
    for tag in re.findall(r"</?span[^>]*>", section):
        if tag == "</span>":
            around.pop()
            continue
        if word := re.search(r'data-w="(\w+)"', tag):
            for words in around:
                words.append(word[1])
        around.append([])
        if box := re.search(r'class="p".*title="(\d+)', tag):
            boxes.append((box[1], around[-1]))
    return boxes


def test_every_box_holds_the_words_of_its_phrase_and_what_would_cross_another_has_none() -> None:
    source, target = (Sentence.from_words([f"{side}{k}" for k in range(6)]) for side in "ab")
    spans = [((0, 6), (0, 5)), ((0, 2), (3, 5)), ((2, 5), (0, 3)), ((3, 6), (1, 2)), ((2, 4), (1, 3))]
    phrases = tuple(PhrasePair(Node(*one, "X"), Node(*two, "X"), 1.0) for one, two in spans)
    section = to_section(Alignment(source, target, phrases=phrases))
    rows = table_rows(section, "differences")
    with_numbers = {str(number): row.split() for number, row in enumerate(rows, 1)}
    assert len(with_numbers) == 3
    boxes = words_in_boxes(section)
    for number, words in boxes:
        assert words == [word for word in with_numbers[number] if word[0] == words[0][0]]
    # (3, 6) begins in (2, 4) and ends behind it.
    assert [words for number, words in boxes if words[0][0] == "s"] == [["s0", "s1"], ["s2", "s3"]]
    assert len(boxes) == 2 + 3


def test_the_table_and_the_words_say_what_the_alignment_says() -> None:
    alignment = replace(
        example(),
        words=Links.of([(0, 0), (1, 1)], scores=[1.0, 0.8]),
        word_evidence=(("identical",), ("synonym", "vectors")),
        log_probability=0.0,
        aligner="forest",
    )
    section = to_section(alignment)
    assert cells_of(section) == [
        ["", "first sentence", "second sentence", "probability"],
        ["1", "died", "passed away", "0.75"],
        ["", "label", "first sentence", "second sentence", "probability"],
        ["", "S", "He died", "He passed away", "1.00"],
        ["", "NP–PRP", "He", "He", "1.00"],
        ["1", "VP–VBD ↔ VP", "died", "passed away", "0.75 *"],
    ]
    assert section.count("only non-compositional") == 1
    assert "only non-compositional" not in to_section(replace(alignment, phrases=alignment.phrases[::2]))
    words = {str(a["data-w"]): a for a in Page(section).of("span") if "data-w" in a}
    assert {name: (a["class"], a.get("title")) for name, a in words.items()} == {
        "s0": ("w", "He 1.00 (identical)"),
        "s1": ("w", "passed 0.80 (synonym, vectors)"),
        "t0": ("w", "He 1.00 (identical)"),
        "t1": ("w", "died 0.80 (synonym, vectors)"),
        "t2": ("w un", None),
    }
    assert "<h2>Pair 7</h2>" in section and "log score" not in section
    assert "svg" not in to_section(replace(alignment, error="it failed"))


def test_relations_are_a_column_if_there_are_any() -> None:
    one, two, three = example().phrases
    relation = PhraseRelation("more general", 0.625, ("derivation", "number"))
    phrases = one, replace(two, relation=relation), three
    section = to_section(replace(example(), phrases=phrases, paraphrase_probability=0.307))
    rows = cells_of(re.sub("</?span[^>]*>", "", section))[:2]
    expected = ["0.75", "⊐ more general (derivation, number)"]
    assert [row[3:] for row in rows] == [["probability", "relation"], expected]
    boxes = [a["data-n"] for a in Page(section).of("span") if "data-n" in a]
    assert boxes == ["1⊐"] * 2
    assert "⊐ more general" in to_svg(replace(example(), phrases=phrases))
    assert "paraphrases: 0.31" in Page(section).text
    assert "relation" not in to_section(example())


def test_links_of_different_words_outside_of_all_phrases_and_words_left_over_are_listed() -> None:
    section = to_section(replace(example(), phrases=(), unaligned_target=((0, 1),)))
    assert cells_of(section)[1:] == [["", "died", "passed", "0.80"], ["", "died", "away", "0.40"]]
    assert "only in the second sentence: He<" in section
    same = Sentence.from_words(["Yes"])
    assert "The words are the same." in to_section(Alignment(same, same, Links.of([(0, 0)])))


def test_what_is_less_probable_than_not_is_pale_and_a_note_says_so() -> None:
    one, two, three = example().phrases
    phrases = one, replace(two, probability=0.1), replace(three, probability=0.2)
    section = to_section(replace(example(), phrases=phrases, root_aligned=True))
    page = Page(section)
    rows = [a.get("class") for a in page.of("tr") if "data-with" in a]
    assert rows == ["unsure", "unsure", None, "unsure"]
    boxes = [a["title"] for a in page.of("span") if a.get("class") == "p unsure"]
    assert boxes == ["1: 0.10", "1: 0.10"]
    assert "less probable than 0.50" in page.text and "whole sentences improbable: 0.20" in page.text
    assert "less probable" not in Page(to_section(example())).text


def test_links_outside_of_the_phrases_are_dotted_and_noted() -> None:
    alignment = example()
    i, j = alignment.words.pairs[0]
    section = to_section(replace(alignment, outside=((i, j),)))
    source, target = alignment.source.words[i], alignment.target.words[j]
    assert f"dotted: links that the phrases leave out: {source}–{target}" in section
    assert section.count('class="w out"') == 2 and section.count(" outside of the phrases") == 6
    assert "dotted" not in to_section(alignment) and ' out"' not in to_section(alignment)


def test_alternatives_have_sections_of_their_own() -> None:
    other = replace(example(), log_probability=-77.25, id="")
    page = to_html([replace(example(), alternatives=(other,))])
    assert re.findall("<section[^>]*>", page) == [
        '<section data-name="7" data-alternatives>',
        '<section data-name="7" data-alternative>',
    ]
    assert "<h2>Alternative 2</h2>" in page and page.index("Alternative 2") < page.index("-77.25")


def test_phrases_of_aligners_without_trees_are_shown_too() -> None:
    nodes = [Node(*span, "", False) for span in ((0, 2), (1, 2))]
    phrases = tuple(PhrasePair(node, node, 1.0) for node in nodes)
    section = to_section(replace(example(), phrases=phrases, root_aligned=False, source_tree=""))
    assert boxes_of(section) == ["1: 1.00", "1: 1.00"]
    assert table_rows(section, "all") == ["s0 s1 t0 t1", "s1 t1"]
    assert table_rows(section, "differences") == ["s1 t1", "s1 t2"]


def test_the_page_needs_nothing_from_outside() -> None:
    page = Page(to_html([example()]))
    assert not any(key in ("src", "href") for _, attributes in page.elements for key in attributes)
    assert any(tag == "svg" for tag, _ in page.elements)


def test_trees_too_deep_to_be_drawn_do_not_break_the_page() -> None:
    # The brackets alternate between one word and two, so that no node is a unary chain.
    depth = 2000
    tree = "(X (Y a) " * depth + "(Y b)" + ")" * depth
    words = Sentence.from_words(["a"] * depth + ["b"])
    shown = to_section(replace(example(), source=words, source_tree=tree))
    assert shown.count("<svg") == 1 and "too deep" in shown


def numbers_of(section: str) -> dict[str | None, str]:
    """The numbers of the boxes, by the words that they light up."""
    boxes = [attributes for _, attributes in Page(section).elements if attributes.get("class") == "p"]
    return {box["data-with"]: str(box["title"])[0] for box in boxes}


def test_table_and_trees_number_the_pairs_alike() -> None:
    # The same source phrase twice, the pair with the later target first in the alignment.
    source, target = Sentence.from_words(["a", "b"]), Sentence.from_words(["c", "d", "e", "f"])
    alignment = Alignment(
        source,
        target,
        phrases=tuple(PhrasePair(Node(0, 2, "S"), Node(*span, "S"), 1.0) for span in ((2, 4), (0, 2))),
        source_tree="(S (X a) (X b))",
        target_tree="(T (S (X c) (X d)) (S (X e) (X f)))",
    )
    assert numbers_of(to_section(alignment))["s0 s1 t0 t1"] == "1"
    drawn = re.findall(r'x="([\d.]+)"[^>]*>S<tspan[^>]*>([\d,]+)</tspan>', to_svg(alignment))
    assert drawn[0][1] == "1,2"
    left, right = sorted((float(x), number) for x, number in drawn[1:])
    assert (left[1], right[1]) == ("1", "2")


def test_a_phrase_that_is_no_node_has_a_bracket_with_the_number_of_its_node_on_the_other_side() -> None:
    source, target = Sentence.from_words(["a", "b", "c", "d"]), Sentence.from_words(["e", "f", "g"])
    group = PhrasePair(Node(0, 2, "S'", is_constituent=False), Node(0, 1, "X"), 1.0)
    phrase = PhrasePair(Node(2, 4, "NP"), Node(1, 3, "NP"), 1.0)
    alignment = Alignment(
        source,
        target,
        phrases=(group, phrase),
        source_tree="(S (X a) (X b) (NP (X c) (X d)))",
        target_tree="(S (X e) (NP (X f) (X g)))",
    )
    assert numbers_of(to_section(alignment))["s2 s3 t1 t2"] == "2"
    picture = to_svg(alignment)
    assert re.findall(r">(\w+)<tspan[^>]*>(\d)</tspan>", picture) == [("NP", "2"), ("X", "1"), ("NP", "2")]
    assert re.findall(r'font-weight="bold" fill="#\w+">(\d)</text>', picture) == ["1"]
    assert "bracket: phrase that is no node of the tree" in picture
    both = re.findall(r'font-weight="bold" fill="#\w+">(\d)</text>', to_svg(alignment, simple=True))
    assert sorted(both) == ["1", "1", "2", "2"] and "bracket:" not in to_svg(alignment, simple=True)


evil = st.sampled_from(
    ["<script>alert(1)</script>", '"><b>', "'", "&amp;", "\x00", "\ud800", "\u202e", "</span>"]
)


@given(st.lists(evil | st.text(min_size=1, max_size=5), min_size=1, max_size=4), evil)
def test_whatever_the_words_say_the_page_stays_whole(words: list[str], text: str) -> None:
    sentence = Sentence.from_words(words)
    node = Node(0, len(words), text)
    alignment = Alignment(
        sentence,
        sentence,
        Links.of([(0, 0)], scores=[0.5]),
        (PhrasePair(node, node, 1.0),),
        aligner=text,
        id=text,
        warnings=(text,),
        error=text,
        word_evidence=((text,),),
        source_tree=f"(S {' '.join('(X a)' for _ in words)})",
        target_tree=f"(S {' '.join('(X a)' for _ in words)})",
    )
    section = to_section(alignment)
    section.encode("utf-8")
    assert "\u202e" not in section
    page = Page(section)
    assert not {"script", "b"} & {tag for tag, _ in page.elements}
    assert not re.search(r"\son\w+=", " ".join(f" {key}=" for _, a in page.elements for key in a))


def in_frame(shown: str) -> str:
    """The page in the frame that a notebook shows."""
    ((tag, attributes),) = Page(shown).elements
    assert tag == "iframe"
    return str(attributes["srcdoc"])


def test_a_notebook_shows_the_sections_in_a_frame_of_its_own_without_a_heading() -> None:
    alignment = replace(example(), id="<\"quoted\" & 'odd'>")
    page = in_frame(alignment._repr_html_())
    assert to_section(alignment) in page and not Page(page).of("h1")
    assert Page(to_html([alignment])).of("h1")


def test_a_notebook_shows_several_alignments_in_one_frame() -> None:
    several = AlignmentList(replace(example(), id=name) for name in ("one", "two"))
    page = in_frame(several._repr_html_())
    assert re.findall("<h2>Pair (\\w+)</h2>", page) == ["one", "two"]
    assert isinstance(several[0], Alignment) and str(several) == f"{several[0]}\n\n{several[1]}"


_SIDES = Sentence.from_words(["a", "<b>", "c"]), Sentence.from_words(["d", "e"])
_PAIR = PhrasePair(Node(0, 2, "X", False), Node(0, 2, "X", False), 0.9)
FIRST = Alignment(*_SIDES, Links.of([(0, 0), (1, 1)], scores=[0.5, 0.25]), (_PAIR,), aligner="one")
SECOND = Alignment(*_SIDES, Links.of([(0, 0), (2, 1)]), aligner="gold")


def rows_of(section: str) -> list[list[str]]:
    return [re.findall("<td[^>]*>([^<]*)</td>", row) for row in section.split("<tr data-with")[1:]]


def test_what_only_one_of_two_alignments_has_is_listed_and_ringed() -> None:
    section = comparison_section(FIRST, SECOND)
    page = Page(section)
    assert "1 link in both, 1 only in one, 1 only in gold" in page.text
    assert rows_of(section) == [
        ["link", "one", "&lt;b&gt;", "e", "0.25"],
        ["link", "gold", "c", "e", ""],
    ]
    assert len(page.of("svg")) == 2 and len(page.of("circle")) == 2
    assert [a["class"] for a in page.of("div") if a.get("class") == "column"] == ["column"] * 2


def test_phrases_differ_if_both_have_some() -> None:
    wider = PhrasePair(Node(0, 3, "X", False), Node(0, 2, "X", False), 0.75)
    section = comparison_section(FIRST, replace(FIRST, phrases=(_PAIR, wider), aligner="two"))
    assert rows_of(section) == [["phrase", "two", "a &lt;b&gt; c", "d e", "0.75"]]


def test_other_words_are_told_and_nothing_is_marked() -> None:
    other = replace(SECOND, source=Sentence.from_words(["a", "<b>c"]), words=Links.of([(1, 1)]))
    section = comparison_section(FIRST, other)
    assert "split the sentences into other words" in section and "<circle" not in section
