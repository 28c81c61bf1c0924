# The alignment kernel from forests to the finished chart, and from the chart to the outcome.

cdef extern from *:
    """
    /* Cython can turn C++ exceptions into those of Python where it calls a function that is defined in C++. */
    template <class Step, class... Given> void guarded(Step step, Given... given) { step(given...); }
    """
    void guarded(void (*step)(Search*, Outcome*) noexcept nogil, Search* search, Outcome* outcome) except + nogil


cdef void align_forests(Search* search, Outcome* outcome) noexcept nogil:
    """Run the whole search without Python objects."""
    run_search(search)
    collect(search, outcome)
    if search.options.packed:
        flatten(search, &outcome.packed)


cdef void run_search(Search* search) noexcept nogil:
    """Fill the chart bottom-up over the source nodes (Algorithm 4.1)."""
    cdef int node, base = 0
    prepare(search)
    for node in range(search.source.size):
        base = pack_base(search, node, base)
        support_by_two(search, node)
        merge_nested(search, node)
        if search.options.single_support:
            support_by_one(search, node)
        prune(search, node)
        search.first_item[node + 1] = <int>search.items.size()
    if search.options.single_support:
        support_roots_by_one(search)


cdef void prepare(Search* search) noexcept nogil:
    """Build the tables that depend on the forests alone."""
    cdef bint single = search.options.single_support
    cdef size_t sources = search.source.size, targets = search.target.size
    mark_roots(&search.source)
    mark_roots(&search.target)
    build_paths(&search.source, search.options.generation_gap, single)
    build_paths(&search.target, search.options.generation_gap, single or search.options.noncompositional)
    build_lcas(&search.target, search.options.generation_gap, search.lcas, search.lca_heads)
    if single:
        find_above(search)
    tabulate_penalties(search)
    search.narrowed = False
    search.first_item.assign(sources + 1, 0)
    search.item_of_target.assign(targets, -1)
    search.pair_places.assign(sources * sources, -1)
    search.mark.assign(max(sources, targets), 0)


cdef void tabulate_penalties(Search* search) noexcept nogil:
    """The penalty function for every number of null words that two sentences can have."""
    cdef double null_penalty = search.options.null_penalty
    cdef double extra = search.options.noncompositional_penalty
    # The last node of a forest has the longest span.
    cdef int most = length(&search.source, search.source.size - 1) + length(&search.target, search.target.size - 1)
    cdef int words
    for words in range(most + 1):
        search.penalties.push_back(-pow(words + 1.0, null_penalty))
        search.merged_penalties.push_back(-pow(words + extra + 1.0, null_penalty))


cdef void collect(Search* search, Outcome* outcome) noexcept nogil:
    """Read the finished chart: sums, posteriors, the best derivation."""
    cdef size_t at
    sum_inside(search)
    order_roots(search)
    for at in range(search.items.size()):
        search.items[at].outside = -INFINITY
    outcome.root_aligned = search.root_items.size() > 0
    if outcome.root_aligned:
        begin_at_roots(search, outcome)
    else:
        find_partial_tops(search, outcome)
        begin_at_tops(search, outcome)
    sum_outside(search)
    find_posteriors(search, outcome.log_total if outcome.root_aligned else 0.0, outcome.posteriors)
    trace_back(search, outcome)


cdef void begin_at_roots(Search* search, Outcome* outcome) noexcept nogil:
    """The best derivation begins at the best root pair, the sum runs over all of them."""
    cdef size_t at
    cdef Item* item
    outcome.tops.push_back(search.root_items[0])
    outcome.log_score = search.items[search.root_items[0]].inside
    outcome.log_total = -INFINITY
    for at in range(search.root_items.size()):
        item = &search.items[search.root_items[at]]
        item.outside = 0.0
        outcome.log_total = log_add(outcome.log_total, item.total)


cdef void begin_at_tops(Search* search, Outcome* outcome) noexcept nogil:
    """Combine the derivations of all tops; each top has probability 1."""
    cdef size_t at
    cdef Item* item
    outcome.log_score = 0.0
    outcome.log_total = 0.0
    for at in range(outcome.tops.size()):
        item = &search.items[outcome.tops[at]]
        item.outside = -item.total
        outcome.log_score += item.inside
        outcome.log_total += item.total
