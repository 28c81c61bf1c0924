"""Words inside other words: colloquial contractions, hashtags; and acronyms that look like another word."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon._abbreviations import acronym_letters
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.tables import FUNCTION_GROUPS, PREPOSITIONS, plain_apostrophes

if TYPE_CHECKING:
    from collections.abc import Sequence

# A contraction in one word, and the words that it stands for.
_CONTRACTIONS = """
gonna=going to
wanna=want to
gotta=got to
hafta=have to
oughta=ought to
lemme=let me
gimme=give me
dunno=do not know
kinda=kind of
sorta=sort of
outta=out of
lotta=lot of
coulda=could have
shoulda=should have
woulda=would have
musta=must have
cannot=can not
c'mon=come on
y'all=you all
ima=going to
tryna=trying to
finna=going to
betcha=bet you
gotcha=got you
whatcha=what you
"""
# The tokens into which tokenizers of the Penn style split some of them, and the words that these stand for.
_SPLIT = {
    ("gon", "na"): ("going", "to"),
    ("wan", "na"): ("want", "to"),
    ("got", "ta"): ("got", "to"),
    ("lem", "me"): ("let", "me"),
    ("gim", "me"): ("give", "me"),
    ("d'", "ye"): ("do", "you"),
    ("more", "'n"): ("more", "than"),
}
_WHOLE = {
    form: tuple(words.split())
    for form, _, words in (line.partition("=") for line in _CONTRACTIONS.strip().split("\n"))
}
# Words of which a sentence has one if it has a contraction.
_TELLING = frozenset((*_WHOLE, *(first for first, _ in _SPLIT)))
_LONGEST_HASHTAG = 40
_ONE_LETTER_WORDS = frozenset(("a", "i"))


def words_within(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The words that each token stands for, lower-cased; a token itself if it stands for no others.

    *gon na* stands for *going* and *to*, *dunno* for *do*, *not*, *know*, *#StarWars* for *star* and *wars*.
    """
    lower = [plain_apostrophes(word.lower()) for word in words]
    parts = [
        _within(word) if word[:1] == "#" else _WHOLE.get(low, (low,))
        for word, low in zip(words, lower, strict=True)
    ]
    for index, both in enumerate(pairwise(lower)):
        if both in _SPLIT:
            parts[index : index + 2] = [(word,) for word in _SPLIT[both]]
    return parts


def part_relations(source: Sequence[str], target: Sequence[str]) -> np.ndarray:
    """Find tokens of which one stands for the other, or for words one of which is the other.

    The result for swapped sentences is the transpose.

    Shapes: returns bool (n, m).
    """
    related = np.zeros((len(source), len(target)), dtype=bool)
    if not (_may_stand_for_others(source) or _may_stand_for_others(target)):
        return related
    places: dict[str, list[int]] = {}
    for j, words in enumerate(words_within(target)):
        for word in words:
            places.setdefault(word, []).append(j)
    for i, words in enumerate(words_within(source)):
        for word in words:
            for j in places.get(word, ()):
                related[i, j] = source[i].lower() != target[j].lower()
    return related


def acronym_clashes(
    source: Sequence[str],
    target: Sequence[str],
    source_tags: Sequence[str] = (),
    target_tags: Sequence[str] = (),
) -> np.ndarray:
    """Find acronyms and the words that are only spelled like them: *IT*, *it*; *AIDS*, *aids*.

    The result for swapped sentences is the transpose. Sentences in capitals have no acronyms.

    Shapes: returns bool (n, m).
    """
    clashes = np.zeros((len(source), len(target)), dtype=bool)
    lefts, rights = _acronyms(source), _acronyms(target)
    for table, ours, others, words, tags in (
        (clashes, lefts, rights, target, target_tags),
        (clashes.T, rights, lefts, source, source_tags),
    ):
        for i, letters in ours.items():
            for j, word in enumerate(words):
                if j not in others and _is_other_word(letters, word, tags[j] if tags else ""):
                    table[i, j] = True
    return clashes


def _may_stand_for_others(words: Sequence[str]) -> bool:
    """Whether a token may stand for other words; False for nearly all sentences, at little cost."""
    return not _TELLING.isdisjoint([word.lower() for word in words]) or any(
        word[:1] == "#" or not word.isascii() for word in words
    )


def _acronyms(words: Sequence[str]) -> dict[int, str]:
    """Places of acronyms, and their letters in lower case; none in a sentence in capitals."""
    acronyms = {
        index: letters.lower() for index, word in enumerate(words) if (letters := acronym_letters(word))
    }
    return acronyms if any(word != word.upper() for word in words) else {}


def _is_other_word(letters: str, word: str, tag: str) -> bool:
    """Whether a word is spelled like an acronym and is another word: of a closed class, or inflected."""
    lower = word.lower()
    if lower != letters or tag[:3] == "NNP":
        return False
    if lower in FUNCTION_GROUPS or lower in PREPOSITIONS or tag[:1] in ("V", "M", "D", "I", "P"):
        return True
    lemma = load_lexicon().lemma
    return any(lemma(lower, inflected) != lower for inflected in ("VBZ", "NNS"))


@lru_cache(maxsize=10_000)
def _within(hashtag: str) -> tuple[str, ...]:
    """Words of a hashtag, by its capitals or by the lexicon; the hashtag itself if they cannot be told."""
    body = hashtag[1:]
    if not body or len(body) > _LONGEST_HASHTAG or not body.replace("_", "").isalnum():
        return (hashtag.lower(),)
    # Split before capitals and digits that begin a word: *USElection2020* is *US*, *Election*, *2020*.
    parts = [""]
    for index, letter in enumerate(body):
        before, after = body[index - 1 : index], body[index + 1 : index + 2]
        begins = letter.isupper() and (not before.isupper() or after.islower())
        begins = begins or letter.isdigit() != before.isdigit()
        if letter == "_" or (before and begins):
            parts.append("")
        parts[-1] += letter.strip("_")
    parts = [part for part in parts if part]
    if len(parts) == 1:
        parts = _known_words(body.lower()) or parts
    return tuple(part.lower() for part in parts)


def _known_words(body: str) -> list[str]:
    """Split a word that is not in the lexicon into the fewest words that are; empty if it cannot be done."""
    if _is_word(body):
        return []
    best: list[list[str] | None] = [[], *([None] * len(body))]
    for end in range(1, len(body) + 1):
        splits = [
            [*before, body[start:end]]
            for start, before in enumerate(best[:end])
            if before is not None and _is_word(body[start:end])
        ]
        best[end] = min(splits, key=len, default=None)
    return best[-1] or []


def _is_word(text: str) -> bool:
    if len(text) == 1:
        return text in _ONE_LETTER_WORDS
    if text in FUNCTION_GROUPS or text in PREPOSITIONS:
        return True
    if len(text) < 3:
        return False
    lexicon = load_lexicon()
    return text in lexicon.store.ids or (len(text) > 3 and lexicon.lemma(text) in lexicon.store.ids)
