# The chart of the alignment kernel: items with their packed supports (A of Algorithm 4.1), and the state of a search.

cdef struct Support:
    int kind
    int following        # next support of the same item, while its node is processed
    int null_words
    int first, second    # members of a compositional or single support
    # The hyperedges. Compositional: source edge, two near paths, target LCA. Single: a path on each side, near or
    # of any length. Non-compositional: sections of the arena, which also has the members.
    bint near
    int source_edge, source_left, source_right, target_at
    int first_member, member_count, first_source_edge, source_edge_count, first_target_edge, target_edge_count
    double local         # log score without the inside scores of the members
    double score
    double opened        # upper bound of its contribution to a merged set, without penalties and target nulls


# A pair of nodes with all its supports.
cdef struct Item:
    int source
    int target
    int first_support
    int support_count
    int null_words
    double inside        # log α of the best derivation
    double least         # while its node is processed: supports of lower scores are dropped
    double open_value    # upper bound of its contribution to a merged set, opened or not
    double total         # log-sum over all derivations, tempered
    double outside


# Two items that lie in different children of the source node; on the target side, one below the other.
cdef struct Nested:
    int pair
    int upper
    int lower


cdef struct Above:
    int top
    int path             # from it downwards, in the table of near paths


cdef struct Options:
    double null_penalty               # µ_n
    double noncompositional_penalty   # µ_c
    double sharpness                  # of posteriors: 1 / temperature
    int beam                          # µ_b
    int generation_gap                # µ_g
    int opened_supports
    int max_items
    bint noncompositional
    bint single_support
    bint count_all_nulls
    bint packed


# Pairs of nodes that need no members, sorted by source node (W).
cdef struct BasePairs:
    int count
    const int* source
    const int* target
    const double* log_prior


cdef cppclass Search:
    Side source
    Side target
    Options options
    BasePairs base
    const double* log_pair
    vector[Lca] lcas                # of target nodes
    vector[int] lca_heads
    vector[double] penalties        # by null words
    vector[double] merged_penalties
    # Finished items, by source node and then target node; their supports, best first.
    vector[Item] items
    vector[int] first_item          # of each source node
    vector[Support] supports
    vector[int] arena
    vector[int] root_items
    # Items and supports of the source node that is processed.
    vector[Item] open_items
    vector[Support] open_supports
    vector[int] item_of_target
    vector[PairBelow] pairs
    vector[int] pair_places
    vector[Nested] nested
    # Target nodes within the gap above each target node.
    vector[int] first_above
    vector[Above] above
    # Scratch of the merging step.
    vector[char] mark
    bint narrowed                   # whether the budget narrowed the beam


cdef inline double penalty(Search* search, int null_words, bint merged) noexcept nogil:
    """Log of the penalty function P_e (§5.3)."""
    if null_words < <int>search.penalties.size():
        return search.merged_penalties[null_words] if merged else search.penalties[null_words]
    cdef double extra = search.options.noncompositional_penalty if merged else 0.0
    return -pow(null_words + extra + 1.0, search.options.null_penalty)


cdef inline double log_pair_of(Search* search, int source, int target) noexcept nogil:
    """Log Pr(source, target)."""
    return search.log_pair[source * search.target.size + target]


cdef inline bint is_root_pair(Search* search, Item* item) noexcept nogil:
    return search.source.is_root[item.source] and search.target.is_root[item.target]


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


cdef void pack(Search* search, int source, int target, Support& support) noexcept nogil:
    """Add a support to the item of a pair of the processed source node (PACK).

    No support occurs twice: the members and hyperedges of a merged set determine which pairs were opened, and how.
    """
    cdef int number = search.item_of_target[target]
    cdef Item item
    if support.score == -INFINITY:
        return
    if number < 0:
        item.source = source
        item.target = target
        item.first_support = -1
        item.support_count = 0
        item.null_words = 0
        item.inside = item.least = -INFINITY
        number = <int>search.open_items.size()
        search.item_of_target[target] = number
        search.open_items.push_back(item)
    cdef Item* known = &search.open_items[number]
    if support.score < known.least:
        return
    support.following = known.first_support
    known.first_support = <int>search.open_supports.size()
    known.support_count += 1
    if support.score > known.inside:
        known.inside = support.score
        known.null_words = support.null_words
    search.open_supports.push_back(support)
    if known.support_count - search.options.beam == search.options.beam:
        drop_worse_half(search, known)


cdef int pack_base(Search* search, int node, int at) noexcept nogil:
    """Pack the base pairs of a source node, which begin at index ``at``; return the index of the next node's."""
    cdef Support support
    support.kind = BASE_SUPPORT
    support.null_words = 0
    while at < search.base.count and search.base.source[at] == node:
        support.local = (
            search.base.log_prior[at] + log_pair_of(search, node, search.base.target[at]) + penalty(search, 0, False)
        )
        support.score = support.local
        pack(search, node, search.base.target[at], support)
        at += 1
    return at
