"""Training of the semi-Markov aligner: wanted paths, costs, gradient, learning, and runs that are resumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.semi_markov.aligner import SemiMarkovAligner
from forest_align.aligners.semi_markov.lattice import DEFAULT_OPTIONS, Lattice, LatticeOptions, lattice_of
from forest_align.aligners.semi_markov.model import Scores
from forest_align.alignment import Links
from forest_align.em.corpus.parsed_pairs import GoldPair
from forest_align.em.semi_markov.objective import LatticeExample, LatticeObjective, pack, unpack
from forest_align.em.semi_markov.training import (
    SemiMarkovSettings,
    examples_of,
    fingerprint,
    train_semi_markov_model,
    with_synonym_copy,
)
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.storage.checkpoint import load_arrays, save_arrays
from forest_align.types import InputError

from ...aligners.semi_markov import semi_markov_cases as cases

SHAPES = DEFAULT_OPTIONS.weight_shapes
GOLD = ("0-2 1-3 2-0 3-1 4-1 5-1 6-5", "0-0 1-1 2-2 3-3 5-5", "0-0", "0-0", "0-0 1-1 4-2 5-3")
PAIRS = [
    GoldPair(cases.tagged(source), cases.tagged(target), Links.from_pharaoh(links))
    for (source, target), links in zip(cases.PAIRS, GOLD, strict=True)
]


#: Nulls of up to three words, and all further features but those of a table that nobody gives.
MORE = LatticeOptions(longest_null=3, resources=("wordnet", "names", "groups"))


def example_of(number: int, options: LatticeOptions = DEFAULT_OPTIONS) -> LatticeExample:
    pair = PAIRS[number]
    lattice = lattice_of(pair.source, pair.target, load_lexicon(), options=options)
    return LatticeExample.of(lattice, pair.links)


def paths_of(lattice: Lattice, at: int = 0) -> Iterator[list[int]]:
    """All paths from a source word on; -l is a null of l words."""
    if at == lattice.rows:
        yield []
        return
    steps = [(k, span[1]) for k, span in enumerate(lattice.spans.tolist()) if span[0] == at]
    longest = min(1 + lattice.null_phrases.shape[2], lattice.rows - at)
    nulls = [(-length, at + length) for length in range(1, longest + 1)]
    for number, end in [*nulls, *steps]:
        for rest in paths_of(lattice, end):
            yield [number, *rest]


def places_of(lattice: Lattice, path: Sequence[int]) -> list[tuple[int, int] | None]:
    """For each source word its target phrase; None is null."""
    places: list[tuple[int, int] | None] = []
    for number in path:
        start, end, first, last = lattice.spans[number].tolist()
        places += [None] * -number if number < 0 else [(first, last)] * (end - start)
    return places


def score_of(scores: Scores, lattice: Lattice, path: Sequence[int]) -> float:
    pairs, null, transitions, ends = scores
    total, at, row = 0.0, 0, lattice.columns + 1
    for number in path:
        _, end, first, last = lattice.spans[number].tolist()
        end, first, last = (at - number, lattice.columns, None) if number < 0 else (end, first, last)
        total += transitions[row, first] + (null[at, -1 - number] if number < 0 else pairs[number])
        at, row = end, first if last is None else last - 1
    return float(total + ends[row])


@pytest.mark.parametrize("options", [DEFAULT_OPTIONS, MORE])
@pytest.mark.parametrize("seed", range(10))
def test_the_wanted_path_agrees_best_of_all_paths_and_has_fewest_steps(
    seed: int, options: LatticeOptions
) -> None:
    rng = np.random.default_rng(seed)
    source, target = cases.tagged("a/DT cat/NN sat/VBD"), cases.tagged("cats/NNS a/DT sat/VBD")
    lattice = lattice_of(source, target, load_lexicon(), options=options)
    cells = [(i, j) for i in range(3) for j in range(3) if rng.random() < 0.5]
    example = LatticeExample.of(lattice, Links(tuple(cells)))

    def merit(path: Sequence[int]) -> tuple[int, ...]:
        made = {
            (i, j)
            for i, place in enumerate(places_of(lattice, path))
            if place is not None
            for j in range(*place)
        }
        nulls = sum(number < 0 for number in path) if options.longest_null > 1 else 0
        return -len(made ^ set(cells)), -sum(number >= 0 for number in path), -nulls

    assert merit(example.path) == max(map(merit, paths_of(lattice)))


@pytest.mark.parametrize("options", [DEFAULT_OPTIONS, MORE])
@pytest.mark.parametrize("number", [2, 3])
def test_the_loss_is_the_softmax_margin_over_all_paths(number: int, options: LatticeOptions) -> None:
    example, model = example_of(number, options), cases.random_model(number, 0.7, options)
    lattice, scores = example.lattice, model.scores(example.lattice)
    wanted = places_of(lattice, example.path)
    costly = [
        score_of(scores, lattice, path)
        + sum(a != b for a, b in zip(places_of(lattice, path), wanted, strict=True))
        for path in paths_of(lattice)
    ]
    margin = np.logaddexp.reduce(costly) - score_of(scores, lattice, example.path)
    point = pack(model.weights, model.options.weight_shapes)
    expected = margin + 0.7 / 2 * float(point @ point)
    assert LatticeObjective([example], 0.7, options)(point)[0] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("options", [DEFAULT_OPTIONS, MORE])
def test_the_gradient_is_the_slope_of_the_loss(options: LatticeOptions) -> None:
    examples = [example_of(number, options) for number in (0, 1, 4)]
    objective, shapes = LatticeObjective(examples, 0.7, options), options.weight_shapes
    rng = np.random.default_rng(0)
    point = pack({name: 0.3 * rng.normal(size=shape) for name, shape in shapes.items()}, shapes)
    value, gradient = objective(point)
    assert value > 0
    starts = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes.values())])[:-1]
    busy = [
        start + int(np.abs(part).argmax())
        for start, part in zip(starts, map(np.ravel, unpack(gradient, shapes).values()), strict=True)
    ]
    for place in [*busy, *rng.integers(0, len(point), 20)]:
        step = np.zeros(len(point))
        step[place] = 1e-2
        slope = (objective(point + step)[0] - objective(point - step)[0]) / 2e-2
        assert slope == pytest.approx(gradient[place], abs=2e-3, rel=2e-3)


def test_further_features_and_longer_nulls_are_learned() -> None:
    source, target = "the/DT big/JJ dog/NN barked/VBD", "an/DT animal/NN barked/VBD"
    pair = GoldPair(cases.tagged(source), cases.tagged(target), Links.from_pharaoh("2-1 3-2"))
    settings = SemiMarkovSettings(30, 0.1, MORE)
    model, losses = train_semi_markov_model(examples_of([pair], load_lexicon(), settings=settings), settings)
    assert losses[-1] < losses[0]
    names = MORE.feature_lists["word_features"]
    assert model.weights["words"][:, names.index("more general")].max() > 0
    assert np.abs(model.weights["null_phrases"]).max() > 0
    alignment = SemiMarkovAligner(model).align(pair.source, pair.target)
    assert alignment.words.pairs == pair.links.pairs and alignment.unaligned_source == ((0, 2),)


def pair_of(source: str, target: str, links: str) -> GoldPair:
    return GoldPair(cases.tagged(source), cases.tagged(target), Links.from_pharaoh(links))


def test_a_pair_with_a_collocation_on_both_sides_has_a_copy_with_a_synonym() -> None:
    pair = pair_of(
        "he/PRP carried/VBD out/RP this/DT", "he/PRP carries/VBZ out/RP that/DT", "0-0 1-1 2-2 3-3"
    )
    copies = {with_synonym_copy(pair, number, load_lexicon())[1] for number in range(9)}
    texts = {(" ".join(one.source.words), " ".join(one.target.words)) for one in copies}
    assert texts == {
        ("he carried through this", "he carries out that"),
        ("he carried out this", "he carries through that"),
    }
    assert {(one.links, one.source.tags) for one in copies} == {(pair.links, pair.source.tags)}
    for other in (
        pair_of("he/PRP carried/VBD out/RP this/DT", "he/PRP carries/VBZ out/RP that/DT", "0-0 1-1 3-3"),
        pair_of("he/PRP carried/VBD out/RP this/DT", "he/PRP does/VBZ that/DT", "0-0 1-1 2-1 3-2"),
        pair_of("he/PRP slept/VBD", "he/PRP slept/VBD", "0-0 1-1"),
    ):
        assert with_synonym_copy(other, 0, load_lexicon()) == [other]
    settings = SemiMarkovSettings(options=LatticeOptions(resources=("groups",)))
    seen: list[int] = []
    assert len(examples_of([pair], load_lexicon(), None, seen.append, settings)) == 2 and seen == [1]
    assert len(examples_of([pair], load_lexicon())) == 1


def test_particles_of_synonymous_verbs_are_learned_to_correspond() -> None:
    # No verb of these is among those that are aligned afterwards.
    verbs = [("carried", "out"), ("looked", "over"), ("finished", "up"), ("gave", "up"), ("shut", "down")]
    frames = [
        (
            "he/PRP {}/VBD {}/RP the/DT plan/NN",
            "he/PRP had/VBD {}/VBN {}/RP his/PRP$ plan/NN",
            "0-0 1-2 2-3 4-5",
        ),
        ("they/PRP {}/VBD {}/RP", "in/IN May/NNP they/PRP {}/VBD {}/RP again/RB", "0-2 1-3 2-4"),
    ]
    pairs = [
        pair_of(one.format(*verb), two.format(*verb), links) for verb in verbs for one, two, links in frames
    ]
    settings = SemiMarkovSettings(60, 0.1, LatticeOptions(resources=("groups",)))
    model, _ = train_semi_markov_model(examples_of(pairs, load_lexicon(), settings=settings), settings)
    plain, _ = train_semi_markov_model(examples_of(pairs, load_lexicon()), SemiMarkovSettings(60, 0.1))
    unseen = [
        ("closed", "up", "down"),
        ("filled", "in", "out"),
        ("brought", "back", "around"),
        ("passed", "on", "along"),
    ]
    found = {"groups": 0, "plain": 0}
    for verb, one, two in unseen:
        source = cases.tagged(f"shops/NNS are/VBP {verb}/VBN {one}/RP for/IN now/RB until/IN March/NNP")
        target = cases.tagged(f"shops/NNS are/VBP temporarily/RB {verb}/VBN {two}/RP")
        for name, trained in (("groups", model), ("plain", plain)):
            words = SemiMarkovAligner(trained).align(source, target).words.pairs
            found[name] += {(2, 3), (3, 4)} <= set(words)
    assert found["groups"] == len(unseen) > found["plain"]


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    examples = examples_of(PAIRS, load_lexicon())
    whole, losses = train_semi_markov_model(examples, SemiMarkovSettings(23, 0.1))
    checkpoint = tmp_path / "checkpoint"

    class KilledError(Exception):
        pass

    def kill(iteration: int, loss: float) -> None:
        if iteration == 13:
            raise KilledError

    with pytest.raises(KilledError):
        train_semi_markov_model(examples, SemiMarkovSettings(23, 0.1), checkpoint=checkpoint, report=kill)
    seen: list[int] = []
    resumed, resumed_losses = train_semi_markov_model(
        examples,
        SemiMarkovSettings(23, 0.1),
        checkpoint=checkpoint,
        resume=True,
        report=lambda iteration, loss: seen.append(iteration),
    )
    assert seen == list(range(14, len(losses))) and resumed_losses == losses
    assert all(resumed.weights[name].tobytes() == whole.weights[name].tobytes() for name in SHAPES)
    finished, _ = train_semi_markov_model(
        examples,
        SemiMarkovSettings(23, 0.1),
        checkpoint=checkpoint,
        resume=True,
        report=lambda *_: seen.clear(),
    )
    assert seen and np.array_equal(finished.weights["words"], whole.weights["words"])


def test_training_ends_with_finite_weights_where_the_loss_is_not_finite(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    evaluate = LatticeObjective.__call__

    def walled(objective: LatticeObjective, point: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = evaluate(objective, point)
        return (value if float(point @ point) < 4 else np.nan), gradient

    monkeypatch.setattr(LatticeObjective, "__call__", walled)
    examples, checkpoint = examples_of(PAIRS, load_lexicon()), tmp_path / "checkpoint"
    model, losses = train_semi_markov_model(examples, SemiMarkovSettings(100, 0.01), checkpoint=checkpoint)
    assert len(losses) < 100 and losses[-1] < losses[0] and all(a >= b for a, b in pairwise(losses))
    squares = sum(float(np.square(weights).sum()) for weights in model.weights.values())
    assert squares < 4 + 1e-6  # rounded to float32
    resumed, again = train_semi_markov_model(
        examples, SemiMarkovSettings(100, 0.01), checkpoint=checkpoint, resume=True
    )
    assert again == losses and np.array_equal(resumed.weights["words"], model.weights["words"])


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    examples = examples_of(PAIRS, load_lexicon())
    checkpoint = tmp_path / "checkpoint"
    train_semi_markov_model(examples, SemiMarkovSettings(6, 0.1), checkpoint=checkpoint)
    for others, settings, message in (
        (examples, SemiMarkovSettings(6, 0.2), r"written with 0\.1, this run has 0\.2"),
        (examples[1:], SemiMarkovSettings(6, 0.1), "written with"),
        (examples, SemiMarkovSettings(3, 0.1), "more than the 3 iterations"),
    ):
        with pytest.raises(InputError, match=message):
            train_semi_markov_model(others, settings, checkpoint=checkpoint, resume=True)
    arrays, facts = load_arrays(checkpoint)
    del facts["identity"]["optimizer"]
    save_arrays(checkpoint, arrays, facts)
    with pytest.raises(InputError, match="written with another version of the package"):
        train_semi_markov_model(examples, SemiMarkovSettings(6, 0.1), checkpoint=checkpoint, resume=True)


def test_the_fingerprint_depends_on_all_that_is_learned_from() -> None:
    settings = SemiMarkovSettings(options=MORE)
    (example,) = examples_of(PAIRS[:1], load_lexicon(), settings=settings)
    seen = {fingerprint([example])}
    parts = fields(Lattice)
    for part in parts:
        lattice = replace(example.lattice, **{part.name: getattr(example.lattice, part.name) + 1})
        seen.add(fingerprint([replace(example, lattice=lattice)]))
    assert len(seen) == 1 + len(parts)


def test_settings_and_pairs_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="at least 0"):
        SemiMarkovSettings(iterations=-1)
    with pytest.raises(InputError, match="above 0"):
        SemiMarkovSettings(regularization=0)
    with pytest.raises(InputError, match="at least one sentence pair"):
        train_semi_markov_model([], SemiMarkovSettings())
