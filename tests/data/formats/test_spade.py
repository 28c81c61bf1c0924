"""Pairs of Enju trees: a sentence without a tree, several sentences a file, gzipped files."""

from __future__ import annotations

from pathlib import Path

from forest_align.data.formats.format import PairError
from forest_align.data.pairs import FORMATS, SentencePair, read_pairs, write_pairs
from forest_align.parsing.forests.trees import with_given_trees
from forest_align.types import InputError

from ..pair_files import read, written


def sentence(word: str, name: str = "s") -> str:
    return (
        f'<sentence id="{name}" parse_status="success"><cons id="c0" cat="NX" head="t0" sem_head="t0">'
        f'<tok id="t0" cat="N" pos="NNP" base="x">{word}</tok></cons></sentence>\n'
    )


TAGGED = (("DT", "a"), ("-LRB-", "("), ("NN", "cat"))
FAILED = '<sentence id="bad" parse_status="fragmental parse">some words</sentence>\n'


def test_files_that_cannot_be_paired_are_errors_that_say_what_was_expected(tmp_path: Path) -> None:
    (broken,) = read(tmp_path, "<?xml version='1.0'?>\n" + sentence("Kim"), name="s-1.xml")
    message = "expected pairs of sentences, or t-1.xml beside the file, found 1 sentence"
    assert str(broken) == f"{tmp_path / 's-1.xml'}:2: {message}"
    written(tmp_path / "t-1.xml", sentence("a") * 2)
    (broken,) = read_pairs(tmp_path / "s-1.xml")
    message = f"{tmp_path / 's-1.xml'}: expected as many sentences as there are targets, 2 in"
    assert str(broken).startswith(message)


def test_a_sentence_without_a_tree_keeps_its_name_and_text(tmp_path: Path) -> None:
    (broken,) = read(tmp_path, FAILED + sentence("Kim"), "enju")
    assert isinstance(broken, PairError)
    assert (broken.id, broken.source, broken.target) == ("bad", "some words", "Kim")


def test_files_of_a_folder_that_are_broken_keep_their_name_and_the_other_text(tmp_path: Path) -> None:
    kim, tom = sentence("Kim"), sentence("Tom")
    files = {
        **{"s-1": kim, "t-1": tom, "s-2": kim, "s-3": "<sentence", "t-3": tom, "s-4": kim},
        **{"t-4": "<sentence", "s-5": kim * 2, "s-6": kim, "t-6": FAILED},
        **{"s-7": kim.encode("utf-16"), "t-7": tom},
    }
    for name, content in files.items():
        written(tmp_path / f"{name}.xml", content)
    whole, *broken = read_pairs(tmp_path)
    assert isinstance(whole, SentencePair)
    assert [(one.id, one.source, one.target) for one in broken if isinstance(one, PairError)] == [
        *(("2", "Kim", ""), ("3", "", "Tom"), ("4", "Kim", ""), ("5", "", "")),
        *(("6", "Kim", "some words"), ("7", "", "")),
    ]
    assert str(broken[0]) == f"{tmp_path / 's-2.xml'}: expected t-2.xml beside it"
    assert "UTF-16" in str(broken[-1])


def test_an_annotation_of_a_phrase_that_is_not_there_is_named_with_its_line(tmp_path: Path) -> None:
    wrong = sentence("Al").replace('cat="NX"', 'cat="NX" pa1="c9"')
    first, second = read(tmp_path, sentence("Kim") + sentence("Tom") + wrong + sentence("Lee"))
    assert isinstance(first, SentencePair)
    assert isinstance(second, InputError) and "aligned to c9" in second.message
    assert (second.file, second.line) == (str(tmp_path / "file"), 3)


def test_trees_of_enju_can_be_written_in_penn_brackets(tmp_path: Path) -> None:
    """So does an alignment of their own trees write them."""
    cons = '<cons id="{}" cat="{}" head="{}" sem_head="{}">{}</cons>'
    words = [f'<tok id="t{k}" pos="{tag}" base="{w}">{w}</tok>' for k, (tag, w) in enumerate(TAGGED)]
    leaves = [cons.format(f"c{k}", "NX", f"t{k}", f"t{k}", word) for k, word in enumerate(words)]
    phrase = cons.format("c3", "NP", "c4", "c4", cons.format("c4", "NX", "c1", "c1", " ".join(leaves[1:])))
    body = cons.format("c5", "S", "c3", "c3", f"{leaves[0]} {phrase}")
    written(tmp_path / "t-1.xml", sentence("Tom"))
    bracket = "(S (NX (DT a)) (NP (NX (NX (-LRB- -LRB-)) (NX (NN cat)))))"
    content = f'<sentence id="a" parse_status="success">{body}.</sentence>'
    (pair,) = read(tmp_path, content, name="s-1.xml")
    assert isinstance(pair, SentencePair)
    forest = with_given_trees(pair)[0].forest
    assert forest is not None and forest.bracket(pair.source.words) == bracket
    for file in ("out.trees", "out.jsonl"):
        write_pairs([pair], tmp_path / file)
        (again,) = read_pairs(tmp_path / file)
        assert isinstance(again, SentencePair) and again.source.words == ("a", "(", "cat")
        assert again.source_trees == ((bracket, 0.0),) and again.target_trees == (("(NX (NNP Tom))", 0.0),)
    assert (tmp_path / "out.trees").read_text() == f"{bracket}\t(NX (NNP Tom))\t1\n"
    assert pair.carries() - FORMATS["jsonl"].writer.holds == {"heads of Enju's trees"}  # type: ignore[union-attr]
