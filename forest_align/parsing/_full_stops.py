"""Finds the full stops inside a text that end a sentence, and are therefore words of their own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# Characters before and behind a full stop that are looked at. Longer words are cut, longer blanks are not
# looked through: finding the stops of a text takes time in proportion to its length.
_WINDOW = 60
_STOP = re.compile(r"(?<!\.)\.(?!\.)")
# The word before a stop: letters, digits, and the marks inside of words.
_WORD = re.compile(r"[\w.'’-]*[\w'’]\Z")
# Closing quotes and brackets, and marks of emphasis, between a stop and the blank that must follow it.
_CLOSING = "\"'`”’»›)]}*_"
_QUOTED = re.compile(r"[\"”»]|''")
# What ends a sentence without a blank behind the stop: references in brackets, tags of markup, opening
# quotes, dashes, bullets, signs.
_ADJACENT = re.compile(r"[\[<(“«‹„\u2012-\u2015\u2022•$#£€¥₹]|--|-\s|''|[\"”]")
# Whatever may stand between a full stop and the next sentence.
_BETWEEN = re.compile(r"[\s\"'`“”‘’«»‹›„()\[\]{}*_¿¡]*")
# Marks before which no sentence ends; a colon may also begin an emoticon.
_SAME_SENTENCE = re.compile(r",|[;:](?=\s|$)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ENDING = re.compile(r"['’](?:s|m|d|re|ve|ll|t)?$", re.IGNORECASE)

# Words whose full stop belongs to them even before a capital letter.
_ABBREVIATIONS = frozenset(
    """mr mrs ms messrs dr drs prof mme mlle msgr st mt ft inc corp co cos ltd pty bros jr sr gen sen sens rep
    reps gov govs lt col sgt capt cmdr adm brig maj cpl pvt pfc amb rev hon pres supt atty jan feb mar apr
    jun jul aug sep sept oct nov dec mon tue tues thu thur thurs fri vs etc nos fig figs eq eqs ref refs
    al cf viz vol ed eds pp ca approx dept univ assn assoc ave blvd rd hwy bldg mfg intl natl govt ala
    ariz ark calif colo conn fla mich minn mont neb nev okla tenn tex wis wyo""".split()  # noqa: SIM905
)
# Those of them that stand before a name or a number, and so never end a sentence.
_TITLES = frozenset(
    """mr mrs ms messrs dr drs prof mme mlle msgr st mt ft gen sen sens rep reps gov govs lt col sgt capt cmdr
    adm brig maj cpl pvt pfc amb rev hon pres supt atty vs nos fig figs eq eqs vol""".split()  # noqa: SIM905
)
# The same for words that would be different words in lower case.
_CAPITALISED_ABBREVIATIONS = frozenset("Del Ill Ind Kan Mass Miss Ore Sat Sun Wash Wed".split())  # noqa: SIM905
# Words whose full stop belongs to them before a number; elsewhere some of them are ordinary words.
_BEFORE_NUMBERS = frozenset(
    """no art arts div sec secs sect ch chap chaps chr para app ex exs tab vols""".split()  # noqa: SIM905
)
# Words whose full stop belongs to them before a small letter; before a capital letter it ends the sentence.
_BEFORE_SMALL_LETTERS = frozenset(
    """abbr adj admin adv anon avg bibl cert chap chr circ comp comps conc cont contd def diag dict disc dist
    distrib div doz ea equiv esp est exc excl ext fem freq geog geol hist ibid illus incl indef intl
    irreg loc masc max mech misc mol myth narr neg neut obj occas opp orig oz perf pers phon poss prev
    prob prod pron pseud publ qty quot recd refrig reg rel resp seq sp spec sq subj subsp suff suppl
    surg syn tel temp theol topog transl treas typ ult univ usu var
    bn bp bpm bps cm ft ghz hr hrs kb kg kgs khz km kmh kms kph kw lb lbs mg mhz ml mm mn mph mw pt pts qt
    qts rpm sq tbsp tsp wk wks yd yds yr yrs""".split()  # noqa: SIM905
)


def sentence_ends(text: str) -> Iterator[int]:
    """Offsets behind the full stops that end a sentence although more of the text follows.

    A stop ends a sentence if the word before it is no abbreviation and blanks of any kind follow, perhaps
    behind closing quotes and brackets. A tag of markup, a dash, a bullet, a sign, a picture or a reference in
    brackets may follow without a blank.

    Parameters
    ----------
    text : str
        One sentence or more.
    """
    begun = 0
    for found in _STOP.finditer(text):
        at = found.start()
        following = text[at + 1 : at + 1 + _WINDOW]
        word = _WORD.search(text[max(begun, at - _WINDOW) : at])
        if not _may_end(following):
            continue
        # Before a stop behind a bracket or a sign there is no word.
        name = word[0] if word else ""
        start = at - len(name)
        line = text[max(begun, start - _WINDOW) : start].rsplit("\n", 1)[-1]
        if _ends_sentence(name, following, begins_line=not line.strip()):
            begun = at + 1
            yield begun


def _may_end(following: str) -> bool:
    """Whether something that separates sentences follows a stop."""
    behind = following.lstrip(_CLOSING)
    if not behind or behind[0].isspace():
        return bool(following)
    return _ADJACENT.match(following) is not None or unicodedata.category(behind[0]) == "So"


def _ends_sentence(word: str, following: str, *, begins_line: bool) -> bool:
    if _NUMBER.fullmatch(word):
        # At the beginning of a line it is the number of an item, which keeps its stop.
        return not begins_line
    if word.endswith((".'", ".’")):
        return True
    if is_initials(word) or is_abbreviation(word):
        return False
    small = _name_of(word).lower()
    rest = following[_BETWEEN.match(following).end() :]  # type: ignore[union-attr]
    if not rest or _QUOTED.match(following):
        return True
    if rest[0].isdecimal():
        return small not in _BEFORE_NUMBERS
    # "iPad" and "eBay" begin with a small letter even at the beginning of a sentence.
    if rest[0].islower() and not rest[1:2].isupper():
        return small not in _BEFORE_SMALL_LETTERS
    return _SAME_SENTENCE.match(rest) is None


def is_abbreviation(word: str) -> bool:
    """Whether a word is one whose full stop belongs to it even before a capital letter."""
    name = _name_of(word)
    return name.lower() in _ABBREVIATIONS or name in _CAPITALISED_ABBREVIATIONS


def is_title(word: str) -> bool:
    """Whether a word is an abbreviation that only stands before a name or a number."""
    return _name_of(word).lower() in _TITLES


def _name_of(word: str) -> str:
    return _ENDING.sub("", word).lstrip("'’").rsplit("-", 1)[-1]


def is_initials(word: str) -> bool:
    """Whether a word is one letter, or has such parts between full stops, as in *U.S* and *Ph.D*."""
    parts = word.split(".")
    return len(parts[-1]) <= 2 and any(len(part) == 1 and part.isalpha() for part in parts)
