"""Phrases that the forest aligner finds in everyday sentences; a star marks those that links do not imply.

    python examples/everyday_phrases.py

Shown are the smallest phrase pairs that differ, with several words on a side. The projection of the same word
links onto the parse trees stands for what a word aligner and a parser find.
"""

from __future__ import annotations

import forest_align
from forest_align.eval.metrics.unit_scores import core_pairs

PAIRS = [
    ("The committee is composed of ten members.", "The committee has ten members."),
    ("Her bike was stolen by a stranger.", "A stranger stole her bike."),
    ("The two firms were merged into one company.", "The two firms joined to form one company."),
    ("The board made a decision on Monday.", "The board decided on Monday."),
    ("The new law came into force in May.", "The new law took effect in May."),
    ("The storm destroyed the old bridge.", "The storm wiped out the old bridge."),
    ("She takes care of her grandmother.", "She looks after her grandmother."),
    ("They put off the meeting until Friday.", "They postponed the meeting until Friday."),
    ("The company was founded by two brothers.", "Two brothers set up the company."),
    ("We ran out of milk this morning.", "There was no milk left this morning."),
    ("The plan was turned down by the council.", "The council rejected the plan."),
    ("Prices went up by five percent.", "Prices rose five percent."),
    ("He gave up smoking.", "He quit smoking."),
    ("The police are looking into the case.", "The police are investigating the case."),
    ("The patient was given antibiotics by the doctor.", "The doctor gave the patient antibiotics."),
    ("It is essential that children sleep enough.", "Children must sleep enough."),
    ("The house is surrounded by tall trees.", "Tall trees stand around the house."),
    ("They came up with a new idea.", "They had a new idea."),
    ("The team suffered a defeat in the final.", "The team lost the final."),
    ("In spite of the rain, we went for a walk.", "Although it rained, we took a walk."),
]


def spans_of(alignment: forest_align.Alignment) -> dict[tuple[tuple[int, int], tuple[int, int]], float]:
    """The phrase pairs other than the whole sentences, with their probabilities."""
    whole = (0, len(alignment.source)), (0, len(alignment.target))
    pairs = {(pair.source_node.span, pair.target_node.span): pair.probability for pair in alignment.phrases}
    return {spans: probability for spans, probability in pairs.items() if spans != whole}


def main() -> None:
    """Align the pairs and print a line for each phrase pair."""
    aligned, projected = (forest_align.load(name).align_many(PAIRS) for name in ("forest", "projection"))
    for alignment, baseline in zip(aligned, projected, strict=True):
        implied, phrases = spans_of(baseline), spans_of(alignment)
        words = alignment.source.words, alignment.target.words
        lower = [word.lower() for word in words[0]], [word.lower() for word in words[1]]
        for source, target in core_pairs(lower, phrases):
            star = " " if (source, target) in implied else "*"
            texts = " ".join(words[0][slice(*source)]), " ".join(words[1][slice(*target)])
            print(f"{star} {texts[0]} ↔ {texts[1]}  {phrases[source, target]:.2f}")


if __name__ == "__main__":
    main()
