"""Files of benchmarks that are not what they should be."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.benchmarks.task import Files
from forest_align.types import InputError


def test_another_version_with_other_sentences_is_refused_by_file_and_pair(tmp_path: Path) -> None:
    paths = [tmp_path / "a.tsv", tmp_path / "b.tsv", tmp_path / "c.tsv"]
    line = "{}\ta\tN/A\t{}\tN/A\t1\t1\t\t\n"
    paths[0].write_text(line.format(1, "b") + line.format(2, "c"))
    paths[1].write_text(line.format(1, "b") + line.format(2, "d"))
    paths[2].write_text(line.format(1, "b"))
    files = Files(paths)
    for other in (1, 2):
        with pytest.raises(InputError, match=f"{paths[other].name}: .* pair 2 differs"):
            files.version(other, files.pairs())
    assert [pair.id for pair in files.version(0, files.pairs())] == ["1", "2"]


def trees_file(tmp_path: Path, *trees: str) -> Path:
    path = tmp_path / "trees.xml.gz"
    text = "".join(f'<tree style="penn">{tree}</tree>\n' for tree in trees)
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_constituents_are_read_with_words_that_are_brackets(tmp_path: Path) -> None:
    path = trees_file(tmp_path, "(ROOT (NP (DT a) (JJ ()\n (NN b&amp;c) (-RRB- ))))")
    parses = StanfordParses.read(path)
    assert parses.constituents() == [(4, [(0, 1), (0, 4), (1, 2), (2, 3), (3, 4)])]
    assert parses.brackets() == ["(ROOT (NP (DT a) (JJ -LRB-)\n (NN b&c) (-RRB- -RRB-)))"]


@pytest.mark.parametrize(
    ("tree", "problem"),
    [("(NP (NN a)", "a bracket is never closed"), ("(NP (NN a)))", "closing bracket without an opening one")],
)
def test_brackets_that_do_not_match_name_the_tree(tree: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"trees\.xml\.gz: tree 2: {problem}"):
        StanfordParses.read(trees_file(tmp_path, "(NN a)", tree)).constituents()


def test_a_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    path = trees_file(tmp_path, "(NN a)")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot decompress"):
        StanfordParses.read(path)
