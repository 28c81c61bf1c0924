"""Turns what the search of the forest aligner found into an alignment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from forest_align.aligners.base import gaps
from forest_align.aligners.forest_model import ForestModel, ForestOptions
from forest_align.aligners.phrase_calibration import log_agreement
from forest_align.aligners.phrase_features import forest_of
from forest_align.aligners.tree_choice import choose_tree
from forest_align.cext.alignment_result import BASE, NONCOMPOSITIONAL, AlignmentArrays
from forest_align.types import Alignment, Links, PhrasePair, Sentence

if TYPE_CHECKING:
    from forest_align.lexicon.candidates import Candidate

#: Name of the kind of aligner.
NAME = "forest"


def build_alignment(
    model: ForestModel,
    source: Sentence,
    target: Sentence,
    arrays: AlignmentArrays,
    base: dict[tuple[int, int], Candidate],
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
    base : dict of (int, int) to Candidate
        The base pairs of the search.
    candidates : sequence of Candidate
        All word candidates.
    """
    forests = forest_of(source), forest_of(target)
    agreement = log_agreement(*forests, arrays, candidates)
    probabilities = model.calibration.probabilities(arrays.log_posterior, agreement).tolist()
    word_scores = {(c.source[0], c.target[0]): c.score for c in candidates if not c.is_group}
    nodes = list(zip(arrays.source.tolist(), arrays.target.tolist(), strict=True))
    links: dict[tuple[int, int], float] = {}
    phrases: list[tuple[int, PhrasePair]] = []
    # A pair that takes the place of a non-compositional one rests on what that one rested on.
    merged_below = set(arrays.parent[arrays.absorbed & (arrays.kind == NONCOMPOSITIONAL)].tolist())
    for place, ((s, t), kind, absorbed, probability) in enumerate(
        zip(nodes, arrays.kind.tolist(), arrays.absorbed.tolist(), probabilities, strict=True)
    ):
        if kind == BASE:
            found = base[s, t]
            cells = [(i, j) for i in range(*found.source) for j in range(*found.target)]
            links.update({cell: word_scores.get(cell, found.score) for cell in cells})
        if not absorbed:
            compositional = kind != NONCOMPOSITIONAL and place not in merged_below
            phrases.append(
                (s, PhrasePair(forests[0].node(s), forests[1].node(t), probability, compositional))
            )
    _add_confident(links, candidates, model.options)
    phrases.sort(key=lambda entry: entry[0])
    trees = []
    chosen = (arrays.source_edges, arrays.source), (arrays.target_edges, arrays.target)
    for sentence, forest, (edges, aligned) in zip((source, target), forests, chosen, strict=True):
        root = int(aligned[0]) if arrays.root_aligned else None
        trees.append(
            forest.bracket(sentence.words, choose_tree(forest, edges.tolist(), aligned.tolist(), root))
        )
    return Alignment(
        source,
        target,
        words=Links.of(links, scores=list(links.values())),
        phrases=tuple(pair for _, pair in phrases),
        unaligned_source=gaps({i for i, _ in links}, len(source)),
        unaligned_target=gaps({j for _, j in links}, len(target)),
        source_tree=trees[0],
        target_tree=trees[1],
        log_probability=arrays.log_score if len(nodes) else None,
        root_aligned=arrays.root_aligned,
        aligner=NAME,
        warnings=("the search was cut short: the sentences are long",) if arrays.narrowed else (),
    )


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
