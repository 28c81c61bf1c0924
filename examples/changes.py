"""What became of each word: a table of the kept, replaced, deleted and inserted ones, and a picture."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import forest_align


def changes(alignment: forest_align.Alignment) -> Iterator[tuple[str, str, str, float | None]]:
    """What happened, to which words of the source, which of the target, and how probable that is."""
    source, target = alignment.source.words, alignment.target.words
    for (i, j), probability in zip(alignment.words, alignment.words.scores or (), strict=True):
        change = "kept" if source[i].lower() == target[j].lower() else "replaced"
        yield change, source[i], target[j], probability
    for start, end in alignment.unaligned_source:
        yield "deleted", " ".join(source[start:end]), "", None
    for start, end in alignment.unaligned_target:
        yield "inserted", "", " ".join(target[start:end]), None


aligner = forest_align.load("forest")
lines = Path("pairs.tsv").read_text(encoding="utf-8").splitlines()
pairs = [tuple(line.split("\t")) for line in lines]
counts: Counter[str] = Counter()
with open("changes.csv", "w", encoding="utf-8", newline="") as file:
    table = csv.writer(file)
    table.writerow(["pair", "change", "source", "target", "probability"])
    for number, alignment in enumerate(aligner.align_many(pairs), 1):
        if alignment.error:
            print(f"pair {number} could not be aligned: {alignment.error}")
            continue
        for row in changes(alignment):
            counts[row[0]] += 1
            table.writerow([number, *row])
        Path(f"pair-{number}.svg").write_text(alignment.to_svg(), encoding="utf-8")

print(Path("changes.csv").read_text(encoding="utf-8"))  # pandas.read_csv("changes.csv") gives a data frame
print(counts)
