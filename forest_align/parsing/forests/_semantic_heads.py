"""Semantic heads of Penn treebank constituents: which child carries the meaning of its parent.

The tables are those of Collins (1999, appendix A) after Magerman (1995), changed where Enju's ``sem_head``
differs. The main verb is the head instead of auxiliaries, modals and *to*; the clause instead of its
complementizer; the noun instead of its possessive marker. A coordination is headed by its conjunction, a
prepositional phrase by its preposition, a predication by its copula.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from forest_align.lexicon.tables import plain_apostrophes
from forest_align.types.brackets import split_chain

PUNCTUATION = frozenset(
    {".", ",", ":", "``", "''", "-LRB-", "-RRB-", "-LCB-", "-RCB-", "-LSB-", "-RSB-", '"'}
)
_CONJUNCTIONS = frozenset({"CC", "CONJP"})

_AUXILIARY_FORMS = frozenset(
    """be am is are was were been being 's 're 'm have has had having 've 'd do does did done doing
    ai wo ca sha""".split()  # noqa: SIM905
)
_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD", "TO"})
# Prefix that `symbol` adds to the tag of a word that can be an auxiliary.
_AUXILIARY = "AUX "
_VERBS = _VERB_TAGS - {"TO"}

_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "NX", "NML", "NAC"})
_NOUN_LIKE = frozenset({*_NOUNS, "NP", "WHNP", "PRP", "CD", "QP", "$", "WP", "DT", "FW", "EX"})
_NOUN_PHRASES = frozenset({"NP", "NX", "NML", "NAC", "WHNP"})

# Kinds of conjuncts: children of one kind can be coordinated.
_KINDS = {
    **dict.fromkeys(_NOUN_LIKE, "noun"),
    **dict.fromkeys({*_VERBS, "VP"}, "verb"),
    **dict.fromkeys(("JJ", "JJR", "JJS", "ADJP", "WHADJP", "PRP$"), "adjective"),
    **dict.fromkeys(("RB", "RBR", "RBS", "ADVP", "WRB", "WHADVP", "RP", "PRT"), "adverb"),
    **dict.fromkeys(("S", "SBAR", "SINV", "SQ", "SBARQ", "FRAG"), "clause"),
    **dict.fromkeys(("IN", "TO", "PP", "WHPP"), "preposition"),
}

LEFT, RIGHT = 1, -1
_Rule = tuple[int, tuple[str, ...]]


def _each(direction: int, labels: str) -> tuple[_Rule, ...]:
    """One rule per label: an earlier label wins at any position."""
    return tuple((direction, (label,)) for label in labels.split())


def _any(direction: int, labels: str) -> _Rule:
    """The first child from one side that has any of the labels."""
    return (direction, tuple(labels.split()))


_VERB_RULE: _Rule = (LEFT, tuple(sorted(_VERBS)))
_CLAUSE_RULES = (
    *_each(LEFT, "VP S SBAR SQ SINV"),
    _VERB_RULE,
    *_each(LEFT, "ADJP UCP"),
    *_each(RIGHT, "NP PP ADVP"),
)
_NOUN_RULES = (
    _any(RIGHT, "NN NNP NNPS NNS NX NML JJR"),
    _any(LEFT, "NP WHNP"),
    _any(RIGHT, "$ ADJP PRN"),
    _any(RIGHT, "CD QP"),
    _any(RIGHT, "PRP WP EX NAC"),
    _any(RIGHT, "JJ JJS VBG VBN"),  # the poor, the following
    _any(RIGHT, "WDT DT FW"),
    _any(RIGHT, "RB"),
)
_LOOSE_RULES = _each(LEFT, "S SINV SQ SBARQ SBAR VP NP ADJP PP ADVP WHNP UCP")

# Label -> rules, tried in order. SBAR, SBARQ and the like skip the word that introduces them.
_RULES: dict[str, tuple[_Rule, ...]] = {
    "ADJP": (
        _any(RIGHT, "JJ JJR JJS VBN VBG ADJP"),
        *_each(LEFT, "NNS QP NN $ NP ADVP DT FW RBR RBS SBAR"),
        *_each(RIGHT, "RB"),
    ),
    "ADVP": _each(RIGHT, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": _each(RIGHT, "CC RB IN"),
    "INTJ": _each(LEFT, "UH INTJ"),
    "LST": _each(RIGHT, "LS :"),
    "NAC": (_any(LEFT, "NN NNS NNP NNPS NP NAC"), *_NOUN_RULES),
    "PP": (_any(LEFT, "IN TO VBG VBN RP FW"), *_each(LEFT, "PP"), *_NOUN_RULES),
    "PRT": _each(RIGHT, "RP PRT"),
    "QP": (_any(LEFT, "$ #"), _any(RIGHT, "CD"), *_each(RIGHT, "QP NNS NN JJ DT RB IN")),
    "RRC": _each(LEFT, "VP NP ADVP ADJP PP"),
    "SBAR": _each(LEFT, "S SQ SINV SBAR FRAG VP NP ADJP IN WHNP WHPP WHADVP WHADJP"),
    "SBARQ": _each(LEFT, "SQ S SINV SBARQ FRAG"),
    "SINV": (*_each(LEFT, "VP"), _VERB_RULE, *_CLAUSE_RULES),
    "SQ": (*_each(LEFT, "VP"), _VERB_RULE, *_each(LEFT, "SQ"), *_CLAUSE_RULES),
    "VP": (_VERB_RULE, *_each(LEFT, "VP TO"), *_each(LEFT, "ADJP NN NNS NP PP ADVP")),
    "WHADJP": _each(RIGHT, "JJ JJR ADJP WRB"),
    "WHADVP": _each(RIGHT, "WRB RB"),
    "WHPP": _each(LEFT, "IN TO FW"),
    **dict.fromkeys(("NP", "NX", "NML", "WHNP"), _NOUN_RULES),
    **dict.fromkeys(("S", "FRAG"), _CLAUSE_RULES),
}


def symbol(label: str, word: str | None) -> str:
    """A child in the rules of its parent: the topmost label of its chain, with auxiliaries marked."""
    top = split_chain(label)[0]
    if word is None or top not in _VERB_TAGS:
        return top
    if top in ("MD", "TO") or plain_apostrophes(word.lower()) in _AUXILIARY_FORMS:
        return _AUXILIARY + top
    return top


@lru_cache(maxsize=65536)
def head_child(label: str, children: tuple[str, ...]) -> int:
    """Index of the child that holds the semantic head."""
    head = _head_by_rules(label, children)
    for first, last in coordinations(label, children):
        if first <= head < last or label == "UCP":
            return last_conjunction(children, first, last)
    return head


@lru_cache(maxsize=65536)
def coordinations(label: str, children: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Runs of children ``[first, last)`` that form a coordination, from left to right, not overlapping.

    A run is ``X CC Y`` with its earlier members, ``X , Y CC Z``, all of one kind (noun, verb, clause, …). Two
    conjuncts may be of different kinds if the constituent has nothing else (*drones and so on*). In a flat
    noun phrase, the last conjunct extends to its noun (*apples and red oranges*). The exception is a run
    before the noun that heads all of it (*the sales and marketing director*).
    """
    runs: list[tuple[int, int]] = []
    for at, child in enumerate(children):
        if child not in _CONJUNCTIONS:
            continue
        left, right = _skip(children, at, -1, PUNCTUATION), _skip(children, at, 1, _BEFORE_CONJUNCT)
        if left is None or right is None:
            continue
        last = _end_of_conjunct(label, children, left, right)
        # Two conjuncts, their conjunction and punctuation may be all that there is; "ten or more" is still a
        # number, though, and "yes, but he left" a clause.
        is_all = PUNCTUATION.issuperset((*children[:left], *children[right + 1 :]))
        if last is None and is_all and label != "QP" and children[left] != "INTJ":
            last = right + 1
        if last is None:
            continue
        first = _first_conjunct(children, left, runs[-1][1] if runs else 0)
        if runs and runs[-1][1] - 1 == left:
            first = runs.pop()[0]
        runs.append((first, last))
    return tuple(runs)


