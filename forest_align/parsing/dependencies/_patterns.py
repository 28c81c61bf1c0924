"""Properties of a constituent that several dependency rules need: its head, subject and introducer."""

# ruff: noqa: SIM905
from __future__ import annotations

from forest_align.parsing.dependencies._syntactic_heads import NOUN_TAGS, HeadedPhrase, is_time

NOMINAL = frozenset("NP NX NML NAC WHNP".split())
NOUN_PHRASES = frozenset("NP NX NML NAC WHNP QP".split()) | NOUN_TAGS | frozenset("PRP CD DT $ EX FW".split())
CLAUSES = frozenset("S SINV SQ SBARQ FRAG".split())
ADJECTIVES = frozenset("JJ JJR JJS ADJP WHADJP".split())
ADVERBS = frozenset("RB RBR RBS ADVP WRB WHADVP".split())
COMPLEMENTIZERS = frozenset({"that", "whether"})


def head_of(parent: HeadedPhrase) -> HeadedPhrase:
    """The child that holds the head; heads must be filled in."""
    assert parent.head_child is not None
    return parent.head_child


def after_head(parent: HeadedPhrase, position: int) -> bool:
    """Whether the child at a position follows the child that holds the head."""
    return position > parent.children.index(head_of(parent))


def before_head(node: HeadedPhrase) -> list[HeadedPhrase]:
    """The children before the child that holds the head."""
    return node.children[: node.children.index(head_of(node))] if node.children else []


def has_subject(clause: HeadedPhrase) -> bool:
    """Whether a noun phrase stands before the verb phrase."""
    while clause.head_child is not None and clause.head_child.label in CLAUSES:
        clause = clause.head_child
    return any(child.label in ("NP", "SBAR", "WHNP") and not is_time(child) for child in before_head(clause))


def introducer(sbar: HeadedPhrase) -> HeadedPhrase | None:
    """The introducer of a subordinate clause before its head: a conjunction, or a phrase with *wh*."""
    for child in sbar.children:
        if child is sbar.head_child:
            return None
        if child.label in ("IN", "DT", "TO", "WHNP", "WHADVP", "WHPP", "WHADJP"):
            return child
    return None


def parenthesis(child: HeadedPhrase) -> str:
    """The relation of a phrase in brackets or between dashes, by its own head."""
    label = head_of(child).label if child.children else child.label
    if label in ("NP", "NX", "NN", "NNP", "NNS"):
        return "appos"
    if label in ("S", "SINV", "SBAR", "VP"):
        return "parataxis"
    return "prep" if label == "PP" else "dep"
