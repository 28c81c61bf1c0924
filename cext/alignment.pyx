# distutils: language = c++
"""Phrase alignment of two packed forests by dynamic programming, without the GIL.

The core is Algorithm 4.1 of Arase & Tsujii (2017) with the non-compositional step of Algorithm 4.2, in log
space. It is laid out in four included files: one forest with its null paths and LCAs
(``alignment_side.pxi``), the chart (``alignment_search.pxi``), merging (``alignment_merge.pxi``) and reading off
the result (``alignment_collect.pxi``). ``alignment_reference.py`` computes the same in plain Python.
"""

from libc.math cimport INFINITY, exp, isnan, log, log1p, pow
from libc.stdint cimport uint64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport partial_sort, sort
from libcpp.vector cimport vector

import numpy as np

from forest_align.cext.alignment_result import AlignmentArrays, PackedArrays

cdef enum:
    BASE_SUPPORT = 0
    COMPOSITIONAL_SUPPORT = 1
    NONCOMPOSITIONAL_SUPPORT = 2
    SINGLE_SUPPORT = 3

# Terms this much smaller than the largest, in logs, do not change a sum of doubles.
cdef double NEGLIGIBLE = -45.0
# A support this much worse than another of the same pair, in logs, is not looked for.
cdef double HOPELESS = 20.0

