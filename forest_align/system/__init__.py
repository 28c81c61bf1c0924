"""Processes, files and the terminal: parallel work, atomic writes, progress bars, types of arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.system.processes import check_counts, map_in_workers, use_one_thread

__all__ = [
    "check_counts",
    "map_in_workers",
    "use_one_thread",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "check_counts": "forest_align.system.processes",
        "map_in_workers": "forest_align.system.processes",
        "use_one_thread": "forest_align.system.processes",
    },
)
