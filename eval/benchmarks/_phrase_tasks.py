"""The tasks of corpora with phrases: SPADE and iSTS. Pairs that cannot be used are skipped and named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from forest_align.aligners.pair import GivenChunks
from forest_align.data.formats.format import PairError
from forest_align.data.formats.spade import files_of_part, read_files
from forest_align.data.pairs import SentencePair
from forest_align.eval.benchmarks._annotated_phrases import AnnotatedPhrases, phrase_scorer
from forest_align.eval.benchmarks._chunk_links import ChunkedPair, chunk_scorer
from forest_align.eval.benchmarks.reading import Files, tokenized_sentences
from forest_align.eval.benchmarks.task import Task
from forest_align.types import InputError


def spade_files(data: Path, split: str) -> list[Path]:
    """The files of a part of SPADE; see :func:`files_of_part`."""
    return [path for pair in files_of_part(data, split) for path in pair]


def spade_task(files: Files, split: str) -> Task:
    """Make the SPADE task; the files are those of source and target of each pair in turn."""
    both = list(zip(files.paths[::2], files.paths[1::2], strict=True))[: files.limit]
    read = [pair for source, target in both for pair in read_files(source, target)]
    pairs, judged, skipped = [], [], []
    people = max((len(pair.annotations) for pair in read if isinstance(pair, SentencePair)), default=0)
    for pair in read:
        try:
            if isinstance(pair, InputError):
                raise pair
            judged.append(_judged_by(people, pair))
            pairs.append(pair)
        except InputError as error:
            skipped.append(error)
    if not pairs:
        raise skipped[0] if skipped else InputError("expected sentence pairs, found none")
    return Task(
        [pair.id for pair in pairs], tokenized_sentences(pairs), phrase_scorer(judged), skipped=skipped
    )


def _judged_by(people: int, pair: SentencePair) -> AnnotatedPhrases:
    found = len(pair.annotations)
    if not found or found != people:
        raise pair.located(InputError(f"pair {pair.id!r}: expected {people or 1} annotators, found {found}"))
    return AnnotatedPhrases.of(pair)


def ists_task(files: Files, split: str) -> Task:
    """Make the iSTS task; ``.wa`` files come first, and files of chunks are read with theirs."""
    names = [path.name.split(".")[2] for path in files.paths if path.suffix == ".wa"]
    ids: list[str] = []
    sets: list[str] = []
    pairs: list[SentencePair] = []
    chunked: list[ChunkedPair] = []
    skipped: list[InputError] = []
    for index, name in enumerate(names):
        chunk_files = files.paths[index + len(names)], files.paths[index + 2 * len(names)]
        # Chunks of the k-th pair, broken or not, are in the k-th line of their files.
        place = 0
        for item in files.items(index):
            place += isinstance(item, SentencePair | PairError)
            try:
                if isinstance(item, InputError):
                    raise item
                chunked.append(_chunked(item, chunk_files, place))
            except InputError as error:
                skipped.append(error)
                continue
            ids.append(f"{name}:{item.id}")
            sets.append(name)
            pairs.append(item)
    if not pairs:
        raise skipped[0]
    return Task(
        ids,
        tokenized_sentences(pairs),
        chunk_scorer(sets, chunked),
        skipped=skipped,
        chunks=[GivenChunks(pair.source, pair.target) for pair in chunked],
    )


def _chunked(pair: SentencePair, chunk_files: Sequence[Path], line: int) -> ChunkedPair:
    """The chunks of a pair, of which the files of chunks have a line each."""
    sides = zip(
        chunk_files, (pair.source_chunks, pair.target_chunks), (pair.source, pair.target), strict=True
    )
    for path, chunks, sentence in sides:
        if not chunks:
            message = (
                f"pair {pair.id!r}: expected '[ … ] [ … ]' of the words {' '.join(sentence.words)[:60]!r}"
            )
            raise InputError(message, file=str(path), line=line)
    return ChunkedPair(pair.source_chunks, pair.target_chunks, pair.chunks or ())
