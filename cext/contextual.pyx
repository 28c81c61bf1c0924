"""Features of word links and their log-linear probabilities, for every cell of a sentence pair at once.

The feature lists, their order and their definitions are those of ``forest_align.aligners.contextual.features``;
``contextual_reference`` computes the same in plain Python.

The core is laid out in five files in ``contextual_parts``: what all of it uses (``shared.pxi``); the features that need
no other decision, and the first pass over them (``base.pxi``); the features that come from the probabilities around a
cell (``context.pxi``); the messages that cells exchange in later passes (``messages.pxi``); and the checks of what comes
in (``input.pxi``).
"""

import numpy as np

from forest_align.cext.checked_arrays import LARGEST_SCORE, with_checked_arrays

from libc.math cimport exp, fabs, log, log1p, sqrt
from libc.string cimport memcpy, memset

# Bits of the evidence mask that the features read (forest_align.lexicon.evidence.Evidence).
cdef enum:
    IDENTICAL = 1
    LEMMA = 2
    FIRST_RELATION = 2   # SPELLING and the nine kinds after it, as shifts 2 … 11
    RELATIONS = 10
    SYNONYM = 32
    FIRST_KNOWN = 16     # quantities, oppositions, words in words (forest_align.aligners.contextual.pair_evidence)
    KNOWN = 7
    PPDB = 4096          # a paraphrase table that the user brings counts as more synonyms

# Kinds of words.
cdef enum:
    CONTENT = 0
    FUNCTION = 1
    PUNCTUATION = 2
    KINDS = 3

# How many features a cell has, and how many classes have weights of their own.
cdef enum:
    BASE = 75
    CONTEXT = 56
    CLASSES = 9

BASE_FEATURES = BASE
CONTEXT_FEATURES = CONTEXT
LINK_CLASSES = CLASSES
MESSAGE_SLOTS = SLOTS

include "contextual_parts/shared.pxi"
include "contextual_parts/base.pxi"
include "contextual_parts/context.pxi"
include "contextual_parts/messages.pxi"
include "contextual_parts/input.pxi"


@with_checked_arrays
def base_features(
    cosine,
    projected,
    evidence,
    source_kinds,
    target_kinds,
    source_capital,
    target_capital,
    source_letters,
    source_ends,
    target_letters,
    target_ends,
):
    """Features of every cell that need no other decision, and the class of the cell.

    Parameters
    ----------
    cosine, projected : float32, shape (n, m)
        Cosines of the word vectors and of their learned projections.
    evidence : int32, shape (n, m)
        Lexical evidence.
    source_kinds, target_kinds : int32, shapes (n,) and (m,)
        0 content word, 1 function word, 2 punctuation.
    source_capital, target_capital : uint8, shapes (n,) and (m,)
        Whether the word begins with a capital.
    source_letters, target_letters : int32
        Code points of all words, one after another.
    source_ends, target_ends : int32, shapes (n,) and (m,)
        Where each word's letters end.

    Returns
    -------
    features : numpy.ndarray
        float32, shape (n * m, 75).
    classes : numpy.ndarray
        int32, shape (n * m,): which weights apply.

    Raises
    ------
    ValueError
        If a sentence has no words, shapes do not fit, words end beyond the letters or before they begin, there is no
        such kind of word, or a cosine is NaN or beyond ±10⁶.
    """
    unweighted = np.zeros((CLASSES, BASE + 1), dtype=np.float32)
    _, _, features, classes = first_pass(
        cosine, projected, evidence, source_kinds, target_kinds, source_capital, target_capital,
        source_letters, source_ends, target_letters, target_ends, unweighted, 0.0,
    )
    return features, classes


