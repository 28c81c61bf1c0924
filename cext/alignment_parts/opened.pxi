# Partial derivations that the alignment kernel merges: pairs that are replaced by their supports, repeatedly.

cdef enum:
    MEMBER_LIMIT = 16
    EDGE_LIMIT = 192


# Hyperedges of one forest.
cdef struct EdgeList:
    int count
    int edges[EDGE_LIMIT]


# A partial target derivation: its hyperedges, the items aligned at its frontier (Ψ), and the source hyperedges of the
# opened items. All other nodes at the frontier are null (Φ).
cdef struct Opened:
    int top
    int member_count
    bint overflow        # whether a limit was reached; the derivation is then dropped
    int members[MEMBER_LIMIT]
    EdgeList target
    EdgeList source


# Target nodes still to be visited: one at first, and one more for each hyperedge on the way down.
cdef struct Waiting:
    int count
    int nodes[EDGE_LIMIT + 1]


cdef inline void begin_opened(Opened* state, int top) noexcept nogil:
    state.top = top
    state.member_count = state.target.count = state.source.count = 0
    state.overflow = False


cdef inline void copy_opened(Opened* to, const Opened* other) noexcept nogil:
    to.top = other.top
    to.member_count = other.member_count
    to.overflow = other.overflow
    memcpy(to.members, other.members, other.member_count * sizeof(int))
    copy_edges(&to.target, &other.target)
    copy_edges(&to.source, &other.source)


cdef inline void copy_edges(EdgeList* to, const EdgeList* other) noexcept nogil:
    to.count = other.count
    memcpy(to.edges, other.edges, other.count * sizeof(int))


cdef inline void add_edge(Opened* state, EdgeList* opened, int edge) noexcept nogil:
    """Add a hyperedge to one of the two lists of a state."""
    if opened.count == EDGE_LIMIT:
        state.overflow = True
        return
    opened.edges[opened.count] = edge
    opened.count += 1


cdef inline void add_member(Opened* state, int item) noexcept nogil:
    if state.member_count == MEMBER_LIMIT:
        state.overflow = True
        return
    state.members[state.member_count] = item
    state.member_count += 1


cdef inline void add_path(Opened* state, EdgeList* opened, Side* side, int k, int at) noexcept nogil:
    """Add the hyperedges of a near path."""
    while side.near[k].paths[at].edge >= 0:
        add_edge(state, opened, side.near[k].paths[at].edge)
        at = side.near[k].paths[at].following
        k -= 1


cdef void add_support(Search* search, Opened* state, Support* support) noexcept nogil:
    """Add the derivation of an opened support to a state."""
    cdef int at, k = search.options.generation_gap - 1
    cdef Lca* lca
    if support.kind == COMPOSITIONAL_SUPPORT:
        lca = &search.lcas[support.target_at]
        add_edge(state, &state.target, lca.edge)
        add_path(state, &state.target, &search.target, k, lca.left)
        add_path(state, &state.target, &search.target, k, lca.right)
        add_edge(state, &state.source, support.source_edge)
        add_path(state, &state.source, &search.source, k, support.source_left)
        add_path(state, &state.source, &search.source, k, support.source_right)
        add_member(state, support.first)
        add_member(state, support.second)
        return
    for at in range(support.member_count):
        add_member(state, search.arena[support.first_member + at])
    for at in range(support.source_edge_count):
        add_edge(state, &state.source, search.arena[support.first_source_edge + at])
    for at in range(support.target_edge_count):
        add_edge(state, &state.target, search.arena[support.first_target_edge + at])


cdef void open_member(Search* search, Opened* state, int member, Support* support) noexcept nogil:
    """Replace a member by one of its supports."""
    state.member_count -= 1
    state.members[member] = state.members[state.member_count]
    add_support(search, state, support)


cdef inline bint can_open(Support* support) noexcept nogil:
    return support.kind == COMPOSITIONAL_SUPPORT or support.kind == NONCOMPOSITIONAL_SUPPORT


cdef inline int next_to_open(Search* search, Item* item, int at) noexcept nogil:
    """The first support of an item, from number ``at`` on, that can be opened; -1 if there is none."""
    while at < item.first_support + item.support_count:
        if can_open(&search.supports[at]):
            return at
        at += 1
    return -1


cdef inline int supports_to_open(Search* search, int depth) noexcept nogil:
    """How many supports of an item are tried: half as many at each deeper level, but one if any."""
    return max(search.options.opened_supports >> min(depth, 30), min(search.options.opened_supports, 1))


cdef inline int edge_at(Search* search, const Opened* state, int node) noexcept nogil:
    """The hyperedge by which a state opens a node; -1 if it does not."""
    cdef int at
    for at in range(state.target.count):
        if search.target.edges[3 * state.target.edges[at]] == node:
            return state.target.edges[at]
    return -1


cdef inline int member_at(Search* search, const Opened* state, int node) noexcept nogil:
    """Which member of a state is aligned to a target node; -1 if none is."""
    cdef int at
    for at in range(state.member_count):
        if search.items[state.members[at]].target == node:
            return at
    return -1


cdef inline void push_children(Side* side, int edge, Waiting* waiting) noexcept nogil:
    """Push both children of a hyperedge on the stack, the left one on top."""
    waiting.nodes[waiting.count] = side.edges[3 * edge + 2]
    waiting.nodes[waiting.count + 1] = side.edges[3 * edge + 1]
    waiting.count += 2
