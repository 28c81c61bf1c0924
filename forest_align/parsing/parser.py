"""From texts to packed parse forests: finds words and sentences, scores spans in batches, decodes, packs."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.parsing._sentence_batches import (
    PreparedSentence,
    Result,
    Scores,
    Scoring,
    VectorMaker,
    plain_words,
    results_of,
)
from forest_align.parsing.forests.decoding import NBest, SpanScores, best_trees, joined_forest, joined_n_best
from forest_align.system.origin import Loaded
from forest_align.system.processes import check_counts, map_in_workers, use_one_thread
from forest_align.types import InputError, Sentence, Token
from forest_align.types.json_fields import is_number, is_whole_number

if TYPE_CHECKING:
    from forest_align.parsing.forests.decoding import SpanScorer
    from forest_align.parsing.networks.word_tagger import WordTagger

Lemmatizer = Callable[[str, str], str]

_MAX_FOREST_SIZE = 1_000_000
# Batches read ahead: enough to find sentences of similar length, few enough to keep memory flat.
_BATCHES_AHEAD = 16


def sentences_ahead(batch_size: int) -> int:
    """How many sentences a parser reads from a stream at once: one if each batch is one sentence."""
    return batch_size * _BATCHES_AHEAD if batch_size > 1 else 1


class Parser(Loaded):
    """Parses sentences, and texts of several sentences, into packed forests.

    Build it with :func:`load_parser`; then it can be pickled (:mod:`forest_align.system.origin`). A text of
    several sentences gets one forest: each sentence is parsed on its own, and a root labelled ``TEXT`` joins
    them. Word vectors are those of the whole text.
    :func:`~forest_align.parsing.sentence_split.sentence_starts` finds the sentences.

    Parameters
    ----------
    scorer : SpanScorer or None
        The model; None if there is a tagger.
    vectors : callable, optional
        Computes word vectors; without it, sentences have none.
    forest_size : int
        How many of the best trees of a sentence a forest packs at most, up to a million. With 0, sentences
        get everything except a forest.
    least_ratio : float
        Drop trees below this fraction of the best tree's probability; 0 keeps all.
    lemmatizer : callable, optional
        Called with a word and its tag; returns the lemma.
    posteriors : bool
        Whether the nodes of forests get their exact probabilities (:attr:`ParseForest.log_posterior`). This
        takes 4% of the time.
    tagger : WordTagger, optional
        Tags words from their vectors, instead of the model, when no forests are built.
    device : str
        Where the model computes; see :func:`load_parser`.
    """

    def __init__(
        self,
        scorer: SpanScorer | None,
        *,
        vectors: VectorMaker | None = None,
        forest_size: int = 10,
        least_ratio: float = 0.0,
        lemmatizer: Lemmatizer | None = None,
        posteriors: bool = True,
        tagger: WordTagger | None = None,
        device: str = "cpu",
    ) -> None:
        if not is_whole_number(forest_size) or not 0 <= forest_size <= _MAX_FOREST_SIZE:
            expected = f"expected a forest of at most {_MAX_FOREST_SIZE:,} trees, or 0 for none"
            raise InputError(f"{expected}, found {forest_size!r}", field="forest_size")
        if not is_number(least_ratio) or not 0 <= least_ratio <= 1:
            raise InputError(f"expected a ratio from 0 to 1, found {least_ratio!r}", field="least_ratio")
        if tagger is None and scorer is None:
            raise InputError("expected a model or a tagger, found neither", field="scorer")
        if tagger is not None and (forest_size or vectors is None):
            raise InputError("a tagger needs word vectors, and makes no forests", field="tagger")
        self._scorer, self._tagger = scorer, tagger
        self._vectors = vectors
        self._lemmatizer = lemmatizer
        self._posteriors = posteriors
        self.forest_size = forest_size
        self.least_ratio = least_ratio
        self.device = device
        self._process = os.getpid()

    def parse(self, sentence: str | Sequence[str]) -> Sentence:
        """Parse one sentence, or a text of several: raw text, or a sequence of words.

        Raises
        ------
        InputError
            If there are no words, too many for the parser, or the argument is neither text nor words.
        """
        return _only(self.parse_many([sentence]))

    def n_best(self, sentence: str | Sequence[str]) -> NBest:
        """The ``forest_size`` best trees of a text, with their log-probabilities; see :meth:`parse`."""
        return _only(self.n_best_many([sentence]))

    def parse_many(
        self,
        sentences: Iterable[str | Sequence[str] | InputError],
        batch_size: int = 32,
        workers: int = 1,
    ) -> Iterator[Sentence | InputError]:
        """Parse a stream of sentences; results come in input order.

        Parameters
        ----------
        sentences : iterable of str or sequence of str
            Raw text, or words. Only 16 batches per worker are read ahead, so a stream may be endless. An
            InputError in the place of a sentence is returned unchanged. Duplicates among the sentences read
            ahead are parsed once, and their results are the same object.
        batch_size : int
            Sentences in a forward pass; sentences of similar length share a batch. With 1, each result is
            yielded before the next sentence is read.
        workers : int
            Number of processes, forked from this one. Each parses 16 batches at a time with one thread.
            They are threads where the system cannot fork safely. With 1, this process does all the work, and
            the model may use all processors, though it gains less from them. Results are the same.

        Raises
        ------
        InputError
            If ``batch_size`` or ``workers`` is less than 1, or ``sentences`` is one text.
        ForestAlignError
            If a process died, for example because the system ran out of memory.

        Yields
        ------
        Sentence or InputError
            The sentence with tags, forest and word vectors; or why it could not be parsed.
        """

        def parsed(
            prepared: PreparedSentence, scores: Sequence[SpanScores], vectors: np.ndarray | None
        ) -> Sentence:
            parts = self._decode(prepared, scores)
            tokens = tuple(chain.from_iterable(part.tokens for part in parts))
            forest = joined_forest([part.forest() for part in parts])
            return Sentence(tokens, forest, vectors, text=prepared.text, starts=prepared.starts)

        def tagged(
            prepared: PreparedSentence, tags: Iterable[Sequence[str]], vectors: np.ndarray | None
        ) -> Sentence:
            tokens = self._tokens(prepared.tokens, tuple(chain.from_iterable(tags)))
            return Sentence(tokens, vectors=vectors, text=prepared.text, starts=prepared.starts)

        def tagged_by_vectors(prepared: PreparedSentence, _: Any, vectors: np.ndarray | None) -> Sentence:
            assert self._tagger is not None and vectors is not None
            return tagged(prepared, [self._tagger(prepared.words, vectors)], vectors)

        stream = partial(self._stream, sentences, batch_size, workers, vectors=self._vectors)
        if self._tagger is not None:
            return stream(score=self._tagger.check, finish=tagged_by_vectors)
        if self.forest_size == 0:
            return stream(score=self._model.tag, finish=tagged)
        return stream(score=self._model.score, finish=parsed)

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Give sentences word vectors, which need no parse; without vectors return them unchanged."""
        if self._vectors is None:
            return list(sentences)
        self._use_one_thread_in_fork()
        made = self._vectors([plain_words(sentence.words) for sentence in sentences])
        return [replace(one, vectors=vectors) for one, vectors in zip(sentences, made, strict=True)]

    def n_best_many(
        self,
        sentences: Iterable[str | Sequence[str] | InputError],
        batch_size: int = 32,
        workers: int = 1,
    ) -> Iterator[NBest | InputError]:
        """Parse a stream of sentences into their ``forest_size`` best trees; see :meth:`parse_many`.

        Log-probabilities are relative to all trees of the sentence.

        Raises
        ------
        InputError
            As in :meth:`parse_many`; also if the parser builds no trees.
        """
        if self.forest_size == 0:
            raise InputError("expected a parser with at least one tree a forest, found one with none")

        def finish(prepared: PreparedSentence, scores: Sequence[SpanScores], _: np.ndarray | None) -> NBest:
            parts = self._decode(prepared, scores, normalise=True)
            return joined_n_best(parts, prepared.text, self.forest_size, self.least_ratio)

        return self._stream(sentences, batch_size, workers, self._model.score, finish, None)

    def _stream(
        self,
        sentences: Iterable[str | Sequence[str] | InputError],
        batch_size: int,
        workers: int,
        score: Scoring[Scores],
        finish: Callable[[PreparedSentence, list[Scores], np.ndarray | None], Result],
        vectors: VectorMaker | None,
    ) -> Iterator[Result | InputError]:
        check_counts(batch_size=batch_size, workers=workers)
        if workers > 1 and self.device != "cpu":
            raise InputError("a parser on a GPU takes one process, which feeds the GPU", field="workers")
        if isinstance(sentences, str):
            raise InputError(f"expected sentences, found one text: {reprlib.repr(sentences)}")
        self._use_one_thread_in_fork()
        stream = iter(sentences)
        windows = iter(lambda: list(islice(stream, sentences_ahead(batch_size))), [])
        trees = self.forest_size
        parse = partial(
            results_of, batch_size=batch_size, score=score, finish=finish, vectors=vectors, trees=trees
        )
        parsed = map_in_workers(parse, windows, workers) if workers > 1 else map(parse, windows)
        yield from chain.from_iterable(parsed)

    @property
    def _model(self) -> SpanScorer:
        assert self._scorer is not None  # it is None only if a tagger does its work
        return self._scorer

    def _use_one_thread_in_fork(self) -> None:
        """Let torch use one thread in a forked process."""
        if os.getpid() != self._process:
            use_one_thread()
            self._process = os.getpid()

    def _decode(
        self, prepared: PreparedSentence, scores: Iterable[SpanScores], normalise: bool = False
    ) -> list[NBest]:
        """The best trees of each sentence of a text."""
        return [
            best_trees(
                of_one,
                self._tokens(prepared.tokens[span], of_one.tags),
                prepared.text,
                self.forest_size,
                least_ratio=self.least_ratio,
                posteriors=normalise or self._posteriors,
            )
            for span, of_one in zip(prepared.spans(), scores, strict=True)
        ]

    def _tokens(self, tokens: Sequence[Token], tags: Sequence[str]) -> tuple[Token, ...]:
        lemma = self._lemmatizer or (lambda word, tag: "")
        return tuple(
            Token(token.text, lemma(token.text, tag), tag, token.start, token.end)
            for token, tag in zip(tokens, tags, strict=True)
        )


def _only(results: Iterator[Result | InputError]) -> Result:
    """Return the result of one sentence, or raise its error."""
    (result,) = results
    if isinstance(result, InputError):
        raise result
    return result
