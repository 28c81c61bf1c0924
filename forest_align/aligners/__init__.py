"""Aligners: each takes two sentences and says which words and phrases correspond."""

from forest_align.aligners.base import Aligner
from forest_align.aligners.loading import align, align_many, load

__all__ = ["Aligner", "align", "align_many", "load"]
