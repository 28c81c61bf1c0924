r"""Sentence alignment of documents with known alignments, against greedy choices by cosine.

Documents are made from pairs of sentences (:mod:`forest_align.em.documents.training`): some
sentences are dropped, others joined in one, unrelated ones inserted, and the second document rearranged.
``--gum`` inserts sentences of GUM, too. Usage::

    python benchmarks/quality/measure_documents.py MTREF/dev.tsv WIKI/dev.tsv \
        --train MTREF/train.tsv WIKI/train.tsv --gum TREEBANKS/gum --verses verses-train.jsonl.gz

``--verses`` adds every eighth chapter of the books from which no model learns, in a literal and in a simple
translation.

``greedy cosine``: each source sentence is linked to the target with the largest cosine of mean word vectors.
``greedy, weighted``: the same with vectors as our aligner has them, weighted words minus the common part.
``mutual, weighted``: only if the choice is the same from both sides. Their thresholds have the best F1 on the
documents made of the training files. Only development and training files should be read.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from forest_align.aligners.documents.document_sentences import SentenceEncoder
from forest_align.aligners.documents.sentence_links import best_links, link_probabilities, sentence_groups
from forest_align.aligners.documents.sentence_matches import SentenceMatches, SentenceTable
from forest_align.data.trees.penn import read_trees, strip_annotations
from forest_align.data.trees.treebanks import gum_files
from forest_align.em.documents.training import (
    ORDERS,
    ConstructedDocuments,
    chapters,
    constructed_corpus,
    encoded,
    word_pairs,
)

Pair = tuple[int, int]
Item = tuple[ConstructedDocuments, SentenceMatches]
THRESHOLDS = np.arange(0.1, 0.96, 0.05)
LONGEST = 60
#: Of this many chapters of verses one is measured.
CHAPTERS = 8


def plain_cosine(matches: SentenceMatches) -> np.ndarray:
    """Cosines of the mean word vectors of all sentences."""
    return np.asarray(_means(matches.source) @ _means(matches.target).T)


def _means(table: SentenceTable) -> np.ndarray:
    sums = np.add.reduceat(table.vectors, table.begin[:-1])
    return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True))


def greedy(similarity: np.ndarray, threshold: float) -> set[Pair]:
    """Each source sentence with its most similar target sentence."""
    best = similarity.argmax(1)
    return {(i, int(j)) for i, j in enumerate(best) if similarity[i, j] >= threshold}


def mutual(similarity: np.ndarray, threshold: float) -> set[Pair]:
    """Sentences that are most similar to each other."""
    back = similarity.argmax(0)
    return {(i, j) for i, j in greedy(similarity, threshold) if back[j] == i}


BASELINES: dict[
    str, tuple[Callable[[SentenceMatches], np.ndarray], Callable[[np.ndarray, float], set[Pair]]]
] = {
    "greedy cosine": (plain_cosine, greedy),
    "greedy, weighted": (lambda matches: matches.cosine, greedy),
    "mutual, weighted": (lambda matches: matches.cosine, mutual),
}


def counts(found: set[Pair], gold: frozenset[Pair]) -> np.ndarray:
    """Right links, links found, gold links."""
    return np.array([len(found & gold), len(found), len(gold)])


def scores(total: np.ndarray) -> tuple[float, float, float]:
    """Precision, recall and F1, in percent."""
    right, found, gold = total.tolist()
    precision, recall = right / max(1, found), right / max(1, gold)
    return 100 * precision, 100 * recall, 200 * right / max(1, found + gold)


def tuned(name: str, items: Sequence[Item]) -> float:
    """The threshold of a baseline with the best F1."""
    similarity, choose = BASELINES[name]
    tables = [(similarity(matches), one.gold) for one, matches in items]
    f1 = [
        scores(np.sum([counts(choose(t, at), gold) for t, gold in tables], axis=0))[2]
        for at in THRESHOLDS.tolist()
    ]
    return float(THRESHOLDS[int(np.argmax(f1))])


def ours(matches: SentenceMatches) -> set[Pair]:
    """The links of the document aligner, every sentence of a group with every other one."""
    links = best_links(matches, link_probabilities(matches))
    return {(i, j) for source, target in sentence_groups(links) for i in source for j in target}


def gum_sentences(folder: Path | None, part: str) -> list[tuple[str, ...]]:
    """Sentences of GUM to insert."""
    if folder is None:
        return []
    trees = (strip_annotations(tree) for path in gum_files(folder)[part] for tree in read_trees(path))
    words = (tuple(tree.leaves()) for tree in trees if tree is not None)
    return [found for found in words if len(found) <= LONGEST and "_" not in found]


def items_of(files: Sequence[Path], size: int, options: argparse.Namespace, part: str) -> list[list[Item]]:
    """Documents of each file."""
    others, found = gum_sentences(options.gum, part), []
    for path in files:
        pairs = word_pairs(path, options.limit)
        # As many sentences of GUM as of the file itself.
        documents = constructed_corpus(pairs, size, options.seed, others[: len(pairs) // 5])
        found.append(list(zip(documents, encoded(documents, options.encoder), strict=True)))
    return found


def rows(
    files: Sequence[Path], parts: Sequence[Sequence[Item]], thresholds: dict[str, float]
) -> Iterator[str]:
    """The table."""
    yield "| documents of | order | " + " | ".join([*BASELINES, "document aligner"]) + " |"
    yield "|---" * (len(BASELINES) + 3) + "|"
    totals: dict[str, np.ndarray] = {}
    for path, items in zip(files, parts, strict=True):
        for order in ORDERS:
            cells = []
            chosen = [(one, matches) for one, matches in items if one.order == order]
            if not chosen:
                continue
            for name in (*BASELINES, "ours"):
                total = np.sum([counts(_links(name, m, thresholds), one.gold) for one, m in chosen], axis=0)
                totals[name] = totals.get(name, np.zeros(3, np.int64)) + total
                cells.append("{:.1f} / {:.1f} / **{:.1f}**".format(*scores(total)))
            yield f"| {path.parent.name} {path.stem} | {order} | {' | '.join(cells)} |"
    cells = ["{:.1f} / {:.1f} / **{:.1f}**".format(*scores(total)) for total in totals.values()]
    yield f"| all |  | {' | '.join(cells)} |"


def _links(name: str, matches: SentenceMatches, thresholds: dict[str, float]) -> set[Pair]:
    if name == "ours":
        return ours(matches)
    similarity, choose = BASELINES[name]
    return choose(similarity(matches), thresholds[name])


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="pairs of sentences")
    parser.add_argument("--train", nargs="+", type=Path, required=True, help="files to tune the baselines on")
    parser.add_argument("--gum", type=Path, help="folder of GUM, for sentences to insert")
    parser.add_argument("--size", type=int, default=100, help="pairs of a document (default: 100)")
    parser.add_argument("--limit", type=int, help="use only the first pairs of each file")
    parser.add_argument("--seed", type=int, default=0, help="seed of the constructed documents (default: 0)")
    parser.add_argument("--verses", type=Path, help="verses with their phrases by hand")
    options = parser.parse_args(argv)
    options.encoder = SentenceEncoder()
    training = [item for items in items_of(options.train, options.size, options, "train") for item in items]
    thresholds = {name: tuned(name, training) for name in BASELINES}
    print("thresholds: " + ", ".join(f"{name} {value:.2f}" for name, value in thresholds.items()))
    print("precision / recall / F1 of pairs of sentences\n")
    parts = items_of(options.files, options.size, options, "dev")
    files = list(options.files)
    if options.verses:
        documents = list(islice(chapters(options.verses, dev=True), 0, None, CHAPTERS))
        parts.append(list(zip(documents, encoded(documents, options.encoder), strict=True)))
        files.append(Path("verses/dev"))
    print("\n".join(rows(files, parts, thresholds)))


if __name__ == "__main__":
    main()
