"""The pages in a real browser: pointer, keyboard, a phone, and text that attacks."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.alignment.html import to_html
from forest_align.data import read_pairs
from forest_align.service.app import create_app
from forest_align.service.line_index import LineIndex
from forest_align.service.server import listen, make_server
from forest_align.service.settings import ServedModel, ServiceLimits, ServiceSettings
from forest_align.types import Node, Sentence

from .chromium import PHONE, Chromium, chromium
from .fake_service import FakeAligner, LocalWorker, load_fake, write_alignments

pytestmark = pytest.mark.engine

# Attacks that would change the title of the page if a browser took them for more than text.
_HACK = "document.title='hacked'"
ATTACK = f"""</textarea></pre></script><script>{_HACK}</script><img src=x onerror="{_HACK}">"""


def he_left(**more: Any) -> Alignment:
    """He left; He went away: with trees, and a relation."""
    relation = PhraseRelation("more general", 0.9)
    return replace(
        Alignment(
            Sentence.from_words(["He", "left"]),
            Sentence.from_words(["He", "went", "away"]),
            Links.of([(0, 0), (1, 1), (1, 2)], scores=[1.0, 0.8, 0.4]),
            (
                PhrasePair(Node(1, 2, "VP::VBD"), Node(1, 3, "VP"), 0.75, relation=relation),
                PhrasePair(Node(0, 2, "S"), Node(0, 3, "S"), 1.0),
            ),
            source_tree="(S (NP (PRP He)) (VP (VBD left)))",
            target_tree="(S (NP (PRP He)) (VP (VBD went) (PRT (RP away))))",
            aligner="forest",
        ),
        **more,
    )


class TreeAligner(FakeAligner):
    """Knows one pair with trees; others as the fake does."""

    def align_many(self, pairs: Iterable[tuple[str, str]], batch_size: int) -> Iterator[Alignment]:
        for source, target in pairs:
            if source != "He left":
                yield from super().align_many([(source, target)], batch_size)
                continue
            others = [he_left(log_probability=-float(k)) for k in range(2, self.alignments + 1)]
            yield he_left(alternatives=tuple(others), log_probability=-1.0)


def load_trees(name: str) -> Any:
    return TreeAligner() if name == "forest" else load_fake(name)


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(downloads: Path) -> Iterator[Chromium]:
    with chromium(downloads) as started:
        yield started


@pytest.fixture(scope="module")
def site(browser: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service with a file."""
    names = {name: ServedModel(name, name, "0") for name in ("forest", "contextual")}
    path = write_alignments(tmp_path_factory.mktemp("file") / "alignments.jsonl")
    limits = ServiceLimits(gather_seconds=0.001)
    app = create_app(ServiceSettings(names, "forest", limits), [LocalWorker(load_trees)], LineIndex(path))
    listener, server = listen("127.0.0.1", 0), make_server(app, limits)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


def lit(browser: Chromium) -> set[str]:
    """Names of the words that are lit."""
    return {str(element.get_attribute("data-w")) for element in browser.all("[data-w].on")}


def typed(site: str, source: str = "He left", target: str = "He went away", **more: str) -> str:
    return f"{site}/?{urlencode({'source': source, 'target': target, **more})}"


def test_two_typed_sentences_are_aligned_and_drawn(browser: Chromium, site: str) -> None:
    browser.open(site)
    browser.one("#source").send_keys("He left")
    browser.one("#target").send_keys("He went away")
    browser.until_left(browser.one("form button").click)
    assert "source=He+left" in browser.driver.current_url
    assert browser.texts(".side") == ["He left", "He went away"]
    labels = [label.split("\n")[0] for label in browser.texts("svg .n") if label]
    assert labels == ["1⊐"] * 2
    browser.one("details:has(.picture):not([open]) summary").click()
    labels = [label.split("\n")[0] for label in browser.texts("svg .n") if label]
    assert {"S", "VP–VBD1⊐", "VP1⊐"} <= set(labels)
    assert browser.messages() == []


