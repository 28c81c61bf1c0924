"""Makes pairs of sentences in which two amounts are exchanged or written in another way, with exact links.

Examples: *10ml of A and 20ml of B* ↔ *20 ml of B and 10 ml of A*, *$3m* ↔ *three million dollars*, *Henry
VIII* ↔ *Henry the Eighth*, *a quarter* ↔ *25 per cent*. In a notation, the letters behind a stroke mark what
a word gives (number, unit …). Words of two notations are linked if they share a letter.
"""

from __future__ import annotations

from collections.abc import Callable

from forest_align.em.contextual._writing import (
    FULL_STOP,
    Marked,
    Marks,
    PairWriter,
    Part,
    joined,
    linked_pair,
)
from forest_align.em.contextual.rearranging import RearrangedPair
from forest_align.lexicon.number_tables import CARDINAL_WORDS, ORDINAL_WORDS, TENS_WORDS

_TENS = ("", "", *TENS_WORDS)
_UNITS = (
    ("ml", "millilitres"),
    ("km", "kilometres"),
    ("kg", "kilograms"),
    ("mm", "millimetres"),
    ("m", "metres"),
    ("GB", "GB"),
    ("GHz", "GHz"),
    ("mi", "miles"),
    ("h", "hours"),
    ("min", "minutes"),
    ("cm", "centimetres"),
)
_PERIODS = ("day", "week", "month", "year", "hour", "storey", "door", "page", "point")
_CURRENCIES = (("$", "dollars"), ("£", "pounds"), ("€", "euros"))
_SHARES = ((50, "half/nu"), (25, "a quarter/nu"), (75, "three/n quarters/nu"), (20, "one/n fifth/nu"))
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
_NUMBERED = ("chapter", "part", "phase", "type", "volume", "class", "stage", "section")


