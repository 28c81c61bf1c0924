"""Make the phrasal version of a word-aligned corpus (MSR06P, EDB++P) and compare it with a published one.

Phrases are merged from chunks, which are derived from constituency trees. These come from the bundled parser
or from a file, such as Edinburgh++'s. Example::

    python tools/phrasal_versions.py DATA/alignment/msr_rte/dev.majority.json \
        --compare DATA/alignment/msr_rte/dev.phrasal.json -o msr06p.dev.json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.alignment import Links
from forest_align.data.corpora.published_corpora import chunks_of_tree, phrasal_links
from forest_align.data.pairs import SentencePair, find_format, read_pairs
from forest_align.data.trees.penn import strip_annotations
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from nltk import Tree


def main(arguments: Sequence[str] | None = None) -> None:
    """Build, compare and write."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("words", type=Path, help="corpus with word links")
    parser.add_argument("--compare", type=Path, help="published phrasal version of the same pairs")
    parser.add_argument("--trees", type=Path, help="gzipped XML with Penn trees of the sentences, in order")
    parser.add_argument("-o", "--output", type=Path, help="file to write, jacana JSON")
    options = parser.parse_args(arguments)
    pairs = _read(options.words)
    sentences = [sentence for pair in pairs for sentence in (pair.source, pair.target)]
    trees = _trees_of_file(options.trees) if options.trees else _parsed(sentences)
    made = [
        replace(pair, links=phrasal_links(pair.links or Links(), *_chunks(pair, trees))) for pair in pairs
    ]
    if options.compare:
        print(compare(pairs, made, _read(options.compare)))
    if options.output:
        writer = find_format("jacana").writer
        assert writer is not None
        body = writer.separator.join(map(writer.pair, made))
        options.output.write_text(writer.header + body + writer.footer, encoding="utf-8")


def compare(
    words: Sequence[SentencePair], made: Sequence[SentencePair], published: Sequence[SentencePair]
) -> str:
    """F1 of all links, F1 of the links added by merging, and share of pairs with the same links."""
    if len(published) != len(words):
        raise InputError(f"expected a published version of {len(words)} pairs, found {len(published)}")
    rows = [
        (set(ours.links or ()), set(theirs.links or ()), set(word.links or ()))
        for word, ours, theirs in zip(words, made, published, strict=True)
    ]
    same = sum(ours == theirs for ours, theirs, _ in rows) / len(rows)
    every = _f1([(ours, theirs) for ours, theirs, _ in rows])
    added = _f1([(ours - word, theirs - word) for ours, theirs, word in rows])
    return f"{len(rows)} pairs: F1 {every:.1f} (added links {added:.1f}), same links {100 * same:.1f}%"


def _f1(rows: Sequence[tuple[set[tuple[int, int]], set[tuple[int, int]]]]) -> float:
    shared = sum(len(ours & theirs) for ours, theirs in rows)
    return 200 * shared / max(sum(len(ours) + len(theirs) for ours, theirs in rows), 1)


def _read(path: Path) -> list[SentencePair]:
    found = []
    for pair in read_pairs(path):
        if isinstance(pair, InputError):
            raise pair
        found.append(pair)
    return found


def _chunks(pair: SentencePair, trees: Iterator[Tree]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    sides = []
    for sentence in (pair.source, pair.target):
        tree = next(trees, None)
        if tree is None:
            raise InputError(f"pair {pair.id}: expected a tree for each sentence, found no more")
        if len(tree.leaves()) != len(sentence):
            raise InputError(f"pair {pair.id}: the tree has {len(tree.leaves())} words, not {len(sentence)}")
        sides.append(chunks_of_tree(tree))
    return sides[0], sides[1]


def _trees_of_file(path: Path) -> Iterator[Tree]:
    from forest_align.data.trees.penn import parse_bracket
    from forest_align.eval.benchmarks.stanford_trees import StanfordParses

    return (strip_annotations(parse_bracket(text)) for text in StanfordParses.read(path).brackets())


def _parsed(sentences: Sequence[Sentence]) -> Iterator[Tree]:
    from forest_align.parsing import load_parser

    for sentence, found in zip(
        sentences, load_parser().parse_many([sentence.words for sentence in sentences]), strict=True
    ):
        if isinstance(found, InputError) or found.forest is None:
            raise InputError(f"could not be parsed: {sentence.text}")
        yield strip_annotations(found.forest.best_tree(found.words))


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        raise SystemExit(str(error)) from None