def test_the_pointer_on_a_node_lights_both_sides_and_tells_the_probability(
    browser: Chromium, site: str
) -> None:
    browser.open(typed(site))
    browser.one("details:has(.picture):not([open]) summary").click()
    node = next(node for node in browser.all("svg .n") if "VP–VBD" in node.text)
    browser.hover(node)
    assert lit(browser) == {"s1", "t1", "t2"} and browser.tip == "0.75 more general"
    nodes = {re.sub("[0-9⊐]", "", one.text) for one in browser.all("svg .n.on")}
    assert nodes == {"VP–VBD", "VP", ""}
    assert [one.get_attribute("data-with") for one in browser.all("svg .l.on")] == ["s1 t1", "s1 t2"] * 2
    browser.hover(browser.one("h1"))
    assert lit(browser) == set() and browser.tip == ""


def test_the_pointer_on_a_link_lights_its_two_words(browser: Chromium, site: str) -> None:
    browser.open(typed(site))
    browser.hover(browser.all("svg .l .hit")[0])
    assert lit(browser) == {"s0", "t0"} and browser.tip == "He – He 1.00"
    assert [one.get_attribute("data-with") for one in browser.all("svg .l.on")] == ["s0 t0"] * 2


def test_aligners_without_trees_have_a_picture_of_their_links(browser: Chromium, site: str) -> None:
    browser.open(typed(site, "a b c", "c b", aligner="contextual"))
    assert browser.texts("section summary")[:1] == ["picture"] and len(browser.all("svg .l")) == 2
    browser.hover(browser.one("svg [data-w=s2]"))
    assert lit(browser) == {"s2", "t0"} and browser.tip == "c 0.50"


def test_the_keyboard_reaches_words_nodes_and_links(browser: Chromium, site: str) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(typed(site))
    stops = browser.run("return [...document.querySelectorAll('section [tabindex=\"0\"]')].length")
    assert stops == len(browser.all("section .side, section table, section svg"))
    browser.run("document.querySelector('section .side [tabindex=\"0\"]').focus()")
    assert lit(browser) == {"s0", "t0"} and browser.tip == "He 1.00"
    browser.press(Keys.ARROW_RIGHT)
    assert lit(browser) == {"s1", "t1", "t2"} and browser.tip == "1: 0.75"
    browser.press(Keys.ARROW_RIGHT)
    assert lit(browser) == {"s1", "t1", "t2"} and browser.tip == "went 0.80; away 0.40\n1: 0.75"
    browser.run("document.querySelector('svg [tabindex=\"0\"]').focus()")
    assert lit(browser) == {"s0", "t0"} and browser.tip == "He – He 1.00"
    browser.press(Keys.ARROW_RIGHT)
    assert lit(browser) == {"s1", "t1"} and browser.tip == "left – went 0.80"
    browser.press(Keys.ESCAPE)
    assert lit(browser) == set()


def test_on_a_phone_no_page_is_wider_than_the_window(browser: Chromium, site: str, tmp_path: Path) -> None:
    words = [f"word{k}" for k in range(44)] + ["antidisestablishmentarianism" * 3]
    sentence = Sentence.from_words(words)
    long = Alignment(sentence, sentence, Links.of([(k, 44 - k) for k in range(45)]), id="long")
    (tmp_path / "page.html").write_text(to_html([he_left(), long]), encoding="utf-8")
    pages = [
        site,
        typed(site),
        f"{site}/docs",
        f"{site}/pairs",
        f"{site}/pairs?first=26",
        (tmp_path / "page.html").as_uri(),
    ]
    pages.append(typed(site, " ".join(words), words[-1]))
    for page in pages:
        browser.open(page, PHONE)
        browser.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert not browser.is_wider_than_its_window(), page


