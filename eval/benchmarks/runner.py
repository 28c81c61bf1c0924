"""Runs an aligner over a benchmark, whose predictions are kept, and the aligners that only tables need."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from forest_align.aligners.base import BATCH_SIZE
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.pair import Pair
from forest_align.alignment import Alignment
from forest_align.eval.benchmarks.task import Figures, Similarities, Task
from forest_align.parsing import with_best_tree
from forest_align.storage.outputs import check_made_with, check_same_pair
from forest_align.system.replacing import write_atomically
from forest_align.types import ForestAlignError, InputError, Sentence
from forest_align.types.json_fields import Fields, check_probability, parse_json_object


@dataclass(frozen=True, slots=True)
class Prediction:
    """One alignment of a benchmark, without parses and word vectors."""

    alignment: Alignment
    similarities: Similarities  # cosine per link, ≥ 0; 1 for the same word or no vectors

    @classmethod
    def of(cls, alignment: Alignment) -> Prediction:
        """Keep the parts of an aligner's result that a benchmark needs."""
        bare = replace(alignment, source=_bare(alignment.source), target=_bare(alignment.target))
        return cls(bare, _similarities(alignment))

    def to_line(self) -> str:
        """One line of JSON: the alignment, with ``word_similarities`` as an extra key."""
        return json.dumps(self.alignment.to_dict() | {"word_similarities": list(self.similarities)}) + "\n"

    @classmethod
    def from_line(cls, line: str) -> Prediction:
        """Read what :meth:`to_line` wrote. Raises InputError if the line is not a prediction."""
        values = parse_json_object(line)
        alignment = Alignment.from_dict(values)
        name = "word_similarities"
        similarities = Fields(values).items(name, length=len(alignment.words))
        return cls(alignment, tuple(check_probability(x, f"{name}[{k}]") for k, x in enumerate(similarities)))


def read_predictions(path: Path, task: Task) -> list[Prediction]:
    """Read the predictions that an interrupted run has written; none if there is no file.

    An incomplete last line is dropped. Raises InputError if a line is not a prediction or belongs to another
    pair: names the line.
    """
    if not path.exists():
        return []
    # Our lines are ASCII: replacing other bytes can only make a foreign line invalid JSON.
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]
    if len(lines) > len(task.ids):
        raise InputError(
            f"cannot resume: expected at most {len(task.ids)} lines, one per pair, found {len(lines)}",
            file=str(path),
        )
    found = []
    for number, (line, name, pair) in enumerate(zip(lines, task.ids, task.pairs, strict=False), start=1):
        try:
            prediction = Prediction.from_line(line)
        except InputError as error:
            raise error.at(file=str(path), line=number) from None
        alignment = prediction.alignment
        written = alignment.id, (alignment.source.words, alignment.target.words)
        check_same_pair((name, (pair[0].words, pair[1].words)), written, file=str(path), line=number)
        found.append(prediction)
    return found


def _similarities(alignment: Alignment) -> Similarities:
    source, target = alignment.source, alignment.target
    if source.vectors is None or target.vectors is None or not len(alignment.words):
        return (1.0,) * len(alignment.words)
    rows, columns = np.array(alignment.words.pairs).T
    cosines = (_units(source.vectors)[rows] * _units(target.vectors)[columns]).sum(axis=1)
    same = [source.words[i].lower() == target.words[j].lower() for i, j in alignment.words]
    return tuple(np.where(same, 1.0, np.clip(cosines, 0.0, 1.0)).tolist())


def _units(vectors: np.ndarray) -> np.ndarray:
    floats = np.asarray(vectors, dtype=np.float64)
    return floats / np.maximum(np.linalg.norm(floats, axis=1, keepdims=True), 1e-12)


def _bare(sentence: Sentence) -> Sentence:
    return replace(sentence, forest=None, vectors=None)


AlignMany = Callable[[Iterable[tuple[Sentence, Sentence]]], Iterable[Alignment]]


@dataclass(frozen=True, slots=True)
class Run:
    """One aligner's run over one benchmark."""

    benchmark: str
    split: str
    aligner: str
    alignments: Sequence[Alignment]
    figures: Sequence[Figures]
    seconds: float
    settings: Mapping[str, object] = field(default_factory=dict)
    resumed: int = 0  # alignments of an interrupted run; their time is not included

    def errors(self) -> dict[str, str]:
        """Why pairs could not be aligned, by their names."""
        return {alignment.id: alignment.error for alignment in self.alignments if alignment.error}


def run_task(task: Task, align_many: AlignMany, start: int = 0) -> Iterator[Prediction]:
    """Align the pairs of a task, in order, beginning with number ``start``.

    Parses and word vectors are dropped, so that the alignments of a whole corpus fit in memory. A pair for
    which the aligner failed is returned with the task's sentences and no links. Raises ForestAlignError that
    names the pair if ``align_many`` returns another number of alignments, or changes tokens.
    """
    ids, pairs = task.ids[start:], task.pairs[start:]
    alignments = iter(align_many(pairs))
    for name, (source, target) in zip(ids, pairs, strict=True):
        alignment = next(alignments, None)
        if alignment is None:
            raise ForestAlignError(f"the aligner ended before pair {name!r}")
        if alignment.error:
            alignment = Alignment(source, target, aligner=alignment.aligner, error=alignment.error)
        elif (alignment.source.words, alignment.target.words) != (source.words, target.words):
            raise ForestAlignError(f"the aligner changed the tokens of pair {name!r}")
        yield Prediction.of(replace(alignment, id=name))
    if next(alignments, None) is not None:
        raise ForestAlignError(f"the aligner returned more alignments than the {len(pairs)} pairs")


