"""Syntactic heads, as in the Stanford dependencies, and what the rules ask of a constituent.

Our forests have semantic heads. The predicate of a copula is the head of its clause. A preposition is the
head of its phrase. The first conjunct is the head of a coordination (de Marneffe, MacCartney & Manning 2006,
§3).
"""

# ruff: noqa: SIM905
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BE_FORMS = frozenset("be am is are was were been being 's 're 'm ai".split())
#: Verbs whose predicate is the head of the clause, as in the Stanford parser at the time of the papers.
COPULAS = BE_FORMS | frozenset(
    "become becomes became becoming remain remains remained remaining seem seems seemed seeming appear "
    "appears appeared appearing stay stays stayed staying".split()
)
GET_FORMS = frozenset("get gets got getting gotten".split())
HAVE_FORMS = frozenset("have has had having 've".split())
_OTHER_AUXILIARIES = "'d do does did doing done ca wo sha will would can could may might must shall should to"
_AUXILIARY_FORMS = BE_FORMS | HAVE_FORMS | frozenset(_OTHER_AUXILIARIES.split())
VERB_TAGS = frozenset("VB VBD VBG VBN VBP VBZ".split())
NOUN_TAGS = frozenset("NN NNS NNP NNPS".split())
NOMINAL = frozenset("NP NX NML NAC WHNP".split())
NOUN_PHRASES = frozenset("NP NX NML NAC WHNP QP".split()) | NOUN_TAGS | frozenset("PRP CD DT $ EX FW".split())
CLAUSES = frozenset("S SINV SQ SBARQ FRAG".split())
ADJECTIVES = frozenset("JJ JJR JJS ADJP WHADJP".split())
ADVERBS = frozenset("RB RBR RBS ADVP WRB WHADVP".split())
COMPLEMENTIZERS = frozenset({"that", "whether"})
PUNCTUATION_TAGS = frozenset(". , : `` '' -LRB- -RRB- HYPH NFP \" SYM".split())
TIME_WORDS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june "
    "july august september october november december today yesterday tomorrow tonight day days week "
    "weeks month months year years morning afternoon evening night hour hours minute "
    "minutes moment spring summer autumn fall winter weekend decade century mondays sundays saturdays "
    "fridays jan. feb. aug. sept. oct. nov. dec.".split()
)


@dataclass(eq=False, slots=True)
class HeadedPhrase:
    """A node of a constituency tree with the properties that the dependency rules need."""

    label: str  # Category without function tags, or the part-of-speech tag of a leaf
    children: list[HeadedPhrase] = field(default_factory=list)
    word: str = ""  # Lower-cased word of a leaf, with plain apostrophes
    index: int = -1  # Token index of a leaf
    head: int = -1  # Token index of the head word
    head_child: HeadedPhrase | None = None  # The child that holds the head

    @property
    def is_leaf(self) -> bool:
        """Whether this is a word."""
        return not self.children

    def leaf(self) -> HeadedPhrase:
        """The head word."""
        node = self
        while node.head_child is not None:
            node = node.head_child
        return node

    def leaves(self) -> list[HeadedPhrase]:
        """All words below, in order."""
        words: list[HeadedPhrase] = []
        todo = [self]
        while todo:
            node = todo.pop()
            if node.children:
                todo += reversed(node.children)
            else:
                words.append(node)
        return words


