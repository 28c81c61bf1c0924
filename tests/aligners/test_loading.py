"""Finding an aligner by its name."""

from __future__ import annotations

import re
from typing import get_overloads

import pytest

from forest_align.aligners import load

DECLARED = {
    name: overload.__annotations__["return"]
    for overload in get_overloads(load)
    for name in re.findall(r"'([a-z-]+)'", overload.__annotations__["name_or_path"])
}


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_the_type_that_is_declared_for_a_name_is_what_is_loaded(name: str) -> None:
    if name == "joint":
        pytest.importorskip("highspy", reason="HiGHS is not installed (extra 'joint')")
    assert type(load(name)).__name__ == DECLARED[name]


def test_every_kind_of_aligner_has_a_type_declared() -> None:
    assert set(DECLARED) >= {"forest", "contextual", "semi-markov", "joint"}
