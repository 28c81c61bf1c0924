"""Turns the result of the forest aligner's search into an alignment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.aligners.forest._further_pairs import further_pairs
from forest_align.aligners.forest._maximum_set import compositional, with_maximum_set
from forest_align.aligners.forest._probable_pairs import with_revised_pairs
from forest_align.aligners.forest._tree_choice import choose_tree
from forest_align.aligners.forest._whole_constituents import with_whole_constituents
from forest_align.aligners.forest.base_pairs import CERTAIN_LINK, CONFIDENT_LINK
from forest_align.aligners.forest.calibration import log_agreement
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.forest.judge_features import DerivationPairs, derivation_pairs
from forest_align.aligners.forest.judged_pairs import with_judged_pairs
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions
from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.cext.alignment_arrays import BASE, AlignmentArrays
from forest_align.types import Derivation, ParseForest, Sentence
from forest_align.types.spans import gaps

if TYPE_CHECKING:
    from forest_align.aligners.forest.phrase_evidence import PhraseEvidence
    from forest_align.aligners.words.candidate import Candidate

#: Name of the kind of aligner.
NAME = "forest"


class Reported(NamedTuple):
    """The reported parts of a derivation."""

    # The derivation, perhaps completed to the maximum set, with the nodes that are shown
    arrays: AlignmentArrays
    links: dict[tuple[int, int], float]  # The word links with their probabilities
    trees: tuple[Derivation, Derivation]  # The tree that the derivation chose in each of the two forests
    outside: tuple[tuple[int, int], ...]  # The links that the derivation does not contain, ascending
    leaves: dict[int, Candidate]  # The candidate of each base pair, by its place in the arrays


def build_alignment(
    model: ForestModel,
    source: Sentence,
    target: Sentence,
    arrays: AlignmentArrays,
    base: Mapping[tuple[int, int], Candidate],
    candidates: Sequence[Candidate],
    phrases: PhraseEvidence | None = None,
) -> Alignment:
    """Turn the arrays of the kernel into an alignment, which the judge of the model revises if it can."""
    alignment, trees = _unjudged(model, source, target, arrays, base, candidates, phrases)
    if model.judge is None:
        return alignment
    pairs = _pairs_to_judge(model, alignment, trees, phrases)
    return alignment if pairs is None else with_judged_pairs(alignment, pairs, model.judge)


def pairs_to_judge(
    model: ForestModel,
    source: Sentence,
    target: Sentence,
    arrays: AlignmentArrays,
    base: Mapping[tuple[int, int], Candidate],
    candidates: Sequence[Candidate],
    phrases: PhraseEvidence | None = None,
) -> DerivationPairs | None:
    """What a judge reads about a derivation; None without the phrases of both sentences."""
    alignment, trees = _unjudged(model, source, target, arrays, base, candidates, phrases)
    return _pairs_to_judge(model, alignment, trees, phrases)


def _pairs_to_judge(
    model: ForestModel,
    alignment: Alignment,
    trees: tuple[Derivation, Derivation],
    phrases: PhraseEvidence | None,
) -> DerivationPairs | None:
    if model.phrases is None or phrases is None or phrases.phrases is None:
        return None
    further = further_pairs(alignment, trees, phrases)
    return derivation_pairs(alignment, phrases.phrases, model.phrases, further)


def _unjudged(
    model: ForestModel,
    source: Sentence,
    target: Sentence,
    arrays: AlignmentArrays,
    base: Mapping[tuple[int, int], Candidate],
    candidates: Sequence[Candidate],
    phrases: PhraseEvidence | None,
) -> tuple[Alignment, tuple[Derivation, Derivation]]:
    """The alignment that reports a derivation before it is judged, and the trees that it chose."""
    forests = forest_of(source), forest_of(target)
    reported = reported_derivation(forests, arrays, base, candidates, model.options_for(phrases), phrases)
    arrays, links, trees, outside, leaves = reported
    agreement = log_agreement(source, target, arrays, candidates, phrases)
    if phrases is None:
        probabilities = model.calibration.probabilities(arrays.log_posterior, agreement).tolist()
    else:
        probabilities = model.calibration.of_phrases(agreement).tolist()
    weighted = {(c.source[0], c.target[0]) for c in candidates if c.weighted and not c.is_group}
    unweighted = links.keys() - weighted
    for place, leaf in leaves.items():
        if not leaf.weighted:
            links |= {cell: probabilities[place] for cell in _cells(leaf) if cell in unweighted}
    pairs = _phrase_pairs(*forests, arrays, probabilities, links)
    alignment = Alignment(
        source,
        target,
        words=Links.of(links, scores=list(links.values())),
        phrases=pairs,
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


def reported_derivation(
    forests: tuple[ParseForest, ParseForest],
    arrays: AlignmentArrays,
    base: Mapping[tuple[int, int], Candidate],
    candidates: Sequence[Candidate],
    options: ForestOptions,
    phrases: PhraseEvidence | None = None,
) -> Reported:
    """Find the word links and the trees of a derivation; complete or revise its phrases."""
    trees = (
        _chosen_tree(forests[0], arrays.source_edges, arrays.source, arrays.root_aligned),
        _chosen_tree(forests[1], arrays.target_edges, arrays.target, arrays.root_aligned),
    )
    if options.strict:
        arrays = with_maximum_set(arrays, forests, trees, base)
    leaves = {place: base[pair] for place, pair in _leaves(arrays)}
    links = _links_at_leaves(leaves.values(), candidates)
    inside = set(links)
    if not options.strict:
        _add_confident(links, candidates)
        arrays = with_whole_constituents(arrays, forests, trees, links)
    if phrases is not None and options.phrase_weight:
        count = len(arrays.source)
        arrays = with_revised_pairs(arrays, forests, trees, leaves, links, phrases, options.phrase_added)
        inside -= _cut_links(forests, arrays, count, links)
    return Reported(arrays, links, trees, tuple(sorted(links.keys() - inside)), leaves)


def _cut_links(
    forests: tuple[ParseForest, ParseForest],
    arrays: AlignmentArrays,
    first: int,
    links: Iterable[tuple[int, int]],
) -> set[tuple[int, int]]:
    """The links that have one word in a pair and the other not, for pairs from the given place on."""
    pairs = [
        (forests[0].node(s), forests[1].node(t))
        for s, t in zip(arrays.source[first:].tolist(), arrays.target[first:].tolist(), strict=True)
    ]
    return {
        (i, j)
        for i, j in links
        if any((one.start <= i < one.end) != (two.start <= j < two.end) for one, two in pairs)
    }


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
    for found in leaves:
        cells = _cells(found)
        are_phrases = min(found.source[1] - found.source[0], found.target[1] - found.target[0]) > 1
        own = [cell for cell in cells if cell in word_scores]
        links.update(
            {cell: word_scores.get(cell, found.score) for cell in (own if are_phrases and own else cells)}
        )
    return links


def _leaves(arrays: AlignmentArrays) -> list[tuple[int, tuple[int, int]]]:
    """The places and the nodes of a derivation's base pairs."""
    places = np.flatnonzero(arrays.kind == BASE)
    nodes = zip(arrays.source[places].tolist(), arrays.target[places].tolist(), strict=True)
    return list(zip(places.tolist(), nodes, strict=True))


