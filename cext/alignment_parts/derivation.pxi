# The best derivation in the chart of the alignment kernel, traced back from the top; and if no pair of roots is
# reached, the best consistent set of partial alignments.

cdef struct Step:
    int item
    int parent       # the step that this one supports; -1 at the top
    bint absorbed    # whether the item shares a node with its parent, which replaces it


# The packed alignment forest: the contents of PackedArrays, item by item and support by support.
cdef cppclass Packed:
    vector[double] log_inside, log_total
    vector[int] first_support
    vector[int] kind
    vector[double] log_local
    vector[int] first_member, members
    vector[int] first_source_edge, source_edges
    vector[int] first_target_edge, target_edges


cdef cppclass Outcome:
    bint root_aligned
    double log_score
    double log_total
    vector[double] posteriors    # of every item
    vector[int] tops
    vector[Step] steps           # the best derivation, parents first
    vector[int] source_edges
    vector[int] target_edges
    vector[int] source_nulls
    vector[int] target_nulls
    Packed packed                # filled if requested


# The members and hyperedges of a support, ascending.
cdef cppclass Expanded:
    vector[int] members
    vector[int] source_edges
    vector[int] target_edges


cdef void expand(Search* search, Support* support, Expanded* found) noexcept nogil:
    """Collect the members and hyperedges of a support of any kind."""
    cdef int index, k = search.options.generation_gap - 1
    cdef Lca* lca
    found.members.clear()
    found.source_edges.clear()
    found.target_edges.clear()
    for index in range(member_count(support)):
        found.members.push_back(member_of(search, support, index))
    if support.kind == COMPOSITIONAL_SUPPORT:
        lca = &search.lcas[support.target_at]
        found.source_edges.push_back(support.source_edge)
        walk_near(&search.source, k, support.source_left, found.source_edges)
        walk_near(&search.source, k, support.source_right, found.source_edges)
        found.target_edges.push_back(lca.edge)
        walk_near(&search.target, k, lca.left, found.target_edges)
        walk_near(&search.target, k, lca.right, found.target_edges)
    elif support.kind == SINGLE_SUPPORT and support.near:
        walk_near(&search.source, k + 1, support.source_edge, found.source_edges)
        walk_near(&search.target, k + 1, support.target_at, found.target_edges)
    elif support.kind == SINGLE_SUPPORT:
        walk_far(&search.source, support.source_edge, found.source_edges)
        walk_far(&search.target, support.target_at, found.target_edges)
    elif support.kind == NONCOMPOSITIONAL_SUPPORT:
        append(found.source_edges, &search.arena[support.first_source_edge], support.source_edge_count)
        append(found.target_edges, &search.arena[support.first_target_edge], support.target_edge_count)
    sort(found.members.begin(), found.members.end())
    sort(found.source_edges.begin(), found.source_edges.end())
    sort(found.target_edges.begin(), found.target_edges.end())


cdef inline void append(vector[int]& values, const int* more, int count) noexcept nogil:
    values.insert(values.end(), more, more + count)


cdef void trace_back(Search* search, Outcome* outcome) noexcept nogil:
    """Collect the best derivation of the tops: its steps, hyperedges and nulls."""
    cdef vector[Step] todo
    cdef Expanded best
    cdef Step step
    cdef int at
    for at in range(<int>outcome.tops.size() - 1, -1, -1):
        step.item = outcome.tops[at]
        step.parent = -1
        step.absorbed = False
        todo.push_back(step)
    while todo.size():
        step = todo.back()
        todo.pop_back()
        expand(search, &search.supports[search.items[step.item].first_support], &best)
        find_nulls(search, &search.source, best.source_edges, best.members, outcome.source_nulls)
        find_nulls(search, &search.target, best.target_edges, best.members, outcome.target_nulls)
        append(outcome.source_edges, best.source_edges.data(), <int>best.source_edges.size())
        append(outcome.target_edges, best.target_edges.data(), <int>best.target_edges.size())
        push_members(search, step.item, <int>outcome.steps.size(), best.members, todo)
        outcome.steps.push_back(step)
    sort(outcome.source_edges.begin(), outcome.source_edges.end())
    sort(outcome.target_edges.begin(), outcome.target_edges.end())
    sort(outcome.source_nulls.begin(), outcome.source_nulls.end())
    sort(outcome.target_nulls.begin(), outcome.target_nulls.end())


cdef void push_members(
    Search* search, int number, int parent, vector[int]& members, vector[Step]& todo
) noexcept nogil:
    """Push the members of an item's best support on the stack, the first member on top."""
    cdef Item* item = &search.items[number]
    cdef bint single = search.supports[item.first_support].kind == SINGLE_SUPPORT
    cdef Item* member
    cdef Step below
    cdef int at
    below.parent = parent
    for at in range(<int>members.size() - 1, -1, -1):
        member = &search.items[members[at]]
        below.item = members[at]
        below.absorbed = single and (member.source == item.source or member.target == item.target)
        todo.push_back(below)


cdef void flatten(Search* search, Packed* packed) noexcept nogil:
    """Write items and supports into flat arrays."""
    cdef Expanded found
    cdef Item* item
    cdef Support* support
    cdef size_t number
    cdef int at
    for number in range(search.items.size()):
        item = &search.items[number]
        packed.log_inside.push_back(item.inside)
        packed.log_total.push_back(item.total)
        packed.first_support.push_back(<int>packed.kind.size())
        for at in range(item.first_support, item.first_support + item.support_count):
            support = &search.supports[at]
            packed.kind.push_back(support.kind)
            packed.log_local.push_back(support.local)
            expand(search, support, &found)
            packed.first_member.push_back(<int>packed.members.size())
            packed.first_source_edge.push_back(<int>packed.source_edges.size())
            packed.first_target_edge.push_back(<int>packed.target_edges.size())
            append(packed.members, found.members.data(), <int>found.members.size())
            append(packed.source_edges, found.source_edges.data(), <int>found.source_edges.size())
            append(packed.target_edges, found.target_edges.data(), <int>found.target_edges.size())
    packed.first_support.push_back(<int>packed.kind.size())
    packed.first_member.push_back(<int>packed.members.size())
    packed.first_source_edge.push_back(<int>packed.source_edges.size())
    packed.first_target_edge.push_back(<int>packed.target_edges.size())


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
