"""The place of a pair among the probable ones."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.aligners.documents.sentence_links import PLACE_FEATURES, place_features
from forest_align.aligners.documents.sentence_matches import SentenceMatches

from .toy_documents import document


@pytest.mark.parametrize("seed", range(10))
def test_places_are_those_of_an_enumeration(seed: int) -> None:
    random = np.random.default_rng(seed)
    size, other_size = random.integers(1, 7, 2).tolist()
    words = [f"w{k}" for k in range(6)]
    texts = [" ".join(random.choice(words, 3)) for _ in range(size + other_size)]
    matches = SentenceMatches(document(*texts[:size]), document(*texts[size:]))
    probabilities = random.uniform(0, 1, len(matches.coverage))
    known = dict(zip(matches.coverage, probabilities.tolist(), strict=True))
    corners = {(-1, -1): 1.0, (size, other_size): 1.0}
    for (i, j), row in zip(known, place_features(matches, probabilities).tolist(), strict=True):
        closest = [0.0, 0.0]
        for (a, b), probability in {**known, **corners}.items():
            steps, other_steps = i - a, j - b
            for side, sign in enumerate((1, -1)):
                down, right = sign * steps, sign * other_steps
                if min(down, right) >= 0 and max(down, right) > 0:
                    passed = max(down, right) - (min(down, right) > 0)
                    closest[side] = max(closest[side], probability * 0.7**passed)
        others = [
            max((p for pair, p in known.items() if pair != (i, j) and pair[side] == (i, j)[side]), default=0)
            for side in (0, 1)
        ]
        expected = [*closest, closest[0] * closest[1], max(others), min(others)]
        assert row == pytest.approx(expected, abs=1e-9)


def test_no_candidates_have_no_places() -> None:
    matches = SentenceMatches(document(""), document("a"))
    assert place_features(matches, np.zeros(0)).shape == (0, len(PLACE_FEATURES))
