# The beam of the alignment kernel (µ_b): keeps the best items of a source node and the best supports of each.

cdef struct Ranked:
    double rank
    double inside
    int target
    int number


cdef bint ranks_before(const Ranked& one, const Ranked& two) noexcept nogil:
    if one.rank != two.rank:
        return one.rank > two.rank
    if one.inside != two.inside:
        return one.inside > two.inside
    return one.target < two.target


cdef bint stands_before(const Ranked& one, const Ranked& two) noexcept nogil:
    return one.target < two.target


cdef bint scores_before(const Ranked& one, const Ranked& two) noexcept nogil:
    if one.rank != two.rank:
        return one.rank > two.rank
    return one.number < two.number


cdef void prune(Search* search, int node) noexcept nogil:
    """Keep the best items of a source node, within the beam and the remaining budget."""
    cdef vector[Ranked] order
    cdef vector[Ranked] support_order
    cdef Ranked entry
    cdef Item item
    cdef int kept, at
    # The remaining budget is divided evenly among the remaining nodes.
    cdef int share = max(
        1, (search.options.max_items - <int>search.items.size()) // (search.source.size - node)
    )
    kept = min(search.options.beam, <int>search.open_items.size())
    if share < kept:
        search.narrowed = True
        kept = share
    for at in range(<int>search.open_items.size()):
        entry.rank = entry.inside = search.open_items[at].inside
        entry.target = search.open_items[at].target
        entry.number = at
        order.push_back(entry)
        search.item_of_target[entry.target] = -1
    if kept < <int>order.size():
        sort(order.begin(), order.end(), ranks_before)
        order.resize(kept)
    sort(order.begin(), order.end(), stands_before)
    for at in range(kept):
        item = search.open_items[order[at].number]
        keep_supports(search, &item, support_order)
        search.items.push_back(item)
    search.open_items.clear()
    search.open_supports.clear()


cdef void keep_supports(Search* search, Item* item, vector[Ranked]& order) noexcept nogil:
    """Copy the best supports of an open item to their final place, best first; ``order`` is scratch."""
    cdef Support* support
    cdef int at, kept
    list_supports(search, item, order)
    kept = <int>order.size()
    if kept > search.options.beam:
        kept = search.options.beam
        partial_sort(order.begin(), order.begin() + kept, order.end(), scores_before)
    else:
        sort(order.begin(), order.end(), scores_before)
    item.first_support = <int>search.supports.size()
    item.support_count = kept
    item.open_value = item.inside
    for at in range(kept):
        support = &search.open_supports[order[at].number]
        if can_open(support):
            item.open_value = max(item.open_value, support.opened)
        search.supports.push_back(support[0])


cdef void list_supports(Search* search, Item* item, vector[Ranked]& order) noexcept nogil:
    """The open supports of an item with their scores."""
    cdef Ranked entry
    cdef int at = item.first_support
    order.clear()
    while at >= 0:
        entry.rank = search.open_supports[at].score
        entry.number = at
        order.push_back(entry)
        at = search.open_supports[at].following


cdef void drop_worse_half(Search* search, Item* item) noexcept nogil:
    """Keep the better half once an item has twice as many open supports as the beam is wide.

    Later supports that are worse than all of these are not packed. In long sentences these are most supports.
    """
    cdef vector[Ranked] order
    cdef int at
    list_supports(search, item, order)
    nth_element(order.begin(), order.begin() + search.options.beam - 1, order.end(), scores_before)
    item.least = order[search.options.beam - 1].rank
    item.support_count = search.options.beam
    item.first_support = -1
    for at in range(search.options.beam):
        search.open_supports[order[at].number].following = item.first_support
        item.first_support = order[at].number


cdef void order_roots(Search* search) noexcept nogil:
    """Find the root pairs and sort them, best first."""
    cdef vector[Ranked] order
    cdef Ranked entry
    cdef size_t at
    for at in range(search.items.size()):
        if is_root_pair(search, &search.items[at]):
            entry.number = entry.target = <int>at
            entry.rank = entry.inside = search.items[at].inside
            order.push_back(entry)
    sort(order.begin(), order.end(), ranks_before)
    for at in range(order.size()):
        search.root_items.push_back(order[at].number)
