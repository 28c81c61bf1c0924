# Compositional supports: one member in each child on both sides, straight or inverted (ALIGN of Algorithm 4.1).

cdef void support_by_two(Search* search, int node) noexcept nogil:
    """Combine all items of all pairs of nodes below a source node."""
    cdef PairBelow pair
    cdef int m, n
    cdef size_t at
    find_pairs_below(search, node)
    for at in range(search.pairs.size()):
        pair = search.pairs[at]
        for m in range(search.first_item[pair.m], search.first_item[pair.m + 1]):
            for n in range(search.first_item[pair.n], search.first_item[pair.n + 1]):
                combine(search, node, <int>at, m, n)


cdef void find_pairs_below(Search* search, int node) noexcept nogil:
    """Pairs of source nodes that both have items and whose LCA is ``node``, with the best paths to them (γ)."""
    cdef Side* side = &search.source
    cdef PathTable* near = &side.near[search.options.generation_gap - 1]
    cdef bint many = side.first_edge[node + 1] - side.first_edge[node] > 1
    cdef int edge, left, right, a, b
    cdef PairBelow pair
    search.pairs.clear()
    for edge in range(side.first_edge[node], side.first_edge[node + 1]):
        pair.edge = edge
        left = side.edges[3 * edge + 1]
        right = side.edges[3 * edge + 2]
        for a in range(near.first[left], near.first[left + 1]):
            pair.m = near.paths[a].lower
            pair.left = a
            if search.first_item[pair.m] == search.first_item[pair.m + 1]:
                continue
            for b in range(near.first[right], near.first[right + 1]):
                pair.n = near.paths[b].lower
                if search.first_item[pair.n] == search.first_item[pair.n + 1]:
                    continue
                pair.right = b
                pair.gamma = near.paths[a].gamma + near.paths[b].gamma + side.log_edge[edge]
                if many:
                    keep_better_pair(search, pair)
                else:
                    search.pairs.push_back(pair)


cdef inline void keep_better_pair(Search* search, PairBelow& pair) noexcept nogil:
    """Add a pair, or replace the same one if its paths are worse."""
    cdef size_t place = <size_t>pair.m * search.source.size + pair.n
    cdef int known = search.pair_places[place]
    # An entry left by an earlier node is recognised by its contents.
    if (
        0 <= known < <int>search.pairs.size()
        and search.pairs[known].m == pair.m
        and search.pairs[known].n == pair.n
    ):
        if pair.gamma > search.pairs[known].gamma:
            search.pairs[known] = pair
        return
    search.pair_places[place] = <int>search.pairs.size()
    search.pairs.push_back(pair)


cdef inline void combine(Search* search, int node, int number, int m, int n) noexcept nogil:
    """Pack two items in different children of a node as a support, for each LCA of their targets."""
    cdef Item* item_m = &search.items[m]
    cdef Item* item_n = &search.items[n]
    cdef int head = search.lca_heads[<size_t>item_m.target * search.target.size + item_n.target]
    cdef PairBelow* pair = &search.pairs[number]
    cdef Support support
    cdef Lca* lca
    if head < 0:
        note_nested(search, number, m, n)
        return
    support.kind = COMPOSITIONAL_SUPPORT
    support.first = m
    support.second = n
    support.source_edge = pair.edge
    support.source_left = pair.left
    support.source_right = pair.right
    support.opened = pair.gamma + item_m.open_value + item_n.open_value
    cdef double inside = item_m.inside + item_n.inside
    # Words on the two paths that no member covers are null.
    cdef int null_words = (
        length(&search.source, node)
        - length(&search.source, pair.m)
        - length(&search.source, pair.n)
        - length(&search.target, item_m.target)
        - length(&search.target, item_n.target)
    )
    if search.options.count_all_nulls:
        null_words += item_m.null_words + item_n.null_words
    while head >= 0:
        lca = &search.lcas[head]
        support.target_at = head
        support.null_words = null_words + length(&search.target, lca.top)
        support.local = (
            log_pair_of(search, node, lca.top)
            + pair.gamma
            + lca.gamma
            + penalty(search, support.null_words, False)
        )
        support.score = support.local + inside  # Eq. (1) times the penalty, as logs
        pack(search, node, lca.top, support)
        head = lca.following


cdef inline void note_nested(Search* search, int number, int m, int n) noexcept nogil:
    """Collect two items for merging if one lies below the other on the target side, or at the same node."""
    cdef Nested nested
    cdef Side* side = &search.target
    # Pairs with a single support are many, and their members are merged instead.
    if (
        not search.options.noncompositional
        or search.supports[search.items[m].first_support].kind == SINGLE_SUPPORT
        or search.supports[search.items[n].first_support].kind == SINGLE_SUPPORT
    ):
        return
    nested.pair = number
    if length(side, search.items[m].target) >= length(side, search.items[n].target):
        nested.upper, nested.lower = m, n
    else:
        nested.upper, nested.lower = n, m
    if far_path(side, search.items[nested.upper].target, search.items[nested.lower].target) >= 0:
        search.nested.push_back(nested)
