"""Raw text of pairs: escapes of markup, and tokens found in their text."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from forest_align.cli import main
from forest_align.cli.parse_inputs import READERS, open_input
from forest_align.data.formats.format import PairError
from forest_align.data.pairs import SentencePair, write_pairs
from forest_align.data.text.raw_text import unescape_text, unescape_token, with_raw_text
from forest_align.parsing.tokenize import tokenize
from forest_align.types import InputError, Sentence

from ..pair_files import good, read, written


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
TOKENS = {"tokens": ["He", "died", "."]}
GIVEN = pytest.mark.parametrize("given", [TREE, {"trees": [[TREE["tree"], -0.5]]}, TOKENS, TREE | TOKENS])
VERSION = pytest.mark.parametrize("version", [{}, {"version": 1, "words": [], "phrases": []}])


@GIVEN
@VERSION
def test_raw_text_beside_trees_or_tokens_is_kept_with_offsets(
    given: dict[str, Any], version: dict[str, Any], tmp_path: Path
) -> None:
    # A line with a version always has tokens.
    side = {"text": "He died."} | given | (TOKENS if version else {})
    (pair,) = good(read(tmp_path, json.dumps({"source": side, "target": side} | version)))
    for sentence in (pair.source, pair.target):
        assert (sentence.text, sentence.words) == ("He died.", ("He", "died", "."))
        assert [(token.start, token.end) for token in sentence.tokens] == [(0, 2), (3, 7), (7, 8)]
    write_pairs([pair], tmp_path / "again.jsonl")
    again = json.loads((tmp_path / "again.jsonl").read_text())
    assert (again["source"]["text"], again["target"]["offsets"][2]) == ("He died.", [7, 8])


@GIVEN
@VERSION
@pytest.mark.parametrize("side", ["source", "target"])
def test_raw_text_of_other_words_is_an_error_of_its_pair(
    given: dict[str, Any], version: dict[str, Any], side: str, tmp_path: Path
) -> None:
    whole = TOKENS | {"text": "He died."}
    bad = {"text": "Something else."} | given | (TOKENS if version else {})
    line = {"id": "p7", "source": whole, "target": whole, side: bad} | version
    lines = (line, {"source": whole, "target": whole})
    first, second = read(tmp_path, "".join(json.dumps(line) + "\n" for line in lines))
    assert isinstance(first, PairError) and isinstance(second, SentencePair)
    assert (first.id, first.line, first.field) == ("p7", 1, f"{side}.text")
    assert getattr(first, side) == "Something else."


ESCAPED = "It &apos;s a well @-@ known &quot; A &amp; B &quot; , 10 @,@ 000 &#91; &#124; &lt; &gt; &#93; @-@"
PLAIN = 'It \'s a well-known " A & B " , 10,000 [ | < > ] -'


def test_escapes_of_a_text_and_of_tokens_are_replaced() -> None:
    assert unescape_text(ESCAPED) == PLAIN
    words = [unescape_token(word) for word in ESCAPED.split()]
    assert " ".join(words) == 'It \'s a well - known " A & B " , 10 , 000 [ | < > ] -'
    assert unescape_text("&amp;lt; a@b@c x @home@ y") == "&lt; a@b@c x @home@ y"


def test_raw_text_is_read_without_escapes_and_split_like_any_other(tmp_path: Path) -> None:
    content = f"{ESCAPED}\tIt &apos;s\n"
    (pair,) = good(read(tmp_path, content, escapes="moses"))
    assert (pair.source.text, pair.target.text) == (PLAIN, "It 's")
    assert [token.text for token in tokenize(pair.source.text)][:4] == ["It", "'s", "a", "well-known"]
    (unchanged,) = good(read(tmp_path, content))
    assert unchanged.source.text == ESCAPED


def test_tokens_stay_as_many_so_that_links_hold(tmp_path: Path) -> None:
    content = "well @-@ known\twell @-@ known &apos;s\n"
    (split,) = good(read(tmp_path, content, name="a.tsv", escapes="moses", tokenized=True))
    (pair,) = good(read(tmp_path, "0-0 1-1 2-2\n", name="a.pharaoh", escapes="moses"))
    assert (pair.source.words, pair.target.words) == (("well", "-", "known"), ("well", "-", "known", "'s"))
    assert pair.source.text == "well - known" and pair.links is not None and len(pair.links) == 3
    assert [(token.start, token.end) for token in pair.target.tokens] == [(0, 4), (5, 6), (7, 12), (13, 15)]
    assert split.source.words == pair.source.words


def test_a_pair_with_trees_is_broken_and_unknown_escapes_are_refused(tmp_path: Path) -> None:
    content = "(S (NN a))\t(S (NN b))\n"
    (broken,) = read(tmp_path, content, escapes="moses")
    assert isinstance(broken, PairError)
    assert str(broken).startswith(f"{tmp_path / 'file'}:1: escapes are replaced in texts")
    with pytest.raises(InputError, match="unknown escapes 'html'; expected one of: moses"):
        read(tmp_path, content, escapes="html")


def test_commands_replace_escapes_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "a.tsv", "well @-@ known\tit &apos;s\n")
    assert main(["convert", str(path), "-", "--to", "tsv", "--escapes", "moses"]) == 0
    assert capsys.readouterr().out == "well-known\tit 's\t1\n"
    tree = written(tmp_path / "a.mrg", "(S (NN a))\n")
    assert main(["parse", str(tree), "--escapes", "moses"]) == 2
    assert "--escapes is for text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tokenized", "expected"), [(False, "well-known 's"), (True, ["well", "-", "known", "'s"])]
)
def test_sentences_to_parse_are_read_without_escapes(
    tokenized: bool, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    class Watched:
        def parse_many(self, sentences: object, *_: object) -> list[object]:
            seen.extend(sentences)  # type: ignore[call-overload]
            return []

    monkeypatch.setattr("forest_align.parsing.load_parser", lambda *_, **__: Watched())
    settings = {"device": "cpu", "to": "json", "k": 1, "parser": "en", "batch_size": 1, "workers": 1}
    options = argparse.Namespace(tokenized=tokenized, escapes="moses", **settings)
    with open_input("well @-@ known &apos;s") as source:
        list(READERS["text"](source, options, lambda items: items))
    assert seen == [expected]
