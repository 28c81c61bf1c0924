"""``forest-align tune`` on two pairs, with a parser that makes flat trees."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nltk.tree import Tree

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.loading import kind_of
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.cli import command_parser, main
from forest_align.cli.arguments import read
from forest_align.cli.commands import tune
from forest_align.cli.commands.tune import TuneOptions
from forest_align.em.plots import PlotError
from forest_align.em.tuning.study import SharedStudy
from forest_align.lexicon.pair_table import PairTable
from forest_align.system.processes import can_fork
from forest_align.types import ForestAlignError, InputError, Sentence

from ...command_line import written

GOLD = (
    "1\tshe sold her house\tN/A\tshe sold her home\tN/A\t1\t1\t0-0 1-1 2-2 3-3\t\t\n"
    "2\tdogs like meat\tN/A\tdogs love meat\tN/A\t1\t1\t0-0 1-1 2-2\t\t\n"
)


class FlatParser:
    """Gives every sentence one flat tree, and has no word vectors to give."""

    def parse_many(self, sentences: Sequence[Any], batch_size: int = 32) -> Iterator[Sentence]:
        from forest_align.parsing import sentence_from_bracket

        for words in sentences:
            yield sentence_from_bracket("(S " + " ".join(f"(NN {word})" for word in words) + ")")

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        return list(sentences)

    def prepare(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """In place of an aligner's own."""
        return list(FlatParser().parse_many([sentence.words for sentence in sentences]))


@pytest.fixture(autouse=True)
def flat_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("load_parser", "load_parser_for_alignment"):
        monkeypatch.setattr(f"forest_align.parsing.{name}", lambda *args, **options: FlatParser())


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = written(tmp_path / "gold.tsv", GOLD)
    return path


def run(*words: object) -> int:
    options = read(TuneOptions, command_parser("tune").parse_args([*map(str, words)]))
    if kind_of(options.model or options.aligner or "forest") == "forest":
        options = replace(options, corpus=replace(options.corpus, words="dictionary"))
    return tune.run(options)


def study_of(model: Path, name: str = "constituent-f1") -> Any:
    return SharedStudy(f"sqlite:///{model}.sweep.db", name).open()


