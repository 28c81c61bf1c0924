"""Names the dependencies of verb phrases and clauses: auxiliaries, arguments, complements and adverbials.

The names and the cases follow the Stanford typed dependencies manual (de Marneffe & Manning 2008).
"""

from __future__ import annotations

from forest_align.parsing.dependencies._syntactic_heads import (
    ADJECTIVES,
    ADVERBS,
    BE_FORMS,
    CLAUSES,
    COMPLEMENTIZERS,
    COPULAS,
    GET_FORMS,
    HAVE_FORMS,
    NOUN_PHRASES,
    NOUN_TAGS,
    VERB_TAGS,
    HeadedPhrase,
    after_head,
    auxiliary,
    before_head,
    copular,
    has_subject,
    has_time_head,
    head_of,
    introducer,
    is_time,
    parenthesis,
)


def subordinate_relation(parent: HeadedPhrase, position: int) -> str:
    """Name the relation of a child of an SBAR; see :func:`~.rules.relation`."""
    child, head = parent.children[position], head_of(parent)
    if child.label in ("IN", "DT", "TO", "RB"):
        return "complm" if child.word in COMPLEMENTIZERS else "mark" if child.label == "IN" else "advmod"
    if child.label == "WHNP":
        return _relative(child, head)
    return _OF_SUBORDINATES.get(child.label) or clausal_relation(parent, position)


_OF_SUBORDINATES = {"WHADVP": "advmod", "ADVP": "advmod", "PP": "prep", "WHPP": "rel", "WHADJP": "dep"}
_OF_SUBORDINATES["SBAR"] = "dep"


def _relative(phrase: HeadedPhrase, clause: HeadedPhrase) -> str:
    """Name the relation of a noun phrase with *wh* to the clause that it introduces.

    It is an argument of the clause's own verb, or ``rel``. It is ``rel`` with a noun (*whose wife you love*),
    or if its place is deeper in the clause (*which he said that you know*, *which you spoke of*).
    """
    if not has_subject(clause):
        return "nsubj"
    if clause.leaf().word in COPULAS:
        return "attr"
    if any(child.label == "WP$" for child in phrase.children):
        return "rel"
    # Its place is deeper if the verb governs another clause, or a preposition without object.
    below = clause.head_child
    while below is not None and not below.is_leaf:
        for child in below.children:
            if (
                (child.label == "SBAR" and introducer(child) is None)
                or (child.label == "S" and not has_subject(child) and _starts_with_to(child))
                or (
                    child.label == "PP" and all(c.is_leaf and c.label in ("IN", "TO") for c in child.children)
                )
            ):
                return "rel"
        below = below.head_child
    return "dobj"


def clausal_relation(parent: HeadedPhrase, position: int) -> str:
    """Name the relation of a child of a verb phrase or clause."""
    child, head = parent.children[position], head_of(parent)
    label, after = child.label, after_head(parent, position)
    if (auxiliary(child) or copular(child)) and (
        head.label in ("VP", "ADJP", *NOUN_PHRASES, *ADJECTIVES) or label in ("MD", "TO")
    ):
        if label in ("MD", "TO"):
            return "aux"
        if head.label != "VP" and child.word in COPULAS:
            return "cop"
        main = _first_verb(head)
        is_passive = main is not None and main.label in ("VBN", "VBD")
        return "auxpass" if is_passive and child.word in BE_FORMS | GET_FORMS else "aux"
    if label in ("PP", "WHPP"):
        return "prep"
    if label in ADVERBS:
        return "advmod"
    if label == "PRN":
        return parenthesis(child) if parenthesis(child) != "appos" else "dep"
    if label in ("NP", "WHNP", "NX", "NML"):
        return _argument(parent, position)
    if label in NOUN_TAGS or label in ("CD", "QP"):
        return "dobj" if parent.label == "VP" and after else "dep"
    if label == "SBAR":
        return _clause_argument(parent, position)
    if label in ("S", "SINV", "SQ", "SBARQ"):
        return _clause_child(parent, position)
    if label == "VP":
        # An infinitive, with *to* or without: *helped rebuild*.
        first = _first_verb(child)
        is_infinitive = _starts_with_to(child) or (first is not None and first.label == "VB")
        return "xcomp" if after and parent.label == "VP" and is_infinitive else "dep"
    if label in ADJECTIVES:
        return "acomp" if parent.label == "VP" and after else "dep"
    if label in ("IN", "RP"):
        return "prt" if label == "RP" else "mark" if not after else "prep"
    if label == "DT":
        return "det"
    if label in VERB_TAGS and auxiliary(child):
        return "aux"
    return "dep"


def _first_verb(phrase: HeadedPhrase) -> HeadedPhrase | None:
    """The first verb of a verb phrase, in its first conjunct."""
    below: HeadedPhrase | None = phrase
    while below is not None:
        children, below = below.children, None
        for child in children:
            if child.is_leaf and child.label in VERB_TAGS:
                return child
            if child.label == "VP":
                below = child
                break
    return None


