from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.chunks.chunk_model import ChunkJudgement
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.alignment import CHUNK_RELATIONS
from forest_align.em import recipes
from forest_align.em.attribution import SupportExample, read_support_examples
from forest_align.em.attribution import support_training as module
from forest_align.em.attribution.support_training import (
    area,
    cross_fitted_tables,
    fit,
    rows,
    table_of,
    unsupported_f1,
)
from forest_align.em.chunks.chunk_training import folds_of
from forest_align.types import InputError

from ..chunks.test_chunk_training import EXAMPLES, SETTINGS

WA = """<sentence id="{number}" status="">
// a dog {number}
// the dog barked
<source>
1 a :
2 dog :
</source>
<translation>
1 the :
2 dog :
3 barked :
</translation>
<alignment>
1 2 <==> 1 2 // SPE2_FACT // 4 // a dog <==> the dog
0 <==> 3 // NOALI // NIL // -not aligned- <==> barked
</alignment>
</sentence>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in module.SETS:
        path = tmp_path / f"STSint.input.{name}.wa"
        path.write_text("".join(WA.format(number=k).replace(f"// a dog {k}", "// a dog") for k in range(6)))
        (tmp_path / f"STSint.input.{name}.sent1.chunk.txt").write_text("[ a dog ]\n" * 6)
        (tmp_path / f"STSint.input.{name}.sent2.chunk.txt").write_text("[ the dog ] [ barked ]\n" * 6)
    return tmp_path


def made() -> list[SupportExample]:
    """Pairs of which the first chunk is equivalent and the second of the source more specific."""
    found = []
    for one in EXAMPLES:
        similarity, linked = (0.8, 0.7), (np.array([0.9, 0.5, 0.1]), np.array([0.9, 0.5, 0.1]))
        found.append(SupportExample(one, True, similarity, linked))
        strange = replace(one, relations=np.full((3, 3), -1), features=np.zeros_like(one.features))
        found.append(SupportExample(strange, False, (0.2, 0.3), (np.zeros(3), np.zeros(3))))
    return found


def test_a_chunk_is_supported_by_one_that_says_the_same_or_more() -> None:
    first, second = made()[0].supported()
    assert first.tolist() == [True, False, False]
    assert second.tolist() == [True, True, False]
    assert not np.concatenate(made()[1].supported()).any()


def test_every_fourth_pair_is_followed_by_strangers(folder: Path) -> None:
    path = folder / "STSint.input.images.wa"
    found = read_support_examples(path, ContextualAligner(), limit=4)
    assert [one.is_pair for one in found] == [True] * 4 + [False]
    assert found[0].supported()[0].tolist() == [True]
    assert found[0].supported()[1].tolist() == [False, False]
    assert not np.concatenate(found[4].supported()).any()
    first, second = found[0].linked
    assert first[0] > 0.5 > second[1]
    assert len(read_support_examples(path, ContextualAligner(), limit=1)) == 1
    (folder / "STSint.input.images.sent1.chunk.txt").unlink()
    with pytest.raises(InputError, match="expected its chunks"):
        read_support_examples(path, ContextualAligner())


def test_a_table_has_the_chunks_of_both_sides() -> None:
    aligned = np.array([[0.9, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.2]])
    relations = np.zeros((3, 3, len(CHUNK_RELATIONS)))
    relations[..., CHUNK_RELATIONS.index("more specific")] = 0.75
    relations[..., CHUNK_RELATIONS.index("equivalent")] = 0.25
    features, right, linked = table_of(made()[0], ChunkJudgement(aligned, relations, np.zeros((3, 3, 5))))
    assert right.tolist() == [True, False, False, True, True, False]
    assert linked.tolist() == [0.9, 0.5, 0.1] * 2
    # The source says more: it is supported a quarter as probably as it supports.
    assert features[:, 0].tolist() == pytest.approx(
        [np.log(p / (1 - p)) for p in (0.225, 0.2, 0.05, 0.9, 0.8, 0.2)]
    )
    assert features[:, 2].tolist() == [0.8] * 3 + [0.7] * 3


def test_no_chunk_is_judged_by_a_model_that_has_seen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = made()
    folds = folds_of([one.chunks for one in examples])
    assert np.bincount(folds).tolist() == [8] * 5

    class Recorder:
        def __init__(self, known: list[object]) -> None:
            self.known = {id(one.features) for one in known}  # type: ignore[attr-defined]

        def judge(self, features: np.ndarray) -> bool:
            return id(features) in self.known

    seen: list[bool] = []
    monkeypatch.setattr(module, "fit_chunks", lambda training, settings: Recorder(training))
    monkeypatch.setattr(module, "table_of", lambda one, judged: seen.append(judged))
    cross_fitted_tables(examples, SETTINGS)
    assert seen == [False] * len(examples)


def test_figures_of_separable_chunks_are_perfect() -> None:
    examples = made()
    tables = cross_fitted_tables(examples, SETTINGS)
    found = [row.strip("| ").split(" | ") for row in rows(examples, tables)][2:]
    assert [row[0] for row in found] == ["made", "pairs", "all"]
    assert found[0][1:] == found[1][1:]
    assert [row[1] for row in found] == ["120", "120", "240"]
    assert all(float(row[4]) > 95 for row in found)
    assert len(fit(tables)) == 4


def test_area_and_f1_are_those_counted_by_hand() -> None:
    scores, right = np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False])
    assert area(scores, right) == pytest.approx(100 * 3.5 / 4)
    assert unsupported_f1(scores, right, 0.6) == pytest.approx(200 * 2 / 5)
    assert unsupported_f1(scores, right, 0.2) == pytest.approx(200 / 3)


def test_the_program_prints_the_table_and_the_weights(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ChunkSettings", lambda: replace(SETTINGS, steps=5))
    recipes.main(["support", str(folder)])
    *table, weights = capsys.readouterr().out.splitlines()
    assert len(table) == 7
    assert weights.startswith("SUPPORT_WEIGHTS = (") and weights.count(",") == 3
