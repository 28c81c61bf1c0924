"""Sentences in Enju's XML."""

from __future__ import annotations


def tok(number: int, tag: str, word: str) -> str:
    return f'<tok id="t{number}" pos="{tag}" base="{word.lower()}">{word}</tok>'


def cons(name: str, label: str, head: str, *below: str, extra: str = "") -> str:
    return f'<cons id="{name}" cat="{label}" head="{head}" sem_head="{head}" {extra}>{" ".join(below)}</cons>'


CATS = (
    '<sentence id="s1" parse_status="success">'
    + cons(
        "c0",
        "S",
        "c3",
        cons(
            "c1",
            "NP",
            "c2",
            cons("c2", "NX", "t0", tok(0, "NNS", "Cats"), extra='pa1="c1 c9" pa2="-1"'),
            extra='pa1="c1" pa2="c1"',
        ),
        cons("c3", "VP", "t1", tok(1, "VBP", "sleep"), extra='pa1="c2" pa2="c2"'),
        extra='pa1="c0" pa2="c0"',
    )
    + ".</sentence>"
)
