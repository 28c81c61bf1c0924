"""Settings and a fixture of all tests."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from .command_line import CommandLine

# A busy machine draws slowly; that is no fault of a test.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("usual", max_examples=25, **PATIENT)
settings.register_profile("thorough", max_examples=200, **PATIENT)  # tools/nightly.py
settings.load_profile("usual")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """Runs commands of ``forest-align``."""
    return CommandLine(capsys)
