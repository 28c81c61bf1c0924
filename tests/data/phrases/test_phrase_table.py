from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from forest_align.data.phrases.phrase_table import TABLE_FORMATS, PhraseEntry

DIED = PhraseEntry("died", "passed away", "VP::VBD", "VP", 3, 2.5, 0.5, 1.0, "0-0 0-1", "7")


def line(name: str, entry: PhraseEntry) -> str:
    text = TABLE_FORMATS[name].line(entry)
    assert text.endswith("\n") and text.count("\n") == 1
    return text[:-1]


def test_columns_are_under_their_names_relation_and_similarity_last() -> None:
    header = TABLE_FORMATS["tsv"].header.rstrip("\n").split("\t")
    cells = dict(zip(header, line("tsv", DIED).split("\t"), strict=True))
    assert (cells["#source"], cells["target"], cells["count"]) == ("died", "passed away", "3")
    figures = cells["expected_count"], cells["target_given_source"], cells["links"]
    assert figures == ("2.5", "0.5", "0-0 0-1")
    entry = replace(DIED, relation="more specific", similarity=4.25)
    assert line("tsv", entry).split("\t")[-2:] == ["more specific", "4.25"]
    assert " Similarity=4.25 " in line("ppdb", entry) and "Similarity" not in line("ppdb", DIED)
    values = json.loads(line("jsonl", DIED))
    assert (values["relation"], values["similarity"]) == ("", None)


def test_a_line_of_ppdb() -> None:
    label, source, target, features, links = line("ppdb", DIED).split(" ||| ")
    assert (label, source, target, links) == ("[VP]", "died", "passed away", "0-0 0-1")
    values = dict(feature.split("=") for feature in features.split(" "))
    assert float(values["p(e|f)"]) == pytest.approx(-math.log(0.5), abs=1e-5)
    assert values["p(f|e)"] == "0"
    assert float(values["RarityPenalty"]) == pytest.approx(math.exp(-2), abs=1e-5)
    assert (values["Lexical"], values["SourceWords"], values["TargetWords"]) == ("0", "1", "2")
    assert (values["UnalignedSource"], values["UnalignedTarget"], values["Monotonic"]) == ("0", "0", "1")


def test_words_in_another_order_are_not_monotonic_and_unlinked_ones_are_told() -> None:
    features = line("ppdb", replace(DIED, source="a b c", target="d e", links="0-1 2-0"))
    assert "Monotonic=0" in features and "UnalignedSource=1" in features and "UnalignedTarget=0" in features


@pytest.mark.parametrize(
    ("labels", "shown"),
    [(("NP", "NP::NN"), "[NP]"), (("NN", "NP::NN"), "[NN]"), (("NP", "VP"), "[X]"), (("", ""), "[X]")],
)
def test_ppdb_knows_one_category_a_pair(labels: tuple[str, str], shown: str) -> None:
    entry = replace(DIED, source_label=labels[0], target_label=labels[1])
    assert line("ppdb", entry).startswith(f"{shown} ||| ")
