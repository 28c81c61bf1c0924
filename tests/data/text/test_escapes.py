"""Text as Moses's tools write it: escapes are replaced, and links still hold."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from forest_align.cli import main
from forest_align.cli.parse_inputs import READERS, open_input
from forest_align.data.formats.format import PairError
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.data.text.raw_text import unescape_text, unescape_token
from forest_align.parsing.tokenize import tokenize
from forest_align.types import InputError

ESCAPED = "It &apos;s a well @-@ known &quot; A &amp; B &quot; , 10 @,@ 000 &#91; &#124; &lt; &gt; &#93; @-@"
PLAIN = 'It \'s a well-known " A & B " , 10,000 [ | < > ] -'


def good(path: Path, **options: object) -> list[SentencePair]:
    pairs = list(read_pairs(path, **options))  # type: ignore[arg-type]
    assert all(isinstance(pair, SentencePair) for pair in pairs)
    return pairs  # type: ignore[return-value]


def test_escapes_of_a_text_and_of_tokens_are_replaced() -> None:
    assert unescape_text(ESCAPED) == PLAIN
    words = [unescape_token(word) for word in ESCAPED.split()]
    assert " ".join(words) == 'It \'s a well - known " A & B " , 10 , 000 [ | < > ] -'
    assert unescape_text("&amp;lt; a@b@c x @home@ y") == "&lt; a@b@c x @home@ y"


def test_raw_text_is_read_without_escapes_and_split_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(f"{ESCAPED}\tIt &apos;s\n")
    (pair,) = good(path, escapes="moses")
    assert (pair.source.text, pair.target.text) == (PLAIN, "It 's")
    assert [token.text for token in tokenize(pair.source.text)][:4] == ["It", "'s", "a", "well-known"]
    (unchanged,) = good(path)
    assert unchanged.source.text == ESCAPED


def test_tokens_stay_as_many_so_that_links_hold(tmp_path: Path) -> None:
    (tmp_path / "a.pharaoh").write_text("0-0 1-1 2-2\n")
    (tmp_path / "a.tsv").write_text("well @-@ known\twell @-@ known &apos;s\n")
    (pair,) = good(tmp_path / "a.pharaoh", escapes="moses")
    assert (pair.source.words, pair.target.words) == (("well", "-", "known"), ("well", "-", "known", "'s"))
    assert pair.source.text == "well - known" and pair.links is not None and len(pair.links) == 3
    assert [(token.start, token.end) for token in pair.target.tokens] == [(0, 4), (5, 6), (7, 12), (13, 15)]
    (split,) = good(tmp_path / "a.tsv", escapes="moses", tokenized=True)
    assert split.source.words == pair.source.words


def test_a_pair_with_trees_is_broken_and_unknown_escapes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.trees"
    path.write_text("(S (NN a))\t(S (NN b))\n")
    (broken,) = read_pairs(path, escapes="moses")
    assert isinstance(broken, PairError) and str(broken).startswith(
        f"{path}:1: escapes are replaced in texts"
    )
    with pytest.raises(InputError, match="unknown escapes 'html'; expected one of: moses"):
        list(read_pairs(path, escapes="html"))


def test_commands_replace_escapes_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("well @-@ known\tit &apos;s\n")
    assert main(["convert", str(path), "-", "--to", "tsv", "--escapes", "moses"]) == 0
    assert capsys.readouterr().out == "well-known\tit 's\t1\n"
    tree = tmp_path / "a.mrg"
    tree.write_text("(S (NN a))\n")
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
    options = argparse.Namespace(
        device="cpu",
        tokenized=tokenized,
        escapes="moses",
        to="json",
        k=1,
        parser="en",
        batch_size=1,
        workers=1,
    )
    with open_input("well @-@ known &apos;s") as source:
        list(READERS["text"](source, options, lambda items: items))
    assert seen == [expected]