def in_words(number: int) -> str:
    """A number below 100 in words."""
    if number < 20:
        return CARDINAL_WORDS[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{CARDINAL_WORDS[ones]}" if ones else "")


def _in_roman(number: int) -> str:
    """A number below 40 in Roman numerals."""
    tens, ones = divmod(number, 10)
    return "X" * tens + ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[ones]


def ordinal(number: int) -> str:
    """An ordinal number in digits."""
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


_Notations = list[str]


def _measure(writer: PairWriter, number: int) -> _Notations:
    short, long = writer.chance.choice(_UNITS)
    return [
        f"{number}{short}/nu",
        f"{number}/n {short}/u",
        f"{number}/n {long}/u",
        f"{in_words(number)}/n {long}/u",
    ]


def _money(writer: PairWriter, number: int) -> _Notations:
    sign, name = writer.chance.choice(_CURRENCIES)
    if writer.chance.random() < 0.5:
        return [f"{sign}/u {number}/n", f"{number}/n {name}/u", f"{in_words(number)}/n {name}/u"]
    return [
        *(f"{sign}/u {number}m/ns", f"{sign}/u {number}/n million/s", f"{number}/n million/s {name}/u"),
        f"{in_words(number)}/n million/s {name}/u",
    ]


def _scaled(writer: PairWriter, number: int) -> _Notations:
    letter, scale = writer.chance.choice((("m", "million"), ("bn", "billion"), ("k", "thousand")))
    return [f"{number}{letter}/ns", f"{number}/n {scale}/s", f"{in_words(number)}/n {scale}/s"]


def _hour(writer: PairWriter, number: int) -> _Notations:
    half = writer.chance.choice("ap")
    hour = number % 12 + 1
    return [f"{hour}{half}m/nu", f"{hour}/n {half}.m./u", f"{hour}/n {half}m/u"]


def _decade(writer: PairWriter, number: int) -> _Notations:
    tens = number % 8 + 2
    return [f"the/t 19{tens}0s/n", f"the/t {_TENS[tens].removesuffix('y')}ies/n"]


def _rank(writer: PairWriter, number: int) -> _Notations:
    number = number % 20 + 1
    noun = writer.noun()
    return [f"the/t {ordinal(number)}/n {noun}/u", f"the/t {ORDINAL_WORDS[number]}/n {noun}/u"]


def _numbered(writer: PairWriter, number: int) -> _Notations:
    number, noun = number % 19 + 1, writer.chance.choice(_NUMBERED)
    shown = _in_roman(number), str(number), in_words(number)
    return [*(f"{noun}/u {form}/n" for form in shown), f"the {ORDINAL_WORDS[number]}/n {noun}/u"]


def _king(writer: PairWriter, number: int) -> _Notations:
    number, name = number % 19 + 1, writer.name()
    return [f"{name}/u {_in_roman(number)}/n", f"{name}/u the {ORDINAL_WORDS[number].capitalize()}/n"]


def _share(writer: PairWriter, number: int) -> _Notations:
    number, fraction = _SHARES[number % len(_SHARES)]
    noun = writer.chance.choice(writer.vocabulary.plurals)
    per_cent = writer.chance.choice(("percent", "per-cent"))
    shown = fraction, f"{number}/n %/u", f"{number}/n {per_cent}/u"
    return [f"{form} of/o the/t {noun}/p" for form in shown]


def _day(writer: PairWriter, number: int) -> _Notations:
    day, month, year = number % 28 + 1, number % 12, 1950 + number
    name = _MONTHS[month]
    return [
        f"{year}-{month + 1:02}-{day:02}/dmy",
        f"{name}/m {day}/d , {year}/y",
        f"{day}/d {name}/m {year}/y",
        f"{day:02}/{month + 1:02}/{year}/dmy",
        f"{name}/m {ordinal(day)}/d , {year}/y",
    ]


def _quarter(writer: PairWriter, number: int) -> _Notations:
    number = number % 4 + 1
    word, noun = ORDINAL_WORDS[number], writer.chance.choice(writer.vocabulary.plurals)
    return [f"Q{number}/nu {noun}/p", f"{word}-quarter/nu {noun}/p", f"the {word}/n quarter/u {noun}/p"]


def _compound(writer: PairWriter, number: int) -> _Notations:
    period, noun = writer.chance.choice(_PERIODS), writer.noun()
    number = number % 30 + 2
    return [
        f"the/t {number}-{period}/nu {noun}/p",
        f"the/t {in_words(number)}-{period}/nu {noun}/p",
        f"the/t {noun}/p of {number}/n {period}s/u",
        f"the/t {noun}/p with {in_words(number)}/n {period}s/u",
    ]


# Kinds of amounts, each as often as the number says.
_AMOUNTS: dict[Callable[[PairWriter, int], _Notations], int] = {
    _measure: 4,
    _money: 4,
    _scaled: 2,
    _hour: 4,
    _decade: 2,
    _rank: 2,
    _numbered: 3,
    _king: 2,
    _share: 2,
    _day: 3,
    _quarter: 1,
    _compound: 3,
}


def amounts(writer: PairWriter) -> RearrangedPair:
    """Two amounts of a kind in two sentences, exchanged or not, in the same notation or another."""
    chance = writer.chance
    (kind,) = chance.choices(list(_AMOUNTS), list(_AMOUNTS.values()))
    state = chance.getstate()
    first = second = kind(writer, 1)
    while first == second:
        numbers = chance.sample(range(1, 60), 2)
        first, second = (_with(state, kind, writer, number) for number in numbers)
    marks: list[dict[str, Marks]] = [{}, {}]
    forms = [chance.randrange(len(first)) for _ in (0, 1)]
    sides = [
        [
            _written(of_form[min(form, len(of_form) - 1)], marks[k], writer)
            for k, of_form in enumerate((first, second))
        ]
        for form in forms
    ]
    if kind is _king and chance.random() < 0.3:  # the number is left out
        sides[1] = [part[:1] for part in sides[1]]
    is_turned = chance.random() < 0.75
    return _framed(writer, sides[0], sides[1], is_turned, is_single=chance.random() < 0.15)


def _with(
    state: tuple[object, ...], kind: Callable[[PairWriter, int], _Notations], writer: PairWriter, number: int
) -> _Notations:
    """The notations of a number, with choices as from this state, so that two numbers have the same unit."""
    later = writer.chance.getstate()
    writer.chance.setstate(state)
    notations = kind(writer, number)
    writer.chance.setstate(later)
    return notations


def _written(notation: str, marks: dict[str, Marks], writer: PairWriter) -> Part:
    part = []
    for item in notation.split():
        word, _, letters = item.rpartition("/") if "/" in item[1:] else (item, "", "")
        for letter in letters:
            marks.setdefault(letter, writer.mark())
        part.append(Marked(word, frozenset().union(*(marks[letter] for letter in letters))))
    return part


def _framed(
    writer: PairWriter, one: list[Part], other: list[Part], is_turned: bool, *, is_single: bool
) -> RearrangedPair:
    """The two amounts in two sentences."""
    chance = writer.chance
    subject, verb = writer.phrase(), writer.words(writer.often(writer.vocabulary.verbs)[0])
    stop, joint = FULL_STOP, writer.words("and")
    prepositions = [writer.words(chance.choice(("at", "in", "on", "for", "with", "of"))) for _ in (0, 1)]
    nouns = [writer.words(writer.noun()) for _ in (0, 1)]
    if is_single:
        return linked_pair(*(joined(subject, verb, prepositions[0], side[0], stop) for side in (one, other)))
    kind = chance.choice(("alone", "subject", "with nouns", "object", "two verbs"))
    verbs = [verb, writer.words(writer.often(writer.vocabulary.verbs)[0])]
    again = [prepositions[0], writer.words(prepositions[0][0].word)]
    sides = []
    for side, order in ((one, (0, 1)), (other, (1, 0) if is_turned else (0, 1))):
        if kind == "with nouns":
            said = [joined(side[k], prepositions[k], nouns[k]) for k in order]
        elif kind == "two verbs":
            said = [joined(verbs[k], again[k], side[k]) for k in order]
        else:
            said = [side[k] for k in order]
        both = joined(said[0], joint, said[1])
        if kind == "subject":
            sides.append(joined(both, verb, stop))
        elif kind == "alone":
            sides.append(joined(prepositions[0], both))
        else:
            sides.append(joined(subject, *([] if kind == "two verbs" else [verb]), both, stop))
    return linked_pair(*sides)
