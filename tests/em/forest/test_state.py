"""What a run can be set to, and what a resumed one must share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_align.em.forest.state import TrainingSettings
from forest_align.types import InputError


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epochs", -1),
        ("batch_size", -1),
        ("seed", -1),
        ("workers", 0),
        ("m_step_iterations", 0),
        ("step_exponent", 0.5),
        ("step_exponent", 1.1),
        ("step_exponent", float("nan")),
        *(("regularization", value) for value in (-1.0, float("nan"), float("inf"))),
    ],
)
def test_settings_out_of_range_are_refused_by_name(field: str, value: float) -> None:
    with pytest.raises(InputError, match=field):
        TrainingSettings(**{field: value})


def test_a_resumed_run_may_have_other_epochs_workers_and_checkpoints_alone() -> None:
    free = {"epochs": 9, "workers": 3, "checkpoint_seconds": 1.0}
    fixed = {"batch_size": 9, "seed": 9, "regularization": 0.5, "step_exponent": 0.9, "m_step_iterations": 3}
    settings = TrainingSettings()
    assert free.keys() | fixed.keys() == set(TrainingSettings.__dataclass_fields__)
    for name, value in (free | fixed).items():
        same = replace(settings, **{name: value}).identity == settings.identity
        assert same == (name in free), name
