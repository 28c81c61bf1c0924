"""Finds the tokens of a sentence in its raw text, if a file gives both but no offsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from forest_align.types import InputError, Sentence
from forest_align.types.brackets import unescape

# Programs may replace typographic quotes by plain ones.
_PLAIN = str.maketrans("“”‘’", "\"\"''")
# Quotes as treebanks write them.
_QUOTES = {"``": '"', "''": '"', "`": "'"}


def with_raw_text(sentence: Sentence, text: str, field: str) -> Sentence:
    """The sentence with its raw text and the offsets of its tokens in that text.

    Blanks and letter case are ignored. Brackets and quotes may be written as in treebanks or as in the text.
    Tokens are kept unchanged.

    Parameters
    ----------
    sentence : Sentence
        A sentence with tokens.
    text : str
        Raw text.
    field : str
        Name of the text's field, for messages.

    Raises
    ------
    InputError
        If the text has other words.
    """
    places = [index for index, character in enumerate(text) if not character.isspace()]
    rest = _plain(text)
    tokens, at = [], 0
    for token in sentence.tokens:
        size = next((len(form) for form in _forms(token.text) if rest.startswith(form, at)), None)
        if size is None:
            break
        start = places[at] if at < len(places) else len(text)
        end = places[at + size - 1] + 1 if size else start
        tokens.append(replace(token, start=start, end=end))
        at += size
    if len(tokens) < len(sentence) or at < len(rest):
        raise InputError(
            f"expected the text of the tokens {' '.join(sentence.words)[:80]!r}, found {text[:80]!r}",
            field=field,
        )
    return replace(sentence, tokens=tuple(tokens), text=text)


def _forms(word: str) -> Iterator[str]:
    """Possible spellings of a token in a text, without blanks."""
    for form in (word, unescape(word), _QUOTES.get(word, word)):
        yield _plain(form)


def _plain(text: str) -> str:
    """A text in lower case and without blanks, character by character."""
    plain = "".join(text.split()).translate(_PLAIN)
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in plain)
