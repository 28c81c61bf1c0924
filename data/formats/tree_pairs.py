"""Pairs of Penn-bracketed trees, for users who have already parsed their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from forest_align.data.formats.fields import cells, columns, one_line
from forest_align.data.formats.format import Format, PairError, SentencePair, Writer, most, read_line_by_line
from forest_align.data.text.lines import InputLines
from forest_align.data.trees.penn import parse_bracket, strip_annotations, unescape
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from nltk import Tree


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one pair per line: source tree, target tree and optionally an id, separated by tabs.

    Tokens are the leaves without traces, with brackets unescaped.
    """

    def parse(line: str) -> SentencePair:
        source, target, name = cells(line, 3)
        name = name.strip() or str(lines.number)
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

    return read_line_by_line(lines, parse)


def sentence_of_tree(bracket: str, field: str | None = None) -> Sentence:
    """Words and tags of a tree in Penn brackets.

    Raises InputError if it is not a single tree with words; ``field`` names it.
    """
    try:
        tree = strip_annotations(parse_bracket(bracket))
        if tree is None:
            raise InputError(f"expected a tree with words, found {bracket[:80]!r}")
        leaves = list(_leaves(tree))
    except InputError as error:
        raise InputError(error.message, field=field) from None
    words = [unescape(word) for word, _ in leaves]
    return Sentence.from_words(words, [tag for _, tag in leaves])


def text_of_tree(bracket: str) -> str:
    """The words of a tree joined by spaces; empty if it is broken."""
    try:
        return sentence_of_tree(bracket).text
    except InputError:
        return ""


def _leaves(tree: Tree) -> Iterator[tuple[str, str]]:
    todo: list[tuple[Tree | str, str]] = [(tree, "")]
    while todo:
        node, tag = todo.pop()
        if isinstance(node, str):
            yield node, tag
        else:
            todo.extend((child, node.label()) for child in reversed(list(node)))


def matches(head: Sequence[str]) -> bool:
    """Whether both columns hold brackets."""
    return most(head, _is_row)


def _is_row(line: str) -> bool:
    row = [column.strip() for column in line.split("\t")]
    return len(row) in (2, 3) and all(x.startswith("(") and x.endswith(")") for x in row[:2])


def _write_pair(pair: SentencePair) -> str:
    """One line: the best tree of each side, and the id."""
    if not all(pair.brackets):
        raise InputError(f"pair {pair.id!r} has no trees, which format trees needs")
    source, target = (" ".join(trees[0][0].split()) for trees in pair.brackets)
    return f"{source}\t{target}\t{one_line(pair.id)}\n"


FORMAT = Format(
    "trees",
    "Penn trees: source tree<TAB>target tree[<TAB>id]",
    read,
    matches,
    (".trees",),
    Writer(_write_pair, frozenset({"trees", "tags"}), id=one_line),
)
