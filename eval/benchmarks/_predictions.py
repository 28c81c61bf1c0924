"""Alignments of a benchmark as lines of a file, so that an interrupted run can go on where it stopped."""

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
    """One alignment of a benchmark.

    Attributes
    ----------
    alignment : Alignment
        The alignment, without parses and word vectors.
    similarities : tuple of float
        For each word link the cosine of the word vectors, at least 0; 1 for the same word, case aside, and
        where the aligner has no vectors.
    """

    alignment: Alignment
    similarities: Similarities

    @classmethod
    def of(cls, alignment: Alignment) -> Prediction:
        """Keep of an aligner's result what a benchmark needs."""
        bare = replace(alignment, source=_bare(alignment.source), target=_bare(alignment.target))
        return cls(bare, _similarities(alignment))

    def to_line(self) -> str:
        """One line of JSON: the alignment's, with ``word_similarities`` beside."""
        return json.dumps(self.alignment.to_dict() | {"word_similarities": list(self.similarities)}) + "\n"

    @classmethod
    def from_line(cls, line: str) -> Prediction:
        """Read what :meth:`to_line` wrote.

        Raises
        ------
        InputError
            If it is something else.
        """
        values = parse_json_object(line)
        alignment = Alignment.from_dict(values)
        name = "word_similarities"
        similarities = Fields(values).items(name, length=len(alignment.words))
        return cls(alignment, tuple(check_probability(x, f"{name}[{k}]") for k, x in enumerate(similarities)))


def read_predictions(path: Path, task: Task) -> list[Prediction]:
    """Read the predictions that an interrupted run has written; none if there is no file.

    What is not a whole line at the end is left out.

    Raises
    ------
    InputError
        If they are of other pairs, or no predictions: names the line.
    """
    if not path.exists():
        return []
    # Lines are written in ASCII: replacing what is not makes a line of something else no JSON, at worst.
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
    return Sentence(sentence.tokens, text=sentence.text)
