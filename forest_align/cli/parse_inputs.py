"""Options and inputs of ``parse``: text for a parser, or existing trees; each result with its line."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from forest_align.cli.arguments import (
    argument,
    device_option,
    escapes_option,
    is_sentence,
    is_single_word,
    option,
    output_option,
    tokenized_option,
)
from forest_align.cli.run_options import shard_option
from forest_align.data.text.lines import InputLines, TextLines
from forest_align.data.text.raw_text import unescape_text, unescape_token
from forest_align.jobs.shards import Shard
from forest_align.system.terminal import positive
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.data.trees.enju import EnjuTree
    from forest_align.parsing import NBest
    from forest_align.types import Sentence

# Results with the line to name in errors; None if the message already names the sentence.
_Numbered = Iterator[tuple[int | None, "NBest | Sentence | InputError"]]


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Options of ``parse``."""

    sentences: str = argument(
        "SENTENCES", help="text file, one sentence per line; - for standard input; or a sentence, in quotes"
    )
    output: str | None = output_option()
    parser: str = option(
        "--parser NAME", default="en", help="en (bundled), a benepar model (benepar_en3) or a folder"
    )
    to: str = option("--to", choices=("trees", "nbest", "json"), default="trees", help="what to write")
    source: str | None = option(
        "--from",
        choices=("text", "trees", "nbest", "enju"),
        help="input format; only text is parsed. trees: Penn brackets, each tree on one or several lines; "
        "nbest: lists as --to nbest writes them; enju: Enju XML; default: by its extension, trees "
        "(.mrg, .ptb) or enju (.xml), else text",
    )
    k: int = option("-k N", type=positive, default=10, help="size of lists and forests")
    tokenized: bool = tokenized_option()
    escapes: str | None = escapes_option()
    batch_size: int = option(
        "--batch-size N",
        type=positive,
        default=32,
        help="sentences parsed together; with 1 each is answered at once",
    )
    workers: int = option("--workers N", type=positive, default=1, help="processes")
    resume: bool = option(
        "--resume", action="store_true", help="continue OUT where a run stopped (trees and json)"
    )
    shard: Shard | None = shard_option("sentences")
    device: str = device_option()


class ParseItem(NamedTuple):
    """A sentence of an input, before or after it is parsed."""

    line: int | None  # the line to name in errors; None if the message already names the sentence
    text: str | None  # the line of text to parse; None if its trees are given
    content: Any  # the line, its error, or the result


#: Skips the items that have a result already.
Skip = Callable[[Iterator[ParseItem]], Iterator[ParseItem]]
_Reader = Callable[[InputLines, ParseOptions, Skip], Iterator[ParseItem]]


def open_input(sentences: str) -> InputLines:
    """The lines of a file, of standard input, or of a sentence given instead of a file name.

    Raises OSError if the file cannot be opened, InputError for one word that is no file's name.
    """
    if is_single_word(sentences):
        raise InputError(
            f"there is no file {sentences!r}; expected a file, or a sentence of several words "
            "(a single one can come through standard input)"
        )
    return TextLines(sentences, "command line") if is_sentence(sentences) else InputLines(sentences)


def kind_of(source: InputLines) -> str:
    """The kind of a file by its extension, one of :data:`READERS`; raises InputError for tables and JSON."""
    if source.suffix in _NO_SENTENCES:
        raise InputError(
            f"expected text, a sentence a line, or trees, found a {source.suffix} file; with --from text "
            "each line of it is parsed as it stands",
            file=source.name,
        )
    return _KINDS.get(source.suffix, "text")


def _read_text(source: InputLines, options: ParseOptions, skip: Skip) -> Iterator[ParseItem]:
    from forest_align.parsing import load_parser

    size = 1 if options.to == "trees" else options.k
    parser = load_parser(options.parser, forest_size=size, vectors=False, device=options.device)
    parse = parser.parse_many if options.to == "json" else parser.n_best_many

    lines = skip(ParseItem(number, str(line), line) for number, line in source.numbered())
    waiting: deque[ParseItem] = deque()

    def sentences() -> Iterator[str | list[str] | InputError]:
        for item in lines:
            waiting.append(item)
            yield _sentence(item.content, options)

    results = parse(sentences(), options.batch_size, options.workers)
    return (waiting.popleft()._replace(content=result) for result in results)


def _sentence(line: str | InputError, options: ParseOptions) -> str | list[str] | InputError:
    """The text of a line, or its words if it is tokenized."""
    if isinstance(line, InputError):
        return line
    if not options.tokenized:
        return unescape_text(line) if options.escapes else line
    words = line.split()
    return [unescape_token(word) for word in words] if options.escapes else words


def _given(read: Callable[[InputLines], _Numbered]) -> _Reader:
    """A reader of trees: nothing has to be parsed."""
    return lambda source, _, skip: skip(ParseItem(line, None, result) for line, result in read(source))


def _read_trees(source: InputLines) -> _Numbered:
    from forest_align.data.trees.penn import LOOK_AHEAD, split_trees
    from forest_align.parsing import sentence_from_bracket

    # Typed or piped input is answered at once.
    look_ahead = 1 if source.path is None else LOOK_AHEAD
    for number, tree in split_trees(source.numbered(), look_ahead):
        try:
            yield number, tree if isinstance(tree, InputError) else sentence_from_bracket(tree)
        except InputError as error:
            yield number, InputError(error.message)  # its line number counts within this text


def _read_n_best(source: InputLines) -> _Numbered:
    block: list[str | InputError] = []
    first = number = 0
    for number, line in source.numbered():
        if line:
            block.append(line)
            continue
        yield _n_best(block, first + 1)
        block, first = [], number
    if block:
        yield _n_best(block, first + 1)


def _n_best(block: list[str | InputError], first: int) -> tuple[int, Sentence | InputError]:
    """Read the list that begins on line ``first``; an error comes with the line that caused it."""
    from forest_align.parsing import sentence_from_n_best

    lines: list[str] = []
    for number, line in enumerate(block, first):
        if isinstance(line, InputError):
            return number, line
        lines.append(line)
    try:
        return first, sentence_from_n_best(lines)
    except InputError as error:
        return first + (error.line or 1) - 1, InputError(error.message, field=error.field)


def _read_enju(source: InputLines) -> _Numbered:
    from forest_align.data.trees.enju import sentences_of

    try:
        trees = list(sentences_of(source.text()))
    except InputError as error:
        raise error.at(file=source.name) from None
    return map(_from_enju, trees)


def _from_enju(tree: EnjuTree | InputError) -> tuple[int | None, Sentence | InputError]:
    from forest_align.parsing import sentence_from_enju

    if isinstance(tree, InputError):
        return tree.line, tree
    try:
        return None, sentence_from_enju(tree)
    except InputError as error:
        return None, InputError(f"sentence {tree.id}: {error.message}")


_KINDS = {".mrg": "trees", ".ptb": "trees", ".xml": "enju"}
_NO_SENTENCES = (".tsv", ".csv", ".json", ".jsonl")
#: Readers by their names in ``--from``.
READERS: dict[str, _Reader] = {
    "text": _read_text,
    "trees": _given(_read_trees),
    "nbest": _given(_read_n_best),
    "enju": _given(_read_enju),
}
