"""Small tables of English: function words, negations, prepositions, numbers, abbreviations, spelling."""

# ruff: noqa: SIM905
from __future__ import annotations

import re
import unicodedata

from forest_align.lexicon._abbreviations import single_word_keys
from forest_align.lexicon.number_tables import CARDINAL_WORDS, ORDINAL_WORDS, TENS_WORDS

#: The prepositions of Srikumar & Roth (2013), from the SemEval-2007 sense inventory.
PREPOSITIONS = frozenset(
    """about above across after against along among around as at before behind beneath beside between by down
    during for from in inside into like of off on onto over round through to towards with""".split()
)

_TENS = {word: str(10 * number) for number, word in enumerate(TENS_WORDS, 2)}
_NUMBER_WORDS = (
    {word: str(number) for number, word in enumerate(CARDINAL_WORDS)}
    | {word: f"{number}th" for number, word in enumerate(ORDINAL_WORDS)}
    | _TENS
    | {f"{word[:-1]}ieth": f"{number}th" for word, number in _TENS.items()}
    | {"hundredth": "100th", "thousandth": "1000th"}
    | {"hundred": "100", "thousand": "1000", "million": "10^6", "billion": "10^9", "dozen": "12"}
    | {"mn": "10^6", "bn": "10^9", "1000000": "10^6", "1000000000": "10^9"}
)

# One group per line; its first word is the key of the group.
_ABBREVIATIONS = """
january jan jan.
february feb feb.
march mar.
april apr apr.
august aug aug.
september sept sept. sep.
october oct oct.
november nov nov.
december dec dec.
monday mon.
tuesday tues. tue.
wednesday wed.
thursday thurs. thu.
friday fri.
saturday sat.
sunday sun.
percent % pct pct. per-cent percentage
dollar $ us$ usd dollars c$ a$ hk$ nz$
pound £ gbp
euro € eur
and &
mister mr mr.
doctor dr dr.
professor prof prof.
senator sen sen.
governor gov gov.
representative rep rep.
general gen gen.
lieutenant lt lt.
colonel col col.
captain capt capt.
sergeant sgt sgt.
saint st st.
street st.
mount mt mt.
president pres.
company co co.
corporation corp corp.
incorporated inc inc.
limited ltd ltd.
brothers bros bros.
department dept dept.
university univ univ.
government govt govt.
international intl intl.
association assn assn.
number no. nos. #
versus vs vs. v.
okay ok o.k.
television tv t.v.
kilometer km kilometre
meter metre
centimeter cm centimetre
kilogram kg kilo
mile mi.
ounce oz
hour hr hrs
minute min mins
second sec secs
junior jr jr.
senior sr sr.
america us usa u.s. u.s.a. american
britain uk u.k. british
california calif calif. ca.
be 's 'm 're
have 've 's 'd
will 'll wo
would 'd
not n't
can ca
us 's
because cuz 'cause
them 'em
"""

# Groups of function words that can replace one another.
_FUNCTION_GROUPS = """
a an the this that these those
some any several
each every all both
i me my mine myself
you your yours yourself
he him his himself
she her hers herself
it its itself
we us our ours ourselves
they them their theirs themselves
who whom whose which that
may might can could
will would shall
must should ought
but however though although yet
because since as
while when as
if whether
not never no without
also too
upon on onto
within in inside into
until till
`` '' " “ ” ' ‘ ’ `
, ; : -- – — -
. ! ? ;
-lrb- ( [ -lsb- {
-rrb- ) ] -rsb- }
"""

