"""A data set of the library datasets, aligned in two processes.

It needs more packages: pip install 'forest-align[tables]' datasets
"""

import csv

import datasets

from forest_align.batches import AlignBatch

with open("corpus.csv", encoding="utf-8-sig", newline="") as file:
    data = datasets.Dataset.from_list(list(csv.DictReader(file)))

align = AlignBatch("forest", columns=("complex", "simple"))
# As Arrow, batches have the same types everywhere, even where no row has a phrase.
aligned = data.with_format("arrow").map(align, batched=True, batch_size=64, num_proc=2).with_format(None)

for row in aligned:
    print(row["number"], row["error"] or f"{len(row['phrases'])} phrase pairs")
