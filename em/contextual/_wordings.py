"""Makes pairs of sentences that say the same in other words, with exact links."""

from __future__ import annotations

from forest_align.em.contextual._writing import (
    FULL_STOP,
    Marked,
    Marks,
    PairWriter,
    Part,
    joined,
    linked_pair,
    marks_of,
    sentence_pair,
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
    thing = writer.words(chance.choice(("it", "them", "him"))) if chance.random() < 0.15 else thing
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
        thing = writer.words(chance.choice(("him", "her", "them", "us"))) if chance.random() < 0.4 else thing
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
        subject = writer.words(chance.choice(("he", "she", "they", "we")))
    mark = writer.mark()
    full = [Marked(base if form == "base" else participle, mark)]
    plain = [Marked("has" if past == "had" and words == "has" else past, mark)]
    if chance.random() < 0.25:
        what = writer.words("what")
        said = joined(writer.words("was"), thing)
        return sentence_pair((what, subject, plain, said), (what, subject, words, full, said))
    return sentence_pair((subject, plain, thing), (subject, words, full, thing))


def spoken(writer: PairWriter) -> RearrangedPair:
    """*gonna*, *wanna*, *gotta*, which are two tokens each."""
    chance = writer.chance
    short, long = chance.choice(_SPOKEN)
    marks = [writer.mark(), writer.mark()]
    subject = writer.words(chance.choice(("I", "we", "they", "you")))
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
    joint = writer.words("and")
    if chance.random() < 0.5:
        return sentence_pair(
            (subject, verb, tags[0], joint, tags[1]), (subject, verb, names[1], joint, names[0])
        )
    if chance.random() < 0.5:
        return sentence_pair((tags[0], verb, subject), (names[0], verb, subject))
    return sentence_pair((subject, verb, tags[0]), (subject, verb, names[0]))


def _title(writer: PairWriter) -> Part:
    chance = writer.chance
    words = []
    for _ in range(chance.choice((2, 2, 3))):
        adjective = writer.vocabulary.adjectives
        drawn = writer.name(), writer.noun().capitalize(), writer.often(adjective).capitalize()
        words.append(chance.choice(drawn))
    words = ["The", *words[1:]] if len(words) == 3 and chance.random() < 0.4 else words
    return [Marked(word, writer.mark()) for word in words]


def _tag(part: Part, is_capitalised: bool) -> str:
    text = "".join(item.word for item in part)
    return "#" + (text if is_capitalised else text.lower())


def acronym(writer: PairWriter) -> RearrangedPair:
    """A word in capitals that is another word in small letters: *IT* is not *it*, *AIDS* not *aids*."""
    chance = writer.chance
    noun = writer.noun()
    word = chance.choice(("it", "us", "who", "aids", "all", "are", "am", "may", "will", "can"))
    first: Marks = writer.mark()
    subject = [Marked(word.upper(), first), Marked(noun, writer.mark())]
    verb = writer.words(writer.often(writer.vocabulary.verbs)[0])
    again = [Marked(word, writer.mark())]
    if chance.random() < 0.5:
        other = [*subject[:1], Marked(noun, subject[1].marks)]
        ending = writer.phrase()
        return sentence_pair((subject, verb, again, ending), (again, ending, verb, other))
    return sentence_pair((subject, verb), (again, verb, subject[1:]))


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
        return sentence_pair((parts[0], [Marked(past, mark)], parts[1]), (others[1], passive, others[0]))
    joint = writer.words("and")
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
    part = writer.words(writer.name()) if is_name else writer.phrase(writer.noun())
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
        return sentence_pair((before, again, verbs[1]), (before, short, verbs[1]))
    if kind == "because":
        before = joined(part, verbs[0], writer.words(chance.choice(("because", "and", "as", "after"))))
        return sentence_pair((before, again, ending), (before, short, ending))
    if kind == "said":
        before = joined(part, writer.words(chance.choice(("said", "thought", "knew"))))
        before = joined(before, writer.words("that")) if chance.random() < 0.5 else before
        return sentence_pair((before, again, ending), (before, short, ending))
    if kind == "own":
        sign, thing = [Marked("'s", writer.mark())], writer.words(writer.noun())
        shorter = [Marked(her, marks_of([*again, *sign]))]
        before = joined(part, writer.words("said"))
        ending = joined(thing, verbs[1], FULL_STOP)
        return linked_pair(joined(before, again, sign, ending), joined(before, shorter, ending))
    if kind == "alone":
        return sentence_pair((again, ending), (short, ending))
    past, _, mark = writer.verb()
    it = [Marked(chance.choice(("it", "him", "her", "them")), marks_of(other))]
    verb = [Marked(past, mark)]
    return sentence_pair((again, verb, other), (short, verb, it))


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
    hearer = writer.words(chance.choice(("us", "them", "me"))) if verb[0].word == "told" else []
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
