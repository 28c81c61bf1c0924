# The non-compositional step of the alignment kernel (Algorithm 4.2): opening supports and merging them.

cdef enum:
    MEMBER_LIMIT = 16
    EDGE_LIMIT = 192
    WAITING_LIMIT = 192


# A partial target derivation: the hyperedges that it opens, the items aligned at its frontier, and the source
# hyperedges of whatever gave way.
cdef struct Opened:
    int top
    int edge_count
    int member_count
    int source_count
    bint overflow
    int members[MEMBER_LIMIT]
    int edges[EDGE_LIMIT]
    int source_edges[EDGE_LIMIT]


cdef struct Merge:
    int node
    int upper
    PairBelow* pair


cdef inline int supports_to_open(Search* search, int depth) noexcept nogil:
    """How many supports of an item are tried: half as many at each further opening, but one at least."""
    return max(search.options.opened_supports >> min(depth, 30), min(search.options.opened_supports, 1))


cdef inline void copy_opened(Opened* to, const Opened* other) noexcept nogil:
    to.top = other.top
    to.edge_count = other.edge_count
    to.member_count = other.member_count
    to.source_count = other.source_count
    to.overflow = other.overflow
    memcpy(to.members, other.members, other.member_count * sizeof(int))
    memcpy(to.edges, other.edges, other.edge_count * sizeof(int))
    memcpy(to.source_edges, other.source_edges, other.source_count * sizeof(int))


cdef inline void add_edge(Opened* state, int edge) noexcept nogil:
    if state.edge_count == EDGE_LIMIT:
        state.overflow = True
        return
    state.edges[state.edge_count] = edge
    state.edge_count += 1


cdef inline void add_source_edge(Opened* state, int edge) noexcept nogil:
    if state.source_count == EDGE_LIMIT:
        state.overflow = True
        return
    state.source_edges[state.source_count] = edge
    state.source_count += 1


cdef inline void add_member(Opened* state, int item) noexcept nogil:
    if state.member_count == MEMBER_LIMIT:
        state.overflow = True
        return
    state.members[state.member_count] = item
    state.member_count += 1


cdef inline void add_near(Side* side, int k, int at, Opened* state, bint on_source) noexcept nogil:
    while side.near[k][at].edge >= 0:
        if on_source:
            add_source_edge(state, side.near[k][at].edge)
        else:
            add_edge(state, side.near[k][at].edge)
        at = side.near[k][at].following
        k -= 1


cdef void add_support(Search* search, Opened* state, Support* support) noexcept nogil:
    """Put the derivation of an opened support into a state."""
    cdef int at, k = search.options.gap - 1
    cdef Lca* lca
    if support.kind == COMPOSITIONAL_SUPPORT:
        lca = &search.lcas[support.target_at]
        add_edge(state, lca.edge)
        add_near(&search.target, k, lca.left, state, False)
        add_near(&search.target, k, lca.right, state, False)
        add_source_edge(state, support.source_edge)
        add_near(&search.source, k, support.source_left, state, True)
        add_near(&search.source, k, support.source_right, state, True)
        add_member(state, support.first)
        add_member(state, support.second)
        return
    for at in range(support.member_count):
        add_member(state, search.arena[support.first_member + at])
    for at in range(support.source_edge_count):
        add_source_edge(state, search.arena[support.first_source_edge + at])
    for at in range(support.target_edge_count):
        add_edge(state, search.arena[support.first_target_edge + at])


cdef inline int edge_at(Search* search, const Opened* state, int node) noexcept nogil:
    """The hyperedge by which a state opens a node; -1 if it does not."""
    cdef int at
    for at in range(state.edge_count):
        if search.target.edges[3 * state.edges[at]] == node:
            return state.edges[at]
    return -1


cdef inline int member_at(Search* search, const Opened* state, int node) noexcept nogil:
    """Which member of a state is aligned to a target node; -1 if none is."""
    cdef int at
    for at in range(state.member_count):
        if search.items[state.members[at]].target == node:
            return at
    return -1


cdef inline bint can_open(Support* support) noexcept nogil:
    return support.kind == COMPOSITIONAL_SUPPORT or support.kind == NONCOMPOSITIONAL_SUPPORT


cdef void open_member(Search* search, Opened* state, int member, Support* support) noexcept nogil:
    """Replace a member by what supports it."""
    state.member_count -= 1
    state.members[member] = state.members[state.member_count]
    add_support(search, state, support)


cdef inline bint is_hopeless(Search* search, Merge* merge, Support* support, int lower) noexcept nogil:
    """Whether no merging with this support can come near the best support that the new pair has already."""
    cdef int target = search.items[merge.upper].target, open_item = search.item_of_target[target]
    cdef int null_words = 0
    cdef double bound
    if open_item < 0:
        return False
    if not search.options.count_all_nulls:
        # Opening can only uncover more words; the new member covers some.
        null_words = max(
            0,
            support.null_words
            + length(&search.source, merge.node)
            - length(&search.source, merge.pair.m)
            - length(&search.source, merge.pair.n)
            - length(&search.target, search.items[lower].target),
        )
    bound = (
        log_pair_of(search, merge.node, target)
        + merge.pair.gamma
        + support.opened
        + search.items[lower].open_value
        + penalty(search, null_words, True)
    )
    return bound < search.open_items[open_item].inside - HOPELESS


