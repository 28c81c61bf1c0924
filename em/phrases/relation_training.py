"""Train the relation model of the forest aligner.

It learns relations and similarities from pairs of chunks (the train parts of iSTS 2016), and whether phrases
mean the same from marked spans (SSD, the dev half). Only pairs whose sides are nodes of the forests count.
``--folds K`` prints how well held-out pairs are judged, beside the most frequent relation and the mean.

Examples
--------
python -m forest_align.em.recipes relations ../shared/data OUT --cache CACHE --folds 5
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import log_softmax

from forest_align.aligners.phrases.features import SpanPairIndex, span_evidence
from forest_align.aligners.phrases.relation_model import RelationModel, relation_features
from forest_align.alignment import CHUNK_RELATIONS, MOST_SIMILAR, SWAPPED_RELATIONS
from forest_align.em.corpus.parsed_pairs import ParsedPair
from forest_align.em.fitting.optimization import RectifierSettings, fit_rectifier
from forest_align.em.phrases.examples import LinkedPair, joined, read_linked_pairs
from forest_align.system.terminal import counted

CHUNKS = ("headlines", "images", "answers-students")
FILES = {**{name: f"ists/STSint.input.{name}.wa" for name in CHUNKS}, "ssd": "differences/ssd-dev.tsv"}
#: The types of iSTS; SPE1: the first chunk is more specific.
_TYPES = {
    "EQUI": "equivalent",
    "SPE1": "more specific",
    "SPE2": "more general",
    "SIMI": "similar",
    "REL": "related",
    "OPPO": "opposite",
}

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _GoldRelation:
    """Two spans and what people said of them: a relation or :data:`ANOTHER`, and a score or ``NO_SCORE``."""

    source: Span
    target: Span
    relation: int
    score: float


def gold_relations(one: ParsedPair) -> Iterator[_GoldRelation]:
    """The pairs of spans of a sentence pair that people judged."""
    for chunk in one.pair.chunks or ():
        kind = _TYPES.get(chunk.type.split("_")[0])
        source, target = _span(chunk.source), _span(chunk.target)
        if kind and source and target:
            score = float(chunk.score) if chunk.score.isdigit() else NO_SCORE
            yield _GoldRelation(source, target, CHUNK_RELATIONS.index(kind), score)
    for marked in one.pair.marked or ():
        tokens = [
            [number for number, token in enumerate(side.tokens) if token.start < end and token.end > start]
            for side, (start, end) in ((one.source, marked.source), (one.target, marked.target))
        ]
        source, target = _span(tokens[0]), _span(tokens[1])
        if source and target:
            yield _GoldRelation(source, target, 0 if marked.same else ANOTHER, NO_SCORE)


def _span(words: Sequence[int]) -> Span | None:
    """The span of words, unless they have gaps."""
    if not words or words[-1] - words[0] + 1 != len(words):
        return None
    return words[0], words[-1] + 1


def read_relations(data: Path, parser: str, cache: Path) -> Iterator[tuple[str, RelationExamples]]:
    """Read and parse the corpora: for each sentence pair the name of its corpus and its examples."""
    for name, file in FILES.items():
        for pair in read_linked_pairs(data / file, parser, cache):
            examples = relation_examples(pair)
            if len(examples.relations):
                yield name, examples


def relation_examples(pair: LinkedPair) -> RelationExamples:
    """The examples of a sentence pair: its judged spans that are nodes of the forests."""
    one = pair.parsed
    phrases = span_evidence(one.source, one.target, pair.links, pair.evidence)
    gold = list(gold_relations(one))
    sides = np.array([(*spans.source, *spans.target) for spans in gold], np.int64).reshape(-1, 4)
    places = SpanPairIndex(phrases.source.places(sides[:, :2]), phrases.target.places(sides[:, 2:]))
    kept = np.flatnonzero((places.source >= 0) & (places.target >= 0))
    index = SpanPairIndex(places.source[kept], places.target[kept])
    features = relation_features(one.source, one.target, phrases, index)
    relations = np.array([gold[k].relation for k in kept], np.int64)
    return RelationExamples(*features, relations, np.array([gold[k].score for k in kept], np.float32))


def run(options: argparse.Namespace) -> None:
    """Follow the recipe."""
    torch.set_num_threads(1)  # fixed order of sums: the same weights every time
    read = counted(read_relations(options.data, options.parser, options.cache), "pairs")
    parts = list(read)
    for line in measured(parts, options.folds, options.seed):
        print(line, flush=True)
    examples = joined([part for _, part in parts])
    card = {
        "trained on": [*(f"iSTS 2016 {name} (train)" for name in CHUNKS), "SSD (dev half)"],
        "phrase pairs": len(examples.relations),
        "parser": options.parser,
        "seed": options.seed,
    }
    replace(train_relations(examples, options.seed), card=card).save(options.output)


def measured(parts: Sequence[tuple[str, RelationExamples]], folds: int, seed: int) -> Iterator[str]:
    """A table of how held-out pairs are judged, by corpus."""
    if folds < 2:
        return
    rows: dict[str, list[np.ndarray]] = {}
    for fold in range(folds):
        model = train_relations(
            joined([part for k, (_, part) in enumerate(parts) if k % folds != fold]), seed
        )
        for name, part in (one for k, one in enumerate(parts) if k % folds == fold):
            rows.setdefault(name, []).append(_judged(model, part))
    yield "| held-out pairs of | pairs | most frequent | right | mean error of the mean | mean error | r |"
    yield "|---" * 7 + "|"
    for name, found in rows.items():
        gold, chosen, score, similarity = np.concatenate(found, axis=1)
        is_known = score != NO_SCORE
        most_frequent = np.unique(gold, return_counts=True)[1].max() / len(gold)
        cells = [f"{len(gold)}", f"{most_frequent:.3f}", f"{(gold == chosen).mean():.3f}", "", "", ""]
        if is_known.any():
            score, similarity = score[is_known], similarity[is_known]
            errors = np.abs(score - score.mean()).mean(), np.abs(score - similarity).mean()
            cells[3:] = [*(f"{error:.2f}" for error in errors), f"{np.corrcoef(score, similarity)[0, 1]:.3f}"]
        yield f"| {name} | {' | '.join(cells)} |"


def _judged(model: RelationModel, part: RelationExamples) -> np.ndarray:
    """Gold and chosen relation, gold score and similarity of each pair, float64 (4, K)."""
    probabilities, similarity = model.judge(part.symmetric, part.signed)
    chosen = probabilities.argmax(axis=1)
    # Of some pairs people said only that they do not mean the same.
    chosen = np.where((part.relations == ANOTHER) & (probabilities[:, 0] < 0.5), ANOTHER, chosen)
    return np.stack([part.relations, chosen, part.scores, similarity]).astype(np.float64)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder with ists and differences")
    parser.add_argument("output", type=Path, help="folder for the model")
    parser.add_argument("--parser", default="en", help="gives forests and word vectors")
    parser.add_argument("--cache", type=Path, required=True, help="folder for parses")
    parser.add_argument("--folds", type=int, default=0, help="measure by cross-fitting in so many folds")
    parser.add_argument("--seed", type=int, default=0)


#: Number of a relation that is not known, except that it is not the first one, *equivalent*.
ANOTHER = len(CHUNK_RELATIONS)
#: Where people gave no score.
NO_SCORE = -1.0
_SETTINGS = RectifierSettings(hidden=(48,), epochs=60, batch=256, dropout=0.3)
# Weight of the squared error of the similarity.
_OF_SIMILARITY = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class RelationExamples:
    """Pairs of phrases to learn from."""

    # symmetric, signed: float32, see relation_features
    symmetric: np.ndarray
    signed: np.ndarray
    relations: np.ndarray  # int64, shape (K,): numbers of relations, or ANOTHER
    scores: np.ndarray  # float32, shape (K,): similarities from 0 to 5, or NO_SCORE

    @property
    def swapped(self) -> RelationExamples:
        """The examples of the swapped sentences."""
        turned = np.array([*SWAPPED_RELATIONS, ANOTHER])[self.relations]
        return RelationExamples(self.symmetric, -self.signed, turned, self.scores)


def train_relations(examples: RelationExamples, seed: int = 0) -> RelationModel:
    """Minimize cross-entropy and squared error, in both directions."""
    both = joined([examples, examples.swapped])
    features = np.concatenate([both.symmetric, both.signed], axis=1)
    relations, scores = torch.from_numpy(both.relations), torch.from_numpy(both.scores)

    def loss(outputs: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return _loss(outputs, relations[batch], scores[batch])

    return RelationModel(fit_rectifier(features, ANOTHER + 1, loss, _SETTINGS, seed))


def _loss(outputs: torch.Tensor, relations: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    log_probabilities = log_softmax(outputs[:, :ANOTHER], dim=1)
    known = relations.clamp(max=ANOTHER - 1)[:, None]
    of_relation = -log_probabilities.gather(1, known).squeeze(1)
    another = -torch.log1p(-log_probabilities[:, 0].exp().clamp(max=1 - 1e-6))
    errors = (MOST_SIMILAR * torch.sigmoid(outputs[:, ANOTHER]) - scores) ** 2 * (scores != NO_SCORE)
    return torch.where(relations == ANOTHER, another, of_relation).mean() + _OF_SIMILARITY * errors.mean()
