"""Aligners: each takes two sentences and finds which words and phrases correspond."""

from forest_align.aligners.base import Aligner, Pair
from forest_align.aligners.loading import align, align_many, load

__all__ = ["Aligner", "Pair", "align", "align_many", "load"]
