"""What every aligner can do: pairs one by one, and streams of pairs with errors told pair by pair."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self

from forest_align.alignment import Alignment
from forest_align.types import ForestAlignError, InputError, Sentence
from forest_align.workers.processes import check_counts, share_out

Text = str | Sentence
#: A pair of a stream, or what is wrong with it.
Pair = tuple[Text, Text] | InputError
_Job = tuple[Pair, Sentence | InputError, Sentence | InputError]

#: Pairs that are read and parsed together: enough for the parser's batches, few enough to share out.
BATCH_SIZE = 64


class Aligner(ABC):
    """Aligns pairs of sentences.

    Subclasses say how to prepare sentences (tokenize, parse) and how to align two prepared ones.

    Attributes
    ----------
    name : str
        Name of the kind of aligner, as the command line has it.
    """

    name: str

    @property
    def settings(self) -> dict[str, Any]:
        """What else than weights decides the result, as JSON values: reports of benchmarks name it."""
        return {}

    @property
    def may_fork(self) -> bool:
        """Whether workers may be processes, to which nothing gets through that changes in this one."""
        return True

    @abstractmethod
    def prepare(self, sentences: Sequence[Text], batch_size: int) -> list[Sentence | InputError]:
        """Turn texts into sentences with all that the aligner needs; an error in place of a bad one.

        Several threads may do so at once.

        Parameters
        ----------
        sentences : sequence of str or Sentence
            Raw text, or sentences that may lack something.
        batch_size : int
            Sentences handed to the parser's model together, which cuts them into batches of its own.
        """

    @abstractmethod
    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two prepared sentences.

        Raises
        ------
        InputError
            If they lack something.
        """

    @classmethod
    @abstractmethod
    def load(cls, name_or_path: str | Path) -> Self:
        """Load an aligner: a bundled model by name, or a folder.

        Raises
        ------
        ModelError
            If there is no such model.
        """

    @abstractmethod
    def save(self, path: str | Path) -> None:
        """Write the model into a folder."""

    def align(self, source: Text, target: Text) -> Alignment:
        """Align two sentences, raw text or prepared.

        Raises
        ------
        InputError
            If a sentence is empty, cannot be parsed, or is neither text nor a :class:`Sentence`.
        """
        return self.align_prepared(*self.prepare_pair(source, target))

    def prepare_pair(self, source: Text, target: Text) -> tuple[Sentence, Sentence]:
        """Both sentences of a pair with all that the aligner needs.

        Raises
        ------
        InputError
            See :meth:`align`.
        """
        texts = _texts((source, target))
        first, second = map(_as_given, texts, self.prepare(texts, 2))
        if isinstance(first, InputError):
            raise _of_side(first, "source")
        if isinstance(second, InputError):
            raise _of_side(second, "target")
        return first, second

    def align_many(
        self, pairs: Iterable[Pair], batch_size: int = BATCH_SIZE, workers: int = 1
    ) -> Iterator[Alignment]:
        """Align a stream of pairs; results come in input order and do not depend on ``workers``.

        A pair that cannot be aligned gives an alignment with an ``error`` text, and the run goes on.

        Parameters
        ----------
        pairs : iterable of (str or Sentence, str or Sentence)
            Read ``workers`` batches ahead at most, so that memory stays flat. An InputError in the place of a
            pair comes out as an alignment with this error.
        batch_size : int
            Pairs that are read and parsed together. Which pairs these are may change the last digits of
            probabilities.
        workers : int
            Processes, each of which parses and aligns a batch at a time with one thread; they are forked from
            this one, once it has loaded the models. Where the system cannot fork safely, and if the aligner
            must not (:attr:`may_fork`), they are threads, of which there is little use beyond two. With 1,
            all is done here, and the parser's model may use all processors.

        Raises
        ------
        InputError
            If ``batch_size`` or ``workers`` is less than 1, or an item is no pair of texts.
        ForestAlignError
            If a process died, as when the system lacks memory.
        """
        check_counts(batch_size=batch_size, workers=workers)
        return self._stream(iter(pairs), batch_size, workers)

    def _stream(self, pairs: Iterator[Pair], batch_size: int, workers: int) -> Iterator[Alignment]:
        from threadpoolctl import threadpool_limits

        # The matrices of a pair are so small that sharing out their products costs more than it saves.
        with threadpool_limits(1, "blas"):
            yield from self._results(pairs, batch_size, workers)

    def _results(self, pairs: Iterator[Pair], batch_size: int, workers: int) -> Iterator[Alignment]:
        first = list(islice(pairs, batch_size))
        batches = chain([first], iter(lambda: list(islice(pairs, batch_size)), []))
        if workers == 1 or len(first) < batch_size:  # there is nothing to share out
            for batch in batches:
                yield from map(self._align_or_explain, self._jobs(batch))
            return
        usable = (pair for pair in first if not isinstance(pair, InputError))
        self._align_batch(list(islice(usable, 1)))  # loads the models, once for all workers
        yield from chain.from_iterable(share_out(self._align_batch, batches, workers, fork=self.may_fork))

    def _align_batch(self, batch: Sequence[Pair]) -> list[Alignment]:
        return [self._align_or_explain(job) for job in self._jobs(batch)]

    def _jobs(self, batch: Sequence[Pair]) -> list[_Job]:
        """Each pair with its prepared sentences; an error stands for itself."""
        texts = [text for pair in batch if not isinstance(pair, InputError) for text in _texts(pair)]
        prepared = map(_as_given, texts, self.prepare(texts, len(texts)) if texts else ())
        return [
            (pair, pair, pair) if isinstance(pair, InputError) else (pair, next(prepared), next(prepared))
            for pair in batch
        ]

    def _align_or_explain(self, job: _Job) -> Alignment:
        pair, source, target = job
        if isinstance(pair, InputError):
            return Alignment.failed(str(pair), aligner=self.name)
        sides = []
        for text, sentence in zip(pair, (source, target), strict=True):
            plain = text if isinstance(text, Sentence) else Sentence((), text=text)
            sides.append(plain if isinstance(sentence, InputError) else sentence)
        for sentence, side in ((source, "source"), (target, "target")):
            if isinstance(sentence, InputError):
                error = str(_of_side(sentence, side))
                return Alignment(sides[0], sides[1], aligner=self.name, error=error)
        try:
            return self.align_prepared(sides[0], sides[1])
        except ForestAlignError as error:
            return Alignment(sides[0], sides[1], aligner=self.name, error=str(error))
        except MemoryError:
            return Alignment(sides[0], sides[1], aligner=self.name, error="not enough memory for this pair")


