"""Which phrase pairs a view shows, in which order and with which numbers, so that all views agree.

Also the notes that a view shows: the probability of the whole sentences, whether they are paraphrases, and
how phrases are related.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment.json_objects import MOST_SIMILAR

#: A pair below this probability is more likely wrong than right; views show it pale.
LIKELY = 0.5


def ordered_pairs(alignment: AlignmentRecord) -> list[PhrasePair]:
    """All phrase pairs, in the order of the source, the longest first at each word."""
    return sorted(
        alignment.phrases,
        key=lambda pair: (
            pair.source_node.start,
            -pair.source_node.end,
            pair.target_node.start,
            -pair.target_node.end,
        ),
    )


def spans_of(pair: PhrasePair) -> tuple[tuple[int, int], tuple[int, int]]:
    """The spans of both phrases."""
    return pair.source_node.span, pair.target_node.span


def core_places(alignment: AlignmentRecord, pairs: Sequence[PhrasePair]) -> dict[int, int]:
    """The pairs whose difference is their own: for each, its place in ``pairs`` and its number from 0.

    A pair differs if its phrases have different words. The difference is its own if no smaller pair inside
    differs, or if a link of different words lies inside it but outside of all smaller pairs. Words that are
    left over make no difference; views list them on their own. ``pairs`` are as :func:`ordered_pairs` gives
    them.
    """
    words = _folded_words(alignment)
    differing = [
        words[0][slice(*pair.source_node.span)] != words[1][slice(*pair.target_node.span)] for pair in pairs
    ]
    numbers: dict[int, int] = {}
    for place, pair in enumerate(pairs):
        if not differing[place]:
            continue
        inside = list(_places_inside(pairs, place))
        links = [link for link in alignment.words if _contains(pair, link)]
        if any(differing[k] for k in inside):
            is_core = any(
                words[0][i] != words[1][j] and not any(_touches(pairs[k], (i, j)) for k in inside)
                for i, j in links
            )
        else:
            linked = [sorted({link[side] for link in links}) for side in (0, 1)]
            kept = [[words[side][index] for index in linked[side]] for side in (0, 1)]
            is_core = not links or kept[0] != kept[1]
        if is_core:
            numbers[place] = len(numbers)
    return numbers


def changed_links(alignment: AlignmentRecord, core: Sequence[PhrasePair]) -> list[int]:
    """Places of the links of different words that no core pair contains."""
    words = _folded_words(alignment)
    return [
        place
        for place, link in enumerate(alignment.words)
        if words[0][link[0]] != words[1][link[1]] and not any(_contains(pair, link) for pair in core)
    ]


def _folded_words(alignment: AlignmentRecord) -> tuple[list[str], list[str]]:
    """The words of both sides without case."""
    source, target = alignment.source.words, alignment.target.words
    return [word.casefold() for word in source], [word.casefold() for word in target]


def _contains(pair: PhrasePair, link: tuple[int, int]) -> bool:
    """Whether both words of a link are in the phrases of a pair."""
    source, target = pair.source_node, pair.target_node
    return source.start <= link[0] < source.end and target.start <= link[1] < target.end


def _touches(pair: PhrasePair, link: tuple[int, int]) -> bool:
    """Whether one of the words of a link is in the phrases of a pair."""
    source, target = pair.source_node, pair.target_node
    return source.start <= link[0] < source.end or target.start <= link[1] < target.end


def _places_inside(pairs: Sequence[PhrasePair], place: int) -> Iterator[int]:
    """Places of the smaller pairs inside one; in the order of the pairs they come after it."""
    pair = pairs[place]
    for k in range(place + 1, len(pairs)):
        if pairs[k].source_node.start >= pair.source_node.end:
            return
        source, target = pairs[k].source_node, pairs[k].target_node
        if source.end <= pair.source_node.end and (
            pair.target_node.start <= target.start and target.end <= pair.target_node.end
        ):
            yield k


def roots_note(alignment: AlignmentRecord) -> str:
    """Say that the whole sentences are aligned or, if that is more likely wrong, with what probability.

    Empty if they are not, and if :func:`paraphrase_note` says more.
    """
    if not alignment.root_aligned or alignment.paraphrase_probability is not None:
        return ""
    for pair in alignment.phrases:
        if alignment.is_root_pair(pair) and pair.probability < LIKELY:
            return f"whole sentences improbable: {pair.probability:.2f}"
    return "whole sentences aligned"


def paraphrase_note(alignment: AlignmentRecord) -> str:
    """Say how probable it is that the sentences are paraphrases; empty if that is not known."""
    paraphrase = alignment.paraphrase_probability
    return "" if paraphrase is None else f"paraphrases: {paraphrase:.2f}"


def relation_note(pair: PhrasePair) -> str:
    """Describe how the phrases of a pair are related: *more specific (number)*; empty if not known."""
    if pair.relation is None:
        return ""
    changes = ", ".join(pair.relation.changes)
    return f"{pair.relation.name} ({changes})" if changes else pair.relation.name


def similarity_note(pair: PhrasePair) -> str:
    """The similarity of a pair and its highest value, as *4.7/5*; empty if not known."""
    return "" if pair.similarity is None else f"{pair.similarity:.1f}/{MOST_SIMILAR:g}"


def word_note(alignment: AlignmentRecord, side: int, index: int) -> str:
    """The words that a word of a side is linked to, with probabilities and evidence; empty without links."""
    notes = []
    for k, link in enumerate(alignment.words):
        if link[side] != index:
            continue
        other = (alignment.target, alignment.source)[side].words[link[1 - side]]
        score = "" if alignment.words.scores is None else f" {alignment.words.scores[k]:.2f}"
        if link in alignment.outside:
            score += " outside of the phrases"
        names = ", ".join(alignment.word_evidence[k]) if alignment.word_evidence else ""
        notes.append(f"{other}{score}" + (f" ({names})" if names else ""))
    return "; ".join(notes)
