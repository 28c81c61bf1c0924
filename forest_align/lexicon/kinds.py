"""The kinds of evidence that two words correspond."""

from __future__ import annotations

from enum import IntFlag

#: Name for a link that no kind of evidence supports: only the words around it do.
CONTEXT = "context"


class Evidence(IntFlag):
    """Kinds of evidence; a cell of :func:`~forest_align.lexicon.evidence.word_evidence` is their sum.

    Two words with the same lemma have ``LEMMA``, and ``IDENTICAL`` if they differ at most in letter case.
    They have none of the relations between different lemmas.
    """

    IDENTICAL = 1
    LEMMA = 2
    SPELLING = 4
    NUMBER = 8
    ABBREVIATION = 16
    SYNONYM = 32
    DERIVATION = 64
    SUFFIX = 128
    SUBSTRING = 256
    PREPOSITION = 512
    FUNCTION = 1024
    ACRONYM = 2048
    PPDB = 4096
    EMBEDDING = 8192
