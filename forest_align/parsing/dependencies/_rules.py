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
    if child.label in ("CC", "CONJP"):
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
        return _quantifier(child)
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
    children, child = parent.children, parent.children[position]
    if child.label in ("PRN", ",", ":") or (
        child.is_leaf and child.label in ("DT", "RB", "PRP$") and position + 1 < len(children)
    ):
        return False
    if _only_modifies(parent, position):
        return False
    previous = _before_modifiers(parent, position)
    if previous in ("CC", "CONJP") or (
        previous in (",", ":") and any(c.label in ("CC", "CONJP") for c in children[position:])
    ):
        return _like(child, head_of(parent)) or previous in ("CC", "CONJP")
    if any(c.label in ("CC", "CONJP") for c in children[children.index(head_of(parent)) : position]):
        return False
    return _like(child, head_of(parent)) and not child.is_leaf and child.label == head_of(parent).label


def _only_modifies(parent: HeadedPhrase, position: int) -> bool:
    """Whether the child is an adverb or parenthesis before the conjunct (*decline and then grow*)."""
    head = head_of(parent)
    return _is_modifier(parent.children[position], head) and any(
        _like(child, head) for child in parent.children[position + 1 :]
    )


def _before_modifiers(parent: HeadedPhrase, position: int) -> str:
    """The label of the last child before the position that is not an adverb or parenthesis."""
    head = head_of(parent)
    while position > 1 and _is_modifier(parent.children[position - 1], head):
        position -= 1
    return parent.children[position - 1].label


def _is_modifier(child: HeadedPhrase, head: HeadedPhrase) -> bool:
    return child.label == "PRN" or (child.label in ADVERBS and not _like(child, head))


def _like(child: HeadedPhrase, head: HeadedPhrase) -> bool:
    return any(child.label in labels and head.label in labels for labels in _ALIKE)


def _nominal(parent: HeadedPhrase, position: int) -> str:
    child, head = parent.children[position], head_of(parent)
    after = after_head(parent, position)
    label = child.label
    if label in ("DT", "WDT", "WP"):
        return "det"
    if label == "PDT":
        return "predet"
    if label in ("PRP$", "WP$"):
        return "poss"
    if label == "POS":
        return "possessive"
    if label in NOMINAL and child.children and child.children[-1].label == "POS":
        return "poss"
    if label in ("PP", "WHPP"):
        return "prep"
    if label == "VP":
        return _reduced_clause(child)
    if label in ("S", "SINV", "SQ", "SBARQ", "FRAG"):
        if label == "S" and not has_subject(child):
            return _reduced_clause(child)
        return "ccomp" if after else "dep"
    if label == "SBAR":
        return _noun_clause(child)
    if label == "RRC":
        return "rcmod"
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
            return "poss" if _possessive(child) else "tmod" if is_time(child) else "nn"
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


def _possessive(child: HeadedPhrase) -> bool:
    return child.children[-1].label == "POS" if child.children else False


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


def _finite(clause: HeadedPhrase) -> bool:
    """Whether the first verb of a clause has a tense, as in *children who were alone* without the pronoun."""
    verbs = (leaf.label for leaf in clause.leaves() if leaf.label in VERB_TAGS or leaf.label in ("MD", "TO"))
    return next(verbs, "TO") in ("VBD", "VBP", "VBZ", "MD")


def _noun_clause(child: HeadedPhrase) -> str:
    first = introducer(child)
    if first is None:
        clause = child.head_child
        subjectless = clause is not None and clause.label == "S" and not has_subject(clause)
        return _reduced_clause(child) if subjectless and not _finite(child) else "rcmod"
    if first.label in ("WHNP", "WHPP", "WHADVP"):
        return "rcmod"
    if first.word == "that":
        return "ccomp"
    return "dep"


def _quantifier(child: HeadedPhrase) -> str:
    if child.label == "CD":
        return "number"
    if child.label == "DT":
        return "det"
    if child.label == "$":
        return "dep"
    return "quantmod"


def _prepositional(parent: HeadedPhrase, position: int) -> str:
    child = parent.children[position]
    if child.label == "NP" and parent.children[position - 1].label == "NP" and is_time(child):
        return "tmod"  # with the same period last year
    if (
        child.label in NOMINAL
        or child.label in NOUN_TAGS
        or child.label in ("CD", "QP", "PRP", "DT", "$", "EX")
    ):
        return "pobj"
    if child.label in ("S", "SBAR", "VP", "SQ", "SINV", "FRAG", "UCP", "PP", "WHPP"):
        return "pcomp"
    if child.label in ADVERBS:
        return "advmod"
    if child.label in ADJECTIVES:
        return "pobj"
    return "mwe" if child.label in ("IN", "TO") else "dep"


def _modifier_phrase(parent: HeadedPhrase, position: int) -> str:
    child = parent.children[position]
    if child.label in ADVERBS:
        return "advmod"
    if child.label in ("PP", "WHPP"):
        return "prep"
    if child.label in ("NP", "QP", "NN", "NNS", "CD", "NNP"):
        return "npadvmod" if child.label == "NP" else "num" if child.label in ("QP", "CD") else "nn"
    if child.label in ("S", "VP"):
        return "xcomp" if not has_subject(child) else "ccomp"
    if child.label == "SBAR":
        return "ccomp" if (first := introducer(child)) is None or first.word in COMPLEMENTIZERS else "dep"
    if child.label in ADJECTIVES or child.label in VERB_TAGS:
        return "amod"
    if child.label == "DT":
        return "det"
    return "dep"
