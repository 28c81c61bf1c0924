"""Aligners: each takes two sentences and finds which words and phrases correspond."""

from forest_align.aligners.base import Aligner
from forest_align.aligners.loading import align, align_many, load
from forest_align.aligners.pair import GivenChunks, Pair

__all__ = ["Aligner", "GivenChunks", "Pair", "align", "align_many", "load"]
