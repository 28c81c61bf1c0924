"""Unary chains of labels, colons among them."""

from __future__ import annotations

from itertools import product

import pytest

from forest_align.types import InputError
from forest_align.types.brackets import is_chain, join_chain, split_chain

LABELS = (":", "A", "A:", ":A", "A:A", "-LRB-")


def is_ambiguous(labels: tuple[str, ...]) -> bool:
    """Whether a label that ends in a colon stands above, but for labels ``:``, one that begins with none."""
    below = [label for label in labels if label != ":"]
    ends = [label.endswith(":") for label in below]
    return any(end and not after.startswith(":") for end, after in zip(ends, below[1:], strict=False))


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_a_chain_is_split_into_what_was_joined_or_refused(length: int) -> None:
    written = {}
    for labels in product(LABELS, repeat=length):
        if is_ambiguous(labels):
            with pytest.raises(InputError, match="no label that ends in ':' above another"):
                join_chain(labels)
        else:
            chain = join_chain(labels)
            assert split_chain(chain) == list(labels)
            assert is_chain(chain)
            assert written.setdefault(chain, labels) == labels


@pytest.mark.parametrize("labels", [[""], ["A", ""], ["N P"], ["(N"], ["A::B"], ["::"]])
def test_labels_that_brackets_or_chains_cannot_hold_are_refused(labels: list[str]) -> None:
    with pytest.raises(InputError, match="without blanks, brackets and '::'"):
        join_chain(labels)
