"""Turns what the search of the forest aligner found into an alignment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.base import gaps
from forest_align.aligners.forest_model import ForestModel, ForestOptions
from forest_align.aligners.phrase_calibration import log_agreement
from forest_align.aligners.phrase_features import forest_of
from forest_align.aligners.tree_choice import choose_tree
from forest_align.cext.alignment_result import BASE, NONCOMPOSITIONAL, AlignmentArrays
from forest_align.types import Alignment, Links, ParseForest, PhrasePair, Sentence

if TYPE_CHECKING:
    from forest_align.lexicon.candidates import Candidate

#: Name of the kind of aligner.
NAME = "forest"


def build_alignment(
    model: ForestModel,
    source: Sentence,
    target: Sentence,
    arrays: AlignmentArrays,
    base: Mapping[tuple[int, int], Candidate],
    candidates: Sequence[Candidate],
) -> Alignment:
    """Turn the arrays of the kernel into an alignment.

    Parameters
    ----------
    model : ForestModel
        Its calibration gives the phrases their probabilities, its options decide on links outside of them.
    source, target : Sentence
        With forests.
    arrays : AlignmentArrays
        The derivation.
    base : mapping of (int, int) to Candidate
        The base pairs of the search.
    candidates : sequence of Candidate
        All word candidates.

    Raises
    ------
    InputError
        If a sentence has no forest.
    """
    forests = forest_of(source), forest_of(target)
    agreement = log_agreement(source, target, arrays, candidates)
    probabilities = model.calibration.probabilities(arrays.log_posterior, agreement).tolist()
    links = _links_at_leaves(arrays, base, candidates)
    _add_confident(links, candidates, model.options)
    source_tree, target_tree = _chosen_trees(source, target, arrays)
    return Alignment(
        source,
        target,
        words=Links.of(links, scores=list(links.values())),
        phrases=_phrase_pairs(*forests, arrays, probabilities),
        unaligned_source=gaps({i for i, _ in links}, len(source)),
        unaligned_target=gaps({j for _, j in links}, len(target)),
        source_tree=source_tree,
        target_tree=target_tree,
        log_probability=arrays.log_score if len(arrays.source) else None,
        root_aligned=arrays.root_aligned,
        aligner=NAME,
        warnings=("the search was cut short: the sentences are long",) if arrays.narrowed else (),
    )


def _links_at_leaves(
    arrays: AlignmentArrays, base: Mapping[tuple[int, int], Candidate], candidates: Iterable[Candidate]
) -> dict[tuple[int, int], float]:
    """Links of the words of the base pairs of a derivation, each with its own score or else its group's."""
    word_scores = {(c.source[0], c.target[0]): c.score for c in candidates if not c.is_group}
    links: dict[tuple[int, int], float] = {}
    at_leaves = arrays.kind == BASE
    for pair in zip(arrays.source[at_leaves].tolist(), arrays.target[at_leaves].tolist(), strict=True):
        found = base[pair]
        cells = [(i, j) for i in range(*found.source) for j in range(*found.target)]
        links.update({cell: word_scores.get(cell, found.score) for cell in cells})
    return links


def _phrase_pairs(
    source: ParseForest, target: ParseForest, arrays: AlignmentArrays, probabilities: Sequence[float]
) -> tuple[PhrasePair, ...]:
    """The pairs of a derivation that did not give way to others, in the order of the source nodes."""
    compositional = arrays.kind != NONCOMPOSITIONAL
    # A pair that takes the place of a non-compositional one rests on what that one rested on.
    compositional[arrays.parent[arrays.absorbed & ~compositional]] = False
    kept = np.flatnonzero(~arrays.absorbed)
    return tuple(
        PhrasePair(
            source.node(int(arrays.source[place])),
            target.node(int(arrays.target[place])),
            probabilities[place],
            bool(compositional[place]),
        )
        for place in kept[np.argsort(arrays.source[kept], kind="stable")].tolist()
    )


def _chosen_trees(source: Sentence, target: Sentence, arrays: AlignmentArrays) -> tuple[str, str]:
    """The trees of the two forests that a derivation chose, in brackets."""
    trees = []
    chosen = (arrays.source_edges, arrays.source), (arrays.target_edges, arrays.target)
    for sentence, (edges, aligned) in zip((source, target), chosen, strict=True):
        forest = forest_of(sentence)
        root = int(aligned[0]) if arrays.root_aligned else None
        tree = choose_tree(forest, edges.tolist(), aligned.tolist(), root)
        trees.append(forest.bracket(sentence.words, tree))
    return trees[0], trees[1]


def _add_confident(
    links: dict[tuple[int, int], float], candidates: Iterable[Candidate], options: ForestOptions
) -> None:
    """Add confident pairs of words that structure left out; certain ones even between linked words.

    Groups are not added: their words are candidates too, each with a probability of its own.
    """
    used = {i for i, _ in links}, {j for _, j in links}
    single = (found for found in candidates if found.source[1] - found.source[0] == 1)
    words = (found for found in single if found.target[1] - found.target[0] == 1)
    for found in sorted(words, key=lambda found: (-found.score, found.source, found.target)):
        i, j = found.source[0], found.target[0]
        is_free = i not in used[0] and j not in used[1]
        if found.score >= (options.confident_link if is_free else options.certain_link):
            links.setdefault((i, j), found.score)
            used[0].add(i)
            used[1].add(j)
