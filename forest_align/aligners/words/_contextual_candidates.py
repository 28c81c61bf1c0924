"""Word candidates for the forest aligner from the contextual aligner's link probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.words.candidate import Candidate, check_minimum_score
from forest_align.lexicon.evidence import explain
from forest_align.lexicon.groups import lexical_groups, linked_blocks
from forest_align.lexicon.lexicon import CONTEXT

if TYPE_CHECKING:
    from forest_align.types import Sentence


class ContextualCandidates:
    """Word candidates for the forest aligner: links with their probabilities."""

    uses_vectors = True

    def __init__(self, aligner: ContextualAligner | None = None, *, minimum_score: float = 0.05) -> None:
        check_minimum_score(minimum_score)
        self.aligner = aligner or ContextualAligner()
        self.minimum_score = minimum_score

    def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
        """Words above the minimum, and groups of words that are linked as a block or known to the lexicon.

        The probability of a block is the mean over its cells; that of another group is its maximum.
        """
        if not len(source) or not len(target):
            return ()
        probability, evidence = self.aligner.scored_cells(source, target)
        rows, columns = np.nonzero(probability >= self.minimum_score)
        found = {
            ((i, i + 1), (j, j + 1)): Candidate(
                (i, i + 1), (j, j + 1), float(probability[i, j]), explain(int(evidence[i, j])) or (CONTEXT,)
            )
            for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        }
        for left, right, kind in linked_blocks(probability):
            score = float(probability[left[0] : left[1], right[0] : right[1]].mean())
            found[left, right] = Candidate(left, right, score, (kind,))
        for left, right, kind in lexical_groups(source, target, self.aligner.lexicon, self.aligner.ppdb):
            known = found.get((left, right))
            if known is not None:
                found[left, right] = Candidate(left, right, known.score, (*known.evidence, kind))
                continue
            score = float(probability[left[0] : left[1], right[0] : right[1]].max())
            if score >= self.minimum_score:
                found[left, right] = Candidate(left, right, score, (kind,))
        return tuple(sorted(found.values()))
