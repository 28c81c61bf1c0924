# Lowest common ancestors of two nodes, and the paths to them (Lca and γ of Algorithm 4.1).

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
