"""What an aligner returns: word links, phrase pairs, and the views of them."""

from forest_align.alignment._alignment import Alignment
from forest_align.alignment._links import Links
from forest_align.alignment._phrase_pair import PhrasePair

__all__ = ["Alignment", "Links", "PhrasePair"]
