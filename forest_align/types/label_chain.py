"""Unary chains of labels, which one node of a forest stands for: how they are written as one, and read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from forest_align.types.brackets import is_label
from forest_align.types.errors import InputError

_JOINT = "::"
# A label of a chain, with what joins it to the next. ":" is a label too: the tag of dashes and semicolons. No
# label holds "::", so that k labels ":" between two others make a run of 3k + 2 colons; one more belongs to
# the label after the run, two more to those on both sides.
_LINK = re.compile(
    r"""(
        :?[^:]+(?::[^:]+)*(?::(?=(?::::)*(?!:)))?  # a word, with a last colon if the rest are threes
        | :
    )(?:::|\Z)""",
    re.VERBOSE,
)


def join_chain(labels: Sequence[str]) -> str:
    """Write a unary chain as one label, ``"S::VP"``; the uppermost label comes first.

    Raises
    ------
    InputError
        If a label is empty or holds blanks, brackets or ``::``, or ends in a colon above a label that begins
        with none: :func:`split_chain` could not tell ``A:`` above ``B`` from ``A`` above ``:B``.
    """
    if not all(map(is_label, labels)):
        raise InputError(f"expected labels without blanks, brackets and '::', found {' '.join(labels)!r}")
    chain = _JOINT.join(labels)
    if split_chain(chain) != list(labels):
        raise InputError(f"expected no label that ends in ':' above another, found {' '.join(labels)!r}")
    return chain


def split_chain(chain: str) -> list[str]:
    """The labels of a unary chain from the top, at least one; of a leaf the last one is the tag."""
    if ":::" not in chain:
        return chain.split(_JOINT)
    return _LINK.findall(chain)


def is_chain(text: str) -> bool:
    """Whether a text is what :func:`join_chain` writes."""
    labels = split_chain(text)
    return all(map(is_label, labels)) and _JOINT.join(labels) == text
