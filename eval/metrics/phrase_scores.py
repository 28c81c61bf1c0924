"""Phrase alignments, judged by annotators, or by word links or chunks where people aligned no phrases.

*Annotators* (Arase and Tsujii 2017, §6.3, for SPADE). Let H be the alignments of a system and G and G′ those
of two annotators. Recall = |H ∩ (G ∩ G′)| / |G ∩ G′|: alignments of both annotators must be found. Precision
= |H ∩ (G ∪ G′)| / |H|: alignments of either annotator are acceptable. Counts are pooled over sentence pairs,
and the two figures averaged over all pairs of annotators (three for three annotators). Annotators are
measured in the same way: each one against the pairs of the others.

*Word links* are projected onto the trees (:class:`~forest_align.alignment.Projection`). Recall requires only
the sure pairs, precision accepts every possible pair. Recall needs the constituents that could have been
aligned: pass those of a gold tree, or of one tree for all compared systems. Precision depends only on links,
so a predicted pair may have spans outside that inventory.

*Chunks* (iSTS). Annotators do not link the words inside two aligned chunks, so all words of a chunk count as
linked to all words of its partner. Two measures are then defined:

- *Recall and precision*, as for word links. Only phrases made of whole aligned chunks and of unaligned words
  can be possible pairs. Recall therefore requires the pairs of constituents that hold whole chunks (the
  smallest of each chain). Precision judges only the predicted pairs in which neither phrase cuts an aligned
  chunk.
- *Compatibility* of every predicted pair: both phrases are widened to all of each chunk that they touch. They
  must then be linked to each other and to nothing else. A pair inside two chunks is compatible if these two
  are aligned to each other.

The corpus never aligns punctuation: pairs with a phrase that has no letter or digit are not judged.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from forest_align.alignment import Alignment, Links, Projection, Span, SpanPair, are_consistent
from forest_align.eval.metrics.chunk_scores import ChunkPair
from forest_align.eval.metrics.scores import MatchCounts, PooledScores, Scores, safe_divide
from forest_align.lexicon.tables import is_punctuation
from forest_align.types import InputError, ParseForest


def phrase_ratios(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Precision and recall, averaged over C pairs of annotators, from column sums.

    The 4 · C columns are for each of them: acceptable predictions, predictions, agreed alignments that were
    found, agreed alignments.
    """
    counts = sums.reshape(*sums.shape[:-1], -1, 4)
    precision = safe_divide(counts[..., 0], counts[..., 1]).mean(axis=-1)
    recall = safe_divide(counts[..., 2], counts[..., 3]).mean(axis=-1)
    return precision, recall


def score_phrases(
    predicted: Sequence[AbstractSet[Hashable]], gold: Sequence[Sequence[AbstractSet[Hashable]]]
) -> PooledScores:
    """Score predicted phrase alignments.

    Parameters
    ----------
    predicted : sequence of set
        For each sentence pair the aligned phrases, as pairs of spans or of node names: anything hashable.
        Null alignments belong in it only if they are in the annotators' sets too.
    gold : sequence of sequence of set
        For each sentence pair the alignments of each annotator; all pairs have equally many annotators. If
        there is a single annotator, predictions are compared with that one.

    Raises
    ------
    InputError
        If the sequences differ in length or a pair has another number of annotators: names the pair.
    """
    if len(predicted) != len(gold):
        raise InputError(f"expected phrases of {len(gold)} pairs, found {len(predicted)}")
    rows = []
    for number, (found, annotators) in enumerate(zip(predicted, gold, strict=True), start=1):
        if not annotators or len(annotators) != len(gold[0]):
            raise InputError(f"pair {number}: expected {len(gold[0])} annotators, found {len(annotators)}")
        combinations = list(itertools.combinations(annotators, 2)) or [(annotators[0], annotators[0])]
        row: list[int] = []
        for one, other in combinations:
            agreed = one & other
            row += [len(found & (one | other)), len(found), len(found & agreed), len(agreed)]
        rows.append(row)
    return PooledScores(np.asarray(rows, float).reshape(len(rows), -1 if rows else 4), phrase_ratios)


def scores_of_people(gold: Sequence[Sequence[AbstractSet[Hashable]]]) -> list[Scores]:
    """Measure each annotator against the pairs of the others.

    Raises InputError if there are fewer than two annotators.
    """
    people = len(gold[0]) if gold else 0
    if people < 2:
        raise InputError(f"agreement needs two annotators or more, found {people}")
    results = []
    for person in range(people):
        others = [[own for k, own in enumerate(pair) if k != person] for pair in gold]
        results.append(score_phrases([pair[person] for pair in gold], others).scores)
    return results


def human_agreement(gold: Sequence[Sequence[AbstractSet[Hashable]]]) -> Scores:
    """The mean precision and recall of all annotators; see :func:`scores_of_people`."""
    results = scores_of_people(gold)
    precision = float(np.mean([result.precision for result in results]))
    return Scores.of(precision, float(np.mean([result.recall for result in results])))