# Label -> attempts in order; each has the side from which children are scanned, and the labels to find.
# A side in capitals selects the first child with any of the labels; in small letters, label by label.
_RULES_AS_TEXT: dict[str, tuple[tuple[str, str], ...]] = {
    "ADJP": (
        ("LEFT", "$"),
        ("RIGHT", "NNS NN JJ QP VBN VBG"),
        ("LEFT", "ADJP"),
        ("RIGHT", "JJR JJS DT RB RBR CD IN VBD"),
        ("LEFT", "ADVP NP PP"),
    ),
    "ADVP": (
        ("LEFT", "ADVP IN"),
        ("RIGHT", "RB RBR RBS JJ JJR JJS"),
        ("RIGHT", "RP DT NN CD NP VBN NNP NNS FW PP"),
    ),
    "CONJP": (("RIGHT", "CC TO RB IN"),),
    "FRAG": (("left", "VP S SINV SQ SBAR NP PP ADJP ADVP INTJ"),),
    "INTJ": (("LEFT", "UH INTJ"), ("LEFT", "")),
    "LST": (("RIGHT", "LS :"),),
    "NAC": (("RIGHT", "NN NNS NNP NNPS NAC NX NML EX $ CD QP PRP VBG JJ JJS JJR ADJP"), ("LEFT", "NP")),
    "NP": (
        ("RIGHT", "NN NNS NNP NNPS NX NML NAC"),
        ("LEFT", "NP PRP"),
        ("RIGHT", "$ ADJP JJS PRN FW EX"),
        ("RIGHT", "CD"),
        ("RIGHT", "JJ JJR JJS RB QP DT WDT RBR ADVP VBG VBN VP PP"),
    ),
    "PP": (("LEFT", "IN TO"), ("LEFT", "RP FW VBG VBN JJ CC RB"), ("LEFT", "PP")),
    "PRN": (("left", "VP S SINV SQ SBAR NP ADJP PP ADVP INTJ NN NNP CD"),),
    "PRT": (("RIGHT", "RP"), ("RIGHT", "")),
    "QP": (("RIGHT", "$"), ("RIGHT", "NNS NN CD"), ("LEFT", "JJ RB DT IN JJR"), ("RIGHT", "")),
    "RRC": (("left", "VP NP ADJP ADVP PP"),),
    "S": (("left", "VP S FRAG SBAR SINV SQ ADJP UCP"), ("RIGHT", "NP PP"), ("LEFT", "ADVP")),
    "SBAR": (("left", "S SQ SINV SBAR FRAG VP X"), ("LEFT", "WHNP WHPP WHADVP WHADJP IN DT")),
    "SBARQ": (("left", "SQ S SINV SBARQ FRAG"),),
    "SINV": (("left", "VP VBZ VBD VBP VB MD S SINV ADJP NP"),),
    "SQ": (("left", "VP SQ ADJP VB VBZ VBD VBP MD S"),),
    "UCP": (("LEFT", ""),),
    "VP": (("LEFT", "VBD VBN VBZ VB VBG VBP VP MD POS"), ("LEFT", "ADJP NP NN NNS NNP JJ IN S SBAR PP TO")),
    "WHADJP": (("RIGHT", "JJ RB ADJP"),),
    "WHADVP": (("RIGHT", "WRB RB"),),
    "WHNP": (("RIGHT", "NN NNS NNP NNPS NP"), ("LEFT", "WHNP WP WDT WP$ WHADJP WHPP")),
    "WHPP": (("LEFT", "IN TO"),),
    "X": (("RIGHT", ""),),
}
_RULES = {
    label: tuple((side, labels.split()) for side, labels in attempts)
    for label, attempts in _RULES_AS_TEXT.items()
}
_LAST_RESORT: tuple[tuple[str, list[str]], ...] = (("RIGHT", []),)
_CONJUNCTIONS = ("CC", "CONJP")
_CONJUNCT_NOUNS = NOUN_TAGS | frozenset("NP NX NML NAC WHNP QP PRP CD $ FW EX WP".split())
_VERBAL = VERB_TAGS | {"POS"}
_HELPING = _AUXILIARY_FORMS | GET_FORMS
_ALIASES = {"NX": "NP", "NML": "NP", "TOP": "S", "ROOT": "S", "": "S"}
_PREDICATES = frozenset("NP ADJP WHNP WHADJP UCP NML NX JJ JJR JJS".split())


def set_heads(root: HeadedPhrase) -> list[HeadedPhrase]:
    """Fill in the heads of a tree, bottom up."""
    if root.is_leaf:
        root.head = root.index
        return []
    # Each node has a flag: the clause around it has *there* as subject, so a noun phrase after *be* is not a
    # predicate. The list grows during the loop, instead of recursion: trees of long sentences are deep.
    order = [(root, False)]
    existential = []
    for node, around in order:
        here = False
        for child in node.children:
            if child.label == "NP" and len(child.children) == 1 and child.children[0].label == "EX":
                here = True
        inherited = here or (around and node.label == "VP")
        for child in node.children:
            if child.children:
                order.append((child, inherited))
            else:
                child.head = child.index
        existential.append(around or here)
    phrases = [node for node, _ in order]
    for node, with_there in zip(reversed(phrases), reversed(existential), strict=True):
        node.head_child = _head_child(node, with_there)
        node.head = node.head_child.head
    return phrases


