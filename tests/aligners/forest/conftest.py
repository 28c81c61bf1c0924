"""The bundled aligner, which most tests of this folder run."""

from __future__ import annotations

import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.lexicon.lexicon import load_lexicon


@pytest.fixture(scope="session")
def aligner() -> ForestAligner:
    return ForestAligner(lexicon=load_lexicon())
