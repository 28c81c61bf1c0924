"""Quantities in sentences, and the words of two sentences that give equal or different ones."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, pairwise

import pytest

from forest_align.lexicon.quantities import (
    Quantity,
    QuantityComparison,
    QuantityRelation,
    compare,
    compare_values,
    quantity_relations,
    read_quantities,
)

SAME, SAME_UNIT = int(QuantityRelation.SAME), int(QuantityRelation.SAME_UNIT)
OTHER, OTHER_UNIT = int(QuantityRelation.OTHER), int(QuantityRelation.OTHER_UNIT)


PARTS = """
3 - and a half million $ % per cent of May may 2004 , in second quarter past to six o'clock at night the
morning twenty II I ½ 1/2 9/11 10-20 10ml m degrees °C minus hundred 's 1980 dozen 3/0 ' -5 1,00 .5 '98 Q2
1e5 ２ ² ५
"""


def only(text: str, tags: str = "") -> Quantity:
    """The one quantity of a text whose tokens are separated by blanks."""
    quantities = read_quantities(text.split(), tags.split())
    assert len(quantities) == 1, quantities
    return quantities[0]


def relation(source: str, target: str) -> int:
    """Relation of the words marked with an asterisk in two texts."""
    places, words = [], []
    for text in (source, target):
        tokens = text.split()
        places.append(next(k for k, token in enumerate(tokens) if token[-1] == "*"))
        words.append([token.removesuffix("*") for token in tokens])
    return int(quantity_relations(words[0], words[1])[places[0], places[1]])


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("7", "cardinal", "7", ""),
        ("4,321.5", "cardinal", "8643/2", ""),
        ("-12", "cardinal", "-12", ""),
        ("−12", "cardinal", "-12", ""),
        ("minus twelve", "cardinal", "-12", ""),
        ("forty-two", "cardinal", "42", ""),
        ("forty two", "cardinal", "42", ""),
        ("three hundred and six", "cardinal", "306", ""),
        ("two million three hundred thousand", "cardinal", "2300000", ""),
        ("two hundred and sixty thousand", "cardinal", "260000", ""),
        ("one million and two hundred", "cardinal", "1000200", ""),
        ("a hundred", "cardinal", "100", ""),
        ("two dozen", "cardinal", "24", ""),
        ("half a billion", "cardinal", "500000000", ""),
        ("2.5bn", "cardinal", "2500000000", ""),
        ("6½", "cardinal", "13/2", ""),
        ("6 1/2", "cardinal", "13/2", ""),
        ("six and a half", "cardinal", "13/2", ""),
        ("41st", "ordinal", "41", ""),
        ("forty-first", "ordinal", "41", ""),
        ("fifth-biggest", "ordinal", "5", ""),
        ("5th-biggest", "ordinal", "5", ""),
        ("ninth-", "ordinal", "9", ""),
        ("¾", "fraction", "3/4", ""),
        ("three-fifths", "fraction", "3/5", ""),
        ("two ninths", "fraction", "2/9", ""),
        ("two out of seven", "fraction", "2/7", ""),
        ("17 %", "percent", "17", "%"),
        ("17%", "percent", "17", "%"),
        ("17 per cent", "percent", "17", "%"),
        ("seventeen percent", "percent", "17", "%"),
        ("£ 6m", "money", "6000000", "£"),
        ("6 million pounds", "money", "6000000", "£"),
        ("€7.50", "money", "15/2", "€"),
        ("€7 million", "money", "7000000", "€"),
        ("-$7", "money", "-7", "$"),
        ("$ 7bn-plus", "money", "7000000000", "$"),
        ("forty euros", "money", "40", "€"),
        ("70 cents", "money", "7/10", "$"),
        ("12kg", "measure", "12", "kg"),
        ("12 kilos", "measure", "12", "kg"),
        ("twelve-kilo", "measure", "12", "kg"),
        ("15-minute", "measure", "15", "minute"),
        ("3-year-old", "measure", "3", "year"),
        ("half an hour", "measure", "1/2", "hour"),
        ("30 degrees Celsius", "measure", "30", "°C"),
        ("7pm", "time", "19", "clock"),
        ("7 p.m.", "time", "19", "clock"),
        ("seven o'clock in the evening", "time", "19", "clock"),
        ("11 at night", "time", "23", "clock"),
        ("7.45pm", "time", "79/4", "clock"),
        ("quarter to seven", "time", "27/4", "clock"),
        ("19:45", "time", "79/4", "clock"),
        ("noon", "time", "12", "clock"),
        ("a quarter to seven", "time", "27/4", "clock"),
        ("five minutes to seven", "time", "83/12", "clock"),
        ("twenty-five past seven", "time", "89/12", "clock"),
        ("seven forty", "time", "23/3", "clock"),
        ("seven oh five", "time", "85/12", "clock"),
        ("seven forty pm", "time", "59/3", "clock"),
        ("nineteen hundred hours", "time", "19", "clock"),
        ("19h45", "time", "79/4", "clock"),
        ("7.45:30", "time", "31/4", "clock"),
        ("7.45 pm", "time", "79/4", "clock"),
        ("61 000", "cardinal", "61000", ""),
        ("7 061 500 kg", "measure", "7061500", "kg"),
        ("$ 61 000", "money", "61000", "$"),
        ("7'061'500", "cardinal", "7061500", ""),
        ("7.061.500", "cardinal", "7061500", ""),
        ("$ 7MM", "money", "7000000", "$"),
        ("7k race", "measure", "7", "km"),
        ("2011 – 14", "range", "2011", ""),
        ("7 July 2011", "date", "20110707", "date"),
        ("July 7th , 2011", "date", "20110707", "date"),
        ("the seventh of July", "date", "707", "date"),
        ("2011-07-30", "date", "20110730", "date"),
        ("30/7/2011", "date", "20110730", "date"),
        ("Sept. 2011", "date", "20110900", "date"),
        ("7 july 2011", "date", "20110707", "date"),
        ("12 may", "date", "512", "date"),
        ("march 2011", "date", "20110300", "date"),
        ("july", "date", "700", "date"),
        ("eighteen sixty-two", "year", "1862", ""),
        ("eighteen sixty two", "year", "1862", ""),
        ("1066", "year", "1066", ""),
        ("ten sixty-six", "year", "1066", ""),
        ("twenty eleven", "year", "2011", ""),
        ("fourteen oh six", "year", "1406", ""),
        ("'66", "year", "66", ""),
        ("1960s", "decade", "1960", ""),
        ("1960 's", "decade", "1960", ""),
        ("mid-sixties", "decade", "60", ""),
        ("19th century", "century", "19", "century"),
        ("19th-century", "century", "19", "century"),
        ("the XIX century", "century", "19", "century"),
        ("Q3", "quarter", "3", "quarter"),
        ("third quarter", "quarter", "3", "quarter"),
        ("first-half", "half", "1", "half"),
    ],
)
def test_a_quantity_is_read(text: str, kind: str, value: str, unit: str) -> None:
    found = only(text)
    assert (found.kind, found.value, found.unit) == (kind, Fraction(value), unit)


def test_a_range_has_both_ends_and_a_unit() -> None:
    reading = only("15-25 %").readings[0]
    assert (reading.kind, reading.value, reading.high, reading.unit) == ("range", 15, 25, "%")
    assert only("2003-07").readings[0][:2] == ("range", 2003)
    assert only("2003-07").readings[0].high == 2007


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It is ten to seven .", Fraction(41, 6)),
        ("Come at ten to seven or later .", Fraction(41, 6)),
        ("We left at half seven .", Fraction(15, 2)),
        ("The alarm rang at oh seven hundred .", Fraction(7)),
        ("They met at 0700 .", Fraction(7)),
        ("They met at 1900 hours .", Fraction(19)),
    ],
)
def test_a_preposition_shows_that_numbers_are_a_time(text: str, value: Fraction) -> None:
    found = only(text)
    assert (found.kind, found.value) == ("time", value)


NO_TIMES = """five to ten men|It cost at five to ten dollars|from five to ten|a quarter to seven million
half seven|seven thirty million|an hour after ten|half of seven men|020 700 1234|Chapter 3 200|2014 – 11"""


@pytest.mark.parametrize("text", NO_TIMES.replace("\n", "|").split("|"))
def test_other_numbers_beside_each_other_stay_apart(text: str) -> None:
    quantities = read_quantities(text.split())
    assert not {"time", "range"}.intersection(quantity.kind for quantity in quantities)
    assert {quantity.value for quantity in quantities if quantity.value > 2014} <= {7_000_000, 30_000_000}


def test_the_first_of_two_numbers_takes_the_unit_of_the_second() -> None:
    first, second = read_quantities(["6", "to", "9", "kg"])
    assert (first.kind, first.value, first.unit) == ("measure", 6, "kg")
    assert (second.start, second.end) == (2, 4)


NO_QUANTITIES = """COVID-19|F-16|mix|civil|I|He said that I may march|he may go on a march|vim|am|a man|-
- - -|$|won|in|1/0|a||45/67/89|The MIX of a CD|'s"""


