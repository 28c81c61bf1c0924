"""Options about sentence pairs, and reading them, for the commands that train and tune."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.aligners.words.choose import WORD_CANDIDATES
from forest_align.alignment import Links
from forest_align.cli.arguments import (
    argument,
    columns_option,
    escapes_option,
    format_option,
    option,
    tokenized_option,
    word_candidates_name,
)
from forest_align.cli.input_reports import report_skipped
from forest_align.system.terminal import counting_bar
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.aligners.forest.model import ForestModel
    from forest_align.data.formats.format import SentencePair
    from forest_align.em.corpus.corpus import CorpusPair, CorpusReader


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How pairs are read and prepared; the input's trees are used unless ``--parser`` is given."""

    format: str | None = format_option("--from", "format of all files; recognised by default")
    columns: tuple[str, str] | None = columns_option()
    tokenized: bool = tokenized_option()
    escapes: str | None = escapes_option()
    forests: Path | None = option("--forests CACHE", type=Path, help="cache of parses and features")
    parser: str | None = option(
        "--parser NAME",
        help="en (bundled), a benepar model or a folder; default: trees of the input if it has them, else en",
    )
    words: str | None = option(
        "--words",
        "--candidates NAME",
        type=word_candidates_name,
        help=f"source of word candidates: {' or '.join(WORD_CANDIDATES)}; default: as the model has it",
    )


@dataclass(frozen=True, slots=True)
class GoldOptions:
    """Which gold links to learn from, how to parse the sentences, and where to save the model."""

    gold: tuple[str, ...] = argument("GOLD", nargs="+", help="files of pairs with word links, or -")
    output: Path = option("-o", "--output MODEL", type=Path, required=True, help="folder to write")
    format: str | None = format_option("--from", "format of all files; recognised by default")
    links: str = option(
        "--links",
        choices=("sure", "all"),
        default="sure",
        help="which gold links to learn: the sure ones, or all, with the possible ones",
    )
    forests: Path | None = option("--forests CACHE", type=Path, help="cache of parses")
    parser: str = option("--parser NAME", default="en", help="en (bundled), a benepar model or a folder")

    @property
    def checkpoint(self) -> Path:
        """The file beside the model that keeps the state of its training."""
        return self.output.with_name(f"{self.output.name}.checkpoint")


def check_model_folder(path: Path, *, beside: bool = True) -> None:
    """Check before hours of work that a model folder, and a checkpoint file next to it, can be written.

    Raises InputError otherwise.
    """
    if path.name in ("", ".."):
        raise InputError(f"expected a folder with a name of its own, found {str(path)!r}", field="output")
    if path.exists() and not path.is_dir():
        raise InputError(f"expected a folder, found the file {str(path)!r}", field="output")
    # Missing parent folders will be created.
    above = next(folder for folder in path.absolute().parents if folder.exists())
    for folder in (above, path) if beside or not path.exists() else (path,):
        if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK)):
            message = f"expected a folder that can be written to, found {str(folder)!r}"
            raise InputError(message, field="output")


def training_lock(output: Path) -> AbstractContextManager[None]:
    """Check that a model folder can be written, and keep other processes from training a model there."""
    from forest_align.storage.saved_models import lock_model

    check_model_folder(output)
    return lock_model(output)


def corpus_reader(
    args: CorpusOptions,
    forest_size: int,
    model: ForestModel,
    *,
    given_trees: bool,
    links: str = "sure",
    judged: bool = False,
) -> CorpusReader:
    """Make a reader for a model; ``links`` is the convention that word candidates follow."""
    from forest_align.em.corpus.corpus import CorpusReader

    return CorpusReader.for_model(
        model,
        args.parser or "en",
        forest_size=forest_size,
        candidates=args.words,
        cache=args.forests,
        given_trees=given_trees,
        links=links,
        judged=judged,
    )


def read_files(
    paths: Sequence[str], args: CorpusOptions, *, has_links: bool = False
) -> list[SentencePair | InputError]:
    """The pairs of all files; a broken pair yields an error. Plain text with links is split at blanks."""
    from forest_align.data.pairs import read_pairs

    tokenized = args.tokenized or has_links
    return [
        pair
        for path in paths
        for pair in read_pairs(
            path, args.format, tokenized=tokenized, escapes=args.escapes, columns=args.columns
        )
    ]


def read_gold_files(
    paths: Sequence[str],
    args: CorpusOptions,
    command: str,
    *,
    gold: str = "links",
    links: str = "sure",
) -> list[SentencePair | InputError]:
    """Read pairs to be scored; refuse files without gold before hours of work.

    Pairs that are scored by other ``gold`` than links need none. ``links`` are those that count. Raises
    InputError if there are files, but none of their pairs has gold, or none of their links counts.
    """
    from forest_align.em.corpus.parsed_pairs import with_gold

    pairs = with_gold(read_files(paths, args, has_links=gold == "links"), gold)
    usable = [pair for pair in pairs if not isinstance(pair, InputError)]
    if paths and not usable:
        report_skipped(command, pairs)
        raise InputError(f"expected at least one dev pair with gold {gold}", file=paths[0])
    linked = [pair.links for pair in usable if pair.links]
    if paths and gold == "links" and not (linked if links == "all" else any(map(Links.only_sure, linked))):
        what = "possible ones alone, which do not count" if linked else "none"
        which = "gold link" if links == "all" else "sure gold link"
        raise InputError(f"expected at least one {which}, found {what}", file=paths[0])
    return pairs


def prepare_corpus(
    reader: CorpusReader,
    pairs: Sequence[SentencePair | InputError],
    command: str,
    *,
    quiet: bool = False,
    learn: bool = False,
) -> tuple[list[CorpusPair], int]:
    """Prepare pairs with a progress bar; return the usable ones and the number of the others.

    Errors of single pairs go to stderr, unless ``quiet`` because the same pairs were prepared before. With
    ``learn`` the reader learns its dictionary from the pairs.
    """
    with counting_bar("preparing", 3 * len(pairs)) as bar:
        parsed = reader.parse(pairs, bar.update)
        if learn:
            reader.learn_dictionary(parsed)
        prepared, problems = reader.prepare(parsed, bar.update)
    if not quiet:
        report_skipped(command, problems)
    return prepared, len(problems)
