# Converts the derivations of the chart kernel's k-best search to constituents, which equal subtrees share.

cdef struct Numbers:
    int* values
    Py_ssize_t count
    Py_ssize_t space


cdef struct Trees:
    Search* search
    Numbers spans  # start, end (half-open) and label of each constituent
    Numbers offsets  # where the children of each begin
    Numbers children


cdef void release_trees(Trees* trees) noexcept nogil:
    free(trees.spans.values)
    free(trees.offsets.values)
    free(trees.children.values)


cdef Answer append(Numbers* numbers, int value) noexcept nogil:
    cdef int* grown
    cdef Py_ssize_t space
    if numbers.count == numbers.space:
        space = 2 * numbers.space if numbers.space else 256
        grown = <int*> realloc(numbers.values, space * sizeof(int))
        if grown == NULL:
            return NO_MEMORY
        numbers.values, numbers.space = grown, space
    numbers.values[numbers.count] = value
    numbers.count += 1
    return THERE


cdef int best_trees(Trees* trees, int found, int k, int* tops, double* scores) noexcept nogil:
    """Find the k best trees after the first ``found``, and add their constituents; how many there are, or NO_MEMORY."""
    cdef Answer answer
    while found < k:
        answer = add_tree(trees, found, &tops[found], &scores[found])
        if answer == NO_MEMORY:
            return NO_MEMORY
        if answer == NOT_THERE:
            break
        found += 1
    return found


cdef Answer add_tree(Trees* trees, int rank, int* number, double* score) noexcept nogil:
    """Find the tree with a given rank, add its constituents, and set its number and score."""
    cdef Search* search = trees.search
    cdef int last = search.charts.n - 1
    cdef Kind kind = REAL if search.charts.force_root else ANY
    cdef Answer answer = find(search, kind, 0, last, rank)
    cdef Derivation top
    if answer != THERE:
        return answer
    top = found_of(search, kind, 0, last, rank)[0]
    score[0] = top.score
    if kind == ANY and last > 0:
        return add_constituent(trees, INNER if top.choice == 1 else REAL, 0, last, top.right, number)
    return add_constituent(trees, REAL, 0, last, rank, number)


cdef Answer add_constituent(Trees* trees, Kind kind, int i, int j, int rank, int* number) noexcept nogil:
    """Add a constituent and its subtree, unless an earlier tree has the same; return its number.

    ``kind`` is REAL, or INNER for the unlabelled root.
    """
    cdef Search* search = trees.search
    cdef Answer answer = find(search, kind, i, j, rank)
    cdef Derivation whole
    cdef int* below = NULL
    cdef int count = 0
    if answer != THERE:
        return answer
    whole = found_of(search, kind, i, j, rank)[0]
    if whole.number >= 0:
        number[0] = whole.number
        return THERE
    if i != j:
        below = <int*> malloc((j - i + 1) * sizeof(int))
        if below == NULL:
            return NO_MEMORY
        answer = add_children(trees, i, j, rank if kind == INNER else whole.right, below, &count)
    if answer == THERE:
        number[0] = <int> trees.offsets.count
        found_of(search, kind, i, j, rank).number = number[0]
        answer = append_constituent(trees, i, j + 1, 0 if kind == INNER else whole.choice, below, count)
    free(below)
    return answer


cdef Answer add_children(Trees* trees, int i, int j, int rank, int* below, int* count) noexcept nogil:
    """Add the children in a derivation of inner(i, j) of a given rank; store their numbers, from left to right."""
    cdef Search* search = trees.search
    cdef Answer answer
    cdef Derivation step
    while True:
        # The first child of inner(i, j), then what follows it: one last child, or a rest of several.
        answer = find(search, INNER, i, j, rank)
        if answer != THERE:
            return answer
        step = found_of(search, INNER, i, j, rank)[0]
        answer = add_constituent(trees, REAL, i, step.choice, step.left, &below[count[0]])
        if answer != THERE:
            return answer
        count[0] += 1
        i, rank = step.choice + 1, step.right
        answer = find(search, ANY, i, j, rank)
        if answer != THERE:
            return answer
        if i < j:
            step = found_of(search, ANY, i, j, rank)[0]
            rank = step.right
            if step.choice == 1:
                continue
        count[0] += 1
        return add_constituent(trees, REAL, i, j, rank, &below[count[0] - 1])


cdef Answer append_constituent(
    Trees* trees, int start, int end, int label, const int* children, int count
) noexcept nogil:
    cdef int index
    if append(&trees.offsets, <int> trees.children.count) == NO_MEMORY:
        return NO_MEMORY
    for index in range(count):
        if append(&trees.children, children[index]) == NO_MEMORY:
            return NO_MEMORY
    if append(&trees.spans, start) == NO_MEMORY or append(&trees.spans, end) == NO_MEMORY:
        return NO_MEMORY
    return append(&trees.spans, label)
