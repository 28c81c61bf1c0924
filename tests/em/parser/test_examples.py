"""Training examples of the parser: what is trained on, how it is varied, and in which batches."""

from __future__ import annotations

import random
from argparse import Namespace
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.data.trees.treebanks import TreebankSentence, read_craft
from forest_align.em.parser import _examples as script
from forest_align.parsing.networks.vector_network import WordVectors

from ...tiny_encoder import write_encoders

LABELS, TAGS = ("", "NP", "S", "VP"), ("UNK", "NN", "VB", ".", "''")
SENTENCE = TreebankSentence(
    ("Dogs", "bark", ".", "”"),
    ("NN", "XX", ".", "''"),
    ((0, 3, "S::X"), (0, 0, "NP"), (1, 1, "VP"), (2, 3, "X")),
)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> WordVectors:
    return WordVectors(write_encoders(tmp_path_factory.mktemp("encoder")))


def store(frozen: WordVectors, sentences: list[TreebankSentence]) -> Any:
    return script.ExampleStore(sentences, LABELS, TAGS, frozen)


def tree(*words: str) -> str:
    return f"( (S {' '.join(f'(NN {word})' for word in words)}) )\n"


def test_what_is_held_out_is_not_trained_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 179, 180, 184, 185, 189, 190, 199):
        (tmp_path / f"wsj_{number:04}.mrg").write_text(tree(f"wsj{number}") + tree(*["long"] * 5))
    parts = {"train": ("a", "b"), "dev": ("c",), "test": ("d",)}
    lines = [
        f"## {part}\n" + "".join(f" * GUM_{name}_x\n" for name in names) for part, names in parts.items()
    ]
    (tmp_path / "splits.md").write_text("".join(lines))
    for name in "abcd":
        (tmp_path / f"GUM_{name}_x.ptb").write_text(tree(f"gum-{name}"))
    # Two of the nine articles are for the test, and the next one for dev.
    monkeypatch.setattr(script, "read_craft", partial(read_craft, dev_sentences=3, test_sentences=8))
    for article in range(9):
        (tmp_path / f"{article}.tree").write_text(
            tree(f"craft{article}", "x", "y") * 4 + tree("two", "words")
        )
    masc = tmp_path / "masc"
    masc.mkdir()
    for name in ("anew", "112C-L014", "chapter-10"):
        (masc / f"{name}.mrg").write_text(tree(f"masc-{name}"))
    copies = {"wsj_copies": 3.0, "gum_copies": 1.5, "masc_copies": 2.5, "craft_copies": 0.5}
    folders = {"wsj": tmp_path, "gum": tmp_path, "craft": tmp_path, "masc": masc}
    options = {**copies, **folders, "craft_sentences": 20, "longest": 4, "seed": 1, "gum_without": []}
    mix = script.treebank_mix(Namespace(**options))
    known = [(sentence.words[0], times) for sentence, times in zip(mix.sentences, mix.copies, strict=True)]
    assert known[:4] == [(f"wsj{number}", 3.0) for number in (1, 179, 185, 189)]
    assert known[4:6] == [("gum-a", 1.5), ("gum-b", 1.5)]
    assert known[6] == ("masc-anew", 2.5)
    assert len(known) == 27 and {times for _, times in known[7:]} == {0.5}
    split = read_craft(tmp_path, 3, 8)
    assert {word for word, _ in known[7:]} <= {s.words[0] for s in split.train} - {"two"}
    assert not {word for word, _ in known} & {s.words[0] for part in mix.dev.values() for s in part}
    assert "two" not in {word for word, _ in known}
    assert [s.words[0] for s in mix.dev["wsj"]] == ["wsj180", "long", "wsj184", "long"]
    assert [s.words[0] for s in mix.dev["gum"]] == ["gum-c"]
    assert [s.words[0] for s in mix.dev["masc"]] == ["masc-112C-L014"]
    assert script.treebank_mix(Namespace(**options)) == mix
    fewer = script.treebank_mix(Namespace(**{**options, "wsj": None, "gum_without": ["a"]}))
    assert fewer.sentences == mix.sentences[5:] and fewer.copies == mix.copies[5:]
    assert set(fewer.dev) == {"gum", "craft", "masc"} and fewer.dev["gum"] == mix.dev["gum"]


