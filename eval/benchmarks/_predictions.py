"""Alignments of a benchmark as lines of a file, so that an interrupted run can be resumed."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from forest_align.alignment import Alignment
from forest_align.eval.benchmarks.task import Similarities, Task
from forest_align.storage.same_run import check_same_pair
from forest_align.types import InputError, Sentence
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
