# The k-best search of the chart kernel (Huang & Chiang 2005, algorithm 3): the labels of a span in order, the best
# score of every span, and the lazy search for the derivations of each item in order of score.

cdef struct Charts:
    int n
    int labels
    bint force_root
    const float* scores  # [i, j, label]
    double* real  # of the best derivation, [i, j]
    double* rest  # the same for any, stored at [j, i], so that both parts of an inner lie in a row
    double* inner


cdef inline const float* scores_of(Charts* charts, int i, int j) noexcept nogil:
    return charts.scores + (<Py_ssize_t> i * charts.n + j) * charts.labels


cdef bint is_valid_cell(Charts* charts, int i, int j, float largest) noexcept nogil:
    """Whether no score is NaN or too high, and that of the empty label not too low."""
    cdef const float* cell = scores_of(charts, i, j)
    cdef bint valid = cell[0] >= -largest
    cdef int label
    # Without an early exit the compiler can vectorise the loop.
    for label in range(charts.labels):
        valid &= cell[label] <= largest
    return valid


cdef inline double label_score(Charts* charts, int i, int j, int label) noexcept nogil:
    """Relative to the empty label; there is no label -1."""
    if label < 0:
        return -INFINITY
    cdef const float* cell = scores_of(charts, i, j)
    return <double> cell[label] - <double> cell[0]


cdef int next_label(Charts* charts, int i, int j, int last) noexcept nogil:
    """The label that follows ``last`` in order of score (then of number); -1 at the end; the first after -1.

    The empty label takes part for words only. Sorting all labels of all spans would cost more than everything
    else: a second label is needed for few spans only.
    """
    cdef const float* cell = scores_of(charts, i, j)
    cdef int label, best = -1
    cdef int first = 0 if i == j and not (charts.force_root and charts.n == 1) else 1
    cdef float bound, highest = -INFINITY
    if last < 0:
        for label in range(first, charts.labels):
            if cell[label] > highest:
                highest = cell[label]
                best = label
        return best
    bound = cell[last]
    for label in range(first, charts.labels):
        if cell[label] > highest and (cell[label] < bound or (cell[label] == bound and label > last)):
            highest = cell[label]
            best = label
    return best


cdef bint fill_viterbi(Charts* charts, double largest) noexcept nogil:
    """Fill the charts of best scores; False if a cell is not valid."""
    cdef int n = charts.n, width, i, j, k
    cdef double highest, value, label
    cdef const double* first
    cdef const double* other
    for i in range(n):
        for j in range(i, n):
            if not is_valid_cell(charts, i, j, <float>largest):
                return False
    for width in range(n):
        for i in range(n - width):
            j = i + width
            label = label_score(charts, i, j, next_label(charts, i, j, -1))
            if width == 0:
                charts.inner[i * n + j] = 0.0
                charts.real[i * n + j] = label  # the empty label is among those of a word
                charts.rest[j * n + i] = label
                continue
            highest = -INFINITY
            first = charts.real + i * n
            other = charts.rest + j * n + 1
            for k in range(i, j):
                value = first[k] + other[k]
                if value > highest:
                    highest = value
            charts.inner[i * n + j] = highest
            charts.real[i * n + j] = highest + label
            charts.rest[j * n + i] = highest + (label if label > 0.0 else 0.0)
    return True


cdef enum Kind:
    REAL = 0
    ANY = 1
    INNER = 2

cdef enum Answer:
    NO_MEMORY = -1
    NOT_THERE = 0
    THERE = 1


cdef struct Derivation:
    double score
    int choice  # real: label; any: 0 labelled, 1 not; inner: last word of the first child
    int left  # inner: rank of the first child
    int right  # rank of the other part
    int number  # of its constituent; -1 before there is one


cdef struct Derivations:
    Derivation* values
    int count
    int space


cdef struct Item:
    Derivations found  # in order of score
    Derivations heap
    int expanded  # how many of `found` have their successors in the heap
    bint started


cdef struct Search:
    Charts charts
    Item* items  # of each kind for each span


cdef void release_search(Search* search) noexcept nogil:
    cdef Py_ssize_t index
    for index in range(3 * <Py_ssize_t> search.charts.n * search.charts.n):
        free(search.items[index].found.values)
        free(search.items[index].heap.values)
    free(search.items)


cdef inline Item* item_of(Search* search, Kind kind, int i, int j) noexcept nogil:
    cdef Py_ssize_t n = search.charts.n
    if kind == ANY and i == j:
        kind = REAL
    return search.items + (kind * n + i) * n + j


cdef inline Derivation* found_of(Search* search, Kind kind, int i, int j, int rank) noexcept nogil:
    """A derivation that has been found; invalid as soon as another one is found."""
    return &item_of(search, kind, i, j).found.values[rank]


cdef inline bint comes_before(const Derivation* a, const Derivation* b) noexcept nogil:
    if a.score != b.score:
        return a.score > b.score
    if a.choice != b.choice:
        return a.choice < b.choice
    if a.left != b.left:
        return a.left < b.left
    return a.right < b.right


cdef inline Answer make_room(Derivations* derivations) noexcept nogil:
    """Make sure that there is space for one more."""
    cdef int space
    cdef Derivation* grown
    if derivations.count == derivations.space:
        space = 2 * derivations.space if derivations.space else 8
        grown = <Derivation*> realloc(derivations.values, space * sizeof(Derivation))
        if grown == NULL:
            return NO_MEMORY
        derivations.values, derivations.space = grown, space
    return THERE


