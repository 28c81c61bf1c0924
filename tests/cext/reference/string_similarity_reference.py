"""The similarities of words in plain Python: what the tests compare the compiled kernel with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

LETTERS = 24


def string_similarities(
    source_letters: np.ndarray, source_ends: np.ndarray, target_letters: np.ndarray, target_ends: np.ndarray
) -> np.ndarray:
    """See ``string_similarity.string_similarities``."""
    sides = [
        [letters[start:end].tolist()[:LETTERS] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        for letters, ends in ((source_letters, source_ends), (target_letters, target_ends))
    ]
    cells = [[_measures(one, two) for two in sides[1]] for one in sides[0]]
    return np.moveaxis(np.array(cells, dtype=np.float32), 2, 0)


def _measures(one: Sequence[int], two: Sequence[int]) -> tuple[float, ...]:
    if not set(one) & set(two):
        return (0.0,) * 7
    shorter, longer = sorted((len(one), len(two)))
    prefix = next((k for k in range(shorter) if one[k] != two[k]), shorter)
    return (
        _jaro_winkler(one, two, prefix),
        2 * (_grams(one, 2) & _grams(two, 2)).total() / (len(one) + len(two) + 2),
        sum(a == b for a, b in zip(one, two, strict=False)) / longer,
        len(set(one) & set(two)) / len(set(one) | set(two)),
        1 - _edits(one, two) / longer,
        (_grams(one, 3) & _grams(two, 3)).total() / shorter,
        prefix / longer,
    )


def _grams(word: Sequence[int], size: int) -> Counter[tuple[int, ...]]:
    edged = [-1, *word, -1]
    return Counter(tuple(edged[k : k + size]) for k in range(len(edged) - size + 1))


def _jaro_winkler(one: Sequence[int], two: Sequence[int], prefix: int) -> float:
    reach = max(max(len(one), len(two)) // 2 - 1, 0)
    taken: set[int] = set()
    lefts = []
    for a, letter in enumerate(one):
        for b in range(max(a - reach, 0), min(a + reach + 1, len(two))):
            if b not in taken and two[b] == letter:
                taken.add(b)
                lefts.append(letter)
                break
    if not lefts:
        return 0.0
    moved = sum(letter != two[b] for letter, b in zip(lefts, sorted(taken), strict=True))
    matches = len(lefts)
    jaro = (matches / len(one) + matches / len(two) + (matches - moved / 2) / matches) / 3
    return jaro + 0.1 * min(prefix, 4) * (1 - jaro)


def _edits(one: Sequence[int], two: Sequence[int]) -> int:
    row = list(range(len(two) + 1))
    for a, letter in enumerate(one):
        new = [a + 1]
        for b, other in enumerate(two):
            new.append(min(row[b + 1] + 1, new[b] + 1, row[b] + (letter != other)))
        row = new
    return row[-1]
