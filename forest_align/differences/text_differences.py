"""Computes from an alignment how much each word says something that the other text does not say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from forest_align.alignment import MOST_SIMILAR, Alignment, AtomicRelation, PhrasePair, Span
from forest_align.lexicon import load_lexicon
from forest_align.meaning import known_relations
from forest_align.meaning.relation_algebra import DIFFERENT, EQUIVALENT, OPPOSITE
from forest_align.types import InputError
from forest_align.types.json_records import JsonObject
from forest_align.types.spans import gaps

#: DifferingWords from which on neighbouring words make a differing span.
MARKED = 0.5
# DifferingWords of words that are known to say something else.
_SIZES = {OPPOSITE: 1.0, DIFFERENT: 0.8}
# Most difference of a word in a phrase that is known to be equivalent.
_EQUIVALENT = 0.3
# Share of the word vectors in a difference, if there are any.
_VECTORS = 0.3
# Similarity of linked words of other lemmas that no phrase pair judges, from 0 to 1.
_LINKED = 0.8


class DifferingSpan(JsonObject, frozen=True):
    """A span that says something else.

    Attributes
    ----------
    side : str
        ``"source"`` or ``"target"``.
    span, characters : (int, int)
        Half-open spans of tokens, and of characters of the raw text.
    text : str
        The words.
    difference : float
        Mean difference of its words, in [0, 1].
    """

    side: str
    span: tuple[int, int]
    characters: tuple[int, int]
    text: str
    difference: float


@dataclass(frozen=True, slots=True)
class DifferingWords:
    """Words that correspond, or have no counterpart, and do not say the same."""

    source: tuple[int, int] | None  # half-open span; None without words
    target: tuple[int, int] | None
    relation: str  # such as "more specific" or "opposite"; empty if nothing more is known
    rule: str  # what was noticed, such as "negation"
    difference: float  # highest of its words, in [0, 1]


@dataclass(frozen=True, slots=True)
class TextDifferences:
    """How much two texts differ, and in what.

    Attributes
    ----------
    source, target : tuple of float
        For each word how much it says something else, from 0 (the same) to 1.
    spans : tuple of DifferingSpan
        Maximal spans of words with a difference of :data:`MARKED` or more, source first.
    pairs : tuple of DifferingWords
        The words that do not say the same, the greatest difference first.
    """

    source: tuple[float, ...]
    target: tuple[float, ...]
    spans: tuple[DifferingSpan, ...]
    pairs: tuple[DifferingWords, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON values, see ``docs/reference/formats.md``."""
        return {
            "source_differences": list(self.source),
            "target_differences": list(self.target),
            "spans": [one.to_dict() for one in self.spans],
            "pairs": [_pair_values(one) for one in self.pairs],
        }


def _pair_values(one: DifferingWords) -> dict[str, Any]:
    spans = {"source": one.source, "target": one.target}
    own = {side: list(span) for side, span in spans.items() if span is not None}
    kind = {"relation": one.relation} if one.relation else {}
    return {**own, **kind, "rule": one.rule, "difference": one.difference}


def differences_of(alignment: Alignment) -> TextDifferences:
    """How much each word and span of an alignment says something else.

    A linked word differs by 1 - p·s, where p is the probability of its link and s the similarity of the
    smallest phrase pair around the link, divided by the highest. Words of one lemma without such a pair have
    s = 1, other words 0.8. A word without a link differs by 1. Where both texts have word vectors, 0.3 of the
    difference is 1 minus the highest cosine of the word with a word of the other text.

    Meaning has the last word: what is known to be opposite differs by 1, what is known to be different by
    0.8, and words whose smallest phrase pair is equivalent by 0.3 at most. Punctuation never differs.

    Parameters
    ----------
    alignment : Alignment
        Similarities are used where its phrase pairs have them.

    Raises
    ------
    InputError
        If the pair could not be aligned.
    """
    if alignment.error:
        raise InputError(f"expected an alignment, found the error: {alignment.error}")
    lexicon = load_lexicon()
    sentences = alignment.source, alignment.target
    profiles = tuple(lexicon.profiles(sentence) for sentence in sentences)
    judged = sorted((pair for pair in alignment.phrases if pair.similarity is not None), key=_size)
    distances = _distances(alignment)
    sides = []
    for side in (0, 1):
        found: list[float] = []
        for word, profile in enumerate(profiles[side]):
            if profile.is_punctuation:
                found.append(0.0)
                continue
            links = [
                (pair, 1.0 if alignment.words.scores is None else alignment.words.scores[k])
                for k, pair in enumerate(alignment.words.pairs)
                if pair[side] == word
            ]
            if links:
                similarities = [
                    score * _similarity(i, j, judged, profiles[0][i].lemma == profiles[1][j].lemma)
                    for (i, j), score in links
                ]
                difference = 1.0 - max(similarities)
            else:
                difference = 1.0
            if distances is not None:
                difference += _VECTORS * (distances[side][word] - difference)
            found.append(difference)
        sides.append(tuple(found))
    known = known_relations(alignment)
    numbers = tuple(_corrected(alignment, side, sides[side], known) for side in (0, 1))
    spans = tuple(span for side in (0, 1) for span in _spans(alignment, side, numbers[side]))
    return TextDifferences(numbers[0], numbers[1], spans, _pairs(numbers, known))


