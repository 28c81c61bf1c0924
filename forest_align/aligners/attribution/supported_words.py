"""How probable it is that some sentences of a source say what the words of a sentence of its summary say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.attribution.tagged_chunks import chunk_spans
from forest_align.aligners.logistic_function import regression
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.tables import is_content_word
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
    for one in relations:
        if one.target is None or not _denies_support(one):
            continue
        if one.source is not None:
            supporting[slice(*one.source), slice(*one.target)] = 0.0
        elif one.rule == "modality":  # *may resign*
            for start, end in chunk_spans(source.tags, source.words):
                if start <= one.target[0] < end:
                    supporting[:, start:end] = 0.0
    assert summary.vectors is not None and source.vectors is not None
    similarity = (summary.vectors @ source.vectors.T).max(1)
    profiles = load_lexicon().profiles(source)
    words = frozenset(text for profile in profiles for text in (profile.lower, profile.lemma))
    linked = np.isin(np.arange(len(summary)), [i for i, _ in likely])[content_words(summary)]
    corresponds = bool(linked.mean() >= _CORRESPONDING) if len(linked) else False
    return ComparedSentence(links, supporting, relations, similarity, words, corresponds)


def _denies_support(one: AtomicRelation) -> bool:
    """Whether corresponding words support nothing: they say something else, or that something may be so."""
    return one.relation in (DIFFERENT, OPPOSITE) or (one.relation == SPECIFIC and one.rule == "modality")


def support_of_words(summary: Sentence, compared: Sequence[ComparedSentence]) -> np.ndarray:
    """Probability that the source says what each word says, float64 (n,); 0 without sentences to compare."""
    if not compared or _mean_of_content(_similarity(compared), content_words(summary)) < _SAME_SUBJECT:
        return np.zeros(len(summary))
    found = regression(word_numbers(summary, compared), WORD_WEIGHTS)
    # Words that only correspond to others that say something else are not supported, whatever is around them.
    linked, supporting = (
        np.max([table.max(1) for table in tables], axis=0) >= _LINKED
        for tables in ([one.links for one in compared], [one.supporting for one in compared])
    )
    for one in (relation for sentence in compared for relation in sentence.relations):
        if one.source is not None and one.target is not None and _denies_support(one):
            linked[slice(*one.source)] = True
    return np.where(linked & ~supporting, 0.0, found)


def word_numbers(summary: Sentence, compared: Sequence[ComparedSentence]) -> np.ndarray:
    """What the regression reads of each word: float64, shape (n, len(WORD_NUMBERS))."""
    best = _log_odds(np.max([one.supporting.max(1) for one in compared], axis=0))
    similarity = _similarity(compared)
    profiles = load_lexicon().profiles(summary)
    known = {word for one in compared for word in one.words}
    lemma = np.array([one.lower in known or one.lemma in known for one in profiles], float)
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
            np.array([one.is_punctuation for one in profiles], float),
            *classes.values(),
            _nearest(best, content, sentence) * other,
            _nearest(best[::-1], content[::-1], sentence)[::-1] * other,
            *(weakest, weakest * other, np.full(len(summary), sentence)),
        ],
        axis=1,
    )


def _similarity(compared: Sequence[ComparedSentence]) -> np.ndarray:
    """The highest cosine of each word of the summary with a word of the source, (n,)."""
    found: np.ndarray = np.max([one.similarity for one in compared], axis=0)
    return found


def _mean_of_content(values: np.ndarray, content: np.ndarray) -> float:
    """The mean over content words; over all words if there are none."""
    return float(values[content].mean() if content.any() else values.mean())


def content_words(sentence: Sentence) -> np.ndarray:
    """Whether each word of a sentence is a content word: bool, shape (n,)."""
    profiles = load_lexicon().profiles(sentence)
    return np.array([is_content_word(one.lower) and not one.is_punctuation for one in profiles], bool)


def main_words(content: np.ndarray, span: Span) -> list[int]:
    """The content words of a span, or all of its words if it has none."""
    return [word for word in range(*span) if content[word]] or [*range(*span)]


def _nearest(values: np.ndarray, content: np.ndarray, default: float) -> np.ndarray:
    """The value of the last content word before each word."""
    found = np.full(len(values), default)
    for word in range(1, len(values)):
        found[word] = values[word - 1] if content[word - 1] else found[word - 1]
    return found


def _log_odds(probability: np.ndarray) -> np.ndarray:
    clipped = np.clip(probability, _LEAST, 1 - _LEAST)
    found: np.ndarray = np.log(clipped / (1 - clipped))
    return found
