"""Sentence pairs as Enju trees: SPADE, ESPADA, and users' own output of Enju."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from forest_align.data.formats.format import Format, PairError, SentencePair, reading_pair
from forest_align.data.text.lines import InputLines
from forest_align.data.trees.enju import EnjuTree, TreeError, annotated_pairs, sentences_of
from forest_align.types import InputError, Sentence, Token

_SOURCE, _TARGET = "s-", "t-"

Sentences = list[EnjuTree | TreeError]


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield the pair of ``s-NAME.xml`` and ``t-NAME.xml`` in the same folder.

    Any other file contains source, target, source, target … itself. A pair without valid trees becomes an
    InputError item. So do files that cannot be paired; their item is called NAME.
    """
    beside = _target_of(lines.path) if lines.path else None
    yield from _read(lines, beside, _name_of(lines.path) if lines.path else "")


def _read_sides(source: Path, target: Path, name: str) -> Iterator[SentencePair | InputError]:
    """Yield the pairs of a file of sources and one of targets; several are called NAME.ID, one NAME."""
    try:
        with InputLines(source) as lines:
            yield from _read(lines, target, name)
    except InputError as error:  # in another encoding
        yield PairError(error, name)


def _read(lines: InputLines, beside: Path | None, name: str) -> Iterator[SentencePair | InputError]:
    files = [_trees(lines), *([_trees_of_file(beside)] if beside is not None else [])]
    try:
        sources, targets = _sides(files, lines, beside)
    except InputError as error:
        error = PairError(error, name, *_texts(files)) if name else error
        yield error.at(file=lines.name)
        return
    ids = [tree.id for tree in sources]
    if beside is not None:
        ids = [name] if len(ids) == 1 else [f"{name}.{id}" for id in ids]
    for source, target, id in zip(sources, targets, ids, strict=True):
        try:
            with reading_pair(id, source.text, target.text):
                if isinstance(source, TreeError):
                    raise source
                if isinstance(target, TreeError):
                    raise target
                pair = pair_of_trees(source, target, id)
            yield replace(pair, place=(lines.name, source.line) if source.line is not None else None)
        except InputError as error:
            yield error.at(file=lines.name, line=source.line)


def _sides(
    files: Sequence[Sentences | InputError], lines: InputLines, beside: Path | None
) -> tuple[Sentences, Sentences]:
    """The sentences of all sources and of all targets, from one file or two.

    Raises InputError if a file as a whole cannot be read, or the numbers of sources and targets differ.
    """
    read = []
    for file in files:
        if isinstance(file, InputError):
            raise file
        read.append(file)
    if beside is None:
        (sentences,) = read
        if len(sentences) % 2:
            expected = "pairs of sentences"
            if lines.path is not None and _name_of(lines.path):
                expected += f", or {_TARGET}{lines.path.name.removeprefix(_SOURCE)} beside the file"
            found = f"{len(sentences)} sentence{'' if len(sentences) == 1 else 's'}"
            raise InputError(f"expected {expected}, found {found}", line=sentences[-1].line)
        return sentences[::2], sentences[1::2]
    sources, targets = read
    if len(sources) != len(targets):
        found = f"{len(targets)} in {beside}, found {len(sources)}"
        raise InputError(f"expected as many sentences as there are targets, {found}")
    return sources, targets


def _trees(lines: InputLines) -> Sentences | InputError:
    """The sentences of a file, or why it cannot be read as a whole; errors name the file."""
    try:
        trees = list(sentences_of(lines.text()))
    except InputError as error:
        return error.at(file=lines.name)
    return [tree.at(file=lines.name) if isinstance(tree, TreeError) else tree for tree in trees]


def _trees_of_file(path: Path) -> Sentences | InputError:
    try:
        with InputLines(path) as lines:
            return _trees(lines)
    except InputError as error:
        return error


def _texts(files: Sequence[Sentences | InputError]) -> list[str]:
    """The texts of files with one sentence; empty for a file with several or without a readable one."""
    return ["" if isinstance(file, InputError) or len(file) != 1 else file[0].text for file in files]


def read_folder(folder: Path) -> Iterator[SentencePair | InputError]:
    """Yield the pairs of all ``s-*.xml`` in a folder, by name. Raises InputError if there is none."""
    files = sorted(folder.glob(f"{_SOURCE}*.xml"))
    if not files:
        raise InputError("expected s-NAME.xml and t-NAME.xml files in the folder", file=str(folder))
    for file in files:
        target = _target_of(file)
        if target is not None:
            yield from _read_sides(file, target, _name_of(file))
            continue
        error = InputError(f"expected {_TARGET}{file.name.removeprefix(_SOURCE)} beside it", file=str(file))
        yield PairError(error, _name_of(file), *_texts([_trees_of_file(file)]))


