"""The ``parse`` command: sentences in; trees, n-best lists or packed forests out, line by line."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.cli.arguments import add_output, add_text_arguments
from forest_align.cli.parse_inputs import READERS, Numbered, kind_of, open_input
from forest_align.data.text.lines import InputLines
from forest_align.em.progress import counted
from forest_align.storage.outputs import Whole, open_output, refuse_overwriting, whole_lines
from forest_align.types import InputError, InputWarning
from forest_align.types.json_fields import format_json_object
from forest_align.types.positive import positive

if TYPE_CHECKING:
    from forest_align.parsing import NBest
    from forest_align.types import ParseForest, Sentence

EXIT_OK, EXIT_SOME_FAILED = 0, 1

_EPILOG = """examples:
  forest-align parse 'The cat sat on the mat.'
  forest-align parse sentences.txt --to nbest -k 10 -o trees.txt
  forest-align parse treebank.mrg --to json
  forest-align parse many.txt --to json -o forests.jsonl --resume

output, one line (or block) a sentence, in input order:
  trees   the best tree in Penn brackets; an empty line where a sentence could not be parsed
  nbest   'log-probability<TAB>tree', best first; an empty line ends the list of a sentence
  json    the packed forest of the k best trees, or {"error": ...}
exit status: 0 all parsed, 1 some sentences failed, 2 bad usage or input"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "sentences",
        metavar="SENTENCES",
        help="text file, one sentence a line; - for standard input; or a sentence, in quotes",
    )
    add_output(parser)
    parser.add_argument(
        "--parser",
        metavar="NAME|FOLDER",
        default="en",
        help="en (bundled), a benepar model (benepar_en3), or a folder; default: en",
    )
    parser.add_argument(
        "--to", choices=("trees", "nbest", "json"), default="trees", help="what to write; default: trees"
    )
    parser.add_argument(
        "--from",
        dest="source",
        choices=("text", "trees", "nbest", "enju"),
        help="input format; only text is parsed. trees: Penn brackets, each tree on one or several lines; "
        "nbest: lists as --to nbest writes them; enju: Enju XML. Default: by its extension, trees "
        "(.mrg, .ptb) or enju (.xml), else text",
    )
    parser.add_argument(
        "-k", type=positive, default=10, metavar="N", help="size of lists and forests; default: 10"
    )
    add_text_arguments(parser)
    parser.add_argument(
        "--batch-size",
        type=positive,
        default=32,
        metavar="N",
        help="sentences parsed together; with 1 each is answered at once; default: 32",
    )
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="processes; default: 1")
    parser.add_argument(
        "--resume", action="store_true", help="continue after the last complete line of OUT (trees and json)"
    )


def run(options: argparse.Namespace) -> int:
    """Parse and write; return the exit status."""
    if options.output is not None:
        refuse_overwriting(options.sentences, [Path(options.output)])
    (finished, size), failed = _finished(options) if options.resume else ((0, 0), 0)
    if failed:
        print(
            f"forest-align parse: {failed} of the {finished} lines written before could not be parsed",
            file=sys.stderr,
        )
    with open_input(options.sentences) as source:
        options.source = options.source or kind_of(source)
        if options.escapes and options.source != "text":
            raise InputError(f"--escapes is for text, and {source.name} has trees")
        # Load models before the output is opened: a wrong name must not leave an empty file behind.
        results = READERS[options.source](source, options)
        if finished:
            results = _go_on(results, source, finished, options)
        with open_output(options.output, size) as output:
            for line, result in counted(results, "sentences"):
                if isinstance(result, InputError):
                    failed += 1
                    problem = InputError(result.message, file=source.name, line=line, field=result.field)
                    print(f"forest-align parse: error: {problem}", file=sys.stderr)
                output.write(_written(result, options))
                output.flush()
                finished += 1
        if not finished:
            warnings.warn(InputWarning(f"{source.name}: found no sentences"), stacklevel=2)
    return EXIT_SOME_FAILED if failed else EXIT_OK


def _finished(options: argparse.Namespace) -> tuple[Whole, int]:
    """Complete lines that an earlier run has written, and how many of them are failed sentences."""
    if options.output is None or options.to == "nbest":
        raise InputError("--resume needs -o OUT, and --to trees or json")
    path = Path(options.output)
    whole = whole_lines(path, options.to)
    if not whole.lines:
        return whole, 0
    with path.open("rb") as written:
        lines = islice(written, whole.lines)
        return whole, sum(line == b"\n" or line.startswith(b'{"error"') for line in lines)


def _go_on(results: Numbered, source: InputLines, finished: int, options: argparse.Namespace) -> Numbered:
    """The results that still have to be written.

    Sentences that are parsed together influence each other's last digits. The sentences of the last batch are
    therefore parsed again, and must reproduce the written lines.
    """
    start = 0
    if options.source == "text":
        from forest_align.parsing.parser import sentences_ahead

        together = sentences_ahead(options.batch_size)
        start = (finished - 1) // together * together
        for _ in islice(source.numbered(), start):
            pass
    with open(options.output, encoding="utf-8", errors="replace", newline="\n") as written:
        for number, line in enumerate(islice(written, start, finished), start + 1):
            _, result = next(results, (0, None))
            if result is None or _written(result, options) != line:
                raise InputError(
                    "cannot resume: the line is another one now; it was made from other input, "
                    "by another parser or with other options",
                    file=options.output,
                    line=number,
                )
    return results


def _written(result: NBest | Sentence | InputError, options: argparse.Namespace) -> str:
    if options.to == "json":
        return format_json_object(_as_json(result)) + "\n"
    if isinstance(result, InputError):
        return "\n"
    if options.to == "trees":
        return _best_bracket(result) + "\n"
    listed = [f"{score:.6f}\t{bracket}\n" for score, bracket in _scored_brackets(result, options.k)]
    return "".join(listed) + "\n"


def _best_bracket(result: NBest | Sentence) -> str:
    from forest_align.types import Sentence

    if not isinstance(result, Sentence):
        return result.brackets()[0]
    return _forest(result).bracket(result.words)


def _forest(sentence: Sentence) -> ParseForest:
    if sentence.forest is None:
        raise InputError("the sentence has no forest")
    return sentence.forest


def _scored_brackets(result: NBest | Sentence, k: int) -> Iterator[tuple[float, str]]:
    from forest_align.types import Sentence

    if not isinstance(result, Sentence):
        return zip(result.log_probabilities.tolist(), result.brackets(), strict=True)
    return _forest(result).scored_brackets(result.words, k)


def _as_json(result: NBest | Sentence | InputError) -> dict[str, Any]:
    from forest_align.types import Sentence

    if isinstance(result, InputError):
        return {"error": str(InputError(result.message, field=result.field))}
    assert isinstance(result, Sentence)  # only the other outputs use n-best lists
    values = result.to_dict() | {
        "tags": list(result.tags),
        "offsets": [[token.start, token.end] for token in result.tokens],
        "tree": _forest(result).bracket(result.words),
    }
    # In this order, the longest last.
    order = ("text", "tokens", "tags", "lemmas", "offsets", "tree", "forest")
    return {name: values[name] for name in order if name in values}
