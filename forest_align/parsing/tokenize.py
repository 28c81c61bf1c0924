"""Splits raw text into Penn-style words with character offsets; the words keep the user's characters.

Full stops inside a text that end a sentence are words of their own.
"""

# ruff: noqa: SIM905
from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.parsing.networks.isolated_imports import import_isolated
from forest_align.types import InputError, Token

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer


# Apostrophes that the tokenizer does not know, in places where they are unambiguous.
_OTHER_APOSTROPHE = re.compile(r"(?<=\w)[’´`ʼ′＇](?=\w)|(?<=\s)[’´ʼ′＇](?=(?:s|m|d|re|ve|ll)\b)")
# What an address may hold: a bracket only together with its partner, and no mark of a sentence at its end.
_INSIDE = r"(?:(?!['’]s\b)[^\s<>()\"“”«»\[\]{}|…\u2012-\u2015]|\([^\s<>()\"“”«»]*\)|\[[^\s<>()\"“”«»]*\])"
_TO_ITS_END = rf"{_INSIDE}*(?:[\w/=&\#~+$%-]|(?<=[)\]]))"
# Words that the tokenizer would split, although treebanks do not.
_WHOLE = rf"""
    (?<![^\W_])(?:[A-Za-z][A-Za-z\d+.-]{{1,15}}://|mailto:|doi:(?=\d)|www\.){_TO_ITS_END}
    # A host without any of these needs a slash or a query.
    | (?<![\w.@-])(?:[^\W_][\w-]{{0,62}}\.){{1,8}}[^\W\d_]{{2,24}}(?::\d{{1,5}})?
        (?:/|\?(?=\w+=))(?:{_TO_ITS_END})?
    # The look-behind lets a mail address begin only where its name does: a long word is read once, not from
    # each of its letters.
    | (?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | (?<!\w)[A-Z]+(?:&(?:amp;)?[A-Z]+)+[\w-]*  # AT&T
    | (?<!\w)[\#@][^\W\d]\w*(?![\w-]|\.\w)  # tags and names of users
    | (?<!\w)(?:US|HK|NZ|[AC])\$(?=\s?\d)  # dollars with a country's letters
    | (?<![\w.,])\d[\d.,]*%-[^\W\d][\w-]*  # 62%-owned
    | (?<![\w'’])['’](?:\d\ds?|em|til|cause|cuz|bout)(?![\w'’])  # '80s, 'em
    | (?<!\S)['’][nN]['’](?!\S)  # rock 'n' roll
    | (?<!\S)@\S@(?!\S)  # @-@, as Moses marks hyphens that it splits off
"""
_ENTITY = r"&(?:[A-Za-z]{2,8}|\#\d{1,6}|\#[xX][\dA-Fa-f]{1,5});"
_SPECIAL = re.compile(
    rf"(?P<whole>{_WHOLE})|(?P<entity>{_ENTITY})|(?P<accented>[^\W\d_][\u0300-\u036f]+)", re.VERBOSE
)


@dataclass(frozen=True, slots=True)
class _PlainText:
    """A text in which every character is one that the tokenizer knows."""

    # Words that must not be split are letters only. Entities of markup (`&apos;`) and letters with combining
    # accents are one character, apostrophes and ellipses are the plain ones.
    text: str
    offsets: Sequence[int]  # Where each character begins in the raw text, and the length of the raw text
    # Offsets into `text` where words must be split: the edges of the words that must not be split
    edges: frozenset[int]


def _plain_text(raw: str) -> _PlainText:
    """Rewrite a raw text for the tokenizer."""
    pieces: list[str] = []
    offsets: list[int] = []
    edges: set[int] = set()
    at = 0
    for special in _SPECIAL.finditer(raw):
        start, end = special.span()
        written = _written(special)
        if written is None:
            continue
        pieces += (raw[at:start], written)
        offsets.extend(range(at, start))
        if special.lastgroup == "whole":
            edges |= {len(offsets), len(offsets) + len(written)}
        offsets.extend(range(start, start + len(written)))
        at = end
    pieces.append(raw[at:])
    offsets.extend(range(at, len(raw) + 1))
    # As long as before, so that offsets hold. The tokenizer does not know the ellipsis as one character: a
    # dollar sign is split off alike, and a sentence may begin with it.
    text = _OTHER_APOSTROPHE.sub("'", "".join(pieces)).replace("…", "$")
    return _PlainText(text, offsets, frozenset(edges))


