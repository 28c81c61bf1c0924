"""Lists the evidence for each word link of an alignment, for people who want to know why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from forest_align.aligners.base import Aligner
    from forest_align.aligners.pair import GivenWords
    from forest_align.aligners.words.candidate import Candidate, CandidateProvider
    from forest_align.alignment import Alignment
    from forest_align.lexicon.groups import Span
    from forest_align.lexicon.pair_table import PairTable


def with_evidence(
    aligner: Aligner,
    alignment: Alignment,
    ppdb: PairTable | None = None,
    candidates: GivenWords | None = None,
) -> Alignment:
    """Add :attr:`~forest_align.Alignment.word_evidence` to an alignment.

    Each link lists all kinds of evidence for its two words, and for groups of words that contain both. Such
    groups are known to the lexicon or the table, or are blocks of links. A link without any evidence lists
    ``context``.

    Parameters
    ----------
    aligner : Aligner
        The aligner that made the alignment. For the forest aligner, the evidence of its word candidates is
        listed too.
    alignment : Alignment
        The result of the aligner. If it was read from a file, it has no word vectors, so ``embedding`` is
        missing.
    ppdb : PairTable, optional
        Paraphrases of the user; by default those of the aligner.
    candidates : Links or sequence of Candidate, optional
        Word links that the caller supplied for the pair.
    """
    from forest_align.lexicon.evidence import explain, word_evidence
    from forest_align.lexicon.groups import lexical_groups
    from forest_align.lexicon.lexicon import CONTEXT, load_lexicon

    source, target = alignment.source, alignment.target
    lexicon = load_lexicon()
    table: PairTable | None = getattr(aligner, "ppdb", None) if ppdb is None else ppdb
    masks = word_evidence(source, target, lexicon, table)
    # A dictionary keeps the names in order and without duplicates.
    names = {(i, j): dict.fromkeys(explain(int(masks[i, j]))) for i, j in alignment.words}
    groups = [(left, right, (kind,)) for left, right, kind in lexical_groups(source, target, lexicon, table)]
    for left, right, kinds in (*_of_aligner(aligner, alignment, candidates), *groups):
        for i in range(*left):
            for j in range(*right):
                if (i, j) in names:
                    names[i, j].update(dict.fromkeys(kind for kind in kinds if kind != CONTEXT))
    return replace(
        alignment,
        word_evidence=tuple(tuple(names[link]) or (CONTEXT,) for link in alignment.words),
        alternatives=tuple(with_evidence(aligner, one, ppdb, candidates) for one in alignment.alternatives),
    )


def _of_aligner(
    aligner: Aligner, alignment: Alignment, given: GivenWords | None
) -> Iterator[tuple[Span, Span, tuple[str, ...]]]:
    """Span pairs of the aligner itself with their evidence: its candidates, or blocks of its links."""
    from forest_align.aligners.words.lexical import given_candidates
    from forest_align.lexicon.groups import linked_blocks

    source, target = alignment.source, alignment.target
    provider: CandidateProvider | None = getattr(aligner, "candidates", None)
    candidates: Sequence[Candidate] | None = None
    if given is not None:
        candidates = given_candidates(given, source, target)
    elif provider is not None:
        candidates = provider.candidates(source, target)
    if candidates is not None:
        for candidate in candidates:
            yield candidate.source, candidate.target, candidate.evidence
        return
    linked = np.zeros((len(source), len(target)))
    for i, j in alignment.words:
        linked[i, j] = 1.0
    for left, right, kind in linked_blocks(linked):
        yield left, right, (kind,)
