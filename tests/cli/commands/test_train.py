"""``forest-align train``: its dispatch, and ``train forest`` on a handful of pairs and flat trees."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.forest.features import GENERAL_FEATURES
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions
from forest_align.cli import command_parser, main
from forest_align.cli.arguments import read
from forest_align.cli.commands import train_forest
from forest_align.cli.commands.train import TRAINERS
from forest_align.cli.commands.train_forest import TrainForestOptions
from forest_align.cli.corpora import check_model_folder
from forest_align.em.corpus.corpus import CorpusReader
from forest_align.em.forest.expectation import expect_in_threads
from forest_align.em.forest.state import RUN, TrainingSettings, load_state
from forest_align.em.forest.training import TrainedModel
from forest_align.jobs import RayOptions
from forest_align.storage.checkpoint import Checkpoint
from forest_align.types import ForestAlignError, InputError, Sentence

from ...command_line import CommandLine, written

PAIRS = (
    ("the old man bought a car", "the old man purchased a car"),
    ("she sold her house", "she sold her home"),
    ("dogs like meat", "dogs love meat"),
    ("he died in London", "he died in London yesterday"),
)
TAGS = {"the": "DT", "a": "DT", "her": "PRP$", "old": "JJ", "in": "IN", "she": "PRP", "he": "PRP"}


class FlatParser:
    """Gives every sentence one flat tree."""

    def parse_many(self, sentences: Sequence[Any]) -> Iterator[Sentence | InputError]:
        from forest_align.lexicon.lexicon import load_lexicon
        from forest_align.parsing import sentence_from_bracket

        for sentence in sentences:
            words = sentence.split() if isinstance(sentence, str) else sentence
            if words:
                leaves = " ".join(f"({TAGS.get(word, 'NN')} {word})" for word in words)
                yield sentence_from_bracket(f"(S {leaves})", lemmatizer=load_lexicon().lemma)
            else:
                yield InputError("the sentence is empty")


@pytest.fixture(autouse=True)
def flat_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser_for_alignment", lambda *args, **options: FlatParser()
    )


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = written(tmp_path / "pairs.tsv", "".join(f"{source}\t{target}\n" for source, target in PAIRS))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.tsv"
    source, target = PAIRS[1]
    path.write_text(f"1\t{source}\tN/A\t{target}\tN/A\t1\t1\t0-0 1-1 2-2 3-3\t\t\n")
    return path


def run(*words: object) -> int:
    given = ["forest", *map(str, words), "--candidates", "dictionary"]
    return train_forest.run(read(TrainForestOptions, command_parser("train").parse_args(given)))


def test_training_writes_a_model_that_knows_how_it_was_made(
    tmp_path: Path, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "model"
    assert run(pairs, "-o", output, "--epochs", 2, "--batch-size", 2, "--seed", 5) == 0
    model = ForestModel.load(output)
    assert (model.description["pairs"], model.description["seed"]) == (4, 5)
    assert len(model.description["history"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[1].startswith("epoch 2: log-likelihood -")


def test_an_engine_aligns_the_pairs_and_the_model_is_the_same(
    tmp_path: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[RayOptions] = []

    def expect_here(problem: Any, options: RayOptions) -> Any:
        told.append(options)
        return expect_in_threads(problem, 2)

    assert run(pairs, "-o", tmp_path / "local", "--epochs", 2) == 0
    engine = ("--engine", "ray", "--address", "auto", "--num-actors", 3)
    with monkeypatch.context() as patch:
        patch.setattr("forest_align.jobs.ray_cluster.expect_on_ray", expect_here)
        assert run(pairs, "-o", tmp_path / "model", "--epochs", 2, *engine) == 0
    assert told == [RayOptions("auto", 3)]
    for name in ("weights.safetensors", "model.json"):
        assert (tmp_path / "local" / name).read_bytes() == (tmp_path / "model" / name).read_bytes()
    with pytest.raises(InputError, match="--workers cannot be combined with --engine"):
        run(pairs, "-o", tmp_path / "other", *engine, "--workers", 2)
    with pytest.raises(InputError, match="--num-actors needs --engine ray"):
        run(pairs, "-o", tmp_path / "other", "--num-actors", 2)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ForestAlignError, match=r"pip install 'forest-align\[ray\]'"):
        run(pairs, "-o", tmp_path / "other", *engine)


def test_dev_scores_are_printed_after_each_epoch_and_the_curve_is_drawn(
    tmp_path: Path, pairs: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra 'plot')")
    curve = tmp_path / "curve.svg"
    assert run(pairs, "-o", tmp_path / "model", "--epochs", 1, "--dev", gold, "--plot", curve) == 0
    out = capsys.readouterr().out
    assert "word f1 " in out and "constituent f1 " in out
    assert "<svg" in curve.read_text()
    assert not (tmp_path / "model" / "learning_curve.svg").exists()


def test_trees_of_the_input_are_used_unless_a_parser_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = tmp_path / "trees.tsv"
    tree = "(S (NP (PRP she)) (VP (VBD sold) (NP (PRP$ her) (NN house))))"
    trees.write_text(f"{tree}\t{tree.replace('house', 'home')}\n")
    parsed: list[object] = []
    parse_many = FlatParser.parse_many

    def remember(self: FlatParser, sentences: Sequence[Any]) -> Iterator[Sentence | InputError]:
        parsed.extend(sentences)
        return parse_many(self, sentences)

    monkeypatch.setattr(FlatParser, "parse_many", remember)
    common = (trees, "--epochs", 1, "--forests", tmp_path / "cache")
    assert run(*common, "-o", tmp_path / "given") == 0
    assert not parsed
    assert run(*common, "-o", tmp_path / "parsed", "--parser", "en") == 0
    assert len(parsed) == 2
    first, second = (
        ForestModel.load(tmp_path / name).description["history"][0]["log_likelihood"]
        for name in ("given", "parsed")
    )
    assert first != second


def test_more_workers_and_a_resumed_run_give_the_same_model(tmp_path: Path, pairs: Path) -> None:
    common = ("--batch-size", 2, "--forests", tmp_path / "cache")
    run(pairs, "-o", tmp_path / "one", "--epochs", 3, *common)
    run(pairs, "-o", tmp_path / "two", "--epochs", 3, "--workers", 2, *common)
    run(pairs, "-o", tmp_path / "three", "--epochs", 1, *common)
    run(pairs, "-o", tmp_path / "three", "--epochs", 3, "--resume", *common)
    assert load_state(Checkpoint(tmp_path / "three.checkpoint", RUN, {})).epoch == 3
    weights = [(tmp_path / name / "weights.safetensors").read_bytes() for name in ("one", "two", "three")]
    assert weights[0] == weights[1] == weights[2]


def test_a_run_on_other_pairs_or_from_another_model_is_not_gone_on_with_and_says_so(
    tmp_path: Path, pairs: Path
) -> None:
    common = ("-o", tmp_path / "model", "--batch-size", 2)
    run(pairs, *common, "--epochs", 1)
    with pytest.raises(InputError, match="written with another model to start from; continue with the same"):
        run(pairs, *common, "--epochs", 2, "--resume", "--start", tmp_path / "model")
    pairs.write_text("".join(pairs.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(InputError, match=r"written with other pairs, .* start over without --resume"):
        run(pairs, *common, "--epochs", 2, "--resume")


def test_options_reach_the_training(
    tmp_path: Path, pairs: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    class Reader(CorpusReader):
        def __init__(self, *names: str, **options: Any) -> None:
            seen.update(options, parser=names)
            super().__init__(*names, **options)

    def watched(pairs: Any, start: ForestModel, settings: TrainingSettings, **options: Any) -> TrainedModel:
        seen.update(options, settings=settings, weights=start.weights)
        return TrainedModel(start, ())

    monkeypatch.setattr("forest_align.em.corpus.corpus.CorpusReader", Reader)
    monkeypatch.setattr("forest_align.em.forest.training.train_forest_model", watched)
    monkeypatch.setattr("forest_align.em.plots.can_plot", lambda: False)
    weights = np.linspace(0, 1, len(GENERAL_FEATURES))
    ForestModel(weights, {}, ForestOptions(beam=7)).save(tmp_path / "start")
    gold.write_text(gold.read_text() + gold.read_text().replace("3-3", "3-9"))
    numbers = ("--epochs", 3, "--batch-size", 7, "--seed", 5, "--regularization", 0.25, "--workers", 2)
    others = ("--forest-size", 4, "--start", tmp_path / "start", "--resume")
    files = ("-o", tmp_path / "model", "--dev", gold, "--forests", tmp_path / "cache")
    # One of the dev pairs is broken.
    assert run(pairs, *files, *numbers, *others) == 1
    assert seen["settings"] == TrainingSettings(3, 7, 5, 0.25, workers=2)
    assert (seen["resume"], len(seen["dev"])) == (True, 1)
    assert seen["checkpoint"] == tmp_path / "model.checkpoint"
    assert (seen["weights"] == weights).all()
    assert (seen["parser"], seen["forest_size"]) == (("en",), 4)
    assert (seen["candidates"], seen["cache"], seen["given_trees"]) == (
        "dictionary",
        tmp_path / "cache",
        True,
    )
    run(pairs, "-o", tmp_path / "model", "--parser", "mine")
    assert (seen["parser"], seen["given_trees"], seen["dev"]) == (("mine",), False, None)
    assert (seen["settings"], seen["resume"]) == (TrainingSettings(), False)
    assert seen["forest_size"] == 10
    tuned = ForestModel(weights, description={"tuned": {"forest_size": 3}})
    tuned.save(tmp_path / "start")
    run(pairs, "-o", tmp_path / "model", "--start", tmp_path / "start")
    assert seen["forest_size"] == 3


@pytest.mark.parametrize("content", ["one column\n", ""])
def test_dev_files_without_a_usable_pair_are_refused_before_anything_is_parsed(
    tmp_path: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setattr(FlatParser, "parse_many", None)
    dev = written(tmp_path / "dev.tsv", content)
    with pytest.raises(InputError, match=r"dev\.tsv: expected at least one dev pair with gold links"):
        run(pairs, "-o", tmp_path / "model", "--from", "tsv", "--dev", dev)


def test_a_model_of_another_aligner_is_no_start(tmp_path: Path, pairs: Path) -> None:
    with pytest.raises(InputError, match="the model contextual is for the aligner contextual, not forest"):
        run(pairs, "-o", tmp_path / "model", "--start", "contextual")


def test_each_aligner_explains_its_training_with_an_example(cli: CommandLine) -> None:
    for aligner in sorted(TRAINERS):
        assert cli("train", aligner, "--help") == 0
        out = cli.out
        assert f"forest-align train {aligner}" in out.split("example")[1] and "--debug" in out


@pytest.mark.parametrize("arguments", [["--debug", "forest"], ["forest", "--debug"]])
def test_a_traceback_is_shown_wherever_debug_stands(arguments: list[str], tmp_path: Path) -> None:
    from forest_align.types import InputError

    with pytest.raises(InputError):
        main(["train", *arguments, f"{tmp_path}/absent.tsv", "-o", ".."])


@pytest.mark.parametrize("aligner", ["semi-markov", "joint"])
def test_gold_whose_links_are_all_possible_is_refused_before_anything_is_parsed(
    aligner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    monkeypatch.setattr("forest_align.parsing.load_parser_for_alignment", None)
    gold = written(tmp_path / "gold.tsv", "1\ta dog\tN/A\tthe dog\tN/A\t1\t1\t\t1-1\t\n")
    assert cli("train", aligner, gold, "-o", tmp_path / "model") == 2
    assert f"{gold}: expected sure links, found possible ones alone" in cli.err
    assert not (tmp_path / "model").exists()


def test_where_no_model_can_be_written_nothing_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_model_folder(tmp_path / "new" / "folders" / "model")
    check_model_folder(tmp_path)
    (tmp_path / "file").write_text("precious")
    with pytest.raises(InputError, match=r"can be written to, found .*file'"):
        check_model_folder(tmp_path / "file" / "model")
    # The tests may run as a user who may write anywhere.
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    for path in (tmp_path, tmp_path / "model", tmp_path / "new" / "model"):
        with pytest.raises(InputError, match="expected a folder that can be written to"):
            check_model_folder(path)
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path.parent)
    check_model_folder(tmp_path, beside=False)
    with pytest.raises(InputError, match="expected a folder that can be written to"):
        check_model_folder(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ["train", "forest", "--epochs"],
        ["train", "forest", "--workers"],
        ["train", "joint", "--epochs"],
        ["tune", "--trials"],
        ["tune", "--forest-sizes"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("count", ["0", "2147483648", "9" * 5000, "1.0"], ids=lambda text: text[:12])
def test_nothing_to_do_is_refused_and_so_is_too_much(
    command: list[str], count: str, cli: CommandLine
) -> None:
    """No epochs at all ended well, without a model; 10 ** 23 of anything in a Python error."""
    cli(*command, count, "pairs.tsv", "-o", "model")
    expected = f"{command[-1]}: expected a whole number from 1 to 2147483647, found '{count}'"
    assert expected in cli.err
