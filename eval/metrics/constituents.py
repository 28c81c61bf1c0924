"""Judge aligned constituents by gold word links or gold chunks, where people aligned no phrases.

The links are projected onto the trees (:class:`~forest_align.alignment.Projection`). Recall requires only the
sure pairs, precision accepts every possible pair.

Recall needs the constituents that could have been aligned: pass those of a gold tree, or of one tree for all
compared systems. Precision depends only on links, so a predicted pair may have spans outside that inventory.

Alignments of chunks (iSTS) do not link the words inside two aligned chunks, so all words of a chunk count as
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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.alignment import Alignment, Links, Projection, Span, SpanPair, are_consistent, project
from forest_align.eval.metrics.chunk_scores import ChunkPair
from forest_align.eval.metrics.scores import MatchCounts
from forest_align.lexicon.tables import is_punctuation
from forest_align.types import ParseForest


def constituent_pairs(alignment: Alignment) -> set[SpanPair]:
    """Spans of the aligned phrases whose two sides are constituents, not parts that binarization made."""
    return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases if pair.constituents}


def constituent_spans(forest: ParseForest) -> list[Span]:
    """Distinct spans of the constituents of the parser's best tree, including words.

    Nodes that binarization made do not count.
    """
    constituents = (node for node in forest.best_nodes() if forest.is_constituent[node])
    return sorted({(int(forest.start[node]), int(forest.end[node])) for node in constituents})


def count_constituents(
    predicted: Iterable[SpanPair], source_spans: Iterable[Span], target_spans: Iterable[Span], links: Links
) -> tuple[int, int, int, int]:
    """Count for one sentence pair a row of :class:`~forest_align.eval.metrics.scores.MatchCounts`.

    Predicted pairs of spans count once; the other arguments are those of
    :func:`~forest_align.alignment.project`.
    """
    return count_projected(predicted, project(source_spans, target_spans, links), links)


def count_projected(
    predicted: Iterable[SpanPair], projection: Projection, links: Links
) -> tuple[int, int, int, int]:
    """Like :func:`count_constituents`, for an existing projection."""
    pairs = sorted(set(predicted))
    sure = projection.sure_pairs()
    found = sum(pair in sure for pair in pairs)
    if not pairs:
        return 0, 0, 0, len(sure)
    spans = np.asarray(pairs, np.int64).reshape(-1, 2, 2)
    right = are_consistent(spans[:, 0], spans[:, 1], links)
    return int(right.sum()), len(pairs), found, len(sure)


def score_constituents(rows: Sequence[tuple[int, int, int, int]]) -> MatchCounts:
    """Gather the rows of :func:`count_constituents` of all pairs; ``.micro()`` is the figure to report."""
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
        content = _with_content(source), _with_content(target)
        return cls(frozenset(wanted), linked, (sides[0], sides[1]), content)

    def count(self, predicted: Iterable[SpanPair]) -> tuple[int, int, int, int, int, int]:
        """Count for one sentence pair with predicted pairs of half-open spans; duplicates count once.

        Returns right predictions, predictions that precision judges, wanted pairs found, wanted pairs (a row
        of :class:`~forest_align.eval.metrics.scores.MatchCounts`), compatible predictions, all predictions.
        """
        pairs = {pair for pair in predicted if self._has_content(pair)}
        found = len({pair for pair in pairs if pair in self.wanted})
        right = judged = compatible = 0
        for pair in pairs:
            words = [_mask(span, len(content)) for span, content in zip(pair, self.content, strict=True)]
            widened = [self._widened(side, mask) for side, mask in enumerate(words)]
            agrees = self._is_consistent(*widened)
            compatible += agrees
            if all(np.array_equal(one, two) for one, two in zip(words, widened, strict=True)):
                judged += 1
                right += agrees
        return right, judged, found, len(self.wanted), compatible, len(pairs)

    def _has_content(self, pair: SpanPair) -> bool:
        return all(
            bool(content[slice(*span)].any()) for span, content in zip(pair, self.content, strict=True)
        )

    def _widened(self, side: int, words: np.ndarray) -> np.ndarray:
        """The words, extended to the whole of each aligned chunk that they touch."""
        touched = self.chunks[side][(self.chunks[side] & words).any(axis=1)]
        result: np.ndarray = words | touched.any(axis=0)
        return result

    def _is_consistent(self, source: np.ndarray, target: np.ndarray) -> bool:
        crossing = self.linked & (source[:, None] ^ target[None, :])
        return bool(self.linked[np.ix_(source, target)].any() and not crossing.any())


def _with_content(words: Sequence[str]) -> np.ndarray:
    return np.array([not is_punctuation(word) for word in words], bool)


def _mask(span: tuple[int, int], length: int) -> np.ndarray:
    words = np.zeros(length, bool)
    words[slice(*span)] = True
    return words
