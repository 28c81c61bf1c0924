"""The phrase pairs and arc pairs of two sentences that the joint aligner considers; features of arc edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from forest_align.lexicon.lexicon import RELATED_LEMMAS, SAME_LEMMA, Evidence
from forest_align.parsing.dependencies.typed import forest_dependencies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.lexicon.groups import Group
    from forest_align.parsing.dependencies.typed import Dependency
    from forest_align.types import Sentence


#: Kinds of evidence that alone suffice to consider two words.
_TELLING = SAME_LEMMA | RELATED_LEMMAS | int(Evidence.SUBSTRING | Evidence.ACRONYM)
# Two words are considered if the cosine of their vectors is at least this, …
_LEAST_COSINE = 0.2
# … and each word is considered with this number of nearest words of the other sentence.
_NEAREST = 2
# Each word of a longer phrase pair must have at least this cosine with a word of the other phrase.
_LEAST_PHRASE_COSINE = 0.15
#: Maximum number of words of the other sentence that a word is considered with. Only many repetitions of a
#: word exceed it; the program would then grow with the product of the lengths.
MOST_PARTNERS = 64


def arcs_of(sentence: Sentence) -> tuple[Dependency, ...]:
    """The arcs of a sentence with a forest: the basic dependencies of its best tree."""
    assert sentence.forest is not None
    return forest_dependencies(sentence.forest, sentence.words)[0]


def phrase_pairs(
    evidence: np.ndarray, cosine: np.ndarray, groups: Sequence[Group], longest: int
) -> np.ndarray:
    """Phrase pairs that are worth considering.

    A pair of words is considered if the lexicon relates them, if their vectors are near to each other, or if
    one is among the nearest to the other. A pair of longer phrases is considered if the lexicon knows it, or
    if each word has a counterpart in the other phrase. A counterpart is related by the lexicon or rather
    near. If a word has more than :data:`MOST_PARTNERS` counterparts, it keeps those that the lexicon relates
    to it first, then the nearest.

    Shapes: ``evidence`` int32 (n, m); ``cosine`` float32 (n, m); returns int32 (P, 4).
    """
    telling = (evidence & _TELLING) != 0
    closeness = cosine + telling
    near = telling | (cosine >= _LEAST_COSINE) | _nearest(cosine) | _nearest(cosine.T).T
    blocks = [_blocks(_closest(near, closeness), 1, 1)]
    if longest > 1:
        near = _closest(telling | (cosine >= _LEAST_PHRASE_COSINE), closeness)
        most = [min(longest, length) for length in cosine.shape]
        sizes = [(a, b) for a in range(1, most[0] + 1) for b in range(1, most[1] + 1) if a * b > 1]
        blocks += [_blocks(near, a, b) for a, b in sizes]
        known = np.array([(*group.source, *group.target) for group in groups], np.int32).reshape(-1, 4)
        sizes_fit = (known[:, 1] - known[:, 0] <= longest) & (known[:, 3] - known[:, 2] <= longest)
        blocks.append(known[sizes_fit])
    spans = np.concatenate(blocks)
    order = np.lexsort((spans[:, 2], spans[:, 0], spans[:, 3] - spans[:, 2], spans[:, 1] - spans[:, 0]))
    spans = spans[order]
    # The lexicon may know a pair that is considered anyway.
    new = np.ones(len(spans), dtype=bool)
    new[1:] = (spans[1:] != spans[:-1]).any(axis=1)
    return np.ascontiguousarray(spans[new])


def _nearest(cosine: np.ndarray) -> np.ndarray:
    """The cells with the largest cosines of their rows."""
    columns = cosine.shape[1]
    if columns <= _NEAREST:
        return np.ones(cosine.shape, dtype=bool)
    least = np.partition(cosine, columns - _NEAREST, axis=1)[:, columns - _NEAREST]
    return cosine >= least[:, None]


def _closest(near: np.ndarray, closeness: np.ndarray) -> np.ndarray:
    """The cells of ``near`` that are among the closest of their row and of their column."""
    if max(near.sum(axis=0).max(), near.sum(axis=1).max()) <= MOST_PARTNERS:
        return near
    order = np.where(near, -closeness, np.inf)
    for axis in (0, 1):
        ranks = order.argsort(axis=axis, kind="stable").argsort(axis=axis)
        near = near & (ranks < MOST_PARTNERS)
    return near


def _blocks(near: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Spans of all blocks of a size in which each row and each column has a cell."""
    windows = sliding_window_view(near, (rows, columns))
    in_rows, in_columns = np.asarray(windows.any(axis=3)), np.asarray(windows.any(axis=2))
    full = in_rows.all(axis=2) & in_columns.all(axis=2)
    starts, other_starts = np.nonzero(full)
    return np.stack([starts, starts + rows, other_starts, other_starts + columns], axis=1).astype(np.int32)


