"""The link features in plain numpy: what the tests compare the compiled kernel with."""

from __future__ import annotations

from typing import Any

import numpy as np

IDENTICAL, LEMMA, SYNONYM, PPDB = 1, 2, 32, 4096
RELATION_SHIFTS = range(2, 12)
KNOWN_SHIFTS = range(16, 23)
KNOTS = (0.3, 0.45, 0.6, 0.75, 0.9)
PROJECTED_KNOTS = (0.2, 0.35, 0.5, 0.65, 0.8)
SCALE = 1 / 0.08
# Relations whose words on both sides are compared, and those that lead to other cells of the row and column.
PAIRED = 9
BESIDE = ((9,), (3, 4, 6, 7))
PARTICIPANTS = (2, 3)


def base_features(
    cosine: np.ndarray,
    projected: np.ndarray,
    evidence: np.ndarray,
    source_kinds: np.ndarray,
    target_kinds: np.ndarray,
    source_capital: np.ndarray,
    target_capital: np.ndarray,
    source_letters: np.ndarray,
    source_ends: np.ndarray,
    target_letters: np.ndarray,
    target_ends: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """See ``contextual.base_features``."""
    n, m = cosine.shape
    same = evidence & (IDENTICAL | LEMMA) != 0
    rows, columns = same.sum(1)[:, None], same.sum(0)[None]
    run = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            first = i
            while first > 0 and j - (i - first) > 0 and same[first - 1, j - (i - first) - 1]:
                first -= 1
            last = i
            while last + 1 < n and j + (last - i) + 1 < m and same[last + 1, j + (last - i) + 1]:
                last += 1
            run[i, j] = (last - first + 1) * same[i, j]
    identical = evidence & IDENTICAL != 0
    lefts, rights = _words(source_letters, source_ends), _words(target_letters, target_ends)
    dice = np.array([[bigram_dice(one, two) for two in rights] for one in lefts])
    dice[identical] = 1.0
    weight = np.where(same, 1.0, np.maximum(cosine - 0.3, 0) / 0.7)
    strong = np.maximum(projected - 0.3, 0)
    content = same & (source_kinds == 0)[:, None] & (target_kinds == 0)[None]
    box = sum(_shift(content * 1.0, a, b) for a in range(-3, 4) for b in range(-3, 4) if a and b)
    edge = np.zeros((n, m))
    edge[0, 0] = edge[-1, -1] = 1
    # A paraphrase table that the user brings counts as more synonyms.
    evidence = np.where(evidence & PPDB, evidence | SYNONYM, evidence)
    lists = [
        *_similarity(cosine.astype(float), KNOTS, 0.0),
        *_similarity(projected.astype(float), PROJECTED_KNOTS, np.exp(0.5 / 0.08)),
        dice,
        np.maximum(dice - 0.5, 0),
        np.where(same, np.log(np.maximum(rows, 1)) + np.log(np.maximum(columns, 1)), 0),
        np.where(same, 0, (rows > 0) * 1.0 + (columns > 0)),
        np.where(same, 0, (rows > 0) & (columns > 0)),
        np.abs((np.arange(n)[:, None] + 0.5) / n - (np.arange(m)[None] + 0.5) / m),
        np.full((n, m), abs(np.log(n / m))),
        np.full((n, m), np.log(min(n, m)) / 3),
        run > 1,
        run > 2,
        np.log(np.maximum(run, 1)),
        *(_shift(weight, step * sign, step * sign) for step in (1, 2, 3) for sign in (1, -1)),
        _shift(weight, 1, -1) + _shift(weight, -1, 1),
        np.minimum(box, 4),
        box > 0,
        *(_shift(strong, step * sign, step * sign) for step in (1, 2) for sign in (1, -1)),
        edge,
        *(evidence >> shift & 1 for shift in RELATION_SHIFTS),
        (source_capital[:, None] != 0) & (target_capital[None] != 0),
        *(evidence >> shift & 1 for shift in KNOWN_SHIFTS),
    ]
    kind = np.maximum(source_kinds[:, None], target_kinds[None])
    alike = source_kinds[:, None] == target_kinds[None]
    different = np.where(alike, 4 + kind, np.where(kind == 2, 7, 8))
    classes = np.where(identical, kind, np.where(same, 3, different))
    return np.stack(lists, -1).reshape(n * m, -1).astype(np.float32), classes.ravel().astype(np.int32)


def context_features(
    probability: np.ndarray,
    names: np.ndarray,
    evidence: np.ndarray,
    source_kinds: np.ndarray,
    target_kinds: np.ndarray,
    source_related: np.ndarray,
    target_related: np.ndarray,
    cells: np.ndarray,
) -> np.ndarray:
    """See ``contextual.context_features``."""
    p = probability.astype(float)
    n, m = p.shape
    across, along = _best_other(p, 1), _best_other(p, 0)
    low, high = np.minimum(across, along), np.maximum(across, along)
    above, beside = (np.maximum(_shift(p, a, b), _shift(p, -a, -b)) for a, b in ((1, 0), (0, 1)))
    adjacent = np.maximum(above, beside)
    near = sum(_shift(p, a, b) for a in range(-3, 4) for b in range(-3, 4) if a and b and a != b)
    null_source, null_target = 1 - p.max(1), 1 - p.max(0)
    nulls = sum(
        _shift_line(null_source, step)[:, None] + _shift_line(null_target, step)[None] for step in (-1, 1)
    )
    one = np.abs(_expected(p)[:, None] - np.arange(m)[None])
    two = np.abs(_expected(p.T)[None] - np.arange(n)[:, None])
    after, before = (
        np.max([_shift(p, side * a, side * b) for a in (1, 2, 3) for b in (1, 2, 3)], axis=0)
        for side in (1, -1)
    )
    framed = np.pad(p, ((0, 1), (0, 1)))
    (left, right), (other_left, other_right) = (
        _nearest_content(kinds) for kinds in (source_kinds, target_kinds)
    )
    content_after, content_before = framed[np.ix_(right, other_right)], framed[np.ix_(left, other_left)]
    across_mass, along_mass = (np.clip(p.sum(axis, keepdims=True) - p, 0, 2) for axis in (1, 0))
    same = np.where(evidence & (IDENTICAL | LEMMA), p, 0)
    lists = [
        np.clip(np.log((p + 1e-4) / (1 - p + 1e-4)), -6, 6),
        p,
        high,
        low,
        np.clip(np.log((p + 1e-3) / (high + 1e-3)), -4, 4),
        np.clip(np.log((p + 1e-3) / (low + 1e-3)), -4, 4),
        *(_shift(p, step * sign, step * sign) for step in (1, 2, 3) for sign in (1, -1)),
        _shift(p, 1, 1) * _shift(p, -1, -1),
        np.maximum(_shift(p, 1, 2), _shift(p, 2, 1)),
        np.maximum(_shift(p, -1, -2), _shift(p, -2, -1)),
        _shift(p, 1, -1) + _shift(p, -1, 1),
        adjacent,
        np.minimum(near, 3),
        0.5 * nulls,
        np.log1p(np.minimum(one, two)),
        np.log1p(np.maximum(one, two)),
        np.full((n, m), min(p.sum() / min(n, m), 1.5)),
        adjacent * (names != 0),
        after,
        before,
        after * before,
        np.maximum(after, before),
        content_after,
        content_before,
        content_after * content_before,
        np.minimum(across_mass, along_mass),
        np.maximum(across_mass, along_mass),
        np.maximum(_best_other(same, 1), _best_other(same, 0)),
        np.sqrt(above * beside),
        np.maximum(framed[np.ix_(right, other_left)], framed[np.ix_(left, other_right)]),
        *_related_features(p, source_related, target_related),
    ]
    return np.stack(lists, -1).reshape(n * m, -1)[cells].astype(np.float32)


def _related_features(p: np.ndarray, source: np.ndarray, target: np.ndarray) -> list[np.ndarray]:
    """Links of the words that both words of each cell are related to, and of one word with the other's."""
    n, m = p.shape
    lists = np.zeros((2 * PAIRED + len(BESIDE) + 1, n, m))
    for i, j in np.ndindex(n, m):
        for relation in range(PAIRED):
            one, other = ([int(k) for k in side[relation] if k >= 0] for side in (source[i], target[j]))
            if one and other:
                best = p[np.ix_(one, other)].max()
                lists[2 * relation, i, j] = best
                lists[2 * relation + 1, i, j] = min(p[one].max(), p[:, other].max()) - best
        for place, relations in enumerate(BESIDE):
            one, other = (
                [int(k) for r in relations for k in side[r] if k >= 0] for side in (source[i], target[j])
            )
            lists[2 * PAIRED + place, i, j] = max([*p[one, j], *p[i, other]], default=0.0)
        lists[-1, i, j] = sum((source[i, r, 0] >= 0) != (target[j, r, 0] >= 0) for r in PARTICIPANTS)
    return list(lists)


def first_probabilities(base: np.ndarray, classes: np.ndarray, first: np.ndarray) -> np.ndarray:
    """See ``contextual.first_probabilities``."""
    score = np.einsum("kf,kf->k", base.astype(float), first[classes, :-1]) + first[classes, -1]
    return (1 / (1 + np.exp(-score))).astype(np.float32)


def first_pass(*arguments: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """See ``contextual.first_pass``."""
    *inputs, first, hopeless = arguments
    base, classes = base_features(*inputs)
    probability = first_probabilities(base, classes, first)
    cells = np.flatnonzero(probability >= np.float32(hopeless)).astype(np.int32)
    return probability.reshape(inputs[0].shape), cells, base[cells], classes[cells]


def message_pass(*arguments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """See ``contextual.message_pass``."""
    return message_pass_noting_ties(*arguments)[:2]


def message_pass_noting_ties(
    probability: np.ndarray,
    cells: np.ndarray,
    classes: np.ndarray,
    units: np.ndarray,
    bias: np.ndarray,
    source_kinds: np.ndarray,
    target_kinds: np.ndarray,
    source_related: np.ndarray,
    target_related: np.ndarray,
    send: np.ndarray,
    send_bias: np.ndarray,
    own: np.ndarray,
    receive: np.ndarray,
    receive_bias: np.ndarray,
    output: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, bool]:
    """See ``contextual.message_pass``; also whether rounding may decide which rival of a line is heard."""
    arriving = units.astype(float) + bias[classes]
    linear, state = arriving[:, -1], np.maximum(arriving[:, :-1], 0)
    everything = []
    tied = False
    for number in range(len(send)):
        said = state @ send[number] + send_bias[number]
        # A message holds float32: cells that are equally probable in it are rivals that come in order.
        chance = (1 / (1 + np.exp(-(said[:, 0] + linear)))).astype(np.float32)
        tied |= _are_nearly_equal(chance, *np.divmod(cells, probability.shape[1]))
        said[:, 0] = 1
        table = np.zeros((*probability.shape, said.shape[1]))
        table.reshape(-1, said.shape[1])[cells] = chance[:, None] * np.maximum(said, 0)
        slots = _message_slots(table, source_kinds, target_kinds)
        slots = np.concatenate([slots, _related_slots(table, source_related, target_related)], 2)
        collected = slots.reshape(-1, *slots.shape[2:])[cells]
        arrived = np.einsum("kts,tsh->kh", collected, receive[number])
        state = state + np.maximum(state @ own[number] + arrived + receive_bias[number], 0)
        everything.append(collected)
    result = probability.copy()
    result.ravel()[cells] = 1 / (1 + np.exp(-(state @ output + linear)))
    shape = (len(send), len(cells), 27, send.shape[2])
    return result, np.array(everything, dtype=np.float32).reshape(shape), tied


def _are_nearly_equal(chance: np.ndarray, *lines: np.ndarray) -> bool:
    """Whether two probabilities of a row or a column differ by no more than rounding, but differ."""
    for line in lines:
        order = np.lexsort((chance, line))
        gaps, same = np.diff(chance[order]), np.diff(line[order]) == 0
        if (same & (gaps > 0) & (gaps < 1e-5 * np.maximum(chance[order][1:], 1e-30))).any():
            return True
    return False


def _message_slots(table: np.ndarray, source_kinds: np.ndarray, target_kinds: np.ndarray) -> np.ndarray:
    """What every cell collects of a table of messages, (n, m, s), as (n, m, 16, s)."""

    def from_there(*steps: tuple[int, int]) -> np.ndarray:
        parts = [np.stack([_shift(x, *step) for x in np.moveaxis(table, 2, 0)], -1) for step in steps]
        return np.sum(parts, axis=0)

    framed = np.pad(table, ((0, 1), (0, 1), (0, 0)))
    (left, right), (other_left, other_right) = (
        _nearest_content(kinds) for kinds in (source_kinds, target_kinds)
    )
    others = [table.sum(axis, keepdims=True) - table for axis in (1, 0)]
    rivals = [_best_rival(table), _best_rival(table.transpose(1, 0, 2)).transpose(1, 0, 2)]
    slots = [
        *(from_there((sign * step, sign * step)) for step in (1, 2, 3) for sign in (1, -1)),
        from_there((1, 2), (2, 1)),
        from_there((-1, -2), (-2, -1)),
        from_there((1, -1), (-1, 1)),
        from_there((1, 0), (-1, 0), (0, 1), (0, -1)),
        framed[np.ix_(right, other_right)],
        framed[np.ix_(left, other_left)],
        others[0] + others[1],
        np.minimum(*others),
        np.maximum(*rivals),
        np.minimum(*rivals),
    ]
    return np.stack(slots, 2)


def _related_slots(table: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """What every cell collects from the cells of related words, as (n, m, 11, s)."""
    n, m, size = table.shape
    result = np.zeros((n, m, PAIRED + len(BESIDE), size))
    for i, j in np.ndindex(n, m):
        for relation in range(PAIRED):
            for a, b in np.ndindex(3, 3):
                if source[i, relation, a] >= 0 and target[j, relation, b] >= 0:
                    result[i, j, relation] += table[source[i, relation, a], target[j, relation, b]]
        for place, relations in enumerate(BESIDE):
            one, other = (
                [int(k) for r in relations for k in side[r] if k >= 0] for side in (source[i], target[j])
            )
            result[i, j, PAIRED + place] = table[one, j].sum(0) + table[i, other].sum(0)
    return result


def _best_rival(table: np.ndarray) -> np.ndarray:
    """For every cell the message of the most probable other cell of its row."""
    result = np.zeros_like(table)
    for i, j in np.ndindex(table.shape[:2]):
        others = np.delete(table[i], j, axis=0)
        if len(others):
            result[i, j] = others[others[:, 0].argmax()]
    return result


def bigram_dice(one: tuple[int, ...], two: tuple[int, ...]) -> float:
    """Dice coefficient of the letter bigrams of two words, their edges included; at most 24 letters count."""
    lefts, rights = ([*zip((0, *word[:24]), (*word[:24], 0), strict=True)] for word in (one, two))
    left_over = list(rights)
    common = 0
    for pair in lefts:
        if pair in left_over:
            left_over.remove(pair)
            common += 1
    return 2 * common / (len(lefts) + len(rights))


def _words(letters: np.ndarray, ends: np.ndarray) -> list[tuple[int, ...]]:
    starts = [0, *ends[:-1]]
    return [tuple(int(x) for x in letters[a:b]) for a, b in zip(starts, ends, strict=True)]


def _similarity(x: np.ndarray, knots: tuple[float, ...], null: float) -> list[np.ndarray]:
    margins = [x - _best_other(x, axis) if x.shape[axis] > 1 else x for axis in (1, 0)]
    lists = [x, *(np.maximum(x - knot, 0) for knot in knots)]
    for margin in (np.minimum(*margins), np.maximum(*margins)):
        lists += [np.clip(margin, 0, 0.5), np.clip(margin, -0.5, 0), np.clip(margin, -0.1, 0.1), margin >= 0]
    powers = np.exp(x * SCALE)
    logs = [x * SCALE - np.log(powers.sum(axis, keepdims=True) + null) for axis in (1, 0)]
    return [*lists, np.clip(logs[0] + logs[1], -12, 0), np.clip(np.minimum(*logs), -8, 0)]


def _best_other(x: np.ndarray, axis: int) -> np.ndarray:
    """The best value along an axis without the cell itself; 0 where there is no other."""
    if x.shape[axis] == 1:
        return np.zeros_like(x)
    ordered = np.sort(x, axis=axis)
    best, second = np.take(ordered, [-1], axis), np.take(ordered, [-2], axis)
    return np.where(x >= best, second, best)


def _shift(x: np.ndarray, down: int, right: int) -> np.ndarray:
    """Cell (i, j) of the result is cell (i + down, j + right), 0 outside."""
    n, m = x.shape
    padded = np.zeros((n + 2 * abs(down), m + 2 * abs(right)))
    padded[abs(down) : abs(down) + n, abs(right) : abs(right) + m] = x
    return padded[abs(down) + down : abs(down) + down + n, abs(right) + right : abs(right) + right + m]


def _shift_line(x: np.ndarray, step: int) -> np.ndarray:
    return _shift(x[None], 0, step)[0]


def _expected(p: np.ndarray) -> np.ndarray:
    """Where each word would go if it kept the distance that its neighbours' best partners have to them."""
    places, best = p.argmax(1), p.max(1)
    result = []
    for i in range(len(p)):
        others = [k for k in range(len(p)) if k != i and abs(i - k) <= 16]
        weights = np.array([np.exp(-0.5 * abs(i - k)) * (best[k] + 1e-3) for k in others])
        offsets = np.array([places[k] - k for k in others])
        result.append((weights @ offsets if others else 0.0) / (weights.sum() + 1e-9) + i)
    return np.array(result)


def _nearest_content(kinds: np.ndarray) -> tuple[list[int], list[int]]:
    """The nearest content word on either side of every word; -1 where there is none."""
    content = np.flatnonzero(kinds == 0)
    words = range(len(kinds))
    before = [max((int(k) for k in content if k < word), default=-1) for word in words]
    after = [min((int(k) for k in content if k > word), default=-1) for word in words]
    return before, after
