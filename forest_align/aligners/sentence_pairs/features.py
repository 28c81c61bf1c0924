"""Features of an aligned sentence pair: what its links leave over, replace, move and take apart."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations, pairwise
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.relations import AGENT, MODIFIER, OTHER, PATIENT
from forest_align.aligners.sentence_pairs._linked_sentence import (
    CLASSES,
    KINDS,
    RELATION_FEATURES,
    LinkedSentence,
    relation_counts,
)
from forest_align.lexicon.evidence import check_comparable
from forest_align.lexicon.oppositions import oppositions
from forest_align.lexicon.quantities import QuantityRelation, quantity_relations
from forest_align.types import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from forest_align.alignment import AtomicRelation, Links
    from forest_align.types import Sentence

_Sides = tuple[LinkedSentence, LinkedSentence]

_RELATIONS = {"modifier": MODIFIER, "agent": AGENT, "patient": PATIENT, "other participant": OTHER}
_FATES = ("kept", "changed", "exchanged", "lost")
_MOVES = (
    *("moved with relations broken", "moved with relations kept", "moved otherwise"),
    "in place with relations broken",
)
_ENDS = ("smaller", "larger")
#: Names of the features, in the order of the model's weights.
FEATURES: tuple[str, ...] = (
    *(f"{name} left, {end}" for name in CLASSES for end in _ENDS),
    *(f"{name} left, {end}" for name in ("share", "spans", "longest span") for end in _ENDS),
    *(
        name
        for kind in KINDS
        for name in (
            f"distance of equal {kind}",
            *(f"distance of other {kind}, {end}" for end in _ENDS),
            *(f"other {kind}, {end}" for end in _ENDS),
            f"unsure {kind}",
        )
    ),
    *(f"{name} distance" for name in ("largest", "mean", "fifth")),
    *(f"{name} {fate}" for name in _RELATIONS for fate in _FATES),
    *_MOVES,
    *("preposition kept", "preposition exchanged"),
    *("content word crossings", "share of crossings"),
    *(f"{name} crossings" for name in ("name", *KINDS)),
    *("breaks", "neighbours moved"),
    *(f"neighbours of {kind} lost" for kind in KINDS),
    *("length", "difference of lengths", "share of equal lemmas", "cosine of means"),
    *(f"{name} word, {end}" for name in ("nearest", "farthest") for end in _ENDS),
    *("different quantities", "opposed words linked", "opposed words left"),
    *RELATION_FEATURES,
)
# Words that stand closer to each other than this are neighbours.
_NEAR = 3


def pair_features(
    source: Sentence, target: Sentence, links: Links, relations: Sequence[AtomicRelation]
) -> dict[str, float]:
    """Features of a sentence pair with word links; swapped sentences have the same.

    - What is left over: words without links by class, their share of the content words, their spans. Links
      count by their probability.
    - What is replaced: linked content words with other lemmas and how far apart their vectors are, by kind;
      and how far apart those of equal words are, because vectors depend on the context.
    - Relations: modifiers, agents, patients and other participants of linked words that are kept, have
      another role, are exchanged for another word, or are lost.
    - Order: crossing links, neighbours that are no longer neighbours, words that moved with their relations
      kept or broken, prepositions.
    - The whole: lengths, lemmas in common, similarity of the vectors, different quantities, opposed words.
    - What natural logic says: the relation of the whole sentences, and the relations that it is joined from.

    Counts enter as log(1 + count). Sentences without tokens or word vectors raise an InputError, and so do
    vectors that cannot be compared.
    """
    for side, sentence in (("source", source), ("target", target)):
        if not len(sentence) or sentence.vectors is None:
            raise InputError("expected a sentence with tokens and word vectors", field=side)
    check_comparable(source, target)
    cosine = np.asarray(source.vectors) @ np.asarray(target.vectors).T
    sides = LinkedSentence(source, links, cosine), LinkedSentence(target, links.swap(), cosine.T)
    groups = (_left_over, _replaced, _relations, _prepositions, _order, _whole, _clashes)
    return dict(chain.from_iterable(group(sides) for group in groups)) | relation_counts(relations)


def _both(name: str, values: Iterable[float]) -> Iterator[tuple[str, float]]:
    """The smaller and the larger value of the two sentences."""
    for end, value in zip(_ENDS, sorted(values), strict=True):
        yield f"{name}, {end}", value


def _left_over(sides: _Sides) -> Iterator[tuple[str, float]]:
    missing = [[1.0 - side.probability.get(word, 0.0) for word in range(len(side.words))] for side in sides]
    for name in CLASSES:
        yield from _both(
            f"{name} left",
            (
                log1p(sum(p for p, own in zip(lost, side.classes, strict=True) if own == name))
                for side, lost in zip(sides, missing, strict=True)
            ),
        )
    yield from _both(
        "share left",
        (
            sum(lost[word] for word in side.content) / max(1, len(side.content))
            for side, lost in zip(sides, missing, strict=True)
        ),
    )
    runs = [
        "".join("x" if name and word not in side.partner else " " for word, name in enumerate(side.classes))
        for side in sides
    ]
    spans = [run.split() for run in runs]
    yield from _both("spans left", (log1p(len(own)) for own in spans))
    yield from _both("longest span left", (log1p(max(map(len, own), default=0)) for own in spans))


def _replaced(sides: _Sides) -> Iterator[tuple[str, float]]:
    of_same = [_by_lemma(*both) for both in (sides, sides[::-1])]
    for kind in KINDS:
        linked = [
            [word for word in same if side.kinds[word] == kind]
            for side, same in zip(sides, of_same, strict=True)
        ]
        equal = [
            sum(side.distance(word) for word in words if same[word])
            for side, same, words in zip(sides, of_same, linked, strict=True)
        ]
        yield f"distance of equal {kind}", sum(equal) / 2
        other = [
            [word for word in words if not same[word]] for same, words in zip(of_same, linked, strict=True)
        ]
        yield from _both(
            f"distance of other {kind}",
            (sum(map(side.distance, words)) for side, words in zip(sides, other, strict=True)),
        )
        yield from _both(f"other {kind}", (log1p(len(words)) for words in other))
        unsure = (
            sum(1.0 - side.probability[word] for word in words)
            for side, words in zip(sides, linked, strict=True)
        )
        yield f"unsure {kind}", sum(unsure) / 2
    distances = sorted(
        (side.distance(word) for side, same in zip(sides, of_same, strict=True) for word in same),
        reverse=True,
    )
    yield "largest distance", distances[0] if distances else 1.0
    yield "mean distance", float(np.mean(distances)) if distances else 1.0
    yield "fifth distance", distances[4] if len(distances) > 4 else 0.0


def _by_lemma(side: LinkedSentence, other: LinkedSentence) -> dict[int, bool]:
    """For each linked content word, whether its partner has the same lemma."""
    return {
        word: side.lemmas[word] == other.lemmas[side.partner[word]]
        for word in side.content
        if word in side.partner
    }


def _relations(sides: _Sides) -> Iterator[tuple[str, float]]:
    """What became of relations; and of those of moved words, which may stand elsewhere if these are kept."""
    fates: list[list[tuple[int, int, str, str]]] = []
    for side, other in (sides, sides[::-1]):
        fates.append(
            [
                (word, related, name, _fate(other, partner, side.partner[related], relation))
                for name, relation in _RELATIONS.items()
                for word, partner in side.partner.items()
                for related in side.related[word][relation]
                if related in side.partner
            ]
        )
    counts = Counter(fate[2:] for of_side in fates for fate in of_side)
    for name in _RELATIONS:
        for fate in _FATES:
            yield f"{name} {fate}", log1p(counts[name, fate])
    moved = dict.fromkeys(_MOVES, 0)
    for side, of_side in zip(sides, fates, strict=True):
        elsewhere = _moved(side)
        broken = {word for fate in of_side if fate[3] in ("changed", "exchanged") for word in fate[:2]}
        kept = {word for fate in of_side if fate[3] == "kept" for word in fate[:2]}
        moved["moved with relations broken"] += len(elsewhere & broken)
        moved["moved with relations kept"] += len(elsewhere & kept - broken)
        moved["moved otherwise"] += len(elsewhere - kept - broken)
        moved["in place with relations broken"] += len(broken - elsewhere)
    for name, count in moved.items():
        yield name, log1p(count / 2)


def _moved(side: LinkedSentence) -> set[int]:
    """The fewest linked content words without which the others come in the order of their partners."""
    linked = [word for word in side.content if word in side.partner]
    # For each word, the longest row that ends with it: its length, and the word before.
    rows: dict[int, tuple[int, int]] = {}
    for place, word in enumerate(linked):
        before = [earlier for earlier in linked[:place] if side.partner[earlier] <= side.partner[word]]
        last = max(before, key=lambda earlier: rows[earlier][0], default=-1)
        rows[word] = (rows[last][0] + 1 if last >= 0 else 1, last)
    kept = set()
    word = max(rows, key=lambda last: rows[last][0], default=-1)
    while word >= 0:
        kept.add(word)
        word = rows[word][1]
    return set(linked) - kept


def _fate(side: LinkedSentence, word: int, related: int, relation: int) -> str:
    """What became of a relation between two words, given the partners of both."""
    if word == related or related in side.related[word][relation]:
        return "kept"
    if any(related in others for others in side.related[word]):
        return "changed"
    return "exchanged" if any(other in side.partner for other in side.related[word][relation]) else "lost"


def _prepositions(sides: _Sides) -> Iterator[tuple[str, float]]:
    """Linked content words whose prepositions are equal or different; words without one do not count."""
    kept = exchanged = 0
    for side, other in (sides, sides[::-1]):
        for word in side.content:
            own = side.preposition(word) if word in side.partner else ""
            opposite = other.preposition(side.partner[word]) if own else ""
            kept += bool(opposite) and own == opposite
            exchanged += bool(opposite) and own != opposite
    yield "preposition kept", log1p(kept / 2)
    yield "preposition exchanged", log1p(exchanged / 2)


def _order(sides: _Sides) -> Iterator[tuple[str, float]]:
    for name, classes in {"content word": (), "name": ("name", "number"), **KINDS}.items():
        shares, crossings = [], []
        for side in sides:
            places = [
                side.partner[word]
                for word in side.content
                if word in side.partner and (not classes or side.classes[word] in classes)
            ]
            crossed = sum(place > later for place, later in combinations(places, 2))
            crossings.append(log1p(crossed))
            shares.append(crossed / max(1, len(places) * (len(places) - 1) / 2))
        yield f"{name} crossings", sum(crossings) / 2
        if not classes:
            yield "share of crossings", sum(shares) / 2
    breaks = moved = 0
    for side in sides:
        linked = [word for word in side.content if word in side.partner]
        for word, following in pairwise(linked):
            step = side.partner[following] - side.partner[word]
            breaks += not 0 < step <= _NEAR
            moved += following - word == 1 and abs(step) > _NEAR
    yield "breaks", log1p(breaks / 2)
    yield "neighbours moved", log1p(moved / 2)
    for kind in KINDS:
        yield f"neighbours of {kind} lost", log1p(sum(_lost_neighbours(side, kind) for side in sides))


def _lost_neighbours(side: LinkedSentence, kind: str) -> int:
    """Linked content words beside one of a kind whose partner is not near its partner."""
    lost = 0
    for word in side.content:
        if side.kinds[word] == kind and word in side.partner:
            for beside in (word - 1, word + 1):
                if beside in side.partner and side.kinds[beside]:
                    lost += abs(side.partner[beside] - side.partner[word]) >= _NEAR
    return lost


def _whole(sides: _Sides) -> Iterator[tuple[str, float]]:
    shorter, longer = sorted(log1p(len(side.content)) for side in sides)
    yield "length", shorter
    yield "difference of lengths", longer - shorter
    own, other = (
        {lemma for lemma, name in zip(side.lemmas, side.classes, strict=True) if name} for side in sides
    )
    yield "share of equal lemmas", len(own & other) / max(1, len(own | other))
    content = [side.content or list(range(len(side.words))) for side in sides]
    means = [np.asarray(side.vectors)[words].mean(0) for side, words in zip(sides, content, strict=True)]
    norms = float(np.linalg.norm(means[0]) * np.linalg.norm(means[1]))
    yield "cosine of means", float(means[0] @ means[1]) / norms if norms else 0.0
    nearest = [side.cosine[words].max(1) for side, words in zip(sides, content, strict=True)]
    yield from _both("nearest word", (float(cosines.mean()) for cosines in nearest))
    yield from _both("farthest word", (float(cosines.min()) for cosines in nearest))


def _clashes(sides: _Sides) -> Iterator[tuple[str, float]]:
    """Different quantities; opposed words, linked or without links."""
    source, target = sides
    words = source.words, target.words, source.tags, target.tags
    quantities = quantity_relations(*words) & int(QuantityRelation.OTHER)
    yield "different quantities", log1p(int(np.count_nonzero(quantities)))
    opposed = oppositions(*words) > 0
    linked = sum(bool(opposed[word, other]) for word, other in source.partner.items())
    linked += sum(bool(opposed[word, other]) for other, word in target.partner.items())
    yield "opposed words linked", log1p(linked / 2)
    free = [[word for word in range(len(side.words)) if word not in side.partner] for side in sides]
    yield "opposed words left", log1p(int(opposed[np.ix_(*free)].sum()))
