# Single supports: one member below the pair, the rest of both phrases null. This extends Algorithm 4.1.

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
