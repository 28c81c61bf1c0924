"""Tables of words that change what a sentence says: negations, implicatives, contrasts, modals."""

# ruff: noqa: SIM905
from __future__ import annotations

from forest_align.meaning.relation_algebra import DIFFERENT, EQUIVALENT, GENERAL, OPPOSITE, SPECIFIC, UNKNOWN

#: The rule about quantities; no model judges what it leaves open.
VALUES = "values"
#: Negations that are subjects or objects themselves: they concern their verb.
NEGATIVE_PRONOUNS = frozenset(("none", "nobody", "nothing", "nowhere"))
#: Lemmas of words whose complement does not hold, or not any more: *stopped smoking*, *nearly won*.
ENDING = frozenset("stop cease quit discontinue cancel nearly almost virtually threaten pretend".split())
#: Lemmas of verbs whose complement holds (Karttunen 1971): *managed to win*.
IMPLICATIVE = frozenset("manage remember bother dare proceed happen hasten condescend".split())
#: *Not less than* says the same as *at least*.
BOUNDS = {"less": "least", "fewer": "least", "more": "most"}
#: Phrases that deny what follows them.
DENYING_PHRASES = {
    ("far", "from"): OPPOSITE,
    ("free", "of"): OPPOSITE,
    ("free", "from"): OPPOSITE,
    ("yet", "to"): OPPOSITE,
    ("no", "longer"): DIFFERENT,
    ("instead", "of"): DIFFERENT,
    ("rather", "than"): DIFFERENT,
    ("anything", "but"): OPPOSITE,
    ("devoid", "of"): OPPOSITE,
}
#: Modals and adverbs below which nothing is asserted: what they say is more general than the fact.
MODALS = frozenset(
    """may might could can should must would ought possibly perhaps maybe probably likely allegedly reportedly
    supposedly apparently presumably potentially possible alleged purported suspected""".split()
)
#: Words that make the value after them approximate.
APPROXIMATE = frozenset(
    "about around nearly almost approximately roughly some over under least most than".split()
)
#: Those that say on which side of the value.
BOUNDING = frozenset("over under least most than nearly almost".split())
#: Adjectives whose nouns are no instances of the noun (Kamp 1975).
PRIVATIVE = frozenset(
    """fake false former so-called would-be counterfeit mock fictitious pseudo imaginary toy ex vice
    deputy""".split()
)
#: Titles before a name that add nothing to it.
COURTESY_TITLES = frozenset("mr mr. mrs mrs. ms ms. miss mister madam sir".split())
#: Nouns above so many others that another noun never says the same: a *woman* is a *person*, and more.
TOP_KINDS = frozenset("person individual human people animal creature thing object place area".split())
#: Prepositions that say where or when: others are not the same as they are, unless a table says so.
DEFINITE_PREPOSITIONS = frozenset(
    """behind under over above below near beside between among amongst through across around against before
    after during until till since within beyond inside outside toward towards beneath underneath opposite
    throughout into onto off out""".split()
)
#: Two words that are one, with the word that says the same.
COMPLEX_WORDS = {
    ("out", "of"): "out",
    ("off", "of"): "off",
    ("inside", "of"): "inside",
    ("no", "one"): "nobody",
    ("a", "few"): "some",
    ("a", "little"): "some",
}
#: Prefixes of opposed words that are otherwise the same: *upgrade*, *downgrade*.
OPPOSED_PREFIXES = (
    *(("hyper", "hypo"), ("over", "under"), ("up", "down"), ("in", "out"), ("pre", "post")),
    *(("pro", "anti"), ("macro", "micro"), ("maxi", "mini"), ("im", "ex"), ("in", "de"), ("inter", "intra")),
)
#: Verbs that add nothing by themselves.
LIGHT_VERBS = frozenset(("be", "do", "have", "get", "become", "locate", "situate"))
#: Determiners of what is there.
DEFINITE = frozenset(("the", "this", "that", "these", "those"))
_PARTIAL = frozenset(("some", "many", "several", "few", "most"))
#: Words that say of how many something is so.
QUANTIFIERS = frozenset("all every each some any most more many several few fewer both".split())
#: Words that add nothing to what is said.
EMPTY = frozenset(
    """also too then there here thus hence therefore however moreover furthermore additionally indeed just
    even so well now still already as such both own very quite rather really please else way yet ever
    whether that which who whom kind sort type piece bit lot group pair set number
    member case fact order thing one ones other each
    someone somebody something""".split()
)

