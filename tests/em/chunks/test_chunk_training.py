"""The chunk model learns from a few made chunks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.chunks.chunk_features import CHUNK_FEATURES
from forest_align.aligners.chunks.chunk_model import ChunkJudgement
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.pair import GivenChunks
from forest_align.alignment import CHUNK_RELATIONS
from forest_align.data.formats.format import ChunkLink
from forest_align.em.chunks.chunk_examples import ChunkExample, read_chunk_examples
from forest_align.em.chunks.chunk_training import (
    ChunkSettings,
    best_thresholds,
    cross_fitted,
    error_rows,
    figures_by_set,
    fit_chunks,
)
from forest_align.types import InputError

SETTINGS = ChunkSettings(hidden=8, steps=200, batch=64, rate=0.02, decay=0.01)
LINKED, MORE = (CHUNK_FEATURES.index(name) for name in ("strongest link", "source words without link"))


def example(seed: int) -> ChunkExample:
    """Three one-word chunks each. The first are equivalent, the second of the source is more specific."""
    generator = np.random.default_rng(seed)
    features = np.zeros((3, 3, len(CHUNK_FEATURES)), np.float32)
    features[..., [LINKED, MORE]] = generator.normal(0, 0.1, (3, 3, 2))
    relations = np.full((3, 3), -1)
    for k, name in enumerate(("equivalent", "more specific")):
        features[k, k, LINKED] += 1
        features[k, k, MORE] += k
        relations[k, k] = CHUNK_RELATIONS.index(name)
    words, spans = ("a", "b", "c"), [(0, 1), (1, 2), (2, 3)]
    gold = [ChunkLink((0,), (0,), "EQUI", "5"), ChunkLink((1,), (1,), "SPE1", "4")]
    similarities = np.where(relations == 0, 5, np.where(relations > 0, 4, -1))
    chunks = GivenChunks(spans, spans)
    return ChunkExample("made", words, words, chunks, gold, features, relations, similarities)


EXAMPLES = [example(seed) for seed in range(20)]


def test_a_model_learns_which_chunks_correspond_and_how() -> None:
    judged = fit_chunks(EXAMPLES, SETTINGS).judge(example(99).features)
    assert (judged.aligned > 0.5).tolist() == [[True, False, False], [False, True, False], [False] * 3]
    assert judged.relations[0, 0].argmax() == 0 and judged.relations[1, 1].argmax() == 1
    assert (judged.similarities[0, 0].argmax(), judged.similarities[1, 1].argmax()) == (4, 3)


def test_training_is_the_same_each_time() -> None:
    first, second = (fit_chunks(EXAMPLES[:5], replace(SETTINGS, steps=5)).weights for _ in range(2))
    assert all((first[name] == second[name]).all() for name in first)


def test_each_pair_is_judged_by_a_model_that_has_not_seen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[int]] = []

    class Recorder:
        def __init__(self, examples: list[ChunkExample]) -> None:
            self.known = {id(one.features) for one in examples}

        def judge(self, features: np.ndarray) -> bool:
            return id(features) in self.known

    def fit(examples: list[ChunkExample], settings: ChunkSettings) -> Recorder:
        seen.append([id(one) for one in examples])
        return Recorder(examples)

    monkeypatch.setattr("forest_align.em.chunks.chunk_training.fit_chunks", fit)
    assert not any(cross_fitted(EXAMPLES, SETTINGS))  # type: ignore[arg-type]
    assert [len(one) for one in seen] == [16] * 5


def test_figures_are_those_of_the_shared_task() -> None:
    judged = cross_fitted(EXAMPLES, SETTINGS)
    thresholds = best_thresholds(EXAMPLES, judged)
    figures = figures_by_set(EXAMPLES, judged, thresholds)
    assert figures["made"] == figures["all"]
    assert figures["all"]["f1.alignment"] > 95 and figures["all"]["f1.type_and_score"] > 90


def test_errors_are_counted_by_what_people_and_the_model_did_with_both_chunks() -> None:
    # People align 0-0 and 1-1; then also 1-2, so that the second chunk of the source is shared.
    shared = EXAMPLES[0].relations.copy()
    shared[1, 2] = 3
    examples = [EXAMPLES[0], EXAMPLES[0], replace(EXAMPLES[0], relations=shared)]
    tables = np.zeros((3, 3, 3), np.float32)
    tables[0, 2, 2] = tables[0, 0, 1] = 0.9  # neither is aligned, both are; 0-0 and 1-1 are half missed
    tables[1, 0, 2] = tables[2, 0, 0] = 0.9  # one is aligned; all that is shared is missed
    nothing = np.zeros((3, 3, 6), np.float32)
    judged = [ChunkJudgement(table, nothing, nothing) for table in tables]
    *_, made, everything = error_rows(examples, judged, (0.5, 1.0))
    assert made == "| made | 7 | 1 | 1 | 1 | 1 | 3 | 2 |"
    assert everything == made.replace("made", "all")


WA = """<sentence id="1" status="">
// a dog
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


def test_examples_are_read_from_wa_files_and_their_chunks(tmp_path: Path) -> None:
    path = tmp_path / "STSint.input.x.wa"
    path.write_text(WA)
    with pytest.raises(InputError, match="pair '1': expected its chunks"):
        read_chunk_examples([path], ContextualAligner())
    (tmp_path / "STSint.input.x.sent1.chunk.txt").write_text("[ a dog ]\n")
    (tmp_path / "STSint.input.x.sent2.chunk.txt").write_text("[ the dog ] [ barked ]\n")
    (found,) = read_chunk_examples([path], ContextualAligner())
    assert found.relations.tolist() == [[CHUNK_RELATIONS.index("more general"), -1]]
    assert found.similarities.tolist() == [[4, -1]]
    assert found.features.shape == (1, 2, len(CHUNK_FEATURES))
