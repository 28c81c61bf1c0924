"""Measure word alignment of sentences that say the same in another order.

Usage::

    python benchmarks/quality/measure_rearranged.py [ALIGNER …]

ALIGNER is the name of a bundled aligner or the folder of a model. The sentences are made from templates, in
two versions: noun phrases with different heads (*the teacher*, *the student*), and with equal heads (*the
tall boy*, *the short boy*). In the second version only the neighbours distinguish the two *boy*. No model is
trained on these sentences.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import forest_align
from forest_align.alignment import Links
from forest_align.eval.metrics.word_scores import WordPair, score_words
from forest_align.types import Sentence

#: Source and target by construction. Words with the same mark after the stroke are linked; S, O and T are
#: noun phrases, whose words are linked one by one.
TEMPLATES = {
    "passive": ("S {past}/v O ./.", "O was {participle}/v by S ./."),
    "object before subject": ("S {past}/v O ./.", "It was O that S {past}/v ./."),
    "subject before verb": ("S {past}/v O ./.", "It was S who {past}/v O ./."),
    "fronted phrase": ("S {past}/v O during/p T ./.", "During/p T , S {past}/v O ./."),
    "double object": ("S gave/v T to O ./.", "S gave/v O T ./."),
    "coordination": ("S and/c O liked/v T ./.", "O and/c S liked/v T ./."),
}
VERBS = (
    ("praised", "praised"),
    ("chased", "chased"),
    ("saw", "seen"),
    ("invited", "invited"),
    ("wrote", "written"),
    ("arrested", "arrested"),
    ("took", "taken"),
    ("criticised", "criticised"),
    ("knew", "known"),
    ("followed", "followed"),
)
NOUNS = ("teacher", "dog", "minister", "thief", "doctor", "farmer", "queen", "driver", "boy", "nurse")
ADJECTIVES = (
    ("tall", "short"),
    ("old", "young"),
    ("rich", "poor"),
    ("French", "German"),
    ("clever", "angry"),
    ("local", "foreign"),
    ("happy", "sad"),
    ("first", "second"),
    ("quiet", "loud"),
    ("small", "big"),
)
THIRDS = ("night", "party", "war", "match", "concert")


@dataclass(frozen=True, slots=True)
class Case:
    """A pair of sentences and its links."""

    source: Sentence
    target: Sentence
    links: Links


def cases(construction: str, *, equal_heads: bool) -> Iterator[Case]:
    """Twenty pairs of a construction."""
    for number in range(20):
        past, participle = VERBS[number % 10]
        first, second = NOUNS[number % 10], NOUNS[(number + 3 + number // 10) % 10]
        phrases = {"S": f"the {first}", "O": f"the {second}", "T": f"the {THIRDS[number % 5]}"}
        if equal_heads:
            one, two = ADJECTIVES[(number * 3 + number // 10) % 10]
            phrases |= {"S": f"the {one} {first}", "O": f"the {two} {first}"}
        sides = [
            _marked(template.format(past=past, participle=participle), phrases)
            for template in TEMPLATES[construction]
        ]
        links = [
            (i, j)
            for i, (_, mark) in enumerate(sides[0])
            for j, (_, other) in enumerate(sides[1])
            if mark and mark == other
        ]
        source, target = (Sentence.from_words(word for word, _ in side) for side in sides)
        yield Case(source, target, Links.of(links))


def _marked(template: str, phrases: dict[str, str]) -> list[tuple[str, str]]:
    """Words of a sentence with the marks of their links, "" for none."""
    found = []
    for item in template.split():
        if item in phrases:
            found += [(word, f"{item}{place}") for place, word in enumerate(phrases[item].split())]
        else:
            word, _, mark = item.partition("/")
            found.append((word, mark))
    word, mark = found[0]
    return [(word.capitalize(), mark), *found[1:]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each aligner."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("aligners", metavar="ALIGNER", nargs="*", default=["contextual"])
    for name in parser.parse_args(arguments).aligners:
        aligner = forest_align.load(name)
        print(
            f"| {name} | different heads: P | R | E | equal heads: P | R | E |\n|---|---|---|---|---|---|---|"
        )
        for construction in TEMPLATES:
            cells: list[float] = []
            for equal_heads in (False, True):
                pairs = list(cases(construction, equal_heads=equal_heads))
                results = aligner.align_many((case.source, case.target) for case in pairs)
                scores = score_words(
                    WordPair(case.source.words, case.target.words, case.links, result.words)
                    for case, result in zip(pairs, results, strict=True)
                )
                found = scores.counts.macro()
                cells += [found.precision, found.recall, scores.exact_match]
            print(f"| {construction} |", " | ".join(f"{100 * cell:.1f}" for cell in cells), "|", flush=True)


if __name__ == "__main__":
    main()