_BRITISH_PAIRS = """
grey=gray programme=program cheque=check tyre=tire kerb=curb aluminium=aluminum plough=plow sceptic=skeptic
sceptical=skeptical mould=mold moustache=mustache pyjamas=pajamas storey=story jewellery=jewelry cosy=cozy
ageing=aging judgement=judgment enrol=enroll fulfil=fulfill skilful=skillful wilful=willful
manoeuvre=maneuver draught=draft axe=ax whisky=whiskey towards=toward afterwards=afterward amongst=among
whilst=while learnt=learned burnt=burned mum=mom maths=math defence=defense offence=offense licence=license
pretence=pretense practise=practice gaol=jail
"""
_BRITISH_WORDS = dict(pair.split("=") for pair in _BRITISH_PAIRS.split())
_BRITISH_ENDINGS = (
    (re.compile(r"(?<=\w{3})our(?=$|s$|ed$|ing$|able$|ite$|ful$|less$|ly$|hood$)"), "or"),
    (re.compile(r"(?<=\w{3})is(?=e$|es$|ed$|er$|ing$|ation$|ations$)"), "iz"),
    (re.compile(r"(?<=\w{3}l)ys(?=e$|es$|ed$|er$|ing$)"), "yz"),
    (re.compile(r"(?<=\w{2}[tbh])re$"), "er"),
    (re.compile(r"(?<=\w{3}og)ue$"), ""),
    (re.compile(r"(?<=\w{3}[aeiou])ll(?=ed$|ing$|er$|or$)"), "l"),
    (re.compile(r"(?<=\w)[ao]e(?=[a-z]{3})"), "e"),
)
_DIGITS = re.compile(r"[+-]?[0-9][0-9,]*(\.[0-9]+)?")
_LEADING_ZEROS = re.compile(r"^(-?)0+(?=[0-9])")
_DOTTED = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]?\.?")


def number_value(word: str) -> str:
    """Normalise the spelling of a number: "2" for "two", "1000" for "1,000.0"; empty for other words."""
    if word in _NUMBER_WORDS:
        return _NUMBER_WORDS[word]
    tens, hyphen, units = word.partition("-")
    if hyphen and tens in _TENS:
        unit = _NUMBER_WORDS.get(units, "")
        return _TENS[tens][0] + unit if len(unit.removesuffix("th")) == 1 and unit[0] != "0" else ""
    if word[-2:] in {"st", "nd", "rd", "th"} and word[:-2].isascii() and word[:-2].isdigit():
        # Not by converting to int, which refuses thousands of digits.
        return f"{word[:-2].lstrip('0') or '0'}th"
    if not _DIGITS.fullmatch(word):
        return ""
    plain = word.replace(",", "").lstrip("+")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    plain = _LEADING_ZEROS.sub(r"\1", plain)
    return _NUMBER_WORDS.get(plain, plain)


def _groups(lines: str) -> dict[str, tuple[str, ...]]:
    """Map each word to the first words of its groups."""
    keys: dict[str, tuple[str, ...]] = {}
    for words in map(str.split, lines.split("\n")):
        for word in words:
            keys[word] = (*keys.get(word, ()), words[0])
    return keys


ABBREVIATIONS = _groups(_ABBREVIATIONS)
FUNCTION_GROUPS = _groups(_FUNCTION_GROUPS)


def abbreviation_keys(word: str, tag: str, lemma: str) -> tuple[str, ...]:
    """What a word may abbreviate, or the word itself if it has an abbreviation."""
    if tag == "POS":
        return ()
    lower = word.lower()
    if _DOTTED.fullmatch(word) or (word.isupper() and 2 <= len(word) <= 5 and word.isalpha()):
        named = tuple(key for key in ABBREVIATIONS.get(lower, ()) if key != "us")
        return (*named, word.replace(".", "").upper(), *single_word_keys(word))
    if lower == "us":
        return ("us",)
    return (*(ABBREVIATIONS.get(lower) or ABBREVIATIONS.get(lemma, ())), *single_word_keys(word))


