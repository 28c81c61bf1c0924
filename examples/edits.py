"""Two versions of sentences: what was replaced, inserted, deleted or moved, why, and where."""

from collections import Counter
from pathlib import Path

import forest_align
from forest_align.edits import apply_edits, edits_to_markup

aligner = forest_align.load("forest")
lines = Path("pairs.tsv").read_text(encoding="utf-8").splitlines()
pairs = [tuple(line.split("\t")) for line in lines]
reasons: Counter[str] = Counter()
for alignment in aligner.align_many(pairs):
    edits = alignment.edits()
    print(edits_to_markup(alignment, edits))
    for edit in edits:
        if edit.kind != "keep":
            start, end = edit.source_characters
            print(
                f"    {start}-{end} {edit.kind} ({edit.reason}): {edit.source_text!r} → {edit.target_text!r}"
            )
            reasons[edit.reason] += 1
    # All edits together make the target of the source.
    assert apply_edits(alignment.source.text, edits) == alignment.target.text

print(reasons)
