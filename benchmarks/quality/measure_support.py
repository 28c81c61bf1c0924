"""How well the spans that ``support`` calls unsupported cover the words that people marked in claims of WiCE.

Usage::

    python benchmarks/quality/measure_support.py DATA/attribution/wice-unsupported-dev.jsonl

A word is called unsupported if it is in a span that is unsupported or contradicted, or if it is in no span
and the next word of the claim that is in one is called so. Precision, recall and F1 are means over claims.
The source is the evidence that people chose, or with ``--whole`` all of it, among which the command has to
choose itself. The baseline calls the words unsupported that have no link of probability 0.5 or more.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from forest_align.aligners.attribution import SupportFinder
from forest_align.alignment import SupportReport
from forest_align.em.attribution.support_training import SupportExample, read_wice
from forest_align.eval.metrics.change_scores import unsupported_statistics


def unsupported_words(report: SupportReport, example: SupportExample) -> np.ndarray:
    """Whether each word of a claim is called unsupported: bool, shape (n,)."""
    found = np.zeros(len(example.claim), bool)
    said = False
    for place in reversed(range(len(found))):
        token = example.claim.tokens[place]
        around = (span for span in report.spans if span.span[0] <= token.start and token.end <= span.span[1])
        span = next(around, None)
        said = said if span is None else not span.is_supported
        found[place] = said
    return found


def unlinked_words(finder: SupportFinder, example: SupportExample, sources: Sequence[str]) -> np.ndarray:
    """The baseline: whether each word of a claim has no link."""
    pairs = finder.words.prepare([example.claim.text, *sources])
    claim, *others = (one for one in pairs if not isinstance(one, Exception))
    best = [finder.words.link_probabilities(claim, other).max(1) for other in others if len(other)]
    return np.asarray(np.max(best, axis=0) < 0.5) if best else np.ones(len(claim), bool)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="claims of WiCE")
    parser.add_argument("--whole", action="store_true", help="let the command choose among all evidence")
    parser.add_argument("--limit", type=int, help="use only the first claims")
    options = parser.parse_args(arguments)
    finder = SupportFinder()
    wanted, found, linked = [], [], []
    for example in read_wice(options.file, options.limit):
        numbers = range(len(example.evidence)) if options.whole else example.chosen
        sources = [example.evidence[number].text for number in numbers]
        wanted.append(~example.supported)
        found.append(unsupported_words(finder.find([example.claim.text], sources), example))
        if not options.whole:
            linked.append(unlinked_words(finder, example, sources))
    print(f"| {len(wanted)} claims | P | R | F1 |\n|---|---|---|---|")
    for name, one in (("links", linked), ("support", found)):
        if one:
            figures = unsupported_statistics(wanted, one)
            print(f"| {name} | {' | '.join(f'{100 * figure.value:.1f}' for figure in figures.values())} |")


if __name__ == "__main__":
    main()
