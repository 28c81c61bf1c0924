"""Search for the options with which the forest aligner uses its phrase-pair model; run once.

The goal adds up how many marked phrases are found (ETPC dev, each pair with a model that has not seen it) and
constituent F1 and word F1 on word-aligned corpora. It falls steeply if less than 98% of the phrase pairs are
uncontradicted on ETPC, or if a corpus has a lower constituent F1 than the model had without phrases.

Examples
--------
python -m forest_align.em.recipes phrase-options ../shared/data FOLDS OUT --cache CACHE --trials 100
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import optuna

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.phrases.relation_model import RelationModel
from forest_align.alignment import Alignment
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.forest.dev_set import DevSet, align_pair, figures
from forest_align.em.phrases.examples import MARKED
from forest_align.em.phrases.training import FOLDS
from forest_align.eval.benchmarks.marked_phrases import unit_scorer
from forest_align.system.terminal import counted
from forest_align.types import InputError

#: Dev corpora with word links, and the weight of their constituent F1. MSR-RTE has folds as ETPC has.
LINKED_DEV = {
    "mtref": ("alignment/mtref/dev.tsv", 0.7),
    "wiki": ("alignment/wiki/dev.tsv", 0.7),
    "msr_rte": ("alignment/msr_rte/dev.majority.json", 0.4),
}
OF_EXACT, OF_NEAR, OF_WORDS = 0.3, 0.6, 0.5
#: Least phrase precision on ETPC, in percent; what a point below it costs, and a lost point of constituents.
LEAST_PRECISION, OF_PRECISION, OF_LOSS = 98.0, 8.0, 3.0
#: Least and greatest value of each option, and whether its logarithm is varied.
SPACE = {
    "phrase_weight": (1.0, 14.0, True),
    "phrase_bias": (0.0, 5.0, False),
    "candidate_weight": (1.0, 60.0, True),
    "link_weight": (0.0, 10.0, False),
    "tree_weight": (0.2, 14.0, True),
    "null_penalty": (0.8, 1.8, False),
    "noncompositional_penalty": (0.0, 6.0, False),
}
#: Options that were chosen by hand; docs/background/phrases.md says on what.
BY_HAND: dict[str, Any] = {"generation_gap": 20, "phrase_added": 0.3}


@dataclass(frozen=True, slots=True, eq=False)
class _TuningPairs:
    """What the options are tuned on."""

    marked: list[CorpusPair]  # Pairs of ETPC, each judged by the model of its fold
    pairs: list[SentencePair]  # The same, with their units
    linked: Mapping[str, DevSet]


def _read_tuning_pairs(data: Path, folds: Path, model: ForestModel, cache: Path) -> _TuningPairs:
    """Read and prepare all pairs."""
    fitted = [PhraseModel.load(folds / f"fold-{fold}") for fold in range(FOLDS)]

    def by_folds(file: str) -> tuple[list[CorpusPair], list[SentencePair]]:
        pairs = [pair for pair in read_pairs(data / file) if isinstance(pair, SentencePair)]
        found: dict[int, CorpusPair] = {}
        for fold, phrases in enumerate(fitted):
            reader = CorpusReader.for_model(replace(model, phrases=phrases), cache=cache)
            ready, problems = reader.read(pairs[fold::FOLDS])
            if problems:
                raise InputError(problems[0])
            found |= dict(zip(range(fold, len(pairs), FOLDS), ready, strict=True))
        return [found[number] for number in range(len(pairs))], pairs

    marked, pairs = by_folds(MARKED)
    reader = CorpusReader.for_model(model, cache=cache)
    linked = {}
    for name, (file, _) in LINKED_DEV.items():
        ready = by_folds(file)[0] if name == "msr_rte" else reader.read(read_pairs(data / file))[0]
        linked[name] = DevSet(ready)
    return _TuningPairs(marked, pairs, linked)


def measured(pairs: _TuningPairs, model: ForestModel) -> dict[str, float]:
    """Exact, near and phrase precision on ETPC, constituent F1 and word F1 of each corpus, in percent."""
    aligned: list[Alignment] = [align_pair(pair, model) for pair in pairs.marked]
    found = unit_scorer([pair.units or () for pair in pairs.pairs])(aligned)[0].values
    result = {name: found[name] for name in ("exact", "near", "phrase_precision")}
    for name, dev in pairs.linked.items():
        scores = figures(dev.statistics(model))
        result[f"{name} constituents"] = 100 * scores["constituent f1"].value
        result[f"{name} words"] = 100 * scores["word f1"].value
    return result


def goal(found: Mapping[str, float], before: Mapping[str, float]) -> float:
    """The number that is maximized; ``before`` has the figures of the model without phrases."""
    total = OF_EXACT * found["exact"] + OF_NEAR * found["near"]
    total -= OF_PRECISION * max(0.0, LEAST_PRECISION - found["phrase_precision"])
    for name, (_, weight) in LINKED_DEV.items():
        constituents = f"{name} constituents"
        total += weight * found[constituents] + OF_WORDS * found[f"{name} words"]
        total -= OF_LOSS * max(0.0, before[constituents] - found[constituents])
    return total


def starting_options(model: ForestModel) -> ForestOptions:
    """The model's own options for phrases; for a model without any, its other options and those by hand."""
    return model.phrase_options or replace(model.options, **BY_HAND)


def first_trial(options: ForestOptions) -> dict[str, float]:
    """The options that are varied; those outside their range are moved to its end."""
    return {name: min(max(getattr(options, name), least), most) for name, (least, most, _) in SPACE.items()}


def run(options: argparse.Namespace) -> None:
    """Follow the recipe."""
    model = replace(ForestAligner.load(options.model).model, phrases=PhraseModel.load(options.folds))
    if options.relations is not None:
        model = replace(model, relations=RelationModel.load(options.relations))
    pairs = _read_tuning_pairs(options.data, options.folds, model, options.cache)
    start = starting_options(model)
    before = measured(pairs, replace(model, phrase_options=None))
    print(
        "without phrases", json.dumps({name: round(value, 2) for name, value in before.items()}), flush=True
    )
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=options.seed, multivariate=True)
    )
    study.enqueue_trial(first_trial(start), skip_if_exists=True)

    def objective(trial: optuna.Trial) -> float:
        values: dict[str, Any] = {
            name: trial.suggest_float(name, least, most, log=logarithmic)
            for name, (least, most, logarithmic) in SPACE.items()
        }
        found = measured(pairs, replace(model, phrase_options=replace(start, **values)))
        trial.set_user_attr("figures", found)
        return goal(found, before)

    for _ in counted(range(options.trials), "trials"):
        study.optimize(objective, n_trials=1)
    best = study.best_trial
    print("best", json.dumps({name: round(value, 2) for name, value in best.user_attrs["figures"].items()}))
    values: dict[str, Any] = {name: float(f"{value:.4g}") for name, value in best.params.items()}
    chosen = replace(start, **values)
    # "tuned" has the options of the search without the phrase-pair model.
    tuned = {name: getattr(chosen, name) for name in (*SPACE, *BY_HAND)}
    description = {**model.description, "phrases_tuned": tuned}
    replace(model, phrase_options=chosen, description=description).save(options.output)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder with phrases and alignment")
    parser.add_argument("folds", type=Path, help="folder of the phrase-pair model and of those of the folds")
    parser.add_argument("output", type=Path, help="folder for the model")
    parser.add_argument("--model", default="forest", help="whose options are tuned")
    parser.add_argument("--relations", type=Path, help="folder of a relation model that is put in")
    parser.add_argument("--cache", type=Path, required=True, help="folder for parses")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
