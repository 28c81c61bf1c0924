"""Computes from an alignment how much each word says something that the other text does not say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from forest_align.alignment import MOST_SIMILAR, Alignment, PhrasePair, Span
from forest_align.lexicon import load_lexicon
from forest_align.types import InputError
from forest_align.types.spans import gaps

#: Difference from which on neighbouring words make a differing span.
DIFFERENT = 0.5
# Least difference of phrases that are certainly so related: opposites are similar, but mean something else.
_LEAST = {"opposite": 1.0, "related": 0.7, "similar": 0.5}
# Share of the word vectors in a difference, if there are any.
_VECTORS = 0.3
# Similarity of linked words of other lemmas that no phrase pair judges, from 0 to 1.
_LINKED = 0.8


@dataclass(frozen=True, slots=True)
class DifferingSpan:
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
class TextDifferences:
    """How much two texts differ.

    Attributes
    ----------
    source, target : tuple of float
        For each word how much it says something else, from 0 (the same) to 1.
    spans : tuple of DifferingSpan
        Maximal spans of words with a difference of :data:`DIFFERENT` or more, source first.
    """

    source: tuple[float, ...]
    target: tuple[float, ...]
    spans: tuple[DifferingSpan, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON values, see ``docs/reference/formats.md``."""
        return {
            "source_differences": list(self.source),
            "target_differences": list(self.target),
            "spans": [
                {
                    "side": one.side,
                    "span": list(one.span),
                    "characters": list(one.characters),
                    "text": one.text,
                    "difference": one.difference,
                }
                for one in self.spans
            ],
        }


def differences_of(alignment: Alignment) -> TextDifferences:
    """How much each word and span of an alignment says something else.

    A linked word differs by 1 - p·s, where p is the probability of its link and s the similarity of the
    smallest phrase pair around the link, divided by the highest; less if its relation is *opposite*,
    *related* or *similar*. Words of one lemma without such a pair have s = 1, other words 0.8.

    A word without a link differs by 1. If the smallest phrase pair around it is *equivalent*, the word
    differs by the dissimilarity of that pair only. Where both texts have word vectors, 0.3 of the difference
    is 1 minus the highest cosine of the word with a word of the other text. Punctuation never differs.

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
                difference = _inside(word, side, judged)
            if distances is not None:
                difference += _VECTORS * (distances[side][word] - difference)
            found.append(difference)
        sides.append(tuple(found))
    spans = tuple(span for side in (0, 1) for span in _spans(alignment, side, sides[side]))
    return TextDifferences(sides[0], sides[1], spans)


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
    """How much two phrases say the same: their similarity, unless their relation says that they do not."""
    assert pair.similarity is not None
    similarity = pair.similarity / MOST_SIMILAR
    if pair.relation is None:
        return similarity
    return min(similarity, 1.0 - _LEAST.get(pair.relation.name, 0.0) * pair.relation.probability)


def _inside(word: int, side: int, judged: Sequence[PhrasePair]) -> float:
    """How dissimilar the smallest phrase pair around a word is, if it is equivalent; otherwise 1."""
    for pair in judged:
        if _holds((pair.source_node, pair.target_node)[side].span, word):
            if pair.relation is not None and pair.relation.name == "equivalent":
                assert pair.similarity is not None
                return 1.0 - pair.similarity / MOST_SIMILAR
            return 1.0
    return 1.0


def _holds(span: Span, word: int) -> bool:
    return span[0] <= word < span[1]


def _size(pair: PhrasePair) -> int:
    return sum(len(range(*node.span)) for node in (pair.source_node, pair.target_node))


def _spans(alignment: Alignment, side: int, differences: Sequence[float]) -> list[DifferingSpan]:
    sentence, name = (alignment.source, "source") if side == 0 else (alignment.target, "target")
    sentence = sentence.with_offsets()
    alike = [word for word, difference in enumerate(differences) if difference < DIFFERENT]
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
