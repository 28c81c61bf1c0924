"""How much each word of an aligned text says that the other text does not say, and the views of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from forest_align.alignment import MOST_SIMILAR, Alignment, AtomicRelation, PhrasePair, Span
from forest_align.alignment.html import page_start
from forest_align.alignment.page_style import escaped
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

    def to_dict(self) -> dict[str, Any]:
        """JSON values, see ``docs/reference/formats.md``."""
        values = {"source": self.source and list(self.source), "target": self.target and list(self.target)}
        known = {name: value for name, value in {**values, "relation": self.relation}.items() if value}
        return {**known, "rule": self.rule, "difference": self.difference}


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
            "spans": [span.to_dict() for span in self.spans],
            "pairs": [words.to_dict() for words in self.pairs],
        }


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
    profiles = lexicon.profiles(alignment.source), lexicon.profiles(alignment.target)
    judged = sorted((pair for pair in alignment.phrases if pair.similarity is not None), key=_size)
    known, links = known_relations(alignment), alignment.words
    # For each side the similarities of the links of each word.
    similarities: list[list[list[float]]] = [[[] for _ in side] for side in profiles]
    for (i, j), score in zip(links, links.scores or (1.0,) * len(links), strict=True):
        similarity = score * _similarity(i, j, judged, profiles[0][i].lemma == profiles[1][j].lemma)
        similarities[0][i].append(similarity)
        similarities[1][j].append(similarity)
    distances = _distances(alignment)
    numbers = []
    for side in (0, 1):
        differences = [1.0 - max(of_word, default=0.0) for of_word in similarities[side]]
        if distances is not None:
            pairs = zip(differences, distances[side], strict=True)
            differences = [value + _VECTORS * (distance - value) for value, distance in pairs]
        plain = [
            0.0 if profile.is_punctuation else value
            for profile, value in zip(profiles[side], differences, strict=True)
        ]
        numbers.append(_corrected(alignment, side, plain, known))
    spans = tuple(span for side in (0, 1) for span in _spans(alignment, side, numbers[side]))
    return TextDifferences(numbers[0], numbers[1], spans, _pairs(numbers, known))


def _corrected(
    alignment: Alignment, side: int, values: Sequence[float], known: Sequence[AtomicRelation]
) -> tuple[float, ...]:
    """The differences of the words of a side, with what is known of their meaning."""
    corrected = list(values)
    related = sorted((pair for pair in alignment.phrases if pair.relation is not None), key=_size)
    for word in range(len(corrected)):
        around = (pair for pair in related if _holds((pair.source_node, pair.target_node)[side].span, word))
        smallest = next(around, None)
        if smallest is not None and smallest.relation is not None and smallest.relation.name == EQUIVALENT:
            corrected[word] = min(corrected[word], _EQUIVALENT)
    for atom in known:
        for word in range(*((atom.source, atom.target)[side] or (0, 0))):
            corrected[word] = max(corrected[word], _SIZES.get(atom.relation, 0.0))
    return tuple(corrected)


def _pairs(numbers: Sequence[Sequence[float]], known: Sequence[AtomicRelation]) -> tuple[DifferingWords, ...]:
    pairs = []
    for atom in known:
        spans = zip(numbers, (atom.source, atom.target), strict=True)
        values = [value for side, span in spans if span is not None for value in side[slice(*span)]]
        pairs.append(DifferingWords(*atom, max(values)))
    return tuple(sorted(pairs, key=lambda pair: -pair.difference))


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
            return (pair.similarity or 0.0) / MOST_SIMILAR
    return 1.0 if same else _LINKED


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


DIFFERENCES_PAGE_START = (
    page_start("Differences", " .d { border-radius: 3px; padding: 2px; }")
    + '<p class="note">The redder a word, the more it says something that the other text does not say. '
    "Its number appears when the mouse is over it.</p>\n"
)


def differences_to_text(alignment: Alignment, differences: TextDifferences) -> str:
    """One line for each pair of words that do not say the same, and for other words that differ."""
    lines = [f"pair {alignment.id}" if alignment.id else "pair"]
    for pair in differences.pairs:
        sides = [
            " ".join(sentence.words[slice(*span)]) if span is not None else "–"
            for sentence, span in ((alignment.source, pair.source), (alignment.target, pair.target))
        ]
        kind = f"{pair.relation} ({pair.rule})" if pair.relation else pair.rule
        lines.append(f"{pair.difference:.2f}  {' ↔ '.join(sides)}  {kind}")
    for span in differences.spans:
        is_source, (start, end) = span.side == "source", span.span
        listed = (pair.source if is_source else pair.target for pair in differences.pairs)
        if any(place is not None and place[0] < end and start < place[1] for place in listed):
            continue
        sides = [span.text, "–"] if is_source else ["–", span.text]
        lines.append(f"{span.difference:.2f}  {' ↔ '.join(sides)}")
    if len(lines) == 1:
        lines.append("no differences")
    return "\n".join(lines) + "\n"


def differences_to_html(alignment: Alignment, differences: TextDifferences) -> str:
    """A section to follow ``DIFFERENCES_PAGE_START``: both texts."""
    rows = []
    sides = (alignment.source, differences.source), (alignment.target, differences.target)
    for sentence, values in sides:
        # A pair that failed has words, but no differences.
        values = values or (0.0,) * len(sentence)
        words = [
            f'<span class="d" style="background:rgba(211,51,51,{value / 2:.2f})" title="{value:.2f}">'
            f"{escaped(word)}</span>"
            for word, value in zip(sentence.words, values, strict=True)
        ]
        rows.append(f'<p class="side">{" ".join(words)}</p>')
    head = f'<h2>Pair {escaped(alignment.id)} <span class="note">{escaped(alignment.aligner)}</span></h2>'
    return f"<section>\n{head}\n{chr(10).join(rows)}\n</section>\n"
