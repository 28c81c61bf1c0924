"""Makes the examples from which the phrase-pair model is learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forest_align.aligners.phrases.features import ProposedPairs
from forest_align.alignment import Links
from forest_align.data.formats.format import SentencePair
from forest_align.em.contextual.examples import mtref_train_links, only_sure
from forest_align.em.corpus.parsed_pairs import ParsedPair
from forest_align.em.phrases.labels import POSSIBLE, SURE, UNKNOWN, WRONG, labels_of, links_of_units
from forest_align.em.phrases.linked_pairs import read_linked_pairs

#: Files below the data folder. The first has marked phrases, the others word links.
MARKED = "phrases/etpc-dev.jsonl"
LINKED = {
    "mtref": "alignment/mtref/train.tsv",
    "edinburgh": "alignment/edinburgh/train.sure.json",
    "wiki": "alignment/wiki/train.tsv",
    "msr_rte": "alignment/msr_rte/dev.majority.json",
}
#: Probability that people align a pair with unlinked words that a smaller pair lacks.
WANTED_OF_POSSIBLE = 0.4
#: Share of the wrong pairs that are kept; they count for all.
KEPT = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPair:
    """The proposed phrase pairs of one sentence pair with their labels."""

    corpus: str  # `"etpc"` or a key of LINKED
    proposed: ProposedPairs
    labels: np.ndarray  # int64, shape (K,), see forest_align.em.phrases.labels


def read_labelled(data: Path, corpus: str, parser: str, cache: Path) -> Iterator[LabelledPair]:
    """Read and parse a corpus, propose phrase pairs and judge them."""
    path = data / (MARKED if corpus == "etpc" else LINKED[corpus])
    sure = mtref_train_links(path) if corpus == "mtref" else None
    for number, (one, links, evidence) in enumerate(read_linked_pairs(path, parser, cache)):
        proposed = ProposedPairs.of(one.source, one.target, links, evidence)
        yield LabelledPair(corpus, proposed, _labels(one, proposed, None if sure is None else sure[number]))


def _labels(one: ParsedPair, proposed: ProposedPairs, sure: list[tuple[int, int]] | None) -> np.ndarray:
    pair: SentencePair = one.pair
    if pair.units is not None:
        links, silent = links_of_units(pair.units, one.source.words, one.target.words)
        return labels_of(proposed, Links.of(links), silent)
    labels = labels_of(proposed, only_sure(pair.links) if sure is None else Links.of(sure))
    # People were not sure of links whose sum allows a pair.
    assert pair.links is not None
    by_all = labels_of(proposed, pair.links)
    labels[(labels == WRONG) & (by_all != WRONG)] = UNKNOWN
    return labels


@dataclass(frozen=True, slots=True, eq=False)
class PhraseExamples:
    """Pairs of phrases to learn from."""

    features: np.ndarray  # float32, shape (K, F)
    wanted: np.ndarray  # float32, shape (K,): probability that people align the pair
    weight: np.ndarray  # float32, shape (K,)
    # float32, shape (K,): 0 for phrases that people marked, 1 for those that word links imply
    convention: np.ndarray


def examples_of(labelled: LabelledPair, random: np.random.Generator) -> PhraseExamples:
    """The pairs of which the annotation says something; of wrong ones a sample."""
    labels = labelled.labels
    kept = (labels == SURE) | (labels == POSSIBLE)
    kept |= (labels == WRONG) & (random.random(len(labels)) < KEPT)
    labels = labels[kept]
    wanted = np.select([labels == SURE, labels == POSSIBLE], [1.0, WANTED_OF_POSSIBLE], 0.0)
    weight = np.where(labels == WRONG, 1 / KEPT, 1.0)
    convention = np.full(len(labels), labelled.corpus != "etpc")
    return PhraseExamples(
        labelled.proposed.features[kept],
        *(values.astype(np.float32) for values in (wanted, weight, convention)),
    )


def joined(parts: list[PhraseExamples]) -> PhraseExamples:
    """All examples of several sentence pairs."""
    return PhraseExamples(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("features", "wanted", "weight", "convention")
        )
    )