def _starts_with_to(node: HeadedPhrase) -> bool:
    first: HeadedPhrase | None = node
    while first is not None:
        first = next((child for child in first.children if child.label not in ADVERBS), None)
        if first is None or first.label != "VP":
            break
    return first is not None and first.label == "TO"


def _argument(parent: HeadedPhrase, position: int) -> str:
    """A noun phrase beside a verb."""
    child, head = parent.children[position], head_of(parent)
    after = after_head(parent, position)
    if any(c.label == "EX" for c in child.children) and not after:
        return "expl"
    if parent.label == "VP":
        if not after:
            return "tmod" if is_time(child) else "dep"
        if is_time(child):
            return "tmod"
        later = [c for c in parent.children[position + 1 :] if c.label == "NP" and not has_time_head(c)]
        if head.label in NOUN_PHRASES or head.label in ADJECTIVES:
            return "nsubj" if parent.label in ("SQ", "SINV") else "dep"
        if head.label == "VP":
            return "dobj"
        if head.word in BE_FORMS:  # there is ...
            return "nsubj"
        return "iobj" if later else "dobj"
    if parent.label in ("SINV", "SQ"):
        has_other = any(c.label == "NP" for k, c in enumerate(parent.children) if k != position)
        return "tmod" if is_time(child) and has_other else "nsubj"
    if parent.label == "SBARQ":
        return "dobj"
    if not after:
        others = [c for c in parent.children[position + 1 :] if c.label in ("NP", "WHNP")]
        between = [c for c in others if not after_head(parent, parent.children.index(c)) and not is_time(c)]
        if between or (
            is_time(child) and any(c.label == "NP" for c in before_head(parent) if c is not child)
        ):
            return "tmod" if is_time(child) else "dep"
        return "nsubj"
    return "tmod" if is_time(child) else "dep"


def _clause_argument(parent: HeadedPhrase, position: int) -> str:
    """An SBAR beside a verb."""
    child = parent.children[position]
    if any(c.word == "order" for c in child.children):
        return "purpcl"
    if parent.label in ("S", "SINV", "SQ") and not after_head(parent, position):
        first = introducer(child)
        nominal = first is None or first.label == "WHNP" or first.word in COMPLEMENTIZERS
        is_subject = nominal and _is_subject(parent, position)
        return "csubj" if is_subject else _complement_or_adverbial(child, True)
    return _complement_or_adverbial(child, False)


def _is_subject(parent: HeadedPhrase, position: int) -> bool:
    """Whether a clause before a verb phrase is its subject: there is no subject noun phrase and no comma."""
    before = before_head(parent)
    is_comma = any(child.label == "," for child in before[position + 1 :])
    return parent.label != "SINV" and not is_comma and all(child.label != "NP" for child in before)


def _complement_or_adverbial(sbar: HeadedPhrase, before_head: bool) -> str:
    """Distinguish a complement clause from an adverbial one by its introducing word."""
    first = introducer(sbar)
    if first is None:
        has_mark = any(child.label == "IN" for child in sbar.children)
        return "advcl" if before_head and has_mark else "ccomp"
    if first.word in COMPLEMENTIZERS:
        return "ccomp"
    if first.label in ("IN", "TO", "RB") and first.is_leaf:
        return "advcl"
    if first.label == "WHADVP":
        return "advcl" if first.leaf().word == "when" or before_head else "ccomp"
    return "ccomp" if first.label in ("WHNP", "WHPP", "WHADJP") else "advcl"


def _clause_child(parent: HeadedPhrase, position: int) -> str:
    """A clause without complementizer beside a verb."""
    child = parent.children[position]
    after = after_head(parent, position)
    subject = has_subject(child)
    if parent.label == "VP" and after:
        return _complement(parent, position)
    if not after:
        if _is_subject(parent, position):
            return "csubj"
        if subject or child.label != "S":
            return "ccomp"
        if _starts_with_to(child) and any(c.label == "NP" for c in before_head(parent)):
            return "advcl"
        if any(c.label == "NP" for c in before_head(parent)):
            return "partmod" if child.leaf().label in ("VBG", "VBN") else "dep"
        return "ccomp"
    return "parataxis" if parent.children[position - 1].label in (":", ",") else "dep"


def _complement(parent: HeadedPhrase, position: int) -> str:
    """A clause without complementizer after a verb."""
    child = predicate = parent.children[position]
    while predicate.head_child is not None and predicate.label in CLAUSES:  # of the first conjunct
        predicate = predicate.head_child
    if has_subject(child):
        if predicate.label == "VP" and (not _starts_with_to(predicate) or head_of(parent).word in HAVE_FORMS):
            return "ccomp"
        return "xcomp"  # also without a verb: keep the fund open
    # A comma precedes the child, and an object precedes the comma: so the verb has its arguments.
    is_set_off = parent.children[position - 1].label == "," and any(
        other.label == "NP" and after_head(parent, place)
        for place, other in enumerate(parent.children[:position])
    )
    first = _first_verb(child)
    if is_set_off and first is not None and first.label in ("VBG", "VBN"):
        return "partmod"
    return "acomp" if predicate.leaf().label in ADJECTIVES and predicate.label == "ADJP" else "xcomp"
