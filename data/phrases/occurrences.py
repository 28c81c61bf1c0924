"""Finds the corresponding phrases of an alignment, so that a phrase table can count them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from forest_align.alignment import Alignment, Links, PhraseRelation
from forest_align.data.formats.fields import one_line
from forest_align.data.formats.format import Span
from forest_align.types import InputError

Spans = tuple[Span, Span]

_SAYS_SOMETHING = re.compile(r"[^\W_]|[$%&€£°]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which pairs of phrases are counted; one object for all alignments of a table.

    Attributes
    ----------
    min_probability : float
        A pair less probable than this in its alignment is skipped, as if it had not been aligned.
    max_words : int
        Maximum number of words in either phrase.
    constituents : bool
        Count only pairs of constituents. Skip parts that binarization made (``VP'``: *took part* in *took
        part in it*) and links of several words that are not a pair of phrases of the trees.
    identical : bool
        List pairs of equal phrases.
    expanded : bool
        List pairs that differ from a smaller pair inside them only by equal words.
    keep_case : bool
        Distinguish *Apple* from *apple*; otherwise everything is lower-cased.
    symmetric : bool
        Count each pair in both directions: a table of paraphrases without source and target.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    min_probability: float = 0.5
    max_words: int = 7
    constituents: bool = False
    identical: bool = False
    expanded: bool = False
    keep_case: bool = False
    symmetric: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.min_probability <= 1.0:
            raise InputError(f"expected 0 to 1, found {self.min_probability}", field="min_probability")
        if self.max_words < 1:
            raise InputError(f"expected at least 1, found {self.max_words}", field="max_words")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A pair of phrases in one alignment."""

    source: str  # tokens joined by spaces, lower-cased if selected, without tabs and line ends
    target: str
    labels: tuple[str, str]  # such as ("NP", "NP::NNS"); empty if unknown
    probability: float  # that the pair is right
    listed: bool  # belongs in the table, not only to its phrases' totals
    links: str  # word links inside the pair, as "0-0 1-2"
    relation: PhraseRelation | None = None
    similarity: float | None = None

    def swap(self) -> Occurrence:
        """The same pair seen from the target side."""
        return replace(
            self,
            source=self.target,
            target=self.source,
            labels=self.labels[::-1],
            links=Links.from_pharaoh(self.links).swap().to_pharaoh(),
            relation=self.relation and self.relation.swap(),
        )


class _Found(NamedTuple):
    """What is known about a pair of spans."""

    probability: float
    labels: tuple[str, str]
    relation: PhraseRelation | None = None
    similarity: float | None = None


def occurrences(alignment: Alignment, selection: Selection) -> Iterator[Occurrence]:
    """The pairs of an alignment that count, each pair of spans once.

    They are the pairs of the derivation and closed groups of sure word links. The words of such a group are
    linked to no other word and form one span on each side: single words, or *died* with *passed away*. A
    group is as probable as its weakest link. Pairs are skipped if neither side has a letter, digit or sign of
    a unit.
    """
    pairs = {
        spans: pair
        for spans, pair in _pairs(alignment, selection).items()
        if pair.probability >= selection.min_probability
        and all(end - start <= selection.max_words for start, end in spans)
    }
    words = alignment.source.words, alignment.target.words
    lower = tuple([word.lower() for word in side] for side in words)
    links = alignment.words.only_sure().pairs
    for spans, (probability, labels, relation, similarity) in pairs.items():
        source, target = (
            one_line(" ".join(side[start:end])).strip()
            for side, (start, end) in zip(words if selection.keep_case else lower, spans, strict=True)
        )
        if not (source and target and (_SAYS_SOMETHING.search(source) or _SAYS_SOMETHING.search(target))):
            continue
        if source.lower() == target.lower():
            listed = selection.identical
        else:
            listed = selection.expanded or not _is_expanded(lower, spans, pairs)
        (a, b), (c, d) = spans
        inside = (f"{i - a}-{j - c}" for i, j in links if a <= i < b and c <= j < d)
        shown = " ".join(inside) if listed else ""
        yield Occurrence(source, target, labels, probability, listed, shown, relation, similarity)


def _pairs(alignment: Alignment, selection: Selection) -> dict[Spans, _Found]:
    """What is known about each pair of spans; the derivation takes precedence over word links."""
    known: dict[Spans, _Found] = {}
    derived = set()
    for pair in alignment.phrases:
        source, target = pair.source_node, pair.target_node
        spans = source.span, target.span
        derived.add(spans)
        labels = source.label, target.label
        # A word is a constituent, even if the aligner has no trees.
        is_word = all(end - start == 1 for start, end in spans)
        wanted = pair.constituents or is_word or not selection.constituents
        if wanted and (pair.probability, labels) > known.get(spans, _Found(-1.0, ("", "")))[:2]:
            known[spans] = _Found(pair.probability, labels, pair.relation, pair.similarity)
    # Without a tree, constituents are unknown.
    any_group = not (selection.constituents and alignment.phrases)
    for spans, probability in _link_groups(alignment.words.only_sure()):
        sides = list(zip((alignment.source, alignment.target), spans, strict=True))
        if spans not in derived and (any_group or all(end - start == 1 for start, end in spans)):
            source_tag, target_tag = (
                sentence.tokens[start].tag if end - start == 1 else "" for sentence, (start, end) in sides
            )
            known[spans] = _Found(probability, (source_tag, target_tag))
    return known


def _link_groups(links: Links) -> Iterator[tuple[Spans, float]]:
    """Groups of links that share no word with another link and cover one span of each sentence."""
    of_word: dict[tuple[int, int], list[int]] = {}  # (side, word) → its links
    for k, link in enumerate(links):
        for word in enumerate(link):
            of_word.setdefault(word, []).append(k)
    seen: set[int] = set()
    for first in range(len(links)):
        if first in seen:
            continue
        seen.add(first)
        group = [first]
        for k in group:  # it grows during the iteration
            # Look up the links of each word only once: otherwise many-to-many links would take for ever.
            new = {other for word in enumerate(links.pairs[k]) for other in of_word.pop(word, ())} - seen
            seen |= new
            group += new
        source, target = ({links.pairs[k][side] for k in group} for side in (0, 1))
        if all(max(side) - min(side) < len(side) for side in (source, target)):
            weakest = min(links.scores[k] for k in group) if links.scores else 1.0
            spans = (min(source), max(source) + 1), (min(target), max(target) + 1)
            yield spans, min(1.0, max(0.0, weakest))


def _is_expanded(words: Sequence[Sequence[str]], spans: Spans, pairs: Container[Spans]) -> bool:
    """Whether a smaller pair lies inside, with equal words before it and equal words after it."""
    (a, b), (c, d) = spans
    ours, theirs = words[0][a:b], words[1][c:d]
    shorter = min(len(ours), len(theirs))
    before = next((k for k in range(shorter) if ours[k] != theirs[k]), shorter)
    after = next((k for k in range(shorter) if ours[-1 - k] != theirs[-1 - k]), shorter)
    return any(
        ((a + left, b - right), (c + left, d - right)) in pairs
        for left in range(before + 1)
        for right in range(after + 1)
        if 0 < left + right < shorter
    )
