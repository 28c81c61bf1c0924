from __future__ import annotations

import random

from forest_align.em.contextual.rearranging import Tagged
from forest_align.em.sentence_pairs._constructed import made_pairs, opposed_words
from forest_align.lexicon.lexicon import load_lexicon


def tagged(text: str) -> Tagged:
    words, tags = zip(*(token.rsplit("/", 1) for token in text.split()), strict=True)
    return Tagged(words, tags)


MONDAY = tagged("On/IN Monday/NNP ,/, the/DT old/JJ dog/NN bit/VBD two/CD men/NNS in/IN Rome/NNP ./.")
BANK = tagged("A/DT bank/NN bought/VBD the/DT firm/NN ./.")


def made(*sentences: Tagged) -> set[tuple[frozenset[str], bool, bool]]:
    participles = {"bite": "bitten", "buy": "bought", "raise": "raised", "lower": "lowered"}
    found = made_pairs(sentences, load_lexicon().lemma, participles, random.Random(0))
    return {(frozenset((" ".join(one.source), " ".join(one.target))), one.label, one.strict) for one in found}


def test_a_clause_becomes_passive_and_its_participants_are_exchanged() -> None:
    whole, alone = " ".join(MONDAY.words), "The old dog bit two men ."
    found = made(MONDAY)
    same = {texts for texts, label, _ in found if label}
    other = {texts for texts, label, _ in found if not label}
    assert same == {
        frozenset((whole,)),
        frozenset((whole, "On Monday , two men were bitten by the old dog in Rome .")),
        frozenset((alone,)),
        frozenset((alone, "Two men were bitten by the old dog .")),
    }
    assert other == {
        frozenset((whole, "On Monday , two men bit the old dog in Rome .")),
        frozenset((whole, "On Monday , the old dog was bitten by two men in Rome .")),
        frozenset((alone, "Two men bit the old dog .")),
        frozenset((alone, "The old dog was bitten by two men .")),
    }
    assert all(strict for *_, strict in found)


def test_one_word_that_decides_is_replaced() -> None:
    rates = tagged("Rates/NNS will/MD rise/VB 5/CD %/NN ;/: banks/NNS raised/VBD fees/NNS ./.")
    lowered = tagged("Banks/NNS lowered/VBD fees/NNS ./.")
    found = {texts for texts, label, strict in made(rates, lowered) if strict and not label}
    changed = {" ".join(texts - {" ".join(rates.words)}) for texts in found if " ".join(rates.words) in texts}
    assert any(one.startswith("Rates will not rise 5 %") for one in changed)
    assert any("banks lowered fees" in one for one in changed)
    (number,) = (one.split()[3] for one in changed if one.startswith("Rates will rise") and " 5 " not in one)
    assert int(number) in {6, 7, 10, 25}
    assert frozenset(("Banks raised fees .", "Banks lowered fees .")) in found
    assert opposed_words([rates, lowered]) == {("raised", "VBD"): ["lowered"], ("lowered", "VBD"): ["raised"]}


def test_sentences_of_different_pairs_do_not_mean_the_same() -> None:
    found = made(MONDAY, BANK) - made(MONDAY) - made(BANK)
    assert found == {
        (frozenset((" ".join(MONDAY.words), "A bank bought the firm .")), False, False),
        (frozenset(("The old dog bit two men .", "A bank bought the firm .")), False, False),
    }
