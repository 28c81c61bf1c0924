"""Names the dependency between a constituent's head and each other child, by configuration.

The names and the cases follow the Stanford typed dependencies manual (de Marneffe & Manning 2008).
"""

# ruff: noqa: SIM905
from __future__ import annotations

from forest_align.parsing.dependency_heads import (
    BE_FORMS,
    GET_FORMS,
    NOUN_TAGS,
    VERB_TAGS,
    Constituent,
    auxiliary,
    coordinated,
    is_time,
)

_NOMINAL = frozenset("NP NX NML NAC WHNP".split())
_NOUN_PHRASES = (
    frozenset("NP NX NML NAC WHNP QP".split()) | NOUN_TAGS | frozenset("PRP CD DT $ EX FW".split())
)
_CLAUSES = frozenset("S SINV SQ SBARQ FRAG".split())
_ADJECTIVES = frozenset("JJ JJR JJS ADJP WHADJP".split())
_ADVERBS = frozenset("RB RBR RBS ADVP WRB WHADVP".split())
_NEGATIONS = frozenset("not n't n’t never".split())
_COMPLEMENTIZERS = frozenset({"that", "whether"})
_PRECONJUNCTIONS = frozenset({"both", "either", "neither"})


def relation(parent: Constituent, position: int) -> str:
    """Name the relation of a child that is not the head to its parent's head.

    Parameters
    ----------
    parent : Constituent
        Node with heads filled in.
    position : int
        Index of the child among ``parent.children``.

    Returns
    -------
    str
        A basic Stanford dependency type; ``"dep"`` when nothing more is known.
    """
    child = parent.children[position]
    head = parent.head_child
    assert head is not None
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
    if label in _NOMINAL:
        return _nominal(parent, position)
    if label == "QP":
        return _quantifier(child)
    if label in ("PP", "WHPP"):
        return _prepositional(child)
    if label in ("ADJP", "WHADJP", "ADVP", "WHADVP"):
        return _modifier_phrase(parent, position)
    if label == "SBAR":
        return _subordinate(parent, position)
    if label in ("PRT", "CONJP", "LST", "INTJ", "X"):
        return "dep"
    return _clausal(parent, position)


def complement_or_adverbial(sbar: Constituent, before_head: bool) -> str:
    """Tell a complement clause from an adverbial one by what introduces it."""
    first = _introducer(sbar)
    if first is None:
        return "advcl" if before_head and _has_mark(sbar) else "ccomp"
    if first.word in _COMPLEMENTIZERS:
        return "ccomp"
    if first.label in ("IN", "TO", "RB") and first.is_leaf:
        return "advcl"
    if first.label == "WHADVP":
        return "advcl" if first.leaf().word == "when" or before_head else "ccomp"
    if first.label in ("WHNP", "WHPP", "WHADJP"):
        return "ccomp"
    return "advcl"


def _introducer(sbar: Constituent) -> Constituent | None:
    for child in sbar.children:
        if child is sbar.head_child:
            return None
        if child.label in ("IN", "DT", "TO", "WHNP", "WHADVP", "WHPP", "WHADJP"):
            return child
    return None


def _has_mark(sbar: Constituent) -> bool:
    return any(child.label == "IN" for child in sbar.children)


def _after_head(parent: Constituent, position: int) -> bool:
    return position > parent.children.index(_head_of(parent))


def _head_of(parent: Constituent) -> Constituent:
    assert parent.head_child is not None
    return parent.head_child


def _is_conjunct(parent: Constituent, position: int) -> bool:
    """Whether the child is coordinated with the head."""
    if not coordinated(parent) or not _after_head(parent, position) or parent.label in ("QP", "CONJP"):
        return False
    children, child = parent.children, parent.children[position]
    if child.label in ("PRN", ",", ":") or (
        child.is_leaf and child.label in ("DT", "RB", "PRP$") and position + 1 < len(children)
    ):
        return False
    previous = children[position - 1].label
    if previous in ("CC", "CONJP") or (
        previous in (",", ":") and any(c.label in ("CC", "CONJP") for c in children[position:])
    ):
        return _like(child, _head_of(parent)) or previous in ("CC", "CONJP")
    if any(c.label in ("CC", "CONJP") for c in children[children.index(_head_of(parent)) : position]):
        # The last word of a flat conjunct: (NP the red cars and the blue bikes).
        last = not any(c.label in NOUN_TAGS for c in children[position + 1 :])
        return parent.label in _NOMINAL and child.label in NOUN_TAGS and last
    return _like(child, _head_of(parent)) and not child.is_leaf and child.label == _head_of(parent).label


