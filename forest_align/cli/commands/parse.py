"""The ``parse`` command: sentences in; trees, n-best lists or packed forests out, line by line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align._version import __version__
from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.aligner_choice import contents_of
from forest_align.cli.arguments import settings_of
from forest_align.cli.input_reports import expected_count
from forest_align.cli.parse_inputs import READERS, ParseItem, ParseOptions, kind_of, open_input
from forest_align.cli.run_options import check_shard
from forest_align.jobs.run_record import block_lines
from forest_align.jobs.shards import EntryWriter, Line, LineRun, Share
from forest_align.parsing.networks.devices import check_device
from forest_align.storage.outputs import refuse_overwriting
from forest_align.types import InputError, InputWarning, Sentence
from forest_align.types.json_fields import Fields, format_json_object, parse_json_object

if TYPE_CHECKING:
    from forest_align.parsing import NBest
    from forest_align.types import ParseForest

_SUFFIXES = {"trees": ".txt", "json": ".jsonl"}  # of parts

EPILOG = """examples:
  forest-align parse 'The cat sat on the mat.'
  forest-align parse sentences.txt --to nbest -k 10 -o trees.txt
  forest-align parse treebank.mrg --to json
  forest-align parse many.txt --to json -o forests.jsonl --resume

output, one line (or block) a sentence, in input order:
  trees   the best tree in Penn brackets; an empty line where a sentence could not be parsed
  nbest   'log-probability<TAB>tree', best first; an empty line ends the list of a sentence
  json    the packed forest of the k best trees, or {"error": ...}
