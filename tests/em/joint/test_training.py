"""Perceptron training of the joint aligner: what it learns from, what it learns, and resuming it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.joint.aligner import margins
from forest_align.aligners.joint.model import JointModel, feature_squares, summed_features
from forest_align.aligners.joint.program import best_edits
from forest_align.alignment import Links
from forest_align.data.formats.format import SentencePair
from forest_align.em.corpus.parsed_pairs import GoldPair
from forest_align.em.joint import training as joint_training
from forest_align.em.joint.examples import JointExample, example_of, fingerprint, read_examples
from forest_align.em.joint.training import UPDATES, JointSettings, calibrate, train_joint_model
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import InputError, Sentence

from ...aligners.joint.joint_sentences import ToyParser, sentence

PAIRS = (
    ("the old man bought a car", "a man sold the old car", "0-3 1-4 2-1 3-2 4-0 5-5"),
    ("she sold the house", "she bought a house in London", "0-0 1-1 2-2 3-3"),
    ("dogs like meat", "dogs love meat", "0-0 1-1 2-2"),
    ("he bought the house in London", "in London he sold a car", "0-2 1-3 2-4 4-0 5-1"),
)


def example(source: str, target: str, links: str, longest: int = 3) -> JointExample:
    pair = GoldPair(sentence(source), sentence(target), Links.from_pharaoh(links))
    return example_of(pair, load_lexicon(), longest=longest, arcs=True)


@pytest.fixture(scope="module")
def examples() -> list[JointExample]:
    return [example(*pair) for pair in PAIRS]


def links_of(item: JointExample, model: JointModel) -> set[tuple[int, int]]:
    scores = model.scores(item.edits)
    best = best_edits(item.edits.lengths, item.edits.spans, scores[0], item.edits.arc_pairs, scores[1])
    return {(int(i), int(j)) for i, j in np.argwhere(item.edits.covered(best.phrases))}


def gold_of(item: JointExample) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in np.argwhere(item.gold)}


@pytest.mark.parametrize("update", UPDATES)
def test_training_learns_the_pairs_it_sees(examples: list[JointExample], update: str) -> None:
    settings = JointSettings(epochs=25, update=update, largest_step=0.1)
    model, history = train_joint_model(examples, settings)
    assert all(links_of(item, model) == gold_of(item) for item in examples)
    assert len(history) == 25 and history[-1].recall > history[0].recall
    assert model.calibration[0] > 0


@pytest.mark.parametrize("update", UPDATES)
def test_training_takes_the_steps_of_the_definition(update: str) -> None:
    # Phrases alone: arcs that are worth nothing yet could be taken or not.
    options = {"longest": 3, "arcs": False}
    items = [
        example_of(GoldPair(sentence(a), sentence(b), Links.from_pharaoh(links)), load_lexicon(), **options)
        for a, b, links in PAIRS
    ]
    settings = JointSettings(epochs=3, seed=2, update=update)
    squares = [feature_squares(item.edits) for item in items]
    mean = np.sqrt(sum(sums for sums, _ in squares) / np.maximum(sum(sizes for _, sizes in squares), 1))
    scale = np.array([1 / max(value, 0.05) if value > 0 else 0.0 for value in mean])
    weights = total = np.zeros(len(scale))
    for epoch in (1, 2, 3):
        for place in np.random.default_rng([2, epoch]).permutation(len(items)):
            edits, gold = items[place].edits, items[place].gold
            wanted = items[place].reachable()
            # Words that are linked in the way of the cost: 2 for a missing link, 1 for a wrong one.
            values = [
                sum(2.0 if gold[i, j] else -1.0 for i in range(s, e) for j in range(t, f))
                for s, e, t, f in edits.spans.tolist()
            ]
            cost = np.array(values) if update == "margin" else np.zeros(len(values))
            scores = JointModel(weights * scale, "phrase").scores(edits)
            found = best_edits(edits.lengths, edits.spans, scores[0] - cost, edits.arc_pairs, scores[1])
            change = (summed_features(edits, wanted) - summed_features(edits, found)) * scale
            if update == "perceptron":
                weights = weights + change
            elif (change != 0).any():
                gap = cost[wanted.phrases].sum() - cost[found.phrases].sum() - weights @ change
                weights = weights + min(0.01, max(gap, 0) / (change @ change)) * change
            total = total + weights
    model, _ = train_joint_model(items, settings, variant="phrase")
    assert model.weights == pytest.approx(total / (3 * len(items)) * scale, abs=1e-9)


def test_unaligned_words_are_deleted_in_few_phrases() -> None:
    pair = GoldPair(
        sentence("the old man bought a car in London"), sentence("man car"), Links.from_pharaoh("2-0 5-1")
    )
    item = example_of(pair, load_lexicon(), longest=3, arcs=True, phrase_deletions=True)
    best = item.reachable()
    # "the old", "bought a" and "in London".
    assert item.edits.deleted[best.deletions].tolist() == [[0, 0, 2], [0, 3, 5], [0, 6, 8]]
    nothing = GoldPair(sentence("the old man bought"), sentence("car"), Links())
    item = example_of(nothing, load_lexicon(), longest=3, arcs=True, phrase_deletions=True)
    gone = item.edits.deleted[item.reachable().deletions].tolist()
    # Four words take two edits, and the longer one comes first.
    assert gone == [[0, 0, 3]]


def test_of_links_that_no_phrases_can_make_the_most_are_reached() -> None:
    item = example("the car", "the car the house", "0-0 0-2 1-1")
    covered = item.edits.covered(item.reachable().phrases)
    assert (covered & item.gold).sum() == 2 and not (covered & ~item.gold).any()


def test_probabilities_are_right_as_often_as_they_say(examples: list[JointExample]) -> None:
    model, _ = train_joint_model(examples, JointSettings(epochs=2))
    # Two gold links are called wrong: the mean probability must be the share of the others.
    shaken = [replace(item, gold=item.gold.copy()) for item in examples]
    for item in shaken[:2]:
        i, j = min(links_of(item, model))
        item.gold[i, j] = not item.gold[i, j]
    fitted = replace(model, calibration=calibrate(shaken, model))
    right, probability = [], []
    for item in shaken:
        scores = model.scores(item.edits)
        best = best_edits(item.edits.lengths, item.edits.spans, scores[0], item.edits.arc_pairs, scores[1])
        probabilities = fitted.probabilities(margins(item.edits, best, *scores))
        for place, value in zip(best.phrases, probabilities, strict=True):
            s, e, t, f = item.edits.spans[place]
            right += item.gold[s:e, t:f].ravel().tolist()
            probability += [value] * ((e - s) * (f - t))
    assert np.mean(right) == pytest.approx(np.mean(probability), abs=0.01)


@pytest.mark.parametrize("last", [("epoch 1", 3), ("epoch 2", 1), ("epoch 2", 4)])
def test_a_run_can_stop_within_an_epoch(
    last: tuple[str, int], examples: list[JointExample], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_training, "CHECKPOINT_SECONDS", -1.0)
    checkpoint, settings = tmp_path / "checkpoint", JointSettings(epochs=3, seed=3)
    reports: list[tuple[str, int]] = []

    def stop(what: str, done: int) -> None:
        # The state before this pair is the last that was written.
        if (what, done) == last:
            raise KeyboardInterrupt

    def watch(what: str, done: int) -> None:
        reports.append((what, done))

    whole, history = train_joint_model(examples, settings)
    with pytest.raises(KeyboardInterrupt):
        train_joint_model(examples, settings, checkpoint=checkpoint, report=stop)
    resumed, again = train_joint_model(examples, settings, checkpoint=checkpoint, resume=True, report=watch)
    assert np.array_equal(whole.weights, resumed.weights) and whole.calibration == resumed.calibration
    assert again == history
    every = [
        (what, done)
        for what in ("gold links", "epoch 1", "epoch 2", "epoch 3", "calibration")
        for done in range(1, 5)
    ]
    assert reports == every[:4] + every[every.index(last) :]


def test_a_run_of_fewer_epochs_than_the_checkpoint_has_is_refused(
    examples: list[JointExample], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_training, "CHECKPOINT_SECONDS", -1.0)
    checkpoint = tmp_path / "joint.checkpoint"

    def stop(what: str, done: int) -> None:
        if (what, done) == ("epoch 3", 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_joint_model(examples, JointSettings(epochs=3), checkpoint=checkpoint, report=stop)
    # Two epochs and a part of the third are done: neither of these is what two epochs give.
    for epochs in (1, 2):
        with pytest.raises(InputError, match=rf"joint\.checkpoint: field 'epochs': .* the {epochs} epochs"):
            train_joint_model(examples, JointSettings(epochs=epochs), checkpoint=checkpoint, resume=True)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"settings": JointSettings(2, seed=9)}, "seed"),
        ({"variant": "phrase"}, "variant"),
        ({"link_features": True}, "link_features"),
        ({"identity": {"x": 1}}, "x"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(
    examples: list[JointExample], tmp_path: Path, changes: dict[str, Any], field: str
) -> None:
    train_joint_model(examples, JointSettings(1), checkpoint=tmp_path / "checkpoint")
    options = {"settings": JointSettings(2), **changes}
    with pytest.raises(InputError, match=field):
        train_joint_model(examples, checkpoint=tmp_path / "checkpoint", resume=True, **options)


def test_settings_are_checked() -> None:
    with pytest.raises(InputError, match="epochs"):
        JointSettings(epochs=-1)
    with pytest.raises(InputError, match="largest_step"):
        JointSettings(largest_step=float("nan"))
    with pytest.raises(InputError, match="margin, perceptron"):
        JointSettings(update="hope")
    with pytest.raises(InputError, match="at least one"):
        train_joint_model([], JointSettings())


def test_pairs_that_cannot_be_used_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser_for_alignment", lambda *args, **options: ToyParser()
    )
    good = SentencePair(
        "1", Sentence.from_words(["a", "car"]), Sentence.from_words(["car"]), Links(((1, 0),))
    )
    pairs = [
        good,
        InputError("broken"),
        SentencePair("3", good.source, good.target),
        SentencePair("4", good.source, good.target, Links(((7, 0),))),
    ]
    found, problems = read_examples(pairs, cache=tmp_path)
    assert len(found) == 1 and found[0].gold.tolist() == [[False], [True]]
    assert "broken" in problems[0] and "'3'" in problems[1] and "'4'" in problems[2]
    monkeypatch.setattr("forest_align.parsing.load_parser_for_alignment", None)
    again, _ = read_examples(pairs, cache=tmp_path)
    assert fingerprint(again) == fingerprint(found)


@pytest.mark.parametrize("part", ["word_features", "phrase_features", "deletions", "arc_features", "spans"])
def test_whatever_is_learned_from_is_part_of_the_fingerprint(examples: list[JointExample], part: str) -> None:
    edits = examples[0].edits
    value = getattr(edits, part)
    changed = (value[0] + 1, value[1]) if part == "deletions" else value + 1
    other = [replace(examples[0], edits=replace(edits, **{part: changed})), *examples[1:]]
    assert fingerprint(other) != fingerprint(examples)


def test_possible_links_count_if_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser_for_alignment", lambda *args, **options: ToyParser()
    )
    links = Links(((0, 0), (1, 0)), (True, False))
    pair = SentencePair("1", Sentence.from_words(["a", "car"]), Sentence.from_words(["car"]), links)
    assert read_examples([pair], links="sure")[0][0].gold.tolist() == [[True], [False]]
    assert read_examples([pair], links="all")[0][0].gold.tolist() == [[True], [True]]
