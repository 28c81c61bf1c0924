"""Says what speaks for each word link of an alignment, for people who want to know why it is there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forest_align.aligners.base import Aligner
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Alignment


def with_evidence(aligner: Aligner, alignment: Alignment, ppdb: PairTable | None = None) -> Alignment:
    """The same alignment with its :attr:`~forest_align.Alignment.word_evidence`.

    Parameters
    ----------
    aligner : Aligner
        The one that made it; of the forest aligner, what its word candidates rest on is named too.
    alignment : Alignment
        As the aligner returned it; where it was read from a file it lacks word vectors, and names of the
        evidence that they give.
    ppdb : PairTable, optional
        Paraphrases of the user's.
    """
    from forest_align.lexicon.evidence import explain, word_evidence
    from forest_align.lexicon.lexicon import load_lexicon

    source, target = alignment.source, alignment.target
    masks = word_evidence(source, target, load_lexicon(), ppdb)
    # A dictionary keeps the names in order and each of them once.
    names = {(i, j): dict.fromkeys(explain(int(masks[i, j]))) for i, j in alignment.words}
    provider = getattr(aligner, "candidates", None)
    for candidate in provider.candidates(source, target) if provider is not None else ():
        for i in range(*candidate.source):
            for j in range(*candidate.target):
                if (i, j) in names:
                    names[i, j].update(dict.fromkeys(candidate.evidence))
    return replace(alignment, word_evidence=tuple(tuple(names[link]) for link in alignment.words))
