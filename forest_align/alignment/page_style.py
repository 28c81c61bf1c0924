"""What pages and pictures share: colours, and text that they can hold.

The colours are apart for colour-blind readers too, on white and on dark paper. Colour is never the only sign:
phrases also have numbers, and relations signs.
"""

from __future__ import annotations

import re
from html import escape

#: Colours of phrase pairs on white paper, in the order of their numbers. Each has a contrast of 4.5 to the
#: paper (WCAG 2.1, 1.4.3). Two differ by 10 or more (CIE 1976), as people with protanopia, deuteranopia and
#: tritanopia see them too (Machado et al. 2009); ``tests/alignment/test_palette.py`` computes both.
PALETTE = ("#0066bb", "#bb5500", "#007755", "#6600dd", "#772266", "#770022")
#: The same on dark paper.
DARK_PALETTE = ("#55aaff", "#ff9933", "#33cc99", "#ffbbee", "#ee5555", "#ee11cc")
PAPER, DARK_PAPER = "#ffffff", "#1b1b1b"
INK, DARK_INK = "#111111", "#eeeeee"
#: What is aligned to nothing, and links in no numbered phrase.
UNALIGNED, DARK_UNALIGNED = "#6b6b6b", "#a0a0a0"
LINK, DARK_LINK = "#444444", "#bbbbbb"  # page.js draws new links in the first one
#: Behind what the pointer is on, on any paper, and what is written on it.
LIT, INK_ON_LIT = "#ffd54f", "#000000"
#: Words of a text that are marked: styles append the share of it that shows (``33``), so any paper will do.
INSERTED, DELETED, REPLACED, MOVED, DIVIDED = "#2a9d4a", "#d33333", "#e69f00", "#4477cc", "#aa44aa"
UNSUPPORTED, CONTRADICTED = "#d55e00", "#aa2244"


def colour_of(number: int) -> str:
    """The colour of a number on white paper."""
    return PALETTE[number % len(PALETTE)]


def colour_class(number: int) -> str:
    """The class of elements of a picture that have the colour of a number."""
    return f"c{number % len(PALETTE)}"


def page_colour(number: int) -> str:
    """The colour of a number in a page's style."""
    return f"var(--{colour_class(number)})"


def page_colours() -> str:
    """Style of a page: its colours as variables, by the reader's preference."""
    dark = _variables(DARK_PALETTE, DARK_PAPER, DARK_INK, DARK_UNALIGNED)
    return (
        f":root {{ {_variables(PALETTE, PAPER, INK, UNALIGNED)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )


def picture_style() -> str:
    """Style of a picture: attributes of its elements have the colours of white paper, this has the others."""
    rules = [
        f".f.{colour_class(k)}{{fill:{colour}}}.s.{colour_class(k)}{{stroke:{colour}}}"
        for k, colour in enumerate(DARK_PALETTE)
    ]
    rules += [
        f".f.{name}{{fill:{colour}}}.s.{name}{{stroke:{colour}}}"
        for name, colour in (("un", DARK_UNALIGNED), ("li", DARK_LINK), ("in", DARK_INK), ("pa", DARK_PAPER))
    ]
    return f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


def _variables(colours: tuple[str, ...], paper: str, ink: str, unaligned: str) -> str:
    numbered = [f"--{colour_class(k)}: {colour}" for k, colour in enumerate(colours)]
    named = {"paper": paper, "ink": ink, "unaligned": unaligned, "lit": LIT, "ink-on-lit": INK_ON_LIT}
    return "; ".join([*numbered, *(f"--{name}: {colour}" for name, colour in named.items())])


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
