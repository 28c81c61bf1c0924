# The outcome of the alignment kernel as arrays for Python.

# The packed alignment forest: what PackedArrays says, item by item and support by support.
cdef cppclass Packed:
    vector[int] source, target
    vector[double] log_inside, log_total
    vector[int] first_support
    vector[int] kind
    vector[double] log_local
    vector[int] first_member, members
    vector[int] first_source_edge, source_edges
    vector[int] first_target_edge, target_edges


cdef object result_arrays(Search* search, Outcome* outcome, bint packed):
    cdef vector[int] source, target, kind, parent, absorbed
    cdef vector[double] log_posterior
    cdef Item* item
    cdef size_t at
    cdef Py_ssize_t support_count = 0
    for at in range(outcome.steps.size()):
        item = &search.items[outcome.steps[at].item]
        source.push_back(item.source)
        target.push_back(item.target)
        kind.push_back(search.supports[item.first_support].kind)
        parent.push_back(outcome.steps[at].parent)
        absorbed.push_back(outcome.steps[at].absorbed)
        log_posterior.push_back(outcome.posteriors[outcome.steps[at].item])
    for at in range(search.items.size()):
        support_count += search.items[at].support_count
    return AlignmentArrays(
        bool(outcome.root_aligned), bool(search.narrowed), outcome.log_score, outcome.log_total,
        int_array(source), int_array(target), int_array(kind).astype(np.int8), int_array(parent),
        int_array(absorbed).astype(np.bool_), double_array(log_posterior),
        int_array(outcome.source_edges), int_array(outcome.target_edges),
        int_array(outcome.source_nulls), int_array(outcome.target_nulls),
        search.items.size(), support_count,
        packed_arrays(search, outcome) if packed else None,
    )


cdef object packed_arrays(Search* search, Outcome* outcome):
    cdef Packed packed
    flatten(search, &packed)
    return PackedArrays(
        int_array(packed.source), int_array(packed.target),
        double_array(packed.log_inside), double_array(packed.log_total), double_array(outcome.posteriors),
        int_array(packed.first_support), int_array(packed.kind).astype(np.int8), double_array(packed.log_local),
        int_array(packed.first_member), int_array(packed.members),
        int_array(packed.first_source_edge), int_array(packed.source_edges),
        int_array(packed.first_target_edge), int_array(packed.target_edges),
        int_array(search.root_items),
    )


cdef void flatten(Search* search, Packed* packed) noexcept nogil:
    """Lay items and supports out one after another."""
    cdef Expanded found
    cdef Item* item
    cdef Support* support
    cdef size_t number
    cdef int at
    for number in range(search.items.size()):
        item = &search.items[number]
        packed.source.push_back(item.source)
        packed.target.push_back(item.target)
        packed.log_inside.push_back(item.inside)
        packed.log_total.push_back(item.total)
        packed.first_support.push_back(<int>packed.kind.size())
        for at in range(item.first_support, item.first_support + item.support_count):
            support = &search.supports[at]
            packed.kind.push_back(support.kind)
            packed.log_local.push_back(support.local)
            expand(search, support, &found)
            packed.first_member.push_back(<int>packed.members.size())
            packed.first_source_edge.push_back(<int>packed.source_edges.size())
            packed.first_target_edge.push_back(<int>packed.target_edges.size())
            append(packed.members, found.members.data(), <int>found.members.size())
            append(packed.source_edges, found.source_edges.data(), <int>found.source_edges.size())
            append(packed.target_edges, found.target_edges.data(), <int>found.target_edges.size())
    packed.first_support.push_back(<int>packed.kind.size())
    packed.first_member.push_back(<int>packed.members.size())
    packed.first_source_edge.push_back(<int>packed.source_edges.size())
    packed.first_target_edge.push_back(<int>packed.target_edges.size())


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
