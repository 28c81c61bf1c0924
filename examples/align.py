"""Align two sentences and look at what comes out."""

from pathlib import Path

import forest_align

aligner = forest_align.load("forest")
alignment = aligner.align(
    "He passed away in New York City after a long illness.",
    "After being ill for a long time, he died in NYC.",
)

for pair in alignment.phrases:
    left, right = alignment.texts_of(pair)
    print(f"{pair.probability:.2f}  {pair.source_node.label:8} {left}  ↔  {right}")

print()
source, target = alignment.source.words, alignment.target.words
for (i, j), probability in zip(alignment.words, alignment.words.scores, strict=True):
    print(f"{probability:.2f}  {source[i]} – {target[j]}")
print("nothing corresponds to:", [source[a:b] for a, b in alignment.unaligned_source])

print()
for rank, other in enumerate(aligner.align_k_best(alignment.source, alignment.target, 3), 1):
    print(f"{rank}. log-probability {other.log_probability:.1f}, {len(other.phrases)} phrase pairs")

Path("alignment.html").write_text(alignment.to_html(), encoding="utf-8")
print("alignment.html shows both trees")
