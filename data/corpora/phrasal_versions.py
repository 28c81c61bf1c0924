"""Phrasal versions of word-aligned corpora (MSR06P, EDB++P) made from chunks, as by Yao et al. 2013."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from forest_align.alignment import Links
from forest_align.data.formats.format import Span

if TYPE_CHECKING:
    from nltk import Tree

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