def possible_links(spans: np.ndarray, lengths: tuple[int, int]) -> np.ndarray:
    """Which pairs of n and m words lie in at least one of these phrase pairs, bool (n, m)."""
    corners = np.zeros((lengths[0] + 1, lengths[1] + 1), dtype=np.int32)
    s, e, t, f = spans.T
    for rows, columns, sign in ((s, t, 1), (e, t, -1), (s, f, -1), (e, f, 1)):
        np.add.at(corners, (rows, columns), sign)
    return np.asarray(corners.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0)


@dataclass(frozen=True, slots=True, eq=False)
class ArcPairs:
    """Pairs of arcs, one of each sentence, whose ends could be aligned."""

    arcs: np.ndarray  # int32, shape (A, 2): index of each of the two arcs in its sentence
    governors: np.ndarray  # int32, shape (A, 2): their words; (-1, -1) if both arcs lead to a root
    dependents: np.ndarray  # int32, shape (A, 2): their words

    def __len__(self) -> int:
        return len(self.arcs)


def arc_pairs(source: Sequence[Dependency], target: Sequence[Dependency], possible: np.ndarray) -> ArcPairs:
    """Pairs of arcs whose governors lie in some phrase pair, and whose dependents do too.

    An arc to a root is paired with an arc to a root: the artificial roots count as aligned.

    Shapes: ``possible`` bool (n, m).
    """
    ends, others = (
        np.array([(arc.governor, arc.dependent) for arc in arcs], np.int32).reshape(-1, 2)
        for arcs in (source, target)
    )
    # A row and a column for the roots, at index -1.
    padded = np.zeros((possible.shape[0] + 1, possible.shape[1] + 1), dtype=bool)
    padded[:-1, :-1] = possible
    padded[-1, -1] = True
    fits = padded[ends[:, None, 0], others[None, :, 0]] & padded[ends[:, None, 1], others[None, :, 1]]
    first, second = np.nonzero(fits)
    return ArcPairs(
        np.stack([first, second], axis=1).astype(np.int32),
        np.stack([ends[first, 0], others[second, 0]], axis=1),
        np.stack([ends[first, 1], others[second, 1]], axis=1),
    )


# Types of dependencies (de Marneffe & Manning 2008) and their classes; some types share a class.
_CLASS_OF = {
    **dict.fromkeys(("nsubj", "nsubjpass", "csubj", "csubjpass", "xsubj", "agent"), "subj"),
    **dict.fromkeys(("dobj", "iobj"), "obj"),
    **dict.fromkeys(("number", "quantmod"), "num"),
    "auxpass": "aux",
    "prepc": "prep",
    "attr": "cop",
    "npadvmod": "tmod",
    "infmod": "partmod",
    "complm": "mark",
    "predet": "det",
}
#: Classes of dependencies; the last is for all types not listed.
ARC_CLASSES = (
    *("root", "subj", "obj", "ccomp", "xcomp", "acomp", "cop", "aux", "prep", "pobj", "pcomp", "det", "amod"),
    *("nn", "num", "poss", "possessive", "advmod", "neg", "advcl", "rcmod", "partmod", "appos", "conj", "cc"),
    *("mark", "tmod", "prt", "dep", "other"),
)
#: Features of an arc edit: its type and the classes of its dependencies, as in Thadani et al. (2012, §5.2).
ARC_FEATURES = (
    *(f"align two {name}" for name in ARC_CLASSES),
    *(f"align {name} with another" for name in ARC_CLASSES),
    *(f"delete {name}" for name in ARC_CLASSES),
)
_PLACE = {name: place for place, name in enumerate(ARC_CLASSES)}


def _arc_class(relation: str) -> int:
    name = relation.split("_")[0]
    return _PLACE.get(_CLASS_OF.get(name, name), len(ARC_CLASSES) - 1)


def deleted_arc_features(*sides: Sequence[Dependency]) -> np.ndarray:
    """Sum of the features of the deletions of all arcs of the sentences, float64 (len(ARC_FEATURES),)."""
    features = np.zeros(len(ARC_FEATURES))
    for arcs in sides:
        for arc in arcs:
            features[2 * len(ARC_CLASSES) + _arc_class(arc.relation)] += 1
    return features


def arc_features(pairs: ArcPairs, source: Sequence[Dependency], target: Sequence[Dependency]) -> np.ndarray:
    """Features of A pairs of arcs: float32 (A, len(ARC_FEATURES))."""
    count = len(ARC_CLASSES)
    features = np.zeros((len(pairs), len(ARC_FEATURES)), np.float32)
    if not len(pairs):
        return features
    first, second = (
        np.array([_arc_class(arc.relation) for arc in arcs], np.intp)[pairs.arcs[:, side]]
        for side, arcs in enumerate((source, target))
    )
    rows, same = np.arange(len(pairs)), first == second
    features[rows[same], first[same]] = 1
    for classes in (first, second):
        features[rows[~same], count + classes[~same]] = 1
        np.subtract.at(features, (rows, 2 * count + classes), 1)
    return features
