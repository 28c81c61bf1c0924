"""What differs between two corresponding words with other forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align.lexicon.evidence import word_relations
from forest_align.lexicon.kinds import Evidence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import WordProfile

_FORMAT = int(Evidence.ABBREVIATION | Evidence.NUMBER)
_DERIVATION = int(Evidence.DERIVATION | Evidence.SUFFIX)
_SPELLING = int(Evidence.SPELLING)
_CONTRACTIONS = frozenset(("'m", "'re", "'s", "'ve", "'d", "'ll", "n't", "wo", "ca"))


def word_change(one: WordProfile, two: WordProfile) -> str:
    """Name what differs between two linked words with other forms."""
    if one.lemma == two.lemma:
        return "format" if {one.lower, two.lower} & _CONTRACTIONS else "inflection"
    relations = word_relations(one, two)
    if relations & _SPELLING:
        return "spelling"
    if relations & _FORMAT:
        return "format"
    return "derivation" if relations & _DERIVATION else ""
