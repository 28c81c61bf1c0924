"""Two versions of a text: which sentences correspond, which are new, and a page with both."""

from pathlib import Path

import forest_align

before = """The company was founded in Oslo in 1990. It makes shoes and bags.

Sales rose by 5% last year. The weather was nice."""
after = """Turnover grew five percent in the last year. It produces shoes. It also produces bags.
The firm was founded in 1990 in Oslo."""

aligner = forest_align.DocumentAligner("contextual")
found = aligner.align(before, after, id="company")
for group in found.groups:
    print(f"{group.probability:.2f}", [found.source[i].text for i in group.source])
    print("   ↔", [found.target[j].text for j in group.target])
    for i, j in group.alignment.words:
        source, target = group.alignment.source.words[i], group.alignment.target.words[j]
        if source.lower() != target.lower():
            print(f"       {source} → {target}")
print("only before:", [found.source[i].text for i in found.unaligned_source])
print("only after:", [found.target[j].text for j in found.unaligned_target])

Path("documents.html").write_text(found.to_html(), encoding="utf-8")
Path("documents.jsonl").write_text(found.to_json() + "\n", encoding="utf-8")
