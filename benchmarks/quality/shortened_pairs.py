"""Sentence pairs with trees made by people: sentences of a treebank, and the same without an adjunct."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benepar.ptb_unescape import ptb_unescape

from forest_align.alignment import Links
from forest_align.data.formats.format import SentencePair
from forest_align.data.trees.treebanks import TreebankSentence, read_gum, without_words
from forest_align.types import Sentence
from forest_align.types.brackets import split_chain

#: Categories of the phrases that are left out.
ADJUNCTS = ("PP", "ADVP", "SBAR", "PRN")
LENGTHS = range(8, 41)


def shortened(sentence: TreebankSentence) -> list[bool] | None:
    """Which words remain without the longest adjunct; None if there is no adjunct.

    It has at least two words, and at most half of those of the sentence. Of equally long ones the first goes.
    """
    found = [
        (first - last, first, last)
        for first, last, chain in sentence.spans
        if split_chain(chain)[0] in ADJUNCTS and 2 <= last + 1 - first <= len(sentence) / 2
    ]
    if not found:
        return None
    _, first, last = min(found)
    return [not first <= place <= last for place in range(len(sentence))]


def bracket_of(sentence: TreebankSentence) -> str:
    """The tree in Penn brackets."""
    opening = [""] * len(sentence)
    closing = [0] * len(sentence)
    for first, last, chain in sentence.spans:
        labels = split_chain(chain)
        opening[first] += "".join(f"({label} " for label in labels)
        closing[last] += len(labels)
    return " ".join(
        f"{opening[place]}({tag} {word}){')' * closing[place]}"
        for place, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True))
    )


def gum_pairs(folder: str | Path, limit: int | None = None) -> tuple[list[SentencePair], list[str]]:
    """Pairs of GUM's dev part, linked word by word, and the trees of each, source and target.

    With a limit, sentences are taken from the whole part at equal distances.
    """
    usable = [one for one in read_gum(folder).dev if len(one) in LENGTHS and shortened(one) is not None]
    chosen: Sequence[TreebankSentence] = usable[:: max(1, len(usable) // limit)][:limit] if limit else usable
    pairs, trees = [], []
    for number, sentence in enumerate(chosen):
        keep = shortened(sentence)
        assert keep is not None
        short = without_words(sentence, keep)
        assert short is not None
        places = [place for place, kept in enumerate(keep) if kept]
        source, target = (Sentence.from_words(ptb_unescape(list(one.words))) for one in (sentence, short))
        links = Links(tuple((place, j) for j, place in enumerate(places)))
        pairs.append(SentencePair(str(number), source, target, links=links))
        trees += [bracket_of(sentence), bracket_of(short)]
    return pairs, trees
