"""Word candidates from the lexicon and a corpus (Arase & Tsujii 2017, §6.1), a link model, or the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.words.candidate import Candidate, Span
from forest_align.alignment import Links
from forest_align.lexicon.evidence import explain, lexical_evidence, word_evidence
from forest_align.lexicon.groups import lexical_groups, linked_blocks
from forest_align.lexicon.lexicon import CONTEXT, RELATED_LEMMAS, SAME_LEMMA, Evidence
from forest_align.types import InputError
from forest_align.types.json_fields import describe, is_number

if TYPE_CHECKING:
    from forest_align.aligners.contextual.aligner import ContextualAligner
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Sentence

# Words of real text may contain halves of surrogate pairs.
_TEXT = ("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The dictionaries of Arase & Tsujii (2017), §6.1; by default only the lexicon."""

    # Two words are similar if the cosine of their vectors is at least this; None if vectors do not count
    cosine: float | None = None
    # Pairs of lemmas from the training corpus, of which suffix rules say that one may be derived from the
    # other. Each pair is in alphabetical order. Other pairs do not count, except those of WordNet.
    derivations: frozenset[tuple[str, str]] = frozenset()

    def __post_init__(self) -> None:
        if self.cosine is not None and not (is_number(self.cosine) and -1 <= self.cosine <= 1):
            raise InputError(f"expected a number from -1 to 1, found {self.cosine!r}", field="cosine")

    def evidence(
        self, source: Sentence, target: Sentence, lexicon: Lexicon, ppdb: PairTable | None = None
    ) -> np.ndarray:
        """The evidence for every pair of words, as :func:`~forest_align.lexicon.evidence.word_evidence`.

        Sentences without vectors have no similar words.
        """
        if self.cosine is None:
            evidence = lexical_evidence(source, target, lexicon, ppdb)
        else:
            evidence = word_evidence(source, target, lexicon, ppdb, cosine=self.cosine)
        for i, j, pair in suffix_pairs(source, target, evidence, lexicon):
            if pair not in self.derivations:
                evidence[i, j] &= ~int(Evidence.SUFFIX)
        return evidence

    def encoded(self) -> tuple[dict[str, Any], np.ndarray]:
        """JSON values and an array for the folder of a model: the cosine, and the pairs as text (UTF-8)."""
        lines = "\n".join("\t".join(pair) for pair in sorted(self.derivations))
        return {"cosine": self.cosine}, np.frombuffer(lines.encode(*_TEXT), np.uint8).copy()

    @classmethod
    def decoded(cls, values: Any, derivations: np.ndarray) -> Dictionary:
        """The opposite of :meth:`encoded`."""
        if not isinstance(values, dict) or values.keys() != {"cosine"}:
            raise InputError(
                f"expected an object with a cosine, found {describe(values)}", field="dictionary"
            )
        try:
            lines = bytes(derivations).decode(*_TEXT)
        except ValueError as error:
            raise InputError(f"expected pairs of words in UTF-8: {error}", field="derivations") from None
        pairs = [tuple(line.split("\t")) for line in lines.split("\n")] if lines else []
        if not all(len(pair) == 2 for pair in pairs):
            raise InputError("expected two words a line", field="derivations")
        return cls(values["cosine"], frozenset((one, two) for one, two in pairs))


def suffix_pairs(
    source: Sentence, target: Sentence, evidence: np.ndarray, lexicon: Lexicon
) -> list[tuple[int, int, tuple[str, str]]]:
    """The cells with evidence by suffix rules: both tokens, and their lemmas in alphabetical order."""
    rows, columns = np.nonzero(evidence & int(Evidence.SUFFIX))
    if not len(rows):
        return []
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    cells = []
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        first, second = sorted((lefts[i].lemma, rights[j].lemma))
        cells.append((i, j, (first, second)))
    return cells


# Score of a user's link that has none.
_GIVEN_SCORE = 0.99
# Kinds of evidence that make a candidate; the others are features only.
_PROPOSING = SAME_LEMMA | RELATED_LEMMAS | int(Evidence.PREPOSITION | Evidence.EMBEDDING)


