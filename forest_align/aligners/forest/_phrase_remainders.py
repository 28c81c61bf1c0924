"""Links the two words that a sure pair of short phrases leaves over: *heart*, *myocardial*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forest_align.lexicon.tables import is_content_word

if TYPE_CHECKING:
    from forest_align.alignment import PhrasePair
    from forest_align.types import Sentence

#: A pair of phrases is sure above this probability, and short up to this number of words.
LEAST_PROBABILITY, MOST_WORDS = 0.9, 4


def left_over_links(
    source: Sentence,
    target: Sentence,
    phrases: Sequence[PhrasePair],
    links: Mapping[tuple[int, int], float],
    scores: Mapping[tuple[int, int], float],
) -> dict[tuple[int, int], float]:
    """Links between content words that are the only ones without a link in a pair of phrases.

    If several words of a side are left over, nothing says which ones belong together. A word that is left
    over on one side only is mostly an added one.
    """
    free = (
        {i for i, word in enumerate(source.words) if is_content_word(word)} - {i for i, _ in links},
        {j for j, word in enumerate(target.words) if is_content_word(word)} - {j for _, j in links},
    )
    found: dict[tuple[int, int], float] = {}
    if not all(free):
        return found
    for pair in phrases:
        spans = pair.source_node.span, pair.target_node.span
        if pair.probability <= LEAST_PROBABILITY or max(end - start for start, end in spans) > MOST_WORDS:
            continue
        left_over = [sorted(side.intersection(range(*span))) for side, span in zip(free, spans, strict=True)]
        if [len(words) for words in left_over] == [1, 1]:
            cell = left_over[0][0], left_over[1][0]
            if cell in scores:
                found[cell] = scores[cell]
    return found