def _like(child: Constituent, head: Constituent) -> bool:
    groups = (
        _NOUN_PHRASES,
        _ADJECTIVES,
        _ADVERBS,
        VERB_TAGS | {"VP"},
        _CLAUSES | {"SBAR", "VP"},
        frozenset({"PP", "WHPP"}),
    )
    return any(child.label in group and head.label in group for group in groups)


def _nominal(parent: Constituent, position: int) -> str:
    child, head = parent.children[position], _head_of(parent)
    after = _after_head(parent, position)
    label = child.label
    if label in ("DT", "WDT", "WP"):
        return "det"
    if label == "PDT":
        return "predet"
    if label in ("PRP$", "WP$"):
        return "poss"
    if label == "POS":
        return "possessive"
    if label in _NOMINAL and child.children and child.children[-1].label == "POS":
        return "poss"
    if label in ("PP", "WHPP"):
        return "prep"
    if label == "VP":
        return _reduced_clause(child)
    if label in ("S", "SINV", "SQ", "SBARQ", "FRAG"):
        return (
            _reduced_clause(child)
            if label == "S" and not _has_subject(child)
            else "ccomp"
            if after
            else "dep"
        )
    if label == "SBAR":
        return _noun_clause(child)
    if label == "RRC":
        return "rcmod"
    if label in _ADVERBS:
        return "advmod"
    if not after:
        if label in _ADJECTIVES or label in VERB_TAGS or label == "UCP":
            return "amod"
        if label in ("CD", "QP", "$"):
            return "num"
        if label in NOUN_TAGS or label in ("NML", "NX", "NAC", "FW"):
            return "nn"
        if label == "NP":
            return "poss" if _possessive(child) else "tmod" if is_time(child) else "nn"
        return "dep"
    if label in _ADJECTIVES:
        return "amod"
    if label in ("NP", "NX", "NML"):
        commas = [c.label for c in parent.children[:position] if c.label in (",", ":", "-LRB-")]
        if commas:
            return "appos"
        if is_time(child) and not is_time(head):
            return "tmod"
        return "dep" if head.label in _NOMINAL and not is_time(child) else "npadvmod"
    if label == "PRN":
        return _parenthesis(child)
    if label in ("CD", "QP"):
        return "num"
    return "dep"


def _possessive(child: Constituent) -> bool:
    return child.children[-1].label == "POS" if child.children else False


def _parenthesis(child: Constituent) -> str:
    label = _head_of(child).label if child.children else child.label
    if label in ("NP", "NX", "NN", "NNP", "NNS"):
        return "appos"
    if label in ("S", "SINV", "SBAR", "VP"):
        return "parataxis"
    return "prep" if label == "PP" else "dep"


def _reduced_clause(child: Constituent) -> str:
    leaves = child.leaves()
    for leaf in leaves[:3]:
        if leaf.label == "TO":
            return "infmod"
        if leaf.label in ("VBG", "VBN", "VBD"):
            return "partmod"
    return (
        "partmod"
        if child.leaf().label in ("VBG", "VBN")
        else "infmod"
        if "TO" in [x.label for x in leaves]
        else "dep"
    )


def _noun_clause(child: Constituent) -> str:
    first = _introducer(child)
    if first is None:
        if (
            child.head_child is not None
            and child.head_child.label == "S"
            and not _has_subject(child.head_child)
        ):
            return _reduced_clause(child)
        return "rcmod"
    if first.label in ("WHNP", "WHPP", "WHADVP"):
        return "rcmod"
    if first.word == "that":
        return "ccomp"
    return "dep"


