"""Reads the three treebanks that the bundled parser was trained on, in one common form."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from forest_align.data.trees.penn import TOP_LABELS, read_trees, strip_annotations
from forest_align.types import InputError
from forest_align.types.brackets import join_chain, split_chain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from nltk import Tree

#: Labels that wrap ordinary trees: CRAFT's of a position in the article, MASC's of repaired speech.
_WRAPPERS = frozenset({"TITLE", "HEADING", "CAPTION", "CIT", "EDITED"})

#: Label of a whole sentence whose treebank tree has none (several trees under the top, or a bare word).
_FRAGMENT = "FRAG"

#: Tags whose words evalb ignores (COLLINS.prm).
PUNCTUATION_TAGS = frozenset({",", ":", "``", "''", "."})


#: Genres of GUM whose texts are for non-commercial use only: the bundled parser and tagger do without them.
NON_COMMERCIAL = ("essay", "fiction", "letter", "podcast", "whow")

#: Documents of MASC that are held out, of several genres each.
MASC_DEV = frozenset({"112C-L014", "Article247_400"})
MASC_TEST = frozenset({"110CYL071", "118CWL049", "Article247_66", "chapter-10", "ReidSandra"})


@dataclass(frozen=True, slots=True)
class TreebankSentence:
    """A sentence with its gold tree as labelled spans.

    Attributes
    ----------
    words, tags : tuple of str
        Words and tags as in the treebank.
    spans : tuple of (int, int, str)
        Closed spans ``(first, last, chain)`` in preorder; a unary chain is one span, its labels joined
        by ``::`` from the top down. The whole sentence is always labelled.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: tuple[tuple[int, int, str], ...]

    def __len__(self) -> int:
        return len(self.words)


class Split(NamedTuple):
    """One treebank, split by whole documents."""

    train: tuple[TreebankSentence, ...]
    dev: tuple[TreebankSentence, ...]
    test: tuple[TreebankSentence, ...]


def from_tree(tree: Tree) -> TreebankSentence | None:
    """Turn a tree, stripped of annotations or not, into words, tags and labelled spans.

    None if nothing is left of the tree, or a word of it contains a space.
    """
    stripped = strip_annotations(tree)
    if stripped is None:
        return None
    words: list[str] = []
    tags: list[str] = []
    spans: list[tuple[int, int, str]] = []
    if not _collect(stripped, words, tags, spans):
        return None
    last = len(words) - 1
    merged = _merge_chains(spans)
    if not any(first == 0 and end == last for first, end, _ in merged):
        merged = [(0, last, _FRAGMENT), *merged]
    return TreebankSentence(tuple(words), tuple(tags), tuple(merged))


def without_words(sentence: TreebankSentence, keep: Sequence[bool]) -> TreebankSentence | None:
    """Remove words from a sentence and its tree, as if they had not been written; None if no word is kept."""
    before = [0]
    for flag in keep:
        before.append(before[-1] + bool(flag))
    if before[-1] == 0:
        return None
    spans = [
        (before[first], before[last + 1] - 1, chain)
        for first, last, chain in sentence.spans
        if before[last + 1] > before[first]
    ]
    return TreebankSentence(
        tuple(word for word, flag in zip(sentence.words, keep, strict=True) if flag),
        tuple(tag for tag, flag in zip(sentence.tags, keep, strict=True) if flag),
        tuple(_merge_chains(spans)),
    )


def label_inventory(sentences: Iterable[TreebankSentence], minimum: int = 5) -> tuple[str, ...]:
    """List the label chains seen at least ``minimum`` times, sorted, the empty label first."""
    counts = Counter(chain for sentence in sentences for _, _, chain in sentence.spans)
    frequent = {chain for chain, count in counts.items() if count >= minimum}
    single = {label for chain, count in counts.items() for label in split_chain(chain) if count >= minimum}
    return ("", *sorted(frequent | single))


def known_chain(chain: str, labels: frozenset[str] | dict[str, int]) -> str:
    """Shorten a label chain to the longest part of it that the inventory holds; empty if there is none."""
    parts = split_chain(chain)
    for size in range(len(parts), 0, -1):
        for start in range(len(parts) - size + 1):
            part = join_chain(parts[start : start + size])
            if part in labels:
                return part
    return ""


def read_wsj(folder: str | Path, dev: Iterable[int] = (), test: Iterable[int] = range(190, 200)) -> Split:
    """Read the WSJ sample that nltk distributes; ``dev`` and ``test`` are numbers of held-out files."""
    part_of = dict.fromkeys(dev, "dev") | dict.fromkeys(test, "test")
    files = _files(folder, "wsj_*.mrg")
    return _split((part_of.get(int(path.stem.split("_")[1]), "train"), path) for path in files)


