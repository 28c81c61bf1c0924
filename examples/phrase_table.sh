#!/usr/bin/env bash
# From sentence pairs to a phrase table, and back into the aligner.
set -euo pipefail
forest-align align pairs.tsv -o alignments.jsonl --workers 2    # --resume continues after an interruption
forest-align align pairs.tsv -o alignments.html --to html       # open it in a browser
forest-align extract alignments.jsonl -o phrases.tsv --symmetric
head -n 5 phrases.tsv | cut -f1-6
forest-align extract alignments.jsonl -o words.tsv --min-probability 0.8
printf 'Her illness was long.\tShe was ill for a long time.\n' | forest-align align - --ppdb words.tsv --explain |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["word_evidence"])'
