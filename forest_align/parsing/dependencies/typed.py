"""Stanford-style typed dependencies derived from a constituency tree, so that no dependency parser is needed.

Heads come from :mod:`forest_align.parsing.dependencies._syntactic_heads`, names from
:mod:`forest_align.parsing.dependencies._rules`; this module walks the tree and collapses prepositions,
conjunctions and agents (de Marneffe & Manning 2008, §4). Flat coordination in noun phrases gets the structure
that its dependencies need first.
"""

# ruff: noqa: SIM905

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from forest_align.lexicon.tables import plain_apostrophes
from forest_align.parsing.dependencies._rules import relation
from forest_align.parsing.dependencies._syntactic_heads import (
    NOUN_TAGS,
    PUNCTUATION_TAGS,
    HeadedPhrase,
    set_heads,
)
from forest_align.types.brackets import TEXT, split_chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nltk import Tree

    from forest_align.types import ParseForest

_FUNCTION_TAGS = re.compile("[-=|]")
_TOP = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})
_PASSIVE = {"nsubj": "nsubjpass", "csubj": "csubjpass"}
_MULTIWORD_PREPOSITIONS = frozenset(
    "according_to across_from ahead_of along_with alongside_of apart_from as_for as_from as_of as_per "
    "as_to aside_from away_from based_on because_of close_by close_to contrary_to compared_to "
    "compared_with due_to depending_on except_for exclusive_of far_from followed_by inside_of "
    "instead_of irrespective_of next_to near_to off_of out_of outside_of owing_to preliminary_to "
    "preparatory_to previous_to prior_to pursuant_to regardless_of subsequent_to such_as thanks_to "
    "together_with up_to".split()
)


class Dependency(NamedTuple):
    """One typed dependency.

    Attributes
    ----------
    governor : int
        Token index of the head word; -1 for the root.
    dependent : int
        Token index of the word that depends on it.
    relation : str
        Type, such as ``"nsubj"`` or, collapsed, ``"prep_of"``.
    """

    governor: int
    dependent: int
    relation: str


def basic_dependencies(tree: Tree) -> tuple[Dependency, ...]:
    """Derive the basic typed dependencies of a tree: one governor per word, no punctuation.

    Each sentence of a text, a tree labelled ``TEXT``, has a root of its own.

    Parameters
    ----------
    tree : nltk.Tree
        Constituency tree with Penn labels, preferably without function tags and traces.

    Returns
    -------
    tuple of Dependency
        Sorted by dependent.
    """
    return _basic(_constituent(tree, [0]))


def forest_dependencies(
    forest: ParseForest, words: Sequence[str]
) -> tuple[tuple[Dependency, ...], tuple[Dependency, ...]]:
    """Derive the basic and the collapsed dependencies of a forest's best tree.

    The result equals that of :func:`basic_dependencies` and :func:`collapse`, but is several times faster.
    """
    leaves: list[HeadedPhrase] = []
    basic = _basic(_best_constituent(forest, words, leaves))
    return basic, collapse(basic, words, [leaf.label for leaf in leaves])


def _basic(root: HeadedPhrase) -> tuple[Dependency, ...]:
    """The dependency of each sentence's root, and one for each child that is not the head of its parent."""
    while root.label in _TOP and len(root.children) == 1:
        root = root.children[0]
    by_dependent = {}
    for sentence in root.children if root.label == TEXT else [root]:
        phrases = set_heads(sentence)
        by_dependent[sentence.head] = Dependency(-1, sentence.head, "root")
        for node in phrases:
            for position, child in enumerate(node.children):
                if child is not node.head_child and child.label not in PUNCTUATION_TAGS:
                    by_dependent[child.head] = Dependency(node.head, child.head, relation(node, position))
    passive = {d.governor for d in by_dependent.values() if d.relation == "auxpass"}
    return tuple(
        d._replace(relation=_PASSIVE[d.relation]) if d.governor in passive and d.relation in _PASSIVE else d
        for _, d in sorted(by_dependent.items())
    )


