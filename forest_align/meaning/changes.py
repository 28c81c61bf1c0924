"""Names what differs between two corresponding phrases, from their words and links alone; nothing is learned.

The names are those of :data:`~forest_align.alignment.CHANGE_NAMES`. Most of them are types of paraphrases in
Kovatchev et al. (2018): inflectional and derivational changes, spelling, format, order, named entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from forest_align.alignment import CHANGE_NAMES
from forest_align.lexicon.groups import lexical_groups
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.quantities import Quantity, QuantityComparison, compare, read_quantities
from forest_align.lexicon.tables import FUNCTION_GROUPS
from forest_align.lexicon.written_forms import is_misspelling, word_change
from forest_align.parsing.dependencies.entities import find_entities
from forest_align.types import Sentence

Span = tuple[int, int]

# The first words of the groups of pronouns among the function words.
_DIFFERENCES = (QuantityComparison.OTHER, QuantityComparison.OTHER_UNIT)
_PRONOUNS = frozenset(("i", "you", "he", "she", "it", "we", "they"))
# Kinds of groups of the lexicon that are the same words, written in another way.
_WRITTEN = {"acronym": "format", "joined": "spelling"}


class _Change(NamedTuple):
    """A change, with the words that it concerns."""

    source: Span
    target: Span
    name: str


def changes_of(
    source: Sentence,
    target: Sentence,
    source_span: Span,
    target_span: Span,
    links: Iterable[tuple[int, int]],
) -> tuple[str, ...]:
    """What differs between two corresponding phrases; see :class:`WordChanges`, which serves several phrases.

    Parameters
    ----------
    source, target : Sentence
        The sentences; tags are used if they are known.
    source_span, target_span : (int, int)
        Half-open token spans of the phrases.
    links : iterable of (int, int)
        Word links of the sentences.

    Returns
    -------
    tuple of str
        Names in the order of :data:`~forest_align.alignment.CHANGE_NAMES`.
    """
    return WordChanges(source, target, links).of(source_span, target_span)


class WordChanges:
    """What differs between two sentences, found once for all their phrases.

    - *inflection*: linked words with one lemma and other forms (*stole*, *stolen*; *he*, *him*).
    - *derivation*: linked words of one family (*decide*, *decision*).
    - *spelling*: one word, written in another way (*colour*, *well-known*).
    - *format*: an abbreviation, contraction, acronym, or equal quantities in other notation (*2*, *two*).
    - *name*: a name is shortened or replaced (*George Bush*, *Bush*; *Southwest*, *the airline*).
    - *number*: quantities of one kind that differ (*$5*, *$6*).
    - *pronoun*: a pronoun is replaced (*she*, *his wife*).
    - *word order*: linked words or groups of words, punctuation aside, cross.

    Swapped sentences have the same changes.

    Parameters
    ----------
    source, target : Sentence
        The sentences; tags are used if they are known. Without them there are no names.
    links : iterable of (int, int)
        Their word links.
    """

    def __init__(self, source: Sentence, target: Sentence, links: Iterable[tuple[int, int]]) -> None:
        lexicon = self._lexicon = load_lexicon()
        self._profiles = lexicon.profiles(source), lexicon.profiles(target)
        self._tags = tuple([token.tag for token in sentence.tokens] for sentence in (source, target))
        self._names = tuple(
            [(name.start, name.end) for name in find_entities(sentence.words, tags)]
            for sentence, tags in zip((source, target), self._tags, strict=True)
        )
        self._quantities = tuple(
            read_quantities(sentence.words, tags if any(tags) else ())
            for sentence, tags in zip((source, target), self._tags, strict=True)
        )
        self._links = sorted(set(links))
        self._written = [
            _Change(group.source, group.target, _WRITTEN[group.kind])
            for group in lexical_groups(source, target, lexicon)
            if group.kind in _WRITTEN
            and any(_inside(link, group.source, group.target) for link in self._links)
        ]
        self._changes = [*self._written, *self._of_links(), *self._of_names()]

    def of(self, source_span: Span, target_span: Span) -> tuple[str, ...]:
        """What differs between two corresponding phrases.

        Parameters
        ----------
        source_span, target_span : (int, int)
            Half-open token spans of the phrases.

        Returns
        -------
        tuple of str
            Names in the order of :data:`~forest_align.alignment.CHANGE_NAMES`.
        """
        spans = source_span, target_span
        names = {
            change.name
            for change in self._changes
            if _within(change.source, source_span) and _within(change.target, target_span)
        }
        links = [link for link in self._links if _inside(link, *spans)]
        if not links:
            names |= self._of_unlinked(*spans)
        names |= self._of_quantities(*spans)
        if self._cross(links):
            names.add("word order")
        return tuple(name for name in CHANGE_NAMES if name in names)

    def _of_links(self) -> Iterator[_Change]:
        for i, j in self._links:
            one, two = self._profiles[0][i], self._profiles[1][j]
            if one.lower == two.lower or one.is_punctuation or two.is_punctuation:
                continue
            source, target = (i, i + 1), (j, j + 1)
            pronouns = self._pronouns(0, i), self._pronouns(1, j)
            if any(pronouns):
                # The forms of one pronoun are a group of function words.
                name = "inflection" if pronouns[0] & pronouns[1] else "pronoun"
                yield _Change(source, target, name)
            elif any(
                _within(source, change.source) and _within(target, change.target) for change in self._written
            ):
                continue
            elif name := word_change(one, two):
                yield _Change(source, target, name)
            elif is_misspelling(one, two, self._lexicon):
                yield _Change(source, target, "spelling")
            elif self._is_name(0, i) != self._is_name(1, j) and not (one.is_function or two.is_function):
                yield _Change(source, target, "name")

    def _of_names(self) -> Iterator[_Change]:
        """Linked names with other words: a part of the name, or another name."""
        for source, target in product(*self._names):
            is_written = any(
                _overlap(source, change.source) and _overlap(target, change.target)
                for change in self._written
            )
            if is_written or not any(_inside(link, source, target) for link in self._links):
                continue
            words = range(*source), range(*target)
            if len(words[0]) != len(words[1]) or not all(map(self._are_one_word, *words)):
                yield _Change(source, target, "name")

    def _are_one_word(self, i: int, j: int) -> bool:
        """Whether two words are the same apart from their form."""
        one, two = self._profiles[0][i], self._profiles[1][j]
        return one.lower == two.lower or bool(word_change(one, two))

    def _of_unlinked(self, source_span: Span, target_span: Span) -> set[str]:
        """What replaces what in phrases without links inside: a pronoun or a name, by something else."""
        content = [
            [word for word in range(*span) if not profiles[word].is_punctuation]
            for profiles, span in zip(self._profiles, (source_span, target_span), strict=True)
        ]
        if any(
            words and all(self._pronouns(side, word) for word in words) for side, words in enumerate(content)
        ):
            return {"pronoun"}
        has_name = any(self._is_name(side, word) for side, words in enumerate(content) for word in words)
        return {"name"} if has_name else set()

    def _of_quantities(self, source_span: Span, target_span: Span) -> set[str]:
        sides = [
            [quantity for quantity in quantities if _within((quantity.start, quantity.end), span)]
            for quantities, span in zip(self._quantities, (source_span, target_span), strict=True)
        ]
        names: set[str] = set()
        equal: tuple[set[int], set[int]] = (set(), set())
        comparisons = {
            (a, b): compare(left, right)
            for (a, left), (b, right) in product(enumerate(sides[0]), enumerate(sides[1]))
        }
        for (a, b), comparison in comparisons.items():
            if comparison is QuantityComparison.EQUAL:
                equal[0].add(a)
                equal[1].add(b)
                if self._is_rewritten(sides[0][a], sides[1][b]):
                    names.add("format")
        for (a, b), comparison in comparisons.items():
            if comparison in _DIFFERENCES and a not in equal[0] and b not in equal[1]:
                names.add("number")
        return names

    def _is_rewritten(self, *quantities: Quantity) -> bool:
        """Whether words of two quantities are linked, and are not the same."""
        spans = [(quantity.start, quantity.end) for quantity in quantities]
        words = [
            [profile.lower for profile in profiles[slice(*span)]]
            for profiles, span in zip(self._profiles, spans, strict=True)
        ]
        return words[0] != words[1] and any(_inside(link, *spans) for link in self._links)

    def _pronouns(self, side: int, word: int) -> frozenset[str]:
        """The pronouns of which a word is a form; empty for other words, such as *US* and *'s*."""
        tag = self._tags[side][word]
        if tag and not tag.startswith("PRP"):
            return frozenset()
        return _PRONOUNS.intersection(FUNCTION_GROUPS.get(self._profiles[side][word].lower, ()))

    def _is_name(self, side: int, word: int) -> bool:
        return any(start <= word < end for start, end in self._names[side])

    def _cross(self, links: Sequence[tuple[int, int]]) -> bool:
        """Whether linked groups of words come in another order; punctuation does not count."""
        words = [
            (i, j)
            for i, j in links
            if not self._profiles[0][i].is_punctuation and not self._profiles[1][j].is_punctuation
        ]
        if all(one[1] <= two[1] for one, two in pairwise(words)):
            return False  # links are sorted: no two of them cross
        groups = _groups(words)
        return any(one[0][1] <= two[0][0] and two[1][1] <= one[1][0] for one in groups for two in groups)


def _groups(links: Sequence[tuple[int, int]]) -> list[tuple[Span, Span]]:
    """The spans of linked groups: links that share a word belong together."""
    groups: list[tuple[set[int], set[int]]] = []
    for i, j in links:
        touched = [group for group in groups if i in group[0] or j in group[1]]
        joined = {i}.union(*(group[0] for group in touched)), {j}.union(*(group[1] for group in touched))
        groups = [group for group in groups if group not in touched] + [joined]
    return [((min(s), max(s) + 1), (min(t), max(t) + 1)) for s, t in groups]


def _inside(link: tuple[int, int], source: Span, target: Span) -> bool:
    return source[0] <= link[0] < source[1] and target[0] <= link[1] < target[1]


def _within(span: Span, outer: Span) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


def _overlap(one: Span, two: Span) -> bool:
    return one[0] < two[1] and two[0] < one[1]
