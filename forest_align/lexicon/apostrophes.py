"""One apostrophe for the many that people type: ``don’t``, ``don´t`` and ``don't`` are the same word."""

from __future__ import annotations

import re

# Typographic, acute accent, modifier letter, prime, full width; a grave accent only inside a word, as two of
# them are an opening quote of the Penn treebank.
_OTHERS = re.compile(r"[’´ʼ′＇]|(?<=\w)`(?=\w)")


def plain_apostrophes(word: str) -> str:
    """The word, as long as it was, with ``'`` in the place of all other apostrophes."""
    return word if word.isascii() and "`" not in word else _OTHERS.sub("'", word)