def collapse(
    dependencies: Sequence[Dependency], words: Sequence[str], tags: Sequence[str]
) -> tuple[Dependency, ...]:
    """Collapse prepositions, conjunctions and agents into types and add the subjects of open complements.

    ``prep`` and ``pobj`` become ``prep_of`` …, or ``prepc_of`` … with a clause. ``conj`` and ``cc`` become
    ``conj_and`` …. *by* under a passive becomes ``agent``. The subject (or object) of a verb is also the
    ``xsubj`` of its *to*-complement.
    """
    lower = [plain_apostrophes(word.lower()) for word in words]
    children: dict[int, list[Dependency]] = {}
    for item in dependencies:
        children.setdefault(item.governor, []).append(item)
    passive = {d.governor for d in dependencies if d.relation == "auxpass"}
    passive |= {
        d.dependent for d in dependencies if d.relation == "partmod" and tags[d.dependent] in ("VBN", "VBD")
    }
    # Preposition -> the dependency that adds a second word to it, *of* in *because of*, or None.
    second: dict[int, Dependency | None] = {}
    for preposition in (d.dependent for d in dependencies if d.relation == "prep"):
        joined = (
            d
            for d in children.get(preposition, [])
            if d.relation in ("mwe", "pcomp", "prep", "dep")
            and f"{lower[preposition]}_{lower[d.dependent]}" in _MULTIWORD_PREPOSITIONS
        )
        second[preposition] = next(joined, None)
    added = {d.dependent for d in second.values() if d is not None}
    result: list[Dependency] = []
    for item in dependencies:
        if item.dependent in added or item.relation in ("cc", "possessive"):
            continue
        if item.relation == "prep":
            other = second[item.dependent]
            result.extend(_collapsed_preposition(item, other, children, lower, item.governor in passive))
        elif item.relation == "conj":
            result.append(item._replace(relation=f"conj_{_conjunction(item, children, lower)}"))
        elif item.relation not in ("pobj", "pcomp") or not (
            item.governor in second or item.governor in added
        ):
            result.append(item)
    result.extend(_open_subjects(dependencies, children, lower))
    return tuple(sorted(set(result), key=lambda d: (d.dependent, d.governor, d.relation)))


def _constituent(tree: Tree, counter: list[int]) -> HeadedPhrase:
    label = _category(tree.label())
    if len(tree) == 1 and isinstance(tree[0], str):
        leaf = HeadedPhrase(label, word=plain_apostrophes(tree[0].lower()), index=counter[0])
        counter[0] += 1
        return leaf
    return _phrase(label, [_constituent(child, counter) for child in tree])


def _best_constituent(forest: ParseForest, words: Sequence[str], leaves: list[HeadedPhrase]) -> HeadedPhrase:
    """The best tree without nodes added by binarization; appends its words to ``leaves``, from the left."""
    best, edges = forest.best_edge.tolist(), forest.edges.tolist()
    built: dict[int, list[HeadedPhrase]] = {}
    labels, is_constituent, starts = forest.labels, forest.is_constituent.tolist(), forest.start.tolist()
    for node in reversed(forest.best_nodes()):  # children before their parents, and words from the left
        chain = _categories(labels[node]) if is_constituent[node] else ()
        if best[node] >= 0:
            _, left, right = edges[best[node]]
            nodes = built[left] + built[right]
        else:
            word = plain_apostrophes(words[starts[node]].lower())
            leaf = HeadedPhrase(chain[-1], [], word, starts[node])
            leaves.append(leaf)
            nodes, chain = [leaf], chain[:-1]
        for label in chain[::-1]:
            nodes = [_phrase(label, nodes)]
        built[node] = nodes
    return built[int(forest.roots[0])][0]


@lru_cache(maxsize=10_000)
def _categories(label: str) -> tuple[str, ...]:
    """Categories of a collapsed unary chain, the outermost first."""
    return tuple(map(_category, split_chain(label)))


def _category(label: str) -> str:
    """A label without function tags."""
    return label if label.startswith("-") else _FUNCTION_TAGS.split(label, maxsplit=1)[0]


