"""Changes links like the published conversion of MSR-RTE to Stanford's tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from forest_align.alignment import Links

_WHOLE_NUMBER, _FRACTION = re.compile(r"\d+"), re.compile(r"\d+\\?/\d+")


def conform(links: Links, source: Sequence[str], target: Sequence[str]) -> Links:
    r"""Change links to match the published majority files of MSR-RTE.

    There are two rules besides moving links to new tokens. First, different marks of punctuation are never
    linked (a dash and a comma, an apostrophe and a possessive ``'s``). Second, Stanford's tokenizer treats a
    mixed number such as ``33 1\/3`` as one token. Links were numbered accordingly, but the files hold two
    tokens. Links after it are therefore one token too far left, except that of the last token.
    """
    left, right = _published_places(source), _published_places(target)
    moved = [(left[i], right[j]) for i, j in links]
    kept = [k for k, (i, j) in enumerate(moved) if source[i] == target[j] or not _marks(source[i], target[j])]
    return Links.of(
        (moved[k] for k in kept),
        sure=links.sure and [links.sure[k] for k in kept],
        scores=links.scores and [links.scores[k] for k in kept],
    )


def _published_places(words: Sequence[str]) -> list[int]:
    """Positions of each token's links: token numbers that count mixed numbers as one."""
    seconds = [False] * len(words)
    for index in range(1, len(words)):
        pair = _WHOLE_NUMBER.fullmatch(words[index - 1]), _FRACTION.fullmatch(words[index])
        seconds[index] = all(pair)
    places = [index - behind for index, behind in enumerate(accumulate(seconds))]
    return [*places[:-1], *range(len(words))[-1:]]


def _marks(first: str, second: str) -> bool:
    """Whether both are punctuation, or begin with it as ``'s`` does."""
    return not (first[0].isalnum() or second[0].isalnum())
