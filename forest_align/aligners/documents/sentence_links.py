"""Which sentences of two documents say the same, at least in part: probabilities, then the best set of links.

A first regression reads how well two sentences cover each other. A second one reads their surroundings, too:
whether the sentences before and behind correspond, and whether another sentence covers the same words. A
third one knows, by the second probabilities, which pairs are close: place finds a reworded sentence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.joint.program import maximise
from forest_align.aligners.logistic_function import regression

if TYPE_CHECKING:
    from forest_align.aligners.documents.sentence_matches import Pair, SentenceMatches


#: What the first regression reads of a pair, and what the second and third one read besides.
OWN_FEATURES = ("larger share", "smaller share", "cosine", "overlap", "difference of lengths")
CONTEXT_FEATURES = ("pair before", "pair behind", "rival", "neighbour")
PLACE_FEATURES = ("close behind", "close before", "between", "larger other", "smaller other")
# python -m forest_align.em.recipes document-links MTREF/train.tsv WIKI/train.tsv --limit 900 --verses VERSES
# The constants come last.
OWN_WEIGHTS = (16.46, 5.79, 1.87, 7.10, -0.01, -14.78)
CONTEXT_WEIGHTS = (15.33, 3.98, 4.94, 8.88, 0.50, 1.47, 1.70, -3.80, 1.19, -15.47)
PLACE_WEIGHTS = (
    *(9.41, 8.73, 2.49, 2.82, 1.02, 0.03, 0.19, -2.13, 1.27),
    *(4.15, 3.85, -3.16, -3.15, -4.27, -10.48),
)
# What remains of a probability for each sentence that is passed over.
_KEPT = 0.7
_TINY = 1e-30
# Two links may share a sentence if they cover different parts of it: the mean similarity of its words to both
# partners exceeds that to the better one by this much.
LEAST_GAIN = 0.1
# A pair with a first probability below this one is no rival.
_RIVAL = 0.05
# Sentences that may be missing between two neighbouring pairs, plus one.
_REACH = 3
# Links of a sentence that are considered; there are more only if it is repeated many times.
_MOST_LINKS = 12
# A difference of places decides between links that are equal otherwise.
_TIE = 1e-3
_FOLLOWS = 0.1
_HALF = 0.5


def own_features(matches: SentenceMatches) -> np.ndarray:
    """Features of the candidates: float64, shape (C, 5), in the order of ``matches.coverage``."""
    rows = []
    source_weights, target_weights = matches.weights
    for i, j in matches.coverage:
        smaller, larger = sorted(matches.shares((i, j)))
        length = source_weights[matches.source.words(i)].sum()
        difference = abs(np.log(length / target_weights[matches.target.words(j)].sum()))
        rows.append((larger, smaller, matches.cosine[i, j], matches.overlap[i, j], difference))
    return np.array(rows, np.float64).reshape(-1, len(OWN_FEATURES))


def context_features(matches: SentenceMatches, probabilities: np.ndarray) -> np.ndarray:
    """What surrounds each candidate, by first probabilities: float64, shape (C, 4)."""
    pairs = list(matches.coverage)
    padded = np.zeros((len(matches.source) + 2 * _REACH, len(matches.target) + 2 * _REACH), np.float32)
    for (i, j), probability in zip(pairs, probabilities.tolist(), strict=True):
        padded[i + _REACH, j + _REACH] = probability
    rivals = _rivals(matches, dict(zip(pairs, probabilities.tolist(), strict=True)))
    rows = []
    for i, j in pairs:
        a, b = i + _REACH, j + _REACH
        before = padded[a - _REACH : a, b - _REACH : b].max()
        behind = padded[a + 1 : a + 1 + _REACH, b + 1 : b + 1 + _REACH].max()
        neighbour = max(padded[a, b - 1], padded[a, b + 1], padded[a - 1, b], padded[a + 1, b])
        rows.append((before, behind, rivals.get((i, j), 0.0), neighbour))
    return np.array(rows, np.float64).reshape(-1, len(CONTEXT_FEATURES))


def _rivals(matches: SentenceMatches, probabilities: Mapping[Pair, float]) -> dict[Pair, float]:
    """For each candidate the most probable other one that covers the same part of one of its sentences."""
    rivals: dict[Pair, float] = defaultdict(float)
    for first, second in _sharing([pair for pair, p in probabilities.items() if p > _RIVAL], probabilities):
        same = max(0.0, 1 - matches.gain(first, second) / (2 * LEAST_GAIN))
        rivals[first] = max(rivals[first], same * probabilities[second])
        rivals[second] = max(rivals[second], same * probabilities[first])
    return rivals


def _sharing(pairs: Sequence[Pair], probabilities: Mapping[Pair, float]) -> Iterator[tuple[Pair, Pair]]:
    """Every two pairs with a sentence in common, of the most probable ones of that sentence."""
    for of_sentence in _by_sentence(pairs, probabilities):
        yield from combinations(of_sentence[:_MOST_LINKS], 2)


def _by_sentence(pairs: Sequence[Pair], probabilities: Mapping[Pair, float]) -> Iterator[list[Pair]]:
    """The pairs of each sentence of either document, the most probable first."""
    for side in (0, 1):
        of_sentence: dict[int, list[Pair]] = defaultdict(list)
        for pair in pairs:
            of_sentence[pair[side]].append(pair)
        for same_sentence in of_sentence.values():
            yield sorted(same_sentence, key=lambda pair: -probabilities[pair])


def place_features(matches: SentenceMatches, probabilities: np.ndarray) -> np.ndarray:
    """The place of each candidate, by second probabilities: float64, shape (C, 5).

    *Close behind*: the greatest probability of a pair before it in both documents, less for each sentence
    between them; both documents begin and end together. *Other*: the greatest probability of another pair of
    its source or its target sentence.
    """
    if not matches.coverage:
        return np.zeros((0, len(PLACE_FEATURES)))
    shape = np.array([len(matches.source), len(matches.target)])
    pairs = np.array(list(matches.coverage), np.intp)
    behind = _closeness(pairs, probabilities, shape)
    before = _closeness((shape - 1 - pairs)[::-1], probabilities[::-1], shape)[::-1]
    others = np.stack([_others(pairs[:, side], probabilities) for side in (0, 1)])
    return np.stack([behind, before, behind * before, others.max(0), others.min(0)], axis=1)


def _closeness(pairs: np.ndarray, probabilities: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """For each pair, in the order of sources, how close and how probable a pair before it is.

    A step by one sentence in one of the documents, or by one in both over an improbable pair, takes the same
    share; the step from one pair to the next of both documents takes nothing.
    """
    columns = shape[1] + 1
    decay = np.log(_KEPT) * np.arange(columns)
    ends = np.searchsorted(pairs[:, 0], np.arange(shape[0]), side="right")
    closeness = np.zeros(len(pairs))
    # The row before the first one holds the beginning of both documents.
    known, close = np.zeros(columns), np.zeros(columns)
    known[0] = 1.0
    begin = 0
    for end in ends.tolist():
        row = np.zeros(columns)
        inside = pairs[begin:end, 1] + 1
        row[inside] = probabilities[begin:end]
        best = _KEPT * np.maximum(known, close)
        best[1:] = np.maximum(best[1:], np.maximum(known[:-1], _KEPT * close[:-1]))
        best[1:] = np.maximum(best[1:], _KEPT * row[:-1])
        close = np.exp(np.maximum.accumulate(np.log(np.maximum(best, _TINY)) - decay) + decay)
        closeness[begin:end] = close[inside]
        known, begin = row, end
    return closeness


def _others(sentences: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """The greatest probability of another pair with the same sentence; 0 if there is none."""
    order = np.lexsort((-probabilities, sentences))
    starts = np.flatnonzero(np.diff(sentences[order], prepend=-1))
    lengths = np.diff([*starts, len(order)])
    best = probabilities[order[starts]]
    second = np.where(lengths > 1, probabilities[order[np.minimum(starts + 1, len(order) - 1)]], 0.0)
    others = np.empty(len(sentences))
    others[order] = np.repeat(best, lengths)
    others[order[starts]] = second
    return others


def link_probabilities(matches: SentenceMatches) -> dict[Pair, float]:
    """The probability that two sentences say the same, at least in part, for every candidate."""
    if not matches.coverage:
        return {}
    own = own_features(matches)
    context = context_features(matches, regression(own, OWN_WEIGHTS))
    features = np.concatenate([own, context], axis=1)
    place = place_features(matches, regression(features, CONTEXT_WEIGHTS))
    probabilities = regression(np.concatenate([features, place], axis=1), PLACE_WEIGHTS)
    # Pairs of the same two sentences, repeated in a document, have the greatest probability of them.
    copies = {(i, j): (matches.source.copies[i], matches.target.copies[j]) for i, j in matches.coverage}
    greatest: dict[Pair, float] = defaultdict(float)
    for pair, probability in zip(matches.coverage, probabilities.tolist(), strict=True):
        greatest[copies[pair]] = max(greatest[copies[pair]], probability)
    return {pair: greatest[copies[pair]] for pair in matches.coverage}


def best_links(
    matches: SentenceMatches, probabilities: Mapping[Pair, float], threshold: float = 0.5
) -> list[Pair]:
    """The set of links with the largest sum of log-odds in which no two cover the same part of a sentence.

    The best set is that of links with a probability of at least one half. Less probable ones are added one by
    one, the most probable first. So each threshold keeps the links of every higher one.
    """
    distance = matches.distance()
    # Of copies, the one that follows what stands before it, then the nearest one.
    ties = dict(zip(matches.coverage, _places_of_copies(matches, probabilities).tolist(), strict=True))
    ties = {pair: tie - _TIE * float(distance[pair]) for pair, tie in ties.items()}
    nearest = {pair: p + ties[pair] for pair, p in probabilities.items()}
    chosen = _best_probable(matches, probabilities, nearest, ties)
    less_probable = [pair for pair, p in probabilities.items() if threshold <= p < _HALF]
    for pair in sorted(less_probable, key=lambda pair: -nearest[pair]):
        if not any(
            matches.gain(pair, other) < LEAST_GAIN
            for other in chosen
            if pair[0] == other[0] or pair[1] == other[1]
        ):
            chosen.append(pair)
    return sorted(pair for pair in chosen if probabilities[pair] >= threshold)


def _best_probable(
    matches: SentenceMatches,
    probabilities: Mapping[Pair, float],
    nearest: Mapping[Pair, float],
    ties: Mapping[Pair, float],
) -> list[Pair]:
    """The best set of the pairs with a probability of at least one half."""
    pairs = _most_probable([pair for pair, p in probabilities.items() if p >= _HALF], nearest)
    place = {pair: number for number, pair in enumerate(pairs)}
    conflicts = [
        (place[first], place[second])
        for first, second in _sharing(pairs, nearest)
        if matches.gain(first, second) < LEAST_GAIN
    ]
    if not conflicts:
        return pairs
    clipped = np.clip([probabilities[pair] for pair in pairs], 1e-9, 1 - 1e-9)
    odds = np.log(clipped / (1 - clipped))
    scores = odds + np.array([ties[pair] for pair in pairs]) + 2 * _TIE
    variables = np.array(conflicts, np.int32).ravel()
    starts = np.arange(0, len(variables) + 1, 2, dtype=np.int32)
    chosen, _ = maximise(scores, starts, variables, np.ones(len(variables)), np.ones(len(conflicts)))
    return [pair for pair, is_chosen in zip(pairs, chosen.tolist(), strict=True) if is_chosen]


def _places_of_copies(matches: SentenceMatches, probabilities: Mapping[Pair, float]) -> np.ndarray:
    """For each candidate with a repeated sentence, how close pairs without copies are; 0 for others."""
    if not matches.coverage:
        return np.zeros(0)
    pairs = np.array(list(matches.coverage))
    is_copy = np.zeros(len(pairs), bool)
    for side, table in enumerate((matches.source, matches.target)):
        is_copy |= np.bincount(table.copies)[table.copies][pairs[:, side]] > 1
    values = np.array([probabilities.get(pair, 0.0) for pair in matches.coverage])
    place = place_features(matches, np.where(is_copy, 0.0, values))
    return np.asarray(np.where(is_copy, _FOLLOWS * (2 * place[:, 0] + place[:, 1]), 0.0))


def _most_probable(pairs: Sequence[Pair], probabilities: Mapping[Pair, float]) -> list[Pair]:
    """The pairs that are among the most probable ones of both of their sentences."""
    kept = set(pairs)
    for of_sentence in _by_sentence(pairs, probabilities):
        kept.difference_update(of_sentence[_MOST_LINKS:])
    return [pair for pair in pairs if pair in kept]


def sentence_groups(links: Sequence[Pair]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Sentences that links join, directly or through others: source and target numbers, by first source."""
    groups: list[tuple[set[int], set[int]]] = []
    for i, j in links:
        joined = [group for group in groups if i in group[0] or j in group[1]]
        groups = [group for group in groups if group not in joined]
        source = {i}.union(*(sources for sources, _ in joined))
        target = {j}.union(*(targets for _, targets in joined))
        groups.append((source, target))
    return sorted((tuple(sorted(source)), tuple(sorted(target))) for source, target in groups)
