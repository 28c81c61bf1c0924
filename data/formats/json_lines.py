"""JSON lines: forest-align's own output, and plain ``{"source": …, "target": …}`` objects as input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from forest_align.alignment import Alignment, Links
from forest_align.data.formats.column_names import ColumnNames, label_of, require_columns
from forest_align.data.formats.fields import plain_sentence
from forest_align.data.formats.format import (
    ChunkLink,
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
from forest_align.data.formats.tree_pairs import sentence_of_tree, text_of_tree
from forest_align.data.text.lines import InputLines
from forest_align.data.text.raw_text import with_raw_text
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import (
    Fields,
    check_boolean,
    check_integer,
    check_list,
    check_number,
    check_probability,
    check_span,
    check_text,
    describe,
    format_json_object,
    parse_json_object,
)


def read(
    lines: InputLines, tokenized: bool, wanted: ColumnNames | None = None
) -> Iterator[SentencePair | InputError]:
    """Yield one pair a line.

    A line with ``version`` is an alignment; ``docs/reference/formats.md`` is the contract. Any other line has
    ``source`` and ``target``, the wanted names, or others that columns of tables may have. Each is a string,
    a list of tokens, or an object with ``text`` or ``tokens``,
    ``tags``, and ``tree`` or ``trees`` (a list of ``[bracketed tree, log-probability]``, best first).
    Optional keys of the line are ``id``, ``words``, ``word_sure``, ``word_probabilities``, ``label``,
    ``score``, ``group``, ``chunks``, ``source_chunks``, ``target_chunks``, ``phrases``, ``marked``. A
    ``text`` given with tokens or trees is their raw text;
    a ``text`` with other words is an error.
    """

    def parse(line: str) -> SentencePair:
        if not line.strip():
            raise InputError("blank line; expected a JSON object")
        return pair_of(parse_json_object(line), str(lines.number), tokenized, wanted)

    return read_line_by_line(lines, parse)


def pair_of(
    values: dict[str, Any], number: str, tokenized: bool, wanted: ColumnNames | None = None
) -> SentencePair:
    """The pair of an object, see :func:`read`.

    Raises
    ------
    PairError
        If the object is no pair.
    """
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
        texts = [_text(values.get(side)) for side in sides]
        raise PairError(error, _name(values, id_key, number), *texts) from None


def _name(values: dict[str, Any], key: str, number: str) -> str:
    try:
        return Fields(values).identifier(key, number)
    except InputError:
        return number


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
    alignment = replace(
        alignment,
        source=_located(alignment.source, "source.text"),
        target=_located(alignment.target, "target.text"),
    )
    return SentencePair(
        alignment.id,
        alignment.source,
        alignment.target,
        alignment.words,
        source_trees=((alignment.source_tree, 0.0),) if alignment.source_tree else (),
        target_trees=((alignment.target_tree, 0.0),) if alignment.target_tree else (),
        alignment=alignment,
    )


def _plain(
    values: dict[str, Any], sides: ColumnNames, id_key: str, number: str, tokenized: bool
) -> SentencePair:
    fields = Fields(values)
    (source, source_trees), (target, target_trees) = (_side(fields, side, tokenized) for side in sides)
    chunks, units = fields.items("chunks", None), fields.items("phrases", None)
    lengths = (len(source), len(target))
    return SentencePair(
        fields.identifier(id_key, number),
        source,
        target,
        _links(fields, len(source), len(target)),
        _label(values.get("label")),
        fields.number("score", None),
        fields.text("group", ""),
        source_trees,
        target_trees,
        None if chunks is None else tuple(_chunk(x, f"chunks[{k}]", lengths) for k, x in enumerate(chunks)),
        _spans(fields, "source_chunks", len(source)),
        _spans(fields, "target_chunks", len(target)),
        units=None if units is None else _units(units, lengths),
        marked=_marked(fields, (source.text, target.text)),
    )


def _label(value: Any) -> bool | None:
    """The label of a pair; None for one of another kind, as in tables."""
    return value if isinstance(value, bool) else label_of(str(value))


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
        return _located(Sentence.from_dict(inner, forest=False), inner.name("text")), trees
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
    found = []
    for k, item in enumerate(fields.items("trees")):
        name = f"{fields.name('trees')}[{k}]"
        tree, score = check_list(item, name, 2)
        found.append((check_text(tree, name), check_number(score, name)))
    return tuple(found)


def _links(fields: Fields, source_length: int, target_length: int) -> Links | None:
    if not fields.has("words"):
        return None
    if not (source_length and target_length):
        raise InputError("links need tokens: give 'tokens', or --tokenized", field="words")
    items = fields.items("words")
    pairs = [
        tuple(check_integer(x, f"words[{k}]") for x in check_list(y, f"words[{k}]", 2))
        for k, y in enumerate(items)
    ]
    sure = fields.items("word_sure", None, len(pairs))
    scores = fields.items("word_probabilities", None, len(pairs))
    try:
        return Links.of(
            pairs,  # type: ignore[arg-type]
            sure=None if sure is None else [check_boolean(x, f"word_sure[{k}]") for k, x in enumerate(sure)],
            scores=None
            if scores is None
            else [check_probability(x, f"word_probabilities[{k}]") for k, x in enumerate(scores)],
        ).check(source_length, target_length)
    except InputError as error:
        raise InputError(error.message, field=error.field or "words") from None


def _chunk(value: Any, name: str, lengths: tuple[int, int]) -> ChunkLink:
    fields = Fields(value, name)
    source, target = _token_lists(fields, lengths)
    return ChunkLink(source, target, fields.text("type"), fields.text("score", "NIL"))


def _units(values: Sequence[Any], lengths: tuple[int, int]) -> tuple[PhraseUnit, ...]:
    found = []
    for k, value in enumerate(values):
        fields = Fields(value, f"phrases[{k}]")
        source, target = _token_lists(fields, lengths)
        found.append(
            PhraseUnit(source, target, fields.text("type", ""), fields.boolean("sense_preserving", True))
        )
    return tuple(found)


def _token_lists(fields: Fields, lengths: tuple[int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    sides = []
    for side, length in zip(("source", "target"), lengths, strict=True):
        tokens = tuple(check_integer(x, fields.name(side)) for x in fields.items(side))
        if any(not 0 <= token < length for token in tokens):
            raise InputError(
                f"expected tokens of a sentence of {length}, found {list(tokens)}", field=fields.name(side)
            )
        sides.append(tokens)
    return sides[0], sides[1]


def _marked(fields: Fields, texts: tuple[str, str]) -> tuple[MarkedSpans, ...] | None:
    items = fields.items("marked", None)
    if items is None:
        return None
    found = []
    for k, item in enumerate(items):
        inner = Fields(item, f"marked[{k}]")
        source, target = (
            check_span(inner.raw(side), inner.name(side), len(text))
            for side, text in zip(("source", "target"), texts, strict=True)
        )
        found.append(MarkedSpans(source, target, inner.boolean("same")))
    return tuple(found)


def _spans(fields: Fields, key: str, length: int) -> tuple[tuple[int, int], ...]:
    return tuple(check_span(x, f"{key}[{k}]", length) for k, x in enumerate(fields.items(key, [])))


def matches(head: Sequence[str]) -> bool:
    """Whether lines begin with objects, and the file does not begin with a list of them."""
    begins_list = bool(head) and head[0].lstrip().startswith("[")
    return not begins_list and most(head, lambda line: line.lstrip().startswith("{"))


def write_pair(pair: SentencePair) -> str:
    """One line: the alignment if there is one, else the pair with its annotations."""
    if pair.alignment is not None:
        return pair.alignment.to_json() + "\n"
    values: dict[str, Any] = {"id": pair.id}
    for side, sentence, trees in zip(
        ("source", "target"), (pair.source, pair.target), pair.brackets, strict=True
    ):
        values[side] = sentence.to_dict(forest=False) if sentence.tokens else {"text": sentence.text}
        if trees:
            values[side]["trees"] = [list(tree) for tree in trees]
    if pair.links is not None:
        values["words"] = [list(link) for link in pair.links]
        if pair.links.sure is not None:
            values["word_sure"] = list(pair.links.sure)
        if pair.links.scores is not None:
            values["word_probabilities"] = list(pair.links.scores)
    for key in ("label", "score", "group"):
        if (value := getattr(pair, key)) not in (None, ""):
            values[key] = value
    if pair.chunks is not None:
        values["chunks"] = [
            {"source": list(c.source), "target": list(c.target), "type": c.type, "score": c.score}
            for c in pair.chunks
        ]
    if pair.units is not None:
        values["phrases"] = [
            {
                "type": unit.type,
                "sense_preserving": unit.keeps_meaning,
                "source": list(unit.source),
                "target": list(unit.target),
            }
            for unit in pair.units
        ]
    if pair.marked is not None:
        values["marked"] = [
            {"source": list(one.source), "target": list(one.target), "same": one.same} for one in pair.marked
        ]
    for key, spans in (("source_chunks", pair.source_chunks), ("target_chunks", pair.target_chunks)):
        if spans:
            values[key] = [list(span) for span in spans]
    return format_json_object(values) + "\n"


FORMAT = Format(
    "jsonl",
    "JSON lines: alignments of forest-align, or objects with source and target",
    read,
    matches,
    (".jsonl", ".ndjson"),
    read_columns=read,
    writer=Writer(
        write_pair,
        frozenset(
            {
                *("links", "possible links", "link probabilities", "phrases", "error"),
                *("tags", "lemmas", "trees", "trees but the best", "chunks", "spans of all chunks"),
                *("label", "score", "group", "phrases with types", "marked spans"),
            }
        ),
    ),
)
