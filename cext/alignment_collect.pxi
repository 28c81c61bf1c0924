# From the finished chart of the alignment kernel to its result: sums, posteriors, the best derivation.

cdef struct Step:
    int item
    int parent
    bint absorbed


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


cdef inline double log_add(double one, double two) noexcept nogil:
    if one < two:
        one, two = two, one
    if two == -INFINITY:
        return one
    return one + log1p(exp(two - one))


cdef inline int member_count(Support* support) noexcept nogil:
    if support.kind == COMPOSITIONAL_SUPPORT:
        return 2
    if support.kind == SINGLE_SUPPORT:
        return 1
    if support.kind == NONCOMPOSITIONAL_SUPPORT:
        return support.member_count
    return 0


cdef inline int member_of(Search* search, Support* support, int index) noexcept nogil:
    if support.kind == NONCOMPOSITIONAL_SUPPORT:
        return search.arena[support.first_member + index]
    return support.second if index else support.first


cdef inline double total_of(Search* search, Support* support) noexcept nogil:
    """Log-sum over the derivations of a support, tempered."""
    cdef double total = support.local * search.options.sharpness
    cdef int index
    for index in range(member_count(support)):
        total += search.items[member_of(search, support, index)].total
    return total


cdef void sum_inside(Search* search) noexcept nogil:
    """Log inside sums; items come after what they rest on."""
    cdef size_t number
    cdef int at
    cdef double best, scaled, total
    cdef Item* item
    for number in range(search.items.size()):
        item = &search.items[number]
        item.outside = -INFINITY
        best = -INFINITY
        for at in range(item.first_support, item.first_support + item.support_count):
            best = max(best, total_of(search, &search.supports[at]))
        scaled = 0.0
        for at in range(item.first_support, item.first_support + item.support_count):
            total = total_of(search, &search.supports[at]) - best
            if total > NEGLIGIBLE:
                scaled += exp(total)
        item.total = best + log(scaled)


cdef void sum_outside(Search* search) noexcept nogil:
    """Log outside sums, from the top down."""
    cdef int number, at, index
    cdef double above
    cdef Item* item
    cdef Item* member
    cdef Support* support
    for number in range(<int>search.items.size() - 1, -1, -1):
        item = &search.items[number]
        if item.outside == -INFINITY:
            continue
        for at in range(item.first_support, item.first_support + item.support_count):
            support = &search.supports[at]
            above = item.outside + total_of(search, support)
            for index in range(member_count(support)):
                member = &search.items[member_of(search, support, index)]
                member.outside = log_add(member.outside, above - member.total)


cdef bint stand_in_one_tree(Side* side, vector[int]& nodes, vector[int]& count) noexcept nogil:
    """Whether nodes of disjoint spans stand in one tree of the forest."""
    cdef int node, edge, best, both
    cdef size_t i, j
    for i in range(nodes.size()):
        for j in range(i):
            if side.start[nodes[i]] < side.end[nodes[j]] and side.start[nodes[j]] < side.end[nodes[i]]:
                return False
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
    for i in range(side.roots.size()):
        if count[side.roots[i]] == <int>nodes.size():
            return True
    return False


cdef void find_partial_tops(Search* search, Outcome* outcome) noexcept nogil:
    """The best consistent set of partial alignments: greedily those that hold most word links."""
    cdef vector[int] links
    cdef vector[Ranked] order
    cdef vector[int] sources
    cdef vector[int] targets
    cdef vector[int] count
    cdef Ranked entry
    cdef Support* support
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
    for number in range(order.size()):
        sources.push_back(search.items[order[number].number].source)
        targets.push_back(search.items[order[number].number].target)
        if stand_in_one_tree(&search.source, sources, count) and stand_in_one_tree(
            &search.target, targets, count
        ):
            outcome.tops.push_back(order[number].number)
        else:
            sources.pop_back()
            targets.pop_back()


cdef bint number_before(const int& one, const int& two) noexcept nogil:
    return one < two


cdef void expand(
    Search* search, Support* support, vector[int]& members, vector[int]& source_edges, vector[int]& target_edges
) noexcept nogil:
    """Members of a support, ascending, and its hyperedges."""
    cdef int index, k = search.options.gap - 1
    cdef Lca* lca
    members.clear()
    source_edges.clear()
    target_edges.clear()
    for index in range(member_count(support)):
        members.push_back(member_of(search, support, index))
    sort(members.begin(), members.end(), number_before)
    if support.kind == COMPOSITIONAL_SUPPORT:
        lca = &search.lcas[support.target_at]
        source_edges.push_back(support.source_edge)
        walk_near(&search.source, k, support.source_left, source_edges)
        walk_near(&search.source, k, support.source_right, source_edges)
        target_edges.push_back(lca.edge)
        walk_near(&search.target, k, lca.left, target_edges)
        walk_near(&search.target, k, lca.right, target_edges)
    elif support.kind == SINGLE_SUPPORT:
        if support.near:
            walk_near(&search.source, k + 1, support.source_edge, source_edges)
            walk_near(&search.target, k + 1, support.target_at, target_edges)
        else:
            walk_all(&search.source, support.source_edge, source_edges)
            walk_all(&search.target, support.target_at, target_edges)
    elif support.kind == NONCOMPOSITIONAL_SUPPORT:
        for index in range(support.source_edge_count):
            source_edges.push_back(search.arena[support.first_source_edge + index])
        for index in range(support.target_edge_count):
            target_edges.push_back(search.arena[support.first_target_edge + index])
    sort(source_edges.begin(), source_edges.end(), number_before)
    sort(target_edges.begin(), target_edges.end(), number_before)


