"""Attribution: which spans of a source support the spans of a summary."""

from forest_align.aligners.attribution._support_finder import SupportFinder, support

__all__ = [
    "SupportFinder",
    "support",
]
