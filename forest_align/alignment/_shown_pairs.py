"""Which phrase pairs a view shows, in which order and with which numbers, so that all views agree.

Also the notes that a view shows: the probability of the whole sentences, whether they are paraphrases, how
phrases are related, and the number of hidden pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forest_align.alignment._phrase_pair import MOST_SIMILAR, PhrasePair
from forest_align.alignment._record import AlignmentRecord

#: A pair below this probability is more likely wrong than right; views show it pale.
LIKELY = 0.5


def shown_pairs(alignment: AlignmentRecord) -> list[PhrasePair]:
    """The phrase pairs that a view lists, in the order of the source, the longest first at each word.

    In a derivation, a phrase that is not a constituent is a part that binarization made. It is hidden unless
    nothing inside it is aligned by itself: its words then correspond as a group and are in no smaller pair.
    Without a derivation, all phrases that the aligner found are shown.
    """
    phrases = alignment.phrases
    if not alignment.has_derivation:
        return _in_order(phrases)
    return _in_order(pair for pair in phrases if pair.constituents or _is_smallest(pair, phrases))


def hidden_note(alignment: AlignmentRecord, shown: Sequence[PhrasePair]) -> str:
    """Describe the pairs that :func:`shown_pairs` hides; empty if there are none."""
    hidden = len(alignment.phrases) - len(shown)
    pairs = "phrase pair" if hidden == 1 else "phrase pairs"
    return f"{hidden} {pairs} with parts of constituents" if hidden else ""


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


def _is_smallest(pair: PhrasePair, phrases: Iterable[PhrasePair]) -> bool:
    """Whether no other pair lies inside this one."""
    start, end = pair.source_node.span
    inside = (one for one in phrases if start <= one.source_node.start and one.source_node.end <= end)
    return all(one is pair for one in inside)


def _in_order(phrases: Iterable[PhrasePair]) -> list[PhrasePair]:
    return sorted(
        phrases,
        key=lambda pair: (
            pair.source_node.start,
            -pair.source_node.end,
            pair.target_node.start,
            -pair.target_node.end,
        ),
    )


def numbers_of(pairs: Sequence[PhrasePair]) -> dict[int, int]:
    """Numbers (and colours) of the pairs with several words on a side, by position in the list."""
    longer = [
        place
        for place, pair in enumerate(pairs)
        if max(end - start for start, end in (pair.source_node.span, pair.target_node.span)) > 1
    ]
    return {place: number for number, place in enumerate(longer)}
