# The result of the alignment kernel if no pair of roots is reached: the best consistent set of partial alignments.

cdef void find_partial_tops(Search* search, Outcome* outcome) noexcept nogil:
    """Choose items greedily, those with most word links first, as long as one tree on each side has all of them."""
    cdef vector[Ranked] order
    cdef vector[int] sources
    cdef vector[int] targets
    cdef vector[int] count
    cdef size_t at
    order_by_links(search, order)
    for at in range(order.size()):
        sources.push_back(search.items[order[at].number].source)
        targets.push_back(search.items[order[at].number].target)
        if stand_in_one_tree(&search.source, sources, count) and stand_in_one_tree(
            &search.target, targets, count
        ):
            outcome.tops.push_back(order[at].number)
        else:
            sources.pop_back()
            targets.pop_back()


cdef void order_by_links(Search* search, vector[Ranked]& order) noexcept nogil:
    """Sort all items by the number of word links in their best derivation, then by score."""
    cdef vector[int] links
    cdef Support* support
    cdef Ranked entry
    cdef size_t number
    cdef int index, total
    for number in range(search.items.size()):
        support = &search.supports[search.items[number].first_support]
        total = 0
        for index in range(member_count(support)):
            total += links[member_of(search, support, index)]
        links.push_back(max(1, total))
        entry.rank = links[number]
        entry.inside = search.items[number].inside
        entry.target = entry.number = <int>number
        order.push_back(entry)
    sort(order.begin(), order.end(), ranks_before)


cdef bint stand_in_one_tree(Side* side, vector[int]& nodes, vector[int]& count) noexcept nogil:
    """Whether a single tree of the forest has all of these nodes with disjoint spans; ``count`` is scratch."""
    cdef int node, edge, best, both
    cdef size_t i, j
    for i in range(nodes.size()):
        for j in range(i):
            if side.start[nodes[i]] < side.end[nodes[j]] and side.start[nodes[j]] < side.end[nodes[i]]:
                return False
    # For each node: the largest number of these nodes in a tree below it.
    count.assign(side.size, 0)
    for i in range(nodes.size()):
        count[nodes[i]] = -1
    for node in range(side.size):
        if count[node] < 0:
            count[node] = 1
            continue
        best = 0
        for edge in range(side.first_edge[node], side.first_edge[node + 1]):
            both = count[side.edges[3 * edge + 1]] + count[side.edges[3 * edge + 2]]
            best = max(best, both)
        count[node] = best
    for node in range(side.root_count):
        if count[side.roots[node]] == <int>nodes.size():
            return True
    return False
