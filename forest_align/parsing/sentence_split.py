"""Finds where sentences begin inside a text, from its words: raw text and given words alike."""

# ruff: noqa: SIM905
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from forest_align.parsing.tokenize import is_abbreviation, is_initials, is_title
from forest_align.types import Token

# Characters at the end of words at which a sentence may end.
_LAST_CHARACTERS = frozenset(".?!…。？！")
_MARK = re.compile(r"[.?!…。？！]+")
_ELLIPSIS = re.compile(r"(?:\.{2,}|…)+")
_QUOTES = frozenset(("''", "``", '"', "“", "”", "’", "'", "‘", "`", "»", "«"))
_CLOSING_QUOTES = frozenset(("”", "’", "»"))
_OPENING_QUOTES = frozenset(("``", "“", "‘", "`", "«"))
_PLAIN_QUOTES = frozenset(("''", '"'))
# What stands before a quotation ends.
_BEFORE_CLOSING = frozenset(".?!…,-–—")
_CLOSING_BRACKETS = frozenset((")", "]", "}", "-RRB-", "-RSB-", "-RCB-"))
_OPENING_BRACKETS = frozenset(("(", "[", "{", "-LRB-", "-LSB-", "-LCB-"))
# Marks of references: "[ 5 ]", "[ citation needed ]".
_REFERENCE = frozenset(("[", "-LSB-"))
_REFERENCE_END = frozenset(("]", "-RSB-"))
_LONGEST_REFERENCE = 5
_OPENING = _QUOTES | _OPENING_BRACKETS
# Words inside of brackets at most; a bracket that closes later counts as not closed.
_LONGEST_BRACKET = 60
# Marks before which no sentence ends.
_SAME_SENTENCE = frozenset((",", ";", ":", "-", "--", "–", "—", *_CLOSING_BRACKETS))
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
# Words that begin a sentence behind an abbreviation that may end one (*in the U.S. The …*); a name would not.
_BEGINNINGS = frozenset(
    """The A An This That These Those He She It We They You I His Her Its Their Our My Your There Here But And
    Or So Then Thus However Nevertheless In On At By For From With Under Over During As If When While After
    Before Since Although Though Because Until Now Meanwhile Also Yet What Who Where Why How Which Not No Some
    Many Most Another Both Each Every Such Today Yesterday Despite According""".split()
)
# Words that say who speaks, behind a question or an exclamation in quotes.
_SPEECH = frozenset(
    """said says say asked asks ask cried cries replied replies shouted shouts exclaimed exclaims added adds
    answered answers whispered wondered wonders told tells demanded yelled called calls muttered inquired
    screamed thought thinks began continued declared repeated returned remarked""".split()
)


def sentence_starts(tokens: Sequence[Token], text: str) -> tuple[int, ...]:
    """Numbers of the tokens that begin a sentence inside a text; the first token is not among them.

    A sentence ends at a full stop, question mark or exclamation mark that is a word of its own, behind the
    quotes and brackets that close there, or at a blank line. A full stop ends it even before a small letter,
    because many corpora are in lower case; the other marks do so only if the text begins with a small letter.

    No sentence ends before a comma, a dash or a colon, inside of brackets, or before the words that say who
    spoke a quotation. An abbreviation or an initial ends a sentence only before a word that usually begins
    one (*in the U.S. The …*), and dots only before a capital letter. A piece without letters is no sentence.
    """
    words = [token.text for token in tokens]
    possible = list(_possible_starts(tokens, words, text))
    if not possible:
        return ()
    # A piece without letters is a bullet, a number of a list, or a picture.
    before = list(accumulate((any(map(str.isalpha, word)) for word in words), initial=0))
    starts, begun = [], 0
    for start in possible:
        if before[begun] < before[start] < before[-1]:
            starts.append(start)
            begun = start
    return tuple(starts)


def _possible_starts(tokens: Sequence[Token], words: Sequence[str], text: str) -> Iterator[int]:
    broken = "\n" in text and _BLANK_LINE.search(text) is not None
    reader: _Reader | None = None
    begun = at = 0
    while at < len(words) - 1:
        if broken and _BLANK_LINE.search(text, tokens[at].end, tokens[at + 1].start):
            begun = at = at + 1
            yield at
            continue
        if words[at][-1] in _LAST_CHARACTERS:
            reader = reader or _Reader.of(tokens, words)
            behind = at  # the marks that follow each other, or the word
            while behind < len(words) and _MARK.fullmatch(words[behind]):
                behind += 1
            behind = max(behind, at + 1)
            end = reader.end_of_sentence(begun, at, behind)
            if end:
                begun = at = end
                yield at
            else:
                at = behind
            continue
        at += 1


