"""Turns the result of the forest aligner's search into an alignment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from forest_align.aligners.forest._node_pairs import compositional, with_maximum_set
from forest_align.aligners.forest._probable_pairs import further_pairs, with_revised_pairs
from forest_align.aligners.forest._whole_constituents import with_whole_constituents
from forest_align.aligners.forest.features import CERTAIN_LINK, CONFIDENT_LINK, forest_of
from forest_align.aligners.forest.judge import with_judged_pairs
from forest_align.aligners.forest.judge_features import DerivationPairs, derivation_pairs
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence, log_agreement
from forest_align.aligners.words.candidate import Candidate
from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.cext.alignment_arrays import BASE, AlignmentArrays
from forest_align.types import Derivation, ParseForest, Sentence
from forest_align.types.spans import gaps

#: Name of the kind of aligner.
NAME = "forest"


class SearchedPair(NamedTuple):
    """A sentence pair, what the search read about it, and the derivation that it found."""

    source: Sentence
    target: Sentence
    candidates: Sequence[Candidate]
    # The base pairs that the search started from, each with the candidate that it represents
    base: Mapping[tuple[int, int], Candidate]
    arrays: AlignmentArrays  # Result of the kernel
    phrases: PhraseEvidence | None = None  # What the phrase-pair model says

    @property
    def forests(self) -> tuple[ParseForest, ParseForest]:
        """The forests of both sentences."""
        return forest_of(self.source), forest_of(self.target)


class Reported(NamedTuple):
    """The reported parts of a derivation."""

    # The derivation, perhaps completed to the maximum set, with the nodes that are shown
    arrays: AlignmentArrays
    links: dict[tuple[int, int], float]  # The word links with their probabilities
    trees: tuple[Derivation, Derivation]  # The tree that the derivation chose in each of the two forests
    outside: tuple[tuple[int, int], ...]  # The links that the derivation does not contain, ascending
    leaves: dict[int, Candidate]  # The candidate of each base pair, by its place in the arrays


def build_alignment(model: ForestModel, pair: SearchedPair) -> Alignment:
    """Turn the arrays of the kernel into an alignment, which the judge of the model revises if it can."""
    alignment, trees = _unjudged(model, pair)
    if model.judge is None:
        return alignment
    pairs = _pairs_to_judge(model, pair, alignment, trees)
    return alignment if pairs is None else with_judged_pairs(alignment, pairs, model.judge)


def pairs_to_judge(model: ForestModel, pair: SearchedPair) -> DerivationPairs | None:
    """What a judge reads about a derivation; None without the phrases of both sentences."""
    return _pairs_to_judge(model, pair, *_unjudged(model, pair))


def _pairs_to_judge(
    model: ForestModel, pair: SearchedPair, alignment: Alignment, trees: tuple[Derivation, Derivation]
) -> DerivationPairs | None:
    if model.phrases is None or pair.phrases is None or pair.phrases.phrases is None:
        return None
    further = further_pairs(alignment, trees, pair.phrases)
    return derivation_pairs(alignment, pair.phrases.phrases, model.phrases, further)


def _unjudged(model: ForestModel, pair: SearchedPair) -> tuple[Alignment, tuple[Derivation, Derivation]]:
    """The alignment that reports a derivation before it is judged, and the trees that it chose."""
    source, target, candidates, _, _, phrases = pair
    forests = pair.forests
    arrays, links, trees, outside, leaves = reported_derivation(pair, model.options_for(phrases))
    agreement = log_agreement(source, target, arrays, candidates, phrases)
    if phrases is None:
        probabilities = model.calibration.probabilities(arrays.log_posterior, agreement).tolist()
    else:
        probabilities = model.calibration.of_phrases(agreement).tolist()
    weighted = {(c.source[0], c.target[0]) for c in candidates if c.weighted and not c.is_group}
    unweighted = links.keys() - weighted
    for place, leaf in leaves.items():
        if not leaf.weighted:
            links |= dict.fromkeys(unweighted.intersection(_cells(leaf)), probabilities[place])
    alignment = Alignment(
        source,
        target,
        words=Links.of(links, scores=list(links.values())),
        phrases=_phrase_pairs(*forests, arrays, probabilities, links),
        unaligned_source=gaps({i for i, _ in links}, len(source)),
        unaligned_target=gaps({j for _, j in links}, len(target)),
        source_tree=forests[0].bracket(source.words, trees[0]),
        target_tree=forests[1].bracket(target.words, trees[1]),
        log_probability=arrays.log_score if len(arrays.source) else None,
        root_aligned=arrays.root_aligned,
        aligner=NAME,
        outside=outside,
        warnings=("the search was cut short: the sentences are long",) if arrays.narrowed else (),
    )
    return alignment, trees


def reported_derivation(pair: SearchedPair, options: ForestOptions) -> Reported:
    """Find the word links and the trees of a derivation; complete or revise its phrases."""
    arrays, forests, phrases = pair.arrays, pair.forests, pair.phrases
    roots = (int(arrays.source[0]), int(arrays.target[0])) if arrays.root_aligned else (None, None)
    trees = (
        _choose_tree(forests[0], arrays.source_edges.tolist(), arrays.source.tolist(), roots[0]),
        _choose_tree(forests[1], arrays.target_edges.tolist(), arrays.target.tolist(), roots[1]),
    )
    if options.strict:
        arrays = with_maximum_set(arrays, forests, trees, pair.base)
    leaves = {
        place: pair.base[int(arrays.source[place]), int(arrays.target[place])]
        for place in np.flatnonzero(arrays.kind == BASE).tolist()
    }
    links = _links_at_leaves(leaves.values(), pair.candidates)
    inside = set(links)
    if not options.strict:
        _add_confident(links, pair.candidates)
        arrays = with_whole_constituents(arrays, forests, trees, links)
    if phrases is not None and options.phrase_weight:
        added = slice(len(arrays.source), None)
        arrays = with_revised_pairs(arrays, forests, trees, leaves, links, phrases, options.phrase_added)
        inside -= _cut_links(forests, arrays.source[added], arrays.target[added], links)
    return Reported(arrays, links, trees, tuple(sorted(links.keys() - inside)), leaves)


def _cut_links(
    forests: tuple[ParseForest, ParseForest],
    source: np.ndarray,
    target: np.ndarray,
    links: Iterable[tuple[int, int]],
) -> set[tuple[int, int]]:
    """The links that have one word in a pair of nodes and the other not."""
    pairs = [
        (range(*forests[0].node(s).span), range(*forests[1].node(t).span))
        for s, t in zip(source.tolist(), target.tolist(), strict=True)
    ]
    return {(i, j) for i, j in links if any((i in ours) != (j in theirs) for ours, theirs in pairs)}


def _links_at_leaves(
    leaves: Iterable[Candidate], candidates: Iterable[Candidate]
) -> dict[tuple[int, int], float]:
    """Word links of a derivation's base pairs.

    A group says that two phrases correspond, not which of their words do. So if both have several words, its
    links are the cells that are word candidates, and all cells only if none of them is one. Words of a group
    that corresponds to a single word have no other partner in it: all are linked to that word, with the score
    of the group unless they have one.
    """
    word_scores = {(c.source[0], c.target[0]): c.score for c in candidates if not c.is_group}
    links: dict[tuple[int, int], float] = {}
    for leaf in leaves:
        cells = _cells(leaf)
        are_phrases = min(leaf.source[1] - leaf.source[0], leaf.target[1] - leaf.target[0]) > 1
        own = [cell for cell in cells if cell in word_scores]
        for cell in own if are_phrases and own else cells:
            links[cell] = word_scores.get(cell, leaf.score)
    return links


def _cells(candidate: Candidate) -> list[tuple[int, int]]:
    """All pairs of a word of the source side with one of the target side."""
    return list(product(range(*candidate.source), range(*candidate.target)))


def _phrase_pairs(
    source: ParseForest,
    target: ParseForest,
    arrays: AlignmentArrays,
    probabilities: Sequence[float],
    links: Mapping[tuple[int, int], float],
) -> tuple[PhrasePair, ...]:
    """The pairs of a derivation that were not replaced by others, in the order of the nodes.

    A pair of two single words is their link and has its probability.
    """
    whole = compositional(arrays)
    kept = np.flatnonzero(~arrays.absorbed)
    pairs = []
    for place in kept[np.lexsort((arrays.target[kept], arrays.source[kept]))].tolist():
        ours, theirs = source.node(int(arrays.source[place])), target.node(int(arrays.target[place]))
        probability = probabilities[place]
        if ours.end - ours.start == 1 == theirs.end - theirs.start:
            probability = links.get((ours.start, theirs.start), probability)
        pairs.append(PhrasePair(ours, theirs, probability, bool(whole[place])))
    return tuple(pairs)


def _add_confident(links: dict[tuple[int, int], float], candidates: Iterable[Candidate]) -> None:
    """Add confident word pairs that the structure lacks, and certain ones even between linked words.

    Groups are not added: their words are candidates too, each with its own probability. Candidates without a
    probability are not added either.
    """
    used = {i for i, _ in links}, {j for _, j in links}
    words = [candidate for candidate in candidates if candidate.weighted and not candidate.is_group]
    for word in sorted(words, key=lambda word: (-word.score, word.source, word.target)):
        i, j = word.source[0], word.target[0]
        is_free = i not in used[0] and j not in used[1]
        if word.score >= (CONFIDENT_LINK if is_free else CERTAIN_LINK):
            links.setdefault((i, j), word.score)
            used[0].add(i)
            used[1].add(j)


def _choose_tree(
    forest: ParseForest, edges: Iterable[int], nodes: Collection[int], root: int | None = None
) -> Derivation:
    """The parser's most probable tree that uses the given hyperedges and contains the nodes if it can."""
    if len(forest.edges) == forest.token_count - 1 and len(forest.roots) == 1:
        return forest.best_derivation()  # there is only one tree
    triples = forest.edges.tolist()
    forced = {triples[edge][0]: edge for edge in edges}
    required = frozenset(nodes)
    log_edges = (forest.edge_log_marginal - forest.log_marginal[forest.edges[:, 0]]).tolist()
    options: list[list[int]] = [[] for _ in range(len(forest))]
    for edge, (parent, _, _) in enumerate(triples):
        if forced.get(parent, edge) == edge:
            options[parent].append(edge)
    best: list[tuple[int, float]] = []
    chosen: list[int] = []
    for node, edges_of_node in enumerate(options):
        value, choice = (0, 0.0), -1
        for edge in edges_of_node:
            _, left, right = triples[edge]
            below = best[left][0] + best[right][0], best[left][1] + best[right][1] + log_edges[edge]
            if choice < 0 or below > value:
                value, choice = below, edge
        best.append((value[0] + (node in required), value[1]))
        chosen.append(choice)
    if root is None:
        tops = forest.roots.tolist()
        root = max(tops, key=lambda top: (best[top][0], best[top][1] + float(forest.log_marginal[top])))
    picked: dict[int, int] = {}
    todo = [root]
    while todo:
        node = todo.pop()
        if chosen[node] >= 0:
            picked[node] = chosen[node]
            todo += triples[chosen[node]][1:]
    return Derivation(root, picked, forest.log_probability(root, picked))
