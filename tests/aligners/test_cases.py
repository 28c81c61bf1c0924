"""Small cases made from public reports of faults, for the bundled aligners."""

from __future__ import annotations

from collections import Counter

import cases
import pytest
from cases import Case, Outcome

import forest_align
from forest_align.alignment import Alignment, Links
from forest_align.types import InputError, Sentence

from ..places import SHARED

FILE = SHARED / "cases" / "alignment.jsonl"
CASES = cases.read_cases(FILE) if FILE.exists() else []
ALIGNERS = ("contextual", "forest")

needs_cases = pytest.mark.skipif(
    not CASES, reason=f"needs the cases in {FILE}; set FOREST_ALIGN_SHARED to where they are"
)

#: Cases of each kind that were wrong once and are right now, for the contextual and the forest aligner.
MENDED = {
    "forest-group-cross-product": (0, 15),
    "exchanged-chain-passive": (9, 9),
    "repeated-head-other-construction": (14, 14),
    "sign-of-exchanged-amounts": (11, 12),
    "number-inside-a-word": (16, 16),
    "separated-particle": (16, 15),
    "agent-patient-nouns": (7, 7),
    "pronoun-antecedent": (8, 8),
    "direct-indirect-speech": (6, 6),
    "roman-numeral-ordinal": (6, 6),
    "fraction-percentage": (5, 4),
    "numeric-date": (3, 3),
    "gonna-wanna": (3, 3),
    "light-verb": (6, 6),
    "hashtag-two": (2, 2),
    "lexical-IT": (1, 0),
    "auxiliary-main-verb": (3, 1),
    "idiom": (1, 1),
}


@needs_cases
@pytest.mark.parametrize("aligner", ALIGNERS)
def test_controls_are_right_and_so_are_as_many_others_of_a_kind_as_were_mended(aligner: str) -> None:
    found = list(cases.judged(forest_align.load(aligner), CASES))
    wrong = [(case.kind, cases.describe(case, result)) for case, result, one in found if not one.right]
    assert [line for _, line in wrong if line.startswith("- control")] == []
    mended = Counter(case.kind for case, _, one in found if one.right and not case.is_control)
    wanted = {kind: counts[ALIGNERS.index(aligner)] for kind, counts in MENDED.items()}
    fallen = {kind for kind, count in wanted.items() if mended[kind] < count}
    assert [one for one in wrong if one[0] in fallen] == []


def case(must_have: list[list[str]], must_not_have: list[list[str]]) -> Case:
    return cases.case_of(
        {
            "kind": "toy",
            "source": "No no",
            "target": "no , no",
            "must_have": must_have,
            "must_not_have": must_not_have,
            "aligners": ["contextual"],
            "fails_now": True,
            "debatable": False,
        }
    )


def alignment(*links: tuple[int, int]) -> Alignment:
    source, target = (Sentence.from_words(text.split()) for text in ("No no", "no , no"))
    return Alignment(source, target, Links.of(links))


def test_links_that_must_and_must_not_be_there_are_counted() -> None:
    toy = case([["No#1", "no#1"], ["no#1", "no#2"]], [["no#1", ",#1"]])
    assert cases.judge(toy, alignment((0, 0), (1, 2), (0, 2))) == Outcome(2, 2, 0, 1, 1)
    assert cases.judge(toy, alignment((0, 0), (1, 1))) == Outcome(1, 2, 1, 0, 1)
    assert "lacks no#1–no#2; has no#1–,#1" in cases.describe(toy, alignment((0, 0), (1, 1)))
    missing = case([["never#1", "no#1"]], [])
    assert cases.judge(missing, alignment((0, 0))) == Outcome(0, 1, 0, 0, 1)


def test_a_table_has_precision_recall_and_right_cases_by_kind() -> None:
    rows = list(cases.table("toy", [("a", Outcome(3, 4, 1, 1, 2)), ("b", Outcome(0, 0, 0, 1, 1))]))
    assert rows[2:] == [
        "| a | 75.0 | 75.0 | 1/2 |",
        "| b | 100.0 | 100.0 | 1/1 |",
        "| all | 75.0 | 75.0 | 2/3 |",
    ]


def test_a_line_that_is_no_case_is_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "cases.jsonl"
    path.write_text('{"kind": "a"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"cases.jsonl:1: expected a case, found 'source'"):
        cases.read_cases(path)
