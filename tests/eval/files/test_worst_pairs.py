"""Which pairs have most errors."""

from __future__ import annotations

from forest_align.alignment import Links
from forest_align.eval.files.matching import FilePrediction, JudgedPair, worst_pairs, worst_text


def gold(name: str, links: Links) -> JudgedPair:
    return JudgedPair(name, ["a", "b"], ["c", "d"], links)


def test_the_pairs_with_most_errors_come_first_with_their_links() -> None:
    pairs = [
        gold("right", Links.of([(0, 0)])),
        gold("one", Links.of([(0, 0), (1, 1)], sure=[True, False])),
        gold("two", Links.of([(0, 0)])),
    ]
    predictions = [FilePrediction(links=Links.of(links)) for links in ([(0, 0)], [(1, 1)], [(1, 0)])]
    found = worst_pairs(pairs, predictions, 5)
    assert [(one.pair.id, one.missing, one.wrong) for one in found] == [
        ("two", ((0, 0),), ((1, 0),)),
        # A possible link need not be found, and is not wrong.
        ("one", ((0, 0),), ()),
    ]
    assert [one.pair.id for one in worst_pairs(pairs, predictions, 1)] == ["two"]
    assert worst_pairs(pairs, predictions, 5, links="all")[1].missing == ((0, 0),)
    assert worst_text(found[:1]) == (
        "\npair two: 1 missing, 1 wrong\n  a b\n  c d\n  missing: a–c\n  wrong: b–c"
    )
