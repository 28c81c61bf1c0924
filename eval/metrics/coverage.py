"""Scores of sentence pairs by their alignment alone: the share of aligned words, as in the papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import log

from forest_align.eval.metrics.scores import harmonic_mean
from forest_align.lexicon.tables import FUNCTION_WORDS, is_content_word


def coverage(words: Sequence[str], aligned: AbstractSet[int]) -> float:
    """Share of the content words of one sentence that are aligned, in [0, 1]; 0 if the sentence is empty.

    A sentence without content words is judged by all its words. A link to any word counts.
    """
    content = _content(words)
    return sum(k in aligned for k in content) / len(content) if content else 0.0


def mutual_coverage(
    sentences: tuple[Sequence[str], Sequence[str]], aligned: tuple[AbstractSet[int], AbstractSet[int]]
) -> float:
    """Number of aligned content words, normalised by both sentences' numbers of content words (0 if empty).

    "The proportion of content words aligned in the two sentences (by normalizing with the harmonic mean of
    their number of content words)" (Sultan et al. 2014, §4.2.1). With one-to-one links of content words, this
    is the mean of their :func:`coverage`. Otherwise the mean of the two numbers counts, and the result may
    exceed 1.
    """
    content = [_content(words) for words in sentences]
    counts = [len(found) for found in content]
    both = sum(k in of_side for found, of_side in zip(content, aligned, strict=True) for k in found)
    return float(both / 2 / harmonic_mean(*counts)) if all(counts) else 0.0


def weighted_coverage(
    words: Sequence[str], credits: Mapping[int, float], weights: Mapping[str, float]
) -> float:
    """Coverage in [0, 1] that weights words by rarity and by the similarity of their aligned words.

    ``credits`` are qualities in [0, 1] by index, ``weights`` are by lower-cased word, see
    :func:`document_frequency_weights`.
    """
    content = _content(words)
    weight = [weights[words[k].lower()] for k in content]
    if not sum(weight):
        weight = [1.0] * len(content)
    got = sum(each * credits.get(k, 0.0) for k, each in zip(content, weight, strict=True))
    return got / sum(weight) if content else 0.0


def document_frequency_weights(sentences: Iterable[Sequence[str]]) -> dict[str, float]:
    """Inverse document frequency of lower-cased words: ln (N + 1) / (n + 1) for n of N sentences.

    A sentence that occurs several times counts once.
    """
    different = {tuple(sentence) for sentence in sentences}
    counts = Counter(word for sentence in different for word in {word.lower() for word in sentence})
    return {word: log((len(different) + 1) / (count + 1)) for word, count in counts.items()}


def _content(words: Sequence[str]) -> list[int]:
    found = [k for k, word in enumerate(words) if is_content_word(word, FUNCTION_WORDS)]
    return found or list(range(len(words)))