# Words that exclude each other if they are linked; sides of a line are opposed.
_CONTRASTS = """
from | to into
before prior | after following
over above | under below beneath
with | without
for | against
because due | despite
despite | due
although though | because
unless | if when
towards toward to | away
inside in into within | outside out
up | down
on onto | off
more greater higher larger bigger better | less fewer lower smaller worse
most | least
maximum max | minimum min
first | last
always | never sometimes rarely seldom
often frequently usually | never rarely seldom
everybody everyone everything all every | nobody none nothing no
somebody someone something some any | nobody none nothing no
many much most several | few little no
both | neither
left | right
north northern | south southern
east eastern | west western
early earlier | late later
full | empty free
safe | harmful dangerous unsafe risky hazardous
permit allow let | forbid ban prohibit prevent bar
accept approve agree | reject refuse decline disagree deny
support back favor favour | oppose
increase rise grow raise climb gain soar | decrease fall drop decline lower shrink reduce sink plunge
win | lose
pass | fail
remember | forget
start begin open | stop end finish close
arrive enter come | leave depart exit
add insert | remove delete
enable | disable
include | exclude
succeed | fail
admit confirm | deny
have | lack
love like | hate dislike
buy | sell
stand | sit lie
alive live | dead
innocent | guilty
indoors inside | outdoors outside
out | into in
until till | from since
on onto upon | under underneath beneath
behind | before
near close nearby | far distant
manage | fail
agree consent | refuse
uphold affirm | overturn overrule reverse quash annul
acquit exonerate absolve | convict condemn
praise laud | criticize criticise condemn denounce
attack | defend
build construct erect | demolish destroy raze dismantle
create | destroy abolish
establish found | abolish dissolve
appear emerge | disappear vanish
expand extend widen enlarge broaden | contract shrink narrow shorten
strengthen | weaken undermine
improve | worsen deteriorate
accelerate hasten | slow decelerate delay
encourage | discourage deter
approve | veto
legalize legalise | ban prohibit outlaw criminalize
lock | unlock
tighten | loosen relax ease
hire recruit employ | fire dismiss sack
join | leave quit
gain | lose
save | waste
push | pull
attract | repel
advance | retreat
ascend | descend
board | disembark
freeze | melt thaw
heat warm | cool chill
fill | empty drain
load | unload
connect attach | disconnect detach
activate | deactivate
encrypt | decrypt
upload | download
deposit | withdraw
invest | divest
cause trigger induce | prevent
aggravate exacerbate worsen | alleviate relieve ease soothe
survive | die perish
trust | distrust mistrust doubt
believe | doubt disbelieve
obey comply | disobey violate
respect | violate
protect | endanger threaten
maximize maximise | minimize minimise
overestimate | underestimate
majority | minority
success | failure
victory | defeat loss
profit gain | loss
strength | weakness
advantage benefit | disadvantage drawback
friend ally | enemy foe
presence | absence
surplus | deficit shortage
entrance entry | exit
beginning start | end
rural | urban
domestic | foreign
temporary | permanent
voluntary optional | mandatory compulsory obligatory
benign | malignant
acute | chronic
cheap inexpensive | expensive costly
together | apart separately
forward forwards | backward backwards
"""
# Words of one line say the same.
_EQUALS = """
after following
before prior
because since
toward towards
inside within
east eastern
west western
north northern
south southern
beside besides alongside next
during in
in within
in inside
through via
through by
between among amongst
around about
over across throughout
from out
from off
from since
to toward towards into
into in
under below beneath underneath
over above
on onto
today now currently presently
formerly previously earlier
called known named titled dubbed
upon on
"""
_SCALES = {
    ("all", "some"): SPECIFIC,
    ("every", "some"): SPECIFIC,
    ("each", "some"): SPECIFIC,
    ("all", "most"): SPECIFIC,
    ("all", "many"): SPECIFIC,
    ("most", "some"): SPECIFIC,
    ("many", "some"): SPECIFIC,
    ("always", "often"): SPECIFIC,
    ("always", "usually"): SPECIFIC,
    ("always", "sometimes"): SPECIFIC,
    ("often", "sometimes"): SPECIFIC,
    ("often", "occasionally"): SPECIFIC,
    ("usually", "occasionally"): SPECIFIC,
    ("always", "occasionally"): SPECIFIC,
    ("must", "may"): SPECIFIC,
    ("must", "might"): SPECIFIC,
    ("must", "can"): SPECIFIC,
    ("must", "should"): SPECIFIC,
    ("will", "may"): SPECIFIC,
    ("will", "might"): SPECIFIC,
    ("will", "could"): SPECIFIC,
    ("and", "or"): SPECIFIC,
    # The same movement, seen from either end: *came to Elim*, *went to Elim*.
    ("come", "go"): UNKNOWN,
    ("go", "come"): UNKNOWN,
}
#: Pairs of verbs that say the same with exchanged arguments.
CONVERSES = frozenset(
    pair
    for line in """
buy sell
purchase sell
give receive
give get
lend borrow
teach learn
precede follow
lead follow
send receive
rent let
own belong
beat lose
defeat lose
please like
frighten fear
before after
over under
above below
export import
""".strip().split("\n")
    for pair in (tuple(line.split()), tuple(reversed(line.split())))
)
#: Verbs and adjectives whose subject and object can be exchanged.
SYMMETRIC = frozenset(
    """be marry meet resemble equal match differ divorce date border adjoin intersect collide similar
    different related identical same equivalent adjacent near beside next agree talk debate fight play
    share and or""".split()
)


def _read_contrasts() -> frozenset[tuple[str, str]]:
    found = set()
    for line in _CONTRASTS.strip().split("\n"):
        left, right = (side.split() for side in line.split("|"))
        found |= {pair for one in left for two in right for pair in ((one, two), (two, one))}
    return frozenset(found)


_OPPOSED = _read_contrasts()
_EQUAL = frozenset(
    (one, two) for line in _EQUALS.strip().split("\n") for one in line.split() for two in line.split()
)


def contrast(one: str, two: str) -> str | None:
    """The relation of two lower-cased words or lemmas in the tables; None if they are in none."""
    if (one, two) in _OPPOSED:
        return OPPOSITE
    if (one, two) in _SCALES:
        return _SCALES[one, two]
    if (two, one) in _SCALES:
        return GENERAL
    if (one in _PARTIAL and two in DEFINITE) or (two in _PARTIAL and one in DEFINITE):
        return UNKNOWN  # *some merchants*, *the merchants*
    return EQUIVALENT if (one, two) in _EQUAL else None
