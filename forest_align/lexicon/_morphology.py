"""Lemmatizes English words by WordNet's exceptions and rules, and takes off derivational suffixes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from forest_align.lexicon.tables import plain_apostrophes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forest_align.lexicon._wordnet_store import WordNetStore


#: Closed-class forms that no rule covers; the tag selects the reading.
_CLOSED = {
    ("'m", "v"): "be",
    ("'re", "v"): "be",
    ("ai", "v"): "be",
    ("'ve", "v"): "have",
    ("'d", "v"): "have",
    ("'ll", "MD"): "will",
    ("'d", "MD"): "would",
    ("wo", "MD"): "will",
    ("ca", "MD"): "can",
    ("sha", "MD"): "shall",
    ("does", "v"): "do",  # without a tag, not the plural of doe
    ("n't", "r"): "not",
    ("an", "DT"): "a",
}
_CLOSED_ANY = {
    form: lemma for (form, _), lemma in _CLOSED.items() if form not in {"wo", "ca", "ai", "sha", "'d"}
}

_SIBILANTS = ("s", "x", "z", "ch", "sh")
_VOWELS = frozenset("aeiouy")
# Plurals that are their own singular, although a noun exists that is one letter shorter.
_INVARIABLE = frozenset({"species", "means", "series", "philippines"})
# Stems that always take a final e in verbs unknown to WordNet: tokeniz|ed, crowdsourc|ing, geolocat|ed.
_STEMS_WITH_E = ("c", "v", "u", "iz", "yz", "at", "dg", "rg")


def part_of_speech(tag: str) -> str:
    """WordNet's letter for a Penn tag: n, v, a or r; ``""`` for any other tag."""
    letter = tag[:1]
    if letter and letter in "NV":
        return letter.lower()
    if letter == "J":
        return "a"
    return "r" if tag[:2] == "RB" else ""


class Lemmatizer:
    """Lemmas by Penn tag."""

    def __init__(self, store: WordNetStore) -> None:
        self._store = store

    def __call__(self, word: str, tag: str = "") -> str:
        """Return the lower-cased lemma of a word, with plain apostrophes.

        Without a tag, closed classes and irregular forms are tried first. Next is the word itself if it is a
        lemma, then the rules for plurals and verb forms.
        """
        lower = plain_apostrophes(word.lower())
        if not tag:
            return self._untagged(lower)
        part = part_of_speech(tag)
        closed = _CLOSED.get((lower, part or tag))
        if closed is not None:
            return closed
        if not part or tag == "NNP" or not lower[:1].isalpha():
            return lower
        if tag in {"NN", "VB", "JJ", "RB"} and self._store.has(lower, part):
            return lower
        found = self._inflected(lower, part)
        if not found and tag == "JJ":  # a participle that WordNet lists as a verb only
            found = self._inflected(lower, "v")
        return found or _regular(lower, tag)

    def _untagged(self, lower: str) -> str:
        closed = _CLOSED_ANY.get(lower)
        if closed is not None:
            return closed
        for part in "vnar":
            if (part, lower) in self._store.exceptions:
                return self._inflected(lower, part)
        if lower in self._store.ids or not lower[:1].isalpha():
            return lower
        for part in "nva":
            found = self._inflected(lower, part)
            if found:
                return found
        return lower

    def _inflected(self, lower: str, part: str) -> str:
        """The first lemma from an exception or a rule that is in WordNet; empty if there is none."""
        store = self._store
        irregular = store.exceptions.get((part, lower))
        if irregular is not None:
            # WordNet lists *instal*; the American lemma of *installed* is *install*.
            doubled = irregular + "l"
            is_american = part == "v" and lower.startswith(doubled) and store.has(doubled, "v")
            return doubled if is_american else irregular
        if part == "n":
            if lower in _INVARIABLE:
                return lower
            # The singular with the most meanings: *uses* is no plural of the U.S., nor *doses* of DOS.
            meanings = {
                noun: len(store.synsets(noun, "n")) - handicap
                for noun, handicap in _singulars(lower)
                if store.has(noun, "n")
            }
            return max(meanings, key=meanings.__getitem__, default="")
        parts = "ra" if part == "r" else part
        for base in _verb_bases(lower) if part == "v" else _positives(lower):
            if any(store.has(base, kind) for kind in parts):
                return base
        return ""


