"""Tokenization: the treebank's words, the user's characters, exact offsets."""

from __future__ import annotations

import json

import pytest
from growth import growth
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer

from forest_align.parsing.tokenize import _tokenizer, space_after, tokenize, tokens_of_words
from forest_align.types import InputError

from ..places import SHARED


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
        ("See http://a.org/b?c=1, or me@a.org.", ["See", "http://a.org/b?c=1", ",", "or", "me@a.org", "."]),
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


BLANKS = (*"\n\x0b\x0c\x1c\x85\xa0\u2003\u2028\u2029\u3000", "\r\n", "\t\n")


@pytest.mark.parametrize("blank", [*BLANKS, " \n", "\u00a0 ", "\n\n"])
def test_a_full_stop_before_any_blank_is_a_word(blank: str) -> None:
    assert words(f"It ended.{blank}They left.") == ["It", "ended", ".", "They", "left", "."]


# What follows a full stop and a blank; a bar ends the first word of it, if no blank does.
FOLLOWING = """– They/— They/- They/-- They/• They/* They/3 men/$|5 was/€|5 was/#sad @me/@me too/😀 They
☞ They/«|Yes»/‹Yes›/¿Yes|?/<|b>They/(|They/… They/... They/★ They/→ They/& They/+5 or/1990s music
iPads sold/they left/他们/:|) They"""


@pytest.mark.parametrize("rest", FOLLOWING.replace("\n", "/").split("/"))
@pytest.mark.parametrize("blank", [" ", "\n"])
def test_a_full_stop_before_any_sign_is_a_word(blank: str, rest: str) -> None:
    first = rest.replace("|", " ").split()[0]
    assert words(f"It ended.{blank}{rest.replace('|', '')}")[:4] == ["It", "ended", ".", first]


@pytest.mark.parametrize(
    "rest", ["– They", "—They", "• They", "- They", "😀 They", "«Yes»", "</p> They", "<br/>"]
)
def test_some_signs_need_no_blank_behind_the_full_stop(rest: str) -> None:
    assert words(f"It ended.{rest}")[:3] == ["It", "ended", "."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 'war'. She wept", ["It", "is", "'", "war", "'", ".", "She", "wept"]),
        ("It is ‘war’. She wept", ["It", "is", "‘", "war", "’", ".", "She", "wept"]),
        ("the 'U.S.'. It is 5€. So", ["the", "'", "U.S.", "'", ".", "It", "is", "5", "€", ".", "So"]),
        ("the boys’. They", ["the", "boys", "’", ".", "They"]),
        ("'I am.' She", ["'", "I", "am", ".", "'", "She"]),
        ("It is John's. She", ["It", "is", "John", "'s", ".", "She"]),
        ("It isn't. She", ["It", "is", "n't", ".", "She"]),
        ("He is 7. 9 left", ["He", "is", "7", ".", "9", "left"]),
        ("It is 3.5. So", ["It", "is", "3.5", ".", "So"]),
        ("It was 3rd. An iPad2. So", ["It", "was", "3rd", ".", "An", "iPad2", ".", "So"]),
        ("1. Go\n2. Stay", ["1.", "Go", "2.", "Stay"]),
        ("No. 5, Fig. 3, pp. 2", ["No.", "5", ",", "Fig.", "3", ",", "pp.", "2"]),
        ("he left. vs. the 5 km. off", ["he", "left", ".", "vs.", "the", "5", "km.", "off"]),
        ("a cat. etc. and so", ["a", "cat", ".", "etc.", "and", "so"]),
        ("Inc. – Mr. • Dr. 5 Fig.\n2", ["Inc.", "–", "Mr.", "•", "Dr.", "5", "Fig.", "2"]),
        ("the U.S. – a Ph.D.\nin B.Sc. 5", ["the", "U.S.", "–", "a", "Ph.D.", "in", "B.Sc.", "5"]),
        ("by J. and K.\nSmith", ["by", "J.", "and", "K.", "Smith"]),
        ("Node.js and it.is", ["Node.js", "and", "it.is"]),
        ("cafe\u0301. They’re cafe\u0301’s", ["cafe\u0301", ".", "They", "’re", "cafe\u0301", "’s"]),
    ],
)
def test_words_before_full_stops(text: str, expected: list[str]) -> None:
    assert words(text) == expected


ADDRESSES = """http://a.org/1 http://a.org/ https://a.org https://a.org:8080/x?y=1&amp;z=2#end https://a.org/?q=
http://a.org/x_(y) www.a.org/b2 s3://bucket/key a.org/page?x=1&y=2 mailto:a@b.org?subject=x a.b+c@d-e.co.uk
doi:10.1000/182 http://a.org/x- a.org?x=1&y=2"""