include "alignment_side.pxi"
include "alignment_search.pxi"
include "alignment_merge.pxi"
include "alignment_collect.pxi"


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
    int beam=50,
    int generation_gap=4,
    int opened_supports=4,
    int max_items=100_000,
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
      no part in merging: what they rest on does.
    - A single support lies strictly above what it rests on in both sentences, within the generation gap. Only
      the roots may rest on any pair below them, over any distance; one that has a node in common with them
      then gives way (``absorbed``).
    - A support that is worse than the best one of its pair by a factor of more than e^20 is left out.

    Parameters
    ----------
    source_start, source_end, target_start, target_end : array of int32, shape (N,)
        Token spans of the nodes, bottom-up, shorter spans first.
    source_edges, target_edges : array of int32, shape (E, 3)
        Hyperedges (parent, left, right), sorted.
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
        µ_g: how many generations a pair may stand above what supports it.
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
        If an array has a wrong shape, an index is out of range, a probability is NaN or an option is out of
        range.
    """
    cdef Search search
    cdef Outcome outcome
    held = [
        _fill_side(&search.source, "source", source_start, source_end, source_edges, source_roots,
                   source_log_marginal, source_log_null, source_class, source_log_edge),
        _fill_side(&search.target, "target", target_start, target_end, target_edges, target_roots,
                   target_log_marginal, target_log_null, target_class, target_log_edge),
    ]
    cdef const double[:, ::1] pairs = np.ascontiguousarray(log_pair, dtype=np.float64)
    cdef const int[::1] sources
    cdef const int[::1] targets
    cdef const double[::1] priors
    _check_pairs(log_pair, source_class, target_class)
    sources, targets, priors = _checked_base(
        base_source, base_target, base_log_prior, search.source.size, search.target.size
    )
    _check_options(null_penalty, noncompositional_penalty, parser_weight, temperature, beam, generation_gap,
                   opened_supports, max_items)
    search.log_pair = &pairs[0, 0]
    search.target_classes = <int>pairs.shape[1]
    search.narrowed = False
    search.options.null_penalty = null_penalty
    search.options.noncompositional_penalty = noncompositional_penalty
    search.options.parser_weight = parser_weight
    search.options.sharpness = 1.0 / temperature
    search.options.beam = beam
    search.options.gap = generation_gap
    search.options.opened_supports = opened_supports
    search.options.max_items = max_items
    search.options.allow_noncompositional = allow_noncompositional
    search.options.allow_single_support = allow_single_support
    search.options.count_all_nulls = count_all_nulls
    cdef int bases = <int>sources.shape[0]
    cdef const int* first_source = &sources[0] if bases else NULL
    cdef const int* first_target = &targets[0] if bases else NULL
    cdef const double* first_prior = &priors[0] if bases else NULL
    with nogil:
        _prepare(&search)
        run_search(&search, first_source, first_target, first_prior, bases)
        collect(&search, &outcome)
    del held
    return _result(&search, &outcome, packed)


cdef void _prepare(Search* search) noexcept nogil:
    """Build what depends on the forests alone, and tables for the penalty."""
    cdef Options* options = &search.options
    cdef int words, most
    build_paths(&search.source, options.gap, options.allow_single_support)
    build_paths(
        &search.target, options.gap, options.allow_single_support or options.allow_noncompositional
    )
    build_lcas(&search.target, options.gap, search.lcas, search.lca_heads)
    if options.allow_single_support:
        find_above(search)
    search.item_of_target.assign(search.target.size, -1)
    search.pair_places.assign(<size_t>search.source.size * search.source.size, -1)
    search.mark.assign(max(search.source.size, search.target.size), 0)
    most = search.source.end[search.source.size - 1] - search.source.start[search.source.size - 1]
    most += search.target.end[search.target.size - 1] - search.target.start[search.target.size - 1]
    for words in range(most + 1):
        search.penalties.push_back(-pow(words + 1.0, options.null_penalty))
        search.merged_penalties.push_back(
            -pow(words + options.noncompositional_penalty + 1.0, options.null_penalty)
        )


cdef object _fill_side(
    Side* side, str name, start, end, edges, roots, log_marginal, log_null, classes, log_edge
):
    """Check one forest and point to its arrays; returns what must stay alive meanwhile."""
    cdef const int[::1] starts = np.ascontiguousarray(start, dtype=np.int32)
    cdef const int[::1] ends = np.ascontiguousarray(end, dtype=np.int32)
    cdef const int[:, ::1] triples = np.ascontiguousarray(edges, dtype=np.int32)
    cdef const double[::1] marginals = np.ascontiguousarray(log_marginal, dtype=np.float64)
    cdef const double[::1] nulls = np.ascontiguousarray(log_null, dtype=np.float64)
    cdef const double[::1] weights = (
        np.zeros(len(edges)) if log_edge is None else np.ascontiguousarray(log_edge, dtype=np.float64)
    )
    cdef const int[::1] rows = np.ascontiguousarray(classes, dtype=np.int32)
    cdef const int[::1] tops = np.ascontiguousarray(roots, dtype=np.int32)
    cdef Py_ssize_t size = starts.shape[0], at
    cdef int before = -1, number
    lengths = (ends.shape[0], marginals.shape[0], nulls.shape[0], rows.shape[0])
    if size == 0 or any(value != size for value in lengths) or triples.shape[1] != 3:
        raise ValueError(
            f"{name}: expected arrays of one value a node and edges of three, "
            f"found {size} nodes, {lengths} values, edges of shape {edges.shape}"
        )
    if weights.shape[0] != triples.shape[0]:
        raise ValueError(f"{name}: expected a weight for each of {triples.shape[0]} edges, found {weights.shape[0]}")
    for at in range(triples.shape[0]):
        if not weights[at] <= 0:
            raise ValueError(f"{name}: expected log weights of at most 0, found {weights[at]} for edge {at}")
        number = triples[at, 0]
        if number < before or number >= size or not (0 <= triples[at, 1] < number) or not (
            0 <= triples[at, 2] < number
        ):
            raise ValueError(f"{name}: expected edges sorted by parent, children before it, found edge {at} wrong")
        before = number
    for at in range(size):
        if isnan(nulls[at]) or isnan(marginals[at]) or starts[at] >= ends[at] or rows[at] < 0:
            raise ValueError(f"{name}: expected a span, probabilities and a class, found node {at} wrong")
    side.roots.clear()
    side.is_root.assign(size, 0)
    for at in range(tops.shape[0]):
        if not 0 <= tops[at] < size:
            raise ValueError(f"{name}: expected roots below {size}, found {tops[at]}")
        side.roots.push_back(tops[at])
        side.is_root[tops[at]] = 1
    side.size = <int>size
    side.edge_count = <int>triples.shape[0]
    side.start = &starts[0]
    side.end = &ends[0]
    side.edges = &triples[0, 0] if triples.shape[0] else NULL
    side.classes = &rows[0]
    side.log_marginal = &marginals[0]
    side.log_null = &nulls[0]
    side.log_edge = &weights[0] if triples.shape[0] else NULL
    return starts, ends, triples, marginals, nulls, rows, weights


def _check_pairs(log_pair, source_class, target_class):
    if log_pair.ndim != 2 or np.max(source_class) >= log_pair.shape[0] or np.max(target_class) >= log_pair.shape[1]:
        raise ValueError(f"log_pair: expected a row and a column for each class, found shape {log_pair.shape}")
    if np.isnan(log_pair).any():
        raise ValueError("log_pair: expected numbers, found NaN")


def _checked_base(base_source, base_target, base_log_prior, int source_size, int target_size):
    """Base pairs sorted by source node."""
    sources = np.asarray(base_source, dtype=np.int32)
    targets = np.asarray(base_target, dtype=np.int32)
    priors = np.asarray(base_log_prior, dtype=np.float64)
    if not len(sources) == len(targets) == len(priors):
        raise ValueError(
            f"expected as many base sources, targets and priors, found {len(sources)}, {len(targets)}, {len(priors)}"
        )
    if len(sources):
        if sources.min() < 0 or targets.min() < 0 or sources.max() >= source_size or targets.max() >= target_size:
            raise ValueError("expected base pairs of existing nodes, found a number out of range")
        if np.isnan(priors).any():
            raise ValueError("base_log_prior: expected numbers, found NaN")
    order = np.argsort(sources, kind="stable")
    return sources[order], targets[order], priors[order]


def _check_options(null_penalty, noncompositional_penalty, parser_weight, temperature, beam, generation_gap,
                   opened_supports, max_items):
    limits = (
        ("null_penalty", null_penalty, 0),
        ("noncompositional_penalty", noncompositional_penalty, 0),
        ("parser_weight", parser_weight, 0),
        ("beam", beam, 1),
        ("generation_gap", generation_gap, 1),
        ("opened_supports", opened_supports, 0),
        ("max_items", max_items, 1),
    )
    for name, value, least in limits:
        if not value >= least:
            raise ValueError(f"{name}: expected at least {least}, found {value}")
    if parser_weight > 1:
        raise ValueError(f"parser_weight: expected at most 1, found {parser_weight}")
    if not 0 < temperature < float("inf"):
        raise ValueError(f"temperature: expected a finite number above 0, found {temperature}")


cdef object _int_array(vector[int]& values):
    result = np.empty(values.size(), dtype=np.int32)
    cdef int[::1] view = result
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(int))
    return result


cdef object _result(Search* search, Outcome* outcome, bint packed):
    """Arrays for Python."""
    cdef Py_ssize_t count = outcome.steps.size(), at
    source = np.empty(count, np.int32)
    target = np.empty(count, np.int32)
    kind = np.empty(count, np.int8)
    parent = np.empty(count, np.int32)
    absorbed = np.empty(count, np.uint8)
    log_posterior = np.empty(count, np.float64)
    cdef int[::1] sources = source, targets = target, parents = parent
    cdef signed char[::1] kinds = kind
    cdef unsigned char[::1] absorbeds = absorbed
    cdef double[::1] posteriors = log_posterior
    cdef Item* item
    cdef Py_ssize_t support_count = 0
    for at in range(count):
        item = &search.items[outcome.steps[at].item]
        sources[at] = item.source
        targets[at] = item.target
        kinds[at] = search.supports[item.first_support].kind
        parents[at] = outcome.steps[at].parent
        absorbeds[at] = outcome.steps[at].absorbed
        posteriors[at] = outcome.posteriors[outcome.steps[at].item]
    for at in range(<Py_ssize_t>search.items.size()):
        support_count += search.items[at].support_count
    return AlignmentArrays(
        bool(outcome.root_aligned), bool(search.narrowed), outcome.log_score, outcome.log_total,
        source, target, kind, parent, absorbed.view(np.bool_), log_posterior,
        _int_array(outcome.source_edges), _int_array(outcome.target_edges),
        _int_array(outcome.source_nulls), _int_array(outcome.target_nulls),
        search.items.size(), support_count,
        _packed_arrays(search, outcome) if packed else None,
    )


cdef object _packed_arrays(Search* search, Outcome* outcome):
    cdef vector[int] item_source, item_target, first_support, first_member, members
    cdef vector[int] first_source_edge, first_target_edge, source_edges, target_edges, kinds
    cdef vector[int] some, some_source, some_target
    cdef Item* item
    cdef Support* support
    cdef int at
    log_inside = np.empty(search.items.size())
    log_total = np.empty(search.items.size())
    log_posterior = np.empty(search.items.size())
    local = []
    first_support.push_back(0)
    first_member.push_back(0)
    first_source_edge.push_back(0)
    first_target_edge.push_back(0)
    for number in range(search.items.size()):
        item = &search.items[number]
        item_source.push_back(item.source)
        item_target.push_back(item.target)
        log_inside[number] = item.inside
        log_total[number] = item.total
        log_posterior[number] = outcome.posteriors[number]
        first_support.push_back(first_support.back() + item.support_count)
        for at in range(item.first_support, item.first_support + item.support_count):
            support = &search.supports[at]
            kinds.push_back(support.kind)
            local.append(support.local)
            expand(search, support, some, some_source, some_target)
            members.insert(members.end(), some.begin(), some.end())
            source_edges.insert(source_edges.end(), some_source.begin(), some_source.end())
            target_edges.insert(target_edges.end(), some_target.begin(), some_target.end())
            first_member.push_back(<int>members.size())
            first_source_edge.push_back(<int>source_edges.size())
            first_target_edge.push_back(<int>target_edges.size())
    return PackedArrays(
        _int_array(item_source), _int_array(item_target), log_inside, log_total, log_posterior,
        _int_array(first_support), _int_array(kinds).astype(np.int8), np.array(local, dtype=np.float64),
        _int_array(first_member), _int_array(members), _int_array(first_source_edge), _int_array(source_edges),
        _int_array(first_target_edge), _int_array(target_edges), _int_array(search.root_items),
    )