def _written(special: re.Match[str]) -> str | None:
    """What stands for a special part of the text: its letters, or one character; None to keep it."""
    if special.lastgroup == "whole":
        return "a" * len(special[0])
    if special.lastgroup == "entity":
        character = html.unescape(special[0])
        return character if len(character) == 1 and character.isprintable() and character != " " else None
    composed = unicodedata.normalize("NFC", special[0])
    return composed if len(composed) == 1 else special[0][0]


# The tokenizer replaces one kind of double quote by another.
_DOUBLE_QUOTES = ("``", "''", '"')

# Places to split the tokenizer's words again: beside a currency sign, and between two contractions.
_CURRENCY = re.compile(r"(?<=^[£€¥₹])(?=\d)|(?<=\d)(?=[£€¥₹]$)")
_CONTRACTION = re.compile(r"(?<=\w)(?:['’]d|n['’]t)$", re.IGNORECASE)
_HAVE = re.compile(r"['’]ve\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _tokenizer() -> NLTKWordTokenizer:
    """NLTK's, with patterns of re: those of regex take longer, and fail after five seconds."""
    tokenizer = import_isolated("nltk.tokenize.destructive").NLTKWordTokenizer()
    for name in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
        setattr(tokenizer, name, [_with_re(*rule) for rule in getattr(tokenizer, name)])
    for name in ("PARENS_BRACKETS", "DOUBLE_DASHES"):
        setattr(tokenizer, name, _with_re(*getattr(tokenizer, name)))
    return tokenizer


def _with_re(rule: re.Pattern[str], replacement: str) -> tuple[re.Pattern[str], str]:
    return re.compile(rule.pattern), replacement


def tokenize(text: str) -> tuple[Token, ...]:
    """Split raw text the Penn treebank's way.

    Contractions and punctuation are split off (``don't`` → ``do n't``). Characters stay as they are: no quote
    or bracket is rewritten.

    Addresses stay whole. An entity of markup (``&apos;``) is split as its character would be. Moses's mark of
    a hyphen (``@-@``) is a word.
    """
    plain = _plain_text(text)
    tokens: list[Token] = []
    begun = 0
    # The tokenizer expects one sentence.
    for end in (*sentence_ends(plain.text), len(plain.text)):
        for first, last in _words(plain, begun, end):
            start, stop = plain.offsets[first], plain.offsets[last]
            tokens.append(Token(text[start:stop], start=start, end=stop))
        begun = end
    return tuple(tokens)


def _words(plain: _PlainText, begun: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the words of one sentence of a plain text."""
    sentence = plain.text[begun:end]
    at = 0
    for word in _tokenizer().tokenize(sentence):
        start, at = _locate(word, sentence, at)
        word = sentence[start:at]
        split = _CURRENCY.search(word) or (_HAVE.match(sentence[at : at + 4]) and _CONTRACTION.search(word))
        cuts = {start + split.start()} if split and split.start() else set()
        if plain.edges:
            cuts.update(edge - begun for edge in range(begun + start + 1, begun + at) if edge in plain.edges)
        for cut in (*sorted(cuts), at):
            yield begun + start, begun + cut
            start = cut


def _locate(word: str, text: str, at: int) -> tuple[int, int]:
    """Position of the next word; the tokenizer only adds blanks and rewrites double quotes."""
    while at < len(text) and text[at].isspace():
        at += 1
    for form in (word, *_DOUBLE_QUOTES) if word in _DOUBLE_QUOTES else (word,):
        if text.startswith(form, at):
            return at, at + len(form)
    raise InputError(
        f"cannot tokenize the text at character {at}: expected {word!r}, found {text[at : at + 20]!r}"
    )


def tokens_of_words(words: Sequence[str]) -> tuple[Token, ...]:
    """Tokens with offsets into the words joined by spaces."""
    tokens, at = [], 0
    for word in words:
        if word.split() != [word]:
            raise InputError(f"expected words without blanks, found {word!r}")
        tokens.append(Token(word, start=at, end=at + len(word)))
        at += len(word) + 1
    return tuple(tokens)


def space_after(tokens: Sequence[Token]) -> list[bool]:
    """Whether blanks follow each token in the raw text."""
    following = [*(token.start for token in tokens[1:]), -1]
    return [token.end < start for token, start in zip(tokens, following, strict=True)]


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
    ariz ark calif colo conn fla mich minn mont neb nev okla tenn tex wis wyo""".split()
)
# Those of them that stand before a name or a number, and so never end a sentence.
_TITLES = frozenset(
    """mr mrs ms messrs dr drs prof mme mlle msgr st mt ft gen sen sens rep reps gov govs lt col sgt capt cmdr
    adm brig maj cpl pvt pfc amb rev hon pres supt atty vs nos fig figs eq eqs vol""".split()
)
# The same for words that would be different words in lower case.
_CAPITALISED_ABBREVIATIONS = frozenset("Del Ill Ind Kan Mass Miss Ore Sat Sun Wash Wed".split())
# Words whose full stop belongs to them before a number; elsewhere some of them are ordinary words.
_BEFORE_NUMBERS = frozenset(
    """no art arts div sec secs sect ch chap chaps chr para app apt ext ex exs rm ste tab tel vols""".split()
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
    wts xtra yd yds yr yrs""".split()
)
# The same for words that are ordinary words, too. Their full stop belongs to them only in a sentence that
# begins with a capital letter, as the next one would.
_ALSO_WORDS = frozenset(
    """app cal cap cent com comb comp conf conv corr dem doc eng exp fed fut gal gals gen grad inf info ins
    int intro lib lit log math med memo met mid mil min nom norm op pop pref prep pres prim priv prop prot
    psych rec ref rep ret rev sec sect sep serv sol sub sup supp tab tech tem tot undergrad uni var ver
    vic""".split()
)
# Units that are ordinary words, too: behind a number the full stop belongs to them.
_UNITS = frozenset("bar cal cap deg gal gals gr hd in mil min pop sec tab".split())
# Capitalised words whose full stop belongs to them before a small letter: states, languages, titles.
_CAPITALISED_BEFORE_SMALL_LETTERS = frozenset(
    """Adj Alta Amer Austl Can Cong Conn Ct Dem Eng Fr Ft Ga Ger Gk Gr Heb It Ital Jap Ky La Lat Lib Ltd Md
    Me Mex Mo Ont Pa Parl Ph Pol Port Que Russ Sask Scot Sp Swed Va Vt""".split()
)


def sentence_ends(text: str) -> Iterator[int]:
    """Offsets behind the full stops that end a sentence although more of the text follows.

    A stop ends a sentence if the word before it is no abbreviation and blanks of any kind follow, perhaps
    behind closing quotes and brackets. A tag of markup, a dash, a bullet, a sign, a picture or a reference in
    brackets may follow without a blank.
    """
    begun = 0
    for stop in _STOP.finditer(text):
        at = stop.start()
        following = text[at + 1 : at + 1 + _WINDOW]
        behind = following.lstrip(_CLOSING)
        if not behind or behind[0].isspace():
            may_end = bool(following)
        else:
            may_end = _ADJACENT.match(following) is not None or unicodedata.category(behind[0]) == "So"
        if not may_end:
            continue
        # Before a stop behind a bracket or a sign there is no word.
        word = _WORD.search(text[max(begun, at - _WINDOW) : at])
        name = word[0] if word else ""
        before = text[max(begun, at - len(name) - _WINDOW) : at - len(name)]
        first = _LETTER.search(text, begun, begun + _WINDOW)
        if _ends_sentence(name, before, following, cased=first is not None and first[0].isupper()):
            begun = at + 1
            yield begun


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
