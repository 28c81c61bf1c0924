"""The formats that have one pair per line, in columns without names of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from forest_align.data.formats.fields import (
    cells,
    columns,
    join_links,
    need_links,
    need_texts,
    one_line,
    plain_sentences,
    split_links,
    tokens_of,
)
from forest_align.data.formats.format import (
    Format,
    MarkedSpans,
    PairError,
    SentencePair,
    Span,
    Writer,
    most,
    read_line_by_line,
    reading_pair,
)
from forest_align.data.text.lines import InputLines
from forest_align.data.trees.penn import sentence_of_tree, text_of_tree
from forest_align.types import InputError


def _format(
    name: str,
    summary: str,
    parse: Callable[[str, str, bool], SentencePair],
    is_row: Callable[[str], bool] | None = None,
    *,
    header: str = "",
    extensions: tuple[str, ...] = (),
    writer: Writer | None = None,
) -> Format:
    """A format whose lines ``parse`` reads: it takes a line, its number and the flag of :class:`Format`.

    The format is known by its ``header``, or by the lines that ``is_row`` accepts.
    """

    def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
        def pair_of(line: str, number: str) -> SentencePair | None:
            return None if header and line == header else parse(line, number, tokenized)

        return read_line_by_line(lines, pair_of)

    def matches(head: Sequence[str]) -> bool:
        return list(head[:1]) == [header] if is_row is None else most(head, is_row)

    return Format(name, summary, read, matches, extensions, writer)


def _line_numbers(first: int) -> Callable[[], Callable[[SentencePair], str]]:
    """Ids of pairs that are named by their line, beginning with line ``first``."""

    def numbering() -> Callable[[SentencePair], str]:
        numbers = count(first)
        return lambda pair: str(next(numbers))

    return numbering


def _read_tsv(line: str, number: str, tokenized: bool) -> SentencePair:
    source, target, name = cells(line, 3)
    name = name.strip() or number
    with reading_pair(name, source, target):
        found = len(columns(line, 2, "source, target, and perhaps an id, separated by a tab"))
        if found > 3:
            raise InputError(
                f"expected 2 or 3 columns (source, target, id), found {found}; there may be more below a "
                "header line with the columns source and target"
            )
        return SentencePair(name, *plain_sentences((source, target), tokenized))


def _write_tsv(pair: SentencePair) -> str:
    return "\t".join((*need_texts(pair, "tsv"), one_line(pair.id))) + "\n"


TSV = _format(
    "tsv",
    "source<TAB>target[<TAB>id], raw text",
    _read_tsv,
    lambda line: line.count("\t") in (1, 2),
    writer=Writer(_write_tsv, id=one_line),
)


def _read_bars(line: str, number: str, tokenized: bool) -> SentencePair:
    source, *targets = (text.strip() for text in line.split("|||"))
    with reading_pair(number, source, *targets[:1]):
        if len(targets) != 1:
            raise InputError(f"expected source ||| target, found {len(targets) + 1} texts between |||")
        return SentencePair(number, *plain_sentences((source, targets[0]), tokenized))


#: The input of fast_align, eflomal and awesome-align.
BARS = _format(
    "bars",
    "source ||| target, raw text",
    _read_bars,
    lambda line: len(texts := line.split("|||")) == 2 and all(map(str.strip, texts)),
)


def _read_sts(line: str, number: str, tokenized: bool) -> SentencePair:
    with reading_pair(number, *cells(line, 3)[1:]):
        first, *texts = columns(line, 3, "score, source, target")[:3]
        score = _similarity(first)
        if score is None:
            raise InputError(f"expected a number from 0 to 5, found {first!r}", field="score")
        return SentencePair(number, *plain_sentences(texts, tokenized), score=score)


def _similarity(text: str) -> float | None:
    try:
        score = float(text)
    except ValueError:
        return None
    return score if 0.0 <= score <= 5.0 else None


def _is_sts(line: str) -> bool:
    row = line.split("\t")
    return len(row) == 3 and _similarity(row[0]) is not None


def _write_sts(pair: SentencePair) -> str:
    if pair.score is None:
        raise InputError(f"pair {pair.id!r} has no similarity score, which format sts needs")
    score = repr(pair.score).removesuffix(".0")
    if _similarity(score) is None:
        raise InputError(f"pair {pair.id!r} has the score {score}; format sts holds those from 0 to 5")
    return "\t".join((score, *need_texts(pair, "sts"))) + "\n"


STS = _format(
    "sts",
    "semantic similarity: score<TAB>source<TAB>target",
    _read_sts,
    _is_sts,
    writer=Writer(_write_sts, frozenset({"score"}), numbering=_line_numbers(1)),
)

_MSRP_HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"


def _read_msrp(line: str, number: str, tokenized: bool) -> SentencePair:
    quality, first, second, *texts = cells(line, 5)
    name = f"{first}-{second}" if first or second else number
    with reading_pair(name, *texts):
        columns(line, 5, "Quality, #1 ID, #2 ID, #1 String, #2 String")
        if quality not in ("0", "1"):
            raise InputError(f"expected 0 or 1, found {quality!r}", field="Quality")
        sides = plain_sentences(texts, tokenized, ("#1 String", "#2 String"))
        return SentencePair(name, *sides, label=quality == "1")


def _msrp_ids(id: str) -> tuple[str, str]:
    first, _, second = one_line(id).partition("-")
    return first, second or first


def _write_msrp(pair: SentencePair) -> str:
    if pair.label is None:
        raise InputError(f"pair {pair.id!r} has no label, which format msrp needs")
    return "\t".join((str(int(pair.label)), *_msrp_ids(pair.id), *need_texts(pair, "msrp"))) + "\n"


MSRP = _format(
    "msrp",
    "Microsoft paraphrase corpus: Quality, two ids, two strings",
    _read_msrp,
    header=_MSRP_HEADER,
    writer=Writer(
        _write_msrp, frozenset({"label"}), header=f"{_MSRP_HEADER}\n", id=lambda id: "-".join(_msrp_ids(id))
    ),
)


def _read_multimwa(line: str, number: str, _: bool) -> SentencePair:
    name, source, _na, target = cells(line, 4)
    name = (name if "\t" in line else "") or number
    with reading_pair(name, source, target):
        row = columns(line, 8, "id, source, N/A, target, N/A, –, –, sure, possible")
        sides = plain_sentences((source, target), tokenized=True)
        possible = row[8] if len(row) > 8 else ""
        links = join_links(row[7], possible, ("sure", "possible"), (len(sides[0]), len(sides[1])))
    return SentencePair(name, *sides, links)


def _is_multimwa(line: str) -> bool:
    row = line.split("\t")
    return len(row) > 7 and row[2] == row[4] == "N/A"


def _write_multimwa(pair: SentencePair) -> str:
    links = split_links(need_links(pair, "multimwa"))
    sides = (tokens_of(pair.source), "N/A", tokens_of(pair.target), "N/A")
    return "\t".join((one_line(pair.id), *sides, "1", "1", *links, "")) + "\n"


#: Lan et al. (2021); sentences are always tokenized.
MULTIMWA = _format(
    "multimwa",
    "MultiMWA table: id, source, N/A, target, N/A, –, –, sure, possible",
    _read_multimwa,
    _is_multimwa,
    writer=Writer(_write_multimwa, frozenset({"links", "possible links"}), id=one_line),
)

_SSD_HEADER = "premise\thypothesis\tspan_similarity\tsentence_similarity"
_BRACES = re.compile(r"\{\{(.+?)\}\}")


def _read_ssd(line: str, number: str, tokenized: bool) -> SentencePair:
    """Spans correspond in their order; the third column has a label for each, with commas between."""
    (source, ours), (target, theirs) = map(_without_braces, cells(line, 2))
    with reading_pair(number, source, target):
        row = columns(line, 4, "premise, hypothesis, span_similarity, sentence_similarity")
        labels = row[2].split(",") if row[2].strip() else []
        if not {row[3], *labels} <= {"0", "1"}:
            raise InputError(f"expected 0 or 1 for each span and for the pair, found {row[2:4]}")
        if not len(ours) == len(theirs) == len(labels):
            found = f"{len(ours)} and {len(theirs)} spans and {len(labels)} labels"
            raise InputError(f"expected as many spans on both sides as labels, found {found}")
        sides = plain_sentences((source, target), tokenized, ("premise", "hypothesis"))
        spans = zip(ours, theirs, labels, strict=True)
        marked = tuple(MarkedSpans(one, other, label == "1") for one, other, label in spans)
        return SentencePair(number, *sides, label=row[3] == "1", marked=marked)


def _without_braces(text: str) -> tuple[str, list[Span]]:
    """A text without its braces, and the spans of characters that they marked."""
    plain, spans, end = "", [], 0
    for braces in _BRACES.finditer(text):
        plain += text[end : braces.start()]
        spans.append((len(plain), len(plain) + len(braces[1])))
        plain, end = plain + braces[1], braces.end()
    return plain + text[end:], spans


def _with_braces(text: str, spans: Sequence[Span], id: str) -> str:
    marked, place = "", 0
    for start, end in spans:
        if start < place:
            raise InputError(f"pair {id!r} has spans that are not in order, which format ssd needs")
        marked += f"{text[place:start]}{{{{{text[start:end]}}}}}"
        place = end
    return marked + text[place:]


def _write_ssd(pair: SentencePair) -> str:
    if pair.marked is None or pair.label is None:
        raise InputError(f"pair {pair.id!r} has no marked spans or no label, which format ssd needs")
    source, target = need_texts(pair, "ssd")
    source = _with_braces(source, [spans.source for spans in pair.marked], pair.id)
    target = _with_braces(target, [spans.target for spans in pair.marked], pair.id)
    labels = ",".join(str(int(spans.same)) for spans in pair.marked)
    return f"{source}\t{target}\t{labels}\t{int(pair.label)}\n"


SSD = _format(
    "ssd",
    "span similarity dataset: premise, hypothesis, labels of the {{marked}} spans, label of the pair",
    _read_ssd,
    header=_SSD_HEADER,
    writer=Writer(
        _write_ssd,
        frozenset({"label", "marked spans"}),
        header=f"{_SSD_HEADER}\n",
        numbering=_line_numbers(2),  # the header is line 1
    ),
)


def _read_trees(line: str, number: str, _: bool) -> SentencePair:
    """Tokens are the leaves without traces, with brackets unescaped."""
    source, target, name = cells(line, 3)
    name = name.strip() or number
    try:
        columns(line, 2, "source tree, target tree, and perhaps an id, separated by a tab")
        return SentencePair(
            name,
            sentence_of_tree(source, "source"),
            sentence_of_tree(target, "target"),
            source_trees=((source.strip(), 0.0),),
            target_trees=((target.strip(), 0.0),),
        )
    except InputError as error:
        raise PairError(error, name, text_of_tree(source), text_of_tree(target)) from None


def _is_trees(line: str) -> bool:
    row = [column.strip() for column in line.split("\t")]
    return len(row) in (2, 3) and all(x.startswith("(") and x.endswith(")") for x in row[:2])


def _write_trees(pair: SentencePair) -> str:
    if not all(pair.brackets):
        raise InputError(f"pair {pair.id!r} has no trees, which format trees needs")
    source, target = (" ".join(trees[0][0].split()) for trees in pair.brackets)
    return f"{source}\t{target}\t{one_line(pair.id)}\n"


#: For users who have parsed their sentences.
TREES = _format(
    "trees",
    "Penn trees: source tree<TAB>target tree[<TAB>id]",
    _read_trees,
    _is_trees,
    extensions=(".trees",),
    writer=Writer(_write_trees, frozenset({"trees", "tags"}), id=one_line),
)
