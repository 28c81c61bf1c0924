"""Settings of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine draws slowly; that is no fault of a test.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("usual", max_examples=25, **PATIENT)
settings.register_profile("thorough", max_examples=200, **PATIENT)  # tools/nightly.py
settings.load_profile("usual")