@with_checked_arrays
def first_pass(
    const float[:, ::1] cosine not None,
    const float[:, ::1] projected not None,
    const int[:, ::1] evidence not None,
    const int[::1] source_kinds not None,
    const int[::1] target_kinds not None,
    const unsigned char[::1] source_capital not None,
    const unsigned char[::1] target_capital not None,
    const int[::1] source_letters not None,
    const int[::1] source_ends not None,
    const int[::1] target_letters not None,
    const int[::1] target_ends not None,
    const float[:, ::1] first not None,
    float hopeless,
):
    """Link probability of every cell by itself, and the features of those cells that are not hopeless.

    The same as :func:`base_features` and :func:`first_probabilities`, without keeping what nobody asks for.

    Parameters
    ----------
    cosine, projected, evidence, source_kinds, …, target_ends
        As for :func:`base_features`.
    first : float32, shape (9, 76)
        Weights, one row a class, the bias last.
    hopeless : float
        Cells of a lower probability are left out.

    Returns
    -------
    probability : numpy.ndarray
        float32, shape (n, m): of all cells.
    cells : numpy.ndarray
        int32, shape (k,): the cells that are not hopeless, ascending, as i * m + j.
    features : numpy.ndarray
        float32, shape (k, 75).
    classes : numpy.ndarray
        int32, shape (k,): which weights apply.

    Raises
    ------
    ValueError
        If a sentence has no words, shapes do not fit, words end beyond the letters or before they begin, there is no
        such kind of word, or a cosine is NaN or beyond ±10⁶.
    """
    cdef Pair pair
    fill_pair(
        &pair, cosine, projected, evidence, source_kinds, target_kinds, source_capital, target_capital,
        source_letters, source_ends, target_letters, target_ends,
    )
    check_weights(first.shape[0], first.shape[1])
    cdef Py_ssize_t n = pair.n, m = pair.m, kept
    probability = np.empty((n, m), dtype=np.float32)
    cells = np.empty(n * m, dtype=np.int32)
    features = np.empty((n * m, BASE), dtype=np.float32)
    classes = np.empty(n * m, dtype=np.int32)
    scratch = np.zeros(4 * size_with_border(n, m) + 8 * (n + m), dtype=np.float64)
    marks = np.zeros(MARKS * (n + m), dtype=np.uint64)
    cdef float[:, ::1] out = features, table = probability
    cdef int[::1] cls = classes, which = cells
    cdef double[::1] work = scratch
    cdef unsigned long long[::1] bigrams = marks
    pair.source_marks, pair.target_marks = &bigrams[0], &bigrams[MARKS * n]
    with nogil:
        lay_out_pair(&pair, &work[0])
        survey_pair(&pair)
        kept = score_cells(&pair, &first[0, 0], hopeless, &table[0, 0], &which[0], &out[0, 0], &cls[0])
    return probability, cells[:kept], features[:kept], classes[:kept]


