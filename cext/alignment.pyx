# distutils: language = c++
"""Phrase alignment of two packed forests by dynamic programming, without the GIL.

The core is Algorithm 4.1 of Arase & Tsujii (2017) with the non-compositional step of Algorithm 4.2, in log
space. It consists of files in ``alignment_parts``:

- one forest: its null paths and lowest common ancestors (``paths.pxi``);
- the chart of items with their packed supports (``chart.pxi``);
- the supports of a pair: one or two pairs (``supports.pxi``), or a merged set, which is built from partial derivations
  (``opened.pxi``) by merging (``merge.pxi``);
- the beam (``beam.pxi``);
- results of the chart: posteriors (``posteriors.pxi``), and the best derivation or, if no pair of roots is reached,
  several (``derivation.pxi``);
- the order of all these steps (``search.pxi``);
- arrays in and out (``arrays.pxi``).

If memory runs out, the search ends with an exception and the process continues: vectors are declared such that C++
exceptions pass through the core, and ``guarded`` turns them into those of Python.

``alignment_reference.py`` computes the same in plain Python.
"""

from libc.math cimport INFINITY, exp, fabs, log, log1p, pow
from libc.string cimport memcpy

from operator import index

import numpy as np

from forest_align.cext.alignment_arrays import (
    BOUNDS, LARGEST_WHOLE_NUMBER, MOST_NODES, AlignmentArrays, PackedArrays,
)
from forest_align.cext.checked_arrays import LARGEST_SCORE, with_checked_arrays

cdef enum:
    BASE_SUPPORT = 0
    COMPOSITIONAL_SUPPORT = 1
    NONCOMPOSITIONAL_SUPPORT = 2
    SINGLE_SUPPORT = 3

# Single and merged supports are dropped if another support of the pair is better by more than this (in logs).
cdef double HOPELESS = 20.0

# Vectors and how they are sorted.
cdef extern from "<vector>" namespace "std" nogil:
    # Cython's own declarations convert C++ exceptions at each call. Functions without the GIL could only print them
    # and would continue with an incomplete table. With these declarations exceptions reach the call of ``guarded``.
    cdef cppclass vector[T]:
        cppclass iterator:
            iterator operator+(size_t)
            iterator operator-(size_t)
        T& operator[](size_t)
        T& back()
        T* data()
        size_t size()
        size_t capacity()
        iterator begin()
        iterator end()
        void assign(size_t, const T&)
        void clear()
        iterator insert[Input](iterator, Input, Input)
        void pop_back()
        void push_back(const T&)
        void reserve(size_t)
        void resize(size_t)


cdef extern from "<algorithm>" namespace "std" nogil:
    void nth_element[Iterator, Compare](Iterator, Iterator, Iterator, Compare)
    void partial_sort[Iterator, Compare](Iterator, Iterator, Iterator, Compare)
    void sort[Iterator](Iterator, Iterator)
    void sort[Iterator, Compare](Iterator, Iterator, Compare)

include "alignment_parts/paths.pxi"
include "alignment_parts/chart.pxi"
include "alignment_parts/supports.pxi"
include "alignment_parts/opened.pxi"
include "alignment_parts/merge.pxi"
include "alignment_parts/beam.pxi"
include "alignment_parts/posteriors.pxi"
include "alignment_parts/derivation.pxi"
include "alignment_parts/search.pxi"
include "alignment_parts/arrays.pxi"


@with_checked_arrays
def align(source, target, log_pair, base, options):
    """Align two forests.

    An item is a pair of nodes; a support of it names the items below (its members). The score of a derivation is a
    product: over its pairs, Pr(source, target) times the penalty; over its maximal null subtrees, Pr(null) (Eq. 1
    and §5.3 of the paper); over the hyperedges above pairs and nulls, their weights.

    Choices that the paper leaves open:

    - The null words of a pair are those of its own support. ``count_all_nulls`` adds those of all items below; the
      best score is then no longer exact, as each item keeps the count of its best support.
    - Merging (Algorithm 4.2) keeps the derivations of the supports; in forests it does not search for other
      derivations of the same members. Single supports are not opened. A pair whose best support is single is not
      merged; its member is. A merged set has at most 16 members and 192 hyperedges of each forest; larger ones are
      dropped.
    - A single support lies strictly above its member in both sentences, within the generation gap. Only pairs of roots
      may have any pair below as their member, at any distance. A member that shares a node with them is marked
      ``absorbed``.
    - Single and merged supports are dropped if the best support of the pair is better by a factor of more than e^20.
      Supports of probability 0 are dropped too.
    - Ties: among pairs of one source node, the lower target node comes first; among roots, the order in the packed
      forest decides; among supports, the one found first comes first.

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
        If an array has a wrong shape, an index is out of range, hyperedges contradict the spans, a span reaches beyond
        the words, a log-probability is NaN or a finite number beyond ±10⁶, a forest has too many nodes or an option is
        out of range.
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
