#!/bin/sh
# Trains, tunes and calibrates the forest aligner's bundled model, treats untrained and hand-set weights alike, and measures all.
# Training starts from the untrained weights with the options that are best for them; sweeps of bundled weights start with the
# fixed options of em.forest.untuned.
#
#   [WORKERS=1] [TRIALS=80] tools/rebuild_models.sh ALIGNMENT_DATA OUT
#
# ALIGNMENT_DATA holds mtref/, wiki/, edinburgh/ and msr_rte/. OUT gets cache/ (parses and features), em/ (trained),
# forest/ (trained, tuned, calibrated), forest-published/ (the same weights, the search of the paper), uniform/ and fixed/ (weights of zero, weights set by hand; tuned, calibrated),
# start/ (the last two before tuning) and the tables ablation.md, normalizers.md and forest_sizes.md (pairs that nobody tuned on),
# ablation.tuned.md, training.md and MODEL.calibration.md.
# Run it again to go on where it stopped. With one worker, the default, it makes the same models each time from the same
# inputs on the same machine, interrupted or not; with several, sweeps are faster, but their trials differ from time to time.
set -eu
data=$1
out=$2
here=$(cd "$(dirname "$0")/.." && pwd)
bundled=$here/forest_align/aligners/models
first=150
trials=${TRIALS:-80}
workers=${WORKERS:-1}
mkdir -p "$out/dev/mtref" "$out/dev/wiki" "$out/dev/edinburgh" "$out/dev/msr_rte"

head -n $first "$data/mtref/dev.tsv" > "$out/dev/mtref/dev.tsv"
head -n $first "$data/wiki/dev.tsv" > "$out/dev/wiki/dev.tsv"
for part in edinburgh/train.sure.json msr_rte/dev.majority.json; do
    python -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))[:int(sys.argv[2])], sys.stdout)' \
        "$data/$part" $first > "$out/dev/$part"
done
dev="$out/dev/mtref/dev.tsv $out/dev/wiki/dev.tsv $out/dev/edinburgh/train.sure.json $out/dev/msr_rte/dev.majority.json"
text="$data/mtref/train.tsv $data/wiki/train.tsv $data/edinburgh/train.sure.json $data/msr_rte/dev.majority.json"

# tune_model FROM NAME: tunes the model FROM on the dev pairs and calibrates it, as $out/NAME. The beam stays at 50.
tune_model() {
    forest-align tune $dev --model "$1" -o "$out/$2" --forests "$out/cache" --trials "$trials" --workers "$workers" --keep beam
    python -m forest_align.em.forest.calibrate "$data/mtref/dev.tsv" "$data/wiki/dev.tsv" "$data/edinburgh/train.sure.json" \
        --model "$out/$2" -o "$out/$2" --forests "$out/cache" > "$out/$2.calibration.md"
}

for weights in uniform fixed; do
    python -m forest_align.em.forest.untuned "$bundled/$weights" -o "$out/start/$weights"
done
tune_model "$out/start/uniform" uniform
forest-align train forest $text -o "$out/em" --start "$out/uniform" --forests "$out/cache" \
    --epochs 5 --batch-size 0 --workers "$workers" --resume
tune_model "$out/em" forest
mkdir -p "$out/forest-published"
cp "$out/forest/weights.safetensors" "$bundled/forest-published/model.json" "$out/forest-published"
tune_model "$out/start/fixed" fixed
python "$here/benchmarks/quality/ablation.py" $dev --model "$out/forest" --untrained "$out/uniform" --by-hand "$out/fixed" \
    --forests "$out/cache" --stanford "$out/dev/edinburgh/train.sure.json" "$data/edinburgh/train.stanford.xml.gz" \
    > "$out/ablation.tuned.md"
python "$here/benchmarks/quality/ablation.py" "$data/mtref/dev.tsv" "$data/wiki/dev.tsv" "$data/edinburgh/train.sure.json" \
    "$data/msr_rte/dev.majority.json" --skip $first --model "$out/forest" --untrained "$out/uniform" --by-hand "$out/fixed" \
    --forests "$out/cache" --stanford "$data/edinburgh/train.sure.json" "$data/edinburgh/train.stanford.xml.gz" \
    > "$out/ablation.md"
python "$here/benchmarks/quality/training_table.py" $text --gold $dev --start uniform --options "$out/forest" \
    --forests "$out/cache" --workers "$workers" > "$out/training.md"
python "$here/benchmarks/quality/training_table.py" $text --gold "$data/mtref/dev.tsv" "$data/wiki/dev.tsv" "$data/edinburgh/train.sure.json" \
    "$data/msr_rte/dev.majority.json" --skip $first --gold-limit 0 --start "$out/uniform" --options "$out/forest" --epochs 5 \
    --normalizers pair symmetric training --uses symmetric --forests "$out/cache" --workers "$workers" > "$out/normalizers.md"
python "$here/benchmarks/quality/training_table.py" --gold "$data/mtref/dev.tsv" "$data/wiki/dev.tsv" "$data/edinburgh/train.sure.json" \
    "$data/msr_rte/dev.majority.json" --skip $first --gold-limit 0 --options "$out/forest" --forest-sizes 1 10 50 \
    --forests "$out/cache" > "$out/forest_sizes.md"
