"""How the parser is measured and calibrated, against slower ways to the same figures."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from forest_align.data.trees.treebanks import TreebankSentence, from_tree
from forest_align.em import recipes
from forest_align.em.parser import calibration as calibrate_parser
from forest_align.eval import parser_quality as script
from forest_align.eval.metrics.tree_scores import score_brackets
from forest_align.parsing import Parser
from forest_align.parsing.forests.decoding import SpanScores
from forest_align.parsing.parser_loading import MODELS
from forest_align.types import InputError
from forest_align.types.brackets import parse_bracket

from ..cext.reference import chart_reference
from ..parsing import fake_scorer as fake

LABELS = ("", "NP", "PRT", "ADVP", "S", "S::NP")
TREES = [
    "(S (`` ``) (NP (NN well) (HYPH -) (JJ known)) (, ,) ('' '')"
    " (NP (PRP he)) (VP (VBD said) (PRT (RP up))) (. .))",
    "(S (NP (NP (NN a)) (-LRB- -LRB-) (ADVP (RB b)) (-RRB- -RRB-)) (VP (VB c)))",
    "(FRAG (: --) (. .))",
    "(NP (NP (NNS Dogs)))",
]


class Scorer(fake.FakeScorer):
    """Scores that make trees of several labels, and tags of which some are right."""

    def _one(self, words: Sequence[str]) -> SpanScores:
        scores = super()._one(words)
        assert isinstance(scores, SpanScores)
        tags = tuple("." if word == "." else "NN" for word in words)
        return SpanScores(scores.scores + np.float32(3) * (np.arange(6) > 0), LABELS, tags)


def sentence(text: str) -> TreebankSentence:
    found = from_tree(parse_bracket(text))
    assert found is not None
    return found


def test_brackets_are_counted_as_the_evaluation_of_trees_does() -> None:
    gold, scorer = [parse_bracket(text) for text in TREES], Scorer()
    sentences = [sentence(text) for text in TREES]
    parsed = [Parser(scorer, forest_size=1).parse(one.words) for one in sentences]
    best = [one.forest.best_tree(one.words) for one in parsed if one.forest]
    expected = score_brackets(gold, best).scores
    found = script.evaluate(scorer, sentences, "words")
    assert 0 < found.matched < min(found.gold, found.predicted)
    assert found.matched / found.predicted == pytest.approx(expected.precision)
    assert found.matched / found.gold == pytest.approx(expected.recall)
    # "well", "a", and both full stops.
    assert (found.right_tags, found.tags) == (4, sum(map(len, sentences)))
    assert re.match(rf"F1 +{100 * expected.f1:.2f} .* tags {100 * 4 / found.tags:.2f}$", str(found))


def test_text_in_lower_case_has_its_brackets_as_brackets() -> None:
    scorer = Scorer()
    script.evaluate(scorer, [sentence(TREES[1]), sentence(TREES[3])], "lower")
    assert scorer.seen == [["a", "(", "b", ")", "c"], ["dogs"]]


def test_spaces_are_guessed_by_marks_as_news_has_them() -> None:
    words = ('"', "It", "’s", "-", "Oh", '"', "-", '"', "x", '"')
    tags = ("``", "PRP", "VBZ", ":", "UH", "''", "HYPH", "``", "NN", "''")
    expected = ["``", "It", "'s", "--", "Oh", "''", "-", "``", "x", "''"]
    assert script.as_in_news(TreebankSentence(words, tags, ())) == expected


def test_raw_text_is_joined_up_split_again_and_compared_by_characters() -> None:
    class Perfect(Scorer):
        """Finds all constituents but one over the words as they are split."""

        def _one(self, words: Sequence[str]) -> SpanScores:
            scores = np.full((len(words), len(words), len(LABELS)), -9, dtype=np.float32)
            scores[..., 0] = 0
            for first, last, label in ((0, 7, "S"), (1, 1, "NP"), (4, 4, "NP"), (6, 6, "ADVP")):
                scores[first, last, LABELS.index(label)] = 9
            return SpanScores(scores, LABELS, ("``", "NN", ",", "''", "PRP", "VBD", "RP", "."))

    scorer = Perfect()
    found = script.evaluate(scorer, [sentence(TREES[0])], "raw")
    assert scorer.seen == [['"', "well-known", ",", '"', "he", "said", "up", "."]]
    assert (found.matched, found.predicted, found.gold) == (4, 4, 5)
    # The three words of one compound are not there to be tagged.
    assert (found.right_tags, found.tags) == (7, 10)


@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_probabilities_and_likelihood_are_those_of_all_trees(temperature: float) -> None:
    (scores,) = Scorer().score([["a", "b", "c"]])
    assert isinstance(scores, SpanScores)
    table = scores.scores.astype(float) / temperature
    trees = list(chart_reference.enumerate_trees(3, len(LABELS), True))
    logs = np.array([sum(table[span] for span in tree) for tree in trees])
    shares = np.zeros(table.shape)
    for tree, probability in zip(trees, np.exp(logs - np.logaddexp.reduce(logs)), strict=True):
        for span in tree:
            shares[span] += probability * (span[2] > 0)
    spans = ((0, 2, "S"), (0, 1, "NP"), (2, 2, "S::NP"), (1, 1, "X"))
    gold = TreebankSentence(("a", "b", "c"), ("NN",) * 3, spans)
    probabilities, right, likelihood = script.span_probabilities(scores, gold, temperature)
    likely = shares >= 0.01
    np.testing.assert_allclose(probabilities, shares[likely], atol=1e-6)
    wanted = {(i, j, LABELS.index(label)) for i, j, label in spans if label in LABELS}
    assert right.tolist() == [tuple(place) in wanted for place in np.argwhere(likely)]
    assert likelihood == pytest.approx(
        sum(table[span] for span in wanted) - np.logaddexp.reduce(logs), abs=1e-5
    )


def test_a_sentence_that_cannot_be_parsed_is_left_out_of_the_calibration() -> None:
    one = sentence(TREES[1])
    (scores,) = Scorer().score([one.words])
    expected = script.calibration([scores], [one], 1.0)
    assert script.calibration([InputError("too long"), scores], [sentence(TREES[0]), one], 1.0) == expected


@pytest.fixture
def gum(tmp_path: Path) -> Path:
    (tmp_path / "splits.md").write_text("## dev\n * GUM_a_b\n")
    (tmp_path / "GUM_a_b.ptb").write_text(
        "(ROOT (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))\n"
        "(ROOT (S (NP (PRP They)) (VP (VBD saw)"
        " (NP (DT the) (NN man)) (PP (IN with) (NP (NNS telescopes)))) (. .)))\n"
    )
    return tmp_path


def test_the_temperature_with_the_least_error_is_written_and_a_model_card_stays(
    gum: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = calibrate_parser
    model, finished = gum / "export", gum / "finished"
    shutil.copytree(MODELS / "en", model)
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config["forest_align"]["temperature"] = 1.0
    (model / "config.json").write_text(json.dumps(config), encoding="utf-8")
    finished.mkdir()
    (finished / "README.md").write_text("card")
    monkeypatch.setattr(script, "TEMPERATURES", np.array([1.0, 3.0, 0.5]))
    errors = iter([(0.3, 0.0), (0.1, -1.0), (0.2, 0.0)])
    monkeypatch.setattr(script, "calibration", lambda scored, sentences, temperature: next(errors))
    arguments = ["--model", str(model), "--gum", str(gum), "--output", str(finished)]
    recipes.main(["parser-calibration", *arguments])
    assert capsys.readouterr().out.splitlines()[-1] == f"wrote {finished} with temperature 3.0"
    found = json.loads((finished / "config.json").read_text(encoding="utf-8"))
    assert found["forest_align"] == config["forest_align"] | {"temperature": 3.0}
    assert (finished / "README.md").read_text() == "card"
    assert sorted(path.name for path in gum.iterdir() if path.is_dir()) == ["export", "finished"]
    # What has a temperature is not calibrated again.
    arguments[1] = str(finished)
    with pytest.raises(SystemExit):
        recipes.main(["parser-calibration", *arguments])
