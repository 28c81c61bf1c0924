"""Spans in which two sentences have other words, and whether they differ in meaning."""

from __future__ import annotations

from forest_align.aligners.changed_spans.changed_model import ChangedSpanModel, ChangedSpans, bundled_model

__all__ = [
    "ChangedSpanModel",
    "ChangedSpans",
    "bundled_model",
]
