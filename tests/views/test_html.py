from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from forest_align.types import Alignment, Links, Node, PhrasePair, Sentence
from forest_align.views.html import to_html, to_section

_VOID = frozenset({"meta", "line", "rect", "path"})


class Page(HTMLParser):
    """Collects the text and the attributes of a page and checks that its elements nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


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


def test_every_word_lights_up_what_it_is_aligned_to() -> None:
    found = {a["data-w"]: a["data-with"] for _, a in Page(to_html([example()])).elements if "data-w" in a}
    assert found == {"s0": "s0 t0", "s1": "s1 t1 t2", "t0": "t0 s0", "t1": "t1 s1", "t2": "t2 s1"}


def test_phrases_are_boxes_around_their_words_and_rows_of_the_table() -> None:
    page = Page(to_html([example()]))
    boxes = [a["title"] for tag, a in page.elements if a.get("class") == "p"]
    assert sorted(map(str, boxes)) == ["1: S 1.00", "1: S 1.00", "2: VP 0.75", "2: VP::VBD 0.75"]
    rows = [a["data-with"] for tag, a in page.elements if tag == "tr" and "data-with" in a]
    assert rows == ["s0 s1 t0 t1 t2", "s0 t0", "s1 t1 t2"]


def test_the_page_needs_nothing_from_outside() -> None:
    page = Page(to_html([example()]))
    assert not any(key in ("src", "href") for _, attributes in page.elements for key in attributes)
    assert any(tag == "svg" for tag, _ in page.elements)


def test_trees_that_do_not_fit_the_tokens_are_left_out() -> None:
    shown = to_section(replace(example(), source_tree="(S (X a) (X b) (X c))"))
    assert "<svg" not in shown and "do not fit" in shown


def test_phrases_that_cross_do_not_break_the_page() -> None:
    sentence = Sentence.from_words(["a", "b", "c"])
    crossing = tuple(PhrasePair(Node(*span, "X"), Node(*span, "X"), 1.0) for span in ((0, 2), (1, 3)))
    assert Page(to_html([Alignment(sentence, sentence, phrases=crossing)]))


evil = st.sampled_from(["<script>alert(1)</script>", '"><b>', "'", "&amp;", "\x00", "\ud800", "</span>"])


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
    )
    section = to_section(alignment)
    section.encode("utf-8")
    page = Page(section)
    assert not {"script", "b"} & {tag for tag, _ in page.elements}
    assert not re.search(r"\son\w+=", " ".join(f" {key}=" for _, a in page.elements for key in a))