def test_sentences_that_attack_are_text(browser: Chromium, site: str, tmp_path: Path) -> None:
    sentence = Sentence.from_words([ATTACK])
    tree = "(S (X a))"
    node = Node(0, 1, ATTACK)
    attacks = he_left(
        source=sentence,
        words=Links.of([(0, 0)], scores=[0.5]),
        phrases=(PhrasePair(node, Node(0, 2, ATTACK), 0.5),),
        source_tree=tree,
        id=ATTACK,
        aligner=ATTACK,
        warnings=(ATTACK,),
    )
    (tmp_path / "page.html").write_text(to_html([attacks]), encoding="utf-8")
    for page in (typed(site, ATTACK, ATTACK), typed(site, aligner=ATTACK), (tmp_path / "page.html").as_uri()):
        browser.open(page)
        for element in browser.all("section [data-with]")[:6]:
            browser.hover(element)
        assert browser.driver.title == "Alignments" and browser.all("img") == []
        if page.startswith("http"):
            assert [text for text in browser.messages() if "Security Policy" in text] == []
    assert ATTACK in browser.one("body").text


def test_the_slider_fades_what_is_less_probable(browser: Chromium, site: str) -> None:
    browser.open(typed(site))
    browser.one("details:has(#threshold) summary").click()
    browser.run(
        "const one = document.getElementById('threshold'); one.value = 0.5;"
        "one.dispatchEvent(new Event('input'))"
    )
    weak = [one.get_attribute("data-p") for one in browser.all(".weak")]
    assert set(weak) == {"0.4000"} and len(weak) == 3  # a link in two pictures, and a row
    assert browser.one("#least").text == "0.50"


def saved(downloads: Path, *names: str) -> list[Path]:
    """The files that the browser saves, when it has."""
    files = [downloads / name for name in names]
    while not all(file.exists() for file in files):
        time.sleep(0.05)
    return files