def _of_side(error: InputError, side: str) -> InputError:
    """What is wrong with a sentence, with the side that it is on."""
    return InputError(error.message, file=error.file, line=error.line, field=error.field or side)


def _texts(pair: tuple[Text, Text]) -> tuple[Text, Text]:
    """The two texts of a pair; a caller's mistake is told as one, not by where it happens to surface."""
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise InputError(f"expected a pair of sentences, found {reprlib.repr(pair)}")
    for text in pair:
        if not isinstance(text, str | Sentence):
            raise InputError(
                f"expected a text or a Sentence, found {reprlib.repr(text)}; Sentence.from_words takes words"
            )
    first, second = (text.text if isinstance(text, Sentence) and not text.tokens else text for text in pair)
    return first, second


def _as_given(text: Text, prepared: Sentence | InputError) -> Sentence | InputError:
    """A prepared sentence with the text, offsets and vectors that came with its tokens: parsers see words."""
    if isinstance(text, str) or isinstance(prepared, InputError) or prepared.words != text.words:
        return prepared
    if text.vectors is not None and prepared.vectors is not text.vectors:
        prepared = replace(prepared, vectors=text.vectors)
    if prepared.text == text.text:
        return prepared
    tokens = tuple(
        replace(new, start=old.start, end=old.end)
        for old, new in zip(text.tokens, prepared.tokens, strict=True)
    )
    return replace(prepared, tokens=tokens, text=text.text)
