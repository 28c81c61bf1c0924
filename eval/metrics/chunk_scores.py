"""Chunk alignment F1 as in the SemEval interpretable STS task (iSTS, 2015 and 2016).

The task's scorer does not compare chunks. It links every token of a chunk to every token of its partner, and
removes the single punctuation marks ``. , : ' ` ? ; " -``. Each link is weighted so that long chunks do not
count more: with fanout(t) the number of links of a token, a link weighs 1 / max(fanout(s), fanout(t))
(Melamed 1998, eq. 4). Precision is the weight of the shared links divided by that of all predicted links,
both with the fanouts of the prediction. Recall is defined in the same way with the fanouts of the gold. Sums
run over all sentence pairs before dividing.

This is the score "F1 Ali": the types and the similarity scores of alignments are ignored. Chunks without
counterpart (NOALI) and those aligned only in context (ALIC) have no links. As in the scorer, and unlike the
other metrics here, a side without any link scores 0, not 1.

Since 2016 it prints four F1s. In those other than "Ali", a link that gold and prediction share counts by how
well the two agree about its chunks:

- *Type*: the share of common types among all types of the two. Types are joined by ``_`` (``SPE1_FACT``).
- *Score*: 1 − |difference of the scores| / 5.
- *Typ+Sco*: the product of the two. Types do not matter between EQUI and a SIMI, SPE1 or SPE2 with a score
  of 4 or more, and between different ones of SIMI, SPE1, SPE2 and REL if both scores are at most 2.

If a link belongs to several pairs of chunks, the last one counts, as in the task's script.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from forest_align.data.formats.format import ChunkLink
from forest_align.eval.metrics.scores import PooledScores, Statistic, harmonic_mean, safe_divide
from forest_align.types import InputError

#: Token indices of a source chunk and of the target chunk aligned to it.
ChunkPair = tuple[Sequence[int], Sequence[int]]

_PUNCTUATION = frozenset(".,:'`?;\"-")


def count_chunks(
    source: Sequence[str], target: Sequence[str], gold: Iterable[ChunkPair], predicted: Iterable[ChunkPair]
) -> tuple[float, float, float, float]:
    """Weigh the links of one sentence pair, for :func:`score_chunks`.

    Returns the weight of shared links by the prediction's fanouts, of all predicted links, of shared links by
    the gold's fanouts, and of all gold links. Chunks are token indices from 0; one may occur in several
    pairs. Raises InputError if an index points beyond a sentence.
    """
    wanted, found = _links_of_chunks(source, target, gold), _links_of_chunks(source, target, predicted)
    by_found, by_wanted = _link_weights(found), _link_weights(wanted)
    shared = wanted & found
    return (
        sum(by_found[link] for link in shared),
        sum(by_found.values()),
        sum(by_wanted[link] for link in shared),
        sum(by_wanted.values()),
    )


def score_chunks(rows: Sequence[tuple[float, float, float, float]]) -> PooledScores:
    """Gather the rows of :func:`count_chunks` of all sentence pairs."""
    return PooledScores(np.asarray(rows, float).reshape(-1, 4), _chunk_ratios)


def _chunk_ratios(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return safe_divide(sums[..., 0], sums[..., 1], 0.0), safe_divide(sums[..., 2], sums[..., 3], 0.0)


def _links_of_chunks(
    source: Sequence[str], target: Sequence[str], chunk_pairs: Iterable[ChunkPair]
) -> set[tuple[int, int]]:
    """The links of all tokens of aligned chunks, punctuation left out; see :func:`count_chunks`."""
    links = {(s, t) for ours, theirs in chunk_pairs for s in ours for t in theirs}
    for s, t in links:
        if not (0 <= s < len(source) and 0 <= t < len(target)):
            sizes = f"{len(source)} and {len(target)} tokens"
            raise InputError(f"chunk link {s}-{t} is out of range: the sentences have {sizes}")
    return {(s, t) for s, t in links if source[s] not in _PUNCTUATION and target[t] not in _PUNCTUATION}


def _link_weights(links: set[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """The weight of each link by the fanouts of its tokens."""
    of_source, of_target = Counter(s for s, _ in links), Counter(t for _, t in links)
    return {(s, t): 1 / max(of_source[s], of_target[t]) for s, t in links}


#: The four F1s, in the order of the task's script: Ali, Type, Score, Typ+Sco.
CHUNK_F1S = ("f1.alignment", "f1.type", "f1.score", "f1.type_and_score")
_SIMILAR = frozenset({"spe1", "spe2", "simi"})
_RELATED = _SIMILAR | {"rel"}
_HIGHEST = 5.0
_NEARLY_EQUIVALENT, _BARELY_RELATED = 4.0, 3.0


@dataclass(frozen=True, slots=True)
class _Label:
    types: frozenset[str]
    score: float

    @classmethod
    def of(cls, chunk: ChunkLink) -> _Label:
        return cls(
            frozenset(chunk.type.lower().split("_")), float(chunk.score) if _is_number(chunk.score) else 0
        )


def _is_number(score: str) -> bool:
    return score.replace(".", "", 1).isdecimal()


def count_chunk_relations(
    source: Sequence[str], target: Sequence[str], gold: Iterable[ChunkLink], predicted: Iterable[ChunkLink]
) -> np.ndarray:
    """Weigh the links of one sentence pair; a chunk without partner has no links.

    Returns float64 (2, 5): weights by the fanouts of the prediction and of the gold, for the shared links of
    each of :data:`CHUNK_F1S`, then for all links. Raises InputError if an index points beyond a sentence.
    """
    wanted, found = (_labels(source, target, chunks) for chunks in (gold, predicted))
    rows = []
    for own in (found, wanted):
        weights = _link_weights(set(own))
        shared = [
            (weights[link], _agreement(wanted[link], found[link])) for link in wanted.keys() & found.keys()
        ]
        sums = sum((weight * agreement for weight, agreement in shared), np.zeros(len(CHUNK_F1S)))
        rows.append([*sums, sum(weights.values())])
    return np.array(rows)


def _labels(
    source: Sequence[str], target: Sequence[str], chunks: Iterable[ChunkLink]
) -> Mapping[tuple[int, int], _Label]:
    return {
        link: _Label.of(chunk)
        for chunk in chunks
        for link in _links_of_chunks(source, target, [(chunk.source, chunk.target)])
    }


def _agreement(one: _Label, other: _Label) -> np.ndarray:
    """How much a shared link counts for each of :data:`CHUNK_F1S`."""
    common, either = len(one.types & other.types), len(one.types | other.types)
    types = common / either
    score = 1 - abs(one.score - other.score) / _HIGHEST
    forgiven = (1 + common) / (either - 1) if _is_forgiven(one, other) else types
    return np.array([1.0, types, score, score * forgiven])


def _is_forgiven(one: _Label, other: _Label) -> bool:
    """Whether another type is no mistake; the two have at least two types then."""
    for first, second in ((one, other), (other, one)):
        if "equi" in first.types and second.types & _SIMILAR and second.score >= _NEARLY_EQUIVALENT:
            return len(one.types | other.types) > 1
    are_related = bool(one.types & _RELATED and other.types & _RELATED)
    is_low = max(one.score, other.score) < _BARELY_RELATED
    return are_related and is_low and not one.types & other.types & _RELATED


def chunk_relation_statistics(rows: Sequence[np.ndarray]) -> dict[str, Statistic]:
    """The F1s by name, from the results of :func:`count_chunk_relations` of all sentence pairs."""
    table = np.asarray(rows, float).reshape(-1, 10)
    return {name: Statistic(table, partial(_f1, column=column)) for column, name in enumerate(CHUNK_F1S)}


def _f1(sums: np.ndarray, *, column: int) -> np.ndarray:
    precision = safe_divide(sums[..., column], sums[..., 4], 0.0)
    recall = safe_divide(sums[..., 5 + column], sums[..., 9], 0.0)
    return harmonic_mean(precision, recall)
