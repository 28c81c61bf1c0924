"""Sure links or all: probabilities that are mapped, where the map is kept, and what aligners do with it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import forest_align
from forest_align.aligners.contextual import ContextualAligner, LinkModel
from forest_align.aligners.joint import JointAligner, JointModel
from forest_align.aligners.joint.aligner import bundled_model as bundled_joint
from forest_align.aligners.joint.features import DELETION_FEATURES
from forest_align.aligners.link_convention import AllLinks, FreerLinks, check_convention
from forest_align.types import InputError, ModelError, Sentence

from .contextual.link_models import random_model, sentence

SOURCE = "He was clearly worried about the rapid growth of costs."
TARGET = "Fast rising expenses made him visibly anxious."


@cache
def pair() -> tuple[Sentence, Sentence]:
    one, other = forest_align.load_parser("en").parse_many([SOURCE, TARGET])
    assert isinstance(one, Sentence) and isinstance(other, Sentence)
    return one, other


@given(
    st.lists(st.floats(0, 1, width=32), min_size=2, max_size=20),
    st.floats(1e-3, 1e300),
    st.floats(-1e300, 1e300),
)
def test_mapped_probabilities_keep_their_order_whatever_the_numbers(
    values: list[float], slope: float, offset: float
) -> None:
    sure = np.array(sorted(values), np.float32)
    probabilities = AllLinks(slope, offset).probabilities(sure)
    assert probabilities.dtype == np.float32
    assert ((probabilities >= 0) & (probabilities <= 1)).all() and (np.diff(probabilities) >= 0).all()
    assert (probabilities[sure == 0] == 0).all() and (probabilities[sure == 1] == 1).all()


def test_log_odds_are_multiplied_and_shifted() -> None:
    probabilities = AllLinks(2.0, math.log(3)).probabilities(np.array([[0.5, 0.25]]))
    # Odds of 1 and 1/3 become 3 · 1² and 3 · (1/3)².
    assert probabilities.tolist() == [[pytest.approx(0.75), pytest.approx(0.25)]]
    assert AllLinks().probabilities(np.array([0.3])).tolist() == [pytest.approx(0.3)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"slope": 0.0}, "all_links.slope': expected a number above 0"),
        ({"slope": math.nan}, "all_links.slope': expected a number above 0"),
        ({"offset": math.inf}, "all_links.offset'"),
        ({"offset": "1"}, "all_links.offset'"),
        ({"threshold": 1.5}, "all_links.threshold'"),
    ],
)
def test_numbers_that_make_no_probability_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        AllLinks(**values)
    assert message in str(refused.value)


def test_the_point_of_a_link_model_is_kept_in_its_description(tmp_path: Path) -> None:
    point = AllLinks(0.9, 0.6, 0.45)
    replace(random_model(0), all_links=point).save(tmp_path / "all")
    random_model(0).save(tmp_path / "sure")
    assert LinkModel.load(tmp_path / "all").all_links == point
    assert LinkModel.load(tmp_path / "sure").all_links is None
    cards = [json.loads((tmp_path / name / "model.json").read_text()) for name in ("all", "sure")]
    assert cards[0].pop("all_links") == {"slope": 0.9, "offset": 0.6, "threshold": 0.45}
    assert cards[0] == cards[1]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "expected slope, offset, threshold, found list"),
        ({"slope": 1.0}, "expected slope, offset, threshold, found slope"),
        (
            {"slope": -1, "offset": 0, "threshold": 0.5},
            "all_links.slope': expected a number above 0, found -1",
        ),
    ],
)
def test_a_damaged_point_is_named(value: Any, message: str, tmp_path: Path) -> None:
    random_model(0).save(tmp_path)
    card = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps(card | {"all_links": value}))
    with pytest.raises(ModelError, match="is damaged") as refused:
        LinkModel.load(tmp_path)
    assert message in str(refused.value)


def test_the_bundled_word_aligner_links_more_freely_and_stays_symmetric() -> None:
    sure, every = ContextualAligner(), ContextualAligner(links="all")
    point = every.model.all_links
    assert point is not None and every.threshold == point.threshold
    assert (sure.settings, every.settings["links"]) == ({"threshold": 0.5}, "all")
    first, second = (one.align_prepared(*pair()) for one in (sure, every))
    assert set(first.words.pairs) < set(second.words.pairs)
    table = sure.link_probabilities(*pair())
    assert (every.link_probabilities(*pair()) == point.probabilities(table)).all()
    assert second.words.scores is not None and min(second.words.scores) >= point.threshold
    assert every.align_prepared(*pair()[::-1]).words == second.words.swap()


def test_an_explanation_adds_up_to_the_log_odds_of_the_convention() -> None:
    aligner = ContextualAligner(links="all")
    probability = aligner.link_probabilities(*pair()).astype(float)
    i, j = np.unravel_index(np.argmin(np.abs(probability - 0.5)), probability.shape)
    found = aligner.explain(*pair(), int(i), int(j))
    assert sum(found.values()) == pytest.approx(
        math.log(probability[i, j] / (1 - probability[i, j])), abs=1e-3
    )
    assert list(found.values()) == sorted(found.values(), key=lambda value: -abs(value))


def test_a_threshold_of_one_convention_leaves_the_other_alone(tmp_path: Path) -> None:
    model = replace(random_model(0), all_links=AllLinks(1.0, 1.0, 0.6))
    ContextualAligner(model, links="all").with_values({"threshold": 0.7}).save(tmp_path / "all")
    ContextualAligner(model).with_values({"threshold": 0.7}).save(tmp_path / "sure")
    found = [LinkModel.load(tmp_path / name) for name in ("all", "sure")]
    assert [(one.threshold, one.all_links and one.all_links.threshold) for one in found] == [
        (0.4, 0.7),
        (0.7, 0.6),
    ]
    assert ContextualAligner(model, links="all", threshold=0.2).threshold == 0.2


def test_a_model_of_sure_links_and_an_unknown_convention_are_refused() -> None:
    with pytest.raises(InputError, match="field 'links': the link model knows sure links only"):
        ContextualAligner(random_model(0), links="all")
    for kind in ("contextual", "forest"):
        with pytest.raises(InputError, match="field 'links': expected one of sure, all, found 'possible'"):
            forest_align.load(kind, links="possible")
    assert (check_convention("sure"), check_convention("all")) == (False, True)


def test_sentences_with_the_same_words_are_linked_word_by_word_in_both_conventions() -> None:
    one = sentence(["no", ",", "no"], 1)
    model = replace(random_model(0), all_links=AllLinks(1.0, 1.0))
    assert ContextualAligner(model, links="all").align_prepared(one, one).words.pairs == (
        (0, 0),
        (1, 1),
        (2, 2),
    )


def test_the_forest_aligner_starts_from_word_candidates_of_the_convention() -> None:
    sure, every = (forest_align.load("forest", links=links) for links in ("sure", "all"))
    first, second = (aligner.align_prepared(*pair()) for aligner in (sure, every))
    plain = forest_align.load("forest").align_prepared(*pair())
    assert first == replace(plain, made_by=first.made_by)
    before, after = (
        dict(zip(one.words.pairs, one.words.scores or (), strict=True)) for one in (first, second)
    )
    shared = before.keys() & after.keys()
    assert len(shared) >= 6 and all(after[link] > before[link] for link in shared) and second.phrases
    table = ContextualAligner(links="all").link_probabilities(*pair())
    singles = {(c.source[0], c.target[0]) for c in every.candidates.candidates(*pair()) if not c.is_group}
    assert singles == set(zip(*(places.tolist() for places in np.nonzero(table >= 0.3)), strict=True))
    assert "links" not in sure.settings and every.settings["links"] == "all"


@pytest.mark.parametrize("options", [{"name_or_path": "forest-published"}, {"candidates": "dictionary"}])
def test_words_without_probabilities_know_no_convention(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="all links need word candidates 'contextual', found 'dictionary'"):
        forest_align.load(**{"name_or_path": "forest", "links": "all"} | options)
    with pytest.raises(InputError, match="has no option 'links'"):
        forest_align.load("sultan", links="all")


def test_the_joint_aligner_deletes_less_where_possible_links_are_wanted(tmp_path: Path) -> None:
    model = replace(bundled_joint(), all_links=FreerLinks(0.5, (0.7, 0.1)))
    model.save(tmp_path)
    again = JointModel.load(tmp_path)
    assert again.all_links == model.all_links
    free = again.for_all_links()
    assert free.calibration == (0.7, 0.1)
    difference = model.named_weights("deletions") - free.named_weights("deletions")
    changed = [DELETION_FEATURES[place] for place in np.flatnonzero(difference)]
    assert changed == ["content word", "function word", "punctuation"]
    assert difference[np.flatnonzero(difference)] == pytest.approx([0.5] * 3)
    others = np.abs(model.weights - free.weights) > 0
    assert others.sum() == 3
    # Every word has exactly one of these features, so that each deletion costs as much more.
    aligner = JointAligner(model)
    edits = aligner.edits(*aligner.prepare_pair(SOURCE, TARGET))
    for side in edits.deletions:
        assert (side[:, np.flatnonzero(difference)].sum(axis=1) == 1).all()


def test_the_joint_aligner_makes_more_links_by_the_convention_and_stays_symmetric() -> None:
    model = replace(bundled_joint(), all_links=FreerLinks(0.6, (0.8, 0.3)))
    sure, every = (JointAligner(model, links=links) for links in ("sure", "all"))
    sentences = sure.prepare_pair(SOURCE, TARGET)
    plain, free = (aligner.align_prepared(*sentences) for aligner in (sure, every))
    assert plain == JointAligner(replace(model, all_links=None)).align_prepared(*sentences)
    assert len(free.words) >= len(plain.words) and free.words.scores != plain.words.scores
    assert free.swap().words == every.align_prepared(*sentences[::-1]).words
    assert ("links" in sure.settings, every.settings["links"]) == (False, "all")
    with pytest.raises(InputError, match="field 'links': the joint model knows sure links only"):
        forest_align.load("joint-published", links="all")


@pytest.mark.parametrize(
    "value",
    [[], {"deletion": 1.0}, {"deletion": "1", "calibration": [1, 0]}, {"deletion": 1, "calibration": [1]}],
)
def test_a_damaged_point_of_the_joint_model_is_named(value: Any, tmp_path: Path) -> None:
    bundled_joint().save(tmp_path)
    card = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps(card | {"all_links": value}))
    with pytest.raises(ModelError, match=r"model\.json' is damaged: field 'all_links"):
        JointModel.load(tmp_path)
