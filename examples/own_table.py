"""A table with columns of your own in, a sample of its pairs aligned, a table of rewritten phrases out."""

import csv
import random
from pathlib import Path

import forest_align

# "utf-8-sig" passes over a byte-order mark; older files may want encoding="latin-1".
with open("corpus.csv", encoding="utf-8-sig", newline="") as file:
    rows = [row for row in csv.DictReader(file) if row["complex"].strip() and row["simple"].strip()]
sample = random.Random(1).sample(rows, min(100, len(rows)))

aligner = forest_align.load("forest")
results = aligner.align_many((row["complex"], row["simple"]) for row in sample)
with open("phrases.csv", "w", encoding="utf-8", newline="") as file:
    table = csv.writer(file)
    table.writerow(["number", "source", "target", "label", "probability"])
    for row, alignment in zip(sample, results, strict=True):
        for pair in alignment.phrases:
            source, target = alignment.texts_of(pair)
            if pair.probability >= 0.5 and source.lower() != target.lower():
                label, probability = pair.source_node.label, f"{pair.probability:.3f}"
                table.writerow([row["number"], source, target, label, probability])
print(Path("phrases.csv").read_text(encoding="utf-8"))
