"""The service: alignments over HTTP, as JSON and as pages (extra ``serve``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.service.aligning_process import AligningProcess
    from forest_align.service.app import create_app
    from forest_align.service.settings import ServedModel, ServiceLimits, ServiceSettings

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
        "forest_align.service.aligning_process": "AligningProcess",
        "forest_align.service.app": "create_app",
        "forest_align.service.settings": "ServedModel ServiceLimits ServiceSettings",
    },
)
