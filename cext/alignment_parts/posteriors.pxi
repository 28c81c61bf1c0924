# Sums over all derivations of the alignment kernel's chart, and the posterior probability of every item.

# Terms this much smaller than the largest, in logs, do not change a sum of doubles.
cdef double NEGLIGIBLE = -45.0


cdef inline double log_add(double one, double two) noexcept nogil:
    if one < two:
        one, two = two, one
    if two == -INFINITY:
        return one
    return one + log1p(exp(two - one))


cdef inline double total_of(Search* search, Support* support) noexcept nogil:
    """Log-sum over the derivations of a support, tempered."""
    cdef double total = support.local * search.options.sharpness
    cdef int index
    for index in range(member_count(support)):
        total += search.items[member_of(search, support, index)].total
    return total


cdef void sum_inside(Search* search) noexcept nogil:
    """Log inside sums; items come after their members."""
    cdef size_t number
    cdef int at
    cdef double best, scaled, total
    cdef Item* item
    for number in range(search.items.size()):
        item = &search.items[number]
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
    """Log outside sums, from the top down; those of the tops are known."""
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


cdef void find_posteriors(Search* search, double normaliser, vector[double]& posteriors) noexcept nogil:
    """Log posterior of the two spans of every item: summed over all items of the same spans.

    Nodes of one span differ in label or head. A tree has one of them, so their probabilities are added.
    """
    cdef vector[double] own
    cdef Item* item
    cdef size_t at
    cdef int one, count = <int>search.items.size(), searched = search.first_item[search.source.size]
    cdef int first = 0, last
    cdef double pooled
    for at in range(search.items.size()):
        item = &search.items[at]
        own.push_back(min(0.0, item.total + item.outside - normaliser))
    for one in range(count):
        # Source nodes of one span are adjacent, and so are their items, except for roots that were added last.
        if one < searched:
            while first < one and not same_source_span(search, first, one):
                first += 1
            last = one
            while last < searched and same_source_span(search, last, one):
                last += 1
            pooled = pool(search, own, one, first, last, -INFINITY)
            pooled = pool(search, own, one, searched, count, pooled)
        else:
            pooled = pool(search, own, one, 0, count, -INFINITY)
        posteriors.push_back(min(0.0, pooled))


cdef inline double pool(
    Search* search, const vector[double]& values, int number, int first, int last, double pooled
) noexcept nogil:
    """Add the values of those of the items from ``first`` to ``last`` that have the same two spans."""
    cdef Side* side = &search.target
    cdef int at, one = search.items[number].target, two
    for at in range(first, last):
        two = search.items[at].target
        if (
            same_source_span(search, at, number)
            and side.start[one] == side.start[two]
            and side.end[one] == side.end[two]
        ):
            pooled = log_add(pooled, values[at])
    return pooled


cdef inline bint same_source_span(Search* search, int number, int other) noexcept nogil:
    cdef Side* side = &search.source
    cdef int one = search.items[number].source, two = search.items[other].source
    return side.start[one] == side.start[two] and side.end[one] == side.end[two]
