"""How similar two names are spelled: one name may be written or derived from the other in several steps.

This takes the place of the name phylogeny of Andrews, Eisner & Dredze (2012), a stochastic transducer that
is learned from names of one person. Here the cost of each step is fixed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from forest_align.types import Sentence

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
    found = np.zeros((len(source), len(target)), dtype=np.float32)
    ours, theirs = ([k for k, tag in enumerate(side.tags) if tag in _NAME_TAGS] for side in (source, target))
    for i in ours:
        for j in theirs:
            found[i, j] = name_similarity(source.words[i], target.words[j])
    return found


def name_similarity(one: str, two: str) -> float:
    """How similar two names are spelled, from 0 to 1; the same either way round.

    It is 1 less twice the cost of the cheapest steps from one name to the other, divided by the length of the
    shorter name, and at least 0: *Muhammad* and *Mohammed*, *Bill* and *Billy* are near 1, *Bill* and *Mary*
    are 0. Letters of one sound cost less than others, and so do vowels, doubled letters and what follows a
    whole short name.
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
            step = 0.0 if letter == other else _SAME_SOUND if _sound(letter) == _sound(other) else _OTHER
            inserted = min(_alone(long, j), _ENDING) if last else _alone(long, j)
            row.append(min(above[j] + step, above[j + 1] + _alone(short, i), row[j] + inserted))
        above = row
    return max(0.0, 1 - 2 * above[-1] / len(short))


def _sound(letter: str) -> int | str:
    return _SOUNDS.get(letter, letter)


def _alone(name: str, place: int) -> float:
    """Cost of a letter that the other name lacks."""
    letter = name[place]
    if place and name[place - 1] == letter:
        return _DOUBLED
    return _LIGHT if letter in _VOWELS or letter == "h" else _OTHER
