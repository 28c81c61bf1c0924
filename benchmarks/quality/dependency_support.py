"""How often dependencies support gold links: the analysis of Thadani et al. (2012, §4) on Edinburgh++.

Usage: python benchmarks/quality/dependency_support.py DATA/alignment/edinburgh [--part train]

A link is *supported* if two dependencies are aligned at it: they have its two words at the same end, and the
words at their other ends are linked too. A dependency is *aligned* if its governor is linked to the governor,
and its dependent to the dependent, of a dependency of the other sentence. Arcs to roots do not count. The
dependencies are the basic ones of the Stanford parser that come with the corpus.

Prints the shares of supported links and of aligned dependencies, with sure links and with all, and the share
of aligned dependencies for each type that has at least ``--least`` of them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forest_align.data.pairs import read_pairs
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.dependencies import projected_pairs
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import InputError

#: Published shares: supported links, aligned dependencies; of sure links and of all.
PUBLISHED = {"sure": (64, 54), "sure and possible": (65, 62)}


@dataclass
class Support:
    """Counts over sentence pairs.

    Attributes
    ----------
    links, supported : int
        Gold links, and those that aligned dependencies support.
    arcs, aligned : Counter
        Dependencies of both sentences by type, and those that are aligned.
    """

    links: int = 0
    supported: int = 0
    arcs: Counter[str] = field(default_factory=Counter)
    aligned: Counter[str] = field(default_factory=Counter)

    def add(
        self, links: Iterable[tuple[int, int]], source: Sequence[Dependency], target: Sequence[Dependency]
    ) -> None:
        """Count one sentence pair: its gold links and the dependencies of both sentences."""
        gold = set(links)
        sides = [[arc for arc in side if arc.governor >= 0] for side in (source, target)]
        ends = [[(arc.governor, arc.dependent) for arc in side] for side in sides]
        pairs = projected_pairs(gold, *ends)
        held = {link for one, other in pairs for link in zip(one, other, strict=True)}
        self.links += len(gold)
        self.supported += len(gold & held)
        for side, arcs in enumerate(sides):
            found = {pair[side] for pair in pairs}
            self.arcs.update(arc.relation for arc in arcs)
            self.aligned.update(arc.relation for arc in arcs if (arc.governor, arc.dependent) in found)

    def shares(self) -> tuple[float, float]:
        """Supported links of all links, and aligned dependencies of all dependencies, in percent."""
        arcs = self.arcs.total()
        return 100 * self.supported / max(self.links, 1), 100 * self.aligned.total() / max(arcs, 1)


def measure(folder: Path, part: str) -> dict[str, Support]:
    """The counts of one part of Edinburgh++, with sure links and with all.

    Raises
    ------
    InputError
        If the dependencies are not those of the corpus's sentences.
    """
    path = folder / f"{part}.stanford.xml.gz"
    parses = StanfordParses.read(path).dependencies()
    found = {}
    for name, file in (("sure", "sure"), ("sure and possible", "sure+possible")):
        counts, pairs = Support(), list(read_pairs(folder / f"{part}.{file}.json"))
        if len(parses) != 2 * len(pairs):
            message = f"expected dependencies of {2 * len(pairs)} sentences, found {len(parses)}"
            raise InputError(message, file=str(path))
        for place, pair in enumerate(pairs):
            if isinstance(pair, InputError):
                raise pair
            counts.add(pair.links or (), parses[2 * place], parses[2 * place + 1])
        found[name] = counts
    return found


def tables(found: dict[str, Support], least: int) -> str:
    """The shares, beside the published ones, and those of each type."""
    lines = ["| links | supported links | paper | aligned dependencies | paper |", "|---|---|---|---|---|"]
    for name, counts in found.items():
        links, arcs = counts.shares()
        published = PUBLISHED[name]
        lines.append(f"| {name} | {links:.0f}% | {published[0]}% | {arcs:.0f}% | {published[1]}% |")
    names = [name for name, count in next(iter(found.values())).arcs.most_common() if count >= least]
    lines += ["", "| type | dependencies | " + " | ".join(f"aligned, {name}" for name in found) + " |"]
    lines.append("|---" * (2 + len(found)) + "|")
    for name in names:
        shares = [f"{100 * one.aligned[name] / one.arcs[name]:.0f}%" for one in found.values()]
        lines.append(f"| {name} | {next(iter(found.values())).arcs[name]} | {' | '.join(shares)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("folder", type=Path, help="folder of Edinburgh++")
    parser.add_argument("--part", choices=("train", "test"), default="train")
    parser.add_argument("--least", type=int, default=200, help="fewest dependencies of a type (default: 200)")
    options = parser.parse_args(arguments)
    print(tables(measure(options.folder, options.part), options.least))


if __name__ == "__main__":
    main()
