"""Finds names in a tagged sentence from runs of proper nouns, so no recognizer has to be installed.

There is no gazetteer. A name is a run of proper nouns. Runs are joined across *of*, *de*, *and* … only if
both sides are capitalised and the pattern is common. Weekdays and months are not names.
"""

# ruff: noqa: SIM905
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROPER = frozenset({"NNP", "NNPS"})
_DATES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june "
    "july august september october november december jan. feb. mar. apr. jun. jul. aug. sep. sept. "
    "oct. nov. dec.".split()
)
_PARTICLES = frozenset("de da del della der di do dos du la le van von bin ibn al el".split())
_OF_HEADS = frozenset(
    "university bank department ministry court house institute church republic kingdom united state "
    "council board office academy college city gulf bay isle society association federation union "
    "organization organisation secretary minister president".split()
)
_TITLES = frozenset(
    "mr. mrs. ms. dr. prof. gen. sen. rep. gov. lt. capt. sgt. col. rev. sir lord mr mrs dr miss "
    "president vice prime minister chairman chairwoman chief executive king queen prince princess "
    "senator secretary general premier chancellor governor mayor judge justice pope cardinal "
    "archbishop bishop captain commander professor director ambassador congressman spokesman deputy "
    "officer colonel major lieutenant admiral".split()
)
_ORGANIZATIONS = frozenset(
    "inc. corp. co. ltd. llc plc inc corp ltd company corporation group university institute college "
    "bank ministry department agency committee commission council court association union party "
    "league club congress parliament senate army navy force front party organization organisation "
    "society center centre foundation".split()
)
# Words at the end of names that can be left out: *Sony Corp.*, *Fujian Province*.
_LEFT_OUT = frozenset(
    "inc. corp. co. ltd. llc plc inc corp ltd company corporation group holdings motors systems industries "
    "international technologies software communications electronics pharmaceuticals enterprises partners "
    "province county prefecture".split()
)
# Words of names whose first words are the name of something else: *Manchester City*, *U.S. Military*.
_OTHER_THINGS = frozenset(
    "city town forces military troops police guard fleet times post journal herald tribune gazette news "
    "radio television tv network magazine press exchange market index airlines airways airport station "
    "railway railways street avenue road bridge tower building palace stadium park square hotel "
    "hospital school museum theatre theater cathedral library lake mount mountain mountains sea ocean "
    "strait desert peninsula initiative programme program project plan fund trust act law treaty "
    "agreement accord accords protocol war battle crisis revolution day week festival games olympics "
    "cup prize award awards championship championships league conference summit forum report study "
    "survey united rovers wanderers athletic administration government authority embassy mission "
    "minister ministry office".split()
)


class Entity(NamedTuple):
    """A name.

    Attributes
    ----------
    start, end : int
        Half-open token span.
    kind : str
        ``"person"``, ``"organization"`` or ``""`` if the form does not show it.
    """

    start: int
    end: int
    kind: str


def find_entities(words: Sequence[str], tags: Sequence[str]) -> tuple[Entity, ...]:
    """Find the names of a sentence."""
    entities: list[Entity] = []
    start = 0
    while start < len(words):
        if not _names(words, tags, start):
            start += 1
            continue
        end = start + 1
        while end < len(words):
            if _names(words, tags, end):
                end += 1
            elif end + 1 < len(words) and _names(words, tags, end + 1) and _joins(words, end):
                end += 2
            else:
                break
        while end - start > 1 and words[start].lower() in _TITLES:
            start += 1
        is_organization = any(word.lower() in _ORGANIZATIONS for word in words[start:end])
        is_person = start > 0 and words[start - 1].lower() in _TITLES
        kind = "person" if is_person else "organization" if is_organization else ""
        entities.append(Entity(start, end, kind))
        start = end
    return tuple(entities)


def is_short_for(part: Sequence[str], name: Sequence[str]) -> bool:
    """Whether some words of a name can stand for it: *George* for *George Bush*.

    The end of a name always can. Other parts cannot if they are titles or words that many names begin with
    (*University*), or if the name is that of another thing (*Washington Post*). There is no gazetteer, so the
    words of the name decide. Companies and provinces can be called by their beginnings (*Sony Corp.*).
    """
    if part[-1] == name[-1]:
        return True
    if all(word in _TITLES or word in _OF_HEADS or word in _ORGANIZATIONS for word in part):
        return False
    of_thing = any(word in _ORGANIZATIONS or word in _OTHER_THINGS for word in name)
    return name[-1] in _LEFT_OUT or not of_thing


def is_acronym(word: str, name: Sequence[str]) -> bool:
    """Whether a word consists of the first letters of a name of at least two words.

    Words of the name that begin with a small letter (*of*, *the*) may be skipped. Full stops in the acronym
    are ignored (Sultan et al. 2014, §3.3.2: first-letter acronyms only).
    """
    letters = word.replace(".", "")
    if len(letters) < 2 or not letters.isupper() or not letters.isalpha():
        return False
    every = "".join(part[0] for part in name if part)
    capitals = "".join(part[0] for part in name if part and part[0].isupper())
    return letters in (every.upper(), capitals)


def _names(words: Sequence[str], tags: Sequence[str], index: int) -> bool:
    word = words[index]
    if tags[index] not in _PROPER or word.lower() in _DATES:
        return False
    return word[:1].isupper() or word[:1].isdigit() or word == "&"


def _joins(words: Sequence[str], index: int) -> bool:
    word = words[index].lower()
    return word in _PARTICLES or word == "&" or (word == "of" and words[index - 1].lower() in _OF_HEADS)
