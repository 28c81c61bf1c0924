"""Collapses names into single tokens, *Bank_of_Holland*, as Thadani et al. (2012, §3) do in their corpus."""

from __future__ import annotations

from collections.abc import Sequence

from forest_align.alignment import Links

Span = tuple[int, int]


def collapse(words: Sequence[str], names: Sequence[Span]) -> tuple[tuple[str, ...], list[int]]:
    """Join the words of each name with underscores; also return the new token of each word.

    Names are half-open spans in order that do not overlap.
    """
    ends = {start: end for start, end in names}
    tokens: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(words):
        end = ends.get(at, at + 1)
        places += [len(tokens)] * (end - at)
        tokens.append("_".join(words[at:end]))
        at = end
    return tuple(tokens), places


def collapsed_links(links: Links, source: Sequence[int], target: Sequence[int]) -> Links:
    """Links of the new tokens (see :func:`collapse`); a link is sure if one of its words' links is."""
    return Links.of([(source[i], target[j]) for i, j in links], sure=links.sure)
