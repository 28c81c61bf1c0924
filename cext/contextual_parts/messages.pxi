# The messages that cells of the contextual kernel exchange in later passes.

cdef enum:
    SLOTS = 27           # kinds of messages that a cell collects, each with weights of its own
    PLACES = 16          # the first of them come from places in the table, the others from related words

# What one round needs to know. Messages and sums hold ``size`` numbers each, hidden states ``units``.
cdef struct Exchange:
    Py_ssize_t n, m, wide, count, units, size
    const int* cells
    int* grid                # with border: the number of the cell that lies there, ``count`` for none
    Related related
    int* rivals              # the best and the second-best cell of each row, then of each column
    int* source_before       # the nearest content words, as in the pass before
    int* source_after
    int* target_before
    int* target_after
    float* messages          # of all cells; that of cell ``count`` is all zeros
    float* sums              # of the messages of each row, then of each column


cdef void lay_out_exchange(
    Exchange* exchange, const int* source_kinds, const int* target_kinds, int* places, float* numbers
) noexcept nogil:
    """Give every table its place, and say which cell lies where.

    ``places`` has one table with a border and 4 (n + m) more, ``numbers`` n + m + count + 1 messages.
    """
    cdef Py_ssize_t n = exchange.n, m = exchange.m, k
    for k in range(size_with_border(n, m)):
        places[k] = <int>exchange.count
    exchange.grid = places + BORDER * (exchange.wide + 1)
    for k in range(exchange.count):
        exchange.grid[exchange.cells[k] // m * exchange.wide + exchange.cells[k] % m] = <int>k
    exchange.rivals = places + size_with_border(n, m)
    exchange.source_before = exchange.rivals + 2 * (n + m)
    exchange.source_after = exchange.source_before + n
    exchange.target_before = exchange.source_after + n
    exchange.target_after = exchange.target_before + m
    find_nearest_content(source_kinds, n, exchange.source_before, exchange.source_after)
    find_nearest_content(target_kinds, m, exchange.target_before, exchange.target_after)
    exchange.sums = numbers
    exchange.messages = numbers + (n + m) * exchange.size
    memset(exchange.messages + exchange.count * exchange.size, 0, exchange.size * sizeof(float))


cdef void send_messages(
    Exchange* exchange, const float* hidden, const float* linear, const float* weights, const float* bias
) noexcept nogil:
    """Work out the message of every cell: its probability, and what it says times its probability."""
    cdef Py_ssize_t n = exchange.n, k, s
    cdef int i, j
    cdef float* message
    cdef float probability
    memset(exchange.sums, 0, (n + exchange.m) * exchange.size * sizeof(float))
    for k in range(2 * (n + exchange.m)):
        exchange.rivals[k] = <int>exchange.count
    for k in range(exchange.count):
        message = exchange.messages + k * exchange.size
        memcpy(message, bias, exchange.size * sizeof(float))
        add_rows(message, exchange.size, hidden + k * exchange.units, exchange.units, weights)
        probability = <float>(1.0 / (1.0 + exp(-(<double>message[0] + linear[k]))))
        message[0] = probability
        for s in range(1, exchange.size):
            message[s] = probability * message[s] if message[s] > 0 else 0
        i = exchange.cells[k] // <int>exchange.m
        j = exchange.cells[k] % <int>exchange.m
        add_message(exchange, k, exchange.sums + i * exchange.size)
        add_message(exchange, k, exchange.sums + (n + j) * exchange.size)
        enter_rival(exchange, <int>k, exchange.rivals + 2 * i)
        enter_rival(exchange, <int>k, exchange.rivals + 2 * (n + j))


cdef inline void enter_rival(const Exchange* exchange, int cell, int* best) noexcept nogil:
    """Keep the two most probable cells of a row or column; of equals, the one that came first."""
    cdef float probability = exchange.messages[cell * exchange.size]
    if probability > exchange.messages[best[0] * exchange.size]:
        best[1] = best[0]
        best[0] = cell
    elif probability > exchange.messages[best[1] * exchange.size]:
        best[1] = cell


cdef inline void add_message(const Exchange* exchange, Py_ssize_t cell, float* out) noexcept nogil:
    cdef const float* message = exchange.messages + cell * exchange.size
    cdef Py_ssize_t s
    if cell != exchange.count:
        for s in range(exchange.size):
            out[s] += message[s]


cdef void collect_messages(const Exchange* exchange, int cell, float* out) noexcept nogil:
    """All that arrives at a cell, in SLOTS slots that hold zeros."""
    cdef Py_ssize_t wide = exchange.wide, size = exchange.size, step
    cdef int i = exchange.cells[cell] // <int>exchange.m, j = exchange.cells[cell] % <int>exchange.m
    cdef const int* here = exchange.grid + i * wide + j
    cdef const int* after = exchange.grid + exchange.source_after[i] * wide
    cdef const int* before = exchange.grid + exchange.source_before[i] * wide
    for step in range(1, 4):
        add_message(exchange, here[step * (wide + 1)], out + (2 * step - 2) * size)
        add_message(exchange, here[-step * (wide + 1)], out + (2 * step - 1) * size)
    add_message(exchange, here[wide + 2], out + 6 * size)
    add_message(exchange, here[2 * wide + 1], out + 6 * size)
    add_message(exchange, here[-wide - 2], out + 7 * size)
    add_message(exchange, here[-2 * wide - 1], out + 7 * size)
    add_message(exchange, here[wide - 1], out + 8 * size)
    add_message(exchange, here[1 - wide], out + 8 * size)
    add_message(exchange, here[wide], out + 9 * size)
    add_message(exchange, here[-wide], out + 9 * size)
    add_message(exchange, here[1], out + 9 * size)
    add_message(exchange, (here - 1)[0], out + 9 * size)
    add_message(exchange, after[exchange.target_after[j]], out + 10 * size)
    add_message(exchange, before[exchange.target_before[j]], out + 11 * size)
    collect_from_lines(exchange, cell, i, exchange.n + j, out + 12 * size)
    collect_from_related(exchange, i, j, out + PLACES * size)


cdef void collect_from_related(const Exchange* exchange, int i, int j, float* out) noexcept nogil:
    """The messages of related words: relation by relation, of verb and particle, and of verb and participant."""
    cdef int relation
    for relation in range(PAIRED):
        collect_from_partners(
            exchange,
            words_related(exchange.related.source, i, relation),
            words_related(exchange.related.target, j, relation),
            out + relation * exchange.size,
        )
    out += PAIRED * exchange.size
    collect_beside(exchange, i, j, PARTICLE, out)
    out += exchange.size
    collect_beside(exchange, i, j, PATIENT, out)
    collect_beside(exchange, i, j, OTHER, out)
    collect_beside(exchange, i, j, PATIENT_OF, out)
    collect_beside(exchange, i, j, OTHER_OF, out)


cdef inline void collect_from_partners(
    const Exchange* exchange, const int* source, const int* target, float* out
) noexcept nogil:
    cdef Py_ssize_t a, b
    for a in range(WIDTH):
        for b in range(WIDTH):
            if source[a] < 0 or target[b] < 0:
                break
            add_message(exchange, exchange.grid[source[a] * exchange.wide + target[b]], out)


cdef inline void collect_beside(const Exchange* exchange, int i, int j, int relation, float* out) noexcept nogil:
    """The cells of one word of this cell with a related word of the other one."""
    cdef Py_ssize_t k
    cdef const int* source = words_related(exchange.related.source, i, relation)
    cdef const int* target = words_related(exchange.related.target, j, relation)
    for k in range(WIDTH):
        if source[k] >= 0:
            add_message(exchange, exchange.grid[source[k] * exchange.wide + j], out)
        if target[k] >= 0:
            add_message(exchange, exchange.grid[i * exchange.wide + target[k]], out)


cdef inline void collect_from_lines(
    const Exchange* exchange, int cell, Py_ssize_t row, Py_ssize_t column, float* out
) noexcept nogil:
    """All other messages of the row and column, and those of the best rivals."""
    cdef Py_ssize_t size = exchange.size, s
    cdef const float* own = exchange.messages + cell * size
    cdef const float* across = exchange.messages + best_rival(exchange.rivals + 2 * row, cell) * size
    cdef const float* along = exchange.messages + best_rival(exchange.rivals + 2 * column, cell) * size
    cdef float a, b
    for s in range(size):
        a = exchange.sums[row * size + s] - own[s]
        b = exchange.sums[column * size + s] - own[s]
        out[s] = a + b
        out[size + s] = a if a < b else b
        a = across[s]
        b = along[s]
        out[2 * size + s] = a if a > b else b
        out[3 * size + s] = a if a < b else b


cdef inline int best_rival(const int* best, int cell) noexcept nogil:
    return best[1] if best[0] == cell else best[0]


cdef void receive_messages(
    float* hidden, float* change, const float* collected, Py_ssize_t units, Py_ssize_t size,
    const float* own, const float* weights, const float* bias,
) noexcept nogil:
    """What a cell makes of its own state and of what it collected; ``change`` is room for one state."""
    cdef Py_ssize_t u
    memcpy(change, bias, units * sizeof(float))
    add_rows(change, units, hidden, units, own)
    add_rows(change, units, collected, SLOTS * size, weights)
    for u in range(units):
        hidden[u] += change[u] if change[u] > 0 else 0


cdef void add_rows(
    float* out, Py_ssize_t width, const float* values, Py_ssize_t count, const float* rows
) noexcept nogil:
    """Add rows of a matrix, each times its value. Many values are 0; the others go four at a time."""
    cdef int[64] found
    cdef Py_ssize_t start, v, f, w, many
    for start in range(0, count, 64):
        many = 0
        for v in range(start, start + 64 if start + 64 < count else count):
            # Without a branch that the processor would guess wrongly.
            found[many] = <int>v
            many += values[v] != 0
        for f in range(0, many - 3, 4):
            add_four(out, width, values, rows, &found[f])
        for f in range(many & ~3, many):
            for w in range(width):
                out[w] += values[found[f]] * rows[found[f] * width + w]


cdef inline void add_four(
    float* out, Py_ssize_t width, const float* values, const float* rows, const int* which
) noexcept nogil:
    cdef float a = values[which[0]], b = values[which[1]], c = values[which[2]], d = values[which[3]]
    cdef const float* one = rows + which[0] * width
    cdef const float* two = rows + which[1] * width
    cdef const float* three = rows + which[2] * width
    cdef const float* four = rows + which[3] * width
    cdef Py_ssize_t w
    for w in range(width):
        out[w] += (a * one[w] + b * two[w]) + (c * three[w] + d * four[w])