def test_links_can_be_corrected_and_saved_as_gold(browser: Chromium, site: str, downloads: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(typed(site))
    (start,) = [one for one in browser.all("section button") if one.text == "Correct the links"]
    start.click()
    assert browser.one(".links output").text == "0-0 1-1 1-2"
    word = {one.get_attribute("data-w"): one for one in browser.all(".side .w")}
    word["s1"].click()
    word["t2"].click()
    word["t1"].click()
    word["s0"].click()
    assert browser.one(".links output").text == "0-0 0-1 1-1"
    assert "un" in word["t2"].get_attribute("class").split()
    drawn = [one.get_attribute("data-with") for one in browser.all("svg .l")]
    assert sorted(drawn) == ["s0 t0", "s0 t0", "s0 t1", "s0 t1", "s1 t1", "s1 t1"]
    browser.run("arguments[0].focus()", word["s1"])
    browser.press(Keys.ENTER)
    browser.run("arguments[0].focus()", word["t1"])
    browser.press(Keys.ENTER)
    assert browser.one("#gold").get_attribute("value") == "0-0 0-1"
    for button in browser.all(".links button"):
        button.click()
    pharaoh, jacana = saved(downloads, "alignment.pharaoh", "alignment.gold.json")
    assert pharaoh.read_text() == "0-0 0-1\n"
    (pair,) = read_pairs(jacana, format="jacana")
    assert pair.links is not None and pair.links.pairs == ((0, 0), (0, 1))
    assert (pair.source.text, pair.target.text) == ("He left", "He went away")
    browser.until_left(browser.one("form button").click)
    assert browser.one(".comparison .note").text == "1 link in both, 2 only in forest, 1 only in gold"
    assert browser.messages() == []


def test_pictures_and_alignments_can_be_saved(browser: Chromium, site: str, downloads: Path) -> None:
    browser.open(typed(site))
    browser.hover(browser.all("svg .n")[0])  # what has been lit keeps its title
    browser.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    buttons = browser.all("section button")
    names = ["Correct the links", *["Save the picture (SVG)"] * 2, "Save as JSON"]
    assert [button.text for button in buttons] == names
    for button in buttons[1:]:
        browser.run("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
    _, drawn, values = saved(downloads, "alignment.svg", "alignment-trees.svg", "alignment.json")
    root = ElementTree.parse(drawn).getroot()
    found = Alignment.from_json(values.read_text(encoding="utf-8"))
    assert found.words == he_left().words and json.loads(values.read_text())["aligner"] == "forest"
    name = "{http://www.w3.org/2000/svg}"
    assert len(list(root.iter(f"{name}title"))) == found.to_svg().count("<title>")
    assert "tabindex" not in drawn.read_text()


def test_dark_pages_have_dark_trees(browser: Chromium, site: str) -> None:
    for dark in (False, True):
        browser.open(typed(site), dark=dark)
        for part, style in (("body", "backgroundColor"), ("svg > rect", "fill")):
            colour = browser.run(f"return getComputedStyle(document.querySelector('{part}')).{style}")
            assert (max(map(int, re.findall(r"\d+", colour)[:3])) < 60) == dark


def test_two_aligners_stand_side_by_side_with_their_differences(browser: Chromium, site: str) -> None:
    browser.open(typed(site, beside="contextual"))
    assert browser.one(".comparison h2").text == (
        "forest and fake 1 link in both, 2 only in forest, 0 only in fake"
    )
    left, right = browser.all(".comparison .column")
    assert left.rect["y"] == right.rect["y"] and left.rect["x"] < right.rect["x"]
    rows = [row.text for row in browser.all(".comparison tr[data-with]")]
    assert rows == ["link forest left went 0.80", "link forest left away 0.40"]
    assert len([one for one in browser.all(".comparison svg .l circle") if one.is_displayed()]) == 2
    browser.hover(browser.all(".comparison tr[data-with]")[0])
    lit_words = {one.get_attribute("data-w") for one in browser.all(".comparison svg [data-w].on")}
    assert lit_words == {"s1", "t1"}
    browser.open(typed(site, beside="contextual"), PHONE)
    left, right = browser.all(".comparison .column")
    assert left.rect["x"] == right.rect["x"] and not browser.is_wider_than_its_window()


def test_the_number_of_alignments_is_chosen_in_the_form(browser: Chromium, site: str) -> None:
    browser.open(typed(site))
    browser.one(".more summary").click()
    browser.run("document.getElementById('alignments').value = 3")
    browser.until_left(browser.one("form button").click)
    shown = [one for one in browser.all(".choice button") if one.is_displayed()]
    assert [one.text for one in shown] == ["Best", "Alternative 2", "Alternative 3"]
    assert len([one for one in browser.all("svg") if one.is_displayed()]) == 1


def test_pairs_of_a_file_are_looked_for(browser: Chromium, site: str) -> None:
    browser.open(f"{site}/pairs")
    browser.press("/")
    browser.until_left(lambda: browser.press("number 2", "\n"))
    assert browser.texts(".side")[::2] == ["number 2", *(f"number {k}" for k in range(20, 26))]
    browser.open(f"{site}/pairs?show=errors")
    assert browser.texts("h2") == ["Pair 5"] and "not JSON" in browser.one(".error").text
    assert browser.messages() == []


def test_keys_lead_from_pair_to_pair_and_from_page_to_page(browser: Chromium, site: str) -> None:
    browser.open(f"{site}/pairs")
    focused = "return document.activeElement.dataset.name"
    browser.press("j", "j", "j", "k")
    assert browser.run(focused) == "2"
    browser.press("t")
    assert all(one.get_attribute("open") for one in browser.all("details:has(> .picture)"))
    browser.until_left(lambda: browser.press("n"))
    assert browser.driver.current_url.endswith("first=11") and browser.texts(".side")[0] == "number 11"
    browser.until_left(lambda: browser.press("p"))
    assert browser.driver.current_url.endswith("first=1")
    browser.one("#find").send_keys("jnp")
    assert browser.one("#find").get_attribute("value") == "jnp"


def test_of_several_alignments_one_is_chosen(browser: Chromium, tmp_path: Path) -> None:
    others = tuple(he_left(log_probability=-float(k)) for k in (2, 3))
    (tmp_path / "page.html").write_text(
        to_html([he_left(alternatives=others, log_probability=-1.0), he_left()]), encoding="utf-8"
    )
    browser.open((tmp_path / "page.html").as_uri())
    shown = [one.text for one in browser.all("h2") if one.is_displayed()]
    assert shown == []
    buttons = [one for one in browser.all(".choice button") if one.is_displayed()]
    assert [one.text for one in buttons] == ["Best", "Alternative 2", "Alternative 3"]
    buttons[2].click()
    shown = [one.text for one in browser.all("h2") if one.is_displayed()]
    assert shown == ["Alternative 3"]