cdef void trace_back(Search* search, Outcome* outcome) noexcept nogil:
    """Read off the best derivation of the tops."""
    cdef vector[Step] todo
    cdef vector[int] members
    cdef vector[int] source_edges
    cdef vector[int] target_edges
    cdef Step step
    cdef Step below
    cdef Item* item
    cdef Item* member
    cdef Support* support
    cdef int at, words
    for at in range(<int>outcome.tops.size() - 1, -1, -1):
        step.item = outcome.tops[at]
        step.parent = -1
        step.absorbed = False
        todo.push_back(step)
    while todo.size():
        step = todo.back()
        todo.pop_back()
        item = &search.items[step.item]
        support = &search.supports[item.first_support]
        outcome.steps.push_back(step)
        expand(search, support, members, source_edges, target_edges)
        frontier_nulls(
            search, &search.source, source_edges.data(), <int>source_edges.size(), members.data(),
            <int>members.size(), True, &words, &outcome.source_nulls,
        )
        frontier_nulls(
            search, &search.target, target_edges.data(), <int>target_edges.size(), members.data(),
            <int>members.size(), False, &words, &outcome.target_nulls,
        )
        outcome.source_edges.insert(outcome.source_edges.end(), source_edges.begin(), source_edges.end())
        outcome.target_edges.insert(outcome.target_edges.end(), target_edges.begin(), target_edges.end())
        below.parent = <int>outcome.steps.size() - 1
        for at in range(<int>members.size() - 1, -1, -1):
            member = &search.items[members[at]]
            below.item = members[at]
            below.absorbed = support.kind == SINGLE_SUPPORT and (
                member.source == item.source or member.target == item.target
            )
            todo.push_back(below)
    sort(outcome.source_edges.begin(), outcome.source_edges.end(), number_before)
    sort(outcome.target_edges.begin(), outcome.target_edges.end(), number_before)
    sort(outcome.source_nulls.begin(), outcome.source_nulls.end(), number_before)
    sort(outcome.target_nulls.begin(), outcome.target_nulls.end(), number_before)


cdef void collect(Search* search, Outcome* outcome) noexcept nogil:
    cdef size_t at
    cdef int best = -1, number
    cdef double normaliser
    sum_inside(search)
    outcome.root_aligned = search.root_items.size() > 0
    outcome.log_score = 0.0
    outcome.log_total = 0.0
    if outcome.root_aligned:
        order_roots(search)
        best = search.root_items[0]
        outcome.tops.push_back(best)
        outcome.log_score = search.items[best].inside
        outcome.log_total = -INFINITY
        for at in range(search.root_items.size()):
            number = search.root_items[at]
            search.items[number].outside = 0.0
            outcome.log_total = log_add(outcome.log_total, search.items[number].total)
    else:
        find_partial_tops(search, outcome)
        for at in range(outcome.tops.size()):
            number = outcome.tops[at]
            search.items[number].outside = -search.items[number].total
            outcome.log_score += search.items[number].inside
            outcome.log_total += search.items[number].total
    sum_outside(search)
    normaliser = outcome.log_total if outcome.root_aligned else 0.0
    for at in range(search.items.size()):
        outcome.posteriors.push_back(
            min(0.0, search.items[at].total + search.items[at].outside - normaliser)
        )
    pool_posteriors(search, outcome)
    trace_back(search, outcome)


cdef void pool_posteriors(Search* search, Outcome* outcome) noexcept nogil:
    """Give every item the summed posterior of all items of the same two spans.

    Nodes of one span differ in label or head; a tree has one of them, so that their probabilities add up.
    """
    cdef vector[double] own = outcome.posteriors
    cdef Side* source = &search.source
    cdef Side* target = &search.target
    cdef int count = <int>search.items.size(), searched = search.first_item[source.size]
    cdef int first = 0, last, one, two, s, t
    for one in range(count):
        s, t = search.items[one].source, search.items[one].target
        outcome.posteriors[one] = -INFINITY
        # Nodes of one span stand side by side, and so do their items, but for roots that were added last.
        while first < one and not same_span(source, search.items[first].source, s):
            first += 1
        last = one
        while last < searched and same_span(source, search.items[last].source, s):
            last += 1
        for two in range(first if one < searched else 0, last if one < searched else count):
            if same_span(source, search.items[two].source, s) and same_span(target, search.items[two].target, t):
                outcome.posteriors[one] = log_add(outcome.posteriors[one], own[two])
        if one < searched:
            for two in range(searched, count):
                if same_span(source, search.items[two].source, s) and same_span(
                    target, search.items[two].target, t
                ):
                    outcome.posteriors[one] = log_add(outcome.posteriors[one], own[two])
        outcome.posteriors[one] = min(0.0, outcome.posteriors[one])


cdef inline bint same_span(Side* side, int one, int two) noexcept nogil:
    return side.start[one] == side.start[two] and side.end[one] == side.end[two]


cdef void order_roots(Search* search) noexcept nogil:
    """Sort the root pairs, best first."""
    cdef vector[Ranked] order
    cdef Ranked entry
    cdef size_t at
    for at in range(search.root_items.size()):
        entry.number = entry.target = search.root_items[at]
        entry.rank = rank(search, &search.items[entry.number])
        entry.inside = search.items[entry.number].inside
        order.push_back(entry)
    sort(order.begin(), order.end(), ranks_before)
    for at in range(order.size()):
        search.root_items[at] = order[at].number
