"""The scripts around the link model that misspell words and that compare annotators."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import annotator_agreement
import measure_misspellings
import pytest

from forest_align.alignment import Links
from forest_align.data.pairs import SentencePair
from forest_align.em.contextual import misspellings
from forest_align.types import Sentence


def one_mistake(word: str) -> set[str]:
    """All words that one mistake makes of a word; its first and last letters stay."""
    found = set()
    for at in range(1, len(word) - 2):
        before, letter, following, after = word[:at], word[at], word[at + 1], word[at + 2 :]
        found |= {before + following + letter + after, before + following + after}
        found |= {before + letter + letter + following + after}
        found |= {before + other + following + after for other in "abcdefghijklmnopqrstuvwxyz"}
    return found


@pytest.mark.parametrize("word", ["house", "mountain"])
def test_a_misspelled_word_has_one_of_four_mistakes_at_any_place_inside(word: str) -> None:
    chance = random.Random(0)
    found = {misspellings.misspelled_word(word, chance) for _ in range(20000)}
    assert found == one_mistake(word)


def test_one_word_of_a_sentence_is_misspelled_if_it_is_long_enough() -> None:
    can_be = misspellings.can_be_misspelled
    assert [can_be(word) for word in ("house", "cats", "e-mail", "cafés", "1990s")] == [True] + [False] * 4
    words, chance, changed = ("the", "house", "was", "sold", "again", "!"), random.Random(0), set()
    for _ in range(200):
        found = misspellings.misspelled_sentence(words, chance)
        places = {k for k, (one, two) in enumerate(zip(words, found, strict=True)) if one != two}
        assert len(places) <= 1
        changed |= places
    assert changed == {1, 4}
    assert misspellings.misspelled_sentence(("a", "cat"), chance) == ("a", "cat")


def pair_of(source: str, target: str, links: dict[tuple[int, int], bool]) -> SentencePair:
    both = (Sentence.from_words(side.split()) for side in (source, target))
    return SentencePair("1", *both, links=Links(tuple(links), tuple(links.values())))


PAIRS = [
    pair_of(
        "the house burned", "house the old burned", {(0, 1): True, (1, 0): True, (2, 0): True, (2, 3): False}
    ),
    pair_of("the houses", "the house", {(0, 0): True, (1, 1): True}),
    pair_of("a mountain", "some mountain", {(0, 1): True, (1, 1): True}),
]


def test_words_are_misspelled_that_have_an_equal_partner_which_is_sure() -> None:
    for seed in range(8):
        found = list(measure_misspellings.misspellings(PAIRS, seed))
        assert [(case.word, case.gold) for case in found] == [(0, {1, 2}), (1, {0, 1})]
        for case, pair in zip(found, (PAIRS[0], PAIRS[2]), strict=True):
            before, after = pair.target.words, case.target.words
            assert [k for k, words in enumerate(zip(before, after, strict=True)) if len(set(words)) > 1] == [
                case.word
            ]
            assert case.source is pair.source


class Told:
    """An aligner that has been told its links; only those of the misspelled words count."""

    def align_many(self, pairs: Any) -> Iterator[Any]:
        links = [(0, 0), (1, 0), (2, 1), (2, 3)], [(0, 1), (1, 0)]
        for _, pair in zip(pairs, links, strict=True):
            yield SimpleNamespace(words=Links.of(pair))


def measure(monkeypatch: pytest.MonkeyPatch, pairs: list[SentencePair]) -> None:
    script = measure_misspellings
    monkeypatch.setattr(script.ContextualAligner, "load", lambda name: Told())
    monkeypatch.setattr(script, "read_pairs", lambda path: iter(pairs))
    monkeypatch.setattr(sys, "argv", ["measure_misspellings.py", "FILE"])
    script.main()


def test_precision_and_recall_are_of_the_links_of_misspelled_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(monkeypatch, PAIRS)
    # Found 0 and 1 of {1, 2}, and 0 of {0, 1}: 2 of 3 are right, 2 of 4 are found.
    assert capsys.readouterr().out == "2 misspelled words: precision 66.7, recall 50.0\n"


def test_without_a_word_to_misspell_there_is_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="expected pairs with gold links between equal words, found none"):
        measure(monkeypatch, PAIRS[1:2])
    bare = SentencePair("1", PAIRS[0].source, PAIRS[0].target)
    with pytest.raises(SystemExit, match="expected pairs with gold links between equal words, found none"):
        measure(monkeypatch, [bare])


def test_annotators_are_compared_two_by_two(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = {"A": "1|2", "B": "1|", "C": "|2"}
    for name, marks in versions.items():
        one, two = marks.split("|")
        text = f"# sentence pair 1\na b \nNULL ({{ / / }}) a ({{ {one} / / }}) b ({{ {two} / / }}) \n"
        # The second pair is left out: an annotator has another word in it.
        last = "c ({ 1 / / }) d ({ / / })" if name == "C" else "c ({ 1 / / })"
        text += f"# sentence pair 2\nc \nNULL ({{ / / }}) {last} \n"
        (tmp_path / f"RTE2_dev_{name}.align.txt").write_text(text)
    items = ['{"id": "1", "source": "a b", "target": "a b", "sureAlign": "0-0 1-1", "possibleAlign": ""}']
    items += ['{"id": "2", "source": "c", "target": "c", "sureAlign": "0-0", "possibleAlign": ""}']
    (tmp_path / "dev.majority.json").write_text(f"[{', '.join(items)}]")
    monkeypatch.setattr(sys, "argv", ["annotator_agreement.py", str(tmp_path), "dev"])
    annotator_agreement.main()
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "1 pairs"
    assert "| B against A | 100.0 | 50.0 | 66.7 | 0.0 |" in out
    assert "| C against B | 0.0 | 0.0 | 0.0 | 0.0 |" in out
    assert "| majority against A | 100.0 | 100.0 | 100.0 | 100.0 |" in out
    assert "| majority against C | 50.0 | 100.0 | 66.7 | 0.0 |" in out
    assert len(out) == 4 + 6
