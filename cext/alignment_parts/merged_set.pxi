# Scores a merged set of the alignment kernel and packs it as a support of a new pair.

cdef void pack_merged(Search* search, Merge* merge, Opened* state) noexcept nogil:
    """Score a merged set and pack it as a support of the new pair."""
    cdef int target = search.items[merge.upper].target
    cdef Support support
    add_edge(state, &state.source, merge.pair.edge)
    add_path(state, &state.source, &search.source, search.options.generation_gap - 1, merge.pair.left)
    add_path(state, &state.source, &search.source, search.options.generation_gap - 1, merge.pair.right)
    if state.overflow:
        return
    support.kind = NONCOMPOSITIONAL_SUPPORT
    score_merged(search, state, merge.node, target, &support)
    support.member_count = state.member_count
    support.first_member = store(search.arena, state.members, state.member_count)
    support.source_edge_count = state.source.count
    support.first_source_edge = store(search.arena, state.source.edges, state.source.count)
    support.target_edge_count = state.target.count
    support.first_target_edge = store(search.arena, state.target.edges, state.target.count)
    pack(search, merge.node, target, support)


cdef void score_merged(Search* search, Opened* state, int node, int target, Support* support) noexcept nogil:
    """Score a merged set ⟨Ψ, Φ⟩: Π α(ψ) · Pr(source, target) · Π Pr(φ, null) · P_e, as a log."""
    cdef int at
    cdef double source_nulls, target_nulls, inside = 0.0, open_value = 0.0
    cdef Item* member
    support.null_words = 0
    source_nulls = frontier_score(search, state, &search.source, &state.source, &support.null_words)
    target_nulls = frontier_score(search, state, &search.target, &state.target, &support.null_words)
    for at in range(state.member_count):
        member = &search.items[state.members[at]]
        inside += member.inside
        open_value += member.open_value
        if search.options.count_all_nulls:
            support.null_words += member.null_words
    support.local = log_pair_of(search, node, target) + penalty(search, support.null_words, True)
    support.local += source_nulls + target_nulls
    support.opened = source_nulls + open_value
    support.score = support.local + inside


cdef double frontier_score(
    Search* search, const Opened* state, Side* side, const EdgeList* opened, int* words
) noexcept nogil:
    """Log-probability of one side's hyperedges and frontier nulls; adds the number of null words to ``words``."""
    cdef int at, which, child
    cdef double total = 0.0
    mark_inside(search, side, opened.edges, opened.count, state.members, state.member_count, True)
    for at in range(opened.count):
        total += side.log_edge[opened.edges[at]]
    for at in range(opened.count):
        for which in range(1, 3):
            child = side.edges[3 * opened.edges[at] + which]
            if not search.mark[child]:
                total += side.log_null[child]
                words[0] += length(side, child)
    mark_inside(search, side, opened.edges, opened.count, state.members, state.member_count, False)
    return total


cdef void find_nulls(
    Search* search, Side* side, vector[int]& edges, vector[int]& members, vector[int]& nulls
) noexcept nogil:
    """Append the nulls at the frontier: nodes that are neither opened by a hyperedge nor a member."""
    cdef int which, child
    cdef size_t at
    mark_inside(search, side, edges.data(), <int>edges.size(), members.data(), <int>members.size(), True)
    for at in range(edges.size()):
        for which in range(1, 3):
            child = side.edges[3 * edges[at] + which]
            if not search.mark[child]:
                nulls.push_back(child)
    mark_inside(search, side, edges.data(), <int>edges.size(), members.data(), <int>members.size(), False)


cdef inline void mark_inside(
    Search* search, Side* side, const int* edges, int edge_count, const int* members, int member_count, bint mark
) noexcept nogil:
    """Set or remove the marks of the nodes of one side that a partial derivation opens, and of its members."""
    cdef int at
    cdef Item* item
    for at in range(edge_count):
        search.mark[side.edges[3 * edges[at]]] = mark
    for at in range(member_count):
        item = &search.items[members[at]]
        search.mark[item.source if side == &search.source else item.target] = mark


cdef inline int store(vector[int]& arena, const int* values, int count) noexcept nogil:
    """Append values to the arena; return the index of the first."""
    cdef int first = <int>arena.size()
    arena.insert(arena.end(), values, values + count)
    return first
