"""The chunks of a summary, and whether sentences of its source say what the words of one of them say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.logistic_function import regression
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.tables import is_content_word, is_punctuation
from forest_align.meaning import atomic_relations
from forest_align.meaning.relation_algebra import DIFFERENT, OPPOSITE, SPECIFIC

if TYPE_CHECKING:
    from forest_align.aligners.contextual import ContextualAligner
    from forest_align.alignment import AtomicRelation, Span
    from forest_align.types import Sentence

_CLASSES = {
    "name": ("NNP", "NNPS"),
    "number": ("CD",),
    "noun": ("NN", "NNS"),
    "verb": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    "pronoun": ("PRP",),
    "determiner": ("DT", "PRP$"),
}
#: What the regression reads of a word.
WORD_NUMBERS = (
    *("link", "link of a content word", "link of a name", "link of a number"),
    *("similarity of a content word", "lemma of a content word", "lemma of another word"),
    *("content word", "punctuation", *_CLASSES),
    *("content word before a function word", "content word behind a function word"),
    *("weakest of the chunk", "weakest of the chunk of a function word", "sentence"),
)
# python -m forest_align.em.recipes support DATA; the constant comes last.
WORD_WEIGHTS = (
    *(0.079, -0.061, 0.329, 0.127, 1.015, 0.490, -0.282, -1.707, 1.322, 0.369, -0.798),
    *(1.008, 1.970, 1.498, 0.795, 0.094, 0.196, 0.235, -0.101, -0.161, 0.657),
)
_LEAST = 1e-4
# Least probability of links that say that words correspond, and least share of content words with links.
_LINKED, _CORRESPONDING = 0.5, 0.4
# Least mean similarity of the content words of a sentence to those of its source. Below are 95% of the
# hypotheses of RTE beside the text of another one, which the regression has not seen, and 2% of the claims.
_SAME_SUBJECT = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSentence:
    """What one sentence of a source says about a sentence of a summary."""

    links: np.ndarray  # float64, shape (n, m): link probabilities
    supporting: np.ndarray  # The same, but 0 for words that do not say the same
    relations: list[AtomicRelation]  # What is known about linked words
    similarity: np.ndarray  # Shape (n,): highest cosine of each word of the summary with a word of the source
    words: frozenset[str]  # Words and lemmas of the source's sentence
    # Whether the two speak of the same, so that what differs is contradicted: enough content words of the
    # summary have links
    corresponds: bool


def compared_sentence(aligner: ContextualAligner, summary: Sentence, source: Sentence) -> ComparedSentence:
    """Compare a sentence of a summary with one of the source; both have tags and word vectors."""
    probability = aligner.link_probabilities(summary, source)
    likely, _ = aligner.likely_links(summary, source, probability)
    links = probability.astype(np.float64)
    relations = atomic_relations(summary, source, likely.pairs).relations
    supporting = links.copy()
    for relation in relations:
        if relation.target is None or not _denies_support(relation):
            continue
        if relation.source is not None:
            supporting[slice(*relation.source), slice(*relation.target)] = 0.0
        elif relation.rule == "modality":  # *may resign*
            for start, end in chunk_spans(source.tags, source.words):
                if start <= relation.target[0] < end:
                    supporting[:, start:end] = 0.0
    assert summary.vectors is not None and source.vectors is not None
    similarity = (summary.vectors @ source.vectors.T).max(1)
    profiles = load_lexicon().profiles(source)
    words = frozenset(text for profile in profiles for text in (profile.lower, profile.lemma))
    linked = np.isin(np.arange(len(summary)), [i for i, _ in likely])[content_words(summary)]
    corresponds = bool(linked.mean() >= _CORRESPONDING) if len(linked) else False
    return ComparedSentence(links, supporting, relations, similarity, words, corresponds)


def _denies_support(relation: AtomicRelation) -> bool:
    """Whether corresponding words support nothing: they say something else, or that something may be so."""
    may_be = relation.relation == SPECIFIC and relation.rule == "modality"
    return may_be or relation.relation in (DIFFERENT, OPPOSITE)


def support_of_words(summary: Sentence, compared: Sequence[ComparedSentence]) -> np.ndarray:
    """Probability that the source says what each word says, float64 (n,); 0 without sentences to compare."""
    if not compared or _mean_of_content(_similarity(compared), content_words(summary)) < _SAME_SUBJECT:
        return np.zeros(len(summary))
    probability = regression(word_numbers(summary, compared), WORD_WEIGHTS)
    # Words that only correspond to others that say something else are not supported, whatever is around them.
    linked, supporting = (
        np.max([table.max(1) for table in tables], axis=0) >= _LINKED
        for tables in ([other.links for other in compared], [other.supporting for other in compared])
    )
    for relation in (relation for sentence in compared for relation in sentence.relations):
        if relation.source is not None and relation.target is not None and _denies_support(relation):
            linked[slice(*relation.source)] = True
    return np.where(linked & ~supporting, 0.0, probability)


def word_numbers(summary: Sentence, compared: Sequence[ComparedSentence]) -> np.ndarray:
    """What the regression reads of each word: float64, shape (n, len(WORD_NUMBERS))."""
    supported = np.max([other.supporting.max(1) for other in compared], axis=0).clip(_LEAST, 1 - _LEAST)
    best = np.log(supported / (1 - supported))
    similarity = _similarity(compared)
    profiles = load_lexicon().profiles(summary)
    known = {word for other in compared for word in other.words}
    lemma = np.array([word.lower in known or word.lemma in known for word in profiles], float)
    content = content_words(summary)
    is_content, other = content.astype(float), 1.0 - content
    classes = {name: np.isin(summary.tags, tags).astype(float) for name, tags in _CLASSES.items()}
    sentence = _mean_of_content(best, content)
    weakest = best.copy()
    for start, end in chunk_spans(summary.tags, summary.words):
        weakest[start:end] = best[main_words(content, (start, end))].min()
    return np.stack(
        [
            *(best, best * is_content, best * classes["name"], best * classes["number"]),
            *(similarity * is_content, lemma * is_content, lemma * other, is_content),
            np.array([word.is_punctuation for word in profiles], float),
            *classes.values(),
            _nearest(best, content, sentence) * other,
            _nearest(best[::-1], content[::-1], sentence)[::-1] * other,
            *(weakest, weakest * other, np.full(len(summary), sentence)),
        ],
        axis=1,
    )


def _similarity(compared: Sequence[ComparedSentence]) -> np.ndarray:
    """The highest cosine of each word of the summary with a word of the source, (n,)."""
    return np.asarray(np.max([other.similarity for other in compared], axis=0))


def _mean_of_content(values: np.ndarray, content: np.ndarray) -> float:
    """The mean over content words; over all words if there are none."""
    return float(values[content].mean() if content.any() else values.mean())


def content_words(sentence: Sentence) -> np.ndarray:
    """Whether each word of a sentence is a content word: bool, shape (n,)."""
    profiles = load_lexicon().profiles(sentence)
    return np.array([is_content_word(word.lower) and not word.is_punctuation for word in profiles], bool)


def main_words(content: np.ndarray, span: Span) -> list[int]:
    """The content words of a span, or all of its words if it has none."""
    return [word for word in range(*span) if content[word]] or [*range(*span)]


def _nearest(values: np.ndarray, content: np.ndarray, default: float) -> np.ndarray:
    """The value of the last content word before each word."""
    nearest = np.full(len(values), default)
    for word in range(1, len(values)):
        nearest[word] = values[word - 1] if content[word - 1] else nearest[word - 1]
    return nearest


_NOUN = frozenset(
    ("DT", "PDT", "PRP", "PRP$", "EX", "CD", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "POS", "$", "#")
)
# These begin a noun phrase of their own.
_OPENING = frozenset(("DT", "PDT", "PRP", "PRP$", "EX", "WP$"))
_VERB = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"))
_ADVERB = frozenset(("RB", "RBR", "RBS", "RP"))
_PARTICIPLE = frozenset(("VBG", "VBN"))


def chunk_spans(tags: Sequence[str], words: Sequence[str]) -> list[Span]:
    """Token spans of noun phrases with their prepositions, verb groups, and other words one by one.

    Punctuation and conjunctions are in no chunk. The chunks are close to those of interpretable STS (Agirre
    et al. 2016).
    """
    spans: list[Span] = []
    start = 0
    before = ""
    for place, (kind, tag) in enumerate(zip(_kinds(tags, words), tags, strict=True)):
        if not _continues(before, kind, tag):
            if before:
                spans.append((start, place))
            start = place
        before = kind
    return [*spans, (start, len(tags))] if before else spans


def _kinds(tags: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """The kind of each word; empty for those in no chunk."""
    for place, (tag, word) in enumerate(zip(tags, words, strict=True)):
        following = next((other for other in tags[place + 1 :] if other not in _ADVERB), "")
        before = next((other for other in reversed(tags[:place]) if other not in _ADVERB), "")
        is_in_noun_phrase = before in _NOUN and before not in ("PRP", "EX")
        if tag == "CC" or (is_punctuation(word) and tag not in _NOUN):
            yield ""
        elif tag in _NOUN or (is_in_noun_phrase and _modifies(tag, following)):
            yield "noun"
        elif tag in _VERB or (tag == "TO" and following in _VERB):
            yield "verb"
        elif tag in _ADVERB:
            yield "verb" if following in _VERB else "adverb"
        elif tag in ("IN", "TO"):
            yield "preposition"
        else:
            yield "other"


def _modifies(tag: str, following: str) -> bool:
    """Whether a participle or adverb may stand before the noun of its phrase: *a recently elected mayor*."""
    is_noun = following.startswith(("NN", "JJ", "CD"))
    return (tag in _PARTICIPLE and is_noun) or (tag in _ADVERB and (is_noun or following in _PARTICIPLE))


def _continues(before: str, kind: str, tag: str) -> bool:
    """Whether a word belongs to the chunk of the word before it."""
    if not (before and kind):
        return before == kind
    if kind == "noun":
        return before == "preposition" or (before in ("noun", "adverb") and tag not in _OPENING)
    return kind == before == "verb"
