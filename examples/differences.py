"""How much each word says something that the other sentence does not say, from 0 to 1."""

from pathlib import Path

import forest_align

aligner = forest_align.load("forest")
lines = Path("pairs.tsv").read_text(encoding="utf-8").splitlines()
pairs = [tuple(line.split("\t")) for line in lines]
for alignment in aligner.align_many(pairs):
    differences = alignment.differences()
    for words, values in (
        (alignment.source.words, differences.source),
        (alignment.target.words, differences.target),
    ):
        valued = zip(words, values, strict=True)
        print(" ".join(f"{word}/{value:.1f}" if value >= 0.1 else word for word, value in valued))
    print("   ", ", ".join(f"{span.side}: {span.text}" for span in differences.spans) or "nothing differs")
