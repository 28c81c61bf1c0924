"""Makes pairs of sentences in which several words say what one says, with exact links.

Examples: *called the match off* ↔ *cancelled the match*, *took a walk* ↔ *walked*, *did not sign* ↔ *signed*,
*gonna* ↔ *going to*, *#StarWars* ↔ *Star Wars*.
"""

from __future__ import annotations

from forest_align.em.contextual._marked import (
    FULL_STOP,
    Marked,
    Marks,
    PairWriter,
    Part,
    joined,
    linked_pair,
    marks_of,
)
from forest_align.em.contextual.rearranging import RearrangedPair

_LIGHT = ("took", "gave", "made", "had", "did")
_SPOKEN = ((("gon", "na"), ("going", "to")), (("wan", "na"), ("want", "to")), (("got", "ta"), ("got", "to")))
_AUXILIARIES = (
    ("did not", "base"),
    ("did n't", "base"),
    ("had", "participle"),
    ("has", "participle"),
    ("did", "base"),
)


def particle(writer: PairWriter) -> RearrangedPair:
    """A verb with a particle, which may stand behind its object, and the verb that means the same."""
    chance = writer.chance
    (past, adverb), single = chance.choice(writer.vocabulary.phrasal)
    subject, thing = writer.phrases(2)
    thing = [Marked(chance.choice(("it", "them", "him")), writer.mark())] if chance.random() < 0.15 else thing
    mark = writer.mark()
    verb, particle = [Marked(past, mark)], [Marked(adverb, mark)]
    apart = joined(subject, verb, thing, particle)
    whole = joined(subject, verb, particle, thing)
    one = whole if len(thing) > 1 and chance.random() < 0.2 else apart
    other = joined(subject, [Marked(single, mark)], thing)
    if chance.random() < 0.2 and len(thing) > 1:  # the same verb in another order
        marks = [[Marked(past, writer.mark())], [Marked(adverb, writer.mark())]]
        one, other = joined(subject, marks[0], thing, marks[1]), joined(subject, *marks, thing)
    ending = joined(_ending(writer), FULL_STOP)
    return linked_pair(joined(one, ending), joined(other, ending))


def same_particle(writer: PairWriter) -> RearrangedPair:
    """Two verbs with the same particle, before or behind the object: *took off* ↔ *lifted off*."""
    chance = writer.chance
    (past, adverb), _ = chance.choice(writer.vocabulary.phrasal)
    others = [other for (other, same), _ in writer.vocabulary.phrasal if same == adverb]
    subject, thing = writer.phrases(2)
    verbs, particle = writer.mark(), [Marked(adverb, writer.mark())]
    is_transitive = chance.random() < 0.7
    sides = []
    for word in (past, chance.choice(others)):
        verb = [Marked(word, verbs)]
        if not is_transitive:
            said = joined(verb, particle)
        elif len(thing) == 1 or chance.random() < 0.5:
            said = joined(verb, thing, particle)
        else:
            said = joined(verb, particle, thing)
        sides.append(joined(subject, said, FULL_STOP))
    return linked_pair(*sides)


def _ending(writer: PairWriter) -> Part:
    kind = writer.chance.random()
    if kind < 0.6:
        return []
    if kind < 0.8:
        return writer.words(writer.chance.choice(("yesterday", "again", "quickly", "late", "alone", "today")))
    return writer.words(
        f"{writer.chance.choice(('in', 'from', 'until', 'at', 'during'))} the {writer.noun()}"
    )


def light_verb(writer: PairWriter) -> RearrangedPair:
    """A noun with a verb that says little, and the verb of the noun: *gave it a kick* ↔ *kicked it*."""
    chance = writer.chance
    noun, past = chance.choice(writer.vocabulary.actions)
    subject, thing = writer.phrases(2)
    mark = writer.mark()
    light, action, single = ([Marked(word, mark)] for word in (chance.choice(_LIGHT), noun, past))
    article = chance.choice(("a", "a", "an", "the", "another")) if noun[:1] not in "aeiou" else "an"
    preposition = writer.words(chance.choice(("of", "in", "to", "at", "about", "with")))
    kind = chance.choice(("alone", "preposition", "receiver", "receiver"))
    ending = joined(_ending(writer), FULL_STOP)
    if kind == "receiver":
        thing = (
            [Marked(chance.choice(("him", "her", "them", "us")), writer.mark())]
            if chance.random() < 0.4
            else thing
        )
        return linked_pair(
            joined(subject, light, thing, article, action, ending), joined(subject, single, thing, ending)
        )
    after = joined(preposition, thing) if kind == "preposition" else []
    return linked_pair(
        joined(subject, light, article, action, after, ending), joined(subject, single, after, ending)
    )


