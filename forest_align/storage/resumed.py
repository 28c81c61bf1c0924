"""Whether a file of alignments that is to be continued was made from the same pairs."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence

from forest_align.types import InputError

#: Words of the source and of the target; none where a sentence could not be read.
Sides = tuple[Sequence[str], Sequence[str]]


def check_same_pair(expected: tuple[str, Sides], found: tuple[str, Sides], *, file: str, line: int) -> None:
    """Make sure that a line of the file is about the pair that it should be about.

    Parameters
    ----------
    expected, found : (str, (sequence of str, sequence of str))
        Name and words of the pair as the input has them now, and as the line has them. Where either has no
        words, words are not compared.
    file, line : str, int
        Where the line is, for messages.

    Raises
    ------
    InputError
        If names or words differ: says which and how.
    """
    (name, words), (found_name, found_words) = expected, found
    if name != found_name:
        raise InputError(
            f"cannot resume: expected the alignment of pair {name!r}, found that of {found_name!r}; "
            "the file was made from other input",
            file=file,
            line=line,
        )
    for side, ours, theirs in zip(("source", "target"), words, found_words, strict=True):
        if ours and theirs and tuple(ours) != tuple(theirs):
            now, then = (reprlib.repr(" ".join(side)) for side in (ours, theirs))
            raise InputError(
                f"cannot resume: the {side} of pair {name!r} is {now} now and {then} in it; "
                "the file was made from other input",
                file=file,
                line=line,
            )
