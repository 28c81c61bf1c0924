from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from forest_align.data.phrases.phrase_table import TABLE_FORMATS, PhraseEntry
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError

from ..places import SHARED

PPDB = SHARED / "data" / "lexicon" / "ppdb-1.0-xxxl-lexical.synonyms.tsv.gz"


def test_pairs_are_symmetric_and_lower_cased_and_listed_once() -> None:
    table = PairTable([("Die", "pass away"), ("pass away", "die"), ("same", "Same")])
    assert table.partners("die") == ("pass away",)
    assert table.partners("pass away") == ("die",)
    assert table.partners("same") == table.partners("nothing") == ()
    assert ("DIE", "pass away") in table and ("die", "die") not in table
    assert (len(table), table.longest) == (1, 2)


def test_blanks_and_kinds_of_apostrophes_make_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(" kick \tboot  up \r\n[NN] ||| o’clock ||| hour\r\n", encoding="utf-8")
    table = PairTable.load(path)
    assert table.partners("kick") == ("boot up",)
    assert table.partners("o'clock") == ("hour",)
    assert ("O’Clock", " hour") in table
    assert (len(table), table.longest) == (2, 2)


def test_plain_and_compressed_files_are_the_same(tmp_path: Path) -> None:
    text = "kick\tboot\t3.5\n\nbuy\tpurchase\r\n"
    plain, packed = tmp_path / "a.tsv", tmp_path / "b"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode("utf-8")))
    marked = tmp_path / "c.tsv"
    marked.write_text(text, encoding="utf-8-sig")
    for path in (plain, packed, marked):
        table = PairTable.load(path)
        assert (len(table), ("purchase", "buy") in table, table.partners("kick")) == (2, True, ("boot",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"kick\tboot\nnonsense\n", r"bad\.tsv:2: expected two words or phrases"),
        (b"[NN] ||| kick ||| boot ||| x\n[NN] ||| kick\n", r"bad\.tsv:2: expected .* or a line of PPDB"),
        (b"[NN] |||  ||| boot ||| x\n", r"bad\.tsv:1: expected .* or a line of PPDB"),
        (b"kick\tboot\n" * 999 + b"caf\xe9\tboot\n", r"bad\.tsv:1000: expected UTF-8, found byte 0xe9"),
        (gzip.compress(b"kick\tboot\n" * 1000)[:-20], r"bad\.tsv: cannot read"),
        (gzip.compress(b"kick\tboot\n")[:10] + b"\xff" * 20, r"bad\.tsv: cannot read"),
        (b"kick\tboot\n \tboot\n", r"bad\.tsv:2: expected two words or phrases"),
        (b"kick\t\r\n", r"bad\.tsv:1: expected two words or phrases"),
        (b"kick\t  \n", r"bad\.tsv:1: expected two words or phrases"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        PairTable.load(path)


def test_probabilities_come_from_ppdb_s_features_either_way_round(tmp_path: Path) -> None:
    path = tmp_path / "ppdb"
    path.write_text(
        "[VBP] ||| capable of ||| able to ||| p(e|f)=2.8 p(f|e)=1.3 Count=3 ||| 0-0 1-1\n"
        "[X] ||| able to ||| capable of ||| PPDB2.0Score=3 -logp(e2|e1)=0.5 -logp(e1|e2)=4\n"
        "[X] ||| cut ||| mow ||| p(e|f)=0 p(f|e)=-0.0\n"
        "[X] ||| cut ||| trim ||| Count=3\n"
    )
    table = PairTable.load(path)
    # The higher probability counts: the second line has the pair the other way round.
    assert table.scores("capable of", "able to") == pytest.approx((1 / 3.8, 1 / 1.5))
    assert table.scores("able to", "capable of") == pytest.approx((1 / 1.5, 1 / 3.8))
    assert table.scores("cut", "mow") == (1, 1)
    assert (
        table.scores("cut", "trim") == table.scores("cut", "nothing") == table.scores("no", "cut") == (0, 0)
    )


def test_probabilities_come_from_a_table_that_extract_wrote(tmp_path: Path) -> None:
    entry = PhraseEntry("kick", "boot up", "VB", "VP", 2, 1.5, 0.75, 0.25, "0-0", "1")
    kind = TABLE_FORMATS["tsv"]
    path = tmp_path / "table.tsv"
    path.write_text(kind.header + kind.line(entry))
    table = PairTable.load(path)
    assert len(table) == 1
    assert table.scores("kick", "boot up") == pytest.approx(
        (1 / (1 - math.log(0.75)), 1 / (1 - math.log(0.25)))
    )
    path.write_text(kind.line(entry))
    assert PairTable.load(path).scores("kick", "boot up") == (0, 0)


@pytest.mark.parametrize(
    "content",
    [
        "[X] ||| kick ||| boot ||| p(e|f)=1 p(f|e)=much\n",
        "[X] ||| kick ||| boot ||| p(e|f)=nan\n",
        "#source\ttarget\ttarget_given_source\nkick\tboot\tmuch\n",
    ],
)
def test_probabilities_that_are_no_numbers_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "table.tsv"
    path.write_text(content)
    with pytest.raises(InputError, match=rf"table\.tsv:{content.count(chr(10))}: expected numbers"):
        PairTable.load(path)


def test_a_line_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forest_align.lexicon.pair_table.MAX_LINE", 10)
    path = tmp_path / "pairs.tsv"
    path.write_text("kick\tboot\n" + "kick " * 9 + "\tboot\n")
    with pytest.raises(InputError, match=r"pairs\.tsv:2: expected lines of at most 64 MiB"):
        PairTable.load(path)


def test_lines_of_ppdb_are_pairs_too(tmp_path: Path) -> None:
    lines = (
        "[VBD] ||| kicked the bucket ||| died ||| PPDB2.0Score=5.2 AGigaSim=0 ||| 0-0 ||| Equivalence\n"
        "[NN] ||| café ||| coffeehouse ||| Abstract=0 Adjacent=0 ||| 0-0\r\n"
        "[.] ||| . ||| ; ||| Abstract=0 ||| 0-0\n"
    )
    for name, content in (("plain", lines.encode()), ("packed.gz", gzip.compress(lines.encode()))):
        path = tmp_path / name
        path.write_bytes(content)
        table = PairTable.load(path)
        assert (len(table), table.longest, table.partners(".")) == (3, 3, (";",))
        assert table.partners("died") == ("kicked the bucket",)
        assert table.partners("coffeehouse") == ("café",)
