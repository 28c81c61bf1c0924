r"""What parsing each sentence of a text on its own changes, against parsing the text as one sentence.

Usage::

    python benchmarks/quality/measure_texts.py --gum TREEBANKS/gum
    python benchmarks/quality/measure_texts.py --pairs DATA/alignment/mtref/dev.tsv --aligner forest

With ``--gum``: labelled F1 of the trees of texts that join ``--join`` consecutive sentences of GUM dev. The
root TEXT is no bracket. ``cut`` is a third way: one forward pass over the whole text, then the best tree of
each sentence from the scores of its spans.

With ``--pairs``: word links, and constituents judged by the gold links, of the pairs of files that have a
text of several sentences on a side. ``crossing`` counts phrase pairs with a side that leads over the end of a
sentence without being a join of whole sentences. Only development and training files should be read.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec import structs
from nltk import Tree

from forest_align.aligners import load
from forest_align.alignment import Alignment, Span
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.data.trees.penn import read_trees, strip_annotations
from forest_align.data.trees.treebanks import gum_files
from forest_align.eval.metrics.bracket_scores import score_brackets
from forest_align.eval.metrics.constituents import (
    constituent_pairs,
    constituent_spans,
    count_constituents,
    score_constituents,
)
from forest_align.eval.metrics.word_scores import WordPair, score_words
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing.forests.decoding import best_trees
from forest_align.parsing.parser_loading import load_parser_for_alignment, load_span_parser
from forest_align.parsing.sentence_split import sentence_starts
from forest_align.types import InputError, Sentence
from forest_align.types.brackets import parse_bracket

#: Words of a text are at most this many, so that the parser can read it as one sentence.
LONGEST = 200
Parse = Callable[[Sequence[Sequence[str]]], list[Sentence]]


def by_sentences(words: Sequence[Sequence[str]], forest_size: int = 10) -> list[Sentence]:
    """Parse texts as the parser does."""
    parser = load_parser_for_alignment("en", forest_size=forest_size)
    return [_parsed(one) for one in parser.parse_many(words)]


def as_one(words: Sequence[Sequence[str]], forest_size: int = 10) -> list[Sentence]:
    """Parse texts as if each were one sentence, with the same settings; the starts are those of sentences."""
    plain = load_parser_for_alignment("en", forest_size=0)
    scorer, least_ratio = load_span_parser("en"), load_parser_for_alignment("en").least_ratio
    found, lemma = [], load_lexicon().lemma
    for sentence, scores in zip(map(_parsed, plain.parse_many(words)), scorer.score(words), strict=True):
        if isinstance(scores, InputError):
            raise scores
        trees = best_trees(
            scores, sentence.tokens, sentence.text, forest_size, least_ratio=least_ratio, posteriors=False
        )
        tokens = tuple(
            structs.replace(token, tag=tag, lemma=lemma(token.text, tag))
            for token, tag in zip(sentence.tokens, scores.tags, strict=True)
        )
        found.append(replace(sentence, tokens=tokens, forest=trees.forest()))
    return found


def _parsed(result: Sentence | InputError) -> Sentence:
    if isinstance(result, InputError):
        raise result
    return result


def gold_texts(folder: Path, join: int) -> list[list[Tree]]:
    """Trees of consecutive sentences of the documents of GUM dev, ``join`` a text."""
    documents = [
        [tree for found in read_trees(path) if (tree := strip_annotations(found)) is not None]
        for path in gum_files(folder)["dev"]
    ]
    texts = [document[at : at + join] for document in documents for at in range(0, len(document), join)]
    return [text for text in texts if len(text) == join and sum(len(one.leaves()) for one in text) < LONGEST]


def cut(texts: Sequence[Sequence[Tree]]) -> list[Tree]:
    """The best tree of each gold sentence, from span scores of a forward pass over the whole text."""
    scorer, found = load_span_parser("en"), []
    for text in texts:
        (scores,) = scorer.score([[word for tree in text for word in tree.leaves()]])
        if isinstance(scores, InputError):
            raise scores
        parts, at = [], 0
        for tree in text:
            words = tree.leaves()
            span = slice(at, at + len(words))
            own = replace(
                scores, scores=np.ascontiguousarray(scores.scores[span, span]), tags=scores.tags[span]
            )
            tokens = Sentence.from_words(words).tokens
            trees = best_trees(own, tokens, "", 1, least_ratio=0.0, posteriors=False)
            parts.append(parse_bracket(trees.brackets()[0]))
            at += len(words)
        found.append(Tree("TOP", parts))
    return found


def print_trees(folder: Path, join: int, limit: int | None) -> None:
    """Print labelled F1 of texts of GUM dev, parsed in three ways."""
    texts = gold_texts(folder, join)[:limit]
    gold = [Tree("TOP", text) for text in texts]
    words = [[word for tree in text for word in tree.leaves()] for text in texts]
    ways = {"as one": as_one, "by sentences": by_sentences}
    print(f"| {len(texts)} texts of {join} sentences | P | R | F1 |\n|---|---|---|---|")
    for name, parse in ways.items():
        trees = [_best_tree(one, given) for one, given in zip(parse(words, 1), words, strict=True)]
        _print_brackets(name, gold, trees)
    _print_brackets("cut, at gold boundaries", gold, cut(texts))


def _best_tree(sentence: Sentence, words: Sequence[str]) -> Tree:
    assert sentence.forest is not None
    tree = sentence.forest.best_tree(words)
    return Tree("TOP", list(tree) if sentence.starts and tree.label() == "TEXT" else [tree])


def _print_brackets(name: str, gold: Sequence[Tree], trees: Sequence[Tree]) -> None:
    scores = score_brackets(gold, trees).scores
    print(f"| {name} | {100 * scores.precision:.2f} | {100 * scores.recall:.2f} | {100 * scores.f1:.2f} |")


def pairs_of_texts(files: Sequence[Path], limit: int | None) -> list[SentencePair]:
    """Pairs with gold links of which a side has several sentences."""
    found = []
    for path in files:
        for pair in read_pairs(path):
            if isinstance(pair, InputError) or pair.links is None:
                continue
            if any(sentence_starts(side.tokens, side.text) for side in (pair.source, pair.target)):
                found.append(pair)
    return found[:limit]


def crossing(alignment: Alignment, sides: tuple[Sentence, Sentence]) -> int:
    """Phrase pairs with a side that leads over a boundary without being a join of whole sentences."""
    count = 0
    for pair in alignment.phrases:
        for node, sentence in zip((pair.source_node, pair.target_node), sides, strict=True):
            edges = {edge for span in sentence.sentences for edge in span}
            if {node.start, node.end} <= edges or not any(
                node.start < start < node.end for start in sentence.starts
            ):
                continue
            count += 1
            break
    return count


def _spans(sentence: Sentence) -> list[Span]:
    assert sentence.forest is not None
    return constituent_spans(sentence.forest)


def print_pairs(files: Sequence[Path], name: str, limit: int | None) -> None:
    """Print word and constituent figures of pairs aligned in both ways."""
    pairs, aligner = pairs_of_texts(files, limit), load(name)
    words = [side.words for pair in pairs for side in (pair.source, pair.target)]
    print(f"| {len(pairs)} pairs | P | R | F1 | constituents P | R | F1 | phrases | crossing |")
    print("|---|---|---|---|---|---|---|---|---|")
    split = by_sentences(words)
    for way, parsed in {"as one": as_one(words), "by sentences": split}.items():
        both = list(zip(parsed[::2], parsed[1::2], strict=True))
        found = list(aligner.align_many(both))
        gold = [pair.links.only_sure() for pair in pairs if pair.links is not None]
        judged = [
            WordPair(source.words, target.words, links, alignment.words)
            for (source, target), links, alignment in zip(both, gold, found, strict=True)
        ]
        scores = score_words(judged).counts.micro()
        rows = [
            count_constituents(constituent_pairs(alignment), _spans(source), _spans(target), links)
            for alignment, (source, target), links in zip(found, both, gold, strict=True)
        ]
        spans = score_constituents(rows).micro()
        figures = [scores.precision, scores.recall, scores.f1, spans.precision, spans.recall, spans.f1]
        true_sides = list(zip(split[::2], split[1::2], strict=True))
        counts = [
            sum(len(alignment.phrases) for alignment in found),
            sum(crossing(alignment, sides) for alignment, sides in zip(found, true_sides, strict=True)),
        ]
        cells = [*(f"{100 * figure:.2f}" for figure in figures), *map(str, counts)]
        print(f"| {way} | " + " | ".join(cells) + " |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gum", type=Path, help="folder of GUM")
    parser.add_argument("--join", type=int, default=2, help="sentences of a text of GUM; default: 2")
    parser.add_argument("--pairs", type=Path, nargs="+", help="files of pairs of words with links")
    parser.add_argument("--aligner", default="forest", help="name of an aligner; default: forest")
    parser.add_argument("--limit", type=int, help="texts or pairs; default: all")
    options = parser.parse_args(arguments)
    if not options.gum and not options.pairs:
        parser.error("nothing to measure: name --gum or --pairs")
    if options.gum:
        print_trees(options.gum, options.join, options.limit)
    if options.pairs:
        print_pairs(options.pairs, options.aligner, options.limit)


if __name__ == "__main__":
    main()
