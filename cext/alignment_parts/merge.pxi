# The non-compositional step of the alignment kernel (Algorithm 4.2): merges a pair into the supports of another one,
# and packs the merged set as a support of a new pair.

# Two items, one below the other on the target side. The merged pair consists of a source node and the target of the
# upper item.
cdef struct Merge:
    int node
    int upper
    int lower
    PairBelow* pair


cdef void merge_nested(Search* search, int node) noexcept nogil:
    """Merge the nested items. Compositional supports are known by now, so hopeless merges can be skipped."""
    cdef size_t at
    cdef Merge merge
    merge.node = node
    for at in range(search.nested.size()):
        merge.pair = &search.pairs[search.nested[at].pair]
        merge.upper = search.nested[at].upper
        merge.lower = search.nested[at].lower
        trace(search, &merge)
    search.nested.clear()


cdef void trace(Search* search, Merge* merge) noexcept nogil:
    """Fit the lower pair into the supports of the upper one (TRACE)."""
    cdef Item* upper = &search.items[merge.upper]
    cdef int at = next_to_open(search, upper, upper.first_support), opened = 0
    cdef Opened state
    while at >= 0 and opened < supports_to_open(search, 0):
        opened += 1
        if not is_hopeless(search, merge, &search.supports[at]):
            begin_opened(&state, upper.target)
            add_support(search, &state, &search.supports[at])
            fit(search, merge, &state, 1)
        at = next_to_open(search, upper, at + 1)


cdef inline bint is_hopeless(Search* search, Merge* merge, Support* support) noexcept nogil:
    """Whether any merge with this support would be hopelessly worse than the new pair's best support so far."""
    cdef int target = search.items[merge.upper].target, open_item = search.item_of_target[target]
    cdef Item* lower = &search.items[merge.lower]
    cdef int null_words = 0
    cdef double bound
    if open_item < 0:
        return False
    if not search.options.count_all_nulls:
        # Opening supports can only add null words; the new member covers some.
        null_words = max(
            0,
            support.null_words
            + length(&search.source, merge.node)
            - length(&search.source, merge.pair.m)
            - length(&search.source, merge.pair.n)
            - length(&search.target, lower.target),
        )
    bound = (
        log_pair_of(search, merge.node, target)
        + merge.pair.gamma
        + support.opened
        + lower.open_value
        + penalty(search, null_words, True)
    )
    return bound < search.open_items[open_item].inside - HOPELESS


cdef void fit(Search* search, Merge* merge, Opened* state, int depth) noexcept nogil:
    """Add the lower item to an opened pair in every possible way, opening members on its path.

    Walks down to the item's node. A null φ on the path takes the item (line 4 of Algorithm 4.2); an aligned ψ is
    opened (line 6). If the node itself is reached, the derivations below it are merged (line 9).
    """
    cdef int place = search.items[merge.lower].target, node = state.top, edge, member
    if state.overflow:
        return
    while node != place:
        member = member_at(search, state, node)
        if member >= 0:
            if far_path(&search.target, node, place) >= 0:
                open_and_fit(search, merge, state, member, depth)
            return
        edge = edge_at(search, state, node)
        if edge < 0:
            fit_into_null(search, merge, state, node)
            return
        node = child_towards(&search.target, edge, place)
        if node < 0:
            return
    fit_at_place(search, merge, state, depth)


cdef inline int child_towards(Side* side, int edge, int place) noexcept nogil:
    """The child of a hyperedge whose span contains that of a node; -1 if the node overlaps both children."""
    if covers(side, side.edges[3 * edge + 1], place):
        return side.edges[3 * edge + 1]
    if covers(side, side.edges[3 * edge + 2], place):
        return side.edges[3 * edge + 2]
    return -1


cdef void fit_into_null(Search* search, Merge* merge, Opened* state, int null) noexcept nogil:
    """Open a null by the path down to the lower item (GAP), if the item lies below it."""
    cdef Side* side = &search.target
    cdef int at = far_path(side, null, search.items[merge.lower].target)
    cdef Opened opened
    if at < 0:
        return
    copy_opened(&opened, state)
    while side.far.paths[at].edge >= 0:
        add_edge(&opened, &opened.target, side.far.paths[at].edge)
        at = side.far.paths[at].following
    add_member(&opened, merge.lower)
    pack_merged(search, merge, &opened)


