"""Which typed dependencies are equivalent: table 1 of Sultan et al. (2014), in all its orientations."""

from __future__ import annotations

from functools import lru_cache

# Orientation (a), both words are the parents: their category, that of the children, the equivalent types.
_PARALLEL: tuple[tuple[str, str, str], ...] = (
    ("verb", "verb", "purpcl xcomp"),
    ("verb", "noun", "agent nsubj xsubj"),
    ("verb", "noun", "dobj nsubjpass rel"),
    ("verb", "noun", "tmod prep_in prep_at prep_on"),
    ("verb", "noun", "iobj prep_to"),
    ("noun", "verb", "infmod partmod rcmod"),
    ("noun", "noun", "poss nn prep_of prep_in prep_at prep_for"),
    ("noun", "adjective", "amod rcmod"),
)
# Orientation (c): the first word is the parent, the second the child; the types of both dependencies.
_CROSSED: tuple[tuple[str, str, str, str], ...] = (
    ("verb", "verb", "conj_and", ""),
    ("verb", "verb", "conj_or", ""),
    ("verb", "verb", "conj_nor", ""),
    ("verb", "noun", "dobj nsubjpass rel", "infmod partmod rcmod"),
    ("verb", "adjective", "acomp", "cop csubj"),
    ("noun", "noun", "conj_and", ""),
    ("noun", "noun", "conj_or", ""),
    ("noun", "noun", "conj_nor", ""),
    ("noun", "adjective", "amod rcmod", "nsubj"),
    ("adjective", "adjective", "conj_and", ""),
    ("adjective", "adjective", "conj_or", ""),
    ("adjective", "adjective", "conj_nor", ""),
    ("adverb", "adverb", "conj_and", ""),
    ("adverb", "adverb", "conj_or", ""),
    ("adverb", "adverb", "conj_nor", ""),
)

_CATEGORIES = {"V": "verb", "N": "noun", "J": "adjective", "R": "adverb"}


@lru_cache(maxsize=1000)
def category(tag: str) -> str:
    """Lexical category of a Penn tag: verb, noun, adjective, adverb, else the tag itself."""
    return "noun" if tag == "PRP" else tag if tag == "RP" else _CATEGORIES.get(tag[:1], tag)


@lru_cache(maxsize=100_000)
def parallel(parent: str, child: str, left: str, right: str) -> bool:
    """Whether two dependencies are equivalent if parent corresponds to parent and child to child."""
    if left == right:
        return True
    return any(
        (parent, child) == row[:2] and left in row[2].split() and right in row[2].split() for row in _PARALLEL
    )


@lru_cache(maxsize=100_000)
def crossed(first: str, second: str, left: str, right: str) -> bool:
    """Whether two dependencies are equivalent if the parent of each corresponds to the child of the other."""
    for one, other, types, opposite in _CROSSED:
        a, b = types.split(), (opposite or types).split()
        if (first, second) == (one, other) and left in a and right in b:
            return True
        if (second, first) == (one, other) and right in a and left in b:
            return True
    return False
