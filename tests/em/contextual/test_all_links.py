"""Fitting the probabilities of all links to a model of sure links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.contextual import ContextualAligner, LinkModel
from forest_align.em import recipes
from forest_align.em.contextual.all_links import JudgedLinks, f1, fit_all_links, table
from forest_align.types import InputError


def drawn(slope: float, offset: float, count: int = 200) -> list[JudgedLinks]:
    """Pairs of 8 words on a side, the links of which are gold as often as these numbers say."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(count):
        odds = rng.normal(-1, 2, (8, 8))
        gold = rng.random((8, 8)) < 1 / (1 + np.exp(-(slope * odds + offset)))
        found.append(JudgedLinks(1 / (1 + np.exp(-odds)), gold))
    return found


@pytest.mark.parametrize(("slope", "offset"), [(0.8, 0.9), (1.3, -0.4)])
def test_the_numbers_that_links_were_drawn_with_are_found(slope: float, offset: float) -> None:
    found = fit_all_links(drawn(slope, offset))
    assert (found.slope, found.offset) == (pytest.approx(slope, abs=0.06), pytest.approx(offset, abs=0.06))
    assert 0.4 <= found.threshold <= 0.6


def test_the_threshold_has_the_highest_f1_of_those_that_are_tried() -> None:
    pairs = drawn(0.8, 0.9, 30)
    found = fit_all_links(pairs)
    mapped = [JudgedLinks(found.probabilities(pair.probability), pair.gold) for pair in pairs]
    best = f1(mapped, found.threshold)
    assert best >= max(f1(mapped, threshold) for threshold in (0.4, 0.45, 0.5, 0.55, 0.6))
    lines = list(table({"drawn": pairs}, found, 0.5))
    assert len(lines) == 3 and lines[2].startswith("| drawn | 30 |") and f"| {best:.2f} |" in lines[2]


def test_links_that_teach_nothing_are_refused() -> None:
    probability = np.array([[0.9, 0.2]])
    for gold in (np.zeros((1, 2), bool), np.ones((1, 2), bool)):
        with pytest.raises(InputError, match="expected some of the links that the model finds to be gold"):
            fit_all_links([JudgedLinks(probability, gold)])
    reverse = [JudgedLinks(np.array([[0.9, 0.1]]), np.array([[False, True]]))]
    with pytest.raises(InputError, match=r"all_links\.slope': expected a number above 0"):
        fit_all_links(reverse)


def test_the_program_writes_the_model_with_its_point_and_changes_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = []
    for number in range(4):
        source, target = "the old man bought a car", "an elderly person purchased the vehicle"
        sure, possible = "1-1 2-2 3-3 5-5", "0-4 4-0"
        lines.append("\t".join([str(number), source, "N/A", target, "N/A", "-", "-", sure, possible]))
    gold = tmp_path / "gold.tsv"
    gold.write_text("\n".join(lines) + "\n", encoding="utf-8")
    recipes.main(["all-links", str(gold), "-o", str(tmp_path / "model"), "--limit", "3"])
    assert "gold.tsv | 1 |" in capsys.readouterr().out
    found, before = LinkModel.load(tmp_path / "model"), ContextualAligner().model
    assert found.all_links is not None and found.all_links != before.all_links
    assert (found.threshold, found.card["all_links_fitted_on"]) == (
        before.threshold,
        {f"{tmp_path.name}/gold.tsv": 3},
    )
    assert (found.first == before.first).all()
