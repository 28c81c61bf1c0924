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

from forest_align.cext.alignment_arguments import BOUNDS, LARGEST_WHOLE_NUMBER, MOST_NODES
from forest_align.cext.alignment_result import AlignmentArrays, PackedArrays

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


def align(source, target, log_pair, base, options):
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
    source, target : SideArrays
        The forests.
    log_pair : array of float64, shape (source nodes, target nodes)
        Log Pr(source, target).
    base : BaseArrays
        Pairs that need no support.
    options : SearchOptions
        How to search.

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
    take_options(&search.options, options)
    held = [
        take_side(&search.source, "source", source),
        take_side(&search.target, "target", target),
        take_pairs(&search, log_pair),
        take_base(&search, base),
    ]
    with nogil:
        guarded(align_forests, &search, &outcome)
    del held
    return result_arrays(&search, &outcome)