cdef Answer push(Item* item, double score, int choice, int left, int right) noexcept nogil:
    """Push a derivation on the heap, unless it is impossible."""
    cdef Derivation* heap
    cdef Derivation new
    cdef int at, parent
    if score == -INFINITY:
        return THERE
    if make_room(&item.heap) == NO_MEMORY:
        return NO_MEMORY
    new.score, new.choice, new.left, new.right, new.number = score, choice, left, right, -1
    heap, at = item.heap.values, item.heap.count
    item.heap.count += 1
    while at > 0:
        parent = (at - 1) // 2
        if not comes_before(&new, &heap[parent]):
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = new
    return THERE


cdef Answer pop(Item* item) noexcept nogil:
    """Move the best of the heap to the end of the found derivations."""
    cdef Derivation* heap = item.heap.values
    cdef Derivation last
    cdef int at = 0, child, count
    if item.heap.count == 0:
        return NOT_THERE
    if make_room(&item.found) == NO_MEMORY:
        return NO_MEMORY
    item.found.values[item.found.count] = heap[0]
    item.found.count += 1
    item.heap.count -= 1
    count = item.heap.count
    last = heap[count]
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and comes_before(&heap[child + 1], &heap[child]):
            child += 1
        if not comes_before(&heap[child], &last):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return THERE


cdef Answer start_item(Search* search, Kind kind, int i, int j) noexcept nogil:
    """Push the best derivation of each choice on the heap; scores come from the Viterbi charts."""
    cdef Item* item = item_of(search, kind, i, j)
    cdef Charts* charts = &search.charts
    cdef int n = charts.n, k, label
    item.started = True
    if kind == INNER:
        for k in range(i, j):
            if push(item, charts.real[i * n + k] + charts.rest[j * n + k + 1], k, 0, 0) == NO_MEMORY:
                return NO_MEMORY
        return THERE
    if kind == ANY and i != j:
        if push(item, charts.real[i * n + j], 0, 0, 0) == NO_MEMORY:
            return NO_MEMORY
        return push(item, charts.inner[i * n + j], 1, 0, 0)
    label = next_label(charts, i, j, -1)
    return push(item, label_score(charts, i, j, label) + charts.inner[i * n + j], label, 0, 0)


cdef Answer expand_inner(Search* search, int i, int j, Derivation last) noexcept nogil:
    """Push the successors of a first child and its rest on the heap.

    In the grid of ranks (left, right), only points (left, 0) have the successor (left + 1, 0); all points have
    (left, right + 1). So each point is reached once, and no set of visited points is needed.
    """
    cdef Item* item = item_of(search, INNER, i, j)
    cdef Charts* charts = &search.charts
    cdef double first, other
    cdef Answer answer = find(search, ANY, last.choice + 1, j, last.right + 1)
    if answer == THERE:
        # The best score of an item that was not searched yet is in the Viterbi chart.
        first = charts.real[i * charts.n + last.choice]
        if last.left > 0:
            first = found_of(search, REAL, i, last.choice, last.left).score
        other = found_of(search, ANY, last.choice + 1, j, last.right + 1).score
        answer = push(item, first + other, last.choice, last.left, last.right + 1)
    if answer == NO_MEMORY or last.right > 0:
        return answer
    answer = find(search, REAL, i, last.choice, last.left + 1)
    if answer == THERE:
        first = found_of(search, REAL, i, last.choice, last.left + 1).score
        other = charts.rest[j * charts.n + last.choice + 1]
        answer = push(item, first + other, last.choice, last.left + 1, 0)
    return answer


cdef Answer expand_any(Search* search, int i, int j, Derivation last) noexcept nogil:
    """Push the next labelled or unlabelled derivation of a span on the heap."""
    cdef Kind below = REAL if last.choice == 0 else INNER
    cdef double score
    cdef Answer answer = find(search, below, i, j, last.right + 1)
    if answer == THERE:
        score = found_of(search, below, i, j, last.right + 1).score
        answer = push(item_of(search, ANY, i, j), score, last.choice, 0, last.right + 1)
    return answer


cdef Answer expand_real(Search* search, int i, int j, Derivation last) noexcept nogil:
    """Push the next derivation with the same label; after the first one, also the next label."""
    cdef Item* item = item_of(search, REAL, i, j)
    cdef Charts* charts = &search.charts
    cdef double below
    cdef int label
    cdef Answer answer = THERE
    if i != j:
        answer = find(search, INNER, i, j, last.right + 1)
        if answer == THERE:
            below = found_of(search, INNER, i, j, last.right + 1).score
            answer = push(item, label_score(charts, i, j, last.choice) + below, last.choice, 0, last.right + 1)
    if answer != NO_MEMORY and last.right == 0:
        label = next_label(charts, i, j, last.choice)
        below = charts.inner[i * charts.n + j]
        answer = push(item, label_score(charts, i, j, label) + below, label, 0, 0)
    return answer


cdef Answer expand(Search* search, Kind kind, int i, int j, Derivation last) noexcept nogil:
    if kind == INNER:
        return expand_inner(search, i, j, last)
    if kind == ANY:
        return expand_any(search, i, j, last)
    return expand_real(search, i, j, last)


cdef Answer find(Search* search, Kind kind, int i, int j, int rank) noexcept nogil:
    """Find the derivation of an item with a given rank; return whether there is one."""
    if kind == ANY and i == j:
        kind = REAL
    cdef Item* item = item_of(search, kind, i, j)
    cdef Answer answer
    if not item.started and start_item(search, kind, i, j) == NO_MEMORY:
        return NO_MEMORY
    while item.found.count <= rank:
        while item.expanded < item.found.count:
            item.expanded += 1
            if expand(search, kind, i, j, item.found.values[item.expanded - 1]) == NO_MEMORY:
                return NO_MEMORY
        answer = pop(item)
        if answer != THERE:
            return answer
    return THERE
