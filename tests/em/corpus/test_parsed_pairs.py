"""The parsing of pairs that all trainers share, and which gold links are learned from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forest_align.alignment import Links
from forest_align.data.formats.format import SentencePair
from forest_align.em.corpus.parsed_pairs import (
    ParsedPair,
    parse_pairs,
    prepare_pairs,
    read_gold_files,
    read_gold_pairs,
)
from forest_align.types import InputError, Sentence


def parse_many(texts: Sequence[list[str]]) -> list[Sentence | InputError]:
    return [
        InputError("too long") if len(words) > 2 else Sentence.from_words(words, ["X"] * len(words))
        for words in texts
    ]


def pair(id: str, source: str, target: str, tree: str = "") -> SentencePair:
    sides = (Sentence.from_words(text.split()) for text in (source, target))
    return SentencePair(id, *sides, source_trees=((tree, 0.0),) if tree else (), place=("f.tsv", 7))


PAIRS = [
    pair("1", "a b", "c"),
    InputError("no columns", file="f.tsv", line=3),
    pair("2", "a", "c d e"),
    pair("3", "won", "a", tree="(S (VBD won))"),
    pair("4", "lost", "a", tree="(S (VBD won))"),
]


def test_there_is_a_parse_or_an_error_for_each_pair_in_order() -> None:
    reported: list[int] = []
    pairs = parse_pairs(PAIRS, parse_many, None, "toy", given_trees=True, report=reported.append)
    assert [str(one) if isinstance(one, InputError) else one.pair.id for one in pairs] == [
        "1",
        "f.tsv:3: no columns",
        "f.tsv:7: pair '2': too long",
        "3",
        "f.tsv:7: pair '4': field 'source tree': "
        "expected a tree over the tokens 'lost', found one over 'won'",
    ]
    first, third = (one for one in pairs if isinstance(one, ParsedPair))
    assert (first.source.tags, first.given_forests) == (("X", "X"), "")
    assert (third.source.tags, third.target.tags) == (("VBD",), ("X",)) and third.given_forests
    assert sum(reported) == 6


def test_sentences_with_forests_are_prepared_apart() -> None:
    def prepare(given: Sequence[Sentence]) -> list[Sentence | InputError]:
        assert [sentence.words for sentence in given] == [("won",)]
        return [InputError("no room")]

    pairs = parse_pairs(PAIRS[3:4], parse_many, None, "toy", given_trees=True, prepare_given=prepare)
    assert str(pairs[0]) == "f.tsv:7: pair '3': no room"


def test_pairs_that_cannot_be_prepared_are_named_with_the_others() -> None:
    def prepare(pair: ParsedPair) -> str:
        if pair.pair.id == "1":
            raise InputError("no links")
        return pair.pair.id

    ticks: list[int] = []
    made, problems = prepare_pairs(parse_pairs(PAIRS[:4], parse_many, None, "toy"), prepare, ticks.append)
    assert made == ["3"] and ticks == [1, 1, 1, 1]
    assert problems == [
        "f.tsv:7: pair '1': no links",
        "f.tsv:3: no columns",
        "f.tsv:7: pair '2': too long",
    ]


def jacana(path: Path, *links: tuple[str, str]) -> str:
    """A file of pairs with these sure and possible links."""
    common = {"source": "she sold her house", "target": "she sold her home"}
    pairs = [
        {**common, "id": str(number), "name": str(number), "sureAlign": sure, "possibleAlign": possible}
        for number, (sure, possible) in enumerate(links)
    ]
    path.write_text(json.dumps(pairs))
    return str(path)


def linked(links: Links | None, source: str = "she left", target: str = "she went") -> SentencePair:
    return SentencePair("1", *(Sentence.from_words(text.split()) for text in (source, target)), links=links)


def test_a_file_of_possible_links_alone_is_refused_unless_they_are_wanted(tmp_path: Path) -> None:
    sure = jacana(tmp_path / "sure.json", ("0-0 1-1", ""))
    possible = jacana(tmp_path / "possible.json", ("", "0-0"), ("", ""), ("", "1-1"))
    with pytest.raises(InputError, match=r"^[^:]*possible\.json: expected sure links, .* --links all"):
        read_gold_files([sure, possible])
    assert len(read_gold_files([sure, possible], links="all")) == 4


def test_single_pairs_of_possible_links_and_files_without_any_link_are_left_as_they_are(
    tmp_path: Path, parser: Any
) -> None:
    mixed = jacana(tmp_path / "mixed.json", ("", "0-0"), ("2-2", "0-0"))
    unaligned = jacana(tmp_path / "unaligned.json", ("", ""))
    broken = tmp_path / "broken.tsv"
    broken.write_text("one column\na\tb\n")
    raw = read_gold_files([mixed, unaligned, str(broken)])
    assert [isinstance(pair, InputError) for pair in raw] == [False] * 3 + [True, False]
    pairs, problems = read_gold_pairs(raw)
    assert [pair.links.pairs for pair in pairs] == [(), ((2, 2),), ()]
    assert len(problems) == 2 and "broken.tsv:1" in problems[0] and "no" in problems[1]


@pytest.mark.parametrize(("links", "which"), [("sure", "sure gold link"), ("all", "gold link")])
def test_pairs_without_any_link_teach_nothing(links: str, which: str) -> None:
    with pytest.raises(InputError, match=f"at least one {which} to learn from, found none"):
        read_gold_pairs([linked(Links.of([]))], links=links)
    assert read_gold_pairs([linked(None)], links=links)[0] == []


@pytest.mark.parametrize("whole", [False, True])
def test_forests_and_vectors_are_kept_where_they_are_asked_for(whole: bool, parser: Any) -> None:
    (pair,), _ = read_gold_pairs([linked(Links.of([(0, 0)]))], whole=whole)
    for side in (pair.source, pair.target):
        assert (side.forest is not None, side.vectors is not None) == (whole, whole)
        assert side.tokens[1].lemma


def test_pairs_that_cannot_be_parsed_or_checked_are_told_and_the_rest_stays_in_order(parser: Any) -> None:
    links = Links.of([(0, 0)])
    texts = (("a b", "unreadable"), ("", "a"), ("one", "two"), ("three", "four"))
    given = [linked(Links.of([(0, 7)])), *(linked(links, *pair) for pair in texts)]
    pairs, problems = read_gold_pairs(given)
    assert [(pair.source.words, pair.target.words) for pair in pairs] == [
        (("one",), ("two",)),
        (("three",), ("four",)),
    ]
    assert len(problems) == 3 and all("pair '1'" in problem for problem in problems)
