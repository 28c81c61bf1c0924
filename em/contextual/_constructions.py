"""Makes pairs of sentences that say the same in different constructions, with exact links.

Corpora of paraphrases seldom repeat a word in two roles, and seldom change the construction around it. In
*the price of oil and the price of gas* ↔ *the gas price and the oil price*, only what belongs to *price*
shows which is which. Each function here makes one kind of pair from words of the training sentences. The
same event is written down twice, each time in a construction chosen at random. Marks that the words carry
give the links.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from forest_align.em.contextual._writing import (
    FULL_STOP,
    Marked,
    Marks,
    PairWriter,
    Part,
    joined,
    linked_pair,
    sentence_pair,
)
from forest_align.em.contextual.rearranging import RearrangedPair

_GIVING = (
    ("gave", "given"),
    ("sent", "sent"),
    ("showed", "shown"),
    ("offered", "offered"),
    ("sold", "sold"),
    ("lent", "lent"),
    ("handed", "handed"),
    ("promised", "promised"),
)
_BESIDE = ("near", "beside", "on", "behind", "against", "under")


class _Event(NamedTuple):
    """Somebody does something to somebody: two noun phrases, and a verb with its mark."""

    agent: Part
    past: str
    participle: str
    mark: Marks
    patient: Part

    def active(self) -> Part:
        return joined(self.agent, [Marked(self.past, self.mark)], self.patient)

    def passive(self, writer: PairWriter, is_both: bool) -> Part:
        """In the passive; its additional words have marks only if both sentences have them."""
        marks = [_of(self.mark, k) if is_both else frozenset() for k in (1, 2)]
        verb = [Marked("was", marks[0]), Marked(self.participle, self.mark), Marked("by", marks[1])]
        return joined(self.patient, verb, self.agent)


def _of(marks: Marks, number: int) -> Marks:
    """Other marks that belong to these, the same each time."""
    return frozenset(-10 * (mark + 1) - number for mark in marks)


def chain(writer: PairWriter) -> RearrangedPair:
    """Several clauses in which a participant has another role in each: *A saw B and B saw C*."""
    chance = writer.chance
    clauses = 2 if chance.random() < 0.8 else 3
    parts = writer.phrases(clauses + 1)
    if chance.random() < 0.2:  # the two do it to each other
        parts = [parts[0], parts[1], *parts[:1], *parts[1:2]][: clauses + 1]
    same = writer.verb()
    events = []
    for k in range(clauses):
        past, participle, _ = same if chance.random() < 0.7 else writer.verb()
        # Each mention has marks of its own.
        agent, patient = ([Marked(item.word, writer.mark()) for item in part] for part in parts[k : k + 2])
        events.append(_Event(agent, past, participle, writer.mark(), patient))
    joint = chance.choice(("and", "and", "but", "while", "before"))
    is_turned = chance.random() < 0.7
    voices = [[chance.random() < share for _ in events] for share in (0.15, 0.6)]
    if voices[0] == voices[1] and not is_turned:
        voices[1] = [not voice for voice in voices[0]]
    mark = writer.mark()
    sides = []
    for side in (0, 1):
        said = [
            event.passive(writer, voices[0][k] and voices[1][k]) if voices[side][k] else event.active()
            for k, event in enumerate(events)
        ]
        if side and is_turned:
            said.reverse()
        sides.append(_in_a_row(said, joint, mark, side and is_turned))
    return linked_pair(*sides)


def _in_a_row(clauses: list[Part], joint: str, mark: Marks, is_turned: bool | int) -> Part:
    """Clauses in one sentence. *A before B* turned around is *Before B, A*."""
    if joint == "before" and is_turned:
        first, *others = clauses
        return joined([Marked("before", mark)], first, ",", *others, FULL_STOP)
    *before, last = clauses
    commas: list[Part | str] = [item for clause in before[:-1] for item in (clause, ",")]
    return joined(*commas, before[-1], [Marked(joint, mark)], last, FULL_STOP)


def relative_clause(writer: PairWriter) -> RearrangedPair:
    """*A saw B that had seen C* ↔ *C was seen by B that was seen by A*."""
    a, b, c = writer.phrases(3)
    (past, participle, first), second = writer.verb(), writer.mark()
    pronoun = Marked(writer.chance.choice(("that", "who", "which")), writer.mark())
    one = joined(a, [Marked(past, first)], b, [pronoun], "had", [Marked(participle, second)], c, FULL_STOP)
    if writer.chance.random() < 0.5:
        by = [Marked("was"), Marked(participle, second), Marked("by")]
        other = joined(c, by, b, [pronoun], "was", [Marked(participle, first)], "by", a, FULL_STOP)
    else:
        other = joined(
            b, [pronoun], a, [Marked(past, first)], "had", [Marked(participle, second)], c, FULL_STOP
        )
    return linked_pair(one, other)


def cleft(writer: PairWriter) -> RearrangedPair:
    """*A saw B* ↔ *It was B that A saw*, *A was the one who saw B*, *What A saw was B*."""
    a, b = writer.phrases(2)
    past, participle, mark = writer.verb()
    verb = [Marked(past, mark)]
    plain = joined(a, verb, b, FULL_STOP)
    event = _Event(a, past, participle, mark, b)
    other = writer.chance.choice(
        (
            joined("it was", b, "that", a, verb, FULL_STOP),
            joined("it was", a, "who", verb, b, FULL_STOP),
            joined("what", a, verb, "was", b, FULL_STOP),
            joined(event.passive(writer, False), FULL_STOP),
        )
    )
    return linked_pair(plain, other)


def _giving(writer: PairWriter) -> RearrangedPair:
    """*A gave B to C* ↔ *A gave C B*, *B was given to C by A*; sometimes two gifts."""
    chance = writer.chance
    past, participle = chance.choice(_GIVING)
    mark, preposition, comma = writer.mark(), writer.mark(), writer.mark()
    parts = writer.phrases(5)
    giver, gifts, takers = parts[0], parts[1:3], parts[3:5]
    gifts = [gift if len(gift) > 1 else writer.phrase(writer.noun()) for gift in gifts]
    verb = [Marked(past, mark)]
    if chance.random() < 0.5:
        to = [Marked("to", preposition)]
        plain = joined(giver, verb, gifts[0], to, takers[0], FULL_STOP)
        other = chance.choice(
            (
                joined(giver, verb, takers[0], gifts[0], FULL_STOP),
                joined(gifts[0], "was", [Marked(participle, mark)], to, takers[0], "by", giver, FULL_STOP),
                joined(takers[0], "was", [Marked(participle, mark)], gifts[0], "by", giver, FULL_STOP),
            )
        )
        return linked_pair(plain, other)
    tos = [writer.words("to") for _ in gifts]
    said = [joined(gift, to, taker) for gift, to, taker in zip(gifts, tos, takers, strict=True)]
    plain = joined(giver, verb, said[0], [Marked("and", comma)], said[1], FULL_STOP)
    if chance.random() < 0.5:
        said = [joined(taker, gift) for gift, taker in zip(gifts, takers, strict=True)]
    return linked_pair(plain, joined(giver, verb, said[1], [Marked("and", comma)], said[0], FULL_STOP))


def coordination(writer: PairWriter) -> RearrangedPair:
    """Participants in another order: *A, B and C left* ↔ *B, C and A left*; some in quotation marks."""
    chance = writer.chance
    parts = writer.phrases(2 if chance.random() < 0.5 else 3)
    if chance.random() < 0.4:
        parts = [joined(writer.words("``"), part, writer.words("''")) for part in parts]
        parts = [[Marked('"', i.marks) if i.word in {"``", "''"} else i for i in part] for part in parts]
    joint, verb = writer.mark(), writer.words(chance.choice(writer.vocabulary.intransitive))
    order = list(parts)
    while order == parts:
        chance.shuffle(order)
    ending = [] if chance.random() < 0.3 else joined(verb, FULL_STOP)
    sides = []
    for row in (parts, order):
        commas: list[Part | str] = [item for part in row[:-2] for item in (part, ",")]
        sides.append(joined(*commas, row[-2], [Marked("and", joint)], row[-1], ending))
    return linked_pair(*sides)


def genitives(writer: PairWriter) -> RearrangedPair:
    """Two phrases of one head: *the price of oil and that of gas* ↔ *the gas price and the oil price*."""
    chance = writer.chance
    kind = chance.choice(("name", "person", "thing", "own"))
    head = writer.noun()
    owners = _owners(writer, kind)
    possessions = [_Possession(kind, [Marked(head, writer.mark())], owner, writer) for owner in owners]
    said = [[one.said(kind) for one in possessions] for _ in range(2)]
    while [[i.word for i in part] for part in said[0]] == [[i.word for i in part] for part in said[1]]:
        said[1] = [one.said(kind) for one in possessions]
    if chance.random() < 0.5:
        draw = iter(lambda: chance.choice(writer.vocabulary.intransitive), None)
        past = [writer.words(word) for word in writer.different(2, draw)]
        if chance.random() < 0.5:
            clauses = [[joined(part, verb) for part, verb in zip(side, past, strict=True)] for side in said]
            ending = FULL_STOP
        else:
            clauses, ending = said, joined(past[0], FULL_STOP)
        joint = writer.words("and")
        return linked_pair(
            joined(clauses[0][0], joint, clauses[0][1], ending),
            joined(clauses[1][1], joint, clauses[1][0], ending),
        )
    past_tense, participle, mark = writer.verb()
    events = [_Event(side[0], past_tense, participle, mark, side[1]) for side in said]
    if chance.random() < 0.3:
        turned = _Event(said[1][1], past_tense, participle, mark, said[1][0])  # the other way round, as *met*
        return sentence_pair((events[0].active(),), (turned.active(),))
    return sentence_pair((events[0].active(),), (events[1].passive(writer, False),))


def _owners(writer: PairWriter, kind: str) -> list[Part]:
    draw: Callable[[], str] = writer.name if kind == "name" else writer.noun
    words = writer.different(2, iter(draw, None))
    if kind == "own":
        owner = writer.chance.choice(("his", "her", "their", "its", "my", "our"))
        return [[Marked(owner, writer.mark()), Marked(word, writer.mark())] for word in words]
    if kind == "person":
        return [[Marked("the", writer.mark()), Marked(word, writer.mark())] for word in words]
    return [[Marked(word, writer.mark())] for word in words]


class _Possession:
    """A noun with what it belongs to."""

    def __init__(self, kind: str, head: Part, owner: Part, writer: PairWriter) -> None:
        self.head, self.owner, self.chance = head, owner, writer.chance
        self.article, self.sign = writer.mark(), writer.mark()

    def said(self, kind: str) -> Part:
        """In one of the constructions of its kind."""
        article = [Marked("the", self.article)]
        sign = "of" if kind != "thing" else self.chance.choice(("of", "for"))
        if self.chance.random() < 0.45:
            return joined(article, self.head, [Marked(sign, self.sign)], self.owner)
        if kind == "thing" or (kind == "name" and self.chance.random() < 0.3):
            return joined(article, self.owner, self.head)
        return joined(self.owner, [Marked("'s", self.sign)], self.head)


def _equal_heads(writer: PairWriter) -> RearrangedPair:
    """*The bank near the river bank closed* ↔ *The river bank near the bank closed*."""
    chance = writer.chance
    head = writer.noun()
    modifier = chance.choice((writer.noun(), chance.choice(writer.vocabulary.adjectives)))
    plain = writer.words(f"the {head}")
    longer = writer.words(f"the {modifier} {head}")
    preposition = writer.words(chance.choice(_BESIDE))
    verb = joined(writer.words(chance.choice(writer.vocabulary.intransitive)), FULL_STOP)
    return linked_pair(joined(plain, preposition, longer, verb), joined(longer, preposition, plain, verb))


#: Kinds of pairs, each as often as the number says.
CONSTRUCTIONS: dict[Callable[[PairWriter], RearrangedPair], int] = {
    chain: 6,
    relative_clause: 2,
    cleft: 2,
    _giving: 2,
    coordination: 2,
    genitives: 6,
    _equal_heads: 3,
}
