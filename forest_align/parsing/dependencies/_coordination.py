"""Gives flat coordination in noun phrases the structure that its dependencies need.

The Penn Treebank leaves *racial and ethnic categories* and *the cat and the old dog* flat, so every word
would depend on one head. This module puts coordinated words into separate phrases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align.parsing.dependencies._syntactic_heads import NOUN_TAGS, HeadedPhrase

if TYPE_CHECKING:
    from collections.abc import Sequence

_FLAT = frozenset("NP NX NML NAC".split())  # noqa: SIM905
_ADJECTIVE_TAGS = frozenset({"JJ", "JJR", "JJS"})
_SPECIFIERS = frozenset({"DT", "PDT", "PRP$", "WP$", "NP", "POS"})
_SEPARATORS = frozenset({"CC", ","})


def phrase(label: str, children: list[HeadedPhrase]) -> HeadedPhrase:
    """Build a constituent; in a noun phrase of coordinated words, group the children that belong together."""
    if label in _FLAT and len(children) > 3 and any(child.label == "CC" for child in children):
        children = _grouped(children)
    return HeadedPhrase(label, children)


def _grouped(children: list[HeadedPhrase]) -> list[HeadedPhrase]:
    """Children with phrases around coordinated modifiers, or around coordinated nouns."""
    first = next(k for k, child in enumerate(children) if child.label in _SEPARATORS)
    left, right = children[:first], children[first + 1 :]
    if not left or len(right) < 2 or right[-1].label not in NOUN_TAGS or any(c.children for c in right):
        return children
    before, after = left[-1].label, right[0].label
    only_one = children[first].label == "CC" and not any(child.label in _SEPARATORS for child in right)
    if only_one and before in _ADJECTIVE_TAGS and after in _ADJECTIVE_TAGS:
        return [*left[:-1], HeadedPhrase("ADJP", [left[-1], children[first], right[0]]), *right[1:]]
    if before not in NOUN_TAGS:
        return children
    if only_one and before != "NNS" and _modifies(left, right):
        return [*left[:-1], HeadedPhrase("NX", [left[-1], children[first], right[0]]), *right[1:]]
    return _segments(children)


def _modifies(left: Sequence[HeadedPhrase], right: Sequence[HeadedPhrase]) -> bool:
    """Whether the noun before the conjunction modifies the last noun: *the trade and technology policy*.

    Longer sequences are probably two noun phrases, each with its own modifiers.
    """
    return len(left) == 1 or (len(right) == 2 and all(child.label in _SPECIFIERS for child in left[:-1]))


def _segments(children: Sequence[HeadedPhrase]) -> list[HeadedPhrase]:
    """Children, with a phrase around each group between conjunctions and commas."""
    found: list[HeadedPhrase] = []
    segment: list[HeadedPhrase] = []
    for child in children:
        if child.label not in _SEPARATORS:
            segment.append(child)
            continue
        if segment:
            found.append(HeadedPhrase("NX", segment))
        found.append(child)
        segment = []
    return [*found, HeadedPhrase("NX", segment)]
