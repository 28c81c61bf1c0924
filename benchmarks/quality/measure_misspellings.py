"""Measure the alignment of words that are misspelled in one of the two sentences.

Usage::

    python benchmarks/quality/measure_misspellings.py PAIRS… [--model FOLDER] [--limit 300]

In each pair with gold links, one target word with an equal gold partner is misspelled (drawn with a seed).
The script prints precision and recall of the contextual aligner's links of these words.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.em.contextual.misspellings import can_be_misspelled, misspelled_word
from forest_align.types import Sentence


@dataclass(frozen=True, slots=True)
class Misspelling:
    """A pair with one misspelled target word.

    Attributes
    ----------
    source, target : Sentence
        The words.
    word : int
        Index of the misspelled target word.
    gold : frozenset of int
        The source words to which it is linked.
    """

    source: Sentence
    target: Sentence
    word: int
    gold: frozenset[int]


def misspellings(pairs: Sequence[SentencePair], seed: int) -> Iterator[Misspelling]:
    """Misspell a word of every pair that has a suitable one."""
    chance = random.Random(seed)
    for pair in pairs:
        if pair.links is None:
            continue
        source, words = pair.source.words, list(pair.target.words)
        links = pair.links.only_sure().pairs
        partners = {j: frozenset(i for i, other in links if other == j) for j in range(len(words))}
        usable = [
            j
            for j, word in enumerate(words)
            if can_be_misspelled(word) and any(source[i] == word for i in partners[j])
        ]
        if not usable:
            continue
        place = chance.choice(usable)
        words[place] = misspelled_word(words[place], chance)
        if words[place] != pair.target.words[place]:
            yield Misspelling(pair.source, Sentence.from_words(words), place, partners[place])


def main() -> None:
    """Read, misspell, align, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", nargs="+", help="files with words and gold links")
    parser.add_argument("--model", default="contextual", help="name or folder of the aligner")
    parser.add_argument("--limit", type=int, default=300, help="pairs of each file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pairs = [
        pair
        for path in options.pairs
        for pair in list(read_pairs(path))[: options.limit]
        if isinstance(pair, SentencePair)
    ]
    cases = list(misspellings(pairs, options.seed))
    if not cases:
        raise SystemExit("expected pairs with gold links between equal words, found none")
    aligner = ContextualAligner.load(options.model)
    right = found = wanted = 0
    alignments = aligner.align_many((case.source, case.target) for case in cases)
    for case, alignment in zip(cases, alignments, strict=True):
        links = {i for i, j in alignment.words if j == case.word}
        right, found, wanted = right + len(links & case.gold), found + len(links), wanted + len(case.gold)
    # Without any links, none is wrong.
    precision, recall = 100 * right / found if found else 100.0, 100 * right / wanted
    print(f"{len(cases)} misspelled words: precision {precision:.1f}, recall {recall:.1f}")


if __name__ == "__main__":
    main()
