from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import Evidence, Lexicon, load_lexicon
from forest_align.lexicon.tables import (
    FUNCTION_WORDS,
    STOP_WORDS,
    is_content_word,
    number_value,
    spelling_key,
)
from forest_align.types import Sentence, Token


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon()


_LISTED = """
was/VBD/be children/NNS/child better/JJR/good better/RBR/well best/JJS/good hoping/VBG/hope
hopping/VBG/hop singing/VBG/sing stopped/VBD/stop n't/RB/not 's/VBZ/'s 's/POS/'s 'll/MD/will wo/MD/will
ca/MD/can 'd/MD/would 'd/VBD/have 've/VBP/have 're/VBP/be an/DT/a news/NN/news glass/NN/glass
glasses/NNS/glass Americans/NNPS/american Athens/NNP/athens googled/VBD/google faxes/NNS/fax
caring/VBG/care eating/VBG/eat faster/RBR/fast happier/JJR/happy happiest/JJS/happy bigger/JJR/big
goes/VBZ/go found/VBD/find found/VB/found men/NNS/man passes/VBZ/pass analyses/NNS/analysis
houses/NNS/house causes/VBZ/cause companies/NNS/company tries/VBZ/try tried/VBD/try lives/VBZ/live
lives/NNS/life leaves/VBZ/leave buses/NNS/bus heroes/NNS/hero used/VBN/use agreed/VBD/agree cut/VBD/cut
did/VBD/do has/VBZ/have are/VBP/be quickly/RB/quickly The/DT/the tweeting/VBG/tweet blogs/NNS/blog
unzips/VBZ/unzip 1990s/NNS/1990s wounded/JJ/wounded ,/,/, --/:/-- media/NNS/medium firemen/NNS/fireman
created/JJ/create uses/NNS/use doses/NNS/dose vases/NNS/vase senses/NNS/sense corpses/NNS/corpse
lenses/NNS/lens bunches/NNS/bunch cookies/NNS/cookie ties/NNS/tie species/NNS/species
means/NNS/means arms/NNS/arm tactics/NNS/tactic news/NNS/news
vaped/VBD/vape tokenized/VBN/tokenize crowdsourcing/VBG/crowdsource rebooted/VBD/reboot retweeted/VBN/retweet
’m/VBP/be didn’t/RB/didn't going/VBG/go being/VBG/be dying/VBG/die
installed/VBD/install installs/VBZ/install fulfilled/VBN/fulfill enrolling/VBG/enroll controlled/VBD/control
drew/VBD/draw saw/VBD/see grown/VBN/grow
does/VBZ/do does/NNS/doe AS/NNP/as Mets/NNPS/met strongest/RBS/strong drearier/RBR/dreary
routed/VBD/rout doxed/VBD/dox coexpressed/VBD/coexpress rebuzzed/VBD/rebuzz blogged/JJ/blog
reargued/VBD/reargue reemerged/VBD/reemerge reanalyzed/VBN/reanalyze preapproved/VBN/preapprove
prejudged/VBN/prejudge GPSs/NNS/gpss hmmed/VBD/hmmed Philippines/NNPS/philippines undergoes/VBZ/undergo
lay/VB/lay lay/VBD/lie revved/JJ/rev crosses/NNS/cross odds/NNS/odds goings/RP/goings two's/CD/two's
"""
LEMMAS = _LISTED.split()


def test_lemma_of_a_tagged_word(lexicon: Lexicon) -> None:
    for case in LEMMAS:
        word, tag, lemma = case.rsplit("/", 2) if case.count("/") == 2 else (case[0], case[2:-2], case[-1])
        assert lexicon.lemma(word, tag) == lemma, case


def test_lemma_of_a_word_without_a_tag(lexicon: Lexicon) -> None:
    cases = """was=be dogs=dog created=create better=good n't=not House=house does=do is=be installed=install
    attaches=attache ca=ca = !=! Zürich=zürich qwrtzs=qwrtzs"""
    for case in cases.split():
        word, _, lemma = case.partition("=")
        assert lexicon.lemma(word) == lemma