def test_tuning_prints_the_best_trials_and_writes_the_model_with_their_values(
    tmp_path: Path, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "tuned"
    assert run(gold, "-o", output, "--trials", 3, "--objective", "word-f1") == 0
    model = ForestModel.load(output)
    study = study_of(tmp_path / "tuned", "word-f1")
    assert model.description["tuned"] == {**study.best_params, "forest_size": 10}
    assert model.options.null_penalty == study.best_params["null_penalty"]
    assert "null_penalty" in capsys.readouterr().out.splitlines()[0]


def test_possible_links_are_gold_where_all_are_wanted(tmp_path: Path, gold: Path, monkeypatch: Any) -> None:
    """Only the third link of each pair is likely; it is possible."""

    def third(self: ContextualAligner, source: Sentence, target: Sentence) -> np.ndarray:
        return np.eye(len(source), len(target), dtype=np.float32) * np.arange(1, 1 + len(source))[:, None] / 4

    monkeypatch.setattr(ContextualAligner, "link_probabilities", third)
    monkeypatch.setattr(ContextualAligner, "prepare", FlatParser.prepare)
    gold.write_text("1\tdogs like meat\tN/A\tdogs love meat\tN/A\t1\t1\t\t2-2\t\n")
    arguments = (gold, "--aligner", "contextual", "--trials", 1)
    with pytest.raises(InputError, match="expected at least one sure gold link, found possible ones alone"):
        run(*arguments, "-o", tmp_path / "sure")
    assert run(*arguments, "-o", tmp_path / "tuned", "--links", "all") == 0
    study = study_of(tmp_path / "tuned", "contextual-word-f1-all-links")
    found, before = (ContextualAligner.load(name).model for name in (tmp_path / "tuned", "contextual"))
    assert found.all_links is not None and before.all_links is not None
    assert found.all_links == replace(before.all_links, threshold=study.best_params["threshold"])
    assert found.threshold == before.threshold


def test_a_forest_model_is_tuned_for_the_words_of_the_convention(tmp_path: Path, gold: Path) -> None:
    with pytest.raises(InputError, match="all links need word candidates 'contextual', found 'dictionary'"):
        run(gold, "-o", tmp_path / "tuned", "--links", "all")
    assert not (tmp_path / "tuned").exists()


def test_the_first_trial_is_the_model_as_it_is_even_if_its_options_are_outside_of_the_search(
    tmp_path: Path, gold: Path
) -> None:
    model = ForestAligner.load().model
    odd = {"null_penalty": 2.5, "beam": 300, "generation_gap": 8}
    description = {"tuned": {"forest_size": 50}}
    replace(model.with_options(**odd), description=description).save(tmp_path / "odd")
    sizes = ("--forest-sizes", 1, 10, 50)
    run(gold, "-o", tmp_path / "tuned", "--model", tmp_path / "odd", "--trials", 1, *sizes)
    first = study_of(tmp_path / "tuned").trials[0].params
    assert {name: first[name] for name in odd} == odd
    assert first["forest_size"] == 50
    tuned = ForestModel.load(tmp_path / "tuned")
    assert tuned.phrase_options == model.with_options(**odd).phrase_options


def test_the_parser_weight_is_searched_when_asked_for(tmp_path: Path, gold: Path) -> None:
    run(gold, "-o", tmp_path / "tuned", "--trials", 2, "--also", "parser_weight")
    study = study_of(tmp_path / "tuned")
    assert study.trials[0].params["parser_weight"] == 0
    assert 0 < study.trials[1].params["parser_weight"] <= 1
    assert ForestModel.load(tmp_path / "tuned").options.parser_weight == study.best_params["parser_weight"]


@pytest.mark.skipif(not can_fork(), reason="needs processes that fork")
def test_workers_prepare_and_print_nothing_of_their_own(
    tmp_path: Path, gold: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = tmp_path / "parsed"
    parse = FlatParser.parse_many

    def noted(self: FlatParser, sentences: Sequence[Any], batch_size: int = 32) -> Iterator[Sentence]:
        with parsed.open("a") as file:
            file.writelines(f"{sentence}\n" for sentence in sentences)
        return parse(self, sentences, batch_size)

    monkeypatch.setattr(FlatParser, "parse_many", noted)
    broken = written(tmp_path / "broken.tsv", gold.read_text() + "a line\n")
    sizes = ("--forest-sizes", 1, 10)
    assert run(broken, "-o", tmp_path / "tuned", "--trials", 4, "--workers", 2, *sizes) == 1
    trials = [trial for trial in study_of(tmp_path / "tuned").trials if trial.state.is_finished()]
    owners = {trial.user_attrs["owner"][1].partition("-")[0] for trial in trials}
    assert str(os.getpid()) not in owners
    out, err = capfd.readouterr()
    assert out.count("importance") == 1 and err.count("broken.tsv:3") == 1
    assert len(parsed.read_text().splitlines()) == 2 * 4  # four sentences, two sizes of forests


def test_the_seed_decides_on_the_trials(tmp_path: Path, gold: Path) -> None:
    found = []
    for seed in (1, 2):
        storage = f"journal:{tmp_path / str(seed)}.journal"
        run(gold, "-o", tmp_path / "tuned", "--trials", 2, "--seed", seed, "--storage", storage)
        found.append(SharedStudy(storage, "constituent-f1").open().trials[1].params)
    assert found[0] != found[1]


def test_options_that_are_kept_stay_as_the_model_has_them(tmp_path: Path, gold: Path) -> None:
    run(gold, "-o", tmp_path / "tuned", "--trials", 2, "--keep", "beam", "generation_gap")
    for trial in study_of(tmp_path / "tuned", "constituent-f1").trials:
        assert {"beam", "generation_gap"}.isdisjoint(trial.params)
    assert ForestModel.load(tmp_path / "tuned").options.beam == 50
    with pytest.raises(InputError, match="found 'gap'"):
        run(tmp_path / "absent.tsv", "-o", tmp_path / "other", "--keep", "gap")


def test_attachment_cannot_be_raised_without_gold_trees(tmp_path: Path, gold: Path) -> None:
    with pytest.raises(InputError, match="no gold trees"):
        run(gold, "-o", tmp_path / "tuned", "--trials", 1, "--objective", "uas")
    assert set(tmp_path.iterdir()) == {gold}


def test_attachment_is_raised_with_trees_and_without_links(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tree_pair(tmp_path / "gold.jsonl")
    linked = gold.read_text()
    unlinked = json.dumps({name: value for name, value in json.loads(linked).items() if name != "words"})
    gold.write_text(unlinked + "\n" + '{"source": "a b", "target": "a b"}\n')
    assert run(gold, "-o", tmp_path / "tuned", "--trials", 1, "--objective", "uas") == 1
    assert f"left out: {gold}:2: dev pair '2' has no gold trees" in capsys.readouterr().err
    gold.write_text(linked)
    run(gold, "-o", tmp_path / "linked", "--trials", 1, "--objective", "uas")
    values = [study_of(tmp_path / name, "uas").best_value for name in ("tuned", "linked")]
    assert values[0] == values[1] > 0


ENJU = """<sentence id="{0}"><cons id="c0" cat="S" sem_head="c2" pa1="c0" pa2="c0"><cons id="c1" cat="NP"
sem_head="t0" pa1="c1" pa2="-1"><tok id="t0" pos="NNS" base="dog">Dogs</tok></cons> <cons id="c2" cat="VP"
sem_head="t1" pa1="-1" pa2="-1"><tok id="t1" pos="VBP" base="bark">bark</tok></cons></cons></sentence>
"""


def test_annotated_enju_trees_tune_attachment_and_phrases(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.xml", ENJU.format("s0") + ENJU.format("s1"))
    for objective in ("uas", "phrase-f1"):
        run(gold, "-o", tmp_path / objective, "--trials", 1, "--objective", objective)
    # The flat tree has the head of Enju's; of its three phrases two are in the union of the annotators, and
    # the one on which they agree is found.
    assert study_of(tmp_path / "uas", "uas").best_value == 100
    assert study_of(tmp_path / "phrase-f1", "phrase-f1").best_value == pytest.approx(80)


def test_gold_trees_over_other_words_are_told_before_the_sweep_and_those_of_raw_text_have_the_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def line(sentence: dict[str, object], tree: str = "(S (DT no) (NN one.) (VBD left))") -> str:
        return json.dumps({side: {**sentence, "tree": tree} for side in ("source", "target")}) + "\n"

    gold = tmp_path / "gold.jsonl"
    two = {"tokens": ["dogs", "bark"]}
    gold.write_text(line(two) + line({"text": "no one. left"}) + line(two, "(S (NNS dogs) (VBP bark))"))
    assert run(gold, "-o", tmp_path / "tuned", "--trials", 1, "--objective", "uas") == 1
    told = [text for text in capsys.readouterr().err.splitlines() if "left out" in text]
    assert len(told) == 1
    assert f"{gold}:1: pair '1': field 'source tree': expected a tree over the tokens 'dogs bark'" in told[0]


def tree_pair(path: Path, house: str = "(NP (PRP$ her) (NN house))") -> Path:
    """A gold pair that comes with trees, as a line of JSON."""
    trees = [f"(S (NP (PRP she)) (VP (VBD sold) {house}))", "(S (NP (PRP she)) (VP (VBD sold) (NN home)))"]
    source, target = ({"text": " ".join(Tree.fromstring(tree).leaves()), "tree": tree} for tree in trees)
    path.write_text(json.dumps({"source": source, "target": target, "words": [[0, 0], [1, 1], [3, 2]]}))
    return path


@pytest.mark.parametrize("options", [(), ("--aligner", "sultan")], ids=["forest", "sultan"])
def test_trees_of_the_input_are_used_unless_a_parser_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    parsed: list[object] = []
    parse_many = FlatParser.parse_many

    def remember(self: FlatParser, sentences: Sequence[Any], batch_size: int = 32) -> Iterator[Sentence]:
        parsed.extend(sentences)
        return parse_many(self, sentences)

    monkeypatch.setattr(FlatParser, "parse_many", remember)
    gold = tree_pair(tmp_path / "gold.jsonl")
    assert run(gold, "-o", tmp_path / "given", "--trials", 1, *options) == 0
    assert not parsed
    assert run(gold, "-o", tmp_path / "parsed", "--trials", 1, "--parser", "en", *options) == 0
    assert len(parsed) == 2


def test_a_table_with_a_column_of_links_is_gold(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.csv", "source,target,links\nHe died .,He passed away .,0-0 1-1 1-2 2-3\n")
    assert run(gold, "-o", tmp_path / "tuned", "--trials", 1, "--aligner", "sultan") == 0
    assert (tmp_path / "tuned").is_dir()


@pytest.mark.parametrize("options", [(), ("--aligner", "sultan")], ids=["forest", "sultan"])
def test_a_pair_without_links_is_told_and_the_others_are_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    def line(**links: object) -> str:
        return json.dumps({"source": {"tokens": ["dogs"]}, "target": {"tokens": ["cats"]}, **links}) + "\n"

    gold = tmp_path / "gold.jsonl"
    # That nothing is aligned is gold.
    gold.write_text(line(words=[[0, 0]]) + line() + line(words=[]))
    assert run(gold, "-o", tmp_path / "tuned", "--trials", 1, *options) == 1
    told = capsys.readouterr().err.splitlines()
    assert [one for one in told if "left out" in one] == [
        f"forest-align tune: left out: {gold}:2: dev pair '2' has no gold links"
    ]
    assert (tmp_path / "tuned").is_dir()


def test_nothing_is_left_behind_where_no_pair_can_be_parsed(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: FlatParser, sentences: Sequence[Any]) -> Iterator[InputError]:
        return iter([InputError("too many words") for _ in sentences])

    monkeypatch.setattr(FlatParser, "parse_many", fail)
    with pytest.raises(InputError, match="at least one dev pair"):
        run(gold, "-o", tmp_path / "new" / "tuned", "--trials", 1)
    assert set(tmp_path.iterdir()) == {gold}


@pytest.mark.parametrize("kind", ["forest", "contextual"])
def test_a_file_of_broken_pairs_is_an_error_that_leaves_nothing_behind(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = written(tmp_path / "broken.tsv", "one column\n" * 12)
    with pytest.raises(InputError, match=r"broken\.tsv: expected at least one dev pair"):
        run(broken, "-o", tmp_path / "tuned", "--from", "tsv", "--trials", 1, "--aligner", kind)
    *named, more = capsys.readouterr().err.splitlines()
    assert named[9].startswith(f"forest-align tune: left out: {broken}:10: expected 2 columns")
    assert more == "forest-align tune: left out: 2 more"
    assert set(tmp_path.iterdir()) == {broken}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "."], "a name of its own"),
        (["-o", __file__], "found the file"),
        (["-o", "tuned", "--seed", "-1"], "seed"),
        (["-o", "tuned", "--plot", "sweep.foo"], r"sweep\.foo"),
        (["-o", "tuned", "--plot", "absent/sweep.svg"], "absent"),
        (["-o", "tuned", "--storage", "nonsense://here"], "storage"),
    ],
)
@pytest.mark.parametrize("kind", ["forest", "contextual"])
def test_what_would_fail_in_the_end_is_refused_before_any_work(
    kind: str, options: list[str], message: str, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra 'plot')")
    monkeypatch.setattr(FlatParser, "parse_many", None)
    with pytest.raises(ForestAlignError, match=message):
        run(gold, "--aligner", kind, *options)


@pytest.mark.parametrize("aligner", ["forest", "sultan"])
def test_the_sweep_is_drawn_into_the_folder_of_the_model(tmp_path: Path, gold: Path, aligner: str) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra 'plot')")
    run(gold, "-o", tmp_path / "tuned", "--aligner", aligner, "--trials", 1)
    assert "<svg" in (tmp_path / "tuned" / "sweep.svg").read_text()
    elsewhere = tmp_path / "elsewhere.png"
    run(gold, "-o", tmp_path / "again", "--aligner", aligner, "--trials", 1, "--plot", elsewhere)
    assert elsewhere.exists() and not (tmp_path / "again" / "sweep.svg").exists()


def test_without_matplotlib_one_line_says_how_to_get_the_plot(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert run(gold, "-o", tmp_path / "tuned", "--trials", 1) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "pip install 'forest-align[plot]'" in line
    assert ForestModel.load(tmp_path / "tuned")


def test_a_plot_that_cannot_be_written_does_not_cost_the_model(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed (extra 'plot')")

    def full(*arguments: object, **options: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(figure.Figure, "savefig", full)
    with pytest.raises(PlotError):
        run(gold, "-o", tmp_path / "tuned", "--trials", 1, "--plot", tmp_path / "sweep.svg")
    assert "tuned" in ForestModel.load(tmp_path / "tuned").description


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = written(tmp_path / "paraphrases.tsv", "house\thome\nlike\tlove\n")
    return path


def test_sultan_is_tuned_into_a_folder_that_align_reads(tmp_path: Path, gold: Path, table: Path) -> None:
    output = tmp_path / "tuned"
    assert run(gold, "-o", output, "--aligner", "sultan",
               "--ppdb", table, "--trials", 3) == 0  # fmt: skip
    study = study_of(tmp_path / "tuned", "sultan-word-f1")
    assert study.trials[0].params == {"ppdb_similarity": 0.9, "word_weight": 0.9}
    assert study.best_value == 100
    aligner = SultanAligner.load(output, ppdb=PairTable.load(table))
    assert aligner.parameters.word_weight == study.best_params["word_weight"]
    run(gold, "-o", output, "--model", output, "--ppdb", table, "--trials", 4)
    assert len(study_of(tmp_path / "tuned", "sultan-word-f1").trials) == 4

    pairs, links = tmp_path / "pairs.tsv", tmp_path / "links.txt"
    pairs.write_text("dogs like meat\tdogs love meat\n")
    assert main(
        ["align", str(pairs), "--tokenized", "--aligner", "sultan", "--model", str(output),
         "--ppdb", str(table), "--to", "pharaoh", "-o", str(links)]
    ) == 0  # fmt: skip
    assert links.read_text() == "0-0 1-1 2-2\n"


def test_a_study_is_not_continued_with_another_parser_or_other_paraphrases(
    tmp_path: Path, gold: Path, table: Path
) -> None:
    run(gold, "-o", tmp_path / "tuned", "--trials", 1)
    with pytest.raises(InputError, match="trials of other pairs"):
        run(gold, "-o", tmp_path / "tuned", "--trials", 2, "--parser", table.parent)
    with pytest.raises(InputError, match="options to keep"):
        run(gold, "-o", tmp_path / "tuned", "--trials", 2, "--keep", "beam")
    sultan = [gold, "-o", tmp_path / "sultan", "--aligner", "sultan"]
    run(*sultan, "--ppdb", table, "--trials", 1)
    with pytest.raises(InputError, match="trials of other pairs"):
        run(*sultan, "--ppdb", table, "--trials", 2, "--parser", table.parent)
    table.write_text("house\thome\n")
    with pytest.raises(InputError, match="trials of other pairs"):
        run(*sultan, "--ppdb", table, "--trials", 2)


def test_the_threshold_of_the_contextual_aligner_is_tuned(
    tmp_path: Path, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(self: ContextualAligner, source: Sentence, target: Sentence) -> np.ndarray:
        return np.eye(len(source), len(target), dtype=np.float32) * 0.5 + 0.2

    monkeypatch.setattr(ContextualAligner, "link_probabilities", half)
    monkeypatch.setattr(ContextualAligner, "prepare", FlatParser.prepare)
    output = tmp_path / "tuned"
    assert run(gold, "-o", output, "--aligner", "contextual", "--trials", 8) == 0
    assert 0.2 < ContextualAligner.load(output).threshold <= 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ppdb", "x"], "the forest aligner does not support --ppdb"),
        (["--annotator", "spacy"], "the forest aligner does not support --annotator"),
        (["--aligner", "contextual", "--objective", "uas"], "tuned for word-f1"),
        (["--aligner", "contextual", "--model", "forest"], "for the aligner forest"),
        (["--model", "semi-markov"], "the semi-markov aligner is not tuned"),
        (["--aligner", "contextual", "--keep", "beam"], "does not support --keep"),
        (["--aligner", "contextual", "--also", "parser_weight"], "does not support --also"),
        (["--aligner", "contextual", "--forest-sizes", "1"], "does not support --forest-sizes"),
        (["--aligner", "contextual", "--words", "dictionary"], "does not support --words"),
        (
            ["--aligner", "contextual", "--annotator", "spacy"],
            "the contextual aligner does not support --annotator",
        ),
        (
            ["--model", "contextual", "--annotator", "trees"],
            "the contextual aligner does not support --annotator",
        ),
        (["--aligner", "sultan", "--keep", "beam"], "the sultan aligner does not support --keep"),
    ],
)
def test_options_of_the_other_aligner_are_refused(
    tmp_path: Path, gold: Path, options: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        run(gold, "-o", tmp_path / "tuned", *options)
