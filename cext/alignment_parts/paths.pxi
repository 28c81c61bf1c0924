# Null paths down one forest, and the lowest common ancestors of two nodes (γ and Lca of Algorithm 4.1).

# The best path from a node down to another one; all nodes that branch off it are null.
cdef struct Path:
    int lower        # the node that the path leads down to
    int edge         # first hyperedge of the path; -1 if it is empty
    int following    # index of the rest of the path in the table of the child; -1 if it is empty
    double gamma     # log-probability of the nulls that branch off the path and of its hyperedges


# Paths of node u: from first[u] to first[u + 1]. The first of them is the empty one, to u itself.
cdef cppclass PathTable:
    vector[Path] paths
    vector[int] first


cdef cppclass Side:
    int size
    const int* start
    const int* end
    const int* edges
    const double* log_null
    const double* log_edge
    int edge_count
    const int* roots
    int root_count
    vector[char] is_root
    vector[int] first_edge
    vector[PathTable] near     # near[k]: paths of at most k hyperedges
    PathTable far              # paths of any length
    vector[int] far_index      # [u * size + d] finds the one from u to d; -1 if there is none


cdef inline int length(Side* side, int node) noexcept nogil:
    return side.end[node] - side.start[node]


cdef inline bint covers(Side* side, int node, int other) noexcept nogil:
    return side.start[node] <= side.start[other] and side.end[other] <= side.end[node]


cdef inline int far_path(Side* side, int upper, int lower) noexcept nogil:
    """Index of the path from a node down to another in the table of far paths; -1 if there is none."""
    return side.far_index[<size_t>upper * side.size + lower]


cdef void mark_roots(Side* side) noexcept nogil:
    cdef int at
    side.is_root.assign(side.size, 0)
    for at in range(side.root_count):
        side.is_root[side.roots[at]] = 1


cdef void build_paths(Side* side, int gap, bint with_far) noexcept nogil:
    """Fill the tables of near paths of up to ``gap - 1`` hyperedges; optionally of ``gap`` and of any number."""
    cdef int k, node, at
    cdef PathTable nothing
    index_edges(side)
    nothing.first.assign(side.size + 1, 0)
    side.near.resize(gap + 1)
    fill_paths(side, &side.near[0], &nothing)
    for k in range(1, gap + 1 if with_far else gap):
        fill_paths(side, &side.near[k], &side.near[k - 1])
    if not with_far:
        return
    fill_paths(side, &side.far, &side.far)
    side.far_index.assign(<size_t>side.size * side.size, -1)
    for node in range(side.size):
        for at in range(side.far.first[node], side.far.first[node + 1]):
            side.far_index[<size_t>node * side.size + side.far.paths[at].lower] = at


cdef void index_edges(Side* side) noexcept nogil:
    """Find the first edge of each node; edges are sorted by parent."""
    cdef int edge = 0, node
    side.first_edge.resize(side.size + 1)
    for node in range(side.size):
        side.first_edge[node] = edge
        while edge < side.edge_count and side.edges[3 * edge] == node:
            edge += 1
    side.first_edge[side.size] = edge


cdef void fill_paths(Side* side, PathTable* table, PathTable* below) noexcept nogil:
    """Make paths of those of the children in another table, or in the same one: then they have any length."""
    cdef vector[int] place
    cdef Path own
    cdef int node, edge, left, right
    place.assign(side.size, -1)
    table.first.resize(side.size + 1)
    own.edge = -1
    own.following = -1
    own.gamma = 0.0
    for node in range(side.size):
        table.first[node] = place[node] = <int>table.paths.size()
        own.lower = node
        table.paths.push_back(own)
        for edge in range(side.first_edge[node], side.first_edge[node + 1]):
            left = side.edges[3 * edge + 1]
            right = side.edges[3 * edge + 2]
            if below == table:
                # Reserve all memory first: the paths that are read must not move.
                make_room(table.paths, below.first[left + 1] - below.first[left]
                          + below.first[right + 1] - below.first[right])
            prolong(side, table, place, table.first[node], edge, left, right, below)
            prolong(side, table, place, table.first[node], edge, right, left, below)
    table.first[side.size] = <int>table.paths.size()


