#!/bin/sh
# Makes every bundled model from its data, in the order in which they depend on each other.
#
#   [WORDNET=FOLDER] [MINILM=FOLDER] [MPNET=FOLDER] [WORKERS=1] [TRIALS=80] tools/rebuild_models.sh DATA OUT [STEP ...]
#
# DATA holds alignment/, treebank/, phrases/, ists/, differences/, edits/ and extrinsic/. WORDNET, MINILM and MPNET are what the lexicon, the parser and the word
# vectors are made from. docs/background/rebuilding.md lists the steps with their input and time. Without STEP all are run.
#
# OUT gets a folder for each model, OUT/tables, OUT/cache, and OUT/package: this source tree as links, in which the models
# made so far take the place of the bundled ones. Every step runs with that package, so that it reads what was made before.
#
# Run the script again to resume. A step that ended well leaves OUT/steps/NAME.done and is skipped from then on; delete that
# file to run it again. OUT/steps has its output (NAME.log), and the seconds of each step (times.tsv).
# With one worker the forest models are the same each time from the same inputs on the same machine, interrupted or not.
# With several workers sweeps are faster, but their trials differ from run to run.
set -eu
[ $# -ge 2 ] || { sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
data=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
chosen="$*"
wordnet=${WORDNET:-/usr/share/wordnet}
minilm=${MINILM:-$data/all-MiniLM-L6-v2}
mpnet=${MPNET:-$data/all-mpnet-base-v2}
workers=${WORKERS:-1}
trials=${TRIALS:-80}
alignment=$data/alignment
treebank=$data/treebank
steps=$out/steps
package=$out/package/forest_align
first=150

# step NAME COMMAND...: runs the command, unless other steps were asked for or this one was done before.
step() {
    name=$1
    shift
    case " ${chosen:-$name} " in *" $name "*) ;; *) return 0 ;; esac
    if [ -e "$steps/$name.done" ]; then
        echo "$name: skipped, done before"
        return 0
    fi
    echo "$name: running, output in $steps/$name.log"
    began=$(date +%s)
    set +e
    (set -e; "$@") >> "$steps/$name.log" 2>&1
    status=$?
    set -e
    if [ $status -ne 0 ]; then
        echo "$name: failed with status $status" >&2
        exit $status
    fi
    printf '%s\t%s\n' "$name" $(($(date +%s) - began)) >> "$steps/times.tsv"
    touch "$steps/$name.done"
}

# bundle NAME FOLDER: puts what the step NAME made in OUT/NAME into a folder of OUT/package, if that step is done.
bundle() {
    [ ! -e "$steps/$1.done" ] || cp -R --remove-destination "$out/$1/." "$package/$2"
}

# Links to the files, not to the folders: a model must never be written through a link into the source tree.
link_package() {
    rm -rf "$out/package"
    mkdir -p "$out/package"
    cp -Rs "$here/forest_align" "$out/package/"
    for part in cext em eval data; do cp -Rs "$here/$part" "$package/"; done
}

# train_parser: the parser on the states of the encoder that was bundled before it.
train_parser() {
    python -m forest_align.em.recipes parser --gum "$treebank/gum" --craft "$treebank/craft" --masc "$treebank/masc" \
        --encoder "$minilm" --work "$out/parser-work" --resume --minutes 85
}

# take_dev_pairs: the pairs that the forest aligner's options are tuned on.
take_dev_pairs() {
    mkdir -p "$out/dev/mtref" "$out/dev/wiki" "$out/dev/edinburgh" "$out/dev/msr_rte"
    for part in mtref wiki; do head -n $first "$alignment/$part/dev.tsv" > "$out/dev/$part/dev.tsv"; done
    for part in edinburgh/train.sure.json msr_rte/dev.majority.json; do
        python -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))[:int(sys.argv[2])], sys.stdout)' \
            "$alignment/$part" $first > "$out/dev/$part"
    done
}

# tune_model FROM NAME: tunes the model FROM on the dev pairs and calibrates it, as OUT/NAME. The beam stays at 50.
tune_model() {
    forest-align tune $dev --model "$1" -o "$out/$2" --forests "$out/cache" --trials "$trials" --workers "$workers" --keep beam
    python -m forest_align.em.recipes phrase-calibration "$alignment/mtref/dev.tsv" "$alignment/wiki/dev.tsv" \
        "$alignment/edinburgh/train.sure.json" --model "$out/$2" -o "$out/$2" --forests "$out/cache" \
        > "$out/tables/$2.calibration.md"
}