@pytest.mark.parametrize(
    ("variant", "size", "spans"),
    [
        ("", 4, ((0, 3, 2), (0, 0, 1), (1, 1, 3))),
        ("no final", 2, ((0, 1, 2), (0, 0, 1), (1, 1, 3))),
        ("no punctuation", 2, ((0, 1, 2), (0, 0, 1), (1, 1, 3))),
    ],
)
def test_an_example_has_numbers_for_what_is_known(
    frozen: WordVectors, variant: str, size: int, spans: tuple[tuple[int, int, int], ...]
) -> None:
    found = store(frozen, [SENTENCE]).get((0, variant))
    assert found.spans == spans
    assert found.tags.tolist() == [1, -100, 3, 4][:size]
    assert np.array_equal(found.encoded.subwords, frozen.encode(SENTENCE.words[:size]).subwords)


def test_a_mark_in_the_middle_is_left_out_with_all_punctuation_only(frozen: WordVectors) -> None:
    middle = TreebankSentence(("Go", ".", "on", "."), ("VB", ".", "NN", "."), ((0, 3, "S"),))
    marks = TreebankSentence((".", "."), (".", "."), ((0, 1, "S"),))
    examples = store(frozen, [middle, marks])
    sizes = {key: len(examples.get(key).tags) for key in ((0, "no final"), (0, "no punctuation"))}
    assert list(sizes.values()) == [3, 2]
    assert len(examples.get((1, "no final")).tags) == 1
    assert len(examples.get((1, "no punctuation")).tags) == 2  # nothing would be left


def test_typos_are_slips_in_longer_words_and_the_same_each_time(frozen: WordVectors) -> None:
    words = ("Yesterday", "the", "committee", "2,000-word", "report", "won't", "go", "bark") * 50
    sentence = TreebankSentence(words, ("NN",) * len(words), ((0, len(words) - 1, "S"),))
    found = script.with_typos(sentence, random.Random(1))
    assert (found.tags, found.spans) == (sentence.tags, sentence.spans)
    changed = [(one, other) for one, other in zip(words, found.words, strict=True) if one != other]
    assert {one for one, _ in changed} == {"Yesterday", "committee", "report", "bark"}
    # An exchange of two letters that are the same is none.
    assert len(changed) / 200 == pytest.approx(script.TYPO_SHARE, abs=0.06)
    assert {len(other) - len(one) for one, other in changed} == {-1, 0, 1}
    for one, other in changed:
        if len(one) == len(other):
            assert sorted(one) == sorted(other)
    assert script.with_typos(sentence, random.Random(1)) == found
    assert script.with_typos(sentence, random.Random(2)) != found
    first, again = (store(frozen, [sentence]).get((0, "typos")) for _ in range(2))
    assert np.array_equal(first.encoded.subwords, again.encoded.subwords)
    assert first.spans == ((0, len(words) - 1, 2),) and len(first.tags) == len(words)
    assert not np.array_equal(first.encoded.subwords, frozen.encode(words).subwords)


def test_an_epoch_visits_each_sentence_as_often_as_asked_in_the_same_batches_each_time(
    frozen: WordVectors,
) -> None:
    sentences = [
        TreebankSentence(("the",) * size, ("VB",) * size, ((0, size - 1, "S"),)) for size in range(1, 21)
    ] * 50
    examples, copies = store(frozen, sentences), [1.0] * 500 + [2.5] * 500
    batches = script.epoch_batches(examples, copies, 100, seed=1, epoch=3)
    times = Counter(visit.key[0] for batch in batches for visit in batch)
    assert {times[place] for place in range(500)} == {1}
    assert {times[place] for place in range(500, 1000)} == {2, 3}
    assert sum(times.values()) == pytest.approx(500 + 2.5 * 500, abs=60)
    for batch in batches:
        sizes = [len(examples.get(visit.key).encoded.subwords) for visit in batch]
        assert len(sizes) * max(sizes) <= 100 and max(sizes) - min(sizes) <= 3
    cases = Counter(visit.case for batch in batches for visit in batch)
    assert {name: cases[name] / sum(times.values()) for name in script.CASE_SHARES} == pytest.approx(
        script.CASE_SHARES, abs=0.03
    )
    assert script.epoch_batches(examples, copies, 100, seed=1, epoch=3) == batches
    assert script.epoch_batches(examples, copies, 100, seed=1, epoch=4) != batches
    assert script.epoch_batches(examples, copies, 100, seed=2, epoch=3) != batches
