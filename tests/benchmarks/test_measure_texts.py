"""The scripts that measure texts of several sentences, on a treebank of four sentences and two pairs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import measure_texts
import pytest

from forest_align.types import Node, Sentence

TREES = """( (NP (NN Weather)) )
( (S (NP (PRP It)) (VP (VBD rained) (PP (IN in) (NP (DT the) (NNP U.S.)))) (. .)) )
( (S (NP (NNP Mr.) (NNP Fox)) (VP (VBD left)) (. .)) )
( (S (NP (PRP We)) (VP (VBD stayed)) (. .)) )
"""


@pytest.fixture
def gum(tmp_path: Path) -> Path:
    (tmp_path / "splits.md").write_text("## dev\n\n  * GUM_news_rain\n", encoding="utf-8")
    (tmp_path / "GUM_news_rain.ptb").write_text(TREES, encoding="utf-8")
    return tmp_path


def cells(line: str) -> list[str]:
    return line.strip("| ").split(" | ")


def test_trees_of_texts_are_compared_in_three_ways(gum: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure_texts.main(["--gum", str(gum), "--join", "2"])
    lines = [cells(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0][0] == "2 texts of 2 sentences"
    assert [line[0] for line in lines[2:]] == ["as one", "by sentences", "cut, at gold boundaries"]
    f1 = [float(line[3]) for line in lines[2:]]
    assert 0 < f1[0] < f1[1] <= 100


def test_pairs_of_texts_are_aligned_in_both_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "He left . She stayed .", "She stayed , he left ."
    one = "He left .", "He left ."
    rows = [
        f"{name}\t{a}\tN/A\t{b}\tN/A\t1\t1\t{links}\t"
        for name, (a, b), links in (("1", words, "0-3 1-4 3-0 4-1 5-5"), ("2", one, "0-0 1-1 2-2"))
    ]
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    measure_texts.main(["--pairs", str(path)])
    lines = [cells(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0][0] == "1 pairs"
    assert [line[0] for line in lines[2:]] == ["as one", "by sentences"]
    assert lines[3][8] == "0" and float(lines[3][1]) > 50


def test_joins_of_whole_sentences_do_not_cross_a_boundary() -> None:
    tokens = Sentence.from_words("a . b . c .".split()).tokens  # noqa: SIM905
    sides = Sentence(tokens, starts=(2, 4)), Sentence(tokens)
    spans = [
        ((0, 2), (0, 3)),
        ((2, 6), (1, 2)),
        ((0, 6), (0, 6)),
        ((0, 3), (0, 1)),
        ((1, 4), (0, 4)),
        ((4, 5), (0, 1)),
    ]
    phrases = [
        SimpleNamespace(source_node=Node(*first, "X"), target_node=Node(*second, "X"))
        for first, second in spans
    ]
    assert measure_texts.crossing(SimpleNamespace(phrases=phrases), sides) == 2  # type: ignore[arg-type]
