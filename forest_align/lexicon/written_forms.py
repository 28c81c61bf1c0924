"""How two words are written: other forms of one word, misspellings, look-alikes, and variants of a name."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon.evidence import word_relations
from forest_align.lexicon.lexicon import Evidence, load_lexicon
from forest_align.lexicon.tables import is_content_word, number_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forest_align.lexicon.lexicon import Lexicon, WordProfile
    from forest_align.types import Sentence


_FORMAT = int(Evidence.ABBREVIATION | Evidence.NUMBER)
_DERIVATION = int(Evidence.DERIVATION | Evidence.SUFFIX)
_SPELLING = int(Evidence.SPELLING)
_CONTRACTIONS = frozenset(("'m", "'re", "'s", "'ve", "'d", "'ll", "n't", "wo", "ca"))


def word_change(one: WordProfile, two: WordProfile) -> str:
    """Name what differs between two linked words with other forms."""
    if one.lemma == two.lemma:
        return "format" if {one.lower, two.lower} & _CONTRACTIONS else "inflection"
    relations = word_relations(one, two)
    if relations & _SPELLING:
        return "spelling"
    if relations & _FORMAT:
        return "format"
    return "derivation" if relations & _DERIVATION else ""


# Letters of a word in which one and two mistakes are allowed.
_ONE_MISTAKE, _TWO_MISTAKES = 3, 7


def is_misspelling(one: WordProfile, two: WordProfile, lexicon: Lexicon) -> bool:
    """Whether one of two words is no word of English and looks like a form of the other one, which is.

    The first letter must be the same, or exchanged with the second one. Names that the lexicon lacks are no
    misspellings of each other.
    """
    is_known = _is_known(one, lexicon)
    if is_known == _is_known(two, lexicon):
        return False
    wrong, right = (two, one) if is_known else (one, two)
    for form in {right.lower, right.lemma}:
        shorter = min(len(wrong.lower), len(form))
        if shorter < _ONE_MISTAKE or wrong.lower[0] not in form[:2] or form[0] not in wrong.lower[:2]:
            continue
        if _mistakes_between(wrong.lower, form) <= (2 if shorter >= _TWO_MISTAKES else 1):
            return True
    return False


def _is_known(word: WordProfile, lexicon: Lexicon) -> bool:
    """Whether a word is in the lexicon, or nothing that could be there: a function word, a number, a sign."""
    return (
        not word.lower.isalpha()
        or word.is_function
        or not is_content_word(word.lower)
        or word.lemma in lexicon.store.ids
        or word.lower in lexicon.store.ids
        or bool(number_value(word.lower))
    )


def _mistakes_between(one: str, two: str) -> int:
    """Letters that are inserted, left out, replaced or exchanged with the next one (Damerau 1964)."""
    before, last = [0] * (len(two) + 1), list(range(len(two) + 1))
    for i, letter in enumerate(one, 1):
        current = [i]
        for j, other in enumerate(two, 1):
            cost = min(last[j] + 1, current[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == two[j - 2] and one[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        before, last = last, current
    return last[-1]


_SHORTEST = 4
_LEAST_SHARE = 0.5
_RELATED = ~int(Evidence.SUBSTRING)


def look_alikes(lefts: Sequence[WordProfile], rights: Sequence[WordProfile]) -> Iterator[tuple[int, int]]:
    """Find the words of two sentences that look alike and that nothing else relates.

    They differ by one mistake, or by two if half of their pairs of letters are the same. Both are words of
    the lexicon, so neither is the other one misspelled.
    """
    places: dict[str, list[int]] = {}
    for j, right in enumerate(rights):
        for variant in _variants(right.lower, right.lemma):
            places.setdefault(variant, []).append(j)
    for i, left in enumerate(lefts):
        candidates = {j for variant in _variants(left.lower, left.lemma) for j in places.get(variant, ())}
        yield from ((i, j) for j in sorted(candidates) if _are_look_alikes(left, rights[j]))


def _are_look_alikes(one: WordProfile, two: WordProfile) -> bool:
    """Whether two words of the lexicon look alike, and nothing else relates them."""
    first, second = sorted((one.lower, two.lower), key=lambda word: (len(word), word))
    if one.lemma == two.lemma or second.startswith(first):  # indoor, indoors
        return False
    if not _have_one_mistake(first, second) and _share_of_bigrams(first, second) < _LEAST_SHARE:
        return False
    return not word_relations(one, two) & _RELATED


@lru_cache(maxsize=100_000)
def _variants(word: str, lemma: str) -> frozenset[str]:
    """A word of the lexicon, and the same without one letter: words with one mistake share one."""
    if len(word) < _SHORTEST or not word.isalpha() or lemma not in load_lexicon().store.ids:
        return frozenset()
    return frozenset((word, *(word[:place] + word[place + 1 :] for place in range(len(word)))))


def _have_one_mistake(shorter: str, longer: str) -> bool:
    """Whether a letter is added or replaced, or two letters are exchanged."""
    start = next((k for k, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    one, two = shorter[start:], longer[start:]
    if len(one) < len(two):
        return one == two[1:]
    return one[1:] == two[1:] or (one[1::-1] == two[:2] and one[2:] == two[2:])


@lru_cache(maxsize=100_000)
def _share_of_bigrams(one: str, two: str) -> float:
    first, second = (Counter(word[k : k + 2] for k in range(len(word) - 1)) for word in (one, two))
    return 2 * (first & second).total() / (first.total() + second.total())


# Letters that stand for one sound in transliterations and short forms; each letter is in one class at most.
_SOUNDS = {
    letter: number
    for number, group in enumerate(("aeiouy", "ckgqx", "szj", "fvwpb", "td", "mn", "rl"))
    for letter in group
}
_VOWELS = frozenset("aeiouy")
# Costs of a step: a letter of the same sound, a vowel or an h that comes or goes, a doubled letter, the end
# that a short form leaves out, and anything else.
_SAME_SOUND, _LIGHT, _DOUBLED, _ENDING, _OTHER = 0.4, 0.4, 0.2, 0.25, 1.0
_NAME_TAGS = ("NNP", "NNPS")
_KEPT = 50_000


def name_similarities(source: Sentence, target: Sentence) -> np.ndarray:
    """The similarity of every two names, 0 for other words. Shapes: returns float32 (n, m)."""
    similarities = np.zeros((len(source), len(target)), dtype=np.float32)
    names = [[place for place, tag in enumerate(side.tags) if tag in _NAME_TAGS] for side in (source, target)]
    for i, j in product(*names):
        similarities[i, j] = name_similarity(source.words[i], target.words[j])
    return similarities


def name_similarity(one: str, two: str) -> float:
    """How similar two names are spelled, from 0 to 1; the same either way round.

    It is 1 less twice the cost of the cheapest steps from one name to the other, divided by the length of the
    shorter name, and at least 0: *Muhammad* and *Mohammed*, *Bill* and *Billy* are near 1, *Bill* and *Mary*
    are 0. Letters of one sound cost less than others, and so do vowels, doubled letters and what follows a
    whole short name. The transducer of Andrews, Eisner & Dredze (2012) learns such costs from names of one
    person; here they are fixed.
    """
    return _similarity(*sorted((one.lower(), two.lower()), key=lambda name: (len(name), name)))


@lru_cache(maxsize=_KEPT)
def _similarity(short: str, long: str) -> float:
    if not short:
        return 0.0
    above = [0.0]
    for j in range(len(long)):
        above.append(above[j] + _alone(long, j))
    for i, letter in enumerate(short):
        last = i == len(short) - 1
        row = [above[0] + _alone(short, i)]
        for j, other in enumerate(long):
            is_alike = _SOUNDS.get(letter, letter) == _SOUNDS.get(other, other)
            step = 0.0 if letter == other else _SAME_SOUND if is_alike else _OTHER
            inserted = min(_alone(long, j), _ENDING) if last else _alone(long, j)
            row.append(min(above[j] + step, above[j + 1] + _alone(short, i), row[j] + inserted))
        above = row
    return max(0.0, 1 - 2 * above[-1] / len(short))


def _alone(name: str, place: int) -> float:
    """Cost of a letter that the other name lacks."""
    letter = name[place]
    if place and name[place - 1] == letter:
        return _DOUBLED
    return _LIGHT if letter in _VOWELS or letter == "h" else _OTHER
