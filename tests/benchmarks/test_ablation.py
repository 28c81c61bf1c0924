"""The script that measures what each part of the forest aligner contributes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ablation as ablation_script
import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.projection.aligner import ProjectionAligner
from forest_align.aligners.words.candidate import Candidate
from forest_align.em.corpus.corpus import CorpusReader
from forest_align.em.forest.dev_set import DevSet, align_pair
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing.forests.trees import read_bracket, sentence_from_trees
from forest_align.types import Sentence

from ..em.forest.test_dev_set import TREES, gold_pairs, parse_many
from ..em.forest.test_model_making import cells


@pytest.fixture
def ablation(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads two pairs from any file."""

    def reader(parser: str, forest_size: int, candidates: str, cache: Path | None) -> CorpusReader:
        made = CorpusReader("toy", forest_size=forest_size, candidates="dictionary")
        monkeypatch.setattr(made, "_parser", parse_many)
        return made

    module = ablation_script
    monkeypatch.setattr(module, "CorpusReader", reader)
    monkeypatch.setattr(module, "read_pairs", lambda path: gold_pairs())
    return module


def test_the_ablation_has_a_table_for_each_file_and_one_for_all(
    ablation: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    models = ["--untrained", "uniform", "--by-hand", "fixed"]
    ablation.main(["x/a", "x/b", *models, "--skip", "1"])
    first, second, both = (cells(table) for table in capsys.readouterr().out.strip().split("\n\n"))
    assert [table[0][0] for table in (first, second, both)] == [
        "x a (1 pairs)",
        "x b (1 pairs)",
        "all (2 pairs)",
    ]
    systems = [row[0] for row in first[2:]]
    assert systems == [
        "full", "monotonic", "without EM", "by hand", "1-best", "no links", "no parse",
        "projection",
    ]  # fmt: skip
    assert [row[1:-1] for row in first[2:]] == [row[1:-1] for row in both[2:]]


def test_only_some_rows_are_measured_on_request(ablation: Any, capsys: pytest.CaptureFixture[str]) -> None:
    models = ["--untrained", "uniform", "--by-hand", "fixed"]
    ablation.main(["x/a", *models, "--rows", "full", "projection"])
    assert [row[0] for row in cells(capsys.readouterr().out.strip())[2:]] == ["full", "projection"]


def ablation_options(**changes: Any) -> argparse.Namespace:
    names = {"model": "forest", "untrained": "uniform", "by_hand": "fixed"}
    options = {"parser": "toy", "forest_size": 10, "forests": None, "skip": 0, "limit": None, "rows": None}
    return argparse.Namespace(**{**names, **options, **changes})


def test_systems_are_what_their_names_say(ablation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, DevSet] = {}
    prepare = ablation.dev_set

    def noted(path: str, options: argparse.Namespace, candidates: str) -> DevSet:
        made[candidates] = prepare(path, options, candidates)
        return made[candidates]

    monkeypatch.setattr(ablation, "dev_set", noted)
    monkeypatch.setattr(ablation, "rows_of", lambda dev, model, name: (dev, model))
    monkeypatch.setattr(ablation, "projection_rows", lambda dev: (dev, None))
    systems = ablation.measure("x/a", ablation_options())
    assert systems.pop("projection") == (made["contextual"], None)
    full = ForestAligner.load().model
    changed = {
        "monotonic": {"noncompositional_penalty": None},
        "no links": {"link_weight": 0.0},
        "no parse": {"tree_weight": 0.0},
    }
    models = {"without EM": "uniform", "by hand": "fixed"}
    for name, (dev, model) in systems.items():
        expected = ForestAligner.load(models.get(name, "forest")).model
        assert model.options == replace(expected.options, **changed.get(name, {})), name
        assert (model.weights == expected.weights).all(), name
        assert all(getattr(full.options, key) != value for key, value in changed.get(name, {}).items())
        if name == "1-best":
            assert dev not in made.values()
        else:
            assert dev is made[name if name in made else "contextual"], name
    other_trees = [(6, [(0, 6), (1, 3)]), (7, [(0, 7)]), (5, [(0, 5), (2, 4)]), (4, [(0, 4)])]
    parses = SimpleNamespace(read=lambda path: SimpleNamespace(constituents=lambda: other_trees))
    monkeypatch.setattr(ablation, "StanfordParses", parses)
    for name, (dev, _) in ablation.measure("x/a", ablation_options(), "trees.xml").items():
        spans = [one.projection.source_spans.tolist() for one in dev.pairs]
        assert spans == [[[0, 6], [1, 3]], [[0, 5], [2, 4]]], name


def test_the_projection_is_that_of_likely_words_onto_best_trees(
    ablation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dev = ablation.dev_set("a", ablation_options(), "dictionary")
    first, second = dev.pairs
    links = {(0, 5): 0.9, (2, 6): 0.5, (3, 3): 0.8, (4, 0): 0.7, (5, 1): 0.7, (1, 1): 0.4}
    candidates = [Candidate((i, i + 1), (j, j + 1), score) for (i, j), score in links.items()]
    candidates.append(Candidate((0, 3), (0, 2), 0.9))  # a group is no link
    pair = replace(first.pair, candidates=tuple(sorted(candidates)))
    found = ablation.projected(ProjectionAligner(), pair.source, pair.target, pair.candidates)
    likely = [link for link, score in links.items() if score >= 0.5]
    assert found.words.pairs == tuple(sorted(likely))
    spans = {(one.source_node.span, one.target_node.span) for one in found.phrases}
    phrases = {((0, 3), (5, 7)), ((4, 6), (0, 2)), ((0, 6), (0, 7))}
    assert spans == phrases | {((i, i + 1), (j, j + 1)) for i, j in likely}
    dev.pairs = [replace(first, pair=pair), second]
    rows = ablation.projection_rows(dev)
    # All 8 pairs and all 5 links are right; the gold projects to the same 8 pairs.
    assert rows[0].tolist() == [8, 8, 8, 8, 5, 5, 5, 5, 1, 0, 0, 0, 0]
    assert rows.shape == dev.statistics(ForestAligner.load().model).shape


def test_other_trees_are_asked_for_in_a_table_of_their_own(
    ablation: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = []

    def measure(path: str, options: argparse.Namespace, trees: str | None = None) -> dict[str, np.ndarray]:
        calls.append((path, trees))
        return {"full": np.ones((1 if trees is None else 2, 13))}

    monkeypatch.setattr(ablation, "measure", measure)
    models = ["--untrained", "uniform", "--by-hand", "fixed"]
    ablation.main(["x/a", *models, "--stanford", "y/b", "trees.xml"])
    assert calls == [("x/a", None), ("y/b", "trees.xml")]
    titles = [cells(table)[0][0] for table in capsys.readouterr().out.strip().split("\n\n")]
    assert titles == ["x a (1 pairs)", "y b, Stanford (2 pairs)"]


def test_the_ablation_leaves_out_pairs_at_the_start_and_takes_so_many(
    ablation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    five = [replace(gold_pairs()[number % 2], id=str(number)) for number in range(5)]
    monkeypatch.setattr(ablation, "read_pairs", lambda path: five)
    for limit, expected in ((2, ["2", "3"]), (None, ["2", "3", "4"])):
        dev = ablation.dev_set("a", ablation_options(skip=2, limit=limit), "dictionary")
        assert [one.pair.id for one in dev.pairs] == expected


def test_rows_come_in_the_order_of_the_pairs(ablation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablation, "CHUNK", 2)
    five = [replace(gold_pairs()[number % 2], id=str(number)) for number in (0, 0, 1, 0, 1)]
    monkeypatch.setattr(ablation, "read_pairs", lambda path: five)
    dev, model = ablation.dev_set("a", ablation_options(), "dictionary"), ForestAligner.load().model
    assert (ablation.rows_of(dev, model, "toy") == dev.statistics(model)).all()


def test_an_asterisk_marks_what_is_significant_and_p_is_that_of_constituent_f1(ablation: Any) -> None:
    row = [4, 4, 4, 4] + [4, 4, 4, 4] + [1] + [0] * 4
    full = np.array([row] * 40, float)
    worse = full.copy()
    worse[:, 0] = worse[:, 2] = 2  # constituents
    some, few = full.copy(), full.copy()
    some[:6, [0, 2]] = few[:5, [0, 2]] = 2  # p of 1/32 and of 1/16
    systems = {"full": full, "same": full, "worse": worse, "some": some, "few": few}
    same, other, *close = cells(ablation.table("toy", systems))[3:]
    assert same == ["same", "100.00", "100.00", "100.00", "100.00", "100.00", "1.0000"]
    assert other == ["worse", "50.00*", "50.00*", "50.00*", "100.00", "100.00", "0.0001"]
    assert [row[1:4] for row in close] == [["92.50*"] * 3, ["93.75"] * 3]


def test_other_trees_ask_for_their_constituents_wherever_a_pair_stands_in_its_file(
    ablation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = CorpusReader("toy", candidates="dictionary")
    monkeypatch.setattr(reader, "_parser", parse_many)
    dev = DevSet(reader.read(gold_pairs())[0])
    spans = [(6, [(0, 6)]), (7, [(0, 7)]), (5, [(0, 5), (2, 4)]), (4, [(0, 4)])]
    places = {"0": 0, "1": 1}
    both = ablation.judged_by(dev, spans, places)
    second = DevSet([dev.pairs[1].pair])
    alone = ablation.judged_by(second, spans, places)
    assert [len(one.pairs) for one in (both, alone)] == [2, 1]
    for one in (both.pairs[1], alone.pairs[0]):
        assert one.projection.source_spans.tolist() == [[0, 5], [2, 4]]
    assert not ablation.judged_by(second, spans, {"1": 0}).pairs, "sentences of other lengths"


def test_a_pair_on_best_trees_is_what_the_aligner_makes_of_these(
    ablation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lemma = load_lexicon().lemma

    def parse_twice(texts: Iterable[list[str]]) -> Iterator[Sentence]:
        for words in texts:
            best = read_bracket(TREES[" ".join(words)])
            flat = read_bracket("(S " + " ".join(f"(NN {word})" for word in words) + ")")
            yield sentence_from_trees([flat, best], [-1.0, -0.1], lemmatizer=lemma)

    reader = CorpusReader("toy", candidates="dictionary")
    monkeypatch.setattr(reader, "_parser", parse_twice)
    packed = DevSet(reader.read(gold_pairs())[0])
    monkeypatch.setattr(reader, "_parser", parse_many)
    single = DevSet(reader.read(gold_pairs())[0])
    model = ForestAligner.load().model
    for many, one in zip(packed.pairs, single.pairs, strict=True):
        best = ablation.on_best_tree(many)
        assert len(best.pair.source.forest.start) < len(many.pair.source.forest.start)
        assert (best.pair.features.relations == one.pair.features.relations).all()
        assert align_pair(best.pair, model).phrases == align_pair(one.pair, model).phrases
