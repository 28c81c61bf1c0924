"""The parsing of pairs that all trainers, sweeps and benchmarks share."""

from __future__ import annotations

from collections.abc import Sequence

from forest_align.data.formats.format import SentencePair
from forest_align.em.corpus.parsed_pairs import ParsedPair, parse_pairs, prepare_pairs
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
    found = parse_pairs(PAIRS, parse_many, None, "toy", given_trees=True, report=reported.append)
    assert [str(one) if isinstance(one, InputError) else one.pair.id for one in found] == [
        "1",
        "f.tsv:3: no columns",
        "f.tsv:7: pair '2': too long",
        "3",
        "f.tsv:7: pair '4': field 'source tree': "
        "expected a tree over the tokens 'lost', found one over 'won'",
    ]
    first, third = (one for one in found if isinstance(one, ParsedPair))
    assert (first.source.tags, first.given_forests) == (("X", "X"), "")
    assert (third.source.tags, third.target.tags) == (("VBD",), ("X",)) and third.given_forests
    assert sum(reported) == 6


def test_sentences_with_forests_are_prepared_apart() -> None:
    def prepare(given: Sequence[Sentence]) -> list[Sentence | InputError]:
        assert [sentence.words for sentence in given] == [("won",)]
        return [InputError("no room")]

    found = parse_pairs(PAIRS[3:4], parse_many, None, "toy", given_trees=True, prepare_given=prepare)
    assert str(found[0]) == "f.tsv:7: pair '3': no room"


def test_pairs_that_cannot_be_prepared_are_named_with_the_others() -> None:
    def prepare(one: ParsedPair) -> str:
        if one.pair.id == "1":
            raise InputError("no links")
        return one.pair.id

    ticks: list[int] = []
    made, problems = prepare_pairs(parse_pairs(PAIRS[:4], parse_many, None, "toy"), prepare, ticks.append)
    assert made == ["3"] and ticks == [1, 1, 1, 1]
    assert problems == [
        "f.tsv:7: pair '1': no links",
        "f.tsv:3: no columns",
        "f.tsv:7: pair '2': too long",
    ]
