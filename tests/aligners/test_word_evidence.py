from __future__ import annotations

import pytest

import forest_align
from forest_align.aligners.word_evidence import with_evidence
from forest_align.lexicon.pair_table import PairTable


@pytest.mark.parametrize("name", ["forest", "contextual"])
def test_every_link_has_the_names_of_what_speaks_for_it(name: str) -> None:
    aligner = forest_align.load(name)
    found = aligner.align("Her illness was long.", "She was ill for a long time.")
    explained = with_evidence(aligner, found)
    names = dict(zip(found.words, explained.word_evidence, strict=True))
    assert set(names[1, 2]) >= {"derivation", "embedding"}
    assert set(names[2, 1]) >= {"identical", "lemma"}
    again = forest_align.Alignment.from_json(found.to_json())
    assert (
        "derivation" in dict(zip(found.words, with_evidence(aligner, again).word_evidence, strict=True))[1, 2]
    )


def test_paraphrases_of_the_user_are_evidence() -> None:
    aligner = forest_align.load("contextual")
    found = aligner.align("He died.", "He perished.")
    table = PairTable([("died", "perished")])
    explained = with_evidence(aligner, found, table)
    assert "ppdb" in dict(zip(found.words, explained.word_evidence, strict=True))[1, 1]
