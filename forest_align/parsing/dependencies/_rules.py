"""Names the dependency between a constituent's head and each other child, by configuration.

The names and the cases follow the Stanford typed dependencies manual (de Marneffe & Manning 2008).
"""

# ruff: noqa: SIM905
from __future__ import annotations

from forest_align.parsing.dependencies._clauses import clausal_relation, subordinate_relation
from forest_align.parsing.dependencies._syntactic_heads import (
    ADJECTIVES,
    ADVERBS,
    CLAUSES,
    COMPLEMENTIZERS,
    NOMINAL,
    NOUN_PHRASES,
    NOUN_TAGS,
    VERB_TAGS,
    HeadedPhrase,
    after_head,
    coordinated,
    has_subject,
    head_of,
    introducer,
    is_time,
    parenthesis,
)

_NEGATIONS = frozenset("not n't never".split())
_CONJUNCTIONS = ("CC", "CONJP")
_PRECONJUNCTIONS = frozenset({"both", "either", "neither"})
# Children of the same kind can be conjuncts.
_ALIKE = (
    NOUN_PHRASES,
    ADJECTIVES,
    ADVERBS,
    VERB_TAGS | {"VP"},
    CLAUSES | {"SBAR", "VP"},
    frozenset({"PP", "WHPP"}),
)


def relation(parent: HeadedPhrase, position: int) -> str:
    """Name the relation of a child that is not the head to its parent's head."""
    child = parent.children[position]
    if child.label in _CONJUNCTIONS:
        return "preconj" if child.word in _PRECONJUNCTIONS else "cc"
    if child.label == "PRT":
        return "prt"
    if _is_conjunct(parent, position):
        return "conj"
    if child.is_leaf and child.word in _NEGATIONS and child.label == "RB":
        return "neg"
    if child.label == "ADVP" and len(child.children) == 1 and child.children[0].word in _NEGATIONS:
        return "neg"
    label = parent.label
    if label in NOMINAL:
        return _nominal(parent, position)
    if label == "QP":
        return {"CD": "number", "DT": "det", "$": "dep"}.get(child.label, "quantmod")
    if label in ("PP", "WHPP"):
        return _prepositional(parent, position)
    if label in ("ADJP", "WHADJP", "ADVP", "WHADVP"):
        return _modifier_phrase(parent, position)
    if label == "SBAR":
        return subordinate_relation(parent, position)
    if label in ("PRT", "CONJP", "LST", "INTJ", "X"):
        return "dep"
    return clausal_relation(parent, position)


def _is_conjunct(parent: HeadedPhrase, position: int) -> bool:
    """Whether the child is coordinated with the head."""
    if not coordinated(parent) or not after_head(parent, position) or parent.label in ("QP", "CONJP"):
        return False
    children, child, head = parent.children, parent.children[position], head_of(parent)
    if child.label in ("PRN", ",", ":") or (
        child.is_leaf and child.label in ("DT", "RB", "PRP$") and position + 1 < len(children)
    ):
        return False
    # An adverb or a parenthesis before the conjunct only modifies it: *decline and then grow*.
    if _is_modifier(child, head) and any(_like(other, head) for other in children[position + 1 :]):
        return False
    before = position
    while before > 1 and _is_modifier(children[before - 1], head):
        before -= 1
    previous = children[before - 1].label
    if previous in _CONJUNCTIONS:
        return True
    if previous in (",", ":") and any(c.label in _CONJUNCTIONS for c in children[position:]):
        return _like(child, head)
    if any(c.label in _CONJUNCTIONS for c in children[children.index(head) : position]):
        return False
    return _like(child, head) and not child.is_leaf and child.label == head.label


def _is_modifier(child: HeadedPhrase, head: HeadedPhrase) -> bool:
    return child.label == "PRN" or (child.label in ADVERBS and not _like(child, head))


def _like(child: HeadedPhrase, head: HeadedPhrase) -> bool:
    return any(child.label in labels and head.label in labels for labels in _ALIKE)


# Children of a noun phrase whose label alone decides.
_OF_NOUNS = {
    **dict.fromkeys(("DT", "WDT", "WP"), "det"),
    **dict.fromkeys(("PRP$", "WP$"), "poss"),
    **dict.fromkeys(("PP", "WHPP"), "prep"),
    **{"PDT": "predet", "POS": "possessive", "RRC": "rcmod"},
}


