"""Settings of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine draws slowly; that is no fault of a test.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