cdef void open_and_fit(Search* search, Merge* merge, Opened* state, int member, int depth) noexcept nogil:
    """Open a member by each of its supports, and continue with :func:`fit`."""
    cdef Item* item = &search.items[state.members[member]]
    cdef int at = next_to_open(search, item, item.first_support), opened = 0
    cdef Opened next_state
    while at >= 0 and opened < supports_to_open(search, depth):
        opened += 1
        copy_opened(&next_state, state)
        open_member(search, &next_state, member, &search.supports[at])
        fit(search, merge, &next_state, depth + 1)
        at = next_to_open(search, item, at + 1)


cdef void fit_at_place(Search* search, Merge* merge, Opened* state, int depth) noexcept nogil:
    """Merge the lower item with the derivation that an opened pair has at the same node."""
    cdef Opened opened
    cdef Opened other
    cdef Waiting waiting
    copy_opened(&opened, state)
    begin_opened(&other, search.items[merge.lower].target)
    add_member(&other, merge.lower)
    waiting.count = 1
    waiting.nodes[0] = other.top
    lay_over(search, merge, &opened, &other, &waiting, depth)


cdef void lay_over(
    Search* search, Merge* merge, Opened* state, Opened* other, Waiting* waiting, int depth
) noexcept nogil:
    """Merge another partial derivation into one (DOWN): each aligned phrase must lie in nulls of the other.

    ``state`` and ``waiting`` are overwritten; ``waiting`` has the nodes of the other derivation that remain.
    """
    cdef int node, edge, member, own_edge, own_member, at
    if state.overflow or other.overflow:
        return
    while waiting.count:
        waiting.count -= 1
        node = waiting.nodes[waiting.count]
        edge = edge_at(search, other, node)
        member = member_at(search, other, node)
        if edge < 0 and member < 0:
            continue
        own_edge = edge_at(search, state, node)
        own_member = member_at(search, state, node)
        if own_member >= 0 or (own_edge >= 0 and member >= 0):
            waiting.count += 1
            open_and_lay_over(
                search, merge, state, other, own_member if own_member >= 0 else member, own_member >= 0, waiting, depth
            )
            return
        if own_edge >= 0:
            # Both open the node: they must use the same hyperedge, as in a single tree.
            if own_edge != edge:
                return
            push_children(&search.target, edge, waiting)
        else:
            graft(search, state, other, node)
            if state.overflow:
                return
    for at in range(other.source.count):
        add_edge(state, &state.source, other.source.edges[at])
    pack_merged(search, merge, state)


cdef void open_and_lay_over(
    Search* search, Merge* merge, Opened* state, Opened* other, int member, bint in_state, Waiting* waiting, int depth
) noexcept nogil:
    """Open a member of one of two derivations by each support; continue at its node, where ``waiting`` ends."""
    cdef Item* item = &search.items[state.members[member] if in_state else other.members[member]]
    cdef int at = next_to_open(search, item, item.first_support), opened = 0
    cdef Opened next_state
    cdef Opened next_other
    cdef Waiting next_waiting
    while at >= 0 and opened < supports_to_open(search, depth):
        opened += 1
        copy_opened(&next_state, state)
        copy_opened(&next_other, other)
        next_waiting.count = waiting.count
        memcpy(next_waiting.nodes, waiting.nodes, waiting.count * sizeof(int))
        open_member(search, &next_state if in_state else &next_other, member, &search.supports[at])
        lay_over(search, merge, &next_state, &next_other, &next_waiting, depth + 1)
        at = next_to_open(search, item, at + 1)


cdef void graft(Search* search, Opened* state, Opened* other, int top) noexcept nogil:
    """Replace a null by the part of the other derivation below ``top``."""
    cdef int node, edge, member
    cdef Waiting todo
    todo.count = 1
    todo.nodes[0] = top
    while todo.count:
        todo.count -= 1
        node = todo.nodes[todo.count]
        member = member_at(search, other, node)
        if member >= 0:
            add_member(state, other.members[member])
            continue
        edge = edge_at(search, other, node)
        if edge >= 0:
            add_edge(state, &state.target, edge)
            push_children(&search.target, edge, &todo)


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