cdef inline void make_room(vector[Path]& paths, size_t more) noexcept nogil:
    """Reserve memory for ``more`` paths; doubling keeps the total cost linear."""
    if paths.size() + more > paths.capacity():
        paths.reserve(2 * (paths.size() + more))


cdef inline void prolong(
    Side* side, PathTable* table, vector[int]& place, int first, int edge, int child, int other, PathTable* below
) noexcept nogil:
    """Extend the paths of a child upwards by one hyperedge; keep the better of two paths with the same ends.

    The paths of the same upper end begin at ``first``; ``place`` has the last index of a path to each lower end.
    """
    cdef const Path* paths = below.paths.data()
    cdef Path path
    cdef int at, known
    path.edge = edge
    for at in range(below.first[child], below.first[child + 1]):
        path.lower = paths[at].lower
        path.gamma = paths[at].gamma + side.log_null[other] + side.log_edge[edge]
        path.following = at
        known = place[path.lower]
        if known >= first and known < <int>table.paths.size() and table.paths[known].lower == path.lower:
            if path.gamma > table.paths[known].gamma:
                table.paths[known] = path
        else:
            place[path.lower] = <int>table.paths.size()
            table.paths.push_back(path)


cdef void walk_near(Side* side, int k, int at, vector[int]& edges) noexcept nogil:
    """Append the hyperedges of a near path."""
    while side.near[k].paths[at].edge >= 0:
        edges.push_back(side.near[k].paths[at].edge)
        at = side.near[k].paths[at].following
        k -= 1


cdef void walk_far(Side* side, int at, vector[int]& edges) noexcept nogil:
    """Append the hyperedges of a path of any length."""
    while side.far.paths[at].edge >= 0:
        edges.push_back(side.far.paths[at].edge)
        at = side.far.paths[at].following


cdef struct Lca:
    int top
    int edge
    int left, right  # paths from the two children, in the table of near paths
    int following    # next LCA of the same pair; -1 at the end
    double gamma


# Two source nodes that have items, and the best paths from one of their LCAs to both.
cdef struct PairBelow:
    int m, n
    int edge
    int left, right  # paths, as of an LCA
    double gamma


cdef void build_lcas(Side* side, int gap, vector[Lca]& lcas, vector[int]& heads) noexcept nogil:
    """LCAs of every pair of nodes within the gap, chained from ``heads[a * size + b]`` for both orders.

    In a forest two nodes have several LCAs. For each LCA the best pair of paths down to both nodes is kept.
    """
    cdef int node, edge, left, right, a, b, head
    cdef size_t here, mirrored
    cdef PathTable* near = &side.near[gap - 1]
    cdef Lca lca
    heads.assign(<size_t>side.size * side.size, -1)
    for node in range(side.size):
        lca.top = node
        for edge in range(side.first_edge[node], side.first_edge[node + 1]):
            lca.edge = edge
            left = side.edges[3 * edge + 1]
            right = side.edges[3 * edge + 2]
            for a in range(near.first[left], near.first[left + 1]):
                lca.left = a
                for b in range(near.first[right], near.first[right + 1]):
                    lca.right = b
                    lca.gamma = near.paths[a].gamma + near.paths[b].gamma + side.log_edge[edge]
                    here = <size_t>near.paths[a].lower * side.size + near.paths[b].lower
                    head = heads[here]
                    if head >= 0 and lcas[head].top == node:
                        if lca.gamma > lcas[head].gamma:
                            lca.following = lcas[head].following
                            lcas[head] = lca
                        continue
                    lca.following = head
                    mirrored = <size_t>near.paths[b].lower * side.size + near.paths[a].lower
                    heads[here] = heads[mirrored] = <int>lcas.size()
                    lcas.push_back(lca)
