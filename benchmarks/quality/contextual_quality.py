r"""Quality of the contextual and Sultan's aligner on hand-aligned corpora, with the ablation of the paper.

Prints macro-averaged precision and recall of sure links, F1 of the two, and the share of exact pairs.

Examples
--------
python benchmarks/quality/contextual_quality.py ../shared/data/alignment/edinburgh/train.sure.json \
    --ppdb PPDB.tsv.gz
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from forest_align.aligners.base import Aligner
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.aligners.sultan.parameters import MODULES, PublishedParameters
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.eval.metrics.word_scores import WordPair, score_words
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.parsing import load_parser
from forest_align.types import InputError, Sentence

#: Rows of table 3 of Sultan et al. (2014) and the parts that each row omits.
ABLATIONS = {
    "(-) contextual evidence": {"sequences", "dependencies", "text"},
    "(-) dependencies": {"dependencies"},
    "(-) text neighbourhood": {"text"},
    "(-) stop words": {"stop words"},
    "(-) entities": {"entities"},
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table per corpus."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="+", type=Path, help="files with gold links")
    parser.add_argument("--parser", default="en")
    parser.add_argument("--model", help="folder of another link model than the bundled one")
    parser.add_argument("--ppdb", type=Path, help="table of paraphrases")
    parser.add_argument("--spacy", action="store_true", help="sultan with spaCy's analysis too")
    parser.add_argument("--ablation", action="store_true", help="leave out one part of sultan at a time")
    options = parser.parse_args(arguments)
    table = PairTable.load(options.ppdb) if options.ppdb else None
    for corpus in options.corpora:
        print(f"\n{corpus}\n\n|  | P | R | F1 | E | F1 sure+possible |\n|---|---|---|---|---|---|")
        pairs = [pair for pair in read_pairs(corpus) if isinstance(pair, SentencePair)]
        prepared = list(parse(pairs, options.parser))
        for name, aligner in rows(options, table):
            predicted = [
                WordPair(
                    pair.source.words, pair.target.words, pair.links, aligner.align_prepared(*sides).words
                )
                for pair, sides in zip(pairs, prepared, strict=True)
                if pair.links is not None
            ]
            sure, every = score_words(predicted), score_words(predicted, links="all")
            found = sure.counts.macro()
            shares = (found.precision, found.recall, found.f1, sure.exact_match, every.counts.macro().f1)
            print(f"| {name} |", " | ".join(f"{100 * share:.1f}" for share in shares), "|", flush=True)


def parse(pairs: Sequence[SentencePair], parser: str) -> Iterator[tuple[Sentence, Sentence]]:
    """Both sentences of each pair with forest, tags and vectors."""
    sentences = load_parser(parser, forest_size=1, lemmatizer=load_lexicon().lemma).parse_many(
        side.words for pair in pairs for side in (pair.source, pair.target)
    )
    for source, target in zip(sentences, sentences, strict=True):
        for sentence in (source, target):
            if isinstance(sentence, InputError):
                raise sentence
        yield source, target  # type: ignore[misc]


def rows(options: argparse.Namespace, table: PairTable | None) -> Iterator[tuple[str, Aligner]]:
    """Name and aligner of every row."""
    plain = PublishedParameters()
    yield "contextual", ContextualAligner.load(options.model or "contextual")
    if table is not None:
        yield "contextual, PPDB", ContextualAligner.load(options.model or "contextual", ppdb=table)
        yield "sultan, PPDB", SultanAligner(ppdb=table)
    if options.spacy:
        yield "sultan, spaCy", SultanAligner(ppdb=table, annotator="spacy")
    yield "sultan, no PPDB", SultanAligner()
    # A table without pairs: no two different words are similar.
    yield "sultan (-) word similarity", SultanAligner(ppdb=PairTable([]))
    if options.ablation:
        for name, modules in ABLATIONS.items():
            left = replace(plain, modules=MODULES - modules)
            yield f"sultan {name}", SultanAligner(left, ppdb=table)


if __name__ == "__main__":
    main()