def evidence(one: str, two: str, tag: str = "") -> Evidence:
    """What is said of two words of a tag."""
    sides = (Sentence((Token(word, tag=tag),)) for word in (one, two))
    return Evidence(int(word_evidence(*sides, load_lexicon())[0, 0]))


@pytest.mark.parametrize(
    ("kind", "pairs", "are_related"),
    [
        (Evidence.SYNONYM, "car=automobile car/NN=automobile bank/VB=trust die=pass_away", True),
        (Evidence.SYNONYM, "bank/NN=trust car=tree car=car qwrtz=qwrtzz", False),
        (Evidence.DERIVATION, "create=creation create=creator quickly=quick rural=country", True),
        (Evidence.DERIVATION, "create=tree create=qwrtz qwrtz=qwrtzz", False),
        (Evidence.SUFFIX, "create=creation creation=creator create=creator happy=happiness", True),
        (Evidence.SUFFIX, "arrive=arrival govern=government nation=national depend=dependence", True),
        (Evidence.SUFFIX, "glossy=gloss controllable=control", True),
        # The same word, others, short ones, and stems without a vowel or with digits.
        (Evidence.SUFFIX, "create=create car=care use=user table=tableau sting=string =", False),
        (Evidence.SUFFIX, "pfftness=pfftship a123ness=a123ship", False),
    ],
)
def test_words_are_related_in_both_directions(kind: Evidence, pairs: str, are_related: bool) -> None:
    for pair in pairs.split():
        first, _, two = pair.partition("=")
        one, _, tag = first.partition("/")
        assert (kind in evidence(one, two, tag)) == (kind in evidence(two, one, tag)) == are_related, pair


NUMBERS = """two=2 2=2 1,000=1000 1000.0=1000 thousand=1000 0.50=0.5 1.05=1.05 007=7 .5= +5=5 dozen=12
million=10^6 1,000,000=10^6 mn=10^6 billion=10^9 bn=10^9 1,000,000,000.0=10^9 thirtieth=30th ninetieth=90th
hundredth=100th ²th= first=1th 1st=1th 21st=21th 07th=7th 0th=0th twenty-first=21th twenty-one=21 twenty-zero=
twenty-= ninety-nine=99 000=0 ²= house= -= -5=-5"""


def test_numbers_have_one_value_however_written() -> None:
    for case in [*NUMBERS.split(), f"{'1' * 5000}th={'1' * 5000}th"]:
        word, _, value = case.rpartition("=")
        assert number_value(word) == value, word


def test_short_words_keep_their_spelling() -> None:
    pairs = "four=for tour=tor wise=wize hour=hor fire=fier rise=rize called=caled -5=5 3-1=31 --=-"
    for one, two in (pair.split("=") for pair in pairs.split()):
        assert spelling_key(one) != spelling_key(two)


@pytest.mark.parametrize(
    ("words", "have_content"), [("The n't n’t ’S wo -LRB- , -- $", False), ("house 2 $5 é Obama", True)]
)
def test_stop_words_and_marks_have_no_content(words: str, have_content: bool) -> None:
    assert {is_content_word(word) for word in words.split()} == {have_content}
    assert not is_content_word("") and not is_content_word("although")
    assert is_content_word("although", FUNCTION_WORDS) and FUNCTION_WORDS < STOP_WORDS


def test_the_lexicon_is_read_once_and_without_torch() -> None:
    assert load_lexicon() is load_lexicon()
    code = (
        "import sys; from forest_align.lexicon.lexicon import load_lexicon; load_lexicon();"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_bundled_lexicon_is_pickled_by_name_and_any_other_is_not() -> None:
    lexicon = load_lexicon()
    assert pickle.loads(pickle.dumps(lexicon)) is lexicon
    with pytest.raises(TypeError, match="only the bundled lexicon"):
        pickle.dumps(Lexicon(lexicon.store))