def gum_files(folder: str | Path) -> dict[str, list[Path]]:
    """List GUM's files by its official split (``splits.md``), without documents of blanked-out words."""
    parts: dict[str, list[Path]] = {"train": [], "dev": [], "test": []}
    part = ""
    for line in (Path(folder) / "splits.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## (\w+)", line):
            part = heading.group(1)
        elif (document := re.match(r"\s*\* (GUM_\w+)", line)) and "_reddit_" not in line and part in parts:
            parts[part].append(Path(folder) / f"{document.group(1)}.ptb")
    return parts


def read_gum(folder: str | Path, without: Collection[str] = (), parts: Collection[str] = ("train",)) -> Split:
    """Read GUM by its official split; see :func:`gum_files`.

    Parameters
    ----------
    folder : str or Path
        Its folder.
    without : collection of str
        Genres that ``parts`` are read without, such as ``"fiction"``: texts have the licence of their genre.
    parts : collection of str
        Of ``train``, ``dev`` and ``test``. The others keep all genres.

    Raises
    ------
    InputError
        If no training document has such a genre.
    """
    files = gum_files(folder)
    genres = sorted({_genre(path) for path in files["train"]})
    if unknown := sorted(set(without) - {*genres, *NON_COMMERCIAL}):
        raise InputError(
            f"no genre {unknown[0]!r} in the training part of GUM; expected some of {', '.join(genres)}"
        )
    return _split(
        (part, path)
        for part, paths in files.items()
        for path in paths
        if part not in parts or _genre(path) not in without
    )


def _genre(path: Path) -> str:
    return path.stem.split("_")[1]


def read_craft(
    folder: str | Path, dev_sentences: int = 300, test_sentences: int = 2000, seed: int = 13
) -> Split:
    """Read CRAFT; whole articles, drawn with ``seed``, are held out until the two sizes are reached.

    The test part is cut to exactly ``test_sentences``.
    """
    articles = _files(folder, "*.tree")
    random.Random(seed).shuffle(articles)
    parts: dict[str, list[TreebankSentence]] = {"train": [], "dev": [], "test": []}
    for path in articles:
        if len(parts["test"]) < test_sentences:
            part = "test"
        elif len(parts["dev"]) < dev_sentences:
            part = "dev"
        else:
            part = "train"
        parts[part].extend(_read(path))
    return Split(tuple(parts["train"]), tuple(parts["dev"]), tuple(parts["test"][:test_sentences]))


def read_masc(folder: str | Path) -> Split:
    """Read MASC's trees; the documents of :data:`MASC_DEV` and :data:`MASC_TEST` are held out."""
    part_of = dict.fromkeys(MASC_DEV, "dev") | dict.fromkeys(MASC_TEST, "test")
    files = _files(folder, "*.mrg")
    return _split(((part_of.get(path.stem, "train"), path) for path in files), unspoken={"CODE"})


def _split(files: Iterable[tuple[str, Path]], unspoken: Collection[str] = ()) -> Split:
    """Read files, each into its part; see :func:`_read`."""
    parts: dict[str, list[TreebankSentence]] = {part: [] for part in Split._fields}
    for part, path in files:
        parts[part].extend(_read(path, unspoken))
    return Split(*map(tuple, parts.values()))


def _files(folder: str | Path, pattern: str) -> list[Path]:
    files = sorted(Path(folder).glob(pattern))
    if not files:
        raise InputError(f"no treebank files named {pattern}", file=str(folder))
    return files


def _read(path: Path, unspoken: Collection[str] = ()) -> list[TreebankSentence]:
    """The sentences of a file, without words whose tag is ``unspoken``: marks of the transcriber."""
    sentences = []
    for tree in read_trees(path):
        for word in tree.subtrees(lambda node: node.label() in unspoken):
            word.set_label("-NONE-")
        sentences.append(from_tree(tree))
    return [sentence for sentence in sentences if sentence is not None]


def _collect(node: Tree, words: list[str], tags: list[str], spans: list[tuple[int, int, str]]) -> bool:
    """Append the words, tags and spans (preorder, chains not yet merged) of a node; False if malformed."""
    if len(node) == 1 and isinstance(node[0], str):
        words.append(node[0])
        tags.append(node.label())
        return True
    first, place = len(words), len(spans)
    for child in node:
        if isinstance(child, str) or not _collect(child, words, tags, spans):
            return False
    if node.label() not in TOP_LABELS and node.label() not in _WRAPPERS:
        spans.insert(place, (first, len(words) - 1, node.label()))
    return True


def _merge_chains(spans: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Join spans over the same words, given in preorder, into one chain each."""
    merged: dict[tuple[int, int], str] = {}
    for first, last, chain in spans:
        known = merged.get((first, last))
        labels = split_chain(chain)
        merged[first, last] = join_chain(labels if known is None else [*split_chain(known), *labels])
    return [(first, last, chain) for (first, last), chain in merged.items()]
