"""Makes pairs of sentences that mention persons and things in other words, with exact links.

Examples: *Anna smiled* ↔ *she smiled*, *"I lost," Anna said* ↔ *Anna said that she lost*. In *the trainer met
the trainee*, the two are not each other.
"""

from __future__ import annotations

from forest_align.em.contextual._marked import (
    FULL_STOP,
    Marked,
    PairWriter,
    Part,
    joined,
    linked_pair,
    marks_of,
)
from forest_align.em.contextual.rearranging import RearrangedPair


def opposed(writer: PairWriter) -> RearrangedPair:
    """Words that oppose each other in one sentence: *The trainer met the trainee* and the passive."""
    chance = writer.chance
    if chance.random() < 0.3:
        noun = writer.noun()
        parts = [writer.words(f"the {word} {noun}") for word in chance.choice(writer.vocabulary.antonyms)]
    else:
        words = chance.choice(writer.vocabulary.opposed)
        article = "the " if words[0].islower() else ""
        parts = [writer.words(article + word) for word in words]
    chance.shuffle(parts)
    others = [_synonymous(part, writer) for part in parts]
    if chance.random() < 0.6:
        past, participle, mark = writer.verb()
        passive = joined("was", [Marked(participle, mark)], "by")
        return linked_pair(
            joined(parts[0], [Marked(past, mark)], parts[1], FULL_STOP),
            joined(others[1], passive, others[0], FULL_STOP),
        )
    joint = [Marked("and", writer.mark())]
    verb = joined(writer.words(chance.choice(writer.vocabulary.intransitive)), FULL_STOP)
    return linked_pair(joined(parts[0], joint, parts[1], verb), joined(others[1], joint, others[0], verb))


def _synonymous(part: Part, writer: PairWriter) -> Part:
    """The noun phrase, sometimes with a noun that means the same."""
    synonyms = writer.vocabulary.synonyms.get(part[-1].word)
    if synonyms is None or writer.chance.random() < 0.4:
        return part
    return [*part[:-1], Marked(writer.chance.choice(synonyms), part[-1].marks)]


def pronoun(writer: PairWriter) -> RearrangedPair:
    """A repeated noun phrase, or one that was mentioned before, as a pronoun."""
    chance = writer.chance
    is_name = chance.random() < 0.5
    part = [Marked(writer.name(), writer.mark())] if is_name else writer.phrase(writer.noun())
    she, her = chance.choice((("she", "her"), ("he", "his"), ("it", "its"), ("they", "their")))
    if is_name and she == "it":
        she, her = "he", "his"
    again = [Marked(item.word, writer.mark()) for item in part]
    short = [Marked(she, marks_of(again))]
    verbs = [writer.words(chance.choice(writer.vocabulary.intransitive)) for _ in range(2)]
    ending = writer.predicate()
    other = writer.phrase(writer.noun())
    kind = chance.choice(("when", "because", "said", "own", "alone", "alone", "both", "both"))
    if kind == "when":
        before = joined(writer.words("when"), part, verbs[0], writer.words(","))
        return linked_pair(
            joined(before, again, verbs[1], FULL_STOP), joined(before, short, verbs[1], FULL_STOP)
        )
    if kind == "because":
        before = joined(part, verbs[0], writer.words(chance.choice(("because", "and", "as", "after"))))
        return linked_pair(joined(before, again, ending, FULL_STOP), joined(before, short, ending, FULL_STOP))
    if kind == "said":
        before = joined(part, writer.words(chance.choice(("said", "thought", "knew"))))
        before = joined(before, writer.words("that")) if chance.random() < 0.5 else before
        return linked_pair(joined(before, again, ending, FULL_STOP), joined(before, short, ending, FULL_STOP))
    if kind == "own":
        sign, thing = [Marked("'s", writer.mark())], writer.words(writer.noun())
        shorter = [Marked(her, marks_of([*again, *sign]))]
        before = joined(part, writer.words("said"))
        ending = joined(thing, verbs[1], FULL_STOP)
        return linked_pair(joined(before, again, sign, ending), joined(before, shorter, ending))
    if kind == "alone":
        return linked_pair(joined(again, ending, FULL_STOP), joined(short, ending, FULL_STOP))
    past, _, mark = writer.verb()
    it = [Marked(chance.choice(("it", "him", "her", "them")), marks_of(other))]
    verb = [Marked(past, mark)]
    return linked_pair(joined(again, verb, other, FULL_STOP), joined(short, verb, it, FULL_STOP))


def speech(writer: PairWriter) -> RearrangedPair:
    """Direct and indirect speech: *"I lost," Anna said* ↔ *Anna said that she lost*."""
    chance = writer.chance
    speaker = writer.phrase()
    i, my, she, her = chance.choice(
        (
            *(("I", "my", "he", "his"), ("I", "my", "she", "her"), ("we", "our", "they", "their")),
            *(("we", "our", "he", "his"), ("you", "your", "we", "our"), ("you", "your", "they", "their")),
        )
    )
    verb = writer.words(chance.choice(("said", "said", "said", "told", "admitted", "explained", "thought")))
    hearer = [Marked(chance.choice(("us", "them", "me")), writer.mark())] if verb[0].word == "told" else []
    said = writer.predicate()
    subject = writer.mark()
    if chance.random() < 0.25:  # about something of the speaker's
        noun = writer.words(writer.noun())
        direct, indirect = (joined([Marked(word, subject)], noun, said) for word in (my, her))
    else:
        direct, indirect = (joined([Marked(word, subject)], said) for word in (i, she))
    own = {"his", "her", "their"}
    direct = [Marked(my if item.word in own else item.word, item.marks) for item in direct]
    indirect = [Marked(her if item.word in own else item.word, item.marks) for item in indirect]
    first = [Marked(direct[0].word[:1].upper() + direct[0].word[1:], direct[0].marks), *direct[1:]]
    quote = [Marked('"')]
    told = joined(speaker, verb, hearer)
    if chance.random() < 0.25:
        quoted = joined(told, ",", quote, first, FULL_STOP, quote)
    elif chance.random() < 0.3 and not hearer:
        quoted = joined(quote, first, ",", quote, verb, speaker, FULL_STOP)
    else:
        quoted = joined(quote, first, ",", quote, told, FULL_STOP)
    that = "that" if chance.random() < 0.7 else ""
    return linked_pair(quoted, joined(told, that, indirect, FULL_STOP))