def _collapsed_preposition(
    item: Dependency,
    second: Dependency | None,
    children: dict[int, list[Dependency]],
    lower: Sequence[str],
    passive: bool,
) -> list[Dependency]:
    """The dependencies that replace ``prep`` and the dependents of its preposition (one or two words)."""
    name, below = lower[item.dependent], children.get(item.dependent, [])
    if second is not None:
        name = f"{name}_{lower[second.dependent]}"
        below = [*(d for d in below if d is not second), *children.get(second.dependent, [])]
    result = []
    for other in below:
        if other.relation == "pobj":
            kind = "agent" if passive and name == "by" else f"prep_{name}"
            result.append(Dependency(item.governor, other.dependent, kind))
        elif other.relation == "pcomp":
            result.append(Dependency(item.governor, other.dependent, f"prepc_{name}"))
    return result or [item]


def _conjunction(item: Dependency, children: dict[int, list[Dependency]], lower: Sequence[str]) -> str:
    """The conjunction of a conjunct: the last one before it, else the first after."""
    marks = sorted(d.dependent for d in children.get(item.governor, []) if d.relation == "cc")
    if not marks:
        return "and"
    before = [mark for mark in marks if mark < item.dependent]
    conjunction = lower[before[-1] if before else marks[0]]
    return {"&": "and", "'n'": "and"}.get(conjunction, conjunction)


def _open_subjects(
    dependencies: Sequence[Dependency], children: dict[int, list[Dependency]], lower: Sequence[str]
) -> list[Dependency]:
    """``xsubj``: the subject of an infinitive that a verb governs (de Marneffe & Manning 2008, *xsubj*)."""
    result = []
    for item in dependencies:
        if item.relation != "xcomp":
            continue
        below = children.get(item.dependent, [])
        has_to = any(d.relation == "aux" and lower[d.dependent] == "to" for d in below)
        if not has_to or any(d.relation.startswith("nsubj") for d in below):
            continue
        beside = {d.relation: d.dependent for d in reversed(children.get(item.governor, []))}
        for kind in ("dobj", "nsubj", "nsubjpass"):
            if kind in beside:
                result.append(Dependency(item.dependent, beside[kind], "xsubj"))
                break
    return result


_FLAT = frozenset("NP NX NML NAC".split())
_ADJECTIVE_TAGS = frozenset({"JJ", "JJR", "JJS"})
_SPECIFIERS = frozenset({"DT", "PDT", "PRP$", "WP$", "NP", "POS"})
_SEPARATORS = frozenset({"CC", ","})


def _phrase(label: str, children: list[HeadedPhrase]) -> HeadedPhrase:
    """Build a constituent; in a noun phrase of coordinated words, group the children that belong together.

    Groups are coordinated modifiers, or coordinated nouns with their modifiers.
    """
    if label not in _FLAT or len(children) < 4 or not any(child.label == "CC" for child in children):
        return HeadedPhrase(label, children)
    first = next(place for place, child in enumerate(children) if child.label in _SEPARATORS)
    left, right = children[:first], children[first + 1 :]
    if not left or len(right) < 2 or right[-1].label not in NOUN_TAGS or any(c.children for c in right):
        return HeadedPhrase(label, children)
    before, after = left[-1].label, right[0].label
    only_one = children[first].label == "CC" and not any(child.label in _SEPARATORS for child in right)
    if only_one and before in _ADJECTIVE_TAGS and after in _ADJECTIVE_TAGS:
        inner = "ADJP"
    # The noun before the conjunction modifies the last noun: *the trade and technology policy*. Longer
    # sequences are probably two noun phrases, each with its own modifiers.
    elif (
        only_one
        and before in NOUN_TAGS - {"NNS"}
        and (len(left) == 1 or (len(right) == 2 and all(child.label in _SPECIFIERS for child in left[:-1])))
    ):
        inner = "NX"
    else:
        return HeadedPhrase(label, _segments(children) if before in NOUN_TAGS else children)
    group = HeadedPhrase(inner, [left[-1], children[first], right[0]])
    return HeadedPhrase(label, [*left[:-1], group, *right[1:]])


def _segments(children: Sequence[HeadedPhrase]) -> list[HeadedPhrase]:
    """Children, with a phrase around each group between conjunctions and commas."""
    parts: list[HeadedPhrase] = []
    for is_separator, group in groupby(children, lambda child: child.label in _SEPARATORS):
        run = list(group)
        parts += run if is_separator else [HeadedPhrase("NX", run)]
    return parts
