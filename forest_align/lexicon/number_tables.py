"""Tables of number words, units of measure, currencies and months."""

# ruff: noqa: SIM905
from __future__ import annotations

from fractions import Fraction

CARDINAL_WORDS = tuple(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty""".split()
)
ORDINAL_WORDS = tuple(
    """zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()
)
TENS_WORDS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())

#: Cardinal numbers below 100 that are one word without a hyphen.
NUMBERS = {word: Fraction(number) for number, word in enumerate(CARDINAL_WORDS)} | {
    word: Fraction(10 * number) for number, word in enumerate(TENS_WORDS, 2)
}
#: Ordinal numbers that are one word.
ORDINALS = (
    {word: Fraction(number) for number, word in enumerate(ORDINAL_WORDS)}
    | {f"{word[:-1]}ieth": Fraction(10 * number) for number, word in enumerate(TENS_WORDS, 2)}
    | {"hundredth": Fraction(100), "thousandth": Fraction(1000), "millionth": Fraction(10**6)}
)
#: Factors that are words of their own, and those that only follow digits.
SCALES = {
    "dozen": Fraction(12),
    "hundred": Fraction(100),
    "thousand": Fraction(1000),
    "lakh": Fraction(10**5),
}
SCALES |= {"million": Fraction(10**6), "crore": Fraction(10**7)}
SCALES |= {"billion": Fraction(10**9), "trillion": Fraction(10**12)}
SHORT_SCALES = {
    "k": Fraction(1000),
    **dict.fromkeys(("m", "mn", "mln", "mio", "mil", "mill"), Fraction(10**6)),
    **dict.fromkeys(("b", "bn", "bln"), Fraction(10**9)),
    **dict.fromkeys(("t", "tn", "trn"), Fraction(10**12)),
}
#: Decades by the ending of their name: eighties, nineteen-eighties.
DECADES = {f"{word[:-1]}ies": Fraction(10 * number) for number, word in enumerate(TENS_WORDS, 2)}

#: Denominators of fractions: *half*, *third*, *quarters*.
DENOMINATORS = {
    **dict.fromkeys(("half", "halves"), Fraction(2)),
    **dict.fromkeys(("quarter", "quarters"), Fraction(4)),
    **{word + ending: number for word, number in ORDINALS.items() if number > 2 for ending in ("", "s")},
}

_MONTHS = """january jan | february feb | march mar | april apr | may | june jun | july jul | august aug |
september sep sept | october oct | november nov | december dec"""
MONTHS = {form: number for number, forms in enumerate(_MONTHS.split("|"), 1) for form in forms.split()}

# A dimension, then "factor unit forms" for each unit. ":" starts forms that only follow digits in the same
# word (5in), and "." forms that only follow digits (5 m).
_MEASURES = """
length
1/1000 mm millimeter millimeters millimetre millimetres
1/100 cm centimeter centimeters centimetre centimetres
1 meter meters metre metres .m .M
1000 km kilometer kilometers kilometre kilometres kms
127/5000 inch inches :in
381/1250 foot feet .ft
1143/1250 yard yards .yd .yds
201168/125 mile miles .mi
mass
1/1000000 mcg microgram micrograms µg μg ug
1/1000 mg milligram milligrams
1 gram grams gramme grammes gm gms .g
1000 kg kilo kilos kilogram kilograms kgs
1000000 tonne tonnes .t
907185 ton tons
45359237/100000 lb lbs
45359237/1600000 ounce ounces .oz
6350 stone
volume
1/1000 ml milliliter milliliters millilitre millilitres .cc .ccs
1/100 cl centiliter centiliters centilitre centilitres
1 liter liters litre litres .l .L
3785/1000 gallon gallons .gal
568/1000 pint pints
159 barrel barrels .bbl
time
1/1000 ms millisecond milliseconds
1 second seconds sec secs .s
60 minute minutes min mins .m
3600 hour hours hr hrs .h
86400 day days
604800 week weeks .wk .wks
1209600 fortnight fortnights
2629800 month months .mo .mos
31557600 year years .yr .yrs yr. yrs. .y .yo .y/o
315576000 decade decades
3155760000 century centuries
data
1 byte bytes .B
1000 KB kilobyte kilobytes .kB .Kb .kb
1000000 MB megabyte megabytes .mb .Mb
1000000000 GB gigabyte gigabytes .gb .Gb
1000000000000 TB terabyte terabytes .tb .Tb
frequency
1 Hz hz hertz
1000 kHz khz kilohertz
1000000 MHz mhz megahertz
1000000000 GHz ghz gigahertz
power
1 watt watts .W
1000 kW kw kilowatt kilowatts
1000000 MW megawatt megawatts
1000000000 GW gw gigawatt gigawatts
energy
1 calorie calories .cal
1000 kcal kilocalorie kilocalories
voltage
1 volt volts :V
current
1 amp amps ampere amperes .A
speed
1 kph km/h kmh
201168/125000 mph
area
1 hectare hectares .ha
40469/100000 acre acres
temperature
1 °C celsius :C .C centigrade
temperature in Fahrenheit
1 °F fahrenheit :F .F
angle
1 degree degrees ° º
"""
_MONEY = """
$ dollar dollars US$ us$ usd buck bucks
A$ aud
C$ cad
HK$ hkd
NZ$ nzd
S$ sgd
£ pound pounds gbp quid sterling
€ euro euros eur
¥ yen jpy
yuan yuan rmb cny renminbi
rupee rupees rs rs. inr ₹
₩ krw
ruble rubles rouble roubles rub
franc francs chf
krona kronor krone kroner
peso pesos
lira liras
shekel shekels
ringgit baht rupiah
"""

