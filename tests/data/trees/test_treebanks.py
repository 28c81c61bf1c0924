"""Treebanks: harmonised spans, splits by document, and sentences with words taken out."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_align.data.trees.treebanks import (
    MASC_DEV,
    MASC_TEST,
    TreebankSentence,
    from_tree,
    known_chain,
    label_inventory,
    read_craft,
    read_gum,
    read_masc,
    read_wsj,
    without_words,
)
from forest_align.types import InputError
from forest_align.types.brackets import parse_bracket

from ...places import SHARED

TREEBANKS = SHARED / "data" / "treebank"
needs_treebanks = pytest.mark.skipif(
    not TREEBANKS.is_dir(), reason=f"no treebanks in {TREEBANKS} (set FOREST_ALIGN_SHARED)"
)


def sentence(text: str) -> TreebankSentence:
    found = from_tree(parse_bracket(text))
    assert found is not None
    return found


def test_unary_chains_become_one_span_in_preorder() -> None:
    found = sentence("( (S (NP-SBJ (-NONE- *)) (VP (VB go) (NP (NP (NN home))))) )")
    assert found.words == ("go", "home")
    assert found.tags == ("VB", "NN")
    assert found.spans == ((0, 1, "S::VP"), (1, 1, "NP::NP"))


@pytest.mark.parametrize("text", ["( (HEADING (NN a) (NN b)) )", "( (S (NN a)) (NP (NN b)) )", "( (NN a) )"])
def test_a_sentence_always_has_a_labelled_root(text: str) -> None:
    found = sentence(text)
    assert found.spans[0][:2] == (0, len(found) - 1)
    assert found.spans[0][2] == "FRAG"


def test_a_word_with_a_space_in_it_makes_the_tree_unusable() -> None:
    assert from_tree(parse_bracket("( (NP (NN a b)) )")) is None


def test_taking_words_out_joins_spans_that_become_equal() -> None:
    found = sentence("( (S (NP (NN a)) (VP (VB b)) (. .)) )")
    shorter = without_words(found, [False, True, False])
    assert shorter is not None
    assert (shorter.words, shorter.tags, shorter.spans) == (("b",), ("VB",), ((0, 0, "S::VP"),))
    chained = sentence("( (FRAG (S (VP (VB go))) (. .)) )")
    assert [span[2] for span in chained.spans] == ["FRAG", "S::VP"]
    shorter = without_words(chained, [True, False])
    assert shorter is not None and shorter.spans == ((0, 0, "FRAG::S::VP"),)
    assert without_words(found, [False] * 3) is None
    assert without_words(found, [True] * 3) == found


def test_the_inventory_drops_rare_chains_and_begins_with_the_empty_label() -> None:
    sentences = [sentence("( (S (VP (VB a) (NP (NN b)))) )")] * 3 + [sentence("( (X (NP (NN b) (NN c))) )")]
    assert label_inventory(sentences, 3) == ("", "NP", "S", "S::VP", "VP")


def test_an_unknown_chain_is_shortened_to_its_longest_known_part() -> None:
    labels = frozenset({"NP", "SBAR::S", "S"})
    assert known_chain("NP::SBAR::S", labels) == "SBAR::S"
    assert known_chain("X::NP", labels) == "NP"
    assert known_chain("X", labels) == ""


def test_gum_follows_its_official_split_without_blanked_documents(tmp_path: Path) -> None:
    splits = "## dev\n  * GUM_a_b\n## test2\n  * GENTLE_x\n## train\n  * GUM_c_d\n  * GUM_reddit_e\n"
    (tmp_path / "splits.md").write_text(splits)
    for name in ("a_b", "c_d"):
        (tmp_path / f"GUM_{name}.ptb").write_text("(ROOT (NP (NN a)))")
    split = read_gum(tmp_path)
    assert [len(part) for part in (split.train, split.dev, split.test)] == [1, 1, 0]


def test_parts_of_gum_can_be_read_without_some_genres(tmp_path: Path) -> None:
    train = ("bio_a", "fiction_b", "fiction_c", "news_d")
    lines = []
    for part, names in (("train", train), ("dev", ("fiction_e",)), ("test", ("bio_f",))):
        lines += [f"## {part}\n", *(f"  * GUM_{name}\n" for name in names)]
        for name in names:
            (tmp_path / f"GUM_{name}.ptb").write_text(f"(ROOT (NP (NN {name})))")
    (tmp_path / "splits.md").write_text("".join(lines))
    split = read_gum(tmp_path, ["fiction", "bio"])
    words = [[sentence.words[0] for sentence in part] for part in (split.train, split.dev, split.test)]
    assert words == [["news_d"], ["fiction_e"], ["bio_f"]]
    split = read_gum(tmp_path, ["fiction"], ("dev",))
    assert [len(part) for part in (split.train, split.dev, split.test)] == [4, 0, 1]
    with pytest.raises(InputError, match=r"no genre 'fictions' in .* expected some of bio, fiction, news"):
        read_gum(tmp_path, ["fiction", "fictions"])


def test_masc_holds_out_whole_documents_and_drops_marks_of_the_transcriber(tmp_path: Path) -> None:
    spoken = "( (S (CODE a1) (EDITED (NP (PRP {0})) (, ,)) (NP (PRP we)) (VP (VBP go))) )\n( (CODE a2) )\n"
    documents = ("plain", "another", *sorted(MASC_DEV), *sorted(MASC_TEST))
    for number, name in enumerate(documents):
        (tmp_path / f"{name}.mrg").write_text(spoken.format(f"w{number}") + f"( (NP (NN n{number})) )\n")
    split = read_masc(tmp_path)
    counts = [len(part) for part in (split.train, split.dev, split.test)]
    assert counts == [4, 2 * len(MASC_DEV), 2 * len(MASC_TEST)] and not MASC_DEV & MASC_TEST
    held_out = {word for part in (split.dev, split.test) for one in part for word in one.words}
    assert {word for one in split.train for word in one.words} & held_out == {",", "we", "go"}
    (found,) = (one for one in split.train if one.words[0] == "w0")
    assert (found.words, found.tags) == (("w0", ",", "we", "go"), ("PRP", ",", "PRP", "VBP"))
    assert {*found.spans} == {(0, 3, "S"), (0, 0, "NP"), (2, 2, "NP"), (3, 3, "VP")}


def test_the_articles_that_are_held_out_are_always_the_same(tmp_path: Path) -> None:
    for article in "gfedcba":
        (tmp_path / f"{article}.tree").write_text(f"( (NP (NN {article})) )\n" * 4)
    split = read_craft(tmp_path, dev_sentences=3, test_sentences=6)
    assert [{s.words[0] for s in part} for part in (split.dev, split.test)] == [{"f"}, {"a", "d"}]
    assert [s.words[0] for s in read_craft(tmp_path, 3, 6, seed=14).test] != [s.words[0] for s in split.test]


def test_a_folder_without_treebank_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no treebank files") as caught:
        read_wsj(tmp_path)
    assert caught.value.file == str(tmp_path)


@needs_treebanks
def test_the_wsj_sample_is_read_whole() -> None:
    split = read_wsj(TREEBANKS / "wsj_sample", dev=range(180, 185))
    assert [len(part) for part in (split.train, split.dev, split.test)] == [3747, 49, 118]
    assert split.train[0].spans[:2] == ((0, 17, "S"), (0, 6, "NP"))