@pytest.mark.parametrize("text", [*NO_QUANTITIES.replace("\n", "|").split("|"), "9" * 5000])
def test_what_is_no_quantity_is_not_read(text: str) -> None:
    assert [quantity for quantity in read_quantities(text.split(" ")) if quantity.certain] == []


@pytest.mark.parametrize(
    ("text", "tags", "value"),
    [
        ("Louis XIV", "", 14),
        ("Chapter V", "", 5),
        ("World War I", "", 1),
        ("Act I", "", 1),
        ("Gloria II", "", 2),
        ("Otto I", "NNP CD", 1),
    ],
)
def test_roman_numerals_behind_names_are_numbers(text: str, tags: str, value: int) -> None:
    assert {(reading.kind, reading.value) for reading in only(text, tags).readings} == {
        ("ordinal", value),
        ("cardinal", value),
    }


def test_roman_numerals_elsewhere_are_words() -> None:
    for text in ("Yesterday I left", "vitamin C", "a CD", "the vi"):
        assert read_quantities(text.split()) == ()
    assert read_quantities(["Henry", "I", "know"], ["NNP", "PRP", "VBP"]) == ()


EQUAL = [
    ("6 pm", "six o'clock in the evening"),
    ("12ml", "12 ml"),
    ("1.2 km", "1200 metres"),
    ("48 hours", "two days"),
    ("one in four", "25 %"),
    ("a fifth", "20 percent"),
    ("two-fifths", "40%"),
    ("1960s", "sixties"),
    ("'66", "1966"),
    ("June 9 , 1969", "9/6/1969"),
    ("June 9 , 1969", "6/9/1969"),
    ("6/9/69", "June 9 , 1969"),
    ("Q4", "fourth quarter"),
    ("XIV", "the Fourteenth"),
    ("chapter IX", "nine"),
    ("$ 7bn", "seven billion dollars"),
    ("$7bn", "7,000,000,000 dollars"),
    ("7-foot", "7"),
    ("3 years", "36 months"),
    ("4m", "4 metres"),
    ("4m", "four million"),
    ("15-25", "25"),
    ("half", "0.5"),
    ("61 000", "61,000"),
    ("7 200", "7,200"),
    ("1 000 000", "one million"),
    ("a quarter to seven", "6:45"),
    ("a quarter to seven", "18:45"),
    ("twelve fifteen", "12:15"),
    ("twelve fifteen", "1215"),
    ("half past eight", "8.30"),
    ("2011 – 12", "2011/12"),
    ("vol. 5", "the fifth"),
    ("floor twelve", "12th"),
    ("8k", "8 kilometres"),
    ("8k", "8,000"),
]
OTHERS = [
    ("6 pm", "six o'clock in the morning"),
    ("12ml", "15 ml"),
    ("1.2 km", "1900 metres"),
    ("one in four", "30 %"),
    ("1960s", "seventies"),
    ("'66", "1967"),
    ("June 9 , 1969", "9/7/1969"),
    ("June 9", "July 9"),
    ("Q4", "third quarter"),
    ("XIV", "the Fifteenth"),
    ("$ 7bn", "seven million dollars"),
    ("7-foot", "8"),
    ("fourth-largest", "fifth-largest"),
    ("15-25", "30"),
    ("20 miles", "5h"),
    ("61 000", "62,000"),
    ("vol. 5", "the sixth"),
    ("a quarter to seven", "a quarter past seven"),
    ("nineteen sixty", "1961"),
]
OTHER_UNITS = [("5 mg", "5 g"), ("5 kg", "5 litres"), ("$5", "€5"), ("5 %", "$5")]
CLOSE = [
    ("about 3,000", "2,986"),
    ("5 miles", "8 km"),
    ("1964", "1960s"),
    ("15-25", "20"),
    ("15-25", "20-30"),
]
UNKNOWN = [
    ("two", "2nd"),
    ("10 dollars", "7 euros"),
    ("a second", "fourth"),
    ("1966", "June 9"),
]


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [(*pair, QuantityComparison.EQUAL) for pair in EQUAL]
    + [(*pair, QuantityComparison.OTHER) for pair in OTHERS]
    + [(*pair, QuantityComparison.OTHER_UNIT) for pair in OTHER_UNITS]
    + [(*pair, QuantityComparison.CLOSE) for pair in CLOSE]
    + [(*pair, QuantityComparison.UNKNOWN) for pair in UNKNOWN],
)
def test_two_quantities_are_compared_in_either_order(
    one: str, two: str, expected: QuantityComparison
) -> None:
    for first, second in ((one, two), (two, one)):
        (left,) = read_quantities(first.split())
        (right,) = read_quantities(second.split())
        assert compare(left, right) is expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("15ml* of A", "15* ml of A", SAME),
        ("15ml* of A", "15 ml* of A", SAME_UNIT),
        ("15ml* of A", "25* ml of A", OTHER),
        ("15ml* of A", "25 ml* of A", OTHER_UNIT),
        ("at 7pm*", "at 7 p.m.*", SAME_UNIT),
        ("at 7pm*", "at 11 a.m.*", OTHER_UNIT),
        ("$* 8", "$* 8", SAME_UNIT),
        ("$* 8", "$* 9", OTHER_UNIT),
        ("$ 8m*", "8* million dollars", SAME),
        ("$ 8m*", "8 million* dollars", SAME),
        ("$* 8m", "8 million dollars*", SAME_UNIT),
        ("8* million", "8 million*", 0),
        ("6 million* men", "7 million* men", OTHER_UNIT),
        ("twenty* six men", "twenty six* men", 0),
        ("three* fifths", "60* %", SAME),
        ("three fifths*", "60 %*", SAME_UNIT),
        ("One in* ten", "10* %", 0),
        ("One in ten*", "10* %", SAME),
        ("One in ten*", "10 %*", 0),
        ("March* 6 , 1987", "1987-03-06*", SAME),
        ("March 6 , 1987*", "1987-03-06*", SAME),
        ("March 6* , 1987", "1987-03-07*", OTHER),
        ("March* 6 , 1987", "March* 7 , 1987", OTHER_UNIT),
        ("March 6 , 1987*", "March 7 , 1987*", OTHER_UNIT),
        ("March* 6", "April* 6", OTHER),
        ("the third-oldest* man", "the fourth-oldest* man", OTHER),
        ("61* 000 men", "61,000* men", SAME),
        ("61 000* men", "61,000* men", SAME),
        ("61 000* men", "61 thousand* men", SAME),
        ("61* 000 men", "61 000* men", 0),
        ("ten to* seven", "6:50*", 0),
        ("at ten to* seven", "at 6:50*", SAME),
        ("at a quarter* to seven", "at 6:45*", SAME),
        ("2011 – 12*", "2011/12*", SAME),
        ("2011* – 12", "in 2011* or 2012", SAME),
        ("2011* – 12", "in 2011 or 2012*", 0),
        ("5* mg", "5* g", 0),
        ("5 mg*", "5 g*", OTHER_UNIT),
    ],
)
def test_words_of_quantities_are_related(source: str, target: str, expected: int) -> None:
    assert relation(source, target) == expected
    assert relation(target, source) == expected


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Give [ 650 ] mg", "Give [ 560 ] mg", QuantityComparison.OTHER),
        ("Give 5 [ mg ]", "Give 5 [ g ]", QuantityComparison.OTHER_UNIT),
        ("$ 3 [ million ]", "$ 3 [ billion ]", QuantityComparison.OTHER),
        ("[ Two ] dogs", "[ 2 ] dogs", QuantityComparison.EQUAL),
        ("came in [ second ]", "came in [ third ]", QuantityComparison.OTHER),
        ("[ One ] left", "[ Two ] left", QuantityComparison.OTHER),
        ("he [ may ] go", "he [ must ] go", QuantityComparison.UNKNOWN),
        ("[ 3 or 5 ] men", "[ 5 or 3 ] men", QuantityComparison.EQUAL),
        ("[ 3 or 5 ] men", "[ 3 or 6 ] men", QuantityComparison.OTHER),
        ("[ 5 to 10 ] km", "[ 5-10 ] km", QuantityComparison.EQUAL),
        ("[ 5 to 11 ] km", "[ 5-10 ] km", QuantityComparison.UNKNOWN),
        ("[ 3 men ]", "[ 3 men of 5 ]", QuantityComparison.UNKNOWN),
        ("[ Half the men ] left", "[ A third of the men ] left", QuantityComparison.UNKNOWN),
        ("[ Half ] the men left", "[ A third ] of the men left", QuantityComparison.OTHER),
    ],
)
def test_the_quantities_of_two_spans_are_compared(
    source: str, target: str, expected: QuantityComparison
) -> None:
    words, spans = [], []
    for text in (source, target):
        tokens = text.split()
        start, end = tokens.index("["), tokens.index("]")
        spans.append((start, end - 1))
        words.append([token for token in tokens if token not in "[]"])
    assert compare_values(*words, *spans) is expected
    assert compare_values(*words[::-1], *spans[::-1]) is expected


