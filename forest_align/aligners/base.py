"""The interface of every aligner: single pairs, and streams of pairs with one error per failed pair."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self

from msgspec import structs

from forest_align._version import __version__
from forest_align.aligners.pair import (
    NO_TOKENS,
    NO_TOKENS_OF_CHUNKS,
    GivenChunks,
    GivenWords,
    Pair,
    PairLike,
    Pairs,
    Text,
    pair_of,
    stream_of_pairs,
)
from forest_align.alignment import Alignment
from forest_align.system.processes import check_counts, map_in_workers, release_free_memory
from forest_align.types import ForestAlignError, InputError, Sentence

#: Pairs that are read and parsed together: enough for the parser's batches, few enough for several workers.
BATCH_SIZE = 64
# Sentences whose preparation takes so long that tidying up after it does not count.
_MANY = 32
_Job = tuple[Pair, Sentence | InputError, Sentence | InputError]


class Aligner(ABC):
    """Aligns pairs of sentences.

    Subclasses define how to prepare sentences (tokenize, parse) and how to align two prepared ones.

    Attributes
    ----------
    name : str
        Name of the kind of aligner, as used on the command line.
    made_by : mapping of str to str
        Origin of its alignments: ``version`` of the package, and ``model`` and ``digest`` if
        :func:`~forest_align.aligners.load` has loaded the aligner. The digest is a short hash of the files of
        the model. It covers no options, no other parser and no paraphrases.
    device : str
        Where the networks of its parser compute, see :func:`forest_align.load_parser`.
    """

    name: str
    made_by: Mapping[str, str] = {"version": __version__}
    device = "cpu"

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that affect the result besides weights, as JSON values; benchmark reports list them."""
        return {}

    @abstractmethod
    def prepare(self, sentences: Sequence[Text], batch_size: int) -> list[Sentence | InputError]:
        """Turn texts into sentences with all that the aligner needs; a bad one is replaced by an error.

        Several threads may call this at once.

        Parameters
        ----------
        sentences : sequence of str or Sentence
            Raw text, or sentences that may lack some annotation.
        batch_size : int
            Number of sentences passed to the parser's model together. The model splits them into its own
            batches.
        """

    @abstractmethod
    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two prepared sentences.

        Raises
        ------
        InputError
            If a sentence lacks something that the aligner needs.
        """

    def align_candidates(self, source: Sentence, target: Sentence, candidates: GivenWords) -> Alignment:
        """Align two prepared sentences with word links of the caller.

        Raises
        ------
        InputError
            If the aligner does not use such links; the forest aligner and the projection do.
        """
        raise InputError(
            f"the {self.name} aligner does not support given word links; the forest aligner and projection do"
        )

    def align_chunks(self, source: Sentence, target: Sentence, chunks: GivenChunks) -> Alignment:
        """Align the given chunks of two prepared sentences.

        Raises
        ------
        InputError
            If the aligner does not use chunks, or one lies outside its sentence.
        """
        raise InputError(f"the {self.name} aligner does not support given chunks; the forest aligner does")

    @classmethod
    @abstractmethod
    def load(cls, name_or_path: str | Path) -> Self:
        """Load an aligner: a bundled model by name, or a folder.

        Raises
        ------
        ModelError
            If the model does not exist.
        """

    @abstractmethod
    def save(self, path: str | Path) -> None:
        """Write the model into a folder."""

    def align(self, source: Text, target: Text, candidates: GivenWords | None = None) -> Alignment:
        """Align two sentences, raw text or prepared.

        Parameters
        ----------
        source, target : str or Sentence or spacy.tokens.Doc
            The sentences. Of a document of spaCy, tokens and tags are used.
        candidates : Links or sequence of Candidate, optional
            Word links of the caller for this pair, see :class:`Pair`.

        Raises
        ------
        InputError
            If a sentence is empty, cannot be parsed, or is neither text nor a :class:`Sentence`. With
            candidates, also if the aligner does not use them, a sentence has no tokens, or a link is out of
            range.
        """
        pair = Pair(source, target, candidates)
        alignment = self._align_pair(pair, *self.prepare_pair(source, target))
        return replace(alignment, made_by=self.made_by)

    def prepare_pair(self, source: Text, target: Text) -> tuple[Sentence, Sentence]:
        """Prepare both sentences of a pair with all that the aligner needs.

        Raises
        ------
        InputError
            See :meth:`align`.
        """
        texts = Pair(source, target).texts
        first, second = map(_as_given, texts, self.prepare(texts, 2))
        if isinstance(first, InputError):
            raise _of_side(first, "source")
        if isinstance(second, InputError):
            raise _of_side(second, "target")
        return first, second

    def align_many(self, pairs: Pairs, batch_size: int = BATCH_SIZE, workers: int = 1) -> Iterator[Alignment]:
        """Align a stream of pairs; results come in input order and do not depend on ``workers``.

        A pair that cannot be aligned yields an alignment with an ``error`` text, and the run continues.

        Parameters
        ----------
        pairs : iterable of Pair or (source, target) or (source, target, candidates), or table
            Sentences and word links as in :meth:`align`. At most ``workers`` batches are read ahead, so that
            memory stays flat. An InputError instead of a pair yields an alignment with this error. Or a table
            that :func:`forest_align.data.read_pairs` reads: of pyarrow, pandas, polars or ``datasets``.
        batch_size : int
            Number of pairs that are read and parsed together. The grouping may change the last digits of
            probabilities.
        workers : int
            Number of processes, besides this one if a GPU is used: then this one parses, and they align.
            Otherwise each parses and aligns one batch at a time with one thread. They are forked
            from this process after it has loaded the models, and do not see its later changes. Where the
            system cannot fork safely, threads are used; more than two of them help little. With 1, all work
            is done in this process, and the parser's model may use all processors.

        Raises
        ------
        InputError
            If ``batch_size`` or ``workers`` is less than 1, or an item is not a pair of texts.
        ForestAlignError
            If a process died, for example because memory ran out.
        """
        check_counts(batch_size=batch_size, workers=workers)
        return self._stream(stream_of_pairs(pairs), batch_size, workers)

    def _stream(
        self, pairs: Iterator[PairLike | InputError], batch_size: int, workers: int
    ) -> Iterator[Alignment]:
        from threadpoolctl import threadpool_limits

        # The matrices of a pair are so small that multithreaded products cost more than they save.
        with threadpool_limits(1, "blas"):
            first = list(islice(pairs, batch_size))
            batches = chain([first], iter(lambda: list(islice(pairs, batch_size)), []))
            if workers == 1 or len(first) < batch_size:  # nothing to distribute
                for batch in batches:
                    yield from map(self._align_or_explain, self._jobs(batch))
                return
            usable = (pair for pair in first if not isinstance(pair, InputError))
            self._align_batch(list(islice(usable, 1)))  # loads the models, once for all workers
            if self.device == "cpu":
                aligned = map_in_workers(self._align_batch, batches, workers)
            else:
                # A forked process cannot use the GPU. This one prepares sentences, and workers align them.
                aligned = map_in_workers(self._align_jobs, map(self._jobs, batches), workers)
            yield from map(pickle.loads, chain.from_iterable(aligned))

    def _align_batch(self, batch: Sequence[PairLike | InputError]) -> list[bytes]:
        return self._align_jobs(self._jobs(batch))

    def _align_jobs(self, jobs: Sequence[_Job | InputError]) -> list[bytes]:
        """Alignments, each pickled by itself: they become objects one by one, not all at once."""
        return [pickle.dumps(self._align_or_explain(job), pickle.HIGHEST_PROTOCOL) for job in jobs]

    def _jobs(self, batch: Sequence[PairLike | InputError]) -> list[_Job | InputError]:
        """Each pair with its prepared sentences; errors are kept as they are."""
        pairs = [item if isinstance(item, InputError) else pair_of(item) for item in batch]
        texts = [text for pair in pairs if isinstance(pair, Pair) for text in pair.texts]
        prepared = map(_as_given, texts, self.prepare(texts, len(texts)) if texts else ())
        if len(texts) >= _MANY:
            release_free_memory()  # networks leave as much of it as they need for a batch, some 60 MB
        return [
            pair if isinstance(pair, InputError) else (pair, next(prepared), next(prepared)) for pair in pairs
        ]

    def _align_or_explain(self, job: _Job | InputError) -> Alignment:
        return replace(self._alignment_or_error(job), made_by=self.made_by)

    def _alignment_or_error(self, job: _Job | InputError) -> Alignment:
        if isinstance(job, InputError):
            return Alignment.failed(str(job), aligner=self.name)
        pair, source, target = job
        sides = []
        for text, sentence in ((pair.source, source), (pair.target, target)):
            plain = text if isinstance(text, Sentence) else Sentence((), text=text)
            sides.append(plain if isinstance(sentence, InputError) else sentence)
        for sentence, side in ((source, "source"), (target, "target")):
            if isinstance(sentence, InputError):
                error = str(_of_side(sentence, side))
                return Alignment(sides[0], sides[1], aligner=self.name, error=error)
        try:
            return self._align_pair(pair, sides[0], sides[1])
        except ForestAlignError as error:
            return Alignment(sides[0], sides[1], aligner=self.name, error=str(error))
        except MemoryError:
            return Alignment(sides[0], sides[1], aligner=self.name, error="not enough memory for this pair")

    def _align_pair(self, pair: Pair, source: Sentence, target: Sentence) -> Alignment:
        """Align the prepared sentences of a pair, with its word links or chunks if it has any."""
        if pair.candidates is None and pair.chunks is None:
            return self.align_prepared(source, target)
        if any(isinstance(text, str) for text in pair.texts):
            raise InputError(NO_TOKENS if pair.chunks is None else NO_TOKENS_OF_CHUNKS)
        if pair.chunks is not None:
            return self.align_chunks(source, target, pair.chunks)
        assert pair.candidates is not None
        return self.align_candidates(source, target, pair.candidates)


def _of_side(error: InputError, side: str) -> InputError:
    """The error of a sentence, with the side of the sentence added."""
    return InputError(error.message, file=error.file, line=error.line, field=error.field or side)


def _as_given(text: Text, prepared: Sentence | InputError) -> Sentence | InputError:
    """Restore the text, offsets and vectors of the given sentence: parsers see only its words."""
    if isinstance(text, str) or isinstance(prepared, InputError) or prepared.words != text.words:
        return prepared
    if text.vectors is not None and prepared.vectors is not text.vectors:
        prepared = replace(prepared, vectors=text.vectors)
    if prepared.text == text.text:
        return prepared
    tokens = tuple(
        structs.replace(new, start=old.start, end=old.end)
        for old, new in zip(text.tokens, prepared.tokens, strict=True)
    )
    return replace(prepared, tokens=tokens, text=text.text)
