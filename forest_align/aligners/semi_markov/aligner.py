"""The phrase-based aligner of Yao et al. (2013): a semi-Markov CRF over the phrase pairs of two sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.model_folder import bundled_folder, model_folder
from forest_align.aligners.pair import Text, words_are_after
from forest_align.aligners.parsing_aligner import ParsingAligner, check_tokens
from forest_align.aligners.semi_markov._sentence_arrays import tag_chunks
from forest_align.aligners.semi_markov.lattice import Lattice, lattice_of
from forest_align.aligners.semi_markov.model import KIND, SemiMarkovModel
from forest_align.aligners.span_nodes import phrase_pairs_of
from forest_align.alignment import Alignment, Links
from forest_align.cext import semicrf
from forest_align.types import InputError, Sentence
from forest_align.types.spans import gaps

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing import Parser


@dataclass(frozen=True, slots=True, eq=False)
class _BestReading:
    """What the CRF finds when it reads one sentence of n words against another one of m."""

    spans: np.ndarray  # int32, shape (k, 4): the phrase pairs of the best path
    probabilities: np.ndarray  # float64, shape (k,): their marginals
    possible: np.ndarray  # int32, shape (p, 4): all possible phrase pairs
    marginals: np.ndarray  # float64, shape (p,): their marginals
    links: np.ndarray  # float64, shape (n, m): marginals of the word links
    log_probability: float
    score: float

    @classmethod
    def of(cls, lattice: Lattice, model: SemiMarkovModel) -> _BestReading:
        spans, scores = lattice.spans, model.scores(lattice)
        best, path = semicrf.best_path(spans, *scores)
        total, pairs, *_ = semicrf.marginals(spans, *scores)
        links = semicrf.link_marginals(spans, pairs, lattice.rows, lattice.columns)
        used = path[path >= 0]
        return cls(spans[used], pairs[used], spans, pairs, links, min(best - total, 0.0), best)

    def swap(self) -> _BestReading:
        """The same seen from the other sentence."""
        columns = [2, 3, 0, 1]
        return replace(
            self, spans=self.spans[:, columns], possible=self.possible[:, columns], links=self.links.T
        )

    def union(self, other: _BestReading) -> _BestReading:
        """The phrase pairs of either path, with means of the probabilities; the score is that of this one.

        The log-probability is that of both paths together.
        """
        both = np.concatenate((self.possible, other.possible))
        possible, places = np.unique(both, axis=0, return_inverse=True)
        marginals = np.bincount(places.ravel(), np.concatenate((self.marginals, other.marginals))) / 2
        spans = np.unique(np.concatenate((self.spans, other.spans)), axis=0)
        place_of = {tuple(span): place for place, span in enumerate(possible.tolist())}
        probabilities = marginals[[place_of[tuple(span)] for span in spans.tolist()]]
        links = (self.links + other.links) / 2
        together = self.log_probability + other.log_probability
        return _BestReading(spans, probabilities, possible, marginals, links, together, self.score)

    def in_order(self) -> tuple[np.ndarray, np.ndarray]:
        """The phrase pairs in the order of :meth:`forest_align.Alignment.swap`, and their probabilities."""
        start, end, first, last = self.spans.T
        order = np.lexsort((last - first, last, end - start, end))
        return self.spans[order], np.minimum(self.probabilities[order], 1.0)


class SemiMarkovAligner(ParsingAligner):
    """Aligns words and phrases of a few words by a path through a semi-Markov CRF.

    The path reads the words of the shorter sentence. A model of both directions has a second path, which
    reads the other, and aligns what either path aligns. So the result for swapped sentences is the transpose.
    (If a sentence is paired with itself, neither is shorter, so links of repeated words may be asymmetric.)

    Parameters
    ----------
    model : SemiMarkovModel, optional
        By default the bundled one, loaded when needed.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, of words and of phrases, or their file: additional synonyms.
    parser : Parser or str or Path, optional
        For sentences that lack part-of-speech tags: a parser, or the name or folder of one, which is loaded
        when needed. By default the bundled English parser.
    lexicon : Lexicon, optional
        By default the bundled one.

    Raises
    ------
    InputError
        If ``ppdb`` is neither a table nor the path of a readable one.
    """

    name = KIND

    def __init__(
        self,
        model: SemiMarkovModel | None = None,
        *,
        ppdb: PairTable | str | Path | None = None,
        parser: Parser | str | Path | None = None,
        lexicon: Lexicon | None = None,
    ) -> None:
        super().__init__(parser, lexicon, ppdb)
        self._model = model

    @cached_property
    def model(self) -> SemiMarkovModel:
        """The weights."""
        return self._model or _bundled_model()

    @property
    def settings(self) -> dict[str, Any]:
        """The steps of a path, the resources of further features, and whether there are two paths."""
        options = self.model.options
        return {
            "longest": list(options.longest),
            "longest_null": options.longest_null,
            "resources": list(options.resources),
            "both_directions": self.model.both_directions,
        }

    @classmethod
    def load(cls, name_or_path: str | Path = KIND, **options: Any) -> SemiMarkovAligner:
        """Load a bundled model by its name (``"semi-markov-tokens"``), or what :meth:`save` wrote.

        Options are passed to the constructor.

        Raises
        ------
        ModelError
            If the model does not exist.
        """
        with model_folder(name_or_path) as folder:
            return cls(SemiMarkovModel.load(folder), **options)

    def save(self, path: str | Path) -> None:
        """Write the model into a folder."""
        self.model.save(path)

    def prepare(self, sentences: Sequence[Text], batch_size: int = 32) -> list[Sentence | InputError]:
        """Parse sentences without part-of-speech tags; keep the rest unchanged."""
        return self._parse_unready(sentences, _is_tagged, batch_size)

    def _reads_trees(self) -> bool:
        return False

    def reads_vectors(self) -> bool:
        """See :class:`ParsingAligner`."""
        return False

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two sentences with part-of-speech tags.

        The alignment is the best path (Viterbi). The probability of a phrase pair is its marginal. That of a
        word link is the sum over all phrase pairs with these two words. ``log_probability`` is that of the
        whole path, ``score`` its Viterbi score: the weighted features of all its steps.

        With a model of both directions the alignment is the union of two paths. Probabilities are means,
        ``log_probability`` is that of both paths, and ``score`` that of the path through the shorter
        sentence.

        Raises
        ------
        InputError
            If a sentence has no tokens, or a token has no tag.
        """
        check_tokens(source, target)
        for side, sentence in (("source", source), ("target", target)):
            if not _is_tagged(sentence):
                raise InputError("expected a sentence with part-of-speech tags", field=side)
        is_swapped = words_are_after(source, target)
        first, second = (target, source) if is_swapped else (source, target)
        reading = self._read(first, second)
        if self.model.both_directions:
            reading = reading.union(self._read(second, first).swap())
        if is_swapped:
            reading = reading.swap()
        spans, probability = reading.in_order()
        words = _links(spans, reading.links)
        return Alignment(
            source,
            target,
            words,
            phrase_pairs_of(spans, probability, source, target, (_labels(source), _labels(target))),
            gaps({i for i, _ in words}, len(source)),
            gaps({j for _, j in words}, len(target)),
            log_probability=reading.log_probability,
            aligner=self.name,
            score=reading.score,
        )

    def lattice(self, source: Sentence, target: Sentence) -> Lattice:
        """All possible phrase pairs of two prepared sentences, with features; the path reads the first."""
        return lattice_of(source, target, self.lexicon, self.ppdb, self.model.options)

    def _read(self, source: Sentence, target: Sentence) -> _BestReading:
        return _BestReading.of(self.lattice(source, target), self.model)


def _bundled_model(name: str = KIND) -> SemiMarkovModel:
    """A model that comes with the package."""
    with bundled_folder(name) as folder:
        return SemiMarkovModel.load(folder)


def _is_tagged(sentence: Sentence) -> bool:
    return bool(sentence.tokens) and all(sentence.tags)


def _links(spans: np.ndarray, probabilities: np.ndarray) -> Links:
    """Link all words of each phrase to all words of its partner; the phrases of one side may overlap."""
    linked = np.zeros(probabilities.shape, dtype=bool)
    for start, end, first, last in spans.tolist():
        linked[start:end, first:last] = True
    pairs = tuple((i, j) for i, j in np.argwhere(linked).tolist())
    return Links(pairs, None, tuple(np.minimum(probabilities[linked], 1.0).tolist()))


def _labels(sentence: Sentence) -> dict[tuple[int, int], str]:
    """Types of chunks by their spans, and tags of words."""
    chunks = {(start, end): name for start, end, name in tag_chunks(sentence.tags)}
    return chunks | {(i, i + 1): tag for i, tag in enumerate(sentence.tags)}
