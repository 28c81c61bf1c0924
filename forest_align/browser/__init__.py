"""The service: alignments over HTTP, as JSON and as pages (extra ``serve``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.browser.aligning_process import AligningProcess
    from forest_align.browser.app import ServedModel, ServiceSettings, create_app
    from forest_align.browser.limits import ServiceLimits

__all__ = [
    "AligningProcess",
    "ServedModel",
    "ServiceLimits",
    "ServiceSettings",
    "create_app",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "AligningProcess": "forest_align.browser.aligning_process",
        "ServedModel": "forest_align.browser.app",
        "ServiceLimits": "forest_align.browser.limits",
        "ServiceSettings": "forest_align.browser.app",
        "create_app": "forest_align.browser.app",
    },
)
