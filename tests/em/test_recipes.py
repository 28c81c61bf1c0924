"""The command that follows recipes."""

from __future__ import annotations

import pytest

from forest_align.em import recipes


def test_every_recipe_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for name in recipes.RECIPES:
        with pytest.raises(SystemExit) as stop:
            recipes.main([name, "--help"])
        assert stop.value.code == 0
        assert f"usage: python -m forest_align.em.recipes {name}" in capsys.readouterr().out


def test_an_unknown_recipe_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        recipes.main(["cake"])
    assert stop.value.code == 2
    assert "paraphrases" in capsys.readouterr().err