class LexicalCandidates:
    """Proposes the word pairs that are in dictionaries or have similar vectors, and groups of words.

    The candidates are the W of Arase & Tsujii (2017): equal words, synonyms, derivations, prepositions, and
    similar words. To these come the groups that the lexicon knows, see
    :func:`~forest_align.lexicon.groups.lexical_groups`. Nothing says which candidates are likely, so all have
    the score 1 and are not ``weighted``. Swapped sentences have swapped candidates.

    Parameters
    ----------
    lexicon : Lexicon
        The lexicon.
    dictionary : Dictionary, optional
        What a training corpus adds to the lexicon; by default nothing, and vectors do not count.
    ppdb : PairTable, optional
        Paraphrase pairs of the user.
    """

    def __init__(
        self, lexicon: Lexicon, dictionary: Dictionary | None = None, *, ppdb: PairTable | None = None
    ) -> None:
        self._lexicon = lexicon
        self._dictionary = dictionary or Dictionary()
        self._ppdb = ppdb

    @property
    def uses_vectors(self) -> bool:
        """Whether word vectors are used; sentences without them get candidates of the lexicon only."""
        return self._dictionary.cosine is not None

    def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
        """Candidates in ascending order of their spans.

        Raises
        ------
        InputError
            If vectors are used, and those of the sentences differ in size or are not finite.
        """
        evidence = self._dictionary.evidence(source, target, self._lexicon, self._ppdb)
        kinds: dict[tuple[Span, Span], list[str]] = {
            ((i, i + 1), (j, j + 1)): list(explain(int(evidence[i, j])))
            for i, j in np.argwhere(evidence & _PROPOSING).tolist()
        }
        for group in lexical_groups(source, target, self._lexicon, self._ppdb):
            kinds.setdefault((group.source, group.target), []).append(group.kind)
        found = [Candidate(*spans, 1.0, tuple(names), weighted=False) for spans, names in kinds.items()]
        return tuple(sorted(found))


class GivenCandidates:
    """Proposes the links that a user supplies for one pair, and the blocks that they fill.

    Parameters
    ----------
    links : Links
        Word links of the pair; scores, if there are any, must be probabilities.
    """

    uses_vectors = False

    def __init__(self, links: Links) -> None:
        self._links = links

    def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
        """Candidates in ascending order of their spans.

        Raises
        ------
        InputError
            If a link points beyond a sentence or its score is not a probability.
        """
        links = self._links.check(len(source), len(target))
        scores = np.zeros((len(source), len(target)))
        for (i, j), score in zip(links, links.scores or [_GIVEN_SCORE] * len(links), strict=True):
            if not 0.0 <= score <= 1.0:
                raise InputError(f"expected a probability from 0 to 1 for link {i}-{j}, found {score:g}")
            scores[i, j] = min(max(score, 1 - _GIVEN_SCORE), _GIVEN_SCORE)
        spans = [((i, i + 1), (j, j + 1)) for i, j in links]
        spans += [(left, right) for left, right, _ in linked_blocks(scores, threshold=1 - _GIVEN_SCORE)]
        return tuple(
            sorted(
                Candidate(left, right, float(scores[slice(*left), slice(*right)].mean()), ("given",))
                for left, right in spans
            )
        )


def given_candidates(
    given: Links | Sequence[Candidate], source: Sentence, target: Sentence
) -> Sequence[Candidate]:
    """Candidates for the word links that come with a pair; given candidates are kept unchanged."""
    return GivenCandidates(given).candidates(source, target) if isinstance(given, Links) else given


class ContextualCandidates:
    """Word candidates for the forest aligner: links with their probabilities."""

    uses_vectors = True

    def __init__(self, aligner: ContextualAligner | None = None, *, minimum_score: float = 0.05) -> None:
        from forest_align.aligners.contextual.aligner import ContextualAligner

        if not 0.0 <= minimum_score <= 1.0:
            raise InputError(f"expected a minimum score from 0 to 1, found {minimum_score:g}")
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
            score = float(probability[slice(*left), slice(*right)].mean())
            found[left, right] = Candidate(left, right, score, (kind,))
        for left, right, kind in lexical_groups(source, target, self.aligner.lexicon, self.aligner.ppdb):
            known = found.get((left, right))
            if known is not None:
                found[left, right] = Candidate(left, right, known.score, (*known.evidence, kind))
                continue
            score = float(probability[slice(*left), slice(*right)].max())
            if score >= self.minimum_score:
                found[left, right] = Candidate(left, right, score, (kind,))
        return tuple(sorted(found.values()))