def _singulars(word: str) -> Iterator[tuple[str, float]]:
    """Possible singulars of a noun, each with how many more meanings than the others it needs."""
    if word.endswith("ies"):
        yield word[:-3] + "y", 0
        yield word[:-1], 0.5  # cookies
    elif word.endswith("es") and word[:-2].endswith(_SIBILANTS):
        yield word[:-1], 0
        yield word[:-2], 1.5  # glasses, bunches, but not corpses
    elif word.endswith("s") and not word.endswith("ss"):
        yield word[:-1], 0
    if word.endswith("men"):
        yield word[:-3] + "man", 0
    yield word, math.inf


def _positives(word: str) -> Iterator[str]:
    """Possible bases of an adjective or adverb, likeliest first; the last is the word itself."""
    for ending in ("er", "est"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            yield from _without_ending(stem)
            if stem.endswith("i"):
                yield stem[:-1] + "y"
    yield word


def _verb_bases(word: str) -> Iterator[str]:
    """Possible bases of a verb, likeliest first; the last is the word itself."""
    if word.endswith("ies") or word.endswith("ied"):
        yield word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith((*_SIBILANTS, "o")):
        yield from (word[:-1], word[:-2]) if word.endswith(("ses", "zes", "ches")) else (word[:-2], word[:-1])
    elif word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]
    for ending in ("ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield from _without_ending(word[: -len(ending)])
    yield word


def _without_ending(stem: str) -> Iterator[str]:
    """Bases of a stem that lost its ending: hop|ing is hope, sing|ing is sing, stopp|ing is stop."""
    likely_e = _ends_in_short_vowel(stem) or stem.endswith(("u", "v", "c"))
    yield from (stem + "e", stem) if likely_e else (stem, stem + "e")
    if len(stem) > 2 and stem[-1] == stem[-2]:
        yield stem[:-1]


def _ends_in_short_vowel(stem: str) -> bool:
    """Whether a stem ends in one vowel and one consonant; without a lost e, this would be doubled."""
    return (
        len(stem) >= 2
        and stem[-1] not in _VOWELS | {"w", "x"}
        and stem[-2] in _VOWELS
        and (len(stem) < 3 or stem[-3] not in _VOWELS)
    )


def _regular(word: str, tag: str) -> str:
    """Cut a regular ending off a word that WordNet does not know."""
    if tag in {"NNS", "NNPS", "VBZ"} and len(word) > 3 and word.endswith("s"):
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith("es") and word[:-2].endswith(_SIBILANTS):
            return word[:-2]
        return word if word.endswith("ss") else word[:-1]
    for ending, tags in (("ing", {"VBG"}), ("ed", {"VBD", "VBN"})):
        stem = word[: -len(ending)]
        if tag in tags and word.endswith(ending) and len(stem) > 2 and not _VOWELS.isdisjoint(stem):
            if stem[-1] == stem[-2] and stem[-1] not in "lsz":
                return stem[:-1]
            is_one_syllable = sum(letter in _VOWELS for letter in stem) == 1
            needs_e = stem.endswith(_STEMS_WITH_E) or (is_one_syllable and _ends_in_short_vowel(stem))
            return stem + "e" if needs_e else stem
    return word


_LISTED_SUFFIXES = """
ization isation ational ation ition tion ion ment ness ity ety ance ence ancy ency able ible ably ibly
ative itive ive ous ious eous ful fully al ial ical ic ally ically ly ist ism er or ee ant ent ary ory
ship hood dom ate ize ise ify ish y e ian an ing ed
"""
_SUFFIXES = tuple(_LISTED_SUFFIXES.split())
_SHORTEST_STEM = 4


def suffix_stems(lemma: str) -> tuple[str, ...]:
    """Stems of a lemma without its derivational suffixes, the lemma's own stem first.

    If two lemmas share a stem, one may be derived from the other. Stems have at least four letters, one of
    them a vowel. A final ``e``, ``i`` or ``y`` is dropped (happy, happi|ness).
    """
    if len(lemma) < _SHORTEST_STEM or not lemma.isalpha():
        return ()
    stems = dict.fromkeys([_plain(lemma)])
    for suffix in _SUFFIXES:
        if lemma.endswith(suffix):
            stem = _plain(lemma[: -len(suffix)])
            if len(stem) >= _SHORTEST_STEM and not _VOWELS.isdisjoint(stem):
                stems[stem] = None
    return tuple(stem for stem in stems if len(stem) >= _SHORTEST_STEM)


def _plain(stem: str) -> str:
    stem = stem[:-1] if stem.endswith(("e", "i", "y")) else stem
    return stem[:-1] if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] else stem