# train_contextual: the link model of sure links, and its probabilities of all links.
train_contextual() {
    python -m forest_align.em.recipes contextual "$alignment" "$out/contextual" --cache "$out/cache"
    python -m forest_align.em.recipes all-links "$alignment/mtref/dev.tsv" "$alignment/edinburgh/train.sure+possible.json" \
        --model "$out/contextual" -o "$out/contextual" --forests "$out/cache" > "$out/tables/contextual.all_links.md"
}

# train_joint: the joint model of sure links, and what changes where possible links are wanted too.
train_joint() {
    forest-align train joint "$alignment/edinburgh/train.sure.json" "$alignment/msr_rte/dev.majority.json" \
        -o "$out/joint" --forests "$out/cache" --resume
    python -m forest_align.em.recipes freer-links "$alignment/mtref/dev.tsv" --model "$out/joint" -o "$out/joint" \
        --forests "$out/cache" > "$out/tables/joint.freer_links.md"
}

# tune_phrases: puts the models of phrases into the tuned model, and tunes and calibrates the search with them.
tune_phrases() {
    python -m forest_align.em.recipes phrase-options "$data" "$out/phrases" "$out/forest" --model "$out/forest-without-phrases" \
        --relations "$out/relations" --cache "$out/cache" --trials "$trials"
    python -m forest_align.em.recipes phrase-calibration "$alignment/mtref/dev.tsv" "$alignment/wiki/dev.tsv" \
        --model "$out/forest" -o "$out/forest" --forests "$out/cache" > "$out/tables/forest.calibration.md"
}

# tune_untrained NAME: the weights of zero (uniform) or set by hand (fixed) with fixed options, then tuned ones.
tune_untrained() {
    python -m forest_align.em.recipes untuned "$here/forest_align/aligners/models/$1" -o "$out/start/$1"
    tune_model "$out/start/$1" "$1"
}

# train_published: the paper's system, trained under its own search from weights of zero, with a dictionary of the text.
train_published() {
    python -m forest_align.em.recipes untuned "$here/forest_align/aligners/models/uniform" -o "$out/start/forest-published" \
        --published
    forest-align train forest $text -o "$out/em-published" --start "$out/start/forest-published" --forests "$out/cache" \
        --epochs 5 --batch-size 0 --workers "$workers" --resume
}

# tune_published: its penalties, as of the other models. Its probabilities are plain posteriors.
tune_published() {
    forest-align tune $dev --model "$out/em-published" -o "$out/forest-published" --forests "$out/cache" \
        --trials "$trials" --workers "$workers" --keep beam
}

# measure_ablation TABLE STANFORD_PAIRS GOLD...: trained, untrained and hand-set weights.
measure_ablation() {
    table=$1
    pairs=$2
    shift 2
    python "$here/benchmarks/quality/ablation.py" "$@" --model "$out/forest" --untrained "$out/uniform" --by-hand "$out/fixed" \
        --forests "$out/cache" --stanford "$pairs" "$alignment/edinburgh/train.stanford.xml.gz" > "$out/tables/$table"
}

# measure_training TABLE ARGUMENT...: kinds of training.
measure_training() {
    table=$1
    shift
    python "$here/benchmarks/quality/training_table.py" "$@" --options "$out/forest" --forests "$out/cache" > "$out/tables/$table"
}

dev="$out/dev/mtref/dev.tsv $out/dev/wiki/dev.tsv $out/dev/edinburgh/train.sure.json $out/dev/msr_rte/dev.majority.json"
text="$alignment/mtref/train.tsv $alignment/wiki/train.tsv $alignment/edinburgh/train.sure.json $alignment/msr_rte/dev.majority.json"
gold="$alignment/mtref/dev.tsv $alignment/wiki/dev.tsv $alignment/edinburgh/train.sure.json $alignment/msr_rte/dev.majority.json"

names=$(sed -n 's/^step \([a-z0-9-]*\) .*/\1/p' "$0")
for name in $chosen; do
    echo "$names" | grep -qx -e "$name" || { echo "$name: no such step; expected some of" $names >&2; exit 2; }
