# One forest inside the alignment kernel: its hyperedges, the best null paths between its nodes, LCAs.

cdef struct PathEntry:
    int lower        # the node that the path leads down to
    int edge         # first hyperedge of the path; -1 if it is empty
    int following    # where the rest of the path is, in the table of the child; -1 if it is empty
    double gamma     # log-probability of the nulls that hang off the path and of its hyperedges


cdef struct Lca:
    int top
    int edge
    int left, right  # paths from the two children, in the table of near paths
    int following    # next LCA of the same pair; -1 at the end
    double gamma


cdef cppclass Side:
    int size
    const int* start
    const int* end
    const int* edges
    const int* classes
    const double* log_marginal
    const double* log_null
    const double* log_edge
    int edge_count
    vector[int] roots
    vector[char] is_root
    vector[int] first_edge
    # near[k]: paths of at most k hyperedges, those of node u from near_first[k][u].
    vector[vector[PathEntry]] near
    vector[vector[int]] near_first
    # Paths of any length; all_index[u * size + d] finds the one from u to d, -1 if there is none.
    vector[PathEntry] all
    vector[int] all_first
    vector[int] all_index


cdef inline int length(Side* side, int node) noexcept nogil:
    return side.end[node] - side.start[node]


cdef void index_edges(Side* side) noexcept nogil:
    """Edges are sorted by parent: note where those of each node begin."""
    cdef int edge = 0, node
    side.first_edge.resize(side.size + 1)
    for node in range(side.size):
        side.first_edge[node] = edge
        while edge < side.edge_count and side.edges[3 * edge] == node:
            edge += 1
    side.first_edge[side.size] = edge


cdef inline void add_paths(
    Side* side,
    vector[PathEntry]& found,
    vector[int]& place,
    int first,
    int edge,
    int child,
    int other,
    const PathEntry* below,
    int below_first,
    int below_last,
) noexcept nogil:
    """Prolong the paths of a child upwards by one hyperedge; of equal ends the better path stays."""
    cdef PathEntry entry
    cdef int at, known
    entry.edge = edge
    for at in range(below_first, below_last):
        entry.lower = below[at].lower
        entry.gamma = below[at].gamma + side.log_null[other] + side.log_edge[edge]
        entry.following = at
        known = place[entry.lower]
        if known >= first and known < <int>found.size() and found[known].lower == entry.lower:
            if entry.gamma > found[known].gamma:
                found[known] = entry
        else:
            place[entry.lower] = <int>found.size()
            found.push_back(entry)


cdef void extend_paths(
    Side* side,
    vector[PathEntry]& found,
    vector[int]& first_of,
    vector[PathEntry]& below,
    vector[int]& below_first,
    bint itself,
) noexcept nogil:
    """Fill a table of paths from that of one step less, or (``itself``) from the rows it has already."""
    cdef vector[int] place
    cdef PathEntry own
    cdef int node, edge, left, right, first
    cdef const PathEntry* rows
    place.assign(side.size, -1)
    first_of.resize(side.size + 1)
    own.edge = -1
    own.following = -1
    own.gamma = 0.0
    for node in range(side.size):
        first = <int>found.size()
        first_of[node] = first
        own.lower = node
        place[node] = first
        found.push_back(own)
        for edge in range(side.first_edge[node], side.first_edge[node + 1]):
            left = side.edges[3 * edge + 1]
            right = side.edges[3 * edge + 2]
            if itself:
                # Room for every new row first, so that the rows read from stay where they are.
                found.reserve(
                    grown(found.size(), found.capacity(), <size_t>(first_of[left + 1] - first_of[left]
                          + first_of[right + 1] - first_of[right]))
                )
                rows = found.data()
            else:
                rows = below.data()
            add_paths(side, found, place, first, edge, left, right, rows, below_first[left], below_first[left + 1])
            add_paths(side, found, place, first, edge, right, left, rows, below_first[right], below_first[right + 1])
        first_of[node + 1] = <int>found.size()


cdef inline size_t grown(size_t size, size_t capacity, size_t more) noexcept nogil:
    """Capacity for ``more`` entries: doubled when it must grow, so that growing stays cheap."""
    if size + more <= capacity:
        return capacity
    return 2 * (size + more)


cdef void build_paths(Side* side, int gap, bint with_all) noexcept nogil:
    cdef int k, node, at
    cdef vector[PathEntry] nothing
    cdef vector[int] no_rows
    index_edges(side)
    side.near.resize(gap + 1)
    side.near_first.resize(gap + 1)
    for k in range(gap + 1 if with_all else gap):
        if k == 0:
            no_rows.assign(side.size + 1, 0)
            extend_paths(side, side.near[0], side.near_first[0], nothing, no_rows, False)
        else:
            extend_paths(
                side, side.near[k], side.near_first[k], side.near[k - 1], side.near_first[k - 1], False
            )
    if not with_all:
        return
    extend_paths(side, side.all, side.all_first, side.all, side.all_first, True)
    side.all_index.assign(<size_t>side.size * side.size, -1)
    for node in range(side.size):
        for at in range(side.all_first[node], side.all_first[node + 1]):
            side.all_index[<size_t>node * side.size + side.all[at].lower] = at


cdef void build_lcas(Side* side, int gap, vector[Lca]& lcas, vector[int]& heads) noexcept nogil:
    """LCAs of every pair of nodes within the gap, chained from ``heads[a * size + b]`` for both orders."""
    cdef int node, edge, left, right, a, b, head
    cdef size_t here, mirrored
    cdef vector[PathEntry]* near = &side.near[gap - 1]
    cdef vector[int]* first = &side.near_first[gap - 1]
    cdef Lca lca
    heads.assign(<size_t>side.size * side.size, -1)
    for node in range(side.size):
        lca.top = node
        for edge in range(side.first_edge[node], side.first_edge[node + 1]):
            lca.edge = edge
            left = side.edges[3 * edge + 1]
            right = side.edges[3 * edge + 2]
            for a in range(first[0][left], first[0][left + 1]):
                lca.left = a
                for b in range(first[0][right], first[0][right + 1]):
                    lca.right = b
                    lca.gamma = near[0][a].gamma + near[0][b].gamma + side.log_edge[edge]
                    here = <size_t>near[0][a].lower * side.size + near[0][b].lower
                    head = heads[here]
                    if head >= 0 and lcas[head].top == node:
                        if lca.gamma > lcas[head].gamma:
                            lca.following = lcas[head].following
                            lcas[head] = lca
                        continue
                    lca.following = head
                    mirrored = <size_t>near[0][b].lower * side.size + near[0][a].lower
                    heads[here] = heads[mirrored] = <int>lcas.size()
                    lcas.push_back(lca)


cdef void walk_near(Side* side, int k, int at, vector[int]& edges) noexcept nogil:
    """Append the hyperedges of a near path."""
    while side.near[k][at].edge >= 0:
        edges.push_back(side.near[k][at].edge)
        at = side.near[k][at].following
        k -= 1


cdef void walk_all(Side* side, int at, vector[int]& edges) noexcept nogil:
    """Append the hyperedges of a path of any length."""
    while side.all[at].edge >= 0:
        edges.push_back(side.all[at].edge)
        at = side.all[at].following
