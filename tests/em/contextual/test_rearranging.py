"""Sentences that are rearranged, to learn from and to measure on: what moves, and where its links go."""

from __future__ import annotations

import random
from typing import Any

import pytest

from forest_align.em.contextual import rearranging

LEMMAS = {"praised": "praise", "saw": "see", "seen": "see", "was": "be", "wrote": "write"}

PARTICIPLES = {"praise": "praised", "see": "seen", "be": "been"}


def lemma(word: str, tag: str) -> str:
    return LEMMAS.get(word, word.lower())


def tagged(text: str) -> Any:
    """A sentence written as word/TAG."""
    words, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    return rearranging.Tagged(words, tags)


TALL = "The/DT tall/JJ boy/NN saw/VBD the/DT short/JJ girl/NN ./."


def test_noun_phrases_are_found_by_tags() -> None:
    def phrases(text: str) -> list[str]:
        sentence = tagged(text)
        return [" ".join(sentence.words[slice(*span)]) for span in rearranging.noun_phrases(sentence.tags)]

    assert phrases(TALL) == ["The tall boy", "the short girl"]
    assert phrases("Germany/NNP 's/POS 82/CD million/CD people/NNS met/VBD her/PRP$ old/JJ one/CD") == [
        "Germany 's 82 million people"
    ]
    assert phrases("the/DT the/DT cat/NN 's/POS") == ["the cat"]
    assert phrases("She/PRP ran/VBD") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TALL, "The short girl was seen by the tall boy ."),
        ("Boys/NNS praised/VBD teachers/NNS and/CC ran/VBD", "Teachers were praised by boys and ran"),
        ("Ann/NNP praised/VBD Bob/NNP", "Bob was praised by Ann"),
        ("He/PRP ran/VBD ,/, and/CC Ann/NNP saw/VBD Bob/NNP ./.", "He ran , and Bob was seen by Ann ."),
        ("The/DT man/NN saw/VBZ cats/NNS ./.", "Cats are seen by the man ."),
        ("Ann/NNP wrote/VBD letters/NNS ./.", None),  # no participle is known
        ("Ann/NNP was/VBD president/NN ./.", None),
        ("He/PRP told/VBD Ann/NNP saw/VBD Bob/NNP ./.", None),  # behind a verb: not sure to be the subject
        ("Ann/NNP saw/VBD Bob/NNP leave/VB", None),  # what Bob did
        ("Ann/NNP saw/VBD him/PRP ./.", None),
    ],
)
def test_the_first_plain_transitive_clause_becomes_passive(text: str, expected: str | None) -> None:
    sentence = tagged(text)
    found = rearranging.passive(sentence, lemma, PARTICIPLES)
    if expected is None:
        assert found is None
        return
    assert " ".join(found.words) == expected
    assert sorted(place for place in found.places if place >= 0) == list(range(len(sentence.words)))
    new = [word for word, place in zip(found.words, found.places, strict=True) if place < 0]
    assert new[0] in {"was", "were", "is", "are"} and new[1] == "by" and len(new) == 2
    for word, place in zip(found.words, found.places, strict=True):
        if place >= 0:
            before = sentence.words[place]
            assert word.lower() in {before.lower(), PARTICIPLES.get(lemma(before, ""))}


def test_participles_are_those_of_the_sentences() -> None:
    sentences = [tagged("It/PRP was/VBD seen/VBN and/CC Seen/VBN"), tagged("praised/VBN saw/VBD")]
    assert rearranging.participles_of(sentences, lemma) == {"see": "seen", "praise": "praised"}


def test_heads_become_equal_where_each_is_linked_to_the_other_sentence_alone() -> None:
    source, target = (tagged(TALL), tagged("A/DT tall/JJ lad/NN saw/VBD a/DT short/JJ lass/NN ./."))
    links = [(1, 1), (2, 2), (3, 3), (5, 5), (6, 6), (7, 7)]
    found = {rearranging.with_equal_heads(source, target, links, random.Random(seed)) for seed in range(20)}
    assert {(" ".join(one.words), " ".join(two.words)) for one, two in found} == {
        ("The tall boy saw the short boy .", "A tall lad saw a short lad ."),
        ("The tall girl saw the short girl .", "A tall lass saw a short lass ."),
    }
    # A head that has two partners stays.
    assert rearranging.with_equal_heads(source, target, [*links, (3, 6)], random.Random(0)) == (
        source,
        target,
    )


def test_links_go_where_the_words_go() -> None:
    source = tagged("A/DT tall/JJ lad/NN saw/VBD a/DT short/JJ lass/NN ./.")
    target = tagged(TALL)
    links = [(k, k) for k in (1, 2, 3, 5, 6, 7)]
    partners = {"tall": "tall", "lad": "boy", "saw": "saw", "short": "short", "lass": "girl", ".": "."}
    kinds = set()
    for seed in range(300):
        chance = random.Random(seed)
        pair = rearranging.rearranged_pair(source, target, links, lemma, PARTICIPLES, chance)
        words = [(pair.source[i], pair.target[j]) for i, j in pair.links]
        of_itself = len(words) == 8
        passive = "by" in (*pair.source, *pair.target)
        equal_heads = len({*pair.source, *pair.target} & {"boy", "girl", "lad", "lass"}) == (
            1 if of_itself else 2
        )
        kinds.add((of_itself, passive, equal_heads))
        for one, two in words:
            if of_itself:
                assert one.lower() == two.lower() or {one, two} == {"saw", "seen"}
            elif not equal_heads:
                assert {one, two} in ({a, b} for a, b in partners.items()) or {one, two} == {"saw", "seen"}
        # Adjectives stay with the nouns that they are beside.
        for one, two in pair.links:
            if pair.source[one] in {"tall", "short"}:
                assert pair.source[one] == pair.target[two] and (one + 1, two + 1) in pair.links
    assert len(kinds) == 8


def one_mistake(word: str) -> set[str]:
    """All words that one mistake makes of a word; its first and last letters stay."""
    found = set()
    for at in range(1, len(word) - 2):
        before, letter, following, after = word[:at], word[at], word[at + 1], word[at + 2 :]
        found |= {before + following + letter + after, before + following + after}
        found |= {before + letter + letter + following + after}
        found |= {before + other + following + after for other in "abcdefghijklmnopqrstuvwxyz"}
    return found


@pytest.mark.parametrize("word", ["house", "mountain"])
def test_a_misspelled_word_has_one_of_four_mistakes_at_any_place_inside(word: str) -> None:
    chance = random.Random(0)
    found = {rearranging.misspelled_word(word, chance) for _ in range(20000)}
    assert found == one_mistake(word)


def test_one_word_of_a_sentence_is_misspelled_if_it_is_long_enough() -> None:
    can_be = rearranging.can_be_misspelled
    assert [can_be(word) for word in ("house", "cats", "e-mail", "cafés", "1990s")] == [True] + [False] * 4
    words, chance, changed = ("the", "house", "was", "sold", "again", "!"), random.Random(0), set()
    for _ in range(200):
        found = rearranging.misspelled_sentence(words, chance)
        places = {k for k, (one, two) in enumerate(zip(words, found, strict=True)) if one != two}
        assert len(places) <= 1
        changed |= places
    assert changed == {1, 4}
    assert rearranging.misspelled_sentence(("a", "cat"), chance) == ("a", "cat")
