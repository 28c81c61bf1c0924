# distutils: language = c++
"""Phrase alignment of two packed forests by dynamic programming, without the GIL.

The core is Algorithm 4.1 of Arase & Tsujii (2017) with the non-compositional step of Algorithm 4.2, in log
space. It is laid out in included files:

- one forest: its null paths (``alignment_paths.pxi``) and lowest common ancestors (``alignment_ancestors.pxi``);
- the chart of items with their packed supports (``alignment_chart.pxi``);
- what supports a pair: two pairs (``alignment_pairs.pxi``), one (``alignment_single.pxi``), or a merged set, made of
  partial derivations (``alignment_opened.pxi``) that are fitted together (``alignment_merge.pxi``) and scored
  (``alignment_merged_set.pxi``);
- the beam (``alignment_beam.pxi``);
- what is read off the chart: posteriors (``alignment_posteriors.pxi``), and the best derivation
  (``alignment_derivation.pxi``) or, where no roots are reached, several (``alignment_partial.pxi``);
- the order of all these steps (``alignment_search.pxi``);
- arrays in (``alignment_input.pxi``) and out (``alignment_output.pxi``).

Memory that cannot be had ends a search, not the process: vectors are declared (``alignment_vectors.pxi``) such that
C++ exceptions pass through the core, and ``guarded`` turns them into those of Python.

``alignment_reference.py`` computes the same in plain Python.
"""

from libc.math cimport INFINITY, exp, log, log1p, pow
from libc.string cimport memcpy

from operator import index

import numpy as np

from forest_align.cext.alignment_result import (
    LARGEST_WHOLE_NUMBER,
    MOST_GENERATIONS,
    MOST_NODES,
    AlignmentArrays,
    PackedArrays,
)

cdef enum:
    BASE_SUPPORT = 0
    COMPOSITIONAL_SUPPORT = 1
    NONCOMPOSITIONAL_SUPPORT = 2
    SINGLE_SUPPORT = 3

# A single or merged support this much worse than another of the same pair, in logs, is not looked for.
cdef double HOPELESS = 20.0

include "alignment_parts/vectors.pxi"
include "alignment_parts/paths.pxi"
include "alignment_parts/ancestors.pxi"
include "alignment_parts/chart.pxi"
include "alignment_parts/pairs.pxi"
include "alignment_parts/single.pxi"
include "alignment_parts/opened.pxi"
include "alignment_parts/merge.pxi"
include "alignment_parts/merged_set.pxi"
include "alignment_parts/beam.pxi"
include "alignment_parts/posteriors.pxi"
include "alignment_parts/derivation.pxi"
include "alignment_parts/partial.pxi"
include "alignment_parts/search.pxi"
include "alignment_parts/input.pxi"
include "alignment_parts/output.pxi"


