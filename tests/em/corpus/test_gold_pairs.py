"""Pairs with gold links: which links are learned from, and what is kept of the sentences."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.alignment import Links
from forest_align.data.formats.format import SentencePair
from forest_align.em.corpus.gold_pairs import read_gold_files, read_gold_pairs
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Sentence

WORDS = ("she sold her house", "she sold her home")


class FlatParser:
    """Gives every sentence a flat tree and vectors."""

    def parse_many(self, texts: Sequence[Sequence[str]]) -> list[Sentence | InputError]:
        return [self._parse(words) for words in texts]

    def _parse(self, words: Sequence[str]) -> Sentence | InputError:
        if "unreadable" in words:
            return InputError("no tree for these words")
        tree = f"(S {' '.join(f'(NN {word})' for word in words)})"
        vectors = np.ones((len(words), 4), np.float32)
        return replace(sentence_from_bracket(tree, lemmatizer=load_lexicon().lemma), vectors=vectors)


@pytest.fixture(autouse=True)
def flat_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser_for_alignment", lambda *args, **options: FlatParser()
    )


def jacana(path: Path, *links: tuple[str, str]) -> str:
    """A file of pairs with these sure and possible links."""
    source, target = WORDS
    common = {"source": source, "target": target}
    pairs = [
        {**common, "id": str(k), "name": str(k), "sureAlign": sure, "possibleAlign": possible}
        for k, (sure, possible) in enumerate(links)
    ]
    path.write_text(json.dumps(pairs))
    return str(path)


def pair(links: Links | None, *texts: str) -> SentencePair:
    return SentencePair("1", *(Sentence.from_words(text.split()) for text in texts or WORDS), links=links)


def test_a_file_of_possible_links_alone_is_refused_unless_they_are_wanted(tmp_path: Path) -> None:
    sure = jacana(tmp_path / "sure.json", ("0-0 1-1", ""))
    possible = jacana(tmp_path / "possible.json", ("", "0-0"), ("", ""), ("", "1-1"))
    with pytest.raises(InputError, match=r"^[^:]*possible\.json: expected sure links, .* --links all"):
        read_gold_files([sure, possible])
    assert len(read_gold_files([sure, possible], links="all")) == 4


def test_single_pairs_of_possible_links_and_files_without_any_link_are_left_as_they_are(
    tmp_path: Path,
) -> None:
    mixed = jacana(tmp_path / "mixed.json", ("", "0-0"), ("2-2", "0-0"))
    unaligned = jacana(tmp_path / "unaligned.json", ("", ""))
    broken = tmp_path / "broken.tsv"
    broken.write_text("one column\na\tb\n")
    raw = read_gold_files([mixed, unaligned, str(broken)])
    assert [isinstance(one, InputError) for one in raw] == [False] * 3 + [True, False]
    found, problems = read_gold_pairs(raw)
    assert [one.links.pairs for one in found] == [(), ((2, 2),), ()]
    assert len(problems) == 2 and "broken.tsv:1" in problems[0] and "no" in problems[1]


@pytest.mark.parametrize(("links", "which"), [("sure", "sure gold link"), ("all", "gold link")])
def test_pairs_without_any_link_teach_nothing(links: str, which: str) -> None:
    with pytest.raises(InputError, match=f"at least one {which} to learn from, found none"):
        read_gold_pairs([pair(Links.of([]))], links=links)
    assert read_gold_pairs([pair(None)], links=links)[0] == []


@pytest.mark.parametrize("whole", [False, True])
def test_forests_and_vectors_are_kept_where_they_are_asked_for(whole: bool) -> None:
    (found,), _ = read_gold_pairs([pair(Links.of([(0, 0)]))], whole=whole)
    for side in (found.source, found.target):
        assert (side.forest is not None, side.vectors is not None) == (whole, whole)
        assert side.tokens[1].lemma


def test_pairs_that_cannot_be_parsed_or_checked_are_told_and_the_rest_stays_in_order() -> None:
    links = Links.of([(0, 0)])
    pairs = [
        pair(links, "a b", "unreadable"),
        pair(links, "", "a"),
        pair(links, "one", "two"),
        pair(Links.of([(0, 7)])),
        pair(links, "three", "four"),
    ]
    found, problems = read_gold_pairs(pairs)
    assert [(one.source.words, one.target.words) for one in found] == [
        (("one",), ("two",)),
        (("three",), ("four",)),
    ]
    assert len(problems) == 3 and all("pair '1'" in problem for problem in problems)