cdef void trace(Search* search, int node, PairBelow* pair, int upper, int lower) noexcept nogil:
    """Fit a pair into the supports of one above it on the target side (TRACE)."""
    cdef Opened state
    cdef Merge merge
    cdef int at, opened = 0
    cdef Item* item = &search.items[upper]
    merge.node = node
    merge.upper = upper
    merge.pair = pair
    for at in range(item.first_support, item.first_support + item.support_count):
        if not can_open(&search.supports[at]):
            continue
        if opened == supports_to_open(search, 0):
            return
        opened += 1
        if is_hopeless(search, &merge, &search.supports[at], lower):
            continue
        state.top = item.target
        state.edge_count = state.member_count = state.source_count = 0
        state.overflow = False
        add_support(search, &state, &search.supports[at])
        fit(search, &merge, &state, lower, 1)


cdef void fit(Search* search, Merge* merge, Opened* state, int lower, int depth) noexcept nogil:
    """Every way to add an item to an opened pair, opening what stands in its way."""
    cdef Side* side = &search.target
    cdef int place = search.items[lower].target, node = state.top, edge, child, member
    cdef Opened other
    cdef Opened opened
    cdef int waiting[WAITING_LIMIT]
    if state.overflow:
        return
    while node != place:
        member = member_at(search, state, node)
        if member >= 0:
            if side.all_index[<size_t>node * side.size + place] >= 0:
                open_and_fit(search, merge, state, member, lower, depth)
            return
        edge = edge_at(search, state, node)
        if edge < 0:
            # A null subtree: the gap down to the item opens it.
            child = side.all_index[<size_t>node * side.size + place]
            if child >= 0:
                copy_opened(&opened, state)
                while side.all[child].edge >= 0:
                    add_edge(&opened, side.all[child].edge)
                    child = side.all[child].following
                add_member(&opened, lower)
                pack_merged(search, merge, &opened)
            return
        child = side.edges[3 * edge + 1]
        if not (side.start[child] <= side.start[place] and side.end[place] <= side.end[child]):
            child = side.edges[3 * edge + 2]
            if not (side.start[child] <= side.start[place] and side.end[place] <= side.end[child]):
                return
        node = child
    other.top = place
    other.edge_count = other.source_count = 0
    other.overflow = False
    other.member_count = 1
    other.members[0] = lower
    waiting[0] = place
    copy_opened(&opened, state)
    merge_opened(search, merge, &opened, &other, waiting, 1, depth)


cdef void open_and_fit(
    Search* search, Merge* merge, Opened* state, int member, int lower, int depth
) noexcept nogil:
    cdef Item* item = &search.items[state.members[member]]
    cdef int at, opened = 0
    cdef Opened next_state
    for at in range(item.first_support, item.first_support + item.support_count):
        if not can_open(&search.supports[at]):
            continue
        if opened == supports_to_open(search, depth):
            return
        opened += 1
        copy_opened(&next_state, state)
        open_member(search, &next_state, member, &search.supports[at])
        fit(search, merge, &next_state, lower, depth + 1)


cdef void merge_opened(
    Search* search, Merge* merge, Opened* state, Opened* other, int* waiting, int count, int depth
) noexcept nogil:
    """Lay one partial derivation over another (DOWN): each aligned phrase must lie in nulls of the other.

    ``state`` and ``waiting`` are used up; ``waiting`` holds the nodes of the other derivation still to be laid.
    """
    cdef int node, edge, member, own_edge, own_member, at
    if state.overflow or other.overflow:
        return
    while count:
        count -= 1
        node = waiting[count]
        edge = edge_at(search, other, node)
        member = member_at(search, other, node)
        if edge < 0 and member < 0:
            continue
        own_member = member_at(search, state, node)
        if own_member >= 0:
            open_and_merge(search, merge, state, other, own_member, True, waiting, count + 1, depth)
            return
        own_edge = edge_at(search, state, node)
        if own_edge >= 0 and member >= 0:
            open_and_merge(search, merge, state, other, member, False, waiting, count + 1, depth)
            return
        if own_edge >= 0:
            if own_edge != edge or count + 2 > WAITING_LIMIT:
                return
            waiting[count] = search.target.edges[3 * edge + 2]
            waiting[count + 1] = search.target.edges[3 * edge + 1]
            count += 2
        else:
            graft(search, state, other, node)
            if state.overflow:
                return
    for at in range(other.source_count):
        add_source_edge(state, other.source_edges[at])
    pack_merged(search, merge, state)


