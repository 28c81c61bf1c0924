"""JSON lines: forest-align's own output, and plain ``{"source": …, "target": …}`` objects as input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from forest_align.alignment import Alignment, Links
from forest_align.data.formats.fields import label_of, plain_sentence, require_columns
from forest_align.data.formats.format import (
    ChunkLink,
    ColumnNames,
    Format,
    MarkedSpans,
    PairError,
    PhraseUnit,
    ScoredTree,
    SentencePair,
    Writer,
    most,
    read_line_by_line,
)
from forest_align.data.text.lines import InputLines
from forest_align.data.text.raw_text import with_raw_text
from forest_align.data.trees.penn import sentence_of_tree, text_of_tree
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import (
    Fields,
    check_list,
    check_number,
    check_text,
    describe,
    format_json_object,
    parse_json_object,
)
from forest_align.types.json_records import (
    Index,
    JsonObject,
    Probability,
    Span,
    check_length,
    check_span,
    convert_record,
    record_values,
)


def read(
    lines: InputLines, tokenized: bool, wanted: ColumnNames | None = None
) -> Iterator[SentencePair | InputError]:
    """Yield one pair per line.

    A line with ``version`` is an alignment; ``docs/reference/formats.md`` is the contract. Any other line has
    ``source`` and ``target``, the wanted names, or others that columns of tables may have. Each is a string,
    a list of tokens, or an object with ``text`` or ``tokens``, ``tags``, and ``tree`` or ``trees`` (a list of
    ``[bracketed tree, log-probability]``, best first). A ``text`` given with tokens or trees is their raw
    text; one with other words is an error. :class:`_Annotations` has the optional keys besides ``id``.
    """

    def parse(line: str, number: str) -> SentencePair:
        if not line.strip():
            raise InputError("blank line; expected a JSON object")
        return pair_of(parse_json_object(line), number, tokenized, wanted)

    return read_line_by_line(lines, parse)


def pair_of(
    values: dict[str, Any], number: str, tokenized: bool, wanted: ColumnNames | None = None
) -> SentencePair:
    """The pair of an object, see :func:`read`. Raises PairError if the object is no pair."""
    sides, id_key = ("source", "target"), "id"
    try:
        if wanted is None and "version" in values:
            return _alignment(values)
        names = list(values)
        columns = require_columns(names, wanted, what="fields")
        sides = names[columns.source], names[columns.target]
        id_key = id_key if columns.id is None else names[columns.id]
        return _plain(values, sides, id_key, number, tokenized)
    except InputError as error:
        with suppress(InputError):
            number = Fields(values).identifier(id_key, number)
        raise PairError(error, number, *(_text(values.get(side)) for side in sides)) from None


def _text(side: Any) -> str:
    """Text of a sentence whose JSON value may be invalid."""
    if isinstance(side, list):
        side = {"tokens": side}
    if isinstance(side, dict):
        tokens, tree = side.get("tokens"), side.get("tree")
        words = " ".join(map(str, tokens)) if isinstance(tokens, list) else ""
        side = side.get("text") or words or (text_of_tree(tree) if isinstance(tree, str) else "")
    return side if isinstance(side, str) else ""


def _alignment(values: dict[str, Any]) -> SentencePair:
    alignment = Alignment.from_dict(values)
    source, target = _located(alignment.source, "source.text"), _located(alignment.target, "target.text")
    alignment = replace(alignment, source=source, target=target)
    return SentencePair(
        alignment.id,
        source,
        target,
        alignment.words,
        source_trees=((alignment.source_tree, 0.0),) if alignment.source_tree else (),
        target_trees=((alignment.target_tree, 0.0),) if alignment.target_tree else (),
        alignment=alignment,
    )


class _Unit(JsonObject, omit_defaults=False, kw_only=True, frozen=True):
    """The JSON object of a phrase unit."""

    type: str = ""
    sense_preserving: bool = True
    source: tuple[Index, ...]
    target: tuple[Index, ...]


class _Annotations(JsonObject, frozen=True):
    """What a line says about its pair, in the order in which it is written."""

    words: list[tuple[Index, Index]] | None = None
    word_sure: list[bool] | None = None
    word_probabilities: list[Probability] | None = None
    label: Any = None
    score: float | None = None
    group: str | None = None
    chunks: list[ChunkLink] | None = None
    phrases: list[_Unit] | None = None
    marked: list[MarkedSpans] | None = None
    source_chunks: list[Span] | None = None
    target_chunks: list[Span] | None = None


def _plain(
    values: dict[str, Any], sides: ColumnNames, id_key: str, number: str, tokenized: bool
) -> SentencePair:
    fields, label = Fields(values), values.get("label")
    (source, source_trees), (target, target_trees) = (_side(fields, side, tokenized) for side in sides)
    said = convert_record(_Annotations, values)
    lengths = (len(source), len(target))
    for k, link in enumerate(said.chunks or ()):
        _check_tokens(link, f"chunks[{k}]", lengths)
    for k, unit in enumerate(said.phrases or ()):
        _check_tokens(unit, f"phrases[{k}]", lengths)
    for k, marked in enumerate(said.marked or ()):
        check_span(marked.source, f"marked[{k}].source", len(source.text))
        check_span(marked.target, f"marked[{k}].target", len(target.text))
    all_chunks = {"source_chunks": said.source_chunks, "target_chunks": said.target_chunks}
    for (key, spans), length in zip(all_chunks.items(), lengths, strict=True):
        for k, span in enumerate(spans or ()):
            check_span(span, f"{key}[{k}]", length)
    units = [
        PhraseUnit(unit.source, unit.target, unit.type, unit.sense_preserving) for unit in said.phrases or ()
    ]
    return SentencePair(
        fields.identifier(id_key, number),
        source,
        target,
        _links(said, lengths),
        label if isinstance(label, bool) else label_of(str(label)),
        said.score,
        said.group or "",
        source_trees,
        target_trees,
        None if said.chunks is None else tuple(said.chunks),
        tuple(said.source_chunks or ()),
        tuple(said.target_chunks or ()),
        units=None if said.phrases is None else tuple(units),
        marked=None if said.marked is None else tuple(said.marked),
    )


def _side(fields: Fields, side: str, tokenized: bool) -> tuple[Sentence, tuple[ScoredTree, ...]]:
    value = fields.raw(side)
    if isinstance(value, str):
        return plain_sentence(value, tokenized, side), ()
    if isinstance(value, list):
        value = {"tokens": value}
    if not isinstance(value, dict):
        raise InputError(
            f"expected a string, a list of tokens or an object, found {describe(value)}", field=side
        )
    inner = Fields(value, side)
    trees = _trees(inner)
    if inner.has("tokens"):
        if not inner.items("tokens"):
            raise InputError("expected tokens, found none", field=inner.name("tokens"))
        return _located(Sentence.from_dict(value, side, forest=False), inner.name("text")), trees
    if trees:
        sentence = sentence_of_tree(trees[0][0], inner.name("tree"))
        if inner.has("text"):
            sentence = with_raw_text(sentence, inner.text("text"), inner.name("text"))
        return sentence, trees
    return plain_sentence(inner.text("text"), tokenized, inner.name("text")), trees


def _located(sentence: Sentence, field: str) -> Sentence:
    """The sentence with offsets, if they are not given and do not follow from tokens joined by spaces."""
    if not sentence.tokens or any(token.start >= 0 for token in sentence.tokens):
        return sentence
    return with_raw_text(sentence, sentence.text, field)


def _trees(fields: Fields) -> tuple[ScoredTree, ...]:
    if not fields.has("trees"):
        return ((fields.text("tree"), 0.0),) if fields.has("tree") else ()
    trees = []
    for k, item in enumerate(fields.items("trees")):
        name = f"{fields.name('trees')}[{k}]"
        tree, score = check_list(item, name, 2)
        trees.append((check_text(tree, name), check_number(score, name)))
    return tuple(trees)


def _links(said: _Annotations, lengths: tuple[int, int]) -> Links | None:
    if said.words is None:
        return None
    if not all(lengths):
        raise InputError("links need tokens: give 'tokens', or --tokenized", field="words")
    sure = check_length(said.word_sure, len(said.words), "word_sure")
    scores = check_length(said.word_probabilities, len(said.words), "word_probabilities")
    try:
        return Links.of(said.words, sure=sure, scores=scores).check(*lengths)
    except InputError as error:
        raise InputError(error.message, field=error.field or "words") from None


def _check_tokens(group: ChunkLink | _Unit, path: str, lengths: tuple[int, int]) -> None:
    for side, tokens, length in zip(("source", "target"), (group.source, group.target), lengths, strict=True):
        if any(token >= length for token in tokens):
            raise InputError(
                f"expected tokens of a sentence of {length}, found {list(tokens)}", field=f"{path}.{side}"
            )


def _matches(head: Sequence[str]) -> bool:
    begins_list = bool(head) and head[0].lstrip().startswith("[")
    return not begins_list and most(head, lambda line: line.lstrip().startswith("{"))


def _write_pair(pair: SentencePair) -> str:
    if pair.alignment is not None:
        return pair.alignment.to_json() + "\n"
    values: dict[str, Any] = {"id": pair.id}
    for side, sentence, trees in zip(
        ("source", "target"), (pair.source, pair.target), pair.brackets, strict=True
    ):
        values[side] = sentence.to_dict(forest=False) if sentence.tokens else {"text": sentence.text}
        if trees:
            values[side]["trees"] = [list(tree) for tree in trees]
    units = [
        _Unit(type=unit.type, sense_preserving=unit.keeps_meaning, source=unit.source, target=unit.target)
        for unit in pair.units or ()
    ]
    links = pair.links
    said = _Annotations(
        words=None if links is None else list(links.pairs),
        word_sure=None if links is None or links.sure is None else list(links.sure),
        word_probabilities=None if links is None or links.scores is None else list(links.scores),
        label=pair.label,
        score=pair.score,
        group=pair.group or None,
        chunks=None if pair.chunks is None else list(pair.chunks),
        phrases=None if pair.units is None else units,
        marked=None if pair.marked is None else list(pair.marked),
        source_chunks=list(pair.source_chunks) or None,
        target_chunks=list(pair.target_chunks) or None,
    )
    return format_json_object(values | record_values(said)) + "\n"


FORMAT = Format(
    "jsonl",
    "JSON lines: alignments of forest-align, or objects with source and target",
    read,
    _matches,
    (".jsonl", ".ndjson"),
    read_columns=read,
    writer=Writer(
        _write_pair,
        frozenset(
            {
                *("links", "possible links", "link probabilities", "phrases", "error"),
                *("tags", "lemmas", "trees", "trees but the best", "chunks", "spans of all chunks"),
                *("label", "score", "group", "phrases with types", "marked spans"),
            }
        ),
    ),
)
