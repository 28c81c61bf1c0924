# What the alignment kernel is given, checked before it is read without further checks; and its outcome as arrays.

cdef object take_side(Side* side, str name, arrays):
    """Check one forest and point to its arrays; returns what must stay alive meanwhile."""
    start, end, edges, roots, log_null, log_edge = arrays
    cdef const int[::1] starts = whole_numbers(name, start)
    cdef const int[::1] ends = whole_numbers(name, end)
    cdef const int[:, ::1] triples = whole_numbers(name, edges)
    cdef const double[::1] nulls = np.require(log_null, np.float64, "CA")
    cdef const double[::1] weights = (
        np.zeros(len(edges)) if log_edge is None else np.require(log_edge, np.float64, "CA")
    )
    cdef const int[::1] tops = whole_numbers(name, roots)
    lengths = (ends.shape[0], nulls.shape[0])
    if starts.shape[0] == 0 or any(value != starts.shape[0] for value in lengths) or triples.shape[1] != 3:
        raise ValueError(
            f"{name}: expected arrays of one value a node and edges of three, "
            f"found {starts.shape[0]} nodes, {lengths} values, edges of shape {np.shape(edges)}"
        )
    if starts.shape[0] > MOST_NODES:
        raise ValueError(f"{name}: expected a forest of at most {MOST_NODES} nodes, found {starts.shape[0]}")
    check_nodes(name, starts, ends, nulls)
    check_edges(name, triples, weights, starts, ends)
    check_roots(name, tops, starts.shape[0])
    side.size = <int>starts.shape[0]
    side.edge_count = <int>triples.shape[0]
    side.start = &starts[0]
    side.end = &ends[0]
    side.edges = &triples[0, 0] if triples.shape[0] else NULL
    side.log_null = &nulls[0]
    side.log_edge = &weights[0] if triples.shape[0] else NULL
    side.roots = &tops[0] if tops.shape[0] else NULL
    side.root_count = <int>tops.shape[0]
    return starts, ends, triples, nulls, weights, tops


cdef object whole_numbers(str name, values):
    """Values as contiguous int32, if they are whole numbers of that size."""
    given = np.asarray(values)
    if given.dtype != np.int32 and given.size:
        if given.dtype.kind not in "iu":
            raise ValueError(f"{name}: expected whole numbers, found an array of {given.dtype}")
        if given.min() < -LARGEST_WHOLE_NUMBER or given.max() > LARGEST_WHOLE_NUMBER:
            raise ValueError(f"{name}: expected whole numbers of 32 bits, found {given.min()} to {given.max()}")
    return np.require(given, np.int32, "CA")


cdef int check_edges(
    str name, const int[:, ::1] edges, const double[::1] weights, const int[::1] start, const int[::1] end
) except -1:
    cdef Py_ssize_t at
    cdef int before = -1, parent, left, right
    if weights.shape[0] != edges.shape[0]:
        raise ValueError(f"{name}: expected a weight for each of {edges.shape[0]} edges, found {weights.shape[0]}")
    for at in range(edges.shape[0]):
        if not (weights[at] <= 0 and is_log_score(weights[at])):
            raise ValueError(f"{name}: expected log weights of at most 0, found {weights[at]} for edge {at}")
        parent, left, right = edges[at, 0], edges[at, 1], edges[at, 2]
        if not (before <= parent < start.shape[0] and 0 <= left < parent and 0 <= right < parent):
            raise ValueError(f"{name}: expected edges sorted by parent, children before it, found edge {at} wrong")
        if start[left] != start[parent] or end[left] != start[right] or end[right] != end[parent]:
            raise ValueError(f"{name}: expected children that make up the span of their parent, found edge {at} wrong")
        before = parent
    return 0


cdef int check_nodes(
    str name, const int[::1] start, const int[::1] end, const double[::1] log_null
) except -1:
    cdef Py_ssize_t at
    for at in range(start.shape[0]):
        if not is_log_score(log_null[at]):
            raise ValueError(f"{name}: expected log-probabilities, found node {at} wrong")
        # Penalties are tabulated for every number of words.
        if not 0 <= start[at] < end[at] <= start.shape[0]:
            raise ValueError(
                f"{name}: expected a span within the words, at most one a node, "
                f"found node {at} from {start[at]} to {end[at]}, and {start.shape[0]} nodes"
            )
    return 0


cdef double LARGEST_LOG_SCORE = LARGEST_SCORE


cdef inline bint is_log_score(double value) noexcept nogil:
    """Whether a value is minus infinity or so small that sums of many neither overflow nor become NaN."""
    return fabs(value) <= LARGEST_LOG_SCORE or value == -INFINITY


cdef int check_log_scores(str name, const double[::1] values) except -1:
    cdef Py_ssize_t at
    for at in range(values.shape[0]):
        if not is_log_score(values[at]):
            raise ValueError(
                f"{name}: expected log-probabilities, finite ones within ±{LARGEST_LOG_SCORE:.0f}, found {values[at]}"
            )
    return 0


cdef int check_roots(str name, const int[::1] roots, Py_ssize_t size) except -1:
    cdef Py_ssize_t at
    for at in range(roots.shape[0]):
        if not 0 <= roots[at] < size:
            raise ValueError(f"{name}: expected roots below {size}, found {roots[at]}")
    return 0