def _corrected(
    alignment: Alignment, side: int, values: Sequence[float], known: Sequence[AtomicRelation]
) -> tuple[float, ...]:
    """The differences of the words of a side, with what is known of their meaning."""
    found = list(values)
    equal = sorted((pair for pair in alignment.phrases if pair.relation is not None), key=_size)
    for word in range(len(found)):
        around = (pair for pair in equal if _holds((pair.source_node, pair.target_node)[side].span, word))
        smallest = next(around, None)
        if smallest is not None and smallest.relation is not None and smallest.relation.name == EQUIVALENT:
            found[word] = min(found[word], _EQUIVALENT)
    for one in known:
        span = (one.source, one.target)[side]
        if span is not None and one.relation in _SIZES:
            for word in range(*span):
                found[word] = max(found[word], _SIZES[one.relation])
    return tuple(found)


def _pairs(
    numbers: tuple[Sequence[float], ...], known: Sequence[AtomicRelation]
) -> tuple[DifferingWords, ...]:
    found = []
    for one in known:
        values = [
            value
            for side, span in zip(numbers, (one.source, one.target), strict=True)
            if span is not None
            for value in side[slice(*span)]
        ]
        found.append(DifferingWords(one.source, one.target, one.relation, one.rule, max(values)))
    return tuple(sorted(found, key=lambda one: -one.difference))


def _distances(alignment: Alignment) -> tuple[list[float], list[float]] | None:
    """For each word 1 minus its highest cosine with a word of the other text; None without word vectors."""
    ours, theirs = alignment.source.vectors, alignment.target.vectors
    if ours is None or theirs is None or not len(ours) or not len(theirs):
        return None
    cosines = (ours @ theirs.T).clip(0.0, 1.0)
    return (1.0 - cosines.max(axis=1)).tolist(), (1.0 - cosines.max(axis=0)).tolist()


def _similarity(i: int, j: int, judged: Sequence[PhrasePair], same: bool) -> float:
    """The similarity of two linked words, from 0 to 1."""
    for pair in judged:
        if _holds(pair.source_node.span, i) and _holds(pair.target_node.span, j):
            return _agreement(pair)
    return 1.0 if same else _LINKED


def _agreement(pair: PhrasePair) -> float:
    """How much two phrases say the same, from 0 to 1."""
    assert pair.similarity is not None
    return pair.similarity / MOST_SIMILAR


def _holds(span: Span, word: int) -> bool:
    return span[0] <= word < span[1]


def _size(pair: PhrasePair) -> int:
    return sum(len(range(*node.span)) for node in (pair.source_node, pair.target_node))


def _spans(alignment: Alignment, side: int, differences: Sequence[float]) -> list[DifferingSpan]:
    sentence, name = (alignment.source, "source") if side == 0 else (alignment.target, "target")
    sentence = sentence.with_offsets()
    alike = [word for word, difference in enumerate(differences) if difference < MARKED]
    return [
        DifferingSpan(
            name,
            (start, end),
            (sentence.tokens[start].start, sentence.tokens[end - 1].end),
            " ".join(sentence.words[start:end]),
            sum(differences[start:end]) / (end - start),
        )
        for start, end in gaps(alike, len(differences))
    ]