def _has_subject(clause: Constituent) -> bool:
    """Whether a noun phrase stands before the verb phrase."""
    if clause.head_child is not None and clause.head_child.label in _CLAUSES:
        return _has_subject(clause.head_child)
    return any(child.label in ("NP", "SBAR", "WHNP") and not is_time(child) for child in _before_head(clause))


def _before_head(node: Constituent) -> list[Constituent]:
    return node.children[: node.children.index(_head_of(node))] if node.children else []


def _quantifier(child: Constituent) -> str:
    if child.label == "CD":
        return "number"
    if child.label == "DT":
        return "det"
    if child.label == "$":
        return "dep"
    return "quantmod"


def _prepositional(child: Constituent) -> str:
    if (
        child.label in _NOMINAL
        or child.label in NOUN_TAGS
        or child.label in ("CD", "QP", "PRP", "DT", "$", "EX")
    ):
        return "pobj"
    if child.label in ("S", "SBAR", "VP", "SQ", "SINV", "FRAG", "UCP"):
        return "pcomp"
    if child.label in ("PP", "WHPP"):
        return "pcomp"
    if child.label in _ADVERBS:
        return "advmod"
    if child.label in _ADJECTIVES:
        return "amod" if child.label == "ADJP" else "pobj"
    return "mwe" if child.label in ("IN", "TO") else "dep"


def _modifier_phrase(parent: Constituent, position: int) -> str:
    child = parent.children[position]
    if child.label in _ADVERBS:
        return "advmod"
    if child.label in ("PP", "WHPP"):
        return "prep"
    if child.label in ("NP", "QP", "NN", "NNS", "CD", "NNP"):
        return "npadvmod" if child.label == "NP" else "num" if child.label in ("QP", "CD") else "nn"
    if child.label in ("S", "VP"):
        return "xcomp" if not _has_subject(child) else "ccomp"
    if child.label == "SBAR":
        return "ccomp" if (first := _introducer(child)) is None or first.word in _COMPLEMENTIZERS else "dep"
    if child.label in _ADJECTIVES or child.label in VERB_TAGS:
        return "amod"
    if child.label == "DT":
        return "det"
    return "dep"


def _subordinate(parent: Constituent, position: int) -> str:
    child, head = parent.children[position], _head_of(parent)
    if child.label in ("IN", "DT", "TO", "RB"):
        return "complm" if child.word in _COMPLEMENTIZERS else "mark" if child.label == "IN" else "advmod"
    if child.label in ("WHADVP", "ADVP"):
        return "advmod"
    if child.label in ("WHPP", "PP"):
        return "prep"
    if child.label in ("WHNP", "WHADJP"):
        if child.label == "WHADJP":
            return "dep"
        return "nsubj" if not _has_subject(head) else "attr" if head.leaf().word in BE_FORMS else "dobj"
    if child.label == "SBAR":
        return "dep"
    return _clausal(parent, position)


def _clausal(parent: Constituent, position: int) -> str:
    """Children of verb phrases and clauses."""
    child, head = parent.children[position], _head_of(parent)
    label, after = child.label, _after_head(parent, position)
    if auxiliary(child) and (
        head.label in ("VP", "ADJP", *_NOUN_PHRASES, *_ADJECTIVES) or label in ("MD", "TO")
    ):
        return _auxiliary_relation(child, head)
    if label in ("PP", "WHPP"):
        return "prep"
    if label in _ADVERBS:
        return "advmod"
    if label == "PRN":
        return _parenthesis(child) if _parenthesis(child) != "appos" else "dep"
    if label in ("NP", "WHNP", "NX", "NML"):
        return _argument(parent, position)
    if label in NOUN_TAGS or label in ("CD", "QP"):
        return "dobj" if parent.label == "VP" and after else "dep"
    if label == "SBAR":
        return _clause_argument(parent, position)
    if label in ("S", "SINV", "SQ", "SBARQ"):
        return _clause_child(parent, position)
    if label == "VP":
        return "xcomp" if after and parent.label == "VP" and _starts_with_to(child) else "dep"
    if label in _ADJECTIVES:
        return "acomp" if parent.label == "VP" and after else "dep"
    if label in ("IN", "RP"):
        return "prt" if label == "RP" else "mark" if not after else "prep"
    if label == "DT":
        return "det"
    if label in VERB_TAGS and auxiliary(child):
        return "aux"
    return "dep"