@dataclass(frozen=True, slots=True)
class _Reader:
    """The words of a text, with what has to be known of the whole text."""

    words: Sequence[str]
    closing: frozenset[int]  # Numbers of the quotes that close
    bracketed: frozenset[int]  # Numbers of the words before which a bracket is open
    cased: bool  # Whether sentences begin with capital letters, to judge by the first word

    @classmethod
    def of(cls, tokens: Sequence[Token], words: Sequence[str]) -> _Reader:
        first = next((letter for word in words for letter in word if letter.isalpha()), "")
        return cls(words, _closing_quotes(tokens, words), _bracketed(words), first.isupper())

    def end_of_sentence(self, begun: int, at: int, behind: int) -> int:
        """The end of the sentence that ends at marks from ``at``, behind what closes; 0 if none ends."""
        words = self.words
        marks, end = "".join(words[at:behind]), self._behind_closing(behind)
        ahead = end
        while ahead < len(words) and words[ahead] in _OPENING:
            ahead += 1
        following = words[ahead] if ahead < len(words) else ""
        if not following or following in _SAME_SENTENCE or end in self.bracketed:
            return 0
        small = following[0].islower()
        if (small and self.cased and end > behind) or self._is_said(marks, behind, end):
            return 0
        if not _MARK.fullmatch(marks):
            ends = _may_end_at_abbreviation(words[at], following)
        elif _ELLIPSIS.fullmatch(marks):
            ends = following[0].isupper() and following != "I"
        elif not set(marks).isdisjoint("?!？！"):
            ends = not (small and self.cased)
        else:
            ends = _may_end_at_stop(words, begun, at, following)
        return end if ends else 0

    def _behind_closing(self, at: int) -> int:
        """The place behind closing quotes and brackets, references, and marks among them."""
        words, begun = self.words, at
        while at < len(words):
            word = words[at]
            if word in _REFERENCE:
                reference = range(at, min(at + _LONGEST_REFERENCE, len(words)))
                last = next((place for place in reference if words[place] in _REFERENCE_END), None)
                if last is None:
                    break
                at = last + 1
            elif word in _CLOSING_BRACKETS or at in self.closing or (at > begun and _MARK.fullmatch(word)):
                at += 1
            else:
                break
        return at

    def _is_said(self, marks: str, first: int, end: int) -> bool:
        """Whether a quotation closes, and the words behind it say who speaks: *Smith asked*, *said the man*.

        In a text with capital letters that is so behind a full stop only before a small letter.
        """
        if self.closing.isdisjoint(range(first, end)) or (self.cased and marks == "."):
            return False
        for word in self.words[end : end + 4]:
            if word in _SPEECH:
                return True
            if self.cased and not word[0].isupper():
                return False
        return False


def _closing_quotes(tokens: Sequence[Token], words: Sequence[str]) -> frozenset[int]:
    """Numbers of the quotes that close: by their form, by the blanks around them, or because one is open."""
    places = [at for at, word in enumerate(words) if word in _QUOTES]
    plain = [at for at in places if words[at] in _PLAIN_QUOTES]
    # An odd number of quotes, and a mark before the first one, suggest a text that begins inside a quotation.
    first = plain[0] if plain else 0
    is_open = len(plain) % 2 == 1 and first > 0 and words[first - 1][-1] in _BEFORE_CLOSING
    closing = set()
    for place in places:
        word = words[place]
        if word in _OPENING_QUOTES or word in _CLOSING_QUOTES:
            closes = word in _CLOSING_QUOTES
        else:
            left = place > 0 and tokens[place - 1].end == tokens[place].start
            right = place + 1 < len(words) and tokens[place].end == tokens[place + 1].start
            closes = left if left != right else is_open
        if word != "'":
            is_open = not closes
        if closes:
            closing.add(place)
    return frozenset(closing)


def _may_end_at_stop(words: Sequence[str], begun: int, at: int, following: str) -> bool:
    """Whether a full stop that is a word may end a sentence: not if it belongs to the word before it."""
    if at == begun:
        return False
    before = words[at - 1]
    if at - 1 == begun and before.isdecimal():
        return False  # the number of an item
    # "U.S. ." has a stop of its own.
    if before[-1] != "." and (is_abbreviation(before) or is_initials(before)):
        return _may_end_at_abbreviation(f"{before}.", following)
    return True


def _may_end_at_abbreviation(word: str, following: str) -> bool:
    """Whether a sentence may end at a word with its full stop: no title does, and words of others follow."""
    if word[-1] != "." or following not in _BEGINNINGS:
        return False
    name = word[:-1]
    return not is_title(name) and (is_abbreviation(name) or is_initials(name))


def _bracketed(words: Sequence[str]) -> frozenset[int]:
    """Numbers of the words before which a bracket is open that closes within a sentence's length."""
    inside: set[int] = set()
    opened: list[int] = []
    for at, word in enumerate(words):
        if word in _OPENING_BRACKETS:
            opened.append(at)
        elif word in _CLOSING_BRACKETS and opened:
            begun = opened.pop()
            if at - begun <= _LONGEST_BRACKET:
                inside.update(range(begun + 1, at + 1))
    return frozenset(inside)