def auxiliary(writer: PairWriter) -> RearrangedPair:
    """A verb by itself and with an auxiliary, which may have the form of the verb: *did* ↔ *did n't do*."""
    chance = writer.chance
    base, past, participle = chance.choice(writer.vocabulary.forms)
    if chance.random() < 0.5:
        base, past, participle = chance.choice((("do", "did", "done"), ("have", "had", "had")))
    words, form = chance.choice(_AUXILIARIES)
    subject, thing = writer.phrases(2)
    if chance.random() < 0.5:
        subject = [Marked(chance.choice(("he", "she", "they", "we")), writer.mark())]
    mark, stop = writer.mark(), FULL_STOP
    full = [Marked(base if form == "base" else participle, mark)]
    plain = [Marked("has" if past == "had" and words == "has" else past, mark)]
    if chance.random() < 0.25:
        what = writer.words("what")
        said = joined(writer.words("was"), thing)
        return linked_pair(
            joined(what, subject, plain, said, stop), joined(what, subject, words, full, said, stop)
        )
    return linked_pair(joined(subject, plain, thing, stop), joined(subject, words, full, thing, stop))


def spoken(writer: PairWriter) -> RearrangedPair:
    """*gonna*, *wanna*, *gotta*, which are two tokens each."""
    chance = writer.chance
    short, long = chance.choice(_SPOKEN)
    marks = [writer.mark(), writer.mark()]
    subject = [Marked(chance.choice(("I", "we", "they", "you")), writer.mark())]
    be = writer.mark()
    before: list[Part] = [[], []]
    if long[0] == "going":
        before = [[Marked("'m" if subject[0].word == "I" else "'re", be)], []]
        before[1] = [Marked("am" if subject[0].word == "I" else "are", be)]
    elif long[0] == "got":
        before[1] = [Marked("have")]
    base, _, _ = chance.choice(writer.vocabulary.forms)
    after = joined(writer.words(base), writer.phrase() if chance.random() < 0.7 else [], FULL_STOP)
    sides = [
        joined(subject, said, [Marked(word, mark) for word, mark in zip(words, marks, strict=True)], after)
        for said, words in zip(before, (short, long), strict=True)
    ]
    return linked_pair(*sides)


def hashtag(writer: PairWriter) -> RearrangedPair:
    """Words that are joined behind a hash sign; perhaps two such signs, exchanged."""
    chance = writer.chance
    names = [_title(writer) for _ in range(2)]
    tags = [[Marked(_tag(part, chance.random() < 0.75), marks_of(part))] for part in names]
    subject, verb = writer.phrase(), writer.words(writer.often(writer.vocabulary.verbs)[0])
    joint, stop = [Marked("and", writer.mark())], FULL_STOP
    if chance.random() < 0.5:
        return linked_pair(
            joined(subject, verb, tags[0], joint, tags[1], stop),
            joined(subject, verb, names[1], joint, names[0], stop),
        )
    if chance.random() < 0.5:
        return linked_pair(joined(tags[0], verb, subject, stop), joined(names[0], verb, subject, stop))
    return linked_pair(joined(subject, verb, tags[0], stop), joined(subject, verb, names[0], stop))


def _title(writer: PairWriter) -> Part:
    chance = writer.chance
    words = [
        chance.choice(
            (
                writer.name(),
                writer.noun().capitalize(),
                writer.often(writer.vocabulary.adjectives).capitalize(),
            )
        )
        for _ in range(chance.choice((2, 2, 3)))
    ]
    words = ["The", *words[1:]] if len(words) == 3 and chance.random() < 0.4 else words
    return [Marked(word, writer.mark()) for word in words]


def _tag(part: Part, is_capitalised: bool) -> str:
    text = "".join(item.word for item in part)
    return "#" + (text if is_capitalised else text.lower())


def acronym(writer: PairWriter) -> RearrangedPair:
    """A word in capitals that is another word in small letters: *IT* is not *it*, *AIDS* not *aids*."""
    chance = writer.chance
    noun, word = (
        writer.noun(),
        chance.choice(("it", "us", "who", "aids", "all", "are", "am", "may", "will", "can")),
    )
    first: Marks = writer.mark()
    subject = [Marked(word.upper(), first), Marked(noun, writer.mark())]
    verb = writer.words(writer.often(writer.vocabulary.verbs)[0])
    stop = FULL_STOP
    again = [Marked(word, writer.mark())]
    if chance.random() < 0.5:
        other = [*subject[:1], Marked(noun, subject[1].marks)]
        ending = writer.phrase()
        return linked_pair(
            joined(subject, verb, again, ending, stop), joined(again, ending, verb, other, stop)
        )
    return linked_pair(joined(subject, verb, stop), joined(again, verb, subject[1:], stop))
