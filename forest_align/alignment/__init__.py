"""The result of an aligner: word links, phrase pairs, and their views."""

from forest_align.alignment._alignment import Alignment
from forest_align.alignment._links import Links
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._projection import Projection, Span, SpanPair, are_consistent, project

__all__ = ["Alignment", "Links", "PhrasePair", "Projection", "Span", "SpanPair", "are_consistent", "project"]
