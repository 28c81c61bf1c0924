"""Splits raw text into Penn-style words with character offsets; the words keep the user's characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.parsing.networks.isolated_imports import import_isolated
from forest_align.types import InputError, Token

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer

# The tokenizer replaces one kind of double quote by another.
_DOUBLE_QUOTES = ("``", "''", '"')

# Apostrophes that the tokenizer does not know, in places where they are unambiguous.
_OTHER_APOSTROPHE = re.compile(r"(?<=\w)[’´`ʼ′＇](?=\w)|(?<=\s)[’´ʼ′＇](?=(?:s|m|d|re|ve|ll)\b)")
# Words that the tokenizer would split, although treebanks do not.
_WHOLE = re.compile(
    r"""(?:(?:https?|ftp)://|www\.)\S*[\w/]  # web addresses
    # The look-behind lets a mail address begin only where its name does: a long word is read once, not from
    # each of its letters.
    | (?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | (?<!\w)[A-Z]+(?:&[A-Z]+)+[\w-]*  # AT&T
    | (?<!\w)[#@][^\W\d]\w*  # tags and names of users
    | (?<!\w)(?:US|HK|NZ|[AC])\$(?=\s?\d)  # dollars with a country's letters
    | (?<![\w.,])\d[\d.,]*%-[^\W\d][\w-]*  # 62%-owned
    | (?<![\w'’])['’](?:\d\ds?|em|til|cause|cuz|bout)(?![\w'’])  # '80s, 'em
    | (?<!\S)['’][nN]['’](?!\S)  # rock 'n' roll""",
    re.VERBOSE,
)
# Places to split the tokenizer's words again: beside a currency sign, and between two contractions.
_CURRENCY = re.compile(r"(?<=^[£€¥₹])(?=\d)|(?<=\d)(?=[£€¥₹]$)")
_CONTRACTION = re.compile(r"(?<=\w)(?:['’]d|n['’]t)$", re.IGNORECASE)
_HAVE = re.compile(r"['’]ve\b", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"(\S*[^\W\d_A-Z]{2}|\S*[A-Z]{2}|[Nn]o|\d{2,})\.")
# What may stand between a full stop and the next sentence.
_BETWEEN_SENTENCES = " \t\"'`“”‘’()[]"
_AFTER_FULL_STOP = re.compile(r"[\"”]|''| ?\[(?:\d+|\.\.\.|…)\]| \. ?\.")
# Words whose full stop belongs to them even before a capital letter.
_ABBREVIATIONS = frozenset(
    """mr mrs ms messrs dr drs prof mme msgr st mt ft inc corp co cos ltd bros jr sr gen sen sens rep reps gov
    govs lt col sgt capt cmdr adm brig maj cpl pvt pfc amb rev hon pres supt atty jan feb mar apr jun jul aug
    sep sept oct nov dec mon tue tues thu thur thurs fri vs etc nos fig figs eq eqs ref refs al cf viz vol ed
    eds pp ca approx dept univ assn assoc ave blvd rd hwy bldg mfg intl natl govt ala
    ariz ark calif colo conn fla mich minn mont neb nev
    okla tenn tex wis wyo""".split()  # noqa: SIM905
)
# The same for words that would be different words in lower case.
_CAPITALISED_ABBREVIATIONS = frozenset("Del Ill Ind Kan Mass Miss Ore Sat Sun Wash Wed".split())  # noqa: SIM905


@lru_cache(maxsize=1)
def _tokenizer() -> NLTKWordTokenizer:
    return import_isolated("nltk.tokenize.destructive").NLTKWordTokenizer()


def tokenize(text: str) -> tuple[Token, ...]:
    """Split raw text the Penn treebank's way.

    Contractions and punctuation are split off (``don't`` → ``do n't``). Characters stay as they are: no
    quote or bracket is rewritten.

    Parameters
    ----------
    text : str
        Preferably one sentence. If more follow, their full stops are split off where they are unambiguous.

    Returns
    -------
    tuple of Token
        With offsets into ``text``; empty if the text is blank.
    """
    # As long as the text, so that offsets hold for both. The tokenizer does not know the ellipsis
    # as one character: a semicolon is split off alike.
    plain = _OTHER_APOSTROPHE.sub("'", text).replace("…", ";")
    tokens: list[Token] = []
    at = 0
    for word in _tokenizer().tokenize(plain):
        start, at = _locate(word, plain, at)
        for end in (*_cuts(plain[start:at], start, text[at : at + 40]), at):
            tokens.append(Token(text[start:end], start=start, end=end))
            start = end
    return tuple(_with_whole_words(tokens, text))


def _with_whole_words(tokens: Sequence[Token], text: str) -> list[Token]:
    """Rejoin the parts of addresses and other words that treebanks do not split."""
    joined: list[Token] = []
    at = 0
    for found in _WHOLE.finditer(text):
        start, end = found.span()
        first = at
        while first < len(tokens) and tokens[first].start < start:
            first += 1
        last = first
        while last < len(tokens) and tokens[last].end <= end:
            last += 1
        inside = tokens[first:last]
        if inside and inside[0].start == start and inside[-1].end == end:
            inside = [Token(text[start:end], start=start, end=end)]
        joined += [*tokens[at:first], *inside]
        at = last
    return [*joined, *tokens[at:]]


def _cuts(word: str, start: int, following: str) -> Iterator[int]:
    """Where to split a word of the tokenizer, which begins at ``start``, again."""
    inside = _CURRENCY.search(word) or (_HAVE.match(following) and _CONTRACTION.search(word))
    first = inside.start() if inside else 0
    if first:
        yield start + first
    if word.endswith(".") and _ends_sentence(word[first:], following):
        yield start + len(word) - 1


def _ends_sentence(word: str, following: str) -> bool:
    """Whether the full stop at the end of a word ends a sentence, although more text follows.

    It does before a closing quote, a reference in brackets, an ellipsis or a capital letter, and if only
    quotes and brackets are left.
    """
    if not _PLAIN_WORD.fullmatch(word):
        return False
    name = word[:-1].rsplit("-", 1)[-1]
    if name.lower() in _ABBREVIATIONS or name in _CAPITALISED_ABBREVIATIONS:
        return False
    rest = following.lstrip(_BETWEEN_SENTENCES)
    return bool(_AFTER_FULL_STOP.match(following)) or not rest or rest[0].isupper()


def _locate(word: str, text: str, at: int) -> tuple[int, int]:
    """Position of the next word; the tokenizer only adds blanks and rewrites double quotes."""
    while at < len(text) and text[at].isspace():
        at += 1
    for form in (word, *_DOUBLE_QUOTES) if word in _DOUBLE_QUOTES else (word,):
        if text.startswith(form, at):
            return at, at + len(form)
    raise InputError(
        f"cannot tokenize the text at character {at}: expected {word!r}, found {text[at : at + 20]!r}"
    )


def tokens_of_words(words: Sequence[str]) -> tuple[Token, ...]:
    """Tokens with offsets into the words joined by spaces.

    Raises
    ------
    InputError
        If a word is empty or holds blanks, which no output format could hold.
    """
    tokens, at = [], 0
    for word in words:
        if word.split() != [word]:
            raise InputError(f"expected words without blanks, found {word!r}")
        tokens.append(Token(word, start=at, end=at + len(word)))
        at += len(word) + 1
    return tuple(tokens)


def space_after(tokens: Sequence[Token]) -> list[bool]:
    """Whether blanks follow each token in the raw text."""
    following = [*(token.start for token in tokens[1:]), -1]
    return [token.end < start for token, start in zip(tokens, following, strict=True)]