cdef void open_and_merge(
    Search* search,
    Merge* merge,
    Opened* state,
    Opened* other,
    int member,
    bint in_state,
    int* waiting,
    int count,
    int depth,
) noexcept nogil:
    """Open a member of one derivation in every way and go on; ``waiting`` ends in the node where it stands."""
    cdef Item* item = &search.items[state.members[member] if in_state else other.members[member]]
    cdef int at, opened = 0
    cdef Opened next_state
    cdef Opened next_other
    cdef int next_waiting[WAITING_LIMIT]
    for at in range(item.first_support, item.first_support + item.support_count):
        if not can_open(&search.supports[at]):
            continue
        if opened == supports_to_open(search, depth):
            return
        opened += 1
        copy_opened(&next_state, state)
        copy_opened(&next_other, other)
        memcpy(next_waiting, waiting, count * sizeof(int))
        if in_state:
            open_member(search, &next_state, member, &search.supports[at])
        else:
            open_member(search, &next_other, member, &search.supports[at])
        merge_opened(search, merge, &next_state, &next_other, next_waiting, count, depth + 1)


cdef void graft(Search* search, Opened* state, Opened* other, int top) noexcept nogil:
    """Put what the other derivation has below ``top`` in the place of a null."""
    cdef int todo[WAITING_LIMIT]
    cdef int count = 1, node, edge, member
    todo[0] = top
    while count:
        count -= 1
        node = todo[count]
        member = member_at(search, other, node)
        if member >= 0:
            add_member(state, other.members[member])
            continue
        edge = edge_at(search, other, node)
        if edge >= 0:
            add_edge(state, edge)
            if count + 2 > WAITING_LIMIT:
                state.overflow = True
                return
            todo[count] = search.target.edges[3 * edge + 2]
            todo[count + 1] = search.target.edges[3 * edge + 1]
            count += 2


cdef inline uint64_t mixed(uint64_t value) noexcept nogil:
    value += <uint64_t>0x9E3779B97F4A7C15
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)


cdef double frontier_nulls(
    Search* search, Side* side, const int* edges, int edge_count, const int* members, int member_count,
    bint on_source, int* words, vector[int]* nodes,
) noexcept nogil:
    """Log-probability of the nulls at the frontier and of the hyperedges; words and, if wanted, nodes of nulls."""
    cdef int at, which, child
    cdef double total = 0.0
    for at in range(edge_count):
        total += side.log_edge[edges[at]]
        search.mark[side.edges[3 * edges[at]]] = 1
    for at in range(member_count):
        child = search.items[members[at]].source if on_source else search.items[members[at]].target
        search.mark[child] = 1
    for at in range(edge_count):
        for which in range(1, 3):
            child = side.edges[3 * edges[at] + which]
            if not search.mark[child]:
                total += side.log_null[child]
                words[0] += length(side, child)
                if nodes != NULL:
                    nodes.push_back(child)
    for at in range(edge_count):
        search.mark[side.edges[3 * edges[at]]] = 0
    for at in range(member_count):
        child = search.items[members[at]].source if on_source else search.items[members[at]].target
        search.mark[child] = 0
    return total


cdef void pack_merged(Search* search, Merge* merge, Opened* state) noexcept nogil:
    """Score a merged set and pack it as a support of the new pair."""
    cdef int at, k = search.options.gap - 1, null_words = 0
    cdef double source_nulls, target_nulls, inside = 0.0, open_value = 0.0
    cdef uint64_t fingerprint = 1
    cdef Support support
    cdef int target = search.items[merge.upper].target
    add_source_edge(state, merge.pair.edge)
    add_near(&search.source, k, merge.pair.left, state, True)
    add_near(&search.source, k, merge.pair.right, state, True)
    if state.overflow:
        return
    source_nulls = frontier_nulls(
        search, &search.source, state.source_edges, state.source_count, state.members, state.member_count,
        True, &null_words, NULL,
    )
    target_nulls = frontier_nulls(
        search, &search.target, state.edges, state.edge_count, state.members, state.member_count,
        False, &null_words, NULL,
    )
    for at in range(state.member_count):
        inside += search.items[state.members[at]].inside
        open_value += search.items[state.members[at]].open_value
        if search.options.count_all_nulls:
            null_words += search.items[state.members[at]].null_words
        fingerprint += mixed(<uint64_t>state.members[at])
    for at in range(state.edge_count):
        fingerprint += mixed((<uint64_t>1 << 32) + <uint64_t>state.edges[at])
    for at in range(state.source_count):
        fingerprint += mixed((<uint64_t>2 << 32) + <uint64_t>state.source_edges[at])
    support.kind = NONCOMPOSITIONAL_SUPPORT
    support.fingerprint = fingerprint
    support.null_words = null_words
    support.local = log_pair_of(search, merge.node, target) + penalty(search, null_words, True)
    support.local += source_nulls + target_nulls
    support.opened = source_nulls + open_value
    support.score = support.local + inside
    support.first_member = <int>search.arena.size()
    support.member_count = state.member_count
    for at in range(state.member_count):
        search.arena.push_back(state.members[at])
    support.first_source_edge = <int>search.arena.size()
    support.source_edge_count = state.source_count
    for at in range(state.source_count):
        search.arena.push_back(state.source_edges[at])
    support.first_target_edge = <int>search.arena.size()
    support.target_edge_count = state.edge_count
    for at in range(state.edge_count):
        search.arena.push_back(state.edges[at])
    pack(search, merge.node, target, support)