@with_checked_arrays
def context_features(
    const float[:, ::1] probability not None,
    const unsigned char[:, ::1] names not None,
    const int[:, ::1] evidence not None,
    const int[::1] source_kinds not None,
    const int[::1] target_kinds not None,
    const int[:, :, ::1] source_related not None,
    const int[:, :, ::1] target_related not None,
    const int[::1] cells not None,
):
    """Features of some cells that come from the probabilities of the cells around them.

    Parameters
    ----------
    probability : float32, shape (n, m)
        Link probabilities of the pass before.
    names : uint8, shape (n, m)
        Whether both words begin with a capital.
    evidence : int32, shape (n, m)
        Lexical evidence.
    source_kinds, target_kinds : int32, shapes (n,) and (m,)
        0 content word, 1 function word, 2 punctuation.
    source_related, target_related : int32, shapes (n, 10, 3) and (m, 10, 3)
        The words that each word is related to, by relation; -1 for none, behind all others.
    cells : int32, shape (k,)
        Which cells are wanted, as i * m + j.

    Returns
    -------
    numpy.ndarray
        float32, shape (k, 56).

    Raises
    ------
    ValueError
        If a sentence has no words, shapes do not fit, a cell lies outside the pair, there is no such kind of word, or
        a probability is not from 0 to 1.
    """
    cdef Py_ssize_t n = probability.shape[0], m = probability.shape[1], c
    if n == 0 or m == 0:
        raise ValueError("expected two sentences with at least one word each")
    if names.shape[0] != n or names.shape[1] != m or evidence.shape[0] != n or evidence.shape[1] != m:
        raise ValueError(f"expected names and evidence of shape ({n}, {m})")
    if source_kinds.shape[0] != n or target_kinds.shape[0] != m:
        raise ValueError(f"expected kinds of {n} and {m} words")
    check_kinds(source_kinds, target_kinds)
    check_table("probability", probability, 0.0, 1.0)
    check_related("source_related", source_related, n)
    check_related("target_related", target_related, m)
    check_numbers("cells", cells, n * m)
    features = np.empty((cells.shape[0], CONTEXT), dtype=np.float32)
    scratch = np.zeros(8 * (n + m), dtype=np.float64)
    places = np.zeros(2 * (n + m), dtype=np.int32)
    tables = np.zeros(size_with_border(n, m) + n * m, dtype=np.float32)
    cdef float[:, ::1] out = features
    cdef double[::1] work = scratch
    cdef int[::1] nearest = places
    cdef float[::1] copies = tables
    cdef Pass before
    before.n, before.m, before.wide = n, m, m + 2 * BORDER
    before.probability, before.names, before.evidence = &probability[0, 0], &names[0, 0], &evidence[0, 0]
    before.source_kinds, before.target_kinds = &source_kinds[0], &target_kinds[0]
    before.related.source, before.related.target = &source_related[0, 0, 0], &target_related[0, 0, 0]
    with nogil:
        lay_out_pass(&before, &work[0], &nearest[0], &copies[0])
        survey_pass(&before)
        for c in range(cells.shape[0]):
            fill_context(&before, cells[c] // m, cells[c] % m, &out[c, 0])
    return features


@with_checked_arrays
def first_probabilities(
    const float[:, ::1] base not None,
    const int[::1] classes not None,
    const float[:, ::1] first not None,
):
    """Link probability of every cell by itself.

    Parameters
    ----------
    base : float32, shape (cells, 75)
        From :func:`base_features`.
    classes : int32, shape (cells,)
        From :func:`base_features`.
    first : float32, shape (9, 76)
        Weights, one row a class, the bias last.

    Returns
    -------
    numpy.ndarray
        float32, shape (cells,).

    Raises
    ------
    ValueError
        If there are no cells, shapes do not fit, or there is no such class.
    """
    cdef Py_ssize_t cells = classes.shape[0]
    if base.shape[0] != cells or base.shape[1] != BASE or cells == 0:
        raise ValueError(f"expected {cells} rows of {BASE} features, found {base.shape[0]} of {base.shape[1]}")
    check_weights(first.shape[0], first.shape[1])
    check_numbers("classes", classes, CLASSES)
    probability = np.empty(cells, dtype=np.float32)
    cdef float[::1] out = probability
    cdef Py_ssize_t k
    with nogil:
        for k in range(cells):
            out[k] = first_probability(&base[k, 0], &first[classes[k], 0])
    return probability


@with_checked_arrays
def message_pass(
    const float[:, ::1] probability not None,
    const int[::1] cells not None,
    const int[::1] classes not None,
    const float[:, ::1] units not None,
    const float[:, ::1] bias not None,
    const int[::1] source_kinds not None,
    const int[::1] target_kinds not None,
    const int[:, :, ::1] source_related not None,
    const int[:, :, ::1] target_related not None,
    const float[:, :, ::1] send not None,
    const float[:, ::1] send_bias not None,
    const float[:, :, ::1] own not None,
    const float[:, :, :, ::1] receive not None,
    const float[:, ::1] receive_bias not None,
    const float[::1] output not None,
):
    """Link probabilities after a pass in which cells exchange messages.

    Each cell has a state, at first what arrives at its hidden units, rectified. In each round it sends its probability,
    and some units that see its state, rectified and times the probability; then it adds to its state what it makes of
    that and of the messages collected, rectified. Without rounds every cell is scored by itself.

    Parameters
    ----------
    probability : float32, shape (n, m)
        Of the pass before; what is in no cell of the pass stays.
    cells, classes : int32, shape (k,)
        Which cells are scored, as i * m + j, and the class of each. No cell comes twice.
    units : float32, shape (k, h + 1)
        Weighted sums of the features; the last unit is linear and belongs to every score.
    bias : float32, shape (9, h + 1)
        What each class adds to the units.
    source_kinds, target_kinds : int32, shapes (n,) and (m,)
        0 content word, 1 function word, 2 punctuation.
    source_related, target_related : int32, shapes (n, 10, 3) and (m, 10, 3)
        The words that each word is related to, by relation; -1 for none, behind all others.
    send : float32, shape (rounds, h, s)
        Weights of the state in the s numbers of a message; the first is the probability.
    send_bias : float32, shape (rounds, s)
        What is added to each.
    own, receive : float32, shapes (rounds, h, h) and (rounds, 27, s, h)
        Weights of the state, and of the messages collected, in the change of the state. The slots are, as (down, right)
        in the table: (1, 1), (-1, -1), (2, 2), (-2, -2), (3, 3), (-3, -3), (1, 2) and (2, 1), (-1, -2) and (-2, -1),
        (1, -1) and (-1, 1), the four cells beside this one, the cell of the next content words, that of the previous
        ones, all others of row and column, the lesser of both sums, the better and the worse of the best rivals in row
        and column, the last two number by number; then, for each of the first nine relations, the cells of words
        that both words of the cell are related to in this way; those of one word with the particle or verb of the other; and
        with a participant or verb of the other.
    receive_bias : float32, shape (rounds, h)
        What is added to the change.
    output : float32, shape (h,)
        Weights of the last state in the score.

    Returns
    -------
    numpy.ndarray
        float32, shape (n, m).
    numpy.ndarray
        float32, shape (rounds, k, 27, s): what each cell collected.

    Raises
    ------
    ValueError
        If shapes do not fit, a cell lies outside the pair or comes twice, or there is no such class or kind of word.
    """
    cdef Py_ssize_t n = probability.shape[0], m = probability.shape[1], rounds = send.shape[0], r, k, u
    cdef Exchange exchange
    exchange.n, exchange.m, exchange.wide = n, m, m + 2 * BORDER
    exchange.count, exchange.units, exchange.size = cells.shape[0], output.shape[0], send.shape[2]
    check_pass(probability, cells, classes, units, bias, output.shape[0])
    if source_kinds.shape[0] != n or target_kinds.shape[0] != m:
        raise ValueError(f"expected kinds of {n} and {m} words")
    check_kinds(source_kinds, target_kinds)
    check_related("source_related", source_related, n)
    check_related("target_related", target_related, m)
    check_rounds(&exchange, send, send_bias, own, receive, receive_bias)
    result = np.array(probability)
    collected = np.zeros((rounds, exchange.count, SLOTS, exchange.size), dtype=np.float32)
    if exchange.count == 0:
        return result, collected
    states = np.empty((exchange.count + 1, exchange.units), dtype=np.float32)
    scores = np.empty(exchange.count, dtype=np.float32)
    places = np.empty(size_with_border(n, m) + 4 * (n + m), dtype=np.int32)
    numbers = np.empty((n + m + exchange.count + 1) * exchange.size, dtype=np.float32)
    cdef float[:, ::1] table = result, hidden = states
    cdef float[:, :, :, ::1] arrived = collected
    cdef float[::1] linear = scores, room = numbers
    cdef int[::1] grid = places
    cdef double score
    exchange.cells = &cells[0]
    exchange.related.source, exchange.related.target = &source_related[0, 0, 0], &target_related[0, 0, 0]
    with nogil:
        lay_out_exchange(&exchange, &source_kinds[0], &target_kinds[0], &grid[0], &room[0])
        for k in range(exchange.count):
            linear[k] = units[k, exchange.units] + bias[classes[k], exchange.units]
            for u in range(exchange.units):
                hidden[k, u] = <float>larger(units[k, u] + bias[classes[k], u], 0.0)
        for r in range(rounds):
            send_messages(&exchange, &hidden[0, 0], &linear[0], &send[r, 0, 0], &send_bias[r, 0])
            for k in range(exchange.count):
                collect_messages(&exchange, <int>k, &arrived[r, k, 0, 0])
                receive_messages(
                    &hidden[k, 0], &hidden[exchange.count, 0], &arrived[r, k, 0, 0], exchange.units, exchange.size,
                    &own[r, 0, 0], &receive[r, 0, 0, 0], &receive_bias[r, 0],
                )
        for k in range(exchange.count):
            score = linear[k] + dot(&hidden[k, 0], &output[0], exchange.units)
            table[cells[k] // m, cells[k] % m] = <float>(1.0 / (1.0 + exp(-score)))
    return result, collected