def _cells(candidate: Candidate) -> list[tuple[int, int]]:
    """All pairs of a word of the source side with one of the target side."""
    return [(i, j) for i in range(*candidate.source) for j in range(*candidate.target)]


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
    found = []
    for place in kept[np.lexsort((arrays.target[kept], arrays.source[kept]))].tolist():
        one, two = source.node(int(arrays.source[place])), target.node(int(arrays.target[place]))
        probability = probabilities[place]
        if one.end - one.start == 1 == two.end - two.start:
            probability = links.get((one.start, two.start), probability)
        found.append(PhrasePair(one, two, probability, bool(whole[place])))
    return tuple(found)


def _chosen_tree(forest: ParseForest, edges: np.ndarray, aligned: np.ndarray, rooted: bool) -> Derivation:
    """The tree of a forest that a derivation chose."""
    return choose_tree(forest, edges.tolist(), aligned.tolist(), int(aligned[0]) if rooted else None)


def _add_confident(links: dict[tuple[int, int], float], candidates: Iterable[Candidate]) -> None:
    """Add confident word pairs that the structure lacks, and certain ones even between linked words.

    Groups are not added: their words are candidates too, each with its own probability. Candidates without a
    probability are not added either.
    """
    used = {i for i, _ in links}, {j for _, j in links}
    single = (found for found in candidates if found.source[1] - found.source[0] == 1)
    words = (found for found in single if found.target[1] - found.target[0] == 1 and found.weighted)
    for found in sorted(words, key=lambda found: (-found.score, found.source, found.target)):
        i, j = found.source[0], found.target[0]
        is_free = i not in used[0] and j not in used[1]
        if found.score >= (CONFIDENT_LINK if is_free else CERTAIN_LINK):
            links.setdefault((i, j), found.score)
            used[0].add(i)
            used[1].add(j)
