"""Prepare a word-aligned corpus as Thadani et al. (2012, §3) do: truecased, with names collapsed.

``-lrb- Bank of Holland -rrb-`` becomes ``-lrb- Bank_of_Holland -rrb-``. Forms of words are counted in all
files of ``--forms`` (by default in the corpus itself). Names are those that the aligners find
(``parsing/dependencies/entities.py``), where the paper has the Stanford recognizer. Example::

    python tools/published_corpus.py DATA/alignment/edinburgh/train.sure.json -o train.json
    python tools/published_corpus.py DATA/alignment/edinburgh/test.sure.json -o test.json \
        --forms DATA/alignment/edinburgh/train.sure.json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from forest_align.alignment import Links
from forest_align.data.corpora.published_corpora import Truecaser, collapse, collapsed_links
from forest_align.data.pairs import SentencePair, read_pairs, write_pairs
from forest_align.parsing.dependencies.entities import find_entities
from forest_align.types import InputError, Sentence


def main(arguments: Sequence[str] | None = None) -> None:
    """Read, prepare and write."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("corpus", type=Path, help="corpus with word links")
    parser.add_argument(
        "--forms", type=Path, nargs="+", help="corpora in which the forms of words are counted"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="file to write, jacana JSON")
    options = parser.parse_args(arguments)
    pairs = _read(options.corpus)
    counted = [pair for path in options.forms or [options.corpus] for pair in _read(path)]
    truecaser = Truecaser.of(one.words for pair in counted for one in (pair.source, pair.target))
    words = [truecaser.apply(one.words) for pair in pairs for one in (pair.source, pair.target)]
    prepared = [collapse(one, _names(one, tags)) for one, tags in zip(words, _tags(words), strict=True)]
    made = [
        _prepared(pair, source, target)
        for pair, source, target in zip(pairs, prepared[::2], prepared[1::2], strict=True)
    ]
    write_pairs(made, options.output, "jacana")
    joined = sum(len(one) - len(tokens) for one, (tokens, _) in zip(words, prepared, strict=True))
    print(f"{len(made)} pairs, {joined} words joined to names")


def _read(path: Path) -> list[SentencePair]:
    found = []
    for pair in read_pairs(path):
        if isinstance(pair, InputError):
            raise pair
        found.append(pair)
    return found


def _tags(sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Part-of-speech tags of the bundled parser."""
    from forest_align.parsing import load_parser

    found = []
    parser = load_parser(forest_size=1, posteriors=False, vectors=False)
    for one in parser.parse_many(sentences):
        if isinstance(one, InputError):
            raise one
        found.append(one.tags)
    return found


def _names(words: Sequence[str], tags: Sequence[str]) -> list[tuple[int, int]]:
    return [(name.start, name.end) for name in find_entities(words, tags)]


def _prepared(
    pair: SentencePair, source: tuple[tuple[str, ...], list[int]], target: tuple[tuple[str, ...], list[int]]
) -> SentencePair:
    links = collapsed_links(pair.links or Links(), source[1], target[1])
    first, second = Sentence.from_words(source[0]), Sentence.from_words(target[0])
    return replace(pair, source=first, target=second, links=links)


if __name__ == "__main__":
    main()
