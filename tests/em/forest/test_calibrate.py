"""The calibration of phrase pairs: what is judged, what is fitted, and the recipes that write models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import training_table

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import pair_features
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import PhraseCalibration
from forest_align.aligners.words.candidate import Candidate
from forest_align.alignment import Links, PhrasePair
from forest_align.data.formats.format import SentencePair
from forest_align.em import recipes
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.forest import calibrate
from forest_align.em.forest.calibrate import TEMPERATURES, JudgedPhrases, fit_calibration, judge_phrases
from forest_align.em.forest.dev_set import align_pair
from forest_align.em.forest.state import TrainingSettings
from forest_align.eval.metrics import scores
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError

from .test_dev_set import gold_pairs, parse_many

SOURCE = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))))"
TARGET = "(S (NP (DT a) (NN cat)) (VP (VBD was) (VP (VBN seen) (PP (IN by) (NP (DT the) (NN dog))))))"


def corpus_pair(
    links: Links | None,
    texts: Sequence[str] = (SOURCE, TARGET),
    proposed: Sequence[tuple[int, int]] = ((0, 5), (1, 6), (2, 3), (3, 0), (4, 1)),
) -> CorpusPair:
    lexicon = load_lexicon()
    source, target = (sentence_from_bracket(text, lemmatizer=lexicon.lemma) for text in texts)
    candidates = tuple(Candidate((i, i + 1), (j, j + 1), 0.8) for i, j in proposed)
    features = pair_features(source, target, word_evidence(source, target, lexicon), proposed)
    return CorpusPair("one", source, target, candidates, features, links)


def sample(calibration: PhraseCalibration, count: int, seed: int) -> JudgedPhrases:
    """Phrases that are right as often as a calibration says."""
    random = np.random.default_rng(seed)
    agreement = np.log(random.beta(2, 0.5, count))
    posterior = np.log(random.beta(1, 0.3, count))
    # Posteriors at other temperatures than the right one are the same ones out of order.
    at = TEMPERATURES.index(calibration.temperature)
    posteriors = np.array([random.permutation(posterior) for _ in TEMPERATURES])
    posteriors[at] = posterior
    judged = JudgedPhrases(posteriors, agreement, np.zeros(count, bool))
    return replace(judged, right=random.random(count) < judged.probabilities(calibration))


def test_the_fit_finds_how_probabilities_are_made() -> None:
    truth = PhraseCalibration(4.0, 0.5, 0.8)
    found = fit_calibration([sample(truth, 4_000, 1), sample(truth, 4_000, 2)])
    assert found.temperature == 4.0
    step = 0.05 + 1e-9  # of the grid
    assert found.posterior_power == pytest.approx(0.5, abs=step)
    assert found.link_power == pytest.approx(0.8, abs=step)
    fresh = sample(truth, 20_000, 3)
    assert scores.calibrate(fresh.probabilities(found), fresh.right).expected_error < 0.02


def test_every_corpus_counts_the_same() -> None:
    one, two = PhraseCalibration(1.0, 1.0, 0.0), PhraseCalibration(1.0, 0.0, 1.0)
    few, many = sample(one, 500, 1), sample(two, 5_000, 2)
    alone, both = fit_calibration([many]), fit_calibration([few, many])
    assert alone.posterior_power == pytest.approx(0.0, abs=0.05)
    assert both.posterior_power > 0.2


def is_judged(phrase: PhrasePair) -> bool:
    """Whether both are constituents and not two words, whose pair has the probability of their link."""
    one, two = phrase.source_node.span, phrase.target_node.span
    return phrase.constituents and max(one[1] - one[0], two[1] - two[0]) > 1


def test_pairs_of_constituents_are_judged_by_the_gold_links() -> None:
    # Two gold links lead from the dog's words to other ones than the candidates say.
    gold = Links.of([(2, 3), (3, 0), (4, 1), (0, 1), (1, 0)])
    pair, model = corpus_pair(gold), ForestAligner.load().model
    judged = judge_phrases([pair, pair], model)
    reported = [phrase for phrase in align_pair(pair, model).phrases if is_judged(phrase)]
    assert len(judged.right) == 2 * len(reported)
    assert judged.log_posterior.shape == (len(TEMPERATURES), len(judged.right))
    probabilities = judged.probabilities(model.calibration)[: len(reported)]
    assert sorted(probabilities) == pytest.approx(sorted(phrase.probability for phrase in reported))
    spans = {(phrase.source_node.span, phrase.target_node.span) for phrase in reported}
    assert {((0, 5), (0, 7)), ((0, 2), (5, 7))} <= spans
    assert 0 < judged.right.sum() < len(judged.right)


def test_a_pair_is_right_if_sure_links_lie_inside_of_it_and_none_leads_out() -> None:
    # Two words of each sentence have no sure link: phrases with and without them are right.
    sure, possible = [(1, 6), (2, 3), (4, 1), (0, 1)], [(0, 0), (3, 5)]
    gold = Links.of([*sure, *possible], sure=[True] * 4 + [False] * 2)
    pair, model = corpus_pair(gold), ForestAligner.load().model
    judged = judge_phrases([pair], model)
    expected = []
    for phrase in align_pair(pair, model).phrases:
        one, two = phrase.source_node, phrase.target_node
        if is_judged(phrase):
            sides = [(one.start <= i < one.end, two.start <= j < two.end) for i, j in sure]
            expected.append((phrase.probability, (True, True) in sides and all(a == b for a, b in sides)))
    found = sorted(zip(judged.probabilities(model.calibration).tolist(), judged.right.tolist(), strict=True))
    assert [right for _, right in found] == [right for _, right in sorted(expected)]
    assert {right for _, right in expected} == {True, False}


OLD_MAN = "(S (NP (DT the) (JJ old) (NN man)) (VP (VBD bought) (NP (DT a) (NN car))))"
CAR = (
    "(S (NP (DT a) (NN car)) (VP (VBD was) (VP (VBN bought) "
    "(PP (IN by) (NP (DT the) (NML (JJ old) (NN man)))))))"
)
WORDS = [(0, 5), (1, 6), (2, 7), (3, 3), (4, 0), (5, 1)]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
def test_pairs_that_are_judged_are_those_of_constituents_that_are_reported(
    strict: bool, swapped: bool
) -> None:
    model = ForestAligner.load().model
    model = replace(model, options=replace(model.options, strict=strict))
    words, texts = WORDS, (OLD_MAN, CAR)
    if swapped:
        words, texts = [(j, i) for i, j in words], texts[::-1]
    pair = corpus_pair(Links.of(words), texts, words)
    phrases = align_pair(pair, model).phrases
    reported = [phrase for phrase in phrases if is_judged(phrase)]
    judged = judge_phrases([pair], model)
    found = sorted(judged.probabilities(model.calibration))
    assert found == pytest.approx(sorted(phrase.probability for phrase in reported))
    constituents = [phrase for phrase in phrases if phrase.constituents]
    assert len(reported) < len(constituents) < len(phrases), "one is of a part of a constituent"


def test_a_pair_that_gives_way_to_a_larger_one_of_the_same_node_is_not_judged() -> None:
    texts, words = ("(NP (JJ old) (NN man))", "(NP (NN man))"), [(1, 0)]
    pair, model = corpus_pair(Links.of(words), texts, words), ForestAligner.load().model
    (phrase,) = align_pair(pair, model).phrases
    assert phrase.source_node.span == (0, 2)
    assert judge_phrases([pair], model).right.tolist() == [True]


def test_pairs_without_gold_are_refused() -> None:
    model = ForestAligner.load().model
    with pytest.raises(InputError, match="'one' has no gold"):
        judge_phrases([corpus_pair(None)], model)
    with pytest.raises(InputError, match="at least one"):
        judge_phrases([], model)
    nothing = JudgedPhrases(np.zeros((len(TEMPERATURES), 0)), np.zeros(0), np.zeros(0, bool))
    with pytest.raises(InputError, match="none"):
        fit_calibration([nothing])


@pytest.fixture
def table_script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads two pairs from any file."""

    def reader(forest_size: int = 10, cache: Path | None = None) -> CorpusReader:
        made = CorpusReader("toy", forest_size=forest_size, candidates="dictionary")
        monkeypatch.setattr(made, "_parser", parse_many)
        return made

    def read_pairs(path: str) -> list[SentencePair]:
        return gold_pairs()

    def for_model(model: ForestModel, forest_size: int = 10, cache: Path | None = None) -> CorpusReader:
        return reader(forest_size, cache)

    reader.for_model = for_model  # type: ignore[attr-defined]
    module = training_table
    monkeypatch.setattr(module, "CorpusReader", reader)
    monkeypatch.setattr(module, "read_pairs", read_pairs)
    return module


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_the_table_of_sizes_has_a_line_for_each(
    table_script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ["--sizes", "1", "0", "--batch-sizes", "1", "0", "--epochs", "1"]
    table_script.main(["pairs", "--gold", "a", "--start", "uniform", *sizes])
    _, _, *rows = cells(capsys.readouterr().out)
    assert [row[:2] for row in rows] == [["1", "all"], ["2", "1"], ["2", "all"]]


def test_smaller_sizes_are_the_first_of_one_fixed_shuffle(
    table_script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained = []

    def train(pairs: Any, start: ForestModel, settings: TrainingSettings) -> Any:
        assert settings.epochs == 2
        trained.append((" ".join(pair.id for pair in pairs), settings.batch_size))
        return SimpleNamespace(model=start)

    five = [replace(gold_pairs()[number % 2], id=str(number)) for number in range(5)]
    monkeypatch.setattr(table_script, "read_pairs", lambda path: five)
    monkeypatch.setattr(table_script, "train_forest_model", train)
    sizes = ["--sizes", "3", "5", "0", "--batch-sizes", "2", "3", "0"]
    table_script.main(["pairs", "--gold", "a", "--gold-limit", "1", "--start", "uniform", *sizes])
    order = "2 4 3 0 1"  # of NumPy's generator with the seed 0
    assert trained == [("2 4 3", 2), ("2 4 3", 0), (order, 2), (order, 3), (order, 0)]
    _, _, *rows = cells(capsys.readouterr().out)
    assert [row[:2] for row in rows] == [["3", "2"], ["3", "all"], ["5", "2"], ["5", "3"], ["5", "all"]]


def test_probabilities_are_fitted_on_every_other_pair_and_reported_on_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read_with, judged, results, fitted = [], [], [], []

    def reader(model: ForestModel, parser: str, *, cache: Path | None) -> CorpusReader:
        assert model.words == "contextual"
        read_with.append((model.forest_size, model.options.beam))
        made = CorpusReader("toy", candidates="dictionary")
        monkeypatch.setattr(made, "_parser", parse_many)
        return made

    module = calibrate
    judge = module.judge_phrases

    def noted(pairs: list[CorpusPair], *options: Any) -> JudgedPhrases:
        judged.append([pair.id for pair in pairs])
        result: JudgedPhrases = judge(pairs, *options)
        results.append(result)
        return result

    def noted_fit(corpora: list[JudgedPhrases], before: PhraseCalibration) -> PhraseCalibration:
        fitted.append(corpora)
        return PhraseCalibration(2.0, 0.5, 0.25)

    five = [replace(gold_pairs()[number % 2], id=str(number)) for number in range(5)]
    monkeypatch.setattr(module, "CorpusReader", SimpleNamespace(for_model=reader))
    monkeypatch.setattr(module, "read_pairs", lambda path: five)
    monkeypatch.setattr(module, "judge_phrases", noted)
    monkeypatch.setattr(module, "fit_calibration", noted_fit)
    options = replace(ForestAligner.load().model.options, beam=7)
    start = replace(ForestAligner.load().model, options=options, description={"tuned": {"forest_size": 3}})
    start.save(tmp_path / "start")
    output = tmp_path / "calibrated"
    recipes.main(
        ["phrase-calibration", "x/a", "--model", str(tmp_path / "start"), "-o", str(output), "--limit", "3"]
    )
    assert (read_with, judged) == ([(3, 7)], [["0", "2"], ["1"]])
    assert fitted == [[results[0]]]
    model = ForestModel.load(output)
    assert model.calibration == PhraseCalibration(2.0, 0.5, 0.25)
    printed = capsys.readouterr().out
    assert str(model.calibration) in printed and f"| x/a | {len(results[1].right)} |" in printed
    assert model.description == {"tuned": {"forest_size": 3}, "calibrated_on": {"x/a": 2}}
    assert model.options == start.options and (model.weights == start.weights).all()
    with pytest.raises(SystemExit):
        recipes.main(["phrase-calibration", "one/x/a", "other/x/a"])
    assert "files of different names" in capsys.readouterr().err


def test_an_untuned_model_has_nothing_of_a_sweep(tmp_path: Path) -> None:
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
            recipes.main(["untuned", start, "-o", str(tmp_path / output)])
        for file in (tmp_path / "first").iterdir():
            assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes()
        made = ForestModel.load(tmp_path / "first")
        assert (made.weights == model.weights).all() and made.lexical == model.lexical
        assert (made.options.null_penalty, made.options.generation_gap) == (1.4, 5)
