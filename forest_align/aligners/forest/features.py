"""Attributes of phrases and features of phrase pairs, from which alignment probabilities are computed.

A phrase is described by the lemma of its semantic head and a reduced category (Arase & Tsujii 2017, §5.2).
Phrases of one sentence that agree in both share a *class*. Features are computed once for a pair of classes,
and a sentence has few classes even if its forest is large.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.lexical import Dictionary
from forest_align.cext.alignment_arrays import MOST_NODES
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import Evidence, Lexicon
from forest_align.types import InputError, ParseForest, Sentence

#: Least score of a word candidate that is reported where the derivation links neither word, and of one that
#: is reported in any case.
CONFIDENT_LINK, CERTAIN_LINK = 0.5, 0.6
CATEGORIES = ("N", "V", "ADJ", "ADV", "P", "CC", "other", "null")
NULL = CATEGORIES.index("null")

# Relations between the heads of two phrases; each is a feature.
RELATIONS = ("identical", "substring", "wordnet", "embedding", "preposition", "linked", "same_category")
_RELATION_BITS = (
    Evidence.IDENTICAL | Evidence.LEMMA,
    Evidence.SUBSTRING,
    Evidence.SYNONYM | Evidence.DERIVATION | Evidence.SUFFIX | Evidence.SPELLING | Evidence.NUMBER
    | Evidence.ABBREVIATION | Evidence.ACRONYM | Evidence.PPDB,
    Evidence.EMBEDDING,
    Evidence.PREPOSITION,
)  # fmt: skip
LINKED = RELATIONS.index("linked")
_SAME_CATEGORY = RELATIONS.index("same_category")

# All features except the lexicalised ones, in the order of their weights.
GENERAL_FEATURES = (
    *RELATIONS,
    *(f"category:{ours}:{theirs}" for ours in CATEGORIES for theirs in CATEGORIES),
)

_CATEGORY_OF_TAG = {
    "IN": "P", "TO": "P", "CC": "CC", "MD": "V", "RP": "ADV", "WRB": "ADV", "PRP": "N", "WP": "N", "CD": "N",
    "EX": "N", "$": "N", "PRP$": "ADJ",
}  # fmt: skip


@lru_cache(maxsize=1024)
def reduced_category(tag: str) -> int:
    """Number of the category of a Penn part-of-speech tag, see :data:`CATEGORIES`."""
    name = _CATEGORY_OF_TAG.get(tag)
    if name is None:
        starts = {"NN": "N", "VB": "V", "JJ": "ADJ", "RB": "ADV"}
        name = starts.get(tag[:2], "other")
    return CATEGORIES.index(name)


@dataclass(frozen=True, slots=True, eq=False)
class PhraseClasses:
    """The distinct attributes of the phrases of one sentence."""

    lemmas: tuple[str, ...]  # Lemma of the head of each class; the lower-cased word if no lemma is known
    categories: np.ndarray  # int32, shape (C,): category of each class, an index of CATEGORIES
    tokens: tuple[tuple[int, ...], ...]  # The tokens that are heads of phrases of each class
    class_of_node: np.ndarray  # int32, shape (N,): class of each node of the forest

    def __len__(self) -> int:
        return len(self.lemmas)

    def attributes(self) -> list[str]:
        """Name of each class, such as ``cat/N``; the last one is that of null."""
        named = zip(self.lemmas, self.categories.tolist(), strict=True)
        return [*(f"{lemma}/{CATEGORIES[category]}" for lemma, category in named), f"/{CATEGORIES[NULL]}"]


def phrase_classes(sentence: Sentence) -> PhraseClasses:
    """Group the phrases of a sentence by their attributes."""
    forest = forest_of(sentence)
    numbers: dict[tuple[str, int], int] = {}
    tokens: list[list[int]] = []
    class_of_token = np.zeros(len(sentence), np.int32)
    for head in np.unique(forest.head).tolist():
        token = sentence.tokens[head]
        key = (token.lemma or token.text.lower(), reduced_category(token.tag))
        class_of_token[head] = number = numbers.setdefault(key, len(numbers))
        if number == len(tokens):
            tokens.append([])
        tokens[number].append(head)
    return PhraseClasses(
        tuple(lemma for lemma, _ in numbers),
        np.array([category for _, category in numbers], np.int32),
        tuple(tuple(places) for places in tokens),
        class_of_token[forest.head],
    )


def forest_of(sentence: Sentence) -> ParseForest:
    """The forest of a sentence; an InputError if there is none, or it is too large for the kernel."""
    if sentence.forest is None:
        raise InputError("expected a sentence with a parse forest, found none")
    if len(sentence.forest) > MOST_NODES:
        raise InputError(
            f"expected a forest of at most {MOST_NODES} nodes, found {len(sentence.forest)}", field="forest"
        )
    return sentence.forest


@dataclass(frozen=True, slots=True, eq=False)
class PairFeatures:
    """Features of every pair of phrase classes of two sentences."""

    source: PhraseClasses
    target: PhraseClasses
    # float64, shape (S, T, len(RELATIONS)): 1 if the relation holds between the heads of two classes
    relations: np.ndarray


def features_of_candidates(
    source: Sentence,
    target: Sentence,
    candidates: Iterable[Candidate],
    lexicon: Lexicon,
    dictionary: Dictionary | None = None,
) -> PairFeatures:
    """Features of the phrase pairs of two sentences.

    Candidates with a probability of at least :data:`CONFIDENT_LINK` count as links. If there is a dictionary,
    it relates words, instead of the lexicon alone.
    """
    links: list[tuple[int, int]] = []
    for candidate in candidates:
        ours, theirs = candidate.source, candidate.target
        if not (0 <= ours[0] < ours[1] <= len(source) and 0 <= theirs[0] < theirs[1] <= len(target)):
            raise InputError(
                f"candidate {ours}-{theirs} is out of range: "
                f"the sentences have {len(source)} and {len(target)} tokens"
            )
        if candidate.weighted and candidate.score >= CONFIDENT_LINK:
            links += product(range(*ours), range(*theirs))
    if dictionary is None:
        evidence = word_evidence(source, target, lexicon)
    else:
        evidence = dictionary.evidence(source, target, lexicon)
    return pair_features(source, target, evidence, links)


def pair_features(
    source: Sentence, target: Sentence, evidence: np.ndarray, links: Iterable[tuple[int, int]] = ()
) -> PairFeatures:
    """Compute the features of two sentences with forests, whose ``links`` are taken as true.

    Shapes: ``evidence`` int32 (n, m), of :func:`.word_evidence`.
    """
    classes = phrase_classes(source), phrase_classes(target)
    by_token = np.zeros((len(source), len(target), len(RELATIONS)))
    for relation, bits in enumerate(_RELATION_BITS):
        by_token[:, :, relation] = (evidence & int(bits)) != 0
    for i, j in links:
        by_token[i, j, LINKED] = 1.0
    relations = _by_class(_by_class(by_token, classes[0].tokens).swapaxes(0, 1), classes[1].tokens)
    relations = np.ascontiguousarray(relations.swapaxes(0, 1))
    relations[:, :, _SAME_CATEGORY] = classes[0].categories[:, None] == classes[1].categories[None, :]
    return PairFeatures(classes[0], classes[1], relations)


def _by_class(values: np.ndarray, tokens: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Maximum over the tokens of each class, along the first axis."""
    largest = values[[places[0] for places in tokens]]
    for number, places in enumerate(tokens):
        if len(places) > 1:
            largest[number] = values[list(places)].max(axis=0)
    return largest