def align(
    source_start, source_end, source_edges, source_roots, source_log_marginal, source_log_null, source_class,
    target_start, target_end, target_edges, target_roots, target_log_marginal, target_log_null, target_class,
    log_pair, base_source, base_target, base_log_prior,
    *,
    source_log_edge=None, target_log_edge=None,
    double null_penalty=1.0,
    double noncompositional_penalty=1.0,
    double parser_weight=0.0,
    double temperature=1.0,
    beam=50,
    generation_gap=4,
    opened_supports=4,
    max_items=100_000,
    bint allow_noncompositional=True,
    bint allow_single_support=True,
    bint count_all_nulls=False,
    bint packed=False,
):
    """Align two forests.

    An item is a pair of nodes; a support of it says what it rests on. The score of a derivation is the product
    over its pairs of Pr(source, target) times the penalty, over its maximal null subtrees of Pr(null) (Eq. 1 and
    §5.3 of the paper), and over the hyperedges above pairs and nulls of their weights.

    Where the paper leaves things open:

    - The null words of a pair are those of its own support; ``count_all_nulls`` adds those of everything below,
      in which case the best score is no longer exact (each item keeps the count of its best support).
    - Parser and alignment probability are interpolated (§5.4) where pairs compete: in the beam and among roots.
    - Merging (Algorithm 4.2) keeps the derivations that the supports carry; in forests it does not look for
      others of the same members. Single supports do not give way, and pairs whose best support is single take
      no part in merging: what they rest on does. A merged set has at most 16 members and 192 hyperedges of each
      forest; larger ones are left out.
    - A single support lies strictly above what it rests on in both sentences, within the generation gap. Only
      the roots may rest on any pair below them, over any distance; one that has a node in common with them
      then gives way (``absorbed``).
    - Of single supports and merged ones, those that are worse than the best support found for the pair by a
      factor of more than e^20 are left out, and so are all supports of probability 0.
    - Of equally good pairs of one source node the one with the lower target node comes first, of equally good roots
      the one that comes first in the packed forest, of supports of one score the one that was found first.

    Parameters
    ----------
    source_start, source_end, target_start, target_end : array of int32, shape (N,)
        Token spans of the nodes, bottom-up, shorter spans first; N is at most ``MOST_NODES``.
    source_edges, target_edges : array of int32, shape (E, 3)
        Hyperedges (parent, left, right), sorted; the spans of the children make up that of the parent.
    source_roots, target_roots : array of int32
    source_log_marginal, target_log_marginal : array of float64, shape (N,)
        Log marginal probability under the parser.
    source_log_null, target_log_null : array of float64, shape (N,)
        Log Pr(node, null) for each node.
    source_class, target_class : array of int32, shape (N,)
        Row and column of each node in ``log_pair``.
    log_pair : array of float64, shape (source classes, target classes)
        Log Pr(source, target).
    base_source, base_target : array of int32, shape (B,)
        Pairs that need no support: word links, and groups of words that are linked as a whole.
    base_log_prior : array of float64, shape (B,)
        Log weight of each base pair, multiplied into its score.
    source_log_edge, target_log_edge : array of float64, shape (E,), optional
        Log weight of each hyperedge, at most 0: what a derivation pays for a tree that the parser thinks less of.
    null_penalty, noncompositional_penalty : float
        µ_n and µ_c of §5.3.
    parser_weight : float
        µ_p of §5.4, in [0, 1].
    temperature : float
        Above 0. Posteriors are those of the distribution over derivations in which each is as probable as its
        score raised to the power 1 / temperature, normalised. What the best derivation is does not depend on it.
    beam : int
        µ_b: pairs kept for each source node, and supports kept for each pair.
    generation_gap : int
        µ_g: how many generations a pair may stand above what supports it; at most ``MOST_GENERATIONS``.
    opened_supports : int
        How many supports of a pair are tried when it has to give way in merging: half as many where something
        had to give way before, half of these at the next, but at least one.
    max_items : int
        Budget of pairs in all; the beam narrows to keep it.
    allow_noncompositional, allow_single_support, count_all_nulls : bool
    packed : bool
        Whether to return the packed alignment forest as well.

    Returns
    -------
    AlignmentArrays

    Raises
    ------
    ValueError
        If an array has a wrong shape, an index is out of range, hyperedges contradict the spans, a log-probability
        is NaN or infinity, a forest has too many nodes or an option is out of range.
    TypeError
        If an option that is a whole number is none.
    MemoryError
        If there is not enough memory.
    """
    cdef Search search
    cdef Outcome outcome
    search.options = Options(
        null_penalty=null_penalty,
        noncompositional_penalty=noncompositional_penalty,
        parser_weight=parser_weight,
        sharpness=1.0 / temperature,
        beam=whole_number("beam", beam, 1, LARGEST_WHOLE_NUMBER),
        gap=whole_number("generation_gap", generation_gap, 1, MOST_GENERATIONS),
        opened_supports=whole_number("opened_supports", opened_supports, 0, LARGEST_WHOLE_NUMBER),
        max_items=whole_number("max_items", max_items, 1, LARGEST_WHOLE_NUMBER),
        allow_noncompositional=allow_noncompositional,
        allow_single_support=allow_single_support,
        count_all_nulls=count_all_nulls,
        packed=packed,
    )
    held = [
        take_side(&search.source, "source", source_start, source_end, source_edges, source_roots,
                  source_log_marginal, source_log_null, source_class, source_log_edge),
        take_side(&search.target, "target", target_start, target_end, target_edges, target_roots,
                  target_log_marginal, target_log_null, target_class, target_log_edge),
        take_pairs(&search, log_pair, source_class, target_class),
        take_base(&search, base_source, base_target, base_log_prior),
    ]
    check_options(&search.options, temperature)
    with nogil:
        guarded(align_forests, &search, &outcome)
    del held
    return result_arrays(&search, &outcome)
