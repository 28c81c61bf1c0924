# The chart of the alignment kernel: packing supports, combining items, the beam, single support of the roots.

cdef struct Support:
    int kind
    int item
    int following        # next support of the same item while its node is being worked on
    int null_words
    int first, second    # members of a compositional or single support
    # Where the hyperedges are. Compositional: source edge, two near paths, target LCA. Single: a path on each
    # side, near or of any length. Non-compositional: sections of the arena.
    bint near
    int source_edge, source_left, source_right, target_at
    int first_member, member_count, first_source_edge, source_edge_count, first_target_edge, target_edge_count
    double local
    double score
    double opened        # at most what its members can bring into a merged set, penalties and target nulls aside
    uint64_t fingerprint


cdef struct Item:
    int source
    int target
    int first_support
    int support_count
    int null_words
    double inside
    double open_value    # at most what it can bring into a merged set, opened or not
    double total
    double outside


cdef struct PairBelow:
    int m, n
    int edge
    int left, right
    double gamma


# Two items that lie in different children of the source node; on the target side, one below the other.
cdef struct Nested:
    int pair
    int upper
    int lower


cdef struct Above:
    int top
    int path             # down from it, in the table of near paths


cdef struct Options:
    double null_penalty
    double noncompositional_penalty
    double parser_weight
    double sharpness     # of posteriors: 1 / temperature
    int beam
    int gap
    int opened_supports
    int max_items
    bint allow_noncompositional
    bint allow_single_support
    bint count_all_nulls


cdef cppclass Search:
    Side source
    Side target
    Options options
    const double* log_pair
    int target_classes
    vector[Lca] lcas
    vector[int] lca_heads
    vector[double] penalties        # by null words
    vector[double] merged_penalties
    # Finished items, by source node and then target node; their supports, best first.
    vector[Item] items
    vector[int] first_item          # of each source node
    vector[Support] supports
    vector[int] arena
    vector[int] root_items
    # Items and supports of the source node that is being worked on.
    vector[Item] open_items
    vector[Support] open_supports
    vector[int] item_of_target
    vector[PairBelow] pairs
    vector[Nested] nested
    # Target nodes within the gap above each target node.
    vector[int] first_above
    vector[Above] above
    vector[int] pair_places
    # Scratch of the merging step.
    vector[char] mark
    bint narrowed


cdef inline double penalty(Search* search, int null_words, bint merged) noexcept nogil:
    """Log of the penalty function of §5.3."""
    if null_words < <int>search.penalties.size():
        return search.merged_penalties[null_words] if merged else search.penalties[null_words]
    cdef double extra = search.options.noncompositional_penalty if merged else 0.0
    return -pow(null_words + extra + 1.0, search.options.null_penalty)


cdef inline double log_pair_of(Search* search, int source, int target) noexcept nogil:
    return search.log_pair[search.source.classes[source] * search.target_classes + search.target.classes[target]]


cdef void pack(Search* search, int source, int target, Support& support) noexcept nogil:
    """Add a support to the item of a pair of the source node that is being worked on."""
    cdef int number = search.item_of_target[target], at
    cdef Item item
    if number < 0:
        item.source = source
        item.target = target
        item.first_support = -1
        item.support_count = 0
        item.inside = -INFINITY
        number = <int>search.open_items.size()
        search.item_of_target[target] = number
        search.open_items.push_back(item)
    cdef Item* known = &search.open_items[number]
    if support.kind == NONCOMPOSITIONAL_SUPPORT:
        at = known.first_support
        while at >= 0:
            if search.open_supports[at].fingerprint == support.fingerprint:
                return
            at = search.open_supports[at].following
    support.item = number
    support.following = known.first_support
    known.first_support = <int>search.open_supports.size()
    known.support_count += 1
    if support.score > known.inside:
        known.inside = support.score
        known.null_words = support.null_words
    search.open_supports.push_back(support)


