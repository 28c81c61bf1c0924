# Supports of a pair by two pairs below it (Algorithm 4.1), and by one, the rest of both phrases null (an extension).

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


cdef void find_above(Search* search) noexcept nogil:
    """List the target nodes within the gap above each one, with the paths down from them."""
    cdef Side* side = &search.target
    cdef PathTable* near = &side.near[search.options.generation_gap]
    cdef int node, at, lower
    cdef vector[int] places
    cdef Above above
    # The first path of a node leads to itself.
    search.first_above.assign(side.size + 1, 0)
    for node in range(side.size):
        for at in range(near.first[node] + 1, near.first[node + 1]):
            search.first_above[near.paths[at].lower + 1] += 1
    for node in range(side.size):
        search.first_above[node + 1] += search.first_above[node]
    places = search.first_above
    search.above.resize(search.first_above[side.size])
    for node in range(side.size):
        above.top = node
        for at in range(near.first[node] + 1, near.first[node + 1]):
            above.path = at
            lower = near.paths[at].lower
            search.above[places[lower]] = above
            places[lower] += 1


cdef void support_by_one(Search* search, int node) noexcept nogil:
    """Pack single supports for pairs of a source node: each item within the gap below it."""
    cdef PathTable* near = &search.source.near[search.options.generation_gap]
    cdef int at, number, lower
    for at in range(near.first[node] + 1, near.first[node + 1]):
        lower = near.paths[at].lower
        for number in range(search.first_item[lower], search.first_item[lower + 1]):
            rest_on(search, node, at, number)


cdef inline void rest_on(Search* search, int node, int path, int number) noexcept nogil:
    """Pack an item at the end of a path as a support of pairs of a source node; roots are handled below."""
    cdef int up, top, open_item, target = search.items[number].target
    cdef double source_gamma = search.source.near[search.options.generation_gap].paths[path].gamma
    cdef const Path* target_paths = search.target.near[search.options.generation_gap].paths.data()
    cdef Support support
    support.kind = SINGLE_SUPPORT
    support.near = True
    support.first = number
    support.source_edge = path
    for up in range(search.first_above[target], search.first_above[target + 1]):
        top = search.above[up].top
        if search.source.is_root[node] and search.target.is_root[top]:
            continue
        support.target_at = search.above[up].path
        score_single(search, &support, node, top, source_gamma, target_paths[support.target_at].gamma)
        open_item = search.item_of_target[top]
        if open_item < 0 or support.score >= search.open_items[open_item].inside - HOPELESS:
            pack(search, node, top, support)


cdef inline void score_single(
    Search* search, Support* support, int source, int target, double source_gamma, double target_gamma
) noexcept nogil:
    """Score a support with known member and paths."""
    cdef Item* member = &search.items[support.first]
    support.null_words = (
        length(&search.source, source)
        - length(&search.source, member.source)
        + length(&search.target, target)
        - length(&search.target, member.target)
    )
    if search.options.count_all_nulls:
        support.null_words += member.null_words
    support.local = (
        log_pair_of(search, source, target)
        + source_gamma
        + target_gamma
        + penalty(search, support.null_words, False)
    )
    support.score = support.local + member.inside


cdef void support_roots_by_one(Search* search) noexcept nogil:
    """Pack each item below a root pair as its support, the rest of both sentences null."""
    cdef int count = <int>search.items.size()
    cdef int i, j
    for i in range(search.source.root_count):
        for j in range(search.target.root_count):
            root_rests_on(search, search.source.roots[i], search.target.roots[j], count)
            add_to_root(search, search.source.roots[i], search.target.roots[j])


cdef void root_rests_on(Search* search, int source_root, int target_root, int count) noexcept nogil:
    """Pack any of the first items as a support of a root pair, at any distance."""
    cdef int number
    cdef Item* item
    cdef Support support
    support.kind = SINGLE_SUPPORT
    support.near = False
    for number in range(count):
        item = &search.items[number]
        if is_root_pair(search, item):
            continue
        support.source_edge = far_path(&search.source, source_root, item.source)
        support.target_at = far_path(&search.target, target_root, item.target)
        if support.source_edge < 0 or support.target_at < 0:
            continue
        support.first = number
        score_single(
            search, &support, source_root, target_root,
            search.source.far.paths[support.source_edge].gamma, search.target.far.paths[support.target_at].gamma,
        )
        pack(search, source_root, target_root, support)


cdef void add_to_root(Search* search, int source, int target) noexcept nogil:
    """Add the open supports of a root pair to those of its item."""
    cdef int number = -1, at, open_item = search.item_of_target[target]
    cdef Support support
    cdef Item item
    cdef vector[Ranked] order
    if open_item < 0:
        return
    for at in range(search.first_item[source], search.first_item[source + 1]):
        if search.items[at].target == target:
            number = at
    if number >= 0:
        for at in range(search.items[number].support_count):
            support = search.supports[search.items[number].first_support + at]
            pack(search, source, target, support)
    item = search.open_items[open_item]
    keep_supports(search, &item, order)
    if number < 0:
        search.items.push_back(item)
    else:
        search.items[number] = item
    search.item_of_target[target] = -1
    search.open_items.clear()
    search.open_supports.clear()
