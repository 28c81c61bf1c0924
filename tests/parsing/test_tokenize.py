"""Tokenization: the treebank's words, the user's characters, exact offsets."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forest_align.parsing.tokenize import space_after, tokenize, tokens_of_words
from forest_align.types import InputError


def words(text: str) -> list[str]:
    return [token.text for token in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sat.", ["The", "cat", "sat", "."]),
        ("I don't, can't, cannot.", ["I", "do", "n't", ",", "ca", "n't", ",", "can", "not", "."]),
        ("She’s John’s.", ["She", "’s", "John", "’s", "."]),
        ("It costs $3.50 (ok?) [a]", ["It", "costs", "$", "3.50", "(", "ok", "?", ")", "[", "a", "]"]),
        ("“Yes” – ‘no’…", ["“", "Yes", "”", "–", "‘", "no", "’", "…"]),
        ("Mr. Smith left. He ran.", ["Mr.", "Smith", "left", ".", "He", "ran", "."]),
        ("The U.S. Army vs. Navy", ["The", "U.S.", "Army", "vs.", "Navy"]),
        ("It was 1999. “So what”", ["It", "was", "1999", ".", "“", "So", "what", "”"]),
        ("I am done. ”", ["I", "am", "done", ".", "”"]),
        ("It is “fine.” He left", ["It", "is", "“", "fine", ".", "”", "He", "left"]),
        ("Born in 1805.[6] Died", ["Born", "in", "1805", ".", "[", "6", "]", "Died"]),
        (
            "See http://a.org/b?c=1, or ask me@a.org.",
            ["See", "http://a.org/b?c=1", ",", "or", "ask", "me@a.org", "."],
        ),
        ("Smith et al. [20] say", ["Smith", "et", "al.", "[", "20", "]", "say"]),
        ("He ’s out, they ’re in", ["He", "’s", "out", ",", "they", "’re", "in"]),
        ("...", ["..."]),
        ("I won't… “Well…” go", ["I", "wo", "n't", "…", "“", "Well", "…", "”", "go"]),
        ("AT&T's R&D, S&P-listed", ["AT&T", "'s", "R&D", ",", "S&P-listed"]),
        ("in the '80s and ’70s 'cause", ["in", "the", "'80s", "and", "’70s", "'cause"]),
        ("'cause of death'", ["'cause", "of", "death", "'"]),
        ("rock 'n' roll", ["rock", "'n'", "roll"]),
        ("US$5, £3.50 and 20€", ["US$", "5", ",", "£", "3.50", "and", "20", "€"]),
        ("a 62%-owned unit, 5%-10%", ["a", "62%-owned", "unit", ",", "5", "%", "-10", "%"]),
        ("#tag- here", ["#", "tag-", "here"]),
        ("@user likes #this, not # 1", ["@user", "likes", "#this", ",", "not", "#", "1"]),
        ("They'd've shouldn't've", ["They", "'d", "'ve", "should", "n't", "'ve"]),
        ("SHOULDN'T'VE", ["SHOULD", "N'T", "'VE"]),
        ("It is approx. ten km. away", ["It", "is", "approx.", "ten", "km.", "away"]),
        ("don´t don`t I＇m", ["do", "n´t", "do", "n`t", "I", "＇m"]),
        ("He sat. She did. No. Yes", ["He", "sat", ".", "She", "did", ".", "No", ".", "Yes"]),
        ("Sat. May 3, No. 5", ["Sat.", "May", "3", ",", "No.", "5"]),
        ("World War II. The UK. A", ["World", "War", "II", ".", "The", "UK", ".", "A"]),
        ("Amazon.com. The set-up. It", ["Amazon.com", ".", "The", "set-up", ".", "It"]),
        ("then-Gov. Bush, Maj. Gen. X", ["then-Gov.", "Bush", ",", "Maj.", "Gen.", "X"]),
        ("Calif. Gov. Brown of Mass. A", ["Calif.", "Gov.", "Brown", "of", "Mass.", "A"]),
        ("Wait. . . what", ["Wait", ".", ".", ".", "what"]),
        ("", []),
        (" \t\u2028 ", []),
    ],
)
def test_text_is_split_the_penn_way(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\"a\" ''b'' ``c``", ['"', "a", '"', "''", "b", "''", "``", "c", "``"]),
        ('"""', ['"', '"', '"']),
        ("''\"", ["''", '"']),
    ],
)
def test_mixed_double_quotes_keep_the_form_that_the_user_wrote(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(
    st.text(
        alphabet=st.sampled_from("ab .,'\"`’´“”()[]!?$%&;:-*@#£€3\u200b\x00é😀א\ud800\x85\n1TN<>{}"),
        max_size=30,
    )
)
@example("``'' \"\"")
@example("gonna''\"`''")
@example("n’t’s")
def test_tokens_are_the_text_without_its_blanks_whatever_it_holds(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(token.text for token in tokens) == "".join(text.split())
    for token in tokens:
        assert text[token.start : token.end] == token.text
        assert token.text.split() == [token.text]


@given(st.text(max_size=40))
def test_any_text_at_all_is_tokenized(text: str) -> None:
    assert "".join(words(text)) == "".join(text.split())


@pytest.mark.parametrize("part", ["a", "1", "a.", "a-", "a@b.c ", "A&", "1%", "é"])
def test_a_line_of_a_hundred_thousand_characters_takes_no_more_than_its_share_of_time(part: str) -> None:
    text = part * (100_000 // len(part))
    began = time.process_time()
    tokens = tokenize(text)
    assert time.process_time() - began < 5  # reading it from every letter on takes more than 20 s
    assert "".join(token.text for token in tokens) == "".join(text.split())


def test_words_that_are_given_stand_in_the_text_joined_by_spaces() -> None:
    tokens = tokens_of_words(["a", "don't", "."])
    assert [(t.text, t.start, t.end) for t in tokens] == [("a", 0, 1), ("don't", 2, 7), (".", 8, 9)]


@pytest.mark.parametrize("word", ["", " ", "a b", "a\u00a0b", "a\n"])
def test_a_given_word_with_blanks_is_refused(word: str) -> None:
    with pytest.raises(InputError, match="without blanks"):
        tokens_of_words(["ok", word])


def test_blanks_after_tokens_are_known_from_offsets() -> None:
    assert space_after(tokenize("He didn't go.")) == [True, False, True, False, False]