def run_resumable(
    task: Task,
    align_many: AlignMany,
    path: Path,
    record: Path,
    made_with: Mapping[str, str],
    *,
    resume: bool,
    label: str,
) -> tuple[list[Prediction], int]:
    """Align the pairs of a task, writing each prediction at once so that a later run can continue.

    Returns the predictions, and how many of them are from an earlier run. Raises InputError if the file was
    made from other pairs or with other settings (``made_with``).
    """
    from tqdm import tqdm

    done = read_predictions(path, task) if resume else []
    if done:
        _check_record(record, made_with, path)
    if len(done) < len(task.pairs):
        # Sentences that are parsed together influence each other's last digits: begin with a complete batch.
        del done[len(done) // BATCH_SIZE * BATCH_SIZE :]
    resumed = len(done)
    # Write atomically: a kill must not destroy the predictions of an earlier run.
    write_atomically(path, "".join(prediction.to_line() for prediction in done).encode())
    write_atomically(record, (json.dumps(made_with, indent=1) + "\n").encode())
    with path.open("a", encoding="utf-8", newline="\n") as out:
        new = run_task(task, align_many, resumed) if resumed < len(task.pairs) else iter(())
        for prediction in tqdm(new, label, len(task.pairs), unit="pair", initial=resumed, disable=None):
            out.write(prediction.to_line())
            done.append(prediction)
    return done, resumed


def _check_record(record: Path, made_with: Mapping[str, str], predictions: Path) -> None:
    if not record.is_file():
        message = f"cannot resume: {record.name}, with the settings of the earlier run, is missing"
        raise InputError(f"{message}; start over without --resume", file=str(predictions))
    try:
        found = Fields(parse_json_object(record.read_text(encoding="utf-8", errors="replace")))
    except InputError as error:
        raise error.at(file=str(record)) from None
    check_made_with(found, made_with, str(predictions))


def score_task(task: Task, predictions: Sequence[Prediction]) -> list[Figures]:
    """All figures of a task, one alignment per pair."""
    alignments = [prediction.alignment for prediction in predictions]
    figures = task.score(alignments)
    if task.score_similar is not None:
        figures += task.score_similar(alignments, [prediction.similarities for prediction in predictions])
    return figures


class _Parser(Protocol):
    def parse_many(
        self, sentences: Iterable[Sequence[str]], batch_size: int
    ) -> Iterable[Sentence | InputError]: ...

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]: ...


class ParseOnce:
    """Parses tokenized sentences and keeps all parses in memory, about 100 kB per sentence."""

    def __init__(self, parser: _Parser) -> None:
        self._parser = parser
        self._known: dict[tuple[str, ...], Sentence | InputError] = {}

    def parse_many(
        self, sentences: Iterable[Sequence[str]], batch_size: int = 32
    ) -> Iterator[Sentence | InputError]:
        """Parse sentences, in order; see :meth:`forest_align.parsing.Parser.parse_many`."""
        asked = [tuple(sentence) for sentence in sentences]
        new = list(dict.fromkeys(words for words in asked if words not in self._known))
        self._known.update(zip(new, self._parser.parse_many(new, batch_size), strict=True))
        return (self._known[words] for words in asked)

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """See :meth:`forest_align.parsing.Parser.with_vectors`."""
        return self._parser.with_vectors(sentences)


def given_chunks(task: Task, parser: ParseOnce | None = None) -> tuple[AlignMany, Mapping[str, object]]:
    """The function that aligns the chunks of a task's last pairs, and the aligner's settings."""
    options: dict[str, Any] = {} if parser is None else {"parser": parser}
    aligner = ForestAligner.load(**options)

    def align_many(pairs: Iterable[tuple[Sentence, Sentence]]) -> Iterable[Alignment]:
        waiting = list(pairs)
        chunks = task.chunks[len(task.chunks) - len(waiting) :]
        return aligner.align_many(Pair(*pair, chunks=one) for pair, one in zip(waiting, chunks, strict=True))

    return align_many, aligner.settings


#: Only monotonic alignment, weights of zero in place of those that EM learned, the best tree of each forest.
VARIANTS = ("monotonic", "without-em", "1-best")


class _BestTrees:
    """A parser whose forests have one tree, the best of those of another parser."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser

    def parse_many(
        self, sentences: Iterable[Sequence[str]], batch_size: int = 32
    ) -> Iterator[Sentence | InputError]:
        for sentence in self._parser.parse_many(sentences, batch_size):
            yield sentence if isinstance(sentence, InputError) else with_best_tree(sentence)

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        found: list[Sentence] = self._parser.with_vectors(sentences)
        return found


def ablated(aligner: ForestAligner, variant: str) -> ForestAligner:
    """The aligner without one of its parts (:data:`VARIANTS`); everything else, tuned options too, stays.

    Raises InputError for other variants.
    """
    model, parser = aligner.model, aligner.parser
    if variant == "monotonic":
        model = model.with_options(noncompositional_penalty=None)
    elif variant == "without-em":
        model = replace(model, weights=np.zeros_like(model.weights), lexical={})
    elif variant == "1-best":
        parser = _BestTrees(parser)  # type: ignore[assignment]
    else:
        raise InputError(f"expected one of {', '.join(VARIANTS)}, found {variant!r}", field="variant")
    return ForestAligner(model, parser=parser, candidates=aligner.candidates, lexicon=aligner.lexicon)
