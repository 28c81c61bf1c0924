"""Pairs of Enju trees: a sentence without a tree, several sentences a file, gzipped files."""

from __future__ import annotations

from pathlib import Path

from forest_align.data.formats.format import PairError
from forest_align.data.pairs import FORMATS, SentencePair, read_pairs, write_pairs
from forest_align.parsing.forests.trees import with_given_trees
from forest_align.types import InputError


def sentence(word: str, name: str = "s") -> str:
    return (
        f'<sentence id="{name}" parse_status="success"><cons id="c0" cat="NX" head="t0" sem_head="t0">'
        f'<tok id="t0" cat="N" pos="NNP" base="x">{word}</tok></cons></sentence>\n'
    )


TAGGED = (("DT", "a"), ("-LRB-", "("), ("NN", "cat"))
FAILED = '<sentence id="bad" parse_status="fragmental parse">some words</sentence>\n'


def test_files_of_different_length_are_an_error_that_names_both(tmp_path: Path) -> None:
    (tmp_path / "s-1.xml").write_text(sentence("a"))
    (tmp_path / "t-1.xml").write_text(sentence("a") * 2)
    (found,) = read_pairs(tmp_path / "s-1.xml")
    assert str(found).startswith(
        f"{tmp_path / 's-1.xml'}: expected as many sentences as there are targets, 2 in"
    )


def test_a_sentence_without_a_tree_keeps_its_name_and_text(tmp_path: Path) -> None:
    path = tmp_path / "pairs.xml"
    path.write_text(FAILED + sentence("Kim"))
    (found,) = read_pairs(path, "enju")
    assert isinstance(found, PairError)
    assert (found.id, found.source, found.target) == ("bad", "some words", "Kim")


def test_files_of_a_folder_that_are_broken_keep_their_name_and_the_other_text(tmp_path: Path) -> None:
    files = {
        "s-1": sentence("Kim"),
        "t-1": sentence("Tom"),
        "s-2": sentence("Kim"),
        "s-3": "<sentence",
        "t-3": sentence("Tom"),
        "s-4": sentence("Kim"),
        "t-4": "<sentence",
        "s-5": sentence("Kim") * 2,
        "s-6": sentence("Kim"),
        "t-6": FAILED,
    }
    for name, content in files.items():
        (tmp_path / f"{name}.xml").write_text(content)
    (tmp_path / "s-7.xml").write_text(sentence("Kim"), encoding="utf-16")
    (tmp_path / "t-7.xml").write_text(sentence("Tom"))
    whole, *broken = read_pairs(tmp_path)
    assert isinstance(whole, SentencePair)
    found = [(one.id, one.source, one.target) for one in broken if isinstance(one, PairError)]
    assert found == [
        ("2", "Kim", ""),
        ("3", "", "Tom"),
        ("4", "Kim", ""),
        ("5", "", ""),
        ("6", "Kim", "some words"),
        ("7", "", ""),
    ]
    assert str(broken[0]) == f"{tmp_path / 's-2.xml'}: expected t-2.xml beside it"
    assert "UTF-16" in str(broken[-1])


def test_an_annotation_of_a_phrase_that_is_not_there_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.xml"
    wrong = sentence("Al").replace('cat="NX"', 'cat="NX" pa1="c9"')
    path.write_text(sentence("Kim") + sentence("Tom") + wrong + sentence("Lee"))
    first, second = read_pairs(path)
    assert isinstance(first, SentencePair)
    assert isinstance(second, InputError) and "aligned to c9" in second.message
    assert (second.file, second.line) == (str(path), 3)


def test_a_sentence_without_a_partner_is_told_what_was_expected_and_where(tmp_path: Path) -> None:
    path = tmp_path / "s-1.xml"
    path.write_text("<?xml version='1.0'?>\n" + sentence("Kim"))
    (found,) = read_pairs(path)
    assert (
        str(found) == f"{path}:2: expected pairs of sentences, or t-1.xml beside the file, found 1 sentence"
    )


def test_trees_of_enju_can_be_written_in_penn_brackets(tmp_path: Path) -> None:
    """So does an alignment of their own trees write them."""
    cons = '<cons id="{}" cat="{}" head="{}" sem_head="{}">{}</cons>'
    words = [f'<tok id="t{k}" pos="{tag}" base="{w}">{w}</tok>' for k, (tag, w) in enumerate(TAGGED)]
    leaves = [cons.format(f"c{k}", "NX", f"t{k}", f"t{k}", word) for k, word in enumerate(words)]
    phrase = cons.format("c3", "NP", "c4", "c4", cons.format("c4", "NX", "c1", "c1", " ".join(leaves[1:])))
    body = cons.format("c5", "S", "c3", "c3", f"{leaves[0]} {phrase}")
    (tmp_path / "s-1.xml").write_text(f'<sentence id="a" parse_status="success">{body}.</sentence>')
    (tmp_path / "t-1.xml").write_text(sentence("Tom"))
    bracket = "(S (NX (DT a)) (NP (NX (NX (-LRB- -LRB-)) (NX (NN cat)))))"
    read = list(read_pairs(tmp_path / "s-1.xml"))
    write_pairs(read, tmp_path / "out.trees")
    assert (tmp_path / "out.trees").read_text() == f"{bracket}\t(NX (NNP Tom))\t1\n"
    (pair,) = read
    assert isinstance(pair, SentencePair)
    forest = with_given_trees(pair)[0].forest
    assert forest is not None and forest.bracket(pair.source.words) == bracket
    write_pairs(read, tmp_path / "out.jsonl")
    for file in ("out.trees", "out.jsonl"):
        (again,) = read_pairs(tmp_path / file)
        assert isinstance(again, SentencePair) and again.source.words == ("a", "(", "cat")
        assert again.source_trees == ((bracket, 0.0),) and again.target_trees == (("(NX (NNP Tom))", 0.0),)
    assert pair.carries() - FORMATS["jsonl"].writer.holds == {"heads of Enju's trees"}  # type: ignore[union-attr]