#: Dimension and size of each canonical unit, in a unit of the dimension.
MEASURES: dict[str, tuple[str, Fraction]] = {}
#: Canonical unit of each form that may stand behind any number.
UNITS: dict[str, str] = {}
#: Canonical units, in order of likelihood, of each form that may stand behind digits only.
UNITS_AFTER_DIGITS: dict[str, tuple[str, ...]] = {}
#: The same for forms that follow digits in the same word only.
UNITS_IN_WORD: dict[str, tuple[str, ...]] = {}
#: Canonical currencies by form.
CURRENCIES: dict[str, str] = {}
#: Forms of currencies that stand before a number.
CURRENCY_SIGNS = frozenset(
    "$ US$ A$ C$ HK$ NZ$ S$ £ € ¥ ₹ ₩ R$ USD EUR GBP JPY CHF INR Rs Rs. RMB CNY AUD CAD".split()
)
#: Parts of a currency: unit and factor.
SMALL_MONEY = {
    **dict.fromkeys(("cent", "cents", "¢"), ("$", Fraction(1, 100))),
    **dict.fromkeys(("pence", "penny"), ("£", Fraction(1, 100))),
}
PERCENT_WORDS = frozenset("% percent pct pct. per-cent percentage pc ％".split())


def _fill_tables() -> None:
    dimension = ""
    for line in _MEASURES.strip().split("\n"):
        if not line[0].isdigit():
            dimension = line
            continue
        factor, unit, *forms = line.split()
        MEASURES[unit] = (dimension, Fraction(factor))
        for form in (unit, *forms):
            if form[0] == ":":
                UNITS_IN_WORD[form[1:]] = (*UNITS_IN_WORD.get(form[1:], ()), unit)
            elif form[0] == "." and len(form) > 1:
                UNITS_AFTER_DIGITS[form[1:]] = (*UNITS_AFTER_DIGITS.get(form[1:], ()), unit)
            else:
                UNITS[form] = unit
    for line in _MONEY.strip().split("\n"):
        sign, *forms = line.split()
        for form in (sign, *forms):
            CURRENCIES[form] = sign


_fill_tables()

#: Words before a Roman numeral that may be a letter or another word elsewhere: *World War I*.
NUMBERED_NOUNS = frozenset(
    """war chapter part phase type volume vol vol. book act scene section article title grade level stage
    division class category schedule appendix figure fig fig. table group tier zone region titan mark
    apollo gemini saturn bowl page step round series season episode wrestlemania olympiad army corps
    hurricane louis henry edward james charles george william richard elizabeth mary philip philippe
    francis frederick nicholas peter alexander catherine ivan napoleon leopold otto pius paul john
    benedict gregory innocent clement leo urban julius boniface ferdinand alfonso christian christopher
    gustav carl karl harald haakon olav ramesses rameses thutmose ptolemy cleopatra mehmed selim suleiman
    murad umberto victor emmanuel wilhelm friedrich franz joseph albert constantine theodosius justinian
    margaret anne robert david malcolm rama abdullah hussein mohammed hassan pedro juan carlos
    felipe""".split()
)
#: Nouns before a number that says which one it is: *floor 12* is the twelfth.
LABELLED_NOUNS = NUMBERED_NOUNS | frozenset(
    """# apartment bed building bus canto case channel checkpoint claim clause column count district day
    edition example exercise exit experiment flat floor game gate group highway hole house issue item lane
    lesson line lot match motion no nos note nr number numbers order page paragraph period pier place
    platform point position precinct problem proposition psalm question race rank row room rule seat
    square stanza station stop storey street subsection suite symphony track trial unit verse ward week
    year zone""".split()
)
