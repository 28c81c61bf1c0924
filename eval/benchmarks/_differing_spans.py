"""The span similarity dataset (SSD) as a benchmark: the spans in which two sentences differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from forest_align.alignment import Alignment, PhrasePair, Span
from forest_align.data.formats.format import SentencePair
from forest_align.eval.benchmarks.reading import Files, tokenized_sentences
from forest_align.eval.benchmarks.task import Figures, Task
from forest_align.eval.metrics.span_differences import difference_statistics, is_punctuation, score_sentence
from forest_align.types import InputError, Sentence
from forest_align.types.spans import gaps

_EQUIVALENT = "equivalent"


@dataclass(frozen=True, slots=True)
class Differences:
    """The spans of two sentences that differ in meaning.

    Attributes
    ----------
    source, target : sequence of (int, int)
        Half-open token spans, ascending.
    """

    source: Sequence[Span]
    target: Sequence[Span]


def ssd_task(files: Files, split: str) -> Task:
    """Make the SSD task.

    Raises
    ------
    InputError
        If a pair cannot be read or has no marked spans: names it.
    """
    pairs = files.pairs()
    sentences = tokenized_sentences(pairs)
    gold = [_gold(pair, *both) for pair, both in zip(pairs, sentences, strict=True)]
    return Task([pair.id for pair in pairs], sentences, difference_scorer(gold))


def _gold(pair: SentencePair, source: Sentence, target: Sentence) -> Differences:
    if pair.marked is None:
        raise pair.located(InputError(f"pair {pair.id!r}: expected marked spans, found none", field="marked"))
    differing = [one for one in pair.marked if not one.same]
    return Differences(
        [token_span(source, one.source) for one in differing],
        [token_span(target, one.target) for one in differing],
    )


def token_span(sentence: Sentence, characters: Span) -> Span:
    """The tokens that a span of characters touches; empty if it has none, such as a blank."""
    start, end = characters
    inside = [k for k, token in enumerate(sentence.tokens) if token.start < end and token.end > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def difference_scorer(gold: Sequence[Differences]) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score the differing spans of alignments: one table, ``ssd``."""

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        scores = []
        for alignment, wanted in zip(alignments, gold, strict=True):
            found = differing_spans(alignment)
            scores.append(
                (
                    score_sentence(alignment.source.words, wanted.source, found.source),
                    score_sentence(alignment.target.words, wanted.target, found.target),
                )
            )
        differs = [bool(wanted.source) for wanted in gold]
        return [Figures.of("ssd", difference_statistics(scores, differs))]

    return score


def differing_spans(alignment: Alignment) -> Differences:
    """The spans in which the two sentences of an alignment differ.

    1. A phrase pair with a known relation other than ``equivalent`` differs, if no smaller pair inside it
       does. Its words differ.
    2. A word without a link differs, unless the smallest phrase pair around it is equivalent.

    Adjacent words that differ make one span; punctuation does not differ. Without relations, as of aligners
    of words, only the second rule applies, without its exception.
    """
    related = [pair for pair in alignment.phrases if pair.relation is not None]
    differing = _smallest(pair for pair in related if not _is_equivalent(pair))
    sides = []
    for side, sentence in enumerate((alignment.source, alignment.target)):
        linked = {link[side] for link in alignment.words}
        words = {word for pair in differing for word in range(*_span(pair, side))}
        words |= {
            word
            for word in range(len(sentence))
            if word not in linked and not _is_inside_equivalent(word, related, side)
        }
        sides.append(_runs(sentence.words, words))
    return Differences(*sides)


def _span(pair: PhrasePair, side: int) -> Span:
    return (pair.source_node, pair.target_node)[side].span


def _smallest(pairs: Iterable[PhrasePair]) -> list[PhrasePair]:
    """The pairs that contain no other one."""
    found: list[PhrasePair] = []
    for pair in sorted(pairs, key=_size):
        if not any(all(_contains(_span(pair, side), _span(one, side)) for side in (0, 1)) for one in found):
            found.append(pair)
    return found


def _size(pair: PhrasePair) -> int:
    return len(range(*_span(pair, 0))) + len(range(*_span(pair, 1)))


def _contains(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _is_inside_equivalent(word: int, related: Sequence[PhrasePair], side: int) -> bool:
    around = [pair for pair in related if _contains(_span(pair, side), (word, word + 1))]
    smallest = min(around, key=lambda pair: _span(pair, side)[1] - _span(pair, side)[0], default=None)
    return smallest is not None and _is_equivalent(smallest)


def _is_equivalent(pair: PhrasePair) -> bool:
    return pair.relation is not None and pair.relation.name == _EQUIVALENT


def _runs(words: Sequence[str], chosen: AbstractSet[int]) -> list[Span]:
    """Maximal spans of chosen words, punctuation left out."""
    others = [k for k, word in enumerate(words) if k not in chosen or is_punctuation(word)]
    return list(gaps(others, len(words)))
