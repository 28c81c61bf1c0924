"""Derivational suffixes: words such as create, creation and creator, without a dictionary."""

from __future__ import annotations

_LISTED = """
ization isation ational ation ition tion ion ment ness ity ety ance ence ancy ency able ible ably ibly
ative itive ive ous ious eous ful fully al ial ical ic ally ically ly ist ism er or ee ant ent ary ory
ship hood dom ate ize ise ify ish y e ian an ing ed
"""
_SUFFIXES = tuple(_LISTED.split())
_SHORTEST_STEM = 4
_VOWELS = frozenset("aeiouy")


def suffix_stems(lemma: str) -> tuple[str, ...]:
    """Stems of a lemma without its derivational suffixes, the lemma's own stem first.

    If two lemmas share a stem, one may be derived from the other. Stems have at least four letters, one of
    them a vowel. A final ``e``, ``i`` or ``y`` is dropped (happy, happi|ness).
    """
    if len(lemma) < _SHORTEST_STEM or not lemma.isalpha():
        return ()
    stems = dict.fromkeys([_plain(lemma)])
    for suffix in _SUFFIXES:
        if lemma.endswith(suffix):
            stem = _plain(lemma[: -len(suffix)])
            if len(stem) >= _SHORTEST_STEM and not _VOWELS.isdisjoint(stem):
                stems[stem] = None
    return tuple(stem for stem in stems if len(stem) >= _SHORTEST_STEM)


def _plain(stem: str) -> str:
    stem = stem[:-1] if stem.endswith(("e", "i", "y")) else stem
    return stem[:-1] if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] else stem
