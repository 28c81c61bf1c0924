"""The line that says how a score was made, so that two scores can be compared at a glance."""

from __future__ import annotations

from collections.abc import Mapping

from forest_align._version import __version__


def signature(settings: Mapping[str, object]) -> str:
    """Join settings as ``key:value`` with bars, the version last, such as ``links:sure|version:0.1.0``."""
    return "|".join([*(f"{key}:{value}" for key, value in settings.items()), f"version:{__version__}"])
