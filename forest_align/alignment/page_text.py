"""Text that pages and pictures can hold, whatever it is."""

from __future__ import annotations

import re
from html import escape

# Control characters except tab and line ends, halves of surrogate pairs, non-characters (XML 1.0, §2.2;
# HTML), and characters that reverse the direction of text.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


def printable(text: str) -> str:
    """Replace characters that XML, HTML or UTF-8 cannot hold or that reverse the text around them."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(text: str) -> str:
    """Text for XML and HTML: :func:`printable`, with their special characters escaped."""
    return escape(printable(text))
