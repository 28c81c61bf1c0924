"""Makes the examples from which the phrase-pair model is learned."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.phrases.features import ProposedPairs
from forest_align.aligners.words.candidate import link_probabilities
from forest_align.aligners.words.choose import word_candidates
from forest_align.alignment import Links, project
from forest_align.data.formats.format import PhraseUnit, SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.contextual.examples import mtref_train_links, only_sure
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.corpus.parsed_pairs import LazyParser, ParsedPair, parse_pairs, parser_fingerprint
from forest_align.eval.metrics.unit_scores import IDENTITY
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

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
    labels: np.ndarray  # int64, shape (K,), see labels_of


def read_labelled(data: Path, corpus: str, parser: str, cache: Path) -> Iterator[LabelledPair]:
    """Read and parse a corpus, propose phrase pairs and judge them."""
    path = data / (MARKED if corpus == "etpc" else LINKED[corpus])
    sure = mtref_train_links(path) if corpus == "mtref" else None
    for number, (parsed, links, evidence) in enumerate(read_linked_pairs(path, parser, cache)):
        proposed = ProposedPairs.of(parsed.source, parsed.target, links, evidence)
        yield LabelledPair(
            corpus, proposed, _labels(parsed, proposed, None if sure is None else sure[number])
        )


def _labels(parsed: ParsedPair, proposed: ProposedPairs, sure: list[tuple[int, int]] | None) -> np.ndarray:
    pair: SentencePair = parsed.pair
    if pair.units is not None:
        links, silent = links_of_units(pair.units, parsed.source.words, parsed.target.words)
        return labels_of(proposed, Links.of(links), silent)
    labels = labels_of(proposed, only_sure(pair.links) if sure is None else Links.of(sure))
    # People were not sure of links whose sum allows a pair.
    assert pair.links is not None
    by_all = labels_of(proposed, pair.links)
    labels[(labels == WRONG) & (by_all != WRONG)] = UNKNOWN
    return labels


_Examples = TypeVar("_Examples", bound="DataclassInstance")


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


def joined(parts: Sequence[_Examples]) -> _Examples:
    """All examples of several sentence pairs: their arrays, one after another."""
    names = [field.name for field in fields(parts[0])]
    return type(parts[0])(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


#: *Sure* and *possible* pairs are those of :func:`~forest_align.alignment.project`; links leave a *wrong*
#: pair. Of an *unknown* pair the annotation says nothing.
WRONG, SURE, POSSIBLE, UNKNOWN = range(4)

# Types of ETPC whose units name the scope of a change, not phrases that correspond as wholes.
_SCOPES = frozenset(
    (
        "Addition/Deletion",
        "Change of order",
        "Converse substitution",
        "Coordination changes",
        "Diathesis alternation",
        "Direct/indirect style alternations",
        "Ellipsis",
        "Entailment",
        "Negation switching",
        "Non-paraphrase",
        "Punctuation changes",
        "Sentence modality changes",
        "Subordination and nesting changes",
        "Syntax/discourse structure changes",
    )
)


def labels_of(
    proposed: ProposedPairs, links: Links, silent: tuple[Collection[int], Collection[int]] = ((), ())
) -> np.ndarray:
    """Judge K proposed pairs by gold links: int64, shape (K,).

    Labels are :data:`WRONG`, :data:`SURE`, :data:`POSSIBLE` and :data:`UNKNOWN`. A pair with a word in
    ``silent`` is unknown: the annotation says nothing of these words.
    """
    source, target, (a, b) = proposed.phrases.source, proposed.phrases.target, proposed.pairs
    # Both have the distinct spans of each sentence in ascending order.
    projection = project(source.spans, target.spans, links)
    labels = np.where(projection.sure, SURE, np.where(projection.possible, POSSIBLE, WRONG))[a, b]
    for spans, places, words in ((source, a, silent[0]), (target, b, silent[1])):
        if words:
            is_silent = np.isin(np.arange(int(spans.end.max())), list(words))
            before = np.concatenate([[0], np.cumsum(is_silent)])
            labels[(before[spans.end] - before[spans.start])[places] > 0] = UNKNOWN
    return labels


def links_of_units(
    units: Sequence[PhraseUnit], source: Sequence[str], target: Sequence[str]
) -> tuple[set[tuple[int, int]], tuple[set[int], set[int]]]:
    """Word links that marked phrases imply, and the words of which they say nothing.

    All words of a unit are linked to all of its other side. Equal words are linked one by one, in order.
    """
    links: set[tuple[int, int]] = set()
    for unit in units:
        if unit.type == IDENTITY:
            links |= _equal_words(unit, source, target)
        elif unit.type not in _SCOPES:
            links |= {(i, j) for i in unit.source for j in unit.target}
    silent = (
        set(range(len(source))).difference(*(unit.source for unit in units)),
        set(range(len(target))).difference(*(unit.target for unit in units)),
    )
    return links, silent


def _equal_words(unit: PhraseUnit, source: Sequence[str], target: Sequence[str]) -> set[tuple[int, int]]:
    words = [source[i].lower() for i in unit.source], [target[j].lower() for j in unit.target]
    if words[0] == words[1]:
        return set(zip(unit.source, unit.target, strict=True))
    blocks = SequenceMatcher(None, *words, autojunk=False).get_matching_blocks()
    return {
        (unit.source[block.a + k], unit.target[block.b + k]) for block in blocks for k in range(block.size)
    }


# Trees in a forest, as the forest aligner has them.
_FOREST_SIZE = 10


class LinkedPair(NamedTuple):
    """A parsed pair of n and m words with what is known of them."""

    parsed: ParsedPair
    links: np.ndarray  # float64, shape (n, m): link probabilities of the contextual aligner
    evidence: np.ndarray  # int32, shape (n, m), see pair_evidence


def read_linked_pairs(path: Path, parser: str, cache: Path) -> Iterator[LinkedPair]:
    """Read and parse the pairs of a file; the parser is loaded only if a sentence is not in the cache."""
    provider, lexicon = word_candidates("contextual"), load_lexicon()
    identity = [parser_fingerprint(parser), _FOREST_SIZE]
    for parsed in parse_pairs(
        read_pairs(path), LazyParser(parser, _FOREST_SIZE), ArrayStore(cache), identity
    ):
        if isinstance(parsed, InputError):
            raise parsed
        candidates = provider.candidates(parsed.source, parsed.target)
        links = link_probabilities(candidates, len(parsed.source), len(parsed.target))
        yield LinkedPair(parsed, links, pair_evidence(parsed.source, parsed.target, lexicon))