cdef object take_pairs(Search* search, log_pair):
    """Check the table of Pr and point to it; returns what must stay alive meanwhile."""
    cdef const double[:, ::1] pairs = np.require(log_pair, np.float64, "CA")
    if pairs.shape[0] != search.source.size or pairs.shape[1] != search.target.size:
        raise ValueError(f"log_pair: expected a row and a column for each node, found shape {np.shape(log_pair)}")
    check_log_scores("log_pair", np.asarray(pairs).reshape(-1))
    search.log_pair = &pairs[0, 0]
    return pairs


cdef object take_base(Search* search, base):
    """Check the base pairs, sort them by source node and point to them; returns what must stay alive meanwhile."""
    base_source, base_target, log_prior = base
    source, target = whole_numbers("base", base_source), whole_numbers("base", base_target)
    prior = np.require(log_prior, np.float64, "CA")
    if not len(source) == len(target) == len(prior):
        raise ValueError(
            f"expected as many base sources, targets and priors, found {len(source)}, {len(target)}, {len(prior)}"
        )
    search.base.count = <int>len(source)
    if not len(source):
        return None
    if (
        source.min() < 0
        or target.min() < 0
        or source.max() >= search.source.size
        or target.max() >= search.target.size
    ):
        raise ValueError("expected base pairs of existing nodes, found a number out of range")
    check_log_scores("base", prior)
    order = np.argsort(source, kind="stable")
    cdef const int[::1] sources = source[order]
    cdef const int[::1] targets = target[order]
    cdef const double[::1] priors = prior[order]
    search.base.source = &sources[0]
    search.base.target = &targets[0]
    search.base.log_prior = &priors[0]
    return sources, targets, priors


cdef int take_options(Options* options, given) except -1:
    """Check the options and copy them."""
    for name, (least, most) in BOUNDS.items():
        if not least <= getattr(given, name) <= most:
            raise ValueError(f"{name}: expected {least} to {most}, found {getattr(given, name)}")
    options.null_penalty = given.null_penalty
    options.noncompositional_penalty = given.noncompositional_penalty
    options.sharpness = 1.0 / <double>given.temperature
    # Cython would cut off what is not whole.
    options.beam = index(given.beam)
    options.generation_gap = index(given.generation_gap)
    options.opened_supports = index(given.opened_supports)
    options.max_items = index(given.max_items)
    options.noncompositional = given.noncompositional
    options.single_support = given.single_support
    options.count_all_nulls = given.count_all_nulls
    options.packed = given.packed
    return 0


cdef object result_arrays(Search* search, Outcome* outcome):
    cdef Py_ssize_t count = <Py_ssize_t>outcome.steps.size(), support_count = 0
    steps = np.empty((5, count), dtype=np.int32)
    log_posterior = np.empty(count, dtype=np.float64)
    cdef int[:, ::1] columns = steps
    cdef double[::1] posteriors = log_posterior
    cdef Item* item
    cdef Py_ssize_t at
    for at in range(count):
        item = &search.items[outcome.steps[at].item]
        columns[0, at] = item.source
        columns[1, at] = item.target
        columns[2, at] = search.supports[item.first_support].kind
        columns[3, at] = outcome.steps[at].parent
        columns[4, at] = outcome.steps[at].absorbed
        posteriors[at] = outcome.posteriors[outcome.steps[at].item]
    for at in range(<Py_ssize_t>search.items.size()):
        support_count += search.items[at].support_count
    source, target, kind, parent, absorbed = (column.copy() for column in steps)
    items = np.empty((2, search.items.size()), dtype=np.int32)
    cdef int[:, ::1] nodes = items
    for at in range(<Py_ssize_t>search.items.size()):
        nodes[0, at] = search.items[at].source
        nodes[1, at] = search.items[at].target
    return AlignmentArrays(
        bool(outcome.root_aligned), bool(search.narrowed), outcome.log_score, outcome.log_total,
        source, target, kind.astype(np.int8), parent, absorbed.astype(np.bool_), log_posterior,
        int_array(outcome.source_edges), int_array(outcome.target_edges),
        int_array(outcome.source_nulls), int_array(outcome.target_nulls),
        items[0], items[1], double_array(outcome.posteriors), support_count,
        packed_arrays(search, outcome) if search.options.packed else None,
    )


cdef object packed_arrays(Search* search, Outcome* outcome):
    cdef Packed* packed = &outcome.packed
    return PackedArrays(
        double_array(packed.log_inside), double_array(packed.log_total),
        int_array(packed.first_support), int_array(packed.kind).astype(np.int8), double_array(packed.log_local),
        int_array(packed.first_member), int_array(packed.members),
        int_array(packed.first_source_edge), int_array(packed.source_edges),
        int_array(packed.first_target_edge), int_array(packed.target_edges),
        int_array(search.root_items),
    )


cdef object int_array(vector[int]& values):
    result = np.empty(values.size(), dtype=np.int32)
    cdef int[::1] view = result
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(int))
    return result


cdef object double_array(vector[double]& values):
    result = np.empty(values.size(), dtype=np.float64)
    cdef double[::1] view = result
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(double))
    return result
