"""Prepares corpora as published papers did: collapsed names, true case, and phrases made from chunks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.alignment import Links
from forest_align.data.formats.format import Span

if TYPE_CHECKING:
    from nltk import Tree


def collapse(words: Sequence[str], names: Sequence[Span]) -> tuple[tuple[str, ...], list[int]]:
    """Join the words of each name with underscores; also return the new token of each word.

    Names are half-open spans in order that do not overlap.
    """
    ends = {start: end for start, end in names}
    tokens: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(words):
        end = ends.get(at, at + 1)
        places += [len(tokens)] * (end - at)
        tokens.append("_".join(words[at:end]))
        at = end
    return tuple(tokens), places


def collapsed_links(links: Links, source: Sequence[int], target: Sequence[int]) -> Links:
    """Links of the new tokens (see :func:`collapse`); a link is sure if one of its words' links is."""
    return Links.of([(source[i], target[j]) for i, j in links], sure=links.sure)


# A word after one of these begins a sentence too.
_BEGIN = frozenset({".", "!", "?", ":", ";", "``", "`", '"', "“", "‘", "-lrb-", "(", "--", "..."})


@dataclass(frozen=True, slots=True)
class Truecaser:
    """The usual form of each lower-cased word where the sentence does not ask for a capital.

    Of equally frequent forms, the first in the order of characters.
    """

    forms: dict[str, str]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> Truecaser:
        """Count the forms of words inside sentences; sentences in capitals say nothing."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for words in sentences:
            if _in_capitals(words):
                continue
            for place, word in enumerate(words):
                if not _begins(words, place):
                    counts[word.lower()][word] += 1
        return cls({key: min(found, key=lambda form: (-found[form], form)) for key, found in counts.items()})

    def apply(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of a sentence in their usual forms.

        Only words at beginnings change, and all words of a sentence in capitals. Words that were never seen
        stay as they are; in a sentence in capitals they become small. Names of brackets (``-LRB-``) never
        change, nor do words with a capital after the first letter (*US*) in other sentences.
        """
        capitals = _in_capitals(words)
        return tuple(
            self.forms.get(word.lower(), word.lower() if capitals else word)
            if word[0].isalnum() and (capitals or (_begins(words, place) and _is_plain(word)))
            else word
            for place, word in enumerate(words)
        )


def _begins(words: Sequence[str], place: int) -> bool:
    """Whether all that stands before a word is punctuation, or a mark after which sentences begin."""
    return words[place - 1].lower() in _BEGIN or not any(map(_has_letter, words[:place])) if place else True


def _in_capitals(words: Sequence[str]) -> bool:
    letters = [letter for word in words for letter in word if letter.isalpha()]
    return len(letters) > 1 and all(letter.isupper() for letter in letters)


def _has_letter(word: str) -> bool:
    return any(letter.isalnum() for letter in word) and not word.startswith("-")


def _is_plain(word: str) -> bool:
    """Whether a word has no capital after its first letter."""
    return not any(letter.isupper() for letter in word[1:])


# Constituents that belong to the noun phrase around them if they precede its head, and form no own chunk.
_PREMODIFIERS = frozenset({"ADJP", "QP", "NX", "NML", "NAC", "UCP", "NP-POSS"})
_VERBAL = ("VB", "MD", "TO")
_CHUNKS = frozenset({"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "QP", "NX", "NML"})
_OUTSIDE = frozenset({",", ":", ".", "``", "''", "-LRB-", "-RRB-", "CC", "#"})

#: The tree node of a word's chunk, by identity; None for words outside chunks.
_Owner = int | None


def phrasal_links(links: Links, source_chunks: Sequence[Span], target_chunks: Sequence[Span]) -> Links:
    """Merge the word links between two chunks (half-open token spans) into one phrasal alignment.

    Two chunks are merged if their tokens are linked one to one, in order; all their tokens are then linked
    with each other (Yao et al. 2013, §4.1). As in the authors' program, a token may not have two partners in
    the other chunk. Other links are kept; classes and scores are dropped.
    """
    merged = set(links.pairs)
    for source in source_chunks:
        for target in target_chunks:
            if source[1] - source[0] != target[1] - target[0]:
                continue
            inside = [(i, j) for i, j in links if source[0] <= i < source[1] and target[0] <= j < target[1]]
            if inside == list(zip(range(*source), range(*target), strict=True)):
                merged.update((i, j) for i in range(*source) for j in range(*target))
    return Links.of(merged)


def chunks_of_tree(tree: Tree) -> list[Span]:
    """Base phrases of a constituency tree, similar to CoNLL-2000 chunks: half-open spans, ascending.

    A chunk extends from the beginning of a phrase to its head. It is a noun phrase up to its noun (a
    possessive ``'s`` begins the next chunk), a verb group with its auxiliaries, or a single preposition.
    Punctuation and coordinations between chunks belong to no chunk. The tree has no traces and function tags.
    """
    chunks: list[Span] = []
    last: _Owner = None
    for index, (owner, begins) in enumerate(_owners(tree)):
        if owner is not None and owner == last and not begins:
            chunks[-1] = (chunks[-1][0], index + 1)
        elif owner is not None:
            chunks.append((index, index + 1))
        last = owner
    return chunks


def _owners(tree: Tree) -> Iterator[tuple[_Owner, bool]]:
    """For each word its chunk, and whether it always begins a new one (a possessive)."""
    todo: list[tuple[Tree, tuple[Tree, ...]]] = [(tree, ())]
    while todo:
        node, above = todo.pop()
        if len(node) == 1 and isinstance(node[0], str):
            yield _owner(node, above), node.label() == "POS"
        else:
            todo.extend((child, (*above, node)) for child in reversed(list(node)))


def _owner(word: Tree, above: tuple[Tree, ...]) -> _Owner:
    tag = word.label()
    depth = len(above) - 1
    if depth < 0:
        return None
    if tag == "POS":
        # The possessive belongs to the words after it: to the phrase around the possessor.
        depth = max(depth - 1, 0)
    while (
        depth > 0
        and above[depth].label() in _PREMODIFIERS
        and above[depth - 1].label() in ("NP", *_PREMODIFIERS)
    ):
        depth -= 1
    owner = above[depth]
    if tag in _OUTSIDE:
        return None
    if owner.label() == "VP":
        if not (tag.startswith(_VERBAL) or _precedes_verb(word, owner)):
            return id(word)
        while (
            depth > 0 and above[depth - 1].label() in ("VP", "S") and _opens(above[depth - 1], above[depth])
        ):
            depth -= 1
        return id(above[depth])
    return id(owner) if owner.label() in _CHUNKS else id(word)


def _precedes_verb(word: Tree, phrase: Tree) -> bool:
    """Whether an adverb such as ``not`` precedes a verb or verb phrase of its phrase."""
    siblings = list(phrase)
    place = next((k for k, sibling in enumerate(siblings) if sibling is word), len(siblings))
    return word.label() == "RB" and any(
        sibling.label().startswith((*_VERBAL, "VP")) for sibling in siblings[place + 1 :]
    )


def _opens(parent: Tree, child: Tree) -> bool:
    """Whether only verbs and adverbs precede a verb phrase in the phrase around it."""
    for sibling in parent:
        if sibling is child:
            return True
        if not (sibling.label().startswith(_VERBAL) or sibling.label() in ("ADVP", "RB")):
            return False
    return False