_BEFORE_NOUN = frozenset({"DT", "PRP$", "CD", "JJ", "JJR", "JJS", "VBN", "VBG", "ADJP"})
_BEFORE_CONJUNCT = PUNCTUATION | {"RB", "ADVP", "PRN", "INTJ"}


def _skip(children: Sequence[str], at: int, step: int, passed: frozenset[str]) -> int | None:
    """The nearest child beyond ``at`` that is neither a skipped label nor a conjunction."""
    index = at + step
    while 0 <= index < len(children) and children[index] in passed:
        index += step
    if not 0 <= index < len(children):
        # "here and there": the adverb is the conjunct itself.
        index = at + step
        inside = 0 <= index < len(children) and children[index] not in PUNCTUATION
        return index if inside and children[index] not in _CONJUNCTIONS else None
    return None if children[index] in _CONJUNCTIONS else index


def _kind(child: str) -> str:
    plain = child.removeprefix(_AUXILIARY)
    return _KINDS.get(plain, plain)


def _end_of_conjunct(label: str, children: Sequence[str], left: int, right: int) -> int | None:
    """End of the conjunct that begins at ``right``; None if the two sides cannot be coordinated."""
    left_kind, right_kind = _kind(children[left]), _kind(children[right])
    if label in _NOUN_PHRASES and left_kind == "noun" and children[left] not in ("DT", "CD"):
        return _end_of_noun_conjunct(children, left, right)
    return right + 1 if left_kind == right_kind or label == "UCP" else None


def _end_of_noun_conjunct(children: Sequence[str], left: int, right: int) -> int | None:
    last = right
    while last < len(children) and children[last] in _BEFORE_NOUN:
        last += 1
    if last == len(children) or _kind(children[last]) != "noun":
        return right + 1 if _kind(children[right]) == "noun" else None
    following = last + 1
    while following < len(children) and children[following] in _NOUNS:
        following += 1
    if following - last > 1 and last == right and children[left] == "NN":
        return right + 1  # singular nouns before further nouns modify the last one
    return following


def _first_conjunct(children: Sequence[str], left: int, floor: int) -> int:
    """Start of the coordination whose second last conjunct is ``left``; includes earlier ``X ,``."""
    first = left
    while first - 2 >= floor and children[first - 1] in (",", ":"):
        if _kind(children[first - 2]) != _kind(children[left]):
            break
        first -= 2
    return first


def last_conjunction(children: Sequence[str], first: int, last: int) -> int:
    """The conjunction that heads the coordination of the children ``[first, last)``."""
    return max(index for index in range(first, last) if children[index] in _CONJUNCTIONS)


def _head_by_rules(label: str, children: tuple[str, ...]) -> int:
    plain = [child.removeprefix(_AUXILIARY) for child in children]
    if label == "VP" and "VP" in plain:
        first_verb = next((index for index, child in enumerate(plain) if child in _VERB_TAGS), -1)
        if first_verb >= 0 and children[first_verb].startswith(_AUXILIARY):
            return plain.index("VP")
    for direction, labels in _RULES.get(label, _LOOSE_RULES):
        for index in range(len(plain))[::direction]:
            if plain[index] in labels:
                return index
    solid = [index for index, child in enumerate(plain) if child not in PUNCTUATION]
    for index in reversed(solid):
        if plain[index] not in ("POS", "CC"):
            return index
    return solid[0] if solid else 0
