"""A sentence pair in the form that the kernel reads; it can be aligned repeatedly with new probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from forest_align.aligners.forest.features import PairFeatures, forest_of
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.forest.phrase_evidence import LinkEvidence, PhraseEvidence
from forest_align.aligners.words.candidate import Candidate
from forest_align.cext import alignment as kernel
from forest_align.cext.alignment_arrays import AlignmentArrays, BaseArrays, SearchOptions, SideArrays
from forest_align.types import InputError, ParseForest, Sentence

# Lower bound for the scores of candidates.
_LEAST = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPair:
    """A sentence pair with all that the alignment needs, except the probabilities of its phrases."""

    source: ParseForest
    target: ParseForest
    # source_class, target_class: int32, one value per node: nodes with equal attributes have the same class
    source_class: np.ndarray
    target_class: np.ndarray
    # base_source, base_target: int32, shape (B,): node pairs that need no support
    base_source: np.ndarray
    base_target: np.ndarray
    base_log_prior: np.ndarray  # float64, shape (B,)
    # The word candidate that each of these node pairs represents; empty if not needed
    base_candidates: tuple[Candidate, ...] = ()
    links: LinkEvidence | None = None  # Evidence of the word links for phrases
    phrases: PhraseEvidence | None = None  # What the phrase-pair model says
    options: ForestOptions = field(
        default_factory=ForestOptions
    )  # Their weights of links, trees, parser and phrases

    @classmethod
    def of(
        cls,
        source: Sentence,
        target: Sentence,
        features: PairFeatures,
        candidates: Sequence[Candidate],
        options: ForestOptions,
        phrases: PhraseEvidence | None = None,
    ) -> PreparedPair:
        """Prepare two sentences; an InputError if one has no forest, or one that is too large."""
        base = base_pairs(source, target, candidates, groups=not options.strict)
        scores = [max(candidate.score, _LEAST) for candidate in base.values()]
        evidence = LinkEvidence.of(candidates, len(source), len(target)) if options.link_weight else None
        return cls(
            forest_of(source),
            forest_of(target),
            features.source.class_of_node,
            features.target.class_of_node,
            np.array([pair[0] for pair in base], np.int32),
            np.array([pair[1] for pair in base], np.int32),
            np.array([options.candidate_weight * math.log(score) for score in scores], np.float64),
            tuple(base.values()),
            evidence,
            phrases if options.phrase_weight else None,
            options,
        )

    @property
    def base(self) -> dict[tuple[int, int], Candidate]:
        """The node pairs that need no support, each with the candidate that it represents."""
        pairs = zip(self.base_source.tolist(), self.base_target.tolist(), strict=True)
        return dict(zip(pairs, self.base_candidates, strict=True))

    def align(
        self,
        log_pair: np.ndarray,
        log_source_null: np.ndarray,
        log_target_null: np.ndarray,
        options: SearchOptions,
    ) -> AlignmentArrays:
        """Align the pair with given probabilities of its classes.

        With ``parser_weight`` µ_p (§5.4), every probability in the score of a derivation is interpolated with
        the parser's on the same scale, (1 - µ_p) · Pr + µ_p · parse:

        - Pr(source, target) of a pair with the product of the marginal probabilities of its nodes;
        - Pr(phrase, null) with the marginal probability of the phrase;
        - the 1 of each hyperedge, and of the two roots, with what :func:`.tree_losses` says.

        Log-probabilities are of classes of nodes: float64, (S, T) of pairs, (S,) and (T,) of null alignments.
        An InputError says that memory is short, or that the kernel refuses the pair.
        """
        weights = self.options
        # Word links and the parser distinguish nodes of the same class.
        log_nodes = log_pair[self.source_class[:, None], self.target_class]
        source_nulls, target_nulls = log_source_null[self.source_class], log_target_null[self.target_class]
        source_edges = target_edges = None
        if weights.parser_weight:
            source, target = self.source.log_marginal, self.target.log_marginal
            log_nodes = _interpolated(log_nodes, source[:, None] + target, weights.parser_weight)
            source_nulls = _interpolated(source_nulls, source, weights.parser_weight)
            target_nulls = _interpolated(target_nulls, target, weights.parser_weight)
        if weights.parser_weight or weights.tree_weight:
            source_losses, source_roots = tree_losses(self.source)
            target_losses, target_roots = tree_losses(self.target)
            source_edges, target_edges = self._tree_term(source_losses), self._tree_term(target_losses)
            # Only for pairs of two roots: a replaced pair that shares one root must not count it again.
            at_roots = np.ix_(self.source.roots, self.target.roots)
            log_nodes[at_roots] += self._tree_term(source_roots[:, None] + target_roots)
        if self.links is not None:
            agreed, *unlinked = self.links.log_consistent(self.source, self.target)
            log_nodes += weights.link_weight * agreed
            source_nulls += weights.link_weight * unlinked[0]
            target_nulls += weights.link_weight * unlinked[1]
        if self.phrases is not None:
            odds = self.phrases.of_nodes(self.source, self.target, weights.phrase_bias)
            log_nodes += weights.phrase_weight * odds
        sides = [
            SideArrays(forest.start, forest.end, forest.edges, forest.roots, log_null, log_edge)
            for forest, log_null, log_edge in (
                (self.source, source_nulls, source_edges),
                (self.target, target_nulls, target_edges),
            )
        ]
        base = BaseArrays(self.base_source, self.base_target, self.base_log_prior)
        try:
            return kernel.align(sides[0], sides[1], log_nodes, base, options)
        except MemoryError:
            raise InputError(
                f"not enough memory to align forests of {len(self.source)} and {len(self.target)} nodes"
            ) from None
        except ValueError as error:
            raise InputError(str(error)) from error

    def _tree_term(self, losses: np.ndarray) -> np.ndarray:
        """What losses in log-probability of hyperedges or of pairs of roots add to the score, at most 0."""
        # Alignment alone is indifferent: all trees have probability 1.
        indifferent = np.zeros_like(losses)
        return self.options.tree_weight * losses + _interpolated(
            indifferent, losses, self.options.parser_weight
        )


def _interpolated(log_alignment: np.ndarray, log_parse: np.ndarray, weight: float) -> np.ndarray:
    """Linear interpolation of alignment and parse probabilities (Arase & Tsujii 2017, §5.4), as logs.

    The weight is that of the parse probability, µ_p.
    """
    with np.errstate(divide="ignore"):  # of weights 0 and 1, one term has no weight
        mixed = np.logaddexp(np.log1p(-weight) + log_alignment, np.log(weight) + log_parse)
    result: np.ndarray = np.minimum(mixed, 0.0)
    return result


def base_pairs(
    source: Sentence, target: Sentence, candidates: Iterable[Candidate], *, groups: bool = True
) -> dict[tuple[int, int], Candidate]:
    """Node pairs that need no support: every pair of nodes that cover the two sides of a candidate.

    Groups of words are omitted without ``groups``, or if one of their sides is not a node.
    """
    nodes = _nodes_of_spans(forest_of(source)), _nodes_of_spans(forest_of(target))
    pairs: dict[tuple[int, int], Candidate] = {}
    for candidate in candidates:
        if not groups and max(b - a for a, b in (candidate.source, candidate.target)) > 1:
            continue
        for s in nodes[0].get(candidate.source, ()):
            for t in nodes[1].get(candidate.target, ()):
                known = pairs.get((s, t))
                if known is None or candidate.score > known.score:
                    pairs[s, t] = candidate
    return dict(sorted(pairs.items()))


def _nodes_of_spans(forest: ParseForest) -> dict[tuple[int, int], list[int]]:
    spans: dict[tuple[int, int], list[int]] = {}
    for node, span in enumerate(zip(forest.start.tolist(), forest.end.tolist(), strict=True)):
        spans.setdefault(span, []).append(node)
    return spans


def tree_losses(forest: ParseForest) -> tuple[np.ndarray, np.ndarray]:
    """Loss in log-probability of a tree by each hyperedge and root: float64 (E,) and (R,), at most 0.

    The losses of a tree's root and hyperedges add up to the log of its probability relative to that of the
    most probable tree.
    """
    log_edges = (forest.edge_log_marginal - forest.log_marginal[forest.edges[:, 0]]).tolist()
    best = [0.0] * len(forest)
    values = []
    seen = -1
    for (parent, left, right), own in zip(forest.edges.tolist(), log_edges, strict=True):
        value = own + best[left] + best[right]
        best[parent] = value if parent != seen else max(best[parent], value)
        seen = parent
        values.append(value)
    below = np.array(best)
    roots = forest.log_marginal[forest.roots] + below[forest.roots]
    edges = np.array(values, np.float64) - below[forest.edges[:, 0]]
    return np.minimum(edges, 0.0), roots - roots.max()
