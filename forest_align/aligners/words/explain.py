"""Says what speaks for each word link of an alignment, for people who want to know why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from forest_align.aligners.base import Aligner, GivenWords
    from forest_align.aligners.words.lexical import Candidate, CandidateProvider
    from forest_align.alignment import Alignment
    from forest_align.lexicon.groups import Span
    from forest_align.lexicon.pair_table import PairTable


def with_evidence(
    aligner: Aligner,
    alignment: Alignment,
    ppdb: PairTable | None = None,
    candidates: GivenWords | None = None,
) -> Alignment:
    """The same alignment with its :attr:`~forest_align.Alignment.word_evidence`.

    A link has the names of all kinds of evidence for its two words, and for groups of words of which both are
    part: those that the lexicon or the table knows, and blocks of links. Where there is none it has
    ``context``.

    Parameters
    ----------
    aligner : Aligner
        The one that made it; of the forest aligner, what its word candidates rest on is named too.
    alignment : Alignment
        As the aligner returned it; where it was read from a file it lacks word vectors, and ``embedding``.
    ppdb : PairTable, optional
        Paraphrases of the user's; by default those of the aligner.
    candidates : Links or sequence of Candidate, optional
        Word links that the caller gave for the pair.
    """
    from forest_align.lexicon.evidence import explain, word_evidence
    from forest_align.lexicon.groups import lexical_groups
    from forest_align.lexicon.kinds import CONTEXT
    from forest_align.lexicon.lexicon import load_lexicon

    source, target = alignment.source, alignment.target
    lexicon = load_lexicon()
    table: PairTable | None = getattr(aligner, "ppdb", None) if ppdb is None else ppdb
    masks = word_evidence(source, target, lexicon, table)
    # A dictionary keeps the names in order and each of them once.
    names = {(i, j): dict.fromkeys(explain(int(masks[i, j]))) for i, j in alignment.words}
    groups = [(left, right, (kind,)) for left, right, kind in lexical_groups(source, target, lexicon, table)]
    for left, right, kinds in (*_of_aligner(aligner, alignment, candidates), *groups):
        for i in range(*left):
            for j in range(*right):
                if (i, j) in names:
                    names[i, j].update(dict.fromkeys(kind for kind in kinds if kind != CONTEXT))
    return replace(
        alignment, word_evidence=tuple(tuple(names[link]) or (CONTEXT,) for link in alignment.words)
    )


def _of_aligner(
    aligner: Aligner, alignment: Alignment, given: GivenWords | None
) -> Iterator[tuple[Span, Span, tuple[str, ...]]]:
    """Spans that the aligner itself has put together, and why: its candidates, or blocks of its links."""
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