cdef void pack_base(Search* search, int source, int target, double log_prior) noexcept nogil:
    cdef Support support
    support.kind = BASE_SUPPORT
    support.null_words = 0
    support.fingerprint = 0
    support.local = log_prior + log_pair_of(search, source, target) + penalty(search, 0, False)
    support.score = support.local
    pack(search, source, target, support)


cdef void find_pairs_below(Search* search, int node) noexcept nogil:
    """Pairs of source nodes that both have items and whose LCA is ``node``, with the best paths to them."""
    cdef Side* side = &search.source
    cdef int gap = search.options.gap
    cdef vector[PathEntry]* near = &side.near[gap - 1]
    cdef vector[int]* first = &side.near_first[gap - 1]
    cdef bint many = side.first_edge[node + 1] - side.first_edge[node] > 1
    cdef int edge, left, right, a, b, known
    cdef size_t place
    cdef PairBelow pair
    search.pairs.clear()
    for edge in range(side.first_edge[node], side.first_edge[node + 1]):
        pair.edge = edge
        left = side.edges[3 * edge + 1]
        right = side.edges[3 * edge + 2]
        for a in range(first[0][left], first[0][left + 1]):
            pair.m = near[0][a].lower
            pair.left = a
            if search.first_item[pair.m] == search.first_item[pair.m + 1]:
                continue
            for b in range(first[0][right], first[0][right + 1]):
                pair.n = near[0][b].lower
                if search.first_item[pair.n] == search.first_item[pair.n + 1]:
                    continue
                pair.right = b
                pair.gamma = near[0][a].gamma + near[0][b].gamma + side.log_edge[edge]
                if many:
                    place = <size_t>pair.m * side.size + pair.n
                    known = search.pair_places[place]
                    # What an earlier node left here is told apart by its content.
                    if (
                        0 <= known < <int>search.pairs.size()
                        and search.pairs[known].m == pair.m
                        and search.pairs[known].n == pair.n
                    ):
                        if pair.gamma > search.pairs[known].gamma:
                            search.pairs[known] = pair
                        continue
                    search.pair_places[place] = <int>search.pairs.size()
                search.pairs.push_back(pair)


cdef inline void combine(Search* search, int node, int number, int m, int n) noexcept nogil:
    """Support pairs of ``node`` by two items that lie in different children of it."""
    cdef Item* item_m = &search.items[m]
    cdef Item* item_n = &search.items[n]
    cdef int head = search.lca_heads[<size_t>item_m.target * search.target.size + item_n.target]
    cdef PairBelow* pair = &search.pairs[number]
    cdef Support support
    cdef Lca* lca
    if head < 0:
        # Pairs that rest on one pair are many, and what they rest on can be merged itself.
        if (
            search.options.allow_noncompositional
            and search.supports[item_m.first_support].kind != SINGLE_SUPPORT
            and search.supports[item_n.first_support].kind != SINGLE_SUPPORT
        ):
            note_nested(search, number, m, n)
        return
    support.kind = COMPOSITIONAL_SUPPORT
    support.fingerprint = 0
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
        support.score = support.local + inside
        pack(search, node, lca.top, support)
        head = lca.following


cdef inline void note_nested(Search* search, int number, int m, int n) noexcept nogil:
    """Remember two items if one lies below the other on the target side, or at the same node."""
    cdef Nested nested
    cdef Side* side = &search.target
    nested.pair = number
    if length(side, search.items[m].target) >= length(side, search.items[n].target):
        nested.upper, nested.lower = m, n
    else:
        nested.upper, nested.lower = n, m
    if side.all_index[
        <size_t>search.items[nested.upper].target * side.size + search.items[nested.lower].target
    ] >= 0:
        search.nested.push_back(nested)


