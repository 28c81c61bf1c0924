"""Runs an aligner over a benchmark, so that scorers get one valid alignment per pair; keeps predictions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from forest_align.aligners.base import BATCH_SIZE
from forest_align.alignment import Alignment
from forest_align.eval.benchmarks.task import Figures, Similarities, Task
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
            f"cannot resume: expected at most {len(task.ids)} lines, one a pair, found {len(lines)}",
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
    found = iter(align_many(pairs))
    for name, (source, target) in zip(ids, pairs, strict=True):
        alignment = next(found, None)
        if alignment is None:
            raise ForestAlignError(f"the aligner ended before pair {name!r}")
        if alignment.error:
            alignment = Alignment(source, target, aligner=alignment.aligner, error=alignment.error)
        elif (alignment.source.words, alignment.target.words) != (source.words, target.words):
            raise ForestAlignError(f"the aligner changed the tokens of pair {name!r}")
        yield Prediction.of(replace(alignment, id=name))
    if next(found, None) is not None:
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
    found = task.score(alignments)
    if task.score_similar is not None:
        found += task.score_similar(alignments, [prediction.similarities for prediction in predictions])
    return found