def pair_of_trees(source: EnjuTree, target: EnjuTree, pair_id: str) -> SentencePair:
    """A pair with its trees, and for each annotator the spans of corresponding phrases.

    Raises InputError if an annotation names a phrase that does not exist.
    """
    ours, theirs = (
        Sentence(tuple(Token(t.text, t.base, t.tag, t.start, t.end) for t in tree.tokens), text=tree.text)
        for tree in (source, target)
    )
    spans = [[(node.start, node.end) for node in tree.nodes] for tree in (source, target)]
    aligned = tuple(
        frozenset((spans[0][a], spans[1][b]) for a, b in annotated_pairs(source, target, annotator))
        for annotator in sorted({*source.annotators, *target.annotators})
    )
    return SentencePair(pair_id, ours, theirs, annotations=aligned, source_enju=source, target_enju=target)


def _name_of(path: Path) -> str:
    """NAME of ``s-NAME.xml``; empty for other files."""
    name = path.name.removesuffix(".gz").removesuffix(".xml")
    return name.removeprefix(_SOURCE) if name.startswith(_SOURCE) else ""


def _target_of(path: Path) -> Path | None:
    if not path.name.startswith(_SOURCE):
        return None
    target = path.with_name(_TARGET + path.name.removeprefix(_SOURCE))
    return target if target.is_file() else None


def matches(head: Sequence[str]) -> bool:
    """Whether the first lines contain an Enju sentence; a failed parse has no ``<cons>``."""
    return any("<sentence" in line and ("<cons" in line or "parse_status=" in line) for line in head)


FORMAT = Format(
    "enju",
    "Enju trees (SPADE, ESPADA): s-NAME.xml with t-NAME.xml, a folder of them, or sentences in turn",
    read,
    matches,
)


#: Parts of the corpus, and the beginnings of the names that mean them.
PARTS = ("dev", "test")
_SIDES = {
    **dict.fromkeys(("s", "src", "source", "sources"), 0),
    **dict.fromkeys(("t", "tgt", "trg", "target", "targets"), 1),
}
_BETWEEN = re.compile(r"[-_.]")


def files_of_part(folder: Path, part: str) -> list[tuple[Path, Path]]:
    """The files of source and target of each pair of one part (:data:`PARTS`), in order of their names.

    The folder is searched with all folders in it for ``.xml`` files, gzipped or not. One word of a file's
    path, such as a folder or what stands before the first dash, begins with the name of the part (``dev``,
    ``development``, ``SPADE_test``). Another one says which side it is (``s``, ``source``, ``t``, ``tgt``).
    Source and target differ in this word alone. Raises InputError if the part has no pairs, or names the file
    without partner.
    """
    sides: dict[tuple[str, ...], list[Path | None]] = {}
    for path in sorted([*folder.rglob("*.xml"), *folder.rglob("*.xml.gz")]):
        words = _words(path, folder)
        place = next((k for k in reversed(range(len(words))) if words[k] in _SIDES), None)
        # The last word of a path that begins with a part names it.
        parts = (name for word in reversed(words) for name in PARTS if word.startswith(name))
        if place is None or next(parts, None) != part:
            continue
        key = (*words[:place], "", *words[place + 1 :])
        sides.setdefault(key, [None, None])[_SIDES[words[place]]] = path
    found = []
    for source, target in sides.values():
        if source is None or target is None:
            other = "target" if target is None else "source"
            raise InputError(f"expected a file of the {other} beside it", file=str(source or target))
        found.append((source, target))
    if not found:
        expected = f"expected s-NAME.xml and t-NAME.xml files in a folder {part!r}"
        raise InputError(f"{expected}; is --data the folder of SPADE?", file=str(folder))
    return found


def read_files(source: Path, target: Path) -> Iterator[SentencePair | InputError]:
    """Yield the pairs of two files; see :func:`forest_align.data.formats.spade.read`."""
    words = [word for word in _words(source, source.parent)[1:] if word not in ("xml", "gz")]
    name = "-".join(word for word in words if word not in _SIDES) or source.stem
    return _read_sides(source, target, name)


def _words(path: Path, folder: Path) -> list[str]:
    """The words of a path, from the name of the folder on, in small letters."""
    parts = (folder.resolve().name, *path.relative_to(folder).parts)
    return [word for part in parts for word in _BETWEEN.split(part.lower()) if word]