def is_time(node: HeadedPhrase) -> bool:
    """Whether a noun phrase names a time (*Monday*, *last year*) and is not an object.

    A time with modifiers after it, or a coordination of two, is an object: *serve nine years in prison*.
    """
    head = node.head_child
    return (head is None or head.is_leaf) and has_time_head(node)


def has_time_head(node: HeadedPhrase) -> bool:
    """Whether the head word of a noun phrase names a time."""
    return node.leaf().word in TIME_WORDS


def coordinated(node: HeadedPhrase) -> bool:
    """Whether the children are conjuncts: a conjunction follows the first child."""
    for child in node.children[1:]:  # noqa: SIM110 - a loop is faster here than any() over a generator
        if child.label in _CONJUNCTIONS:
            return True
    return False


def auxiliary(node: HeadedPhrase) -> bool:
    """Whether a leaf can be an auxiliary verb, a modal or *to*."""
    return node.is_leaf and (node.label in ("MD", "TO") or (node.label in _VERBAL and node.word in _HELPING))


def copular(node: HeadedPhrase) -> bool:
    """Whether a leaf can be a copula: a form of *be*, *become*, *remain* or a similar verb."""
    return node.is_leaf and node.label in _VERBAL and node.word in COPULAS


def _head_child(node: HeadedPhrase, existential: bool) -> HeadedPhrase:
    children = [child for child in node.children if child.label not in PUNCTUATION_TAGS] or node.children
    label = _ALIASES.get(node.label, node.label)
    if coordinated(node) and label not in ("QP", "CONJP"):
        children = _first_conjunct(node.children, label) or children
    if label in ("VP", "SQ", "SINV"):
        head = _verbal_head(children, existential)
        if head is not None:
            return head
    if label == "NP" and len(children) > 1 and children[-1].label == "POS":
        children = children[:-1]
    for side, labels in _RULES.get(label, _LAST_RESORT):
        head = _scan(children, side, labels)
        if head is not None:
            return head
    return children[0] if label in ("S", "SBAR", "VP", "PP", "UCP", "FRAG") else children[-1]


def _first_conjunct(children: list[HeadedPhrase], label: str) -> list[HeadedPhrase]:
    """Children before the first conjunction, or before a repetition of the first child's category.

    Empty if the coordination precedes the head of the whole phrase (*the rich and precious fossils*).
    """
    kept: list[HeadedPhrase] = []
    nominal = label in ("NP", "NAC", "WHNP")
    for child in children:
        if child.label in _CONJUNCTIONS:
            if kept:
                break
        elif child.label == "," and kept and kept[-1].is_leaf:
            if not nominal or kept[-1].label in _CONJUNCT_NOUNS:  # nuts, bolts and tools
                break
        elif child.label not in PUNCTUATION_TAGS:
            kept.append(child)
    if nominal and not any(child.label in _CONJUNCT_NOUNS for child in kept):
        return []
    if all(not child.is_leaf and child.label == kept[0].label for child in kept):
        return kept[:1]
    return kept


def _verbal_head(children: list[HeadedPhrase], existential: bool) -> HeadedPhrase | None:
    """Select the main verb instead of an auxiliary, and the predicate instead of its copula."""
    verbs = (k for k, child in enumerate(children) if auxiliary(child) or copular(child))
    position = next(verbs, -1)
    if position < 0:
        return None
    first, following = children[position], children[position + 1 :]
    for child in following if auxiliary(first) else ():
        if child.label == "VP" and (first.word not in GET_FORMS or child.leaf().label in ("VBN", "VBD")):
            return child
    if copular(first) and not existential:
        later = [child for child in following if child.label in _PREDICATES]
        later = [child for child in later if not (child.label == "NP" and is_time(child) and len(later) > 1)]
        if later:
            is_question = children[0] is first and len(later) > 1 and later[0].label == "NP"
            return later[-1 if is_question else 0]
    return None


def _scan(children: list[HeadedPhrase], side: str, wanted: Sequence[str]) -> HeadedPhrase | None:
    if not wanted:
        return children[0] if side == "LEFT" else children[-1]
    if side == "left":
        for label in wanted:
            for child in children:
                if child.label == label:
                    return child
        return None
    for child in children if side == "LEFT" else reversed(children):
        if child.label in wanted:
            return child
    return None


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
