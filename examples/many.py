"""Align a file of pairs: results come as a stream, in order, and a bad pair stops nothing."""

from pathlib import Path

import forest_align

aligner = forest_align.load("forest")
lines = Path("pairs.tsv").read_text(encoding="utf-8").splitlines()
pairs = [tuple(line.split("\t")) for line in lines] + [("This pair is half empty.", "")]

with Path("alignments.jsonl").open("w", encoding="utf-8") as out:
    for alignment in aligner.align_many(pairs, workers=2):
        if alignment.error:
            print("could not be aligned:", alignment.error)
        out.write(alignment.to_json() + "\n")

for line in Path("alignments.jsonl").read_text(encoding="utf-8").splitlines():
    again = forest_align.Alignment.from_json(line)
    print(len(again.phrases), "phrase pairs;", again.words.to_pharaoh())
