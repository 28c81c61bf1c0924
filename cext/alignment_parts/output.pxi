# The outcome of the alignment kernel as arrays for Python.

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
