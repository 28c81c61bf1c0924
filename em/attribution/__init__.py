"""Training of attribution: how probable it is that one sentence supports the chunks of another one."""

from forest_align.em.attribution.support_examples import SupportExample, read_support_examples

__all__ = [
    "SupportExample",
    "read_support_examples",
]
