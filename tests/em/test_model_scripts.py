"""The scripts that make the forest aligner's bundled models again, and the tables of what training does."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.forest import ForestAligner
from forest_align.aligners.forest_model import ForestModel
from forest_align.aligners.phrase_calibration import PhraseCalibration
from forest_align.data.pair_types import SentencePair
from forest_align.em.corpus import CorpusPair, CorpusReader
from forest_align.em.dev_set import DevSet, align_pair
from forest_align.em.phrase_calibration import JudgedPhrases
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing.trees import read_bracket, sentence_from_trees
from forest_align.types import Sentence

from .test_dev_set import TREES, gold_pairs, parse_many

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module


@pytest.fixture
def table_script(script: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads two pairs from any file."""

    def reader(forest_size: int = 10, cache: Path | None = None) -> CorpusReader:
        made = CorpusReader("toy", forest_size=forest_size, candidates="dictionary")
        monkeypatch.setattr(made, "_parse_many", parse_many)
        return made

    def read_pairs(path: str) -> list[SentencePair]:
        return gold_pairs()

    module = script("training_table")
    monkeypatch.setattr(module, "CorpusReader", reader)
    monkeypatch.setattr(module, "read_pairs", read_pairs)
    return module


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_normalizers_are_compared_with_the_default(
    table_script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    table_script.main(
        ["pairs", "--gold", "a", "b", "--skip", "1", "--start", "uniform", "--epochs", "1",
         "--normalizers", "pair", "training", "--uses", "symmetric"]
    )  # fmt: skip
    head, _, *rows = cells(capsys.readouterr().out)
    assert head[0] == "trained by, 2 pairs (2 pairs)"  # one of each of two files
    trained = ["nothing", "symmetric", "pair", "training"]
    assert [row[0] for row in rows] == [
        f"{name}, used as {use}" for name in trained for use in ("sides", "symmetric")
    ]
    probabilities = {row[0]: row[-1] for row in rows}
    assert probabilities.pop("symmetric, used as sides") == ""
    assert all(0 < float(value) <= 1 for value in probabilities.values())


def test_forest_sizes_are_compared_with_the_model_s_own(
    table_script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    table_script.main(["--gold", "a", "--forest-sizes", "50", "1"])
    _, _, *rows = cells(capsys.readouterr().out)
    assert [(row[0], bool(row[-1])) for row in rows] == [("1", True), ("10", False), ("50", True)]


def test_the_table_of_sizes_has_a_line_for_each(
    table_script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--sizes", "1", "0", "--batch-sizes", "1", "0", "--epochs", "1"]
    table_script.main(["pairs", "--gold", "a", "--start", "uniform", *sizes])
    _, _, *rows = cells(capsys.readouterr().out)
    assert [row[:2] for row in rows] == [["1", "all"], ["2", "1"], ["2", "all"]]


def test_the_pairs_of_each_file_are_skipped_and_limited(
    table_script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Reader:
        def read(self, pairs: list[str]) -> tuple[list[str], list[str]]:
            return [pair for pair in pairs if pair != "a2"], [pair for pair in pairs if pair == "a2"]

    monkeypatch.setattr(table_script, "read_pairs", lambda path: [f"{path}{number}" for number in range(5)])
    assert table_script.read(["a", "b"], Reader(), 2, 1) == ["a1", "b1", "b2"]
    assert capsys.readouterr().err == "a2\n"
    for everything in (0, None):
        assert table_script.read(["b"], Reader(), everything, 3) == ["b3", "b4"]


def test_training_needs_pairs(table_script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        table_script.main(["--gold", "a"])
    assert "needs PAIRS" in capsys.readouterr().err


@pytest.fixture
def ablation(script: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads two pairs from any file."""

    def reader(parser: str, forest_size: int, candidates: str, cache: Path | None) -> CorpusReader:
        made = CorpusReader("toy", forest_size=forest_size, candidates="dictionary")
        monkeypatch.setattr(made, "_parse_many", parse_many)
        return made

    module = script("ablation")
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
        "full", "monotonic", "without EM", "by hand", "1-best", "no links", "no parse", "parts", "union",
        "dictionary",
    ]  # fmt: skip
    assert [row[1:-1] for row in first[2:]] == [row[1:-1] for row in both[2:]]


def test_an_asterisk_marks_what_is_significant_and_p_is_that_of_constituent_f1(ablation: Any) -> None:
    row = [4, 4, 4, 4] + [4, 4, 4, 4] + [1] + [0] * 4
    full = np.array([row] * 40, float)
    worse = full.copy()
    worse[:, 0] = worse[:, 2] = 2  # constituents
    same, other = cells(ablation.table("toy", {"full": full, "same": full, "worse": worse}))[3:]
    assert same == ["same", "100.00", "100.00", "100.00", "100.00", "100.00", "1.0000"]
    assert other == ["worse", "50.00*", "50.00*", "50.00*", "100.00", "100.00", "0.0001"]


def test_other_trees_ask_for_their_constituents_wherever_a_pair_stands_in_its_file(
    ablation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = CorpusReader("toy", candidates="dictionary")
    monkeypatch.setattr(reader, "_parse_many", parse_many)
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
    monkeypatch.setattr(reader, "_parse_many", parse_twice)
    packed = DevSet(reader.read(gold_pairs())[0])
    monkeypatch.setattr(reader, "_parse_many", parse_many)
    single = DevSet(reader.read(gold_pairs())[0])
    model = ForestAligner.load().model
    for many, one in zip(packed.pairs, single.pairs, strict=True):
        best = ablation.on_best_tree(many)
        assert len(best.pair.source.forest.start) < len(many.pair.source.forest.start)
        assert (best.pair.features.relations == one.pair.features.relations).all()
        assert align_pair(best.pair, model).phrases == align_pair(one.pair, model).phrases


def test_probabilities_are_fitted_on_every_other_pair_and_reported_on_the_rest(
    script: Callable[[str], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sizes, judged = [], []

    def reader(parser: str, *, forest_size: int, confident_link: float, cache: Path | None) -> CorpusReader:
        sizes.append(forest_size)
        made = CorpusReader("toy", candidates="dictionary")
        monkeypatch.setattr(made, "_parse_many", parse_many)
        return made

    module = script("calibrate_phrases")
    judge = module.judge_phrases

    def noted(pairs: list[CorpusPair], *options: Any) -> JudgedPhrases:
        judged.append([pair.id for pair in pairs])
        result: JudgedPhrases = judge(pairs, *options)
        return result

    five = [replace(gold_pairs()[number % 2], id=str(number)) for number in range(5)]
    monkeypatch.setattr(module, "CorpusReader", reader)
    monkeypatch.setattr(module, "read_pairs", lambda path: five)
    monkeypatch.setattr(module, "judge_phrases", noted)
    start = replace(ForestAligner.load().model, description={"tuned": {"forest_size": 3}})
    start.save(tmp_path / "start")
    output = tmp_path / "calibrated"
    module.main(["x/a", "--model", str(tmp_path / "start"), "-o", str(output), "--limit", "4"])
    assert (sizes, judged) == ([3], [["0", "2"], ["1", "3"]])
    model = ForestModel.load(output)
    assert str(model.calibration) in capsys.readouterr().out
    assert model.description == {"tuned": {"forest_size": 3}, "calibrated_on": {"x/a": 2}}
    assert model.options == start.options and (model.weights == start.weights).all()
    with pytest.raises(SystemExit):
        module.main(["one/x/a", "other/x/a"])
    assert "files of different names" in capsys.readouterr().err


BEST = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NNS eyes))))))"
CHOSEN = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NNS eyes)))))"


def test_prepositions_that_the_alignment_attaches_otherwise_are_found(script: Callable[[str], Any]) -> None:
    module = script("compare_trees")
    case = module.Case(("I", "saw", "a", "man", "with", "eyes"), "other", BEST, CHOSEN, CHOSEN)
    assert module.prepositions(BEST) == {4}
    assert module.prepositions("(S (PP (PP (IN out)) (PP (TO to) (NP (NN sea)))) (VP (VB go)))") == {0, 1}
    assert [found[1:] for found in module.attachments([case])] == [(4, 3, 1, 1)]
    spelled = replace(case, reference=CHOSEN.replace("(PRP I)", "(PRP -LRB-)"))
    assert module.labelled([spelled], "reference") == module.labelled([case], "chosen")
    assert "with (4): parser man, alignment saw, Stanford saw" in module.describe(1, case, 4, 3, 1, 1)


def test_figures_of_the_search_are_those_worked_out_by_hand(script: Callable[[str], Any]) -> None:
    module = script("measure_forest")
    words = [[1, 2, 1, 4, 1, 5, 0.25], [3, 3, 3, 4, 0, 2, 0.75]]
    assert module.figures(np.array(words)) == pytest.approx([50, 50, 80, 3.5, 500])
    # Two more columns: compatible pairs, and all predicted ones, of which some are not judged.
    chunks = [[1, 2, 1, 4, 3, 4, 1, 5, 0.25], [3, 3, 3, 4, 3, 6, 0, 2, 0.75]]
    assert module.figures(np.array(chunks)) == pytest.approx([50, 50, 80, 50, 60, 3.5, 500])


def test_an_untuned_model_has_nothing_of_a_sweep(script: Callable[[str], Any], tmp_path: Path) -> None:
    for name in ("uniform", "fixed"):
        model = ForestAligner.load(name).model
        other = replace(
            model,
            options=replace(model.options, null_penalty=1.1, beam=20),
            calibration=PhraseCalibration(temperature=3.0),
            description={"weights": model.description["weights"]},
        )
        other.save(tmp_path / "other")
        for start, output in ((name, "first"), (str(tmp_path / "other"), "second")):
            script("untuned_model").main([start, "-o", str(tmp_path / output)])
        for file in (tmp_path / "first").iterdir():
            assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes()
        untuned = ForestModel.load(tmp_path / "first")
        assert (untuned.weights == model.weights).all() and untuned.lexical == model.lexical
        assert (untuned.options.null_penalty, untuned.options.generation_gap) == (1.4, 5)


def test_no_sweep_of_the_bundled_models_starts_with_options_that_came_out_of_one() -> None:
    text = (SCRIPTS / "fit_forest_model.sh").read_text(encoding="utf-8")
    swept = re.findall(r'^tune_model "([^"]*)"', text, re.MULTILINE)
    assert swept == ["$out/start/uniform", "$out/em", "$out/start/fixed"]
    assert '--start "$out/uniform"' in text and 'untuned_model.py" "$bundled/$weights"' in text
