"""Training of attribution: how probable it is that a source says what the words of a summary say."""

from forest_align.em.attribution.support_training import SupportExample, read_entailed, read_wice

__all__ = ["SupportExample", "read_entailed", "read_wice"]