def spelling_key(lemma: str) -> str:
    """Return the common spelling of British, American, hyphenated, accented and typeset forms of a lemma.

    The result need not be a word. "contour" gives "contor", which is harmless: no other lemma gives it.
    """
    # The hyphens of numbers matter: -5, 3-1.
    key = lemma.replace("-", "") if any(map(str.isalpha, lemma)) else lemma
    if not key.isascii():  # ligatures and full-width letters also become plain ones
        key = "".join(c for c in unicodedata.normalize("NFKD", key) if not unicodedata.combining(c))
    key = _BRITISH_WORDS.get(key, key)
    if len(key) > 4:
        for ending, american in _BRITISH_ENDINGS:
            key = ending.sub(american, key)
    return key


# Typographic, acute accent, modifier letter, prime, full width. A grave accent counts only inside a word,
# because two of them are an opening quote of the Penn treebank.
_OTHER_APOSTROPHES = re.compile(r"[’´ʼ′＇]|(?<=\w)`(?=\w)")


def plain_apostrophes(word: str) -> str:
    """Replace every other apostrophe by ``'``: ``don’t`` becomes ``don't``. The length stays the same."""
    return word if word.isascii() and "`" not in word else _OTHER_APOSTROPHES.sub("'", word)


#: Function words of Sultan et al. (2014): NLTK's list at that time, modals and clitics.
FUNCTION_WORDS = frozenset(
    """a about above after again against all am an and any are as at be because been before being below
    between both but by can did do does doing don down during each few for from further had has have
    having he her here hers herself him himself his how i if in into is it its itself just me more most my
    myself no nor not now of off on once only or other our ours ourselves out over own s same she should
    so some such t than that the their theirs them themselves then there these they this those through to
    too under until up very was we were what when where which while who whom why will with you your yours
    yourself yourselves also ca could may might must shall would n't wo sha 's 'd 'll 're 've 'm""".split()
)
#: Closed-class English words, contractions as the Penn treebank splits them.
STOP_WORDS = FUNCTION_WORDS | frozenset(
    """ain although among aren cannot couldn d didn doesn either else ever every hadn hasn haven however isn
    ll m ma many mightn mine much mustn na neither o one onto per quite rather re shan shouldn since
    therefore though thus upon us ve via wasn weren whereas whether whose within without won wouldn y yet
    't ' -lrb- -rrb- -lsb- -rsb- -lcb- -rcb-""".split()
)


def is_punctuation(word: str) -> bool:
    """Whether a word has neither a letter nor a digit."""
    return not any(map(str.isalnum, word))


def is_content_word(word: str, stop_words: frozenset[str] = STOP_WORDS) -> bool:
    """Whether a word has a letter or digit and is not a stop word."""
    return plain_apostrophes(word.lower()) not in stop_words and not is_punctuation(word)


#: Negations; they concern the word that they depend on, or the noun behind them.
NEGATIONS = frozenset(
    "not n't never no none nobody nothing neither nor nowhere hardly scarcely without".split()
)
# Lemmas of words that deny their complement (Karttunen 1971): *failed to win*, *unable to swim*.
_DENYING = frozenset(
    """fail refuse forget decline neglect avoid deny lack unable unwilling incapable impossible unlikely
    refusal failure inability prevent miss omit abstain refrain absence""".split()
)
# Words behind "not" that keep what is said (*not only*), and before it (*whether or not*).
_AFFIRMING_AFTER_NOT = frozenset(("only", "just", "merely", "simply"))


def negating_words(words: list[str], lemmas: list[str]) -> list[int]:
    """Numbers of the words of a span that negate it; *neither … nor* negates once."""
    numbers = []
    for number, (word, lemma) in enumerate(zip(words, lemmas, strict=True)):
        following = words[number + 1] if number + 1 < len(words) else ""
        is_negation = word in NEGATIONS and not (
            (word == "not" and (following in _AFFIRMING_AFTER_NOT or words[number - 1 : number] == ["or"]))
            or (word == "nor" and "neither" in words[:number])
        )
        if is_negation or lemma in _DENYING:
            numbers.append(number)
    return numbers