def _auxiliary_relation(child: Constituent, head: Constituent) -> str:
    if child.label in ("MD", "TO"):
        return "aux"
    if head.label != "VP" and child.word in BE_FORMS:
        return "cop"
    main = _first_verb(head)
    if child.word in BE_FORMS | GET_FORMS and main is not None and main.label in ("VBN", "VBD"):
        return "auxpass"
    return "aux"


def _first_verb(phrase: Constituent) -> Constituent | None:
    """The first verb of a verb phrase, in its first conjunct."""
    for child in phrase.children:
        if child.is_leaf and child.label in VERB_TAGS:
            return child
        if child.label == "VP":
            return _first_verb(child)
    return None


def _starts_with_to(node: Constituent) -> bool:
    first = next((child for child in node.children if child.label not in _ADVERBS), None)
    if first is None:
        return False
    return first.label == "TO" or (first.label == "VP" and _starts_with_to(first))


def _argument(parent: Constituent, position: int) -> str:
    """A noun phrase beside a verb."""
    child, head = parent.children[position], _head_of(parent)
    after = _after_head(parent, position)
    if any(c.label == "EX" for c in child.children) and not after:
        return "expl"
    if parent.label == "VP":
        if not after:
            return "tmod" if is_time(child) else "dep"
        if is_time(child):
            return "tmod"
        later = [c for c in parent.children[position + 1 :] if c.label == "NP" and not is_time(c)]
        if head.label in _NOUN_PHRASES or head.label in _ADJECTIVES:
            return "nsubj" if parent.label in ("SQ", "SINV") else "dep"
        if head.label == "VP":
            return "dobj"
        if _head_is_existential(parent):
            return "nsubj"
        return "iobj" if later else "dobj"
    if parent.label in ("SINV", "SQ"):
        return (
            "nsubj"
            if not is_time(child)
            or not any(c.label == "NP" for k, c in enumerate(parent.children) if k != position)
            else "tmod"
        )
    if parent.label in ("SBARQ",):
        return "dobj"
    if not after:
        others = [c for c in parent.children[position + 1 :] if c.label in ("NP", "WHNP")]
        between = [c for c in others if not _after_head(parent, parent.children.index(c))]
        if between or (
            is_time(child) and any(c.label == "NP" for c in _before_head(parent) if c is not child)
        ):
            return "tmod" if is_time(child) else "dep"
        return "nsubj"
    return "tmod" if is_time(child) else "dep"


def _head_is_existential(parent: Constituent) -> bool:
    return _head_of(parent).word in BE_FORMS


def _clause_argument(parent: Constituent, position: int) -> str:
    """An SBAR beside a verb."""
    child = parent.children[position]
    after = _after_head(parent, position)
    if parent.label in ("S", "SINV", "SQ") and not after:
        first = _introducer(child)
        if (
            first is not None
            and first.label in ("WHNP",)
            and not any(c.label == "NP" for c in _before_head(parent))
        ):
            return "csubj"
        if (
            first is not None
            and first.word in _COMPLEMENTIZERS
            and not any(c.label == "NP" for c in _before_head(parent))
        ):
            return "csubj"
        return complement_or_adverbial(child, True)
    return complement_or_adverbial(child, False)


def _clause_child(parent: Constituent, position: int) -> str:
    """A clause without complementizer beside a verb."""
    child = parent.children[position]
    after = _after_head(parent, position)
    subject = _has_subject(child)
    if parent.label == "VP" and after:
        if not subject:
            return "xcomp"
        return "xcomp" if child.head_child is not None and _starts_with_to(child.head_child) else "ccomp"
    if not after:
        if subject or child.label != "S":
            return "ccomp"
        if _starts_with_to(child) and any(c.label == "NP" for c in _before_head(parent)):
            return "advcl"
        if any(c.label == "NP" for c in _before_head(parent)):
            return "partmod" if child.leaf().label in ("VBG", "VBN") else "dep"
        return "csubj"
    return "parataxis" if parent.children[position - 1].label in (":", ",") else "dep"