def reachability(root_aligned: Iterable[bool]) -> float:
    """Share of sentence pairs with aligned root phrases; 1 over no pairs."""
    values = list(root_aligned)
    return sum(values) / len(values) if values else 1.0


def constituent_pairs(alignment: Alignment) -> set[SpanPair]:
    """Spans of the aligned phrases whose two sides are constituents, not parts that binarization made."""
    return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases if pair.constituents}


def constituent_spans(forest: ParseForest) -> list[Span]:
    """Distinct spans of the constituents of the parser's best tree, including words.

    Nodes that binarization made do not count.
    """
    constituents = (node for node in forest.best_nodes() if forest.is_constituent[node])
    return sorted({(int(forest.start[node]), int(forest.end[node])) for node in constituents})


def count_projected(
    predicted: Iterable[SpanPair], projection: Projection, links: Links
) -> tuple[int, int, int, int]:
    """Count for one sentence pair per row of :class:`~forest_align.eval.metrics.scores.MatchCounts`.

    Predicted pairs of spans count once; the projection is that of the links to the constituents.
    """
    pairs = sorted(set(predicted))
    sure = projection.sure_pairs()
    found = sum(pair in sure for pair in pairs)
    spans = np.asarray(pairs, np.int64).reshape(-1, 2, 2)
    right = are_consistent(spans[:, 0], spans[:, 1], links) if pairs else np.zeros(0)
    return int(right.sum()), len(pairs), found, len(sure)


def score_constituents(rows: Sequence[tuple[int, int, int, int]]) -> MatchCounts:
    """Gather the rows of :func:`count_projected` of all pairs; ``.micro()`` is the figure to report."""
    return MatchCounts.of(rows)


@dataclass(frozen=True, slots=True, eq=False)
class ChunkJudge:
    """The gold chunk alignment of one sentence pair, ready to judge predicted pairs of phrases."""

    wanted: frozenset[SpanPair]  # for recall: the sure pairs of a projection of the chunks' links
    linked: np.ndarray  # bool, (n, m): words of aligned chunks
    chunks: tuple[np.ndarray, np.ndarray]  # bool, (C, n) and (C, m): words of the C aligned pairs
    content: tuple[np.ndarray, np.ndarray]  # bool, (n,) and (m,): words with a letter or digit

    @classmethod
    def of(
        cls,
        source: Sequence[str],
        target: Sequence[str],
        chunks: Iterable[ChunkPair],
        wanted: Iterable[SpanPair],
    ) -> ChunkJudge:
        """Prepare a sentence pair; chunks are token indices, those with an empty side are skipped."""
        aligned = [(list(ours), list(theirs)) for ours, theirs in chunks if ours and theirs]
        sides = tuple(np.zeros((len(aligned), len(words)), bool) for words in (source, target))
        linked = np.zeros((len(source), len(target)), bool)
        for number, (ours, theirs) in enumerate(aligned):
            sides[0][number, ours] = True
            sides[1][number, theirs] = True
            linked[np.ix_(ours, theirs)] = True
        content = tuple(
            np.array([not is_punctuation(word) for word in side], bool) for side in (source, target)
        )
        return cls(frozenset(wanted), linked, (sides[0], sides[1]), (content[0], content[1]))

    def count(self, predicted: Iterable[SpanPair]) -> tuple[int, int, int, int, int, int]:
        """Count for one sentence pair with predicted pairs of half-open spans; duplicates count once.

        Returns right predictions, predictions that precision judges, wanted pairs found, wanted pairs (a row
        of :class:`~forest_align.eval.metrics.scores.MatchCounts`), compatible predictions, all predictions.
        """
        pairs = {pair for pair in predicted if all(map(self._has_content, (0, 1), pair))}
        right = judged = compatible = 0
        for pair in pairs:
            words = [np.zeros(len(content), bool) for content in self.content]
            for mask, span in zip(words, pair, strict=True):
                mask[slice(*span)] = True
            source, target = map(self._widened, (0, 1), words)
            crossing = self.linked & (source[:, None] ^ target[None, :])
            agrees = bool(self.linked[np.ix_(source, target)].any() and not crossing.any())
            compatible += agrees
            if np.array_equal(words[0], source) and np.array_equal(words[1], target):
                judged += 1
                right += agrees
        return right, judged, len(pairs & self.wanted), len(self.wanted), compatible, len(pairs)

    def _has_content(self, side: int, span: Span) -> bool:
        return bool(self.content[side][slice(*span)].any())

    def _widened(self, side: int, words: np.ndarray) -> np.ndarray:
        """The words, extended to the whole of each aligned chunk that they touch."""
        touched = self.chunks[side][(self.chunks[side] & words).any(axis=1)]
        result: np.ndarray = words | touched.any(axis=0)
        return result