done
mkdir -p "$steps" "$out/tables"
link_package
trap 'exit 130' INT  # the parser's trainer ends well when it is interrupted; its step is not done then
cd "$out/package"
export PYTHONPATH="$out/package"

step lexicon python "$here/tools/build_lexicon.py" "$wordnet" "$out/lexicon"
bundle lexicon data/resources
step vectors python "$here/tools/build_word_vectors.py" "$mpnet" "$out/vectors"
bundle vectors parsing/models/en
step parser-work train_parser
step parser python -m forest_align.em.recipes parser-calibration --model "$out/parser-work/export" --gum "$treebank/gum" --output "$out/parser"
bundle parser parsing/models/en
step tagger python -m forest_align.em.recipes tagger "$treebank" "$out/tagger"
bundle tagger parsing/models/en
step contextual train_contextual
bundle contextual aligners/models/contextual
step semi-markov forest-align train semi-markov "$alignment/msr_rte/dev.majority.json" "$alignment/edinburgh/train.sure.json" \
    -o "$out/semi-markov" --forests "$out/cache" --resume
bundle semi-markov aligners/models/semi-markov
step semi-markov-phrasal forest-align train semi-markov "$alignment/msr_rte/dev.phrasal.json" \
    "$alignment/edinburgh/train.phrasal.json" -o "$out/semi-markov-phrasal" --forests "$out/cache" --resume
bundle semi-markov-phrasal aligners/models/semi-markov-phrasal
step semi-markov-tokens forest-align train semi-markov "$alignment/msr_rte/dev.majority.json" "$alignment/edinburgh/train.sure.json" \
    -o "$out/semi-markov-tokens" --forests "$out/cache" --longest 1 1 --both-directions --resume
bundle semi-markov-tokens aligners/models/semi-markov-tokens
step joint train_joint
bundle joint aligners/models/joint
step published-corpus python "$here/tools/published_corpus.py" "$alignment/edinburgh/train.sure.json" -o "$out/published-corpus.json"
step joint-published forest-align train joint "$out/published-corpus.json" -o "$out/joint-published" --forests "$out/cache" \
    --no-link-features --delete-phrases --update perceptron --epochs 20 --resume
bundle joint-published aligners/models/joint-published
step dev take_dev_pairs
step uniform tune_untrained uniform
bundle uniform aligners/models/uniform
step em forest-align train forest $text -o "$out/em" --start "$out/uniform" --forests "$out/cache" \
    --epochs 5 --batch-size 0 --workers "$workers" --resume
step forest-without-phrases tune_model "$out/em" forest-without-phrases
step phrases python -m forest_align.em.recipes phrases "$data" "$out/phrases" --cache "$out/cache" --folds
step relations python -m forest_align.em.recipes relations "$data" "$out/relations" --cache "$out/cache" --folds 5
step forest tune_phrases
bundle forest aligners/models/forest
# It learns from what the bundled forest aligner finds, and becomes a part of it.
step judge python -m forest_align.em.recipes judge "$data" "$out/phrases" "$out/judge" --cache "$out/cache" --model "$out/forest"
bundle forest aligners/models/forest
step paraphrases python -m forest_align.em.recipes paraphrases "$out/paraphrases" \
    --loose "$data/extrinsic/msrp/msr-para-train.tsv" --strict "$data/extrinsic/paws/dev.tsv" --features "$out/cache"
bundle paraphrases aligners/models/parts/paraphrases
step edits python -m forest_align.em.recipes edits "$data" "$out/edits" --folds 3
bundle edits edits/models/arxivedits
step em-published train_published
step forest-published tune_published
bundle forest-published aligners/models/forest-published
step fixed tune_untrained fixed
bundle fixed aligners/models/fixed
step ablation-tuned measure_ablation ablation.tuned.md "$out/dev/edinburgh/train.sure.json" $dev
step ablation measure_ablation ablation.md "$alignment/edinburgh/train.sure.json" $gold --skip $first
step training measure_training training.md $text --gold $dev --start "$out/uniform" --workers "$workers"
step forest-sizes measure_training forest_sizes.md --gold $gold --skip $first --gold-limit 0 --forest-sizes 1 10 50
