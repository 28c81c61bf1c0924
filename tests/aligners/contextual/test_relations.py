"""Which words belong together, from tags alone."""

from __future__ import annotations

import random

import numpy as np
import pytest

from forest_align.aligners.contextual.chunker import Chunker
from forest_align.aligners.contextual.relations import RELATIONS, WIDTH, related_words

TAGS = (
    *("", "NN", "NNS", "NNP", "VB", "VBN", "VBD", "VBG", "MD", "DT", "PDT", "IN", "POS", "PRP", "PRP$", "CC"),
    *("JJ", "WDT", "WP", "TO", "RP", "RB", "CD", "$", "``", "''", ",", ".", ":", "HYPH", "EX", "UH"),
)


def relations(tagged: str, *names: str) -> set[str]:
    """Relations of these names in a text of words with tags, as ``agent(saw, dog)``."""
    words, tags = zip(*(item.rsplit("/", 1) for item in tagged.split()), strict=True)
    related = related_words(words, tags)
    return {
        f"{name}({words[i]}, {words[k]})"
        for name in names
        for i in range(len(words))
        for k in related[i, RELATIONS.index(name)].tolist()
        if k >= 0
    }


@pytest.mark.parametrize(
    "tagged",
    [
        "the/DT dog/NN chased/VBD the/DT cat/NN",
        "the/DT cat/NN was/VBD chased/VBN by/IN the/DT dog/NN",
        "the/DT cat/NN that/WDT the/DT dog/NN chased/VBD",
        "It/PRP was/VBD the/DT cat/NN that/WDT the/DT dog/NN chased/VBD",
        "the/DT cat/NN chased/VBN by/IN the/DT dog/NN",
    ],
)
def test_participants_do_not_depend_on_the_construction(tagged: str) -> None:
    related = relations(tagged, "agent", "patient")
    assert {"agent(chased, dog)", "patient(chased, cat)"} <= related
    assert not {"agent(chased, cat)", "patient(chased, dog)"} & related


@pytest.mark.parametrize(
    "tagged",
    ["the/DT price/NN of/IN oil/NN", "the/DT oil/NN price/NN", "oil/NN 's/POS price/NN"],
)
def test_modifiers_do_not_depend_on_the_construction(tagged: str) -> None:
    assert relations(tagged, "modifier", "head") == {"modifier(price, oil)", "head(oil, price)"}


def test_each_clause_has_its_own_participants() -> None:
    related = relations(
        "Ann/NNP saw/VBD Ben/NNP ,/, Cid/NNP met/VBD Dan/NNP and/CC Eve/NNP left/VBD", "agent", "patient"
    )
    assert related == {
        *("agent(saw, Ann)", "patient(saw, Ben)", "agent(met, Cid)", "patient(met, Dan)", "agent(left, Eve)"),
    }


def test_both_objects_of_a_gift_have_their_parts_in_either_order() -> None:
    wanted = {"agent(gave, Ann)", "patient(gave, book)", "other participant(gave, Ben)"}
    names = "agent", "patient", "other participant"
    assert relations("Ann/NNP gave/VBD Ben/NNP a/DT book/NN", *names) == wanted
    assert relations("Ann/NNP gave/VBD a/DT book/NN to/TO Ben/NNP", *names) == wanted


def test_coordinated_words_share_their_part() -> None:
    assert relations("Ann/NNP and/CC Ben/NNP met/VBD", "agent") == {"agent(met, Ann)", "agent(met, Ben)"}
    related = relations("paid/VBD $/$ 5/CD for/IN tea/NN and/CC $/$ 3/CD for/IN milk/NN", "modifier")
    assert related == {"modifier($, 5)", "modifier($, 3)", "modifier($, tea)", "modifier($, milk)"}


def test_particles_belong_to_their_verbs_also_behind_an_object() -> None:
    wanted = {"particle(called, off)", "particle(off, called)"}
    assert relations("They/PRP called/VBD off/RP the/DT match/NN", "particle") == wanted
    assert relations("They/PRP called/VBD the/DT match/NN off/RP ./.", "particle") == wanted
    wanted = {"particle(filled, in)", "particle(in, filled)"}
    assert relations("He/PRP filled/VBD the/DT form/NN in/IN ./.", "particle") == wanted
    assert not relations("He/PRP lived/VBD in/IN Rome/NNP", "particle")


def test_pronouns_and_repeated_words_have_antecedents() -> None:
    for text, antecedent in (
        ("When/WRB Anna/NNP came/VBD ,/, she/PRP smiled/VBD", "she, Anna"),
        ("Anna/NNP saw/VBD Anna/NNP", "Anna, Anna"),
        ("``/`` I/PRP am/VBP tired/JJ ,/, ''/'' Anna/NNP told/VBD Ben/NNP ./.", "I, Anna"),
        ("``/`` You/PRP lost/VBD ,/, ''/'' Anna/NNP told/VBD Ben/NNP ./.", "You, Ben"),
    ):
        assert relations(text, "antecedent") == {f"antecedent({antecedent})"}


def test_any_tags_give_places_of_words_with_those_for_none_behind() -> None:
    rng = random.Random(0)
    words = ("was", "by", "a", "am", "that", "up", "it", "said", "before", "''", "p.m.")
    for _ in range(3000):
        length = rng.randint(1, 9)
        related = related_words(rng.choices(words, k=length), rng.choices(TAGS, k=length))
        assert related.shape == (length, len(RELATIONS), WIDTH) and related.dtype == np.int32
        assert related.min() >= -1 and related.max() < length
        assert (np.diff((related >= 0).astype(int), axis=2) <= 0).all()
    assert related_words([], []).shape == (0, len(RELATIONS), WIDTH)


def test_chunks_cover_a_sentence_and_end_it() -> None:
    words = ["the", "two", "old", "men", "have", "not", "been", "seen"]
    tags = ["DT", "CD", "JJ", "NNS", "VBP", "RB", "VBN", "VBN"]
    chunker = Chunker(words, tags)
    chunks = [(chunk.kind, chunk.head, chunk.is_passive) for chunk in chunker.chunks]
    assert chunks == [("noun", 3, False), ("verb", 7, True), ("end", 8, False)]
    assert chunker.modifiers == [(3, 2), (3, 1)]
