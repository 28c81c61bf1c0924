"""The preparation of a corpus: truecased, names collapsed, links moved, ready for training."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import published_corpus
import pytest

from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.types import Sentence


class Tagger:
    def parse_many(self, sentences: Sequence[Sequence[str]], batch_size: int = 32) -> Iterator[Sentence]:
        for words in sentences:
            yield Sentence.from_words(words, ["NNP" if word[0].isupper() else "NN" for word in words])


def test_a_corpus_is_prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("forest_align.parsing.load_parser", lambda **_: Tagger())
    pairs = [
        ("The Bank of Holland lent money", "in the Bank of Holland", "0-1 1-2 2-3 3-4"),
        ("Money of the bank", "money", "0-0"),
    ]
    corpus = [
        {"id": str(k), "name": "", "source": one, "target": other, "sureAlign": links, "possibleAlign": ""}
        for k, (one, other, links) in enumerate(pairs)
    ]
    (tmp_path / "gold.json").write_text(json.dumps(corpus))
    published_corpus.main([str(tmp_path / "gold.json"), "-o", str(tmp_path / "made.json")])
    made = [pair for pair in read_pairs(tmp_path / "made.json") if isinstance(pair, SentencePair)]
    assert [(" ".join(p.source.words), " ".join(p.target.words)) for p in made] == [
        ("the Bank_of_Holland lent money", "in the Bank_of_Holland"),
        ("money of the bank", "money"),
    ]
    assert [p.links.to_pharaoh() for p in made if p.links] == ["0-1 1-2", "0-0"]
    assert capsys.readouterr().out == "2 pairs, 4 words joined to names\n"
