# Checks the input of the contextual kernel, whose core reads it without further checks.


cdef int fill_pair(
    Pair* pair,
    const float[:, ::1] cosine,
    const float[:, ::1] projected,
    const int[:, ::1] evidence,
    const int[::1] source_kinds,
    const int[::1] target_kinds,
    const unsigned char[::1] source_capital,
    const unsigned char[::1] target_capital,
    const int[::1] source_letters,
    const int[::1] source_ends,
    const int[::1] target_letters,
    const int[::1] target_ends,
) except -1:
    """Check and take over what is known of a pair."""
    cdef Py_ssize_t n = cosine.shape[0], m = cosine.shape[1]
    if n == 0 or m == 0:
        raise ValueError("expected two sentences with at least one word each")
    if projected.shape[0] != n or projected.shape[1] != m or evidence.shape[0] != n or evidence.shape[1] != m:
        raise ValueError(f"expected three tables of shape ({n}, {m})")
    for name, size, length in (
        ("source_kinds", source_kinds.shape[0], n),
        ("target_kinds", target_kinds.shape[0], m),
        ("source_capital", source_capital.shape[0], n),
        ("target_capital", target_capital.shape[0], m),
        ("source_ends", source_ends.shape[0], n),
        ("target_ends", target_ends.shape[0], m),
    ):
        if size != length:
            raise ValueError(f"expected {length} values in {name}, found {size}")
    check_kinds(source_kinds, target_kinds)
    check_table("cosine", cosine, -LARGEST_SCORE, LARGEST_SCORE)
    check_table("projected", projected, -LARGEST_SCORE, LARGEST_SCORE)
    check_ends(source_ends, source_letters.shape[0])
    check_ends(target_ends, target_letters.shape[0])
    pair.n, pair.m, pair.wide = n, m, m + 2 * BORDER
    pair.cosine.values, pair.projected.values, pair.evidence = &cosine[0, 0], &projected[0, 0], &evidence[0, 0]
    pair.source_kinds, pair.target_kinds = &source_kinds[0], &target_kinds[0]
    pair.source_capital, pair.target_capital = &source_capital[0], &target_capital[0]
    pair.source_letters = &source_letters[0] if source_letters.shape[0] else NULL
    pair.target_letters = &target_letters[0] if target_letters.shape[0] else NULL
    pair.source_ends, pair.target_ends = &source_ends[0], &target_ends[0]
    return 0


cdef int check_weights(Py_ssize_t rows, Py_ssize_t columns) except -1:
    if rows != CLASSES or columns != BASE + 1:
        raise ValueError(f"expected weights of shape ({CLASSES}, {BASE + 1})")
    return 0


cdef int check_pass(
    const float[:, ::1] probability,
    const int[::1] cells,
    const int[::1] classes,
    const float[:, ::1] units,
    const float[:, ::1] bias,
    Py_ssize_t hidden,
) except -1:
    cdef Py_ssize_t wanted = cells.shape[0]
    if classes.shape[0] != wanted or units.shape[0] != wanted or units.shape[1] != hidden + 1:
        raise ValueError(f"expected {wanted} classes and rows of {hidden + 1} units")
    if bias.shape[0] != CLASSES or bias.shape[1] != hidden + 1:
        raise ValueError(f"expected biases of shape ({CLASSES}, {hidden + 1})")
    check_numbers("cells", cells, probability.shape[0] * probability.shape[1])
    check_distinct(cells, probability.shape[0] * probability.shape[1])
    check_numbers("classes", classes, CLASSES)
    return 0


cdef int check_rounds(
    const Exchange* exchange,
    const float[:, :, ::1] send,
    const float[:, ::1] send_bias,
    const float[:, :, ::1] own,
    const float[:, :, :, ::1] receive,
    const float[:, ::1] receive_bias,
) except -1:
    cdef Py_ssize_t rounds = send.shape[0], units = exchange.units, size = exchange.size
    if units == 0 or size == 0:
        raise ValueError("expected at least one unit and a message of at least one number")
    for name, found, shape in (
        ("send", (rounds, send.shape[1], size), (rounds, units, size)),
        ("send_bias", (send_bias.shape[0], send_bias.shape[1]), (rounds, size)),
        ("own", (own.shape[0], own.shape[1], own.shape[2]), (rounds, units, units)),
        (
            "receive",
            (receive.shape[0], receive.shape[1], receive.shape[2], receive.shape[3]),
            (rounds, SLOTS, size, units),
        ),
        ("receive_bias", (receive_bias.shape[0], receive_bias.shape[1]), (rounds, units)),
    ):
        if found != shape:
            raise ValueError(f"expected weights {name} of shape {shape}, found {found}")
    return 0


cdef int check_ends(const int[::1] ends, Py_ssize_t letters) except -1:
    cdef Py_ssize_t k, begin = 0
    for k in range(ends.shape[0]):
        if not begin <= ends[k] <= letters:
            raise ValueError(f"expected word ends that ascend from 0 to at most {letters}, found {ends[k]}")
        begin = ends[k]
    return 0


cdef int check_kinds(const int[::1] source, const int[::1] target) except -1:
    check_numbers("kinds of words", source, KINDS)
    check_numbers("kinds of words", target, KINDS)
    return 0


cdef int check_table(str name, const float[:, ::1] table, float low, float high) except -1:
    """Refuse NaN as well: it is neither above nor below anything."""
    cdef Py_ssize_t i, j
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            if not low <= table[i, j] <= high:
                raise ValueError(f"expected {name} from {low:.0f} to {high:.0f}, found {table[i, j]}")
    return 0


cdef int check_distinct(const int[::1] cells, Py_ssize_t size) except -1:
    cdef unsigned char[::1] seen = np.zeros(max(size, 1), dtype=np.uint8)
    cdef Py_ssize_t k
    for k in range(cells.shape[0]):
        if seen[cells[k]]:
            raise ValueError(f"expected each cell once, found {cells[k]} twice")
        seen[cells[k]] = 1
    return 0


cdef int check_numbers(str what, const int[::1] numbers, Py_ssize_t size) except -1:
    cdef Py_ssize_t k
    for k in range(numbers.shape[0]):
        if not 0 <= numbers[k] < size:
            raise ValueError(f"expected {what} from 0 to {size - 1}, found {numbers[k]}")
    return 0