cdef double rank(Search* search, Item* item) noexcept nogil:
    """Alignment and parse probability interpolated (§5.4), as a log."""
    cdef double weight = search.options.parser_weight, parse, one, two
    if weight <= 0:
        return item.inside
    parse = search.source.log_marginal[item.source] + search.target.log_marginal[item.target]
    if weight >= 1:
        return parse
    one = log(1 - weight) + item.inside
    two = log(weight) + parse
    if one < two:
        one, two = two, one
    return one + log1p(exp(two - one))


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


cdef void keep_supports(Search* search, Item* item, vector[Ranked]& order) noexcept nogil:
    """Copy the best supports of an open item to their final place, best first."""
    cdef int at = item.first_support, kept
    cdef Ranked entry
    order.clear()
    while at >= 0:
        entry.rank = search.open_supports[at].score
        entry.number = at
        order.push_back(entry)
        at = search.open_supports[at].following
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
        search.supports.push_back(search.open_supports[order[at].number])
        search.supports.back().item = <int>search.items.size()
        if can_open(&search.supports.back()):
            item.open_value = max(item.open_value, search.supports.back().opened)


cdef void prune(Search* search, int node) noexcept nogil:
    """Keep the best items of a source node, within the beam and what is left of the budget."""
    cdef vector[Ranked] order
    cdef vector[Ranked] support_order
    cdef Ranked entry
    cdef Item item
    cdef int share, kept, at
    share = max(1, (search.options.max_items - <int>search.items.size()) // (search.source.size - node))
    kept = min(search.options.beam, <int>search.open_items.size())
    if share < kept:
        search.narrowed = True
        kept = share
    for at in range(<int>search.open_items.size()):
        entry.rank = rank(search, &search.open_items[at])
        entry.inside = search.open_items[at].inside
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


cdef void run_search(
    Search* search, const int* base_source, const int* base_target, const double* base_prior, int bases
) noexcept nogil:
    """Fill the chart bottom-up over the source nodes (Algorithm 4.1); bases are sorted by source node."""
    cdef int node, m, n, base = 0
    cdef size_t at
    cdef PairBelow pair
    cdef Nested nested
    search.first_item.assign(search.source.size + 1, 0)
    for node in range(search.source.size):
        while base < bases and base_source[base] == node:
            pack_base(search, node, base_target[base], base_prior[base])
            base += 1
        find_pairs_below(search, node)
        for at in range(search.pairs.size()):
            pair = search.pairs[at]
            for m in range(search.first_item[pair.m], search.first_item[pair.m + 1]):
                for n in range(search.first_item[pair.n], search.first_item[pair.n + 1]):
                    combine(search, node, <int>at, m, n)
        # By now the compositional supports are known, against which merged ones must hold their own.
        for at in range(search.nested.size()):
            nested = search.nested[at]
            trace(search, node, &search.pairs[nested.pair], nested.upper, nested.lower)
        search.nested.clear()
        if search.options.allow_single_support:
            support_singly(search, node)
        prune(search, node)
        search.first_item[node + 1] = <int>search.items.size()
    if search.options.allow_single_support:
        support_roots_singly(search)
    for node in range(<int>search.items.size()):
        if is_root_pair(search, &search.items[node]):
            search.root_items.push_back(node)


cdef void support_singly(Search* search, int node) noexcept nogil:
    """Let pairs of a source node rest on one pair below it, the rest of both phrases null."""
    cdef Side* side = &search.source
    cdef int gap = search.options.gap, at, number, up, top, lower, open_item
    cdef PathEntry* path
    cdef PathEntry* other
    cdef Item* item
    cdef Support support
    support.kind = SINGLE_SUPPORT
    support.near = True
    support.fingerprint = 0
    # The first path of a node leads to itself.
    for at in range(side.near_first[gap][node] + 1, side.near_first[gap][node + 1]):
        path = &side.near[gap][at]
        lower = path.lower
        support.source_edge = at
        for number in range(search.first_item[lower], search.first_item[lower + 1]):
            item = &search.items[number]
            support.first = number
            for up in range(search.first_above[item.target], search.first_above[item.target + 1]):
                top = search.above[up].top
                if side.is_root[node] and search.target.is_root[top]:
                    continue
                support.target_at = search.above[up].path
                other = &search.target.near[gap][support.target_at]
                support.null_words = (
                    length(side, node) - length(side, lower)
                    + length(&search.target, top) - length(&search.target, item.target)
                )
                if search.options.count_all_nulls:
                    support.null_words += item.null_words
                support.local = (
                    log_pair_of(search, node, top)
                    + path.gamma
                    + other.gamma
                    + penalty(search, support.null_words, False)
                )
                support.score = support.local + item.inside
                open_item = search.item_of_target[top]
                if open_item < 0 or support.score >= search.open_items[open_item].inside - HOPELESS:
                    pack(search, node, top, support)


cdef void find_above(Search* search) noexcept nogil:
    """List the target nodes within the gap above each one."""
    cdef Side* side = &search.target
    cdef int gap = search.options.gap, node, at, lower
    cdef vector[int] places
    cdef Above above
    search.first_above.assign(side.size + 1, 0)
    for node in range(side.size):
        for at in range(side.near_first[gap][node] + 1, side.near_first[gap][node + 1]):
            search.first_above[side.near[gap][at].lower + 1] += 1
    for node in range(side.size):
        search.first_above[node + 1] += search.first_above[node]
    places = search.first_above
    search.above.resize(search.first_above[side.size])
    for node in range(side.size):
        above.top = node
        for at in range(side.near_first[gap][node] + 1, side.near_first[gap][node + 1]):
            above.path = at
            lower = side.near[gap][at].lower
            search.above[places[lower]] = above
            places[lower] += 1


cdef inline bint is_root_pair(Search* search, Item* item) noexcept nogil:
    return search.source.is_root[item.source] and search.target.is_root[item.target]


cdef void support_roots_singly(Search* search) noexcept nogil:
    """Let each root pair rest on any one pair below it, the rest of both sentences null."""
    cdef int source_root, target_root, number, at, count = <int>search.items.size()
    cdef size_t i, j
    cdef Item* item
    cdef Item root
    cdef Support support
    cdef vector[Ranked] order
    support.kind = SINGLE_SUPPORT
    support.near = False
    support.fingerprint = 0
    for i in range(search.source.roots.size()):
        source_root = search.source.roots[i]
        for j in range(search.target.roots.size()):
            target_root = search.target.roots[j]
            for number in range(count):
                item = &search.items[number]
                if is_root_pair(search, item):
                    continue
                support.source_edge = search.source.all_index[<size_t>source_root * search.source.size + item.source]
                support.target_at = search.target.all_index[<size_t>target_root * search.target.size + item.target]
                if support.source_edge < 0 or support.target_at < 0:
                    continue
                support.first = number
                support.null_words = (
                    length(&search.source, source_root)
                    - length(&search.source, item.source)
                    + length(&search.target, target_root)
                    - length(&search.target, item.target)
                )
                if search.options.count_all_nulls:
                    support.null_words += item.null_words
                support.local = (
                    log_pair_of(search, source_root, target_root)
                    + search.source.all[support.source_edge].gamma
                    + search.target.all[support.target_at].gamma
                    + penalty(search, support.null_words, False)
                )
                support.score = support.local + item.inside
                pack(search, source_root, target_root, support)
            add_to_root(search, source_root, target_root, order)


cdef void add_to_root(Search* search, int source, int target, vector[Ranked]& order) noexcept nogil:
    """Merge the open supports of a root pair with those that its item has already."""
    cdef int number = -1, at, open_item = search.item_of_target[target]
    cdef Support support
    cdef Item item
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
        number = <int>search.items.size()
        search.items.push_back(item)
    else:
        search.items[number] = item
    for at in range(item.support_count):
        search.supports[item.first_support + at].item = number
    search.item_of_target[target] = -1
    search.open_items.clear()
    search.open_supports.clear()
