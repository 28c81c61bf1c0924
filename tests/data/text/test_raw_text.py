"""Raw text beside tokens or trees: kept with offsets where it is of the same words, else an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forest_align.data.formats.format import PairError
from forest_align.data.pairs import SentencePair, read_pairs, write_pairs
from forest_align.data.text.raw_text import with_raw_text
from forest_align.types import InputError, Sentence


@pytest.mark.parametrize(
    ("text", "words", "offsets"),
    [
        ("He died.", ["He", "died", "."], [(0, 2), (3, 7), (7, 8)]),
        (" (He) ", ["-LRB-", "He", "-RRB-"], [(1, 2), (2, 4), (4, 5)]),
        ("-LRB- He", ["-LRB-", "He"], [(0, 5), (6, 8)]),
        ('"No"', ["``", "No", "''"], [(0, 1), (1, 3), (3, 4)]),
        ("\u201cIt\u2019s\u201d", ["``", "It", "'s", "''"], [(0, 1), (1, 3), (3, 5), (5, 6)]),
        ("``No''", ["``", "No", "''"], [(0, 2), (2, 4), (4, 6)]),
        ("1/2 *", ["1\\/2", "\\*"], [(0, 3), (4, 5)]),
        ("New  York", ["New York"], [(0, 9)]),
        ("In İzmir IT rains", ["in", "İzmir", "it", "rains"], [(0, 2), (3, 8), (9, 11), (12, 17)]),
        ("In İzmir", ["in", "i\u0307zmir"], [(0, 2), (3, 8)]),
        ("i\u0307zmir", ["İzmir"], [(0, 6)]),
        ("Cafe\u0301s, ja", ["Cafés", ",", "ja"], [(0, 6), (6, 7), (8, 10)]),
        ("Cafés, ja", ["cafe\u0301s", ",", "ja"], [(0, 5), (5, 6), (7, 9)]),
        ("a\u0307\u0323b ạ\u0307", ["a\u0323\u0307b", "a\u0307\u0323"], [(0, 4), (5, 7)]),
        ("ΟΔΟΣ Straße", ["οδος", "STRASSE"], [(0, 4), (5, 11)]),
        ("각 x", ["\u1100\u1161\u11a8", "x"], [(0, 1), (2, 3)]),
        ("New York", ["New", "\u00a0", "York"], [(0, 3), (4, 4), (4, 8)]),
    ],
)
def test_tokens_are_found_in_their_text(text: str, words: list[str], offsets: list[tuple[int, int]]) -> None:
    found = with_raw_text(Sentence.from_words(words, ["X"] * len(words)), text, "text")
    assert (found.text, list(found.words), found.tags[0]) == (text, words, "X")
    assert [(token.start, token.end) for token in found.tokens] == offsets


@pytest.mark.parametrize("text", ["He", "He died. Then", "Something else", "", "Hedied"])
def test_a_text_of_other_words_is_an_error_that_names_its_field(text: str) -> None:
    with pytest.raises(InputError, match=r"expected the text of the tokens 'He died \.', found ") as found:
        with_raw_text(Sentence.from_words(["He", "died", "."]), text, "source.text")
    assert found.value.field == "source.text"


TREE = {"tree": "(S (NP (PRP He)) (VP (VBD died)) (. .))"}
TREES = {"trees": [[TREE["tree"], -0.5]]}
TOKENS = {"tokens": ["He", "died", "."]}


def pairs(path: Path, *lines: dict[str, Any]) -> list[SentencePair | InputError]:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return list(read_pairs(path))


@pytest.mark.parametrize("given", [TREE, TREES, TOKENS, TREE | TOKENS])
@pytest.mark.parametrize("version", [{}, {"version": 1, "words": [], "phrases": []}])
def test_raw_text_beside_trees_or_tokens_is_kept_with_offsets(
    given: dict[str, Any], version: dict[str, Any], tmp_path: Path
) -> None:
    # A line with a version always has tokens.
    side = {"text": "He died."} | given | (TOKENS if version else {})
    (pair,) = pairs(tmp_path / "x.jsonl", {"source": side, "target": side} | version)
    assert isinstance(pair, SentencePair)
    for sentence in (pair.source, pair.target):
        assert (sentence.text, sentence.words) == ("He died.", ("He", "died", "."))
        assert [(token.start, token.end) for token in sentence.tokens] == [(0, 2), (3, 7), (7, 8)]
    write_pairs([pair], tmp_path / "again.jsonl")
    again = json.loads((tmp_path / "again.jsonl").read_text())
    assert (again["source"]["text"], again["target"]["offsets"][2]) == ("He died.", [7, 8])


@pytest.mark.parametrize("given", [TREE, TREES, TOKENS, TREE | TOKENS])
@pytest.mark.parametrize("version", [{}, {"version": 1, "words": [], "phrases": []}])
@pytest.mark.parametrize("side", ["source", "target"])
def test_raw_text_of_other_words_is_an_error_of_its_pair(
    given: dict[str, Any], version: dict[str, Any], side: str, tmp_path: Path
) -> None:
    good = TOKENS | {"text": "He died."}
    bad = {"text": "Something else."} | given | (TOKENS if version else {})
    line = {"id": "p7", "source": good, "target": good, side: bad} | version
    first, second = pairs(tmp_path / "x.jsonl", line, {"source": good, "target": good})
    assert isinstance(first, PairError) and isinstance(second, SentencePair)
    assert (first.id, first.line, first.field) == ("p7", 1, f"{side}.text")
    assert getattr(first, side) == "Something else."
