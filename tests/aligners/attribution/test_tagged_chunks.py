from __future__ import annotations

from itertools import pairwise

import pytest

from forest_align.aligners.attribution.tagged_chunks import chunk_spans


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("a/DT man/NN is/VBZ riding/VBG a/DT horse/NN in/IN the/DT park/NN ./.",
         ["a man", "is riding", "a horse", "in the park"]),
        ("the/DT recently/RB elected/VBN mayor/NN of/IN Oslo/NNP will/MD probably/RB visit/VB us/PRP",
         ["the recently elected mayor", "of Oslo", "will probably visit", "us"]),
        ("profits/NNS ,/, which/WDT rose/VBD 5/CD %/NN ,/, did/VBD n't/RB surprise/VB",
         ["profits", "which", "rose", "5 %", "did n't surprise"]),
        ("she/PRP gave/VBD him/PRP a/DT very/RB old/JJ book/NN and/CC left/VBD",
         ["she", "gave", "him", "a very old book", "left"]),
        ("he/PRP wants/VBZ to/TO go/VB to/TO New/NNP York/NNP",
         ["he", "wants to go", "to New York"]),
        ("$/$ 5/CD ,/, Oslo/NNP 's/POS harbour/NN", ["$ 5", "Oslo 's harbour"]),
        ("it/PRP is/VBZ very/RB happy/JJ", ["it", "is", "very happy"]),
        ("!/. ,/,", []),
        ("", []),
    ],
)  # fmt: skip
def test_chunks_of_a_tagged_sentence(tagged: str, expected: list[str]) -> None:
    words, tags = zip(*(one.rsplit("/", 1) for one in tagged.split()), strict=True) if tagged else ((), ())
    assert [" ".join(words[start:end]) for start, end in chunk_spans(tags, words)] == expected


def test_chunks_do_not_overlap_and_hold_every_word_with_a_letter() -> None:
    text = "When , in 1990 , the `` old '' firm 's sales ( 5 % ) fell sharply , nobody but Ann cared ."
    tags = "WRB , IN CD , DT `` JJ '' NN POS NNS -LRB- CD NN -RRB- VBD RB , NN CC NNP VBD ."
    words = text.split()
    spans = chunk_spans(tags.split(), words)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    inside = {k for span in spans for k in range(*span)}
    assert {words[k] for k in range(len(words)) if k not in inside} == {",", "``", "''", "(", ")", "but", "."}
