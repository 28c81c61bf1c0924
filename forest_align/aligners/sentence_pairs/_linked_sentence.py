"""An aligned pair as the paraphrase model sees it: classes of words, partners, joined relations."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.relations import related_words
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.tables import is_content_word, is_punctuation
from forest_align.meaning.relation_algebra import (
    DIFFERENT,
    EQUIVALENT,
    GENERAL,
    MIXED,
    OPPOSITE,
    SPECIFIC,
    UNKNOWN,
    related_by,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.alignment import AtomicRelation, Links
    from forest_align.types import Sentence


_COUNTED = {DIFFERENT: DIFFERENT, OPPOSITE: OPPOSITE, UNKNOWN: "nothing known"}
# All others say more on one side.
_ROOTS = {EQUIVALENT: EQUIVALENT, MIXED: MIXED, **_COUNTED}
#: Names of the features of :func:`relation_counts`.
RELATION_FEATURES = (
    *(f"whole sentences: {name}" for name in _ROOTS.values()),
    *(f"relations: {name}" for name in _COUNTED.values()),
    *("relations: says more, smaller", "relations: says more, larger"),
    "exchanged roles",
)


def relation_counts(relations: Sequence[AtomicRelation]) -> dict[str, float]:
    """The relation of the whole sentences, and log(1 + count) of each kind; alike for swapped sentences."""
    root = related_by(relations)
    counts = Counter(atomic.relation for atomic in relations)
    exchanged = sum(atomic.rule.startswith("exchanged") for atomic in relations)
    values = (
        *(float(root == relation) for relation in _ROOTS),
        *(log1p(counts[relation]) for relation in _COUNTED),
        *map(log1p, sorted((counts[SPECIFIC], counts[GENERAL]))),
        log1p(exchanged),
    )
    return dict(zip(RELATION_FEATURES, values, strict=True))


#: Classes of words; punctuation has none.
CLASSES = (
    *("name", "number", "noun", "verb", "adjective", "adverb"),
    *("pronoun", "negation", "preposition", "function word"),
)
#: Kinds of content words, each with its classes.
KINDS = {"noun": ("name", "noun"), "verb": ("verb",), "modifier": ("number", "adjective", "adverb")}

_KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}
_NEGATIONS = frozenset(
    ("not", "n't", "no", "never", "without", "neither", "nor", "none", "nobody", "nothing")
)
_PREPOSITION_TAGS = ("IN", "TO", "RP")
# Penn tags of classes, and of content words, begin with these letters.
_ALWAYS = (("NNP", "name"), ("CD", "number"), ("PRP", "pronoun"))
_CONTENT = (("N", "noun"), ("V", "verb"), ("J", "adjective"), ("RB", "adverb"))
# Tags before a participle that belongs to the noun behind it.
_BEFORE_PARTICIPLE = {"VBG": ("DT", "CD", "JJ", "PRP$"), "VBN": ("DT", "CD", "JJ", "PRP$", "IN")}
# Words from a preposition to the last word of its noun phrase.
_LONGEST_PHRASE = 5
# The similarity of words decides between partners with links of equal probability.
_TIE = 0.01


class LinkedSentence:
    """A sentence of a pair, the source of the links of its words.

    Shapes: ``cosine`` (n, m), of its words with those of the other sentence.
    """

    def __init__(self, sentence: Sentence, links: Links, cosine: np.ndarray) -> None:
        self.words = sentence.words
        self.tags = _with_participles_as_adjectives([token.tag for token in sentence.tokens])
        self.lemmas = [profile.lemma for profile in load_lexicon().profiles(sentence)]
        self.classes = list(map(_class_of, self.words, self.tags))
        self.kinds = [_KIND_OF.get(name, "") for name in self.classes]
        self.content = [word for word, kind in enumerate(self.kinds) if kind]
        self.vectors = sentence.vectors
        self.cosine = cosine
        best: dict[int, tuple[float, float, int]] = {}
        for (word, other), p in zip(links, links.scores or (1.0,) * len(links), strict=True):
            link = (p + _TIE * float(cosine[word, other]), p, other)
            best[word] = max(best.get(word, link), link)
        #: For each linked word its best partner, and the probability of that link.
        self.partner = {word: other for word, (_, _, other) in best.items()}
        self.probability = {word: p for word, (_, p, _) in best.items()}

    @cached_property
    def related(self) -> list[list[list[int]]]:
        """For each word and relation the related words, -1 for none; see :func:`related_words`."""
        return list(related_words(self.words, self.tags).tolist())

    def preposition(self, word: int) -> str:
        """The preposition before the noun phrase of a word; empty if there is none."""
        for before in range(word - 1, max(-1, word - _LONGEST_PHRASE), -1):
            if self.tags[before] in ("IN", "TO"):
                return self.words[before].lower()
            if self.tags[before][:1] in "VMC,:.":
                return ""
        return ""

    def distance(self, word: int) -> float:
        """One minus the cosine of a linked word with its partner, both in their contexts."""
        return 1.0 - float(self.cosine[word, self.partner[word]])


def _with_participles_as_adjectives(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags in which a participle inside a noun phrase is an adjective: *two masked men*."""
    changed = list(tags)
    for word in range(1, len(tags) - 1):
        before = _BEFORE_PARTICIPLE.get(tags[word], ())
        if changed[word - 1] in before and tags[word + 1].startswith("NN"):
            changed[word] = "JJ"
    return tuple(changed)


def _class_of(word: str, tag: str) -> str:
    """Class of a word; empty for punctuation."""
    lower = word.lower()
    if is_punctuation(lower):
        return ""
    if lower in _NEGATIONS:
        return "negation"
    for start, name in (*_ALWAYS, *(_CONTENT if is_content_word(word) else ())):
        if tag.startswith(start):
            return name
    return "preposition" if tag in _PREPOSITION_TAGS else "function word"
