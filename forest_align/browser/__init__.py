"""The browser view: alignments of typed sentences or of a file, as pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.browser.server import BrowserServer
    from forest_align.browser.service import BrowserService

__all__ = [
    "BrowserServer",
    "BrowserService",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "BrowserServer": "forest_align.browser.server",
        "BrowserService": "forest_align.browser.service",
    },
)
