"""Sentence pairs as Enju trees: SPADE, ESPADA, and users' own output of Enju."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from forest_align.data.enju import EnjuTree, annotated_pairs, sentences_of
from forest_align.data.lines import InputLines
from forest_align.data.pair_types import Format, SentencePair, Span, reading_pair
from forest_align.types import InputError, Sentence, Token

_SOURCE, _TARGET = "s-", "t-"


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield the pair of ``s-NAME.xml`` and ``t-NAME.xml`` beside it.

    Any other file holds source, target, source, target … itself. A pair without sound trees becomes an
    InputError item.
    """
    beside = _target_of(lines.path) if lines.path else None
    try:
        sources = _trees(lines)
        if beside is None:
            if len(sources) % 2:
                raise InputError(_without_target(lines, len(sources)), line=sources[-1].line)
            sources, targets = sources[::2], sources[1::2]
        else:
            with InputLines(beside) as target_lines:
                targets = _trees(target_lines)
            if len(sources) != len(targets):
                found = f"{len(targets)} in {beside}, found {len(sources)}"
                raise InputError(f"expected as many sentences as there are targets, {found}")
    except InputError as error:
        yield error.at(file=lines.name)
        return
    names = [tree.id if isinstance(tree, EnjuTree) else str(k) for k, tree in enumerate(sources, 1)]
    if lines.path is not None and beside is not None:
        file = lines.path.name.removesuffix(".gz").removesuffix(".xml").removeprefix(_SOURCE)
        names = [file] if len(names) == 1 else [f"{file}.{name}" for name in names]
    for source, target, name in zip(sources, targets, names, strict=True):
        try:
            yield _pair(source, target, name)
        except InputError as error:
            yield error.at(file=lines.name, line=source.line)


def _without_target(lines: InputLines, count: int) -> str:
    expected = "pairs of sentences"
    if lines.path is not None and lines.path.name.startswith(_SOURCE):
        expected += f", or {_TARGET}{lines.path.name.removeprefix(_SOURCE)} beside the file"
    return f"expected {expected}, found {count} sentence{'' if count == 1 else 's'}"


def _trees(lines: InputLines) -> list[EnjuTree | InputError]:
    """The sentences of a file; errors name it.

    Raises
    ------
    InputError
        If the file as a whole cannot be read.
    """
    try:
        found = list(sentences_of(lines.text()))
    except InputError as error:
        raise error.at(file=lines.name) from None
    return [one.at(file=lines.name) if isinstance(one, InputError) else one for one in found]


def _pair(source: EnjuTree | InputError, target: EnjuTree | InputError, pair_id: str) -> SentencePair:
    texts = ["" if isinstance(side, InputError) else side.text for side in (source, target)]
    with reading_pair(pair_id, *texts):
        if isinstance(source, InputError):
            raise source
        if isinstance(target, InputError):
            raise target
        return pair_of_trees(source, target, pair_id)


def read_folder(folder: Path) -> Iterator[SentencePair | InputError]:
    """Yield the pairs of all ``s-*.xml`` in a folder, in order of name.

    Raises
    ------
    InputError
        If there is none.
    """
    files = sorted(folder.glob(f"{_SOURCE}*.xml"))
    if not files:
        raise InputError("expected s-NAME.xml and t-NAME.xml files in the folder", file=str(folder))
    for file in files:
        if _target_of(file) is None:
            yield InputError(f"expected {_TARGET}{file.name.removeprefix(_SOURCE)} beside it", file=str(file))
            continue
        with InputLines(file) as lines:
            yield from read(lines, False)


def pair_of_trees(source: EnjuTree, target: EnjuTree, pair_id: str) -> SentencePair:
    """A pair with its trees, and for each annotator the spans of the phrases that correspond.

    Raises
    ------
    InputError
        If an annotation names a phrase that does not exist.
    """
    annotators = sorted({*source.annotators, *target.annotators})
    return SentencePair(
        pair_id,
        _sentence(source),
        _sentence(target),
        annotations=tuple(_spans(source, target, annotator) for annotator in annotators),
        source_enju=source,
        target_enju=target,
    )


def _spans(source: EnjuTree, target: EnjuTree, annotator: str) -> frozenset[tuple[Span, Span]]:
    return frozenset(
        ((source.nodes[a].start, source.nodes[a].end), (target.nodes[b].start, target.nodes[b].end))
        for a, b in annotated_pairs(source, target, annotator)
    )


def _sentence(tree: EnjuTree) -> Sentence:
    return Sentence(tuple(Token(t.text, t.base, t.tag, t.start, t.end) for t in tree.tokens), text=tree.text)


def _target_of(path: Path) -> Path | None:
    if not path.name.startswith(_SOURCE):
        return None
    target = path.with_name(_TARGET + path.name.removeprefix(_SOURCE))
    return target if target.is_file() else None


def matches(head: Sequence[str]) -> bool:
    """Whether a sentence of Enju stands in the first lines; one that it could not parse has no ``<cons>``."""
    return any("<sentence" in line and ("<cons" in line or "parse_status=" in line) for line in head)


FORMAT = Format(
    "enju",
    "Enju trees (SPADE, ESPADA): s-NAME.xml with t-NAME.xml, a folder of them, or sentences in turn",
    read,
    matches,
)