@pytest.mark.parametrize("address", ADDRESSES.split())
def test_addresses_stay_whole_whatever_follows(address: str) -> None:
    for after in (". It works", ".\nIt", *(f"{mark} it" for mark in '.,;!)>"’…')):
        assert words(f"See {address}{after}")[:3] == ["See", address, after[0]]
    assert words(f"({address}).") == ["(", address, ")", "."]
    assert words(f"{address}'s") == [address, "'s"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It &apos;s a well @-@ known fact .", ["It", "&apos;s", "a", "well", "@-@", "known", "fact", "."]),
        ("Don&apos;t &quot;go&quot;", ["Do", "n&apos;t", "&quot;", "go", "&quot;"]),
        ("AT&amp;T &lt;b&gt; 10 @,@ 000", ["AT&amp;T", "&lt;", "b", "&gt;", "10", "@,@", "000"]),
        ("R&D; Q&A; &nbsp;", ["R&D", ";", "Q&A", ";", "&", "nbsp", ";"]),
    ],
)
def test_entities_of_markup_are_split_as_their_characters(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.skipif(not (SHARED / "cases" / "tokens.jsonl").is_file(), reason="needs ../shared/cases")
def test_cases_from_public_reports() -> None:
    with (SHARED / "cases" / "tokens.jsonl").open(encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    assert cases
    assert [words(case["text"]) for case in cases] == [case["expected_tokens"] for case in cases]


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


SIGNS = "ab .,'\"`’´“”()[]!?$%&;:-*@#£€3\u200b\x00é😀א\ud800\x85\n1TN<>{}"


@given(st.text(SIGNS, max_size=30) | st.text(max_size=40))
@example("``'' \"\"")
@example("gonna''\"`''")
@example("n’t’s")
def test_tokens_are_the_text_without_its_blanks_whatever_it_holds(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(token.text for token in tokens) == "".join(text.split())
    for token in tokens:
        assert text[token.start : token.end] == token.text
        assert token.text.split() == [token.text]


PARTS = """ended. Mr. 7. U.S. &apos; &apos;s &amp; &nbsp; @-@ #tag US$ 5 '80s 'n' n't ’ve AT&T 62%-owned
    http://a.org/ www.a.org a@b.org İ ß ﬁ 😀 – • « » " '' `` ` ' ( ) [1] … ... A a , :""".split()  # noqa: SIM905
MARKS = ("e\u0301", "q\u0323\u0307", "\ufeff", "\u200b", "\u200d", "\ud800")


@given(st.lists(st.sampled_from((*PARTS, *BLANKS, *MARKS)), max_size=12).map("".join))
@example("http://a.org/&apos;sUS$5")
@example("e\u0301’s")
def test_offsets_are_exact_whatever_stands_side_by_side(text: str) -> None:
    at = 0
    for token in tokenize(text):
        assert text[token.start : token.end] == token.text
        assert token.text.split() == [token.text]
        assert not text[at : token.start].strip()
        at = token.end
    assert not text[at:].strip()


LONG_LINES = ["a", "1", "a.", "a. ", "ab. ", "7. ", "a-", "a@b.c ", "A&", "1%", "é", "e\u0301", "&lt;"]


@pytest.mark.parametrize("part", [*LONG_LINES, "www.", "a://(", "a.b/("])
def test_time_grows_with_the_length_of_a_line(part: str) -> None:
    def run(size: int) -> None:
        text = part * (size // len(part))
        assert "".join(words(text)) == "".join(text.split())

    assert growth(run, 5_000) < 3


# Letters that Python's table of characters lacks are letters to the library of expressions.
@given(
    st.text(st.characters(exclude_categories=["Cn", "Cs"]), max_size=40)
    | st.text(" .,'\"`n’TtcCaAoOlLsSgGM-()&%1é«…", max_size=40)
)
def test_words_are_those_of_nltk(text: str) -> None:
    assert _tokenizer().tokenize(text) == NLTKWordTokenizer().tokenize(text)


def test_words_that_are_given_stand_in_the_text_joined_by_spaces() -> None:
    tokens = tokens_of_words(["a", "don't", "."])
    assert [(t.text, t.start, t.end) for t in tokens] == [("a", 0, 1), ("don't", 2, 7), (".", 8, 9)]


@pytest.mark.parametrize("word", ["", " ", "a b", "a\u00a0b", "a\n"])
def test_a_given_word_with_blanks_is_refused(word: str) -> None:
    with pytest.raises(InputError, match="without blanks"):
        tokens_of_words(["ok", word])


def test_blanks_after_tokens_are_known_from_offsets() -> None:
    assert space_after(tokenize("He didn't go.")) == [True, False, True, False, False]
