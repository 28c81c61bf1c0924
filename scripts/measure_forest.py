"""Measures the forest aligner on a part of Edinburgh++: reach, constituent pairs, phrases and time.

With gold word links as candidates and the Stanford trees of the corpus, the figures show the search alone:

    python scripts/measure_forest.py ../shared/data/alignment/edinburgh train --links gold --trees stanford
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forest_align.aligners.forest import VARIANTS as ALIGNER_VARIANTS
from forest_align.aligners.forest import ForestAligner
from forest_align.eval.constituents import (
    Projection,
    constituent_spans,
    count_projected,
    project,
    score_constituents,
)
from forest_align.lexicon.candidates import GivenCandidates
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import load_parser_for_alignment, sentence_from_bracket
from forest_align.types import InputError, Links, Sentence

PUBLISHED = ALIGNER_VARIANTS["published"]
VARIANTS = {
    "published": PUBLISHED,
    "monotonic": {**PUBLISHED, "noncompositional": False},
    "monotonic, extended": {"noncompositional": False},
    "full": {},
}


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One sentence pair with its gold links and what can be found."""

    source: Sentence
    target: Sentence
    links: Links
    projection: Projection


def read_stanford(path: Path, lemma: object) -> Iterator[Sentence]:
    """Sentences with the trees of an annotated file."""
    with gzip.open(path) as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag == "tree":
                yield sentence_from_bracket(element.text or "", lemmatizer=lemma)  # type: ignore[arg-type]
            elif element.tag == "s":
                element.clear()


def read_cases(folder: Path, part: str, trees: str, forest_size: int, limit: int | None) -> list[Case]:
    """Sentence pairs with forests; pairs whose trees do not fit the words are left out."""
    pairs = json.loads((folder / f"{part}.sure.json").read_text(encoding="utf-8"))[:limit]
    lexicon = load_lexicon()
    stanford = read_stanford(folder / f"{part}.stanford.xml.gz", lexicon.lemma)
    reference = [(next(stanford), next(stanford)) for _ in pairs]
    if trees == "stanford":
        sentences: Sequence[Sequence[Sentence | InputError]] = reference
    else:
        parser = load_parser_for_alignment(trees, forest_size=forest_size)
        parsed = parser.parse_many(pair[side].split() for pair in pairs for side in ("source", "target"))
        sentences = [(one, next(parsed)) for one in parsed]
    cases = []
    for pair, (source, target), gold_trees in zip(pairs, sentences, reference, strict=True):
        if isinstance(source, InputError) or isinstance(target, InputError):
            continue
        if (len(source), len(target)) != (len(pair["source"].split()), len(pair["target"].split())):
            continue
        links = Links.from_pharaoh(pair["sureAlign"])
        spans = [constituent_spans(s.forest) for s in gold_trees if s.forest is not None]
        cases.append(Case(source, target, links, project(spans[0], spans[1], links)))
    return cases


def measure(aligner: ForestAligner, cases: Sequence[Case], *, gold: bool) -> dict[str, float]:
    """Reach, recall and precision in percent, phrases a pair, and milliseconds of processor time a pair."""
    rows, reached, phrases, seconds, noncompositional = [], 0, 0, 0.0, 0
    for case in cases:
        started = time.process_time()
        if gold:
            given = GivenCandidates(case.links).candidates(case.source, case.target)
            found = aligner.align_candidates(case.source, case.target, given)
        else:
            found = aligner.align_prepared(case.source, case.target)
        seconds += time.process_time() - started
        reached += found.root_aligned
        spans = [
            (pair.source_node.span, pair.target_node.span)
            for pair in found.phrases
            if pair.source_node.is_constituent and pair.target_node.is_constituent
        ]
        phrases += len(spans)
        noncompositional += sum(not pair.compositional for pair in found.phrases)
        rows.append(count_projected(spans, case.projection, case.links))
    scores = score_constituents(rows).micro()
    return {
        "pairs": len(cases),
        "reach": 100 * reached / len(cases),
        "recall": 100 * scores.recall,
        "precision": 100 * scores.precision,
        "phrases": phrases / len(cases),
        "noncompositional": noncompositional / len(cases),
        "ms": 1000 * seconds / len(cases),
    }


def main() -> None:
    """Print one line for each variant of the search."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    arguments.add_argument("folder", type=Path, help="the folder of Edinburgh++")
    arguments.add_argument("part", choices=("train", "test"))
    arguments.add_argument("--links", choices=("gold", "candidates"), default="gold")
    arguments.add_argument("--trees", default="stanford", help="'stanford', or a parser: a name or a folder")
    arguments.add_argument("--forest-size", type=int, default=10)
    arguments.add_argument("--limit", type=int, help="only the first so many pairs")
    arguments.add_argument("--model", default="forest")
    options = arguments.parse_args()
    cases = read_cases(options.folder, options.part, options.trees, options.forest_size, options.limit)
    base = ForestAligner.load(options.model, lexicon=load_lexicon())
    for name, changes in VARIANTS.items():
        model = replace(base.model, options=replace(base.model.options, **changes))
        figures = measure(ForestAligner(model, lexicon=base.lexicon), cases, gold=options.links == "gold")
        print(f"{name:20}", "  ".join(f"{key} {value:.2f}" for key, value in figures.items()), flush=True)


if __name__ == "__main__":
    main()