def _nominal(parent: HeadedPhrase, position: int) -> str:
    child, head = parent.children[position], head_of(parent)
    after = after_head(parent, position)
    label = child.label
    if label in _OF_NOUNS:
        return _OF_NOUNS[label]
    if label in NOMINAL and child.children and child.children[-1].label == "POS":
        return "poss"
    if label == "VP" or (label == "S" and not has_subject(child)):
        return _reduced_clause(child)
    if label in CLAUSES:
        return "ccomp" if after else "dep"
    if label == "SBAR":
        return _noun_clause(child)
    if label in ADVERBS:
        return "advmod"
    if not after:
        if label in ADJECTIVES or label in VERB_TAGS or label == "UCP":
            return "amod"
        if label in ("CD", "QP", "$"):
            return "num"
        if label in NOUN_TAGS or label in ("NML", "NX", "NAC", "FW"):
            return "nn"
        if label == "NP":
            return "tmod" if is_time(child) else "nn"
        return "dep"
    if label in ADJECTIVES:
        return "amod"
    if label in ("NP", "NX", "NML"):
        if any(c.label in (",", ":", "-LRB-") for c in parent.children[:position]):
            return "appos"
        return "dep" if head.label in NOMINAL else "npadvmod"
    if label == "PRN":
        return parenthesis(child)
    if label in ("CD", "QP"):
        return "num"
    return "dep"


def _reduced_clause(child: HeadedPhrase) -> str:
    leaves = child.leaves()
    for leaf in leaves[:3]:
        if leaf.label == "TO":
            return "infmod"
        if leaf.label in ("VBG", "VBN", "VBD"):
            return "partmod"
    if child.leaf().label in ("VBG", "VBN"):
        return "partmod"
    return "infmod" if any(leaf.label == "TO" for leaf in leaves) else "dep"


def _noun_clause(child: HeadedPhrase) -> str:
    first, clause = introducer(child), child.head_child
    if first is not None:
        is_relative = first.label in ("WHNP", "WHPP", "WHADVP")
        return "rcmod" if is_relative else "ccomp" if first.word == "that" else "dep"
    if clause is None or clause.label != "S" or has_subject(clause):
        return "rcmod"
    # Without the pronoun, a first verb that has a tense shows a relative clause: *children who were alone*.
    verbs = (leaf.label for leaf in child.leaves() if leaf.label in VERB_TAGS or leaf.label in ("MD", "TO"))
    is_finite = next(verbs, "TO") in ("VBD", "VBP", "VBZ", "MD")
    return "rcmod" if is_finite else _reduced_clause(child)


_OF_PREPOSITIONS = (
    (NOMINAL | NOUN_TAGS | ADJECTIVES | {"CD", "QP", "PRP", "DT", "$", "EX"}, "pobj"),
    (frozenset("S SBAR VP SQ SINV FRAG UCP PP WHPP".split()), "pcomp"),
    (ADVERBS, "advmod"),
    (frozenset({"IN", "TO"}), "mwe"),
)


def _prepositional(parent: HeadedPhrase, position: int) -> str:
    child = parent.children[position]
    if child.label == "NP" and parent.children[position - 1].label == "NP" and is_time(child):
        return "tmod"  # with the same period last year
    for labels, name in _OF_PREPOSITIONS:
        if child.label in labels:
            return name
    return "dep"


def _modifier_phrase(parent: HeadedPhrase, position: int) -> str:
    child = parent.children[position]
    if child.label in ADVERBS:
        return "advmod"
    if child.label in ("PP", "WHPP"):
        return "prep"
    if child.label == "NP":
        return "npadvmod"
    if child.label in ("QP", "CD"):
        return "num"
    if child.label in ("NN", "NNS", "NNP"):
        return "nn"
    if child.label in ("S", "VP"):
        return "xcomp" if not has_subject(child) else "ccomp"
    if child.label == "SBAR":
        return "ccomp" if (first := introducer(child)) is None or first.word in COMPLEMENTIZERS else "dep"
    if child.label in ADJECTIVES or child.label in VERB_TAGS:
        return "amod"
    if child.label == "DT":
        return "det"
    return "dep"
