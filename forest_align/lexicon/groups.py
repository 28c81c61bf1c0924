"""Proposes groups of several words that may correspond as a whole, such as "passed away" and "died"."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.lexicon._abbreviations import acronym_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from forest_align.lexicon.lexicon import Lexicon, WordProfile
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Sentence

Span = tuple[int, int]

#: Most words on one side of a group.
LONGEST_GROUP = 4


class Group(NamedTuple):
    """Two spans, at least one of several words, and why they may correspond."""

    source: Span
    target: Span
    kind: str


def lexical_groups(
    source: Sentence, target: Sentence, lexicon: Lexicon, ppdb: PairTable | None = None
) -> list[Group]:
    """Groups that the lexicon or the user's table knows.

    Kinds: ``acronym`` (NYC, New York City; prn, as needed), ``collocation`` (WordNet synonyms of which one
    has several words), ``joined`` (well known, well-known) and ``ppdb``. Sorted, without duplicates; swapped
    sentences give the same groups swapped.
    """
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    # Acronyms and joined words, then spans of several words that WordNet has: of the source, of the target.
    ours = {((i, i + 1), span, "acronym") for i, span in acronym_spans(source.words, target.words)}
    theirs = {((j, j + 1), span, "acronym") for j, span in acronym_spans(target.words, source.words)}
    ours |= {(*spans, "joined") for spans in _joined(lefts, rights)}
    theirs |= {(*spans, "joined") for spans in _joined(rights, lefts)}
    left_spans, right_spans = list(collocations(lefts, lexicon)), list(collocations(rights, lexicon))
    if left_spans:
        ours |= _synonymous(left_spans, [*_single_words(rights), *right_spans], lexicon)
    if right_spans:
        theirs |= _synonymous(right_spans, [*_single_words(lefts), *left_spans], lexicon)
    groups = {Group(*group) for group in ours}
    groups |= {Group(target, source, kind) for source, target, kind in theirs}
    if ppdb is not None and ppdb.longest > 1:
        places: dict[str, list[Span]] = {}
        for phrase, span in _phrases(rights, ppdb.longest):
            places.setdefault(phrase, []).append(span)
        for phrase, span in _phrases(lefts, ppdb.longest):
            for partner in ppdb.partners(phrase):
                groups |= {Group(span, other, "ppdb") for other in places.get(partner, ())}
    return sorted(group for group in groups if max(end - start for start, end in group[:2]) > 1)


def linked_blocks(probabilities: np.ndarray, threshold: float = 0.5) -> list[Group]:
    """Pairs of spans, at least one of several words, where each word has a likely link into the other span.

    Parts of blocks are blocks too, because the tree may have a phrase for them. So "was taken into custody"
    and "arrested" also yield "taken into custody" and "arrested".
    """
    likely = probabilities >= threshold
    # A link that is alone in its row and its column is not a group.
    likely &= (likely.sum(1)[:, None] > 1) | (likely.sum(0) > 1)
    links = set(zip(*(axis.tolist() for axis in np.nonzero(likely)), strict=True))
    blocks = []
    while links:
        # Remove one connected set of links, and collect its rows and columns.
        open_links = [links.pop()]
        rows: set[int] = set()
        columns: set[int] = set()
        while open_links:
            i, j = open_links.pop()
            rows.add(i)
            columns.add(j)
            joined = [link for link in links if link[0] == i or link[1] == j]
            links.difference_update(joined)
            open_links.extend(joined)
        if max(len(rows), len(columns)) > 2 * LONGEST_GROUP:
            continue  # almost all words are linked with each other: there are no groups
        for source in _runs(rows):
            for target in _runs(columns):
                inside = likely[slice(*source), slice(*target)]
                if inside.size > 1 and inside.any(0).all() and inside.any(1).all():
                    blocks.append(Group(source, target, "block"))
    return sorted(blocks)


def _runs(places: set[int]) -> Iterator[Span]:
    """Spans of up to LONGEST_GROUP neighbouring places."""
    for start in places:
        for end in range(start + 1, start + LONGEST_GROUP + 1):
            if end - 1 not in places:
                break
            yield start, end


def _joined(singles: Sequence[WordProfile], words: Sequence[WordProfile]) -> Iterator[tuple[Span, Span]]:
    """Single words that two or three words of the other sentence spell together, hyphens aside."""
    places: dict[str, list[int]] = {}
    for index, word in enumerate(singles):
        if len(word.lower) > 3:
            places.setdefault(word.lower.replace("-", ""), []).append(index)
    plain = [word.lower.replace("-", "") for word in words]
    for start in range(len(words) - 1):
        together = plain[start] + plain[start + 1]
        for end in (start + 2, start + 3):
            # A dash joins the words on both sides of it: "well - known", but not "cats -".
            if plain[start] and plain[end - 1]:
                for index in places.get(together, ()):
                    yield (index, index + 1), (start, end)
            if end == len(words):
                break
            together += plain[end]


def collocations(words: Sequence[WordProfile], lexicon: Lexicon) -> Iterator[tuple[Span, str]]:
    """Spans of two to four words that are a lemma of WordNet, with that lemma."""
    ids, starts = lexicon.store.ids, lexicon.store.collocation_starts
    for start in range(len(words) - 1):
        base, form = words[start].lemma, words[start].lower
        if base not in starts and form not in starts:
            continue
        for end in range(start + 1, min(start + LONGEST_GROUP, len(words))):
            form += "_" + words[end].lower
            base += "_" + words[end].lemma
            if form in ids or base in ids:
                yield (start, end + 1), form if form in ids else base


def _single_words(words: Sequence[WordProfile]) -> list[tuple[Span, str]]:
    return [((k, k + 1), word.lemma) for k, word in enumerate(words) if not word.is_function]


def _synonymous(
    spans: Sequence[tuple[Span, str]], others: Sequence[tuple[Span, str]], lexicon: Lexicon
) -> set[tuple[Span, Span, str]]:
    """A collocation and each span that shares a synset with it, except itself."""
    synsets_of = lexicon.synsets
    places: dict[int, list[tuple[Span, str]]] = {}
    for other, lemma in others:
        for synset in synsets_of(lemma):
            places.setdefault(synset, []).append((other, lemma))
    return {
        (span, other, "collocation")
        for span, lemma in spans
        for synset in synsets_of(lemma)
        for other, other_lemma in places.get(synset, ())
        if other_lemma != lemma
    }


def _phrases(words: Sequence[WordProfile], longest: int) -> Iterator[tuple[str, Span]]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + longest, len(words)) + 1):
            yield " ".join(word.lower for word in words[start:end]), (start, end)
