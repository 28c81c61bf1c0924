"""Word candidates from the lexicon and from word vectors, and those that the caller gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.words.candidate import (
    MINIMUM_SCORE,
    Candidate,
    CandidateProvider,
    Span,
    check_minimum_score,
)
from forest_align.aligners.words.lexical_features import pair_features
from forest_align.aligners.words.lexical_model import LexicalModel, probability
from forest_align.alignment import Links
from forest_align.lexicon.evidence import explain, word_evidence
from forest_align.lexicon.groups import Group, lexical_groups, linked_blocks
from forest_align.lexicon.kinds import CONTEXT, Evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Sentence

#: Score of a user's link that has none.
GIVEN_SCORE = 0.99
#: Names that :func:`candidate_provider` knows.
PROVIDERS = ("dictionary", "encoder", "union", "given")


class ScoredCandidates:
    """Proposes candidates from the lexicon, contextual vectors or both.

    Proposals and scores are symmetric: swapped sentences have swapped candidates.

    Parameters
    ----------
    lexicon : Lexicon
        The lexicon.
    model : LexicalModel
        Computes the probabilities; decides whether vectors are used.
    fallback : LexicalModel, optional
        Model for sentences without vectors; without it, such sentences are an error.
    ppdb : PairTable, optional
        Paraphrase pairs of the user.
    minimum_score : float
        Least probability of a candidate, from 0 to 1.
    only_evident : bool
        Whether two words need lexical evidence to become a candidate.
    with_lexical_groups : bool
        Whether to propose the groups that the lexicon knows; blocks of likely links are always proposed.

    Raises
    ------
    InputError
        If the least probability is not from 0 to 1.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        model: LexicalModel,
        *,
        fallback: LexicalModel | None = None,
        ppdb: PairTable | None = None,
        minimum_score: float = MINIMUM_SCORE,
        only_evident: bool = False,
        with_lexical_groups: bool = True,
    ) -> None:
        check_minimum_score(minimum_score)
        self._lexicon = lexicon
        self._model = model
        self._fallback = fallback
        self._ppdb = ppdb
        self._minimum_score = minimum_score
        self._only_evident = only_evident
        self._with_lexical_groups = with_lexical_groups

    @property
    def uses_vectors(self) -> bool:
        """Whether word vectors are used."""
        return self._model.uses_vectors

    def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
        """Candidates in ascending order of their spans.

        Raises
        ------
        InputError
            If the model needs vectors and the sentences have none, or if the vectors differ in size or are
            not finite.
        """
        if not len(source) or not len(target):
            return ()
        evidence, logits, model = self._scored(source, target)
        scores = probability(logits)
        wanted = scores >= self._minimum_score
        if self._only_evident:
            wanted &= (evidence & ~int(Evidence.EMBEDDING)) != 0
        rows, columns = np.nonzero(wanted)
        found = [
            Candidate((i, i + 1), (j, j + 1), score, explain(mask) or (CONTEXT,))
            for i, j, score, mask in zip(
                rows.tolist(),
                columns.tolist(),
                scores[wanted].tolist(),
                evidence[wanted].tolist(),
                strict=True,
            )
        ]
        found += self._group_candidates(source, target, logits, scores, model)
        found.sort()
        return tuple(found)

    def link_probabilities(self, source: Sentence, target: Sentence) -> np.ndarray:
        """Probability of every word link, float32 ``[len(source), len(target)]``."""
        if not len(source) or not len(target):
            return np.zeros((len(source), len(target)), dtype=np.float32)
        return probability(self._scored(source, target)[1])

    def _scored(self, source: Sentence, target: Sentence) -> tuple[np.ndarray, np.ndarray, LexicalModel]:
        model = self._model
        if model.uses_vectors and (source.vectors is None or target.vectors is None):
            if self._fallback is None:
                raise InputError("candidates of the encoder need sentences with word vectors")
            model = self._fallback
        evidence = word_evidence(source, target, self._lexicon, self._ppdb)
        features = pair_features(source, target, evidence, self._lexicon, with_vectors=model.uses_vectors)
        return evidence, model.link_logits(features), model

    def _group_candidates(
        self, source: Sentence, target: Sentence, logits: np.ndarray, scores: np.ndarray, model: LexicalModel
    ) -> list[Candidate]:
        kinds: dict[tuple[Span, Span], list[str]] = {}
        groups: list[Group] = linked_blocks(scores)
        if self._with_lexical_groups:
            groups += lexical_groups(source, target, self._lexicon, self._ppdb)
        for group in groups:
            kinds.setdefault((group.source, group.target), []).append(group.kind)
        found = []
        for (left, right), names in kinds.items():
            estimate = float(np.mean(np.clip(logits[left[0] : left[1], right[0] : right[1]], -12, 12)))
            score = float(probability(np.array(max(model.group_logit(name, estimate) for name in names))))
            if score >= self._minimum_score:
                found.append(Candidate(left, right, score, tuple(names)))
        return found


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
        for index, (i, j) in enumerate(links):
            score = GIVEN_SCORE if links.scores is None else links.scores[index]
            if not 0.0 <= score <= 1.0:
                raise InputError(f"expected a probability from 0 to 1 for link {i}-{j}, found {score:g}")
            scores[i, j] = min(max(score, 1 - GIVEN_SCORE), GIVEN_SCORE)
        found = [Candidate((i, i + 1), (j, j + 1), float(scores[i, j]), ("given",)) for i, j in links]
        for left, right, _ in linked_blocks(scores, threshold=1 - GIVEN_SCORE):
            score = float(scores[left[0] : left[1], right[0] : right[1]].mean())
            found.append(Candidate(left, right, score, ("given",)))
        return tuple(sorted(found))


def given_candidates(
    given: Links | Sequence[Candidate], source: Sentence, target: Sentence
) -> Sequence[Candidate]:
    """Candidates for the word links that a caller supplies for a pair; given candidates are kept unchanged.

    Raises
    ------
    InputError
        See :meth:`GivenCandidates.candidates`.
    """
    return GivenCandidates(given).candidates(source, target) if isinstance(given, Links) else given


def candidate_provider(
    name: str = "union",
    *,
    ppdb: PairTable | None = None,
    links: Links | None = None,
    minimum_score: float = MINIMUM_SCORE,
) -> CandidateProvider:
    """Make a provider by name.

    Parameters
    ----------
    name : str
        ``dictionary`` (lexical evidence alone, after Arase & Tsujii 2017, §6), ``encoder`` (contextual
        vectors alone), ``union`` (all evidence; only the lexicon if there are no vectors) or ``given``.
    ppdb : PairTable, optional
        Paraphrase pairs of the user, for ``dictionary`` and ``union``.
    links : Links, optional
        The links of the pair, for ``given``.
    minimum_score : float
        Candidates less likely than this, from 0 to 1, are not proposed; those of ``given`` always are.

    Raises
    ------
    InputError
        If the name is unknown, ``given`` has no links, or the minimum score is not from 0 to 1.
    """
    if name == "given":
        if links is None:
            raise InputError("candidates by the name of 'given' need links")
        return GivenCandidates(links)
    if name not in PROVIDERS[:-1]:
        raise InputError(f"expected candidates to be one of {', '.join(PROVIDERS)}, found {name!r}")
    return ScoredCandidates(
        load_lexicon(),
        LexicalModel.bundled(name),
        fallback=LexicalModel.bundled("dictionary") if name == "union" else None,
        ppdb=None if name == "encoder" else ppdb,
        minimum_score=minimum_score,
        only_evident=name == "dictionary",
        with_lexical_groups=name != "encoder",
    )