exit status: 0 all parsed, 1 some sentences failed, 2 bad usage or input"""


OPTIONS = ParseOptions


def run(options: ParseOptions) -> int:
    """Parse and write; return the exit status."""
    if options.output is not None:
        refuse_overwriting(options.sentences, [Path(options.output)])
    if options.shard is not None:
        check_shard(options, tuple(_SUFFIXES))
    if options.resume and (options.output is None or options.to == "nbest"):
        raise InputError("--resume needs -o OUT, and --to trees or json")
    from forest_align.parsing.parser import sentences_ahead

    with open_input(options.sentences) as source:
        options = replace(options, source=options.source or kind_of(source))
        if options.escapes and options.source != "text":
            raise InputError(f"--escapes is for text, and {source.name} has trees")
        if options.device != "cpu" and options.source != "text":
            raise InputError(f"--device is for text, and {source.name} has trees")
        together = sentences_ahead(options.batch_size) if options.source == "text" else 1
        share = Share(options.shard, block_lines(together))
        writer = EntryWriter(
            lambda result: _written(result, options), one_line_each=options.to != "nbest", may_pack=False
        )
        run = LineRun[ParseItem](
            "parse",
            options.output,
            writer,
            _made_with(options),
            share,
            lambda item: [_key(item, options)],
            resume=options.resume,
            unit="sentences",
            inputs=[] if source.path is None else [options.sentences],
            suffix=_SUFFIXES.get(options.to, ""),
        )
        if run.finished is not None:
            return EXIT_SOME_FAILED if run.finished.failures else EXIT_OK

        def skip(items: Iterator[ParseItem]) -> Iterator[ParseItem]:
            if options.shard is not None:
                items = (item for item in items if share.takes([_key(item, options)]))
            return _skip_finished(items, run, options) if run.resumes else items

        def lines() -> Iterator[Line[ParseItem]]:
            for item in results:
                failure, result = None, item.content
                if isinstance(result, InputError):
                    problem = InputError(result.message, file=source.name, line=item.line, field=result.field)
                    print(f"forest-align parse: error: {problem}", file=sys.stderr)
                    failure = (str(item.line or ""), result.message)
                yield item, writer.line(result), failure

        # Load models before the output is opened: a wrong name must not leave an empty file.
        results = READERS[str(options.source)](source, options, skip)
        whole_text = options.shard is None and options.source == "text"
        total = expected_count(options.sentences, (".txt",)) if whole_text else None
        run.write(lines(), total)
        if not (share.items or run.record.lines):
            warnings.warn(InputWarning(f"{source.name}: found no sentences"), stacklevel=2)
    return EXIT_SOME_FAILED if run.record.failures else EXIT_OK


def _made_with(options: ParseOptions) -> dict[str, str]:
    """Settings that a resumed run must share."""
    return {
        "the version": __version__,
        "--parser": contents_of(options.parser),
        "--from": str(options.source),
        **settings_of(options, "to", "k", "tokenized", "escapes", "batch_size"),
        "--device": _kind_of_device(options.device),
    }


def _kind_of_device(name: str) -> str:
    """What the last digits depend on."""
    if check_device(name) == "cpu":
        return ""
    from forest_align.parsing.networks.devices import find_device

    return "" if find_device(name).place == "cpu" else "a GPU"


def _skip_finished(
    items: Iterator[ParseItem], run: LineRun[ParseItem], options: ParseOptions
) -> Iterator[ParseItem]:
    """Skip the items, lines of text or sentences with trees, whose lines an earlier run has written."""
    record, output = run.record, run.output

    def check_last(last: ParseItem) -> None:
        if not record.is_known and not _may_have_given(record.last_line, last, options):
            message = "cannot resume: the line is another one now; it was made from other input"
            raise InputError(message, file=output, line=record.lines)

    left = record.skip_written(items, lambda item: [_key(item, options)], check_last)
    if record.is_whole:
        print(f"forest-align parse: {output} has all {record.lines} lines already", file=sys.stderr)
    elif record.found and not record.is_known:
        message = f"cannot resume: {record.path}, which has the earlier settings, is missing"
        raise InputError(f"{message}; start over without --resume", file=output)
    if record.failures:
        print(
            f"forest-align parse: {record.failures} of the {record.lines} lines written before "
            "could not be parsed",
            file=sys.stderr,
        )
    return left


def _key(item: ParseItem, options: ParseOptions) -> str:
    """What a line was made from: a line of text, or trees, which are as good as the line itself."""
    return _written(item.content, options) if item.text is None else item.text


def _may_have_given(line: str, item: ParseItem, options: ParseOptions) -> bool:
    """Whether a line of an output without a record, as finished runs leave it, may be that of an item."""
    if item.text is None:
        return _written(item.content, options) == f"{line}\n"
    if options.to == "trees":
        return line[:1] in ("", "(")
    try:
        fields = Fields(parse_json_object(line))
        return fields.has("error") or fields.text("text").split() == item.text.split()
    except InputError:
        return False


def _written(result: NBest | Sentence | InputError, options: ParseOptions) -> str:
    if options.to == "json":
        return _as_json(result) + "\n"
    if isinstance(result, InputError):
        return "\n"
    if options.to == "trees":
        if isinstance(result, Sentence):
            return _forest(result).bracket(result.words) + "\n"
        return result.brackets()[0] + "\n"
    if isinstance(result, Sentence):
        scored = _forest(result).scored_brackets(result.words, options.k)
    else:
        scored = zip(result.log_probabilities.tolist(), result.brackets(), strict=True)
    return "".join(f"{score:.6f}\t{bracket}\n" for score, bracket in scored) + "\n"


def _forest(sentence: Sentence) -> ParseForest:
    if sentence.forest is None:
        raise InputError("the sentence has no forest")
    return sentence.forest


def _as_json(result: NBest | Sentence | InputError) -> str:
    from msgspec import structs

    from forest_align.types.json_records import record_text

    if isinstance(result, InputError):
        return format_json_object({"error": str(InputError(result.message, field=result.field))})
    assert isinstance(result, Sentence)  # only the other outputs use n-best lists
    listed = result.to_object(tree=_forest(result).bracket(result.words))
    offsets = [(token.start, token.end) for token in result.tokens]
    return record_text(structs.replace(listed, tags=list(result.tags), offsets=offsets))
