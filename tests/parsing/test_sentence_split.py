"""Sentences of texts, raw and of given words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from forest_align.parsing.sentence_split import sentence_starts
from forest_align.parsing.tokenize import tokenize, tokens_of_words

# A bar stands between two sentences.
TEXTS = {
    "marks": "He left. | Did she stay? | No! | They waited...",
    "several marks": "What?! | Who said that?? | I did.",
    "small letters": "he helped ignite the space industry. | the new companies have grown.",
    "a question in small letters": "at what point of the continent? | who was captain nemo?",
    "an unusual end": "The deal ended in 2003. | Prices fell by 3.5 percent. | It was over.",
    "titles": "Mr. Smith met Dr. Jones and Gen. Lee. | They talked.",
    "countries": "U.S. troops left. | The U.S. Congress met. | He lives in the U.S. | She does not.",
    "before small letters": "The apt. is 5 ft. 2 in. high. | It cost 2 mil. | He left at 5 min. to two.",
    "abbreviations that are words": "The min. speed and the app. are new. | It is in. | He saw it.",
    "the same in small letters": "he uses the app. | it is new. | they are in. | he took 5 in. of it.",
    "a state before a small letter": "He is from St. Louis, Mo. and Com. & Adm. is here. | She left.",
    "times of day": "It opens at 9 a.m. on Monday and closes at 5 p.m. | The rest is silence.",
    "companies": "Corel Corp. bought it. | They work for Apple Inc. | It pays well.",
    "initials": "George W. Bush and J. K. Rowling met. | We have plan B. | It works.",
    "decimals": "It rose 0.5 percent to $3.25 a share. | Version 2.1 is out.",
    "a quotation that ends": 'He said, "I quit." | "You cannot," she said. | "We shall see."',
    "words that say who speaks": '"I quit!" he said. | "Why?" Smith asked. | “Stop!” I cried.',
    "a name with a mark": "Yahoo! shares rose. | They fell later.",
    "brackets": "He left (she had asked him to. It was late) and slept. | (She stayed.) | It rained.",
    "references": "It was built in 1904. [ 5 ] | The tower fell. [citation needed] | Nobody died.",
    "dots inside": "Well... he came. | I think... that we... should go. | And so it was... | Then it ended.",
    "an ellipsis": "He waited… | Nobody came.",
    "items": "1. Open the door. | 2. Close the window. | 3. Wait.",
    "headlines": "Oil prices: up 3 pct., ending at $50",
    "no words": "It was good. | She liked it. * * *",
    "quotations in small letters": '"i quit." | he left. | "why?" asked the man. | "no." he said.',
    "one sentence": "Sports, etc., are fun.",
    "addresses": "See www.example.com. | Write to a.b@example.com today.",
    "dashes": "Stop! -- he cried -- and ran. | It was over.",
}


def marked(starts: tuple[int, ...], words: Sequence[str]) -> str:
    """The words, with bars between sentences."""
    return " ".join(f"| {word}" if place in starts else word for place, word in enumerate(words))


def raw(text: str) -> str:
    return text.replace(" | ", " ")


def starts_in(text: str) -> tuple[int, ...]:
    """Numbers of the tokens that begin behind bars."""
    offsets = [sum(map(len, text.split("| ")[:part])) for part in range(1, text.count("| ") + 1)]
    return tuple(place for place, token in enumerate(tokenize(raw(text))) if token.start in offsets)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_raw_text_is_split_at_the_ends_of_sentences(text: str) -> None:
    tokens = tokenize(raw(text))
    assert sentence_starts(tokens, raw(text)) == starts_in(text)
    assert len(starts_in(text)) == text.count("|")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_given_words_are_split_at_the_same_places(text: str) -> None:
    words = [token.text for token in tokenize(raw(text))]
    assert marked(sentence_starts(tokens_of_words(words), " ".join(words)), words) == marked(
        starts_in(text), words
    )


@pytest.mark.parametrize(
    "text",
    [
        "Mr . Smith met J . K . Rowling . | He left .",
        "It rained in the U.S. . | Corel Corp. bought it .",
        "xinhua news agency . | moscow . | jan. 8 .",
        "He said : `` I quit . '' | She stayed .",
        "'' surely . | we are cruising in a current of boiling water '' .",
        '" we have no valium . | we have no more medicines . " | he left .',
        "he added that they downed a plane . | / end of story /",
        "the german version ( titled : die drei ? ? ?",
        "it was me talking . . . it was a monologue .",
        "( He left . ) | She stayed .",
        "He came -LRB- she did not . He said so -RRB- and left . | Good .",
    ],
)
def test_words_of_other_tokenizers_are_understood(text: str) -> None:
    words = raw(text).split()
    assert marked(sentence_starts(tokens_of_words(words), raw(text)), words) == text


def test_a_blank_line_ends_a_sentence_and_a_line_does_not() -> None:
    text = "Prices rise\n \nThe price of oil\nrose today.\n\nIt fell"
    tokens = tokenize(text)
    assert sentence_starts(tokens, text) == (2, 9)


@pytest.mark.parametrize("text", ["", "Yes", ".", '". . ."', "! ? !", "\n\n", "a\n\n.", "[ 1", "." * 500])
def test_texts_without_two_sentences_have_no_boundary(text: str) -> None:
    assert sentence_starts(tokenize(text), text) == ()