def test_swapped_sentences_give_the_transpose() -> None:
    texts = (
        "The 1960s and 1970s saw 3 million people leave on 4/5/1977 .",
        "In the sixties , 3m left by May 4 , 1977 and 20 % came at 8am .",
        "A fifth of them returned at 8 in the morning , paying $ 5 to 10 each .",
    )
    for one, two in combinations(texts, 2):
        there, back = (quantity_relations(a.split(), b.split()) for a, b in ((one, two), (two, one)))
        assert there.any()
        assert (there == back.T).all()


def test_tags_tell_months_from_verbs() -> None:
    assert only("May was cold", "NNP VBD JJ").certain
    assert read_quantities(["May", "I", "go"], ["MD", "PRP", "VB"]) == ()


def test_any_sequence_of_words_that_play_parts_is_read() -> None:
    words = PARTS.split()
    chooser = random.Random(7)
    for _ in range(3000):
        sentence = chooser.choices(words, k=chooser.randrange(1, 9))
        quantities = read_quantities(sentence)
        assert all(len(one.parts) == len(one.values) == one.end - one.start > 0 for one in quantities), (
            sentence
        )
        assert all(one.end <= two.start for one, two in pairwise(quantities)), sentence
        assert all(one.readings and any(one.parts) for one in quantities), sentence
        assert quantities == () or quantities[-1].end <= len(sentence)
