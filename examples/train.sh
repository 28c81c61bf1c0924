#!/usr/bin/env bash
# Weights from pairs without links, penalties from pairs with links, and what that changes.
# Five pairs prove nothing: put your own files in the places of pairs.tsv and gold.json.
set -euo pipefail
forest-align align pairs.tsv -o links.jsonl --aligner joint     # stands for gold links made by people
forest-align convert links.jsonl gold.json
forest-align train forest pairs.tsv -o my_model --forests cache --epochs 2
forest-align tune gold.json --model my_model -o my_tuned_model --forests cache --trials 8
forest-align align gold.json -o before.jsonl
forest-align align gold.json -o after.jsonl --model my_tuned_model
forest-align evaluate gold.json after.jsonl --against before.jsonl
