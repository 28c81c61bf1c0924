"""Equal words of two sentences, evidence whether people would mark them with what changed beside them.

Between two sentences, words that come in the same order stay equal, and other words change. People mark more
than the words that changed: *the 1970 elections*, where only the year is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from forest_align.types import Sentence

Span = tuple[int, int]

_TAGS = ("NN", "VB", "JJ", "RB", "IN", "DT", "CD", "PR", "MD", "CC", "TO")
_CONTENT = ("NN", "VB", "JJ", "RB", "CD")
_LABELS = ("NP", "VP", "PP", "S")
_OF_SIDE = (
    *("nothing changed", "distance inverse", "beside", "distance", "changed words", "constituent"),
    "constituent against both",
    *(f"constituent is {label}" for label in _LABELS),
    *("content words between", "punctuation between", "words only in one sentence"),
)
#: Names of the features, in the order of the model's weights.
WORD_FEATURES = (
    *(f"{name}, {side}" for side in ("before", "after") for name in _OF_SIDE),
    *("changes on both sides", "words between changes", "punctuation between changes"),
    *("one word between changes", "two words between changes", "content words between changes"),
    *("punctuation", "sentence length", "position", "changes", "share of equal words"),
    *(
        f"{tag} {where}"
        for where in ("nearer to the one before", "nearer to the one after", "beside before", "beside after")
        for tag in _TAGS
    ),
)


class EqualOrChanged(NamedTuple):
    """A maximal run of equal words, or of words that changed; a side without words is an insertion.

    Attributes
    ----------
    source, target : (int, int)
        Half-open token spans.
    is_equal : bool
        Whether the words are equal, but for their case.
    """

    source: Span
    target: Span
    is_equal: bool


def pieces(source: Sequence[str], target: Sequence[str]) -> list[EqualOrChanged]:
    """Divide two lists of words into runs of equal and of other words; together they cover all words."""
    lower = [word.lower() for word in source], [word.lower() for word in target]
    codes = SequenceMatcher(None, *lower, autojunk=False).get_opcodes()
    return [EqualOrChanged((i, j), (s, t), name == "equal") for name, i, j, s, t in codes]


def equal_word_features(
    source: Sentence, target: Sentence, runs: Sequence[EqualOrChanged]
) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Features of each pair of equal words.

    Parameters
    ----------
    source, target : Sentence
        With tags; with forests if there are constituents to look at.
    runs : sequence of EqualOrChanged
        Their :func:`pieces`.

    Returns
    -------
    list of (int, int)
        The pairs of equal words.
    numpy.ndarray
        float64, shape (E, len(WORD_FEATURES)).
    """
    phrases = _phrases(source), _phrases(target)
    equal = [run for run in runs if run.is_equal]
    length = len(source)
    share = sum(run.source[1] - run.source[0] for run in equal) / max(1, length)
    changes, places, rows = len(runs) - len(equal), [], []
    for number, run in enumerate(runs):
        if not run.is_equal:
            continue
        before = runs[number - 1] if number else None
        after = runs[number + 1] if number + 1 < len(runs) else None
        (start, end), tags = run.source, source.tags
        both = float(before is not None and after is not None)
        inside = [both * value for value in _between(source, range(start, end))]
        for word in range(start, end):
            other = run.target[0] + word - start
            near = [
                word - start + 1 if before else length + 1,
                end - word if after else length + 1,
            ]
            is_tag = [float(tags[word].startswith(tag)) for tag in _TAGS]
            which = (near[0] <= near[1], near[0] > near[1], near[0] == 1, near[1] == 1)
            rows.append(
                [
                    *_of_side(source, phrases, (word, other), before, range(start, word), near[0]),
                    *_of_side(source, phrases, (word, other), after, range(word + 1, end), near[1]),
                    *(both, both * log(end - start), inside[1], both * (end - start == 1)),
                    *(both * (end - start == 2), inside[0]),
                    *(float(not any(map(str.isalnum, source.words[word]))), log(length), word / length),
                    *(changes, share),
                    *(float(is_there) * value for is_there in which for value in is_tag),
                ]
            )
            places.append((word, other))
    return places, np.array(rows, np.float64).reshape(-1, len(WORD_FEATURES))


def _of_side(
    source: Sentence,
    phrases: tuple[Sequence[tuple[int, int, str]], ...],
    word: tuple[int, int],
    change: EqualOrChanged | None,
    between: range,
    distance: int,
) -> list[float]:
    """The features of a word and the change before or after it."""
    if change is None:
        return [1.0, *[0.0] * (len(_OF_SIDE) - 1)]
    found = []
    for place, (start, end), known in zip(word, (change.source, change.target), phrases, strict=True):
        low, high = min(place, start), max(place + 1, min(end, start + 1))
        found.append(
            min(
                ((e - s, label) for s, e, label in known if s <= low and high <= e),
                default=(len(source), "S"),
            )
        )
    size, label = max(found[0][0], found[1][0]), found[0][1]
    sizes = change.source[1] - change.source[0], change.target[1] - change.target[0]
    content, punctuation = _between(source, between)
    return [
        *(0.0, 1 / distance, float(distance == 1), log(distance), log(max(sizes)), log(size)),
        log(size / (max(sizes) + distance)),
        *(float(label.startswith(name) if name == "S" else label == name) for name in _LABELS),
        *(content, punctuation, float(min(sizes) == 0)),
    ]


def _between(source: Sentence, words: range) -> tuple[float, float]:
    """Number of content words, and whether there is punctuation."""
    tags = [source.tokens[word].tag for word in words]
    content = sum(tag[:2] in _CONTENT for tag in tags)
    return float(content), float(any(not any(map(str.isalnum, source.tokens[word].text)) for word in words))


def _phrases(sentence: Sentence) -> list[tuple[int, int, str]]:
    """Span and first label of the nodes of several words in the best tree; empty without a forest."""
    forest = sentence.forest
    if forest is None:
        return []
    return [
        (int(forest.start[node]), int(forest.end[node]), forest.labels[node].split("::")[0])
        for node in forest.best_nodes()
        if forest.end[node] - forest.start[node] > 1
    ]


def marked_spans(
    runs: Sequence[EqualOrChanged], places: Sequence[tuple[int, int]], marked: Sequence[bool]
) -> list[tuple[Span, Span]]:
    """The spans that have changed words, joined with the equal words beside them that are marked.

    Parameters
    ----------
    runs : sequence of EqualOrChanged
        The pieces of two sentences.
    places : sequence of (int, int)
        Their pairs of equal words.
    marked : sequence of bool
        Whether people would mark each of them.

    Returns
    -------
    list of ((int, int), (int, int))
        Half-open token spans in order; one of two may be empty.
    """
    chosen = dict(zip(places, marked, strict=True))
    parts: list[tuple[Span, Span, bool] | None] = []
    for run in runs:
        if run.is_equal:
            for word, other in zip(range(*run.source), range(*run.target), strict=True):
                is_marked = chosen[word, other]
                parts.append(((word, word + 1), (other, other + 1), False) if is_marked else None)
        else:
            parts.append((run.source, run.target, True))
    found, row = [], []
    for part in [*parts, None]:
        if part is not None:
            row.append(part)
        elif row:
            if any(one[2] for one in row):
                found.append(((row[0][0][0], row[-1][0][1]), (row[0][1][0], row[-1][1][1])))
            row = []
    return found
