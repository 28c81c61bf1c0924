"""``forest-published``: the system of Arase & Tsujii (2017), without extensions and without a link model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import forest_align
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.contextual.model import LinkModel
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import LINKED, RELATIONS
from forest_align.aligners.forest.legitimacy import alignment_violations
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import PhraseCalibration
from forest_align.aligners.words.lexical import Dictionary
from forest_align.alignment import Links
from forest_align.cli import main
from forest_align.em.forest.untuned import PUBLISHED
from forest_align.parsing import sentence_from_bracket
from forest_align.types import ModelError

from ...bound_models import bind
from ...places import ROOT

NAME = "forest-published"
TEXTS = [line.split("\t") for line in (ROOT / "examples" / "pairs.tsv").read_text("utf-8").splitlines()]
RAN = "(S (NP (DT the) (NN cat)) (VP (VBD ran) (ADVP (RB quickly))) (. .))"
QUICK = "(S (NP (DT the) (JJ quick) (NN cat)) (VP (VBD ran)) (. .))"


@pytest.fixture
def no_link_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Makes every use of the supervised link model an error."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the link model was used")

    monkeypatch.setattr(LinkModel, "load", refuse)
    monkeypatch.setattr(LinkModel, "__init__", refuse)
    monkeypatch.setattr(ContextualAligner, "__init__", refuse)
    yield
    with pytest.raises(AssertionError, match="the link model was used"):
        forest_align.load("forest").align("One.", "One.")


def links_of(lines: str) -> list[list[int]]:
    return [link for line in lines.splitlines() for link in json.loads(line)["words"]]


def test_no_command_uses_the_link_model(no_link_model: None, tmp_path: Path, capsys: Any) -> None:
    pairs, gold = tmp_path / "pairs.tsv", tmp_path / "gold.tsv"
    pairs.write_text("".join(f"{one}\t{two}\n" for one, two, *_ in TEXTS[:3]), encoding="utf-8")
    row = "{}\tshe sold her house\tN/A\tshe sold her home\tN/A\t1\t1\t0-0 1-1 2-2 3-3\t\t\n"
    gold.write_text(row.format(1) + row.format(2), encoding="utf-8")
    cache, trained, tuned = (tmp_path / name for name in ("cache", "trained", "tuned"))
    assert main(["align", str(pairs), "--aligner", NAME, "--to", "jsonl", "--explain"]) == 0
    assert links_of(capsys.readouterr().out)
    common = ["--forests", str(cache)]
    start = ["train", "forest", str(pairs), "--start", NAME, "--epochs", "1", "--dev", str(gold)]
    assert main([*start, "-o", str(trained), *common]) == 0
    assert main(["tune", str(gold), "--model", str(trained), "-o", str(tuned), "--trials", "2", *common]) == 0
    assert main(["align", str(pairs), "--model", str(tuned), "--to", "jsonl"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith('{"')]
    assert len(lines) == 3 and links_of("\n".join(lines))
    found, made = (ForestModel.load(folder) for folder in (trained, tuned))
    assert found.dictionary == made.dictionary != ForestAligner.load(NAME).model.dictionary
    assert found.options == replace(made.options, **{name: getattr(found.options, name) for name in _TUNED})
    corpus = tmp_path / "data" / "alignment" / "mtref"
    corpus.mkdir(parents=True)
    shutil.copy(gold, corpus / "dev.tsv")
    benchmark = ["benchmark", "mtref", "--data", str(tmp_path / "data"), "--aligner", NAME]
    assert main([*benchmark, "--aligner", str(tuned), "-o", str(tmp_path / "runs")]) == 0
    assert f"{NAME} (this run)" in capsys.readouterr().out


_TUNED = ("null_penalty", "noncompositional_penalty", "beam", "generation_gap")


def test_the_model_has_the_search_of_the_paper_and_nothing_else() -> None:
    model = ForestAligner.load(NAME).model
    assert model.options == replace(PUBLISHED, **{name: getattr(model.options, name) for name in _TUNED})
    assert model.calibration == PhraseCalibration()
    assert model.words == "dictionary" and model.dictionary is not None
    assert model.dictionary.cosine is not None and 0 < model.dictionary.cosine < 1
    assert len(model.dictionary.derivations) > 10
    # No feature of links; the others were learned.
    assert model.weights[LINKED] == 0 and np.count_nonzero(model.weights[: len(RELATIONS)]) == 6
    assert model.lexical and model.description["weights"] == "trained by Viterbi EM"


def test_features_and_candidates_come_from_the_dictionary_alone() -> None:
    aligner = ForestAligner(replace(ForestAligner.load(NAME).model, dictionary=Dictionary()))
    source, target = map(sentence_from_bracket, (RAN, QUICK))
    candidates = aligner.candidates.candidates(source, target)
    assert candidates and not any(found.weighted for found in candidates)
    assert not aligner.features(source, target, candidates).relations[:, :, LINKED].any()
    assert not aligner.candidates.uses_vectors


def test_links_are_leaves_of_the_derivation_with_its_probabilities() -> None:
    aligner = ForestAligner.load(NAME)
    for source, target, *_ in TEXTS[:4]:
        alignment = aligner.align(source, target)
        assert not alignment_violations(alignment)
        single = {
            (one.source_node.start, one.target_node.start): one.probability
            for one in alignment.phrases
            if one.source_node.end - one.source_node.start == 1
            and one.target_node.end - one.target_node.start == 1
        }
        scores = dict(zip(alignment.words.pairs, alignment.words.scores or (), strict=True))
        assert scores and len({i for i, _ in scores}) == len({j for _, j in scores}) == len(scores)
        assert {link: scores[link] for link in single.keys() & scores.keys()} == {
            link: single[link] for link in single.keys() & scores.keys()
        }
        assert all(0 < score <= 1 for score in scores.values())


def test_links_of_the_caller_have_no_weight_either() -> None:
    aligner = ForestAligner.load(NAME)
    source, target = map(sentence_from_bracket, (RAN, QUICK))
    links = [(0, 0), (1, 2), (2, 3), (3, 1), (3, 3), (4, 4)]
    found = [aligner.align(source, target, Links.of(links, scores=[score] * 6)) for score in (0.2, 0.99)]
    nodes = [[(pair.source_node, pair.target_node) for pair in one.phrases] for one in found]
    assert nodes[0] == nodes[1] and found[0].words.pairs == found[1].words.pairs
    # However certain, none is added to the derivation, which cannot hold all.
    assert 2 < len(found[1].words) < 6


def test_a_model_keeps_its_dictionary(tmp_path: Path) -> None:
    model = ForestAligner.load(NAME).model
    for dictionary in (Dictionary(), Dictionary(0.5, frozenset({("a", "b\ud800"), ("c", "d")})), None):
        replace(model, dictionary=dictionary).save(tmp_path)
        assert ForestModel.load(tmp_path).dictionary == dictionary


@pytest.mark.parametrize(
    ("dictionary", "message"),
    [
        ([], "'dictionary': expected an object with a cosine, found"),
        ({"cosine": 0.5, "more": 1}, "expected an object with a cosine"),
        ({"cosine": "high"}, "'cosine': expected a number from -1 to 1, found 'high'"),
    ],
)
def test_a_damaged_dictionary_is_a_model_error(dictionary: Any, message: str, tmp_path: Path) -> None:
    ForestAligner.load(NAME).save(tmp_path)
    card = json.loads((tmp_path / "model.json").read_text("utf-8"))
    (tmp_path / "model.json").write_text(json.dumps({**card, "dictionary": dictionary}), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        ForestModel.load(tmp_path)


@pytest.mark.parametrize(
    ("pairs", "message"), [(b"one", "two words a line"), (b"\xff\ta", "UTF-8"), (None, "lack")]
)
def test_damaged_derivations_are_a_model_error(pairs: bytes | None, message: str, tmp_path: Path) -> None:
    ForestAligner.load(NAME).save(tmp_path)
    path = tmp_path / "weights.safetensors"
    tensors = load_file(path)
    del tensors["derivations"]
    if pairs is not None:
        tensors["derivations"] = np.frombuffer(pairs, np.uint8)
    save_file(tensors, path)
    bind(path)
    with pytest.raises(ModelError, match=message):
        ForestModel.load(tmp_path)
