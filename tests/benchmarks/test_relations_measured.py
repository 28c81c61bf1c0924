"""The script that compares relations of whole sentences with labels."""

from __future__ import annotations

from pathlib import Path

import measure_relations
import pytest

from forest_align.types import InputError


def test_the_table_has_the_relations_of_each_label(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        "pair_ID\tsentence_A\tsentence_B\tentailment_judgment",
        "1\tThe tests passed.\tThe tests did not pass.\tCONTRADICTION",
        "2\tA black dog barked.\tA dog barked.\tENTAILMENT",
        "3\tRome beat Carthage.\tCarthage was beaten by Rome.\tENTAILMENT",
    ]
    path = tmp_path / "train.txt"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    measure_relations.main([str(path)])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| CONTRADICTION | 1 | 0.0 | 0.0 | 0.0 | 0.0 | 100.0 | 0.0 |",
        "| ENTAILMENT | 2 | 50.0 | 50.0 | 0.0 | 0.0 | 0.0 | 0.0 |",
    ]
    path.write_text("a\tb\n", encoding="utf-8")
    with pytest.raises(InputError, match="sentence1, sentence2, label"):
        measure_relations.read_labelled(path)
