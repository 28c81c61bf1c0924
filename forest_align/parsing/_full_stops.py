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
_LETTER = re.compile(r"[^\W\d_]")
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
    """no art arts div sec secs sect ch chap chaps chr para app apt ext ex exs rm ste tab tel vols""".split()  # noqa: SIM905
)
# Words whose full stop belongs to them before a small letter; before a capital letter it ends the sentence.
_BEFORE_SMALL_LETTERS = frozenset(
    """abbr addl adj admin adv agcy amt amts anon appt appts apt apts asst attn avg bbl bbls bdrm bdrms bibl
    bldgs bn bp bpm bps calc cc cert chap chem chr circ cm comps conc cont contd coop coord ctn ctns ctr
    cust cwt def deg deps depts det dia diag diam dict disc dist distn distrib div doz dwt ea econ elec
    elem elev encl engr equip equiv esp est exc excl exec ext fac fem freq ft fwd geog geol ghz govs hist
    hosp hr hrs ht hts hwy hwys hyp ibid illus incl incorp indef insp inst instr intl inv irreg jct kb kg
    kgs khz km kmh kms kph kw lang lat lb lbs lic loc lw maint masc max mdse meas mech mem mfr mfrs mg
    mgmt mgr mgrs mhz mi mins misc mkt mktg ml mm mn mo mol mos mph msg mtg mtge mtn mtns mun mw myth narr
    natl neg neut nr num obj obs occ occas ofc opp opt ord orig oz pct perf pers phon pkg pkgs pkt pkwy pl
    plur pos poss ppl prelim prem prev prin prob prod prof proj pron pseud pt pts publ pwr qt qtr qtrs qts
    qty quant quot rcpt recd ref refrig reg rel rept reqd resp rm rms rpm rpt rte sched sci secs secy seq
    sp spec sq sta stat std subj subsp subst suff suppl surg svc svgs syn tbsp tbsps tel temp terr theol
    tkt topog transl treas tsp tsps twp typ ult univ usu util vac var veg vocab vols wdth whsl wk wks wt
    wts xtra yd yds yr yrs""".split()  # noqa: SIM905
)
# The same for words that are ordinary words, too. Their full stop belongs to them only in a sentence that
# begins with a capital letter, as the next one would.
_ALSO_WORDS = frozenset(
    """app cal cap cent com comb comp conf conv corr dem doc eng exp fed fut gal gals gen grad inf info ins
    int intro lib lit log math med memo met mid mil min nom norm op pop pref prep pres prim priv prop prot
    psych rec ref rep ret rev sec sect sep serv sol sub sup supp tab tech tem tot undergrad uni var ver
    vic""".split()  # noqa: SIM905
)
# Units that are ordinary words, too: behind a number the full stop belongs to them.
_UNITS = frozenset("bar cal cap deg gal gals gr hd in mil min pop sec tab".split())  # noqa: SIM905
# Capitalised words whose full stop belongs to them before a small letter: states, languages, titles.
_CAPITALISED_BEFORE_SMALL_LETTERS = frozenset(
    """Adj Alta Amer Austl Can Cong Conn Ct Dem Eng Fr Ft Ga Ger Gk Gr Heb It Ital Jap Ky La Lat Lib Ltd Md
    Me Mex Mo Ont Pa Parl Ph Pol Port Que Russ Sask Scot Sp Swed Va Vt""".split()  # noqa: SIM905
)


def sentence_ends(text: str) -> Iterator[int]:
    """Offsets behind the full stops that end a sentence although more of the text follows.

    A stop ends a sentence if the word before it is no abbreviation and blanks of any kind follow, perhaps
    behind closing quotes and brackets. A tag of markup, a dash, a bullet, a sign, a picture or a reference in
    brackets may follow without a blank.
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
        before = text[max(begun, at - len(name) - _WINDOW) : at - len(name)]
        if _ends_sentence(name, before, following, cased=_is_cased(text, begun)):
            begun = at + 1
            yield begun


def _may_end(following: str) -> bool:
    """Whether something that separates sentences follows a stop."""
    behind = following.lstrip(_CLOSING)
    if not behind or behind[0].isspace():
        return bool(following)
    return _ADJACENT.match(following) is not None or unicodedata.category(behind[0]) == "So"


def _is_cased(text: str, begun: int) -> bool:
    """Whether a sentence begins with a capital letter."""
    first = _LETTER.search(text, begun, begun + _WINDOW)
    return first is not None and first[0].isupper()


def _ends_sentence(word: str, before: str, following: str, *, cased: bool) -> bool:
    if _NUMBER.fullmatch(word):
        # At the beginning of a line it is the number of an item, which keeps its stop.
        return bool(before.rsplit("\n", 1)[-1].strip())
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
    if (rest[0].islower() and not rest[1:2].isupper()) or rest.startswith("& "):
        if small in _UNITS and f"{before}{word[: -len(small)]}".rstrip(" \xa0-")[-1:].isnumeric():
            return False
        return not (
            small in _BEFORE_SMALL_LETTERS
            or (cased and (small in _ALSO_WORDS or _name_of(word) in _CAPITALISED_BEFORE_SMALL_LETTERS))
        )
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
