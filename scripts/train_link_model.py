"""Train the link model of the contextual aligner on hand-aligned corpora; run once, its output is committed.

Corpora: the train parts of MSR-RTE (its dev part), Edinburgh++, MultiMWA-MTRef and MultiMWA-Wiki, sure
links. First a projection of the word vectors is learned by aligning with a soft-max over rows and columns
(null included); it is cross-fitted in three folds, so that the link model sees similarities as good as on
new text, no better. Then the passes of the link model are fitted one after another by L-BFGS.

Examples
--------
python scripts/train_link_model.py ../shared/data/alignment forest_align/aligners/models/contextual --cache
CACHE python scripts/train_link_model.py ../shared/data/alignment OUT --cache CACHE --hold-out      (every
4th MSR-RTE and
    Edinburgh++ pair is kept for measuring)
python scripts/train_link_model.py ../shared/data/alignment OUT --cache CACHE --leave-out mtref
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from forest_align.aligners.link_model import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    LINK_CLASSES,
    LinkModel,
    SentenceFeatures,
    base_table,
    word_features,
)
from forest_align.cext import contextual as kernel
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.lexicon.evidence import Evidence, word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import Links, Sentence

TRAIN = {
    "msr_rte": "msr_rte/dev.majority.json",
    "edinburgh": "edinburgh/train.sure.json",
    "mtref": "mtref/train.tsv",
    "wiki": "wiki/train.tsv",
}
DEVELOPMENT = {"mtref dev": "mtref/dev.tsv", "wiki dev": "wiki/dev.tsv"}
HELD_OUT = ("msr_rte", "edinburgh")
#: Pairs that are read of a corpus; more of Wiki, whose sentences hardly differ, changes nothing.
MOST_PAIRS = {"wiki": 1200}
#: MSR-RTE has few pairs, and few links in a pair; at this weight it gains and the others hardly lose.
CORPUS_WEIGHTS = {"msr_rte": 6.0}
FOLDS = 3
SAMPLED = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One pair, with all that does not change while training.

    Attributes
    ----------
    corpus : str
        Key of :data:`TRAIN` or :data:`DEVELOPMENT`.
    number : int
        Place in the corpus.
    source, target : SentenceFeatures
        With empty projections.
    evidence : numpy.ndarray
        int32, shape (n, m).
    gold : numpy.ndarray
        bool, shape (n, m): sure links.
    """

    corpus: str
    number: int
    source: SentenceFeatures
    target: SentenceFeatures
    evidence: np.ndarray
    gold: np.ndarray

    @property
    def fold(self) -> int:
        """Fold of the cross-fitting; -1 for pairs that are never trained on."""
        return -1 if self.corpus in DEVELOPMENT else self.number // 4 % FOLDS

    @property
    def weight(self) -> np.float32:
        """Weight of the cells: scores average over pairs, so that short pairs count nearly as much."""
        return np.float32(CORPUS_WEIGHTS.get(self.corpus, 1.0) * 20 / (5 + self.gold.sum()))

    @property
    def is_held_out(self) -> bool:
        """Whether ``--hold-out`` keeps the pair."""
        return self.corpus in HELD_OUT and self.number % 4 == 3


Projection = tuple[np.ndarray, np.ndarray]

#: What ``--without`` leaves out: features whose names begin so.
GROUPS: dict[str, tuple[str, ...]] = {
    "cosine": ("cosine",),
    "projection": ("projected",),
    "lexicon": (
        *("same spelling", "same number", "abbreviation", "synonym", "derivation", "same stem", "substring"),
        *("both prepositions", "same function", "acronym"),
    ),
    "letters": ("letter bigrams",),
    "sequences": ("identical sequence", "length of identical sequence"),
    "neighbours": ("similar neighbours", "projected neighbours", "same content words", "any same content"),
    "context": CONTEXT_FEATURES,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script."""
    options = parse_arguments(arguments)
    examples = list(read_examples(options.data, options.parser, options.cache))
    trained = [
        e
        for e in examples
        if e.fold >= 0 and e.corpus != options.leave_out and not (options.hold_out and e.is_held_out)
    ]
    mark = f"{'held' if options.hold_out else 'all'}-{options.leave_out or 'none'}-{options.dimension}"
    projections = {
        fold: projection_for(trained, fold, options, options.cache / f"projection-{mark}-{fold}.npz")
        for fold in range(-1, FOLDS)
    }
    in_training = {id(e) for e in trained}

    def project(example: Example) -> Example:
        mean, matrix = projections[example.fold if id(example) in in_training else -1]
        sides = (with_projection(side, mean, matrix) for side in (example.source, example.target))
        return replace(example, source=next(sides), target=next(sides))

    first, later = fit_passes([project(e) for e in trained], options)
    mean, matrix = projections[-1]
    card = {
        "trained on": [f"{name} ({TRAIN[name]})" for name in TRAIN if name != options.leave_out],
        "pairs": len(trained),
        "parser": options.parser,
        "left out": [part for part in (options.leave_out, options.without) if part],
        "every 4th pair of MSR-RTE and Edinburgh++ held out": options.hold_out,
    }
    model = LinkModel(
        mean, matrix.astype(np.float16).astype(np.float32), first, later, options.threshold, card
    )
    scores = list(measure(model, [project(e) for e in examples if id(e) not in in_training]))
    for line in scores:
        print(line)
    model.save(options.output)
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with msr_rte, edinburgh, mtref and wiki")
    parser.add_argument("output", type=Path, help="folder for the model")
    parser.add_argument("--parser", default="en", help="gives word vectors and tags")
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors and projections")
    parser.add_argument("--dimension", type=int, default=96, help="size of projected vectors")
    parser.add_argument("--epochs", type=int, default=6, help="of the projection")
    parser.add_argument("--ridge", type=float, default=1e-5, help="weight of the squared weights")
    parser.add_argument("--passes", type=int, default=4, help="of the link model")
    parser.add_argument(
        "--threshold", type=float, default=0.45, help="of the saved model, best on held-out pairs"
    )
    parser.add_argument("--without", choices=tuple(GROUPS), help="leave out a group of features")
    parser.add_argument("--hold-out", action="store_true", help="keep every 4th MSR-RTE and Edinburgh++ pair")
    parser.add_argument("--leave-out", choices=tuple(TRAIN), help="keep a whole corpus")
    return parser.parse_args(arguments)


# --------------------------------------------------------------------------------------------- data


def read_examples(data: Path, parser: str, cache: Path) -> Iterator[Example]:
    """Read all corpora and compute features of their sentences."""
    lexicon = load_lexicon()
    for name, file in {**TRAIN, **DEVELOPMENT}.items():
        path = data / file
        pairs = [pair for pair in read_pairs(path) if isinstance(pair, SentencePair)][: MOST_PAIRS.get(name)]
        sure = mtref_train_links(path) if name == "mtref" else [only_sure(pair.links) for pair in pairs]
        sentences = [sentence for pair in pairs for sentence in (pair.source, pair.target)]
        annotated = annotate(
            [s.words for s in sentences], parser, cache / f"vectors-{path.parent.name}-{path.stem}.npz"
        )
        # The two sentences of a pair follow one another, so one iterator gives both.
        for number, (links, (words, one), (others, two)) in enumerate(
            zip(sure, annotated, annotated, strict=True)
        ):
            source, target = (Sentence.from_words(w, t) for w, (t, _) in ((words, one), (others, two)))
            gold = np.zeros((len(source), len(target)), dtype=bool)
            for i, j in links:
                gold[i, j] = True
            evidence = word_evidence(source, target, lexicon) & ~int(Evidence.EMBEDDING)
            sides = (
                SentenceFeatures(*word_features(sentence), vectors, np.zeros((0, 0), dtype=np.float32))
                for sentence, (_, vectors) in ((source, one), (target, two))
            )
            yield Example(name, number, next(sides), next(sides), evidence.astype(np.int32), gold)


def only_sure(links: Links | None) -> Links:
    """The sure links of a pair that has links."""
    assert links is not None
    return links.only_sure()


def mtref_train_links(path: Path) -> list[list[tuple[int, int]]]:
    """Sure links of MTRef's train part, which writes its possible links behind them, each part in order.

    Where the source index falls once, the links after the fall are the possible ones: they are 12.6% of
    all, as in the dev part (13.1%), which marks them.
    """
    result = []
    for line in path.read_text(encoding="utf-8").splitlines():
        links = [tuple(map(int, item.split("-"))) for item in line.split("\t")[7].split()]
        falls = [k for k in range(1, len(links)) if links[k][0] < links[k - 1][0]]
        result.append(links[: falls[0]] if len(falls) == 1 else links)
    return result


def annotate(
    sentences: Sequence[tuple[str, ...]], parser: str, cache: Path
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[str, ...] | None, np.ndarray]]]:
    """Yield each sentence with its tags and word vectors, from the cache or the parser."""
    if not cache.exists():
        cache.parent.mkdir(parents=True, exist_ok=True)
        np.savez(cache, **run_parser(sentences, parser))
    stored = np.load(cache)
    vectors, tags = stored["vectors"], stored.get("tags")
    offsets = np.cumsum([0, *(len(words) for words in sentences)])
    for words, start, end in zip(sentences, offsets[:-1], offsets[1:], strict=True):
        rows = vectors[start:end].astype(np.float32)
        yield words, (None if tags is None else tuple(map(str, tags[start:end])), rows)


def run_parser(sentences: Sequence[tuple[str, ...]], parser: str) -> dict[str, np.ndarray]:
    """Tags and word vectors of all words."""
    from forest_align.parsing.span_parser import load_span_parser

    scorer = load_span_parser(parser)
    order = sorted(range(len(sentences)), key=lambda k: len(sentences[k]))
    found = {}
    for start in range(0, len(order), 32):
        batch = order[start : start + 32]
        for k, scores in zip(batch, scorer.score([sentences[k] for k in batch]), strict=True):
            if isinstance(scores, Exception) or scores.vectors is None:
                raise SystemExit(f"cannot parse {' '.join(sentences[k])!r}: {scores}")
            found[k] = (scores.tags, scores.vectors.astype(np.float16))
        print(f"{start}/{len(order)}", end="\r", file=sys.stderr)
    every = range(len(sentences))
    return {
        "tags": np.array([tag for k in every for tag in found[k][0]]),
        "vectors": np.concatenate([found[k][1] for k in every]),
    }


# --------------------------------------------------------------------------------------- projection


def projection_for(
    examples: Sequence[Example], fold: int, options: argparse.Namespace, cache: Path
) -> Projection:
    """Projection learned from all examples outside a fold; from the cache if it is there."""
    if not cache.exists():
        chosen = [e for e in examples if e.fold != fold]
        mean, matrix = learn_projection(chosen, options.dimension, options.epochs)
        np.savez(cache, mean=mean, matrix=matrix)
    stored = np.load(cache)
    return stored["mean"], stored["matrix"]


def learn_projection(examples: Sequence[Example], dimension: int, epochs: int) -> Projection:
    """Learn the projection under which aligned words find one another (row and column soft-max with null)."""
    import torch

    torch.manual_seed(0)
    items = [
        (torch.from_numpy(e.source.vectors), torch.from_numpy(e.target.vectors), torch.from_numpy(e.gold))
        for e in examples
    ]
    size = items[0][0].shape[1]
    mean = torch.cat([side for item in items[:300] for side in item[:2]]).mean(0)
    matrix = torch.nn.Parameter(torch.linalg.qr(torch.randn(size, size))[0][:, :dimension].contiguous())
    scale, null = torch.nn.Parameter(torch.tensor(2.5)), torch.nn.Parameter(torch.tensor(6.0))
    groups = [{"params": [matrix], "weight_decay": 1e-3}, {"params": [scale, null], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=2e-3)
    batch = 32
    steps = epochs * (len(items) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[2e-3, 2e-2], total_steps=steps + 1)
    for epoch in range(epochs):
        order = torch.randperm(len(items)).tolist()
        total = 0.0
        for start in range(0, len(items) - batch + 1, batch):
            chosen = [items[k] for k in order[start : start + batch]]
            loss = alignment_loss(chosen, mean, matrix, scale, null)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(
            f"projection, epoch {epoch + 1}: loss {total * batch / len(items):.4f}",
            file=sys.stderr,
            flush=True,
        )
    return mean.numpy(), matrix.detach().numpy()


def alignment_loss(items, mean, matrix, scale, null):  # type: ignore[no-untyped-def]
    """Mean over words of the negative log-probability of a partner in the gold, or of null."""
    import torch

    lengths = [len(side) for part in (0, 1) for item in items for side in (item[part],)]
    rows = torch.cat([item[part] for part in (0, 1) for item in items])
    projected = torch.nn.functional.normalize((rows - mean) @ matrix, dim=1).split(lengths)
    loss, words = 0.0, 0
    for source, target, (_, _, gold) in zip(
        projected[: len(items)], projected[len(items) :], items, strict=True
    ):
        cells = (source @ target.T) * scale.exp()
        for table, links in ((cells, gold), (cells.T, gold.T)):
            with_null = torch.cat([table, null.expand(len(table), 1)], 1)
            right = torch.cat([links, ~links.any(1, keepdim=True)], 1)
            chosen = torch.log_softmax(with_null, 1).masked_fill(~right, -1e9).logsumexp(1)
            loss = loss - chosen.sum()
            words += len(table)
    return loss / words


def with_projection(side: SentenceFeatures, mean: np.ndarray, matrix: np.ndarray) -> SentenceFeatures:
    """The sentence with its projected vectors."""
    projected = (side.vectors - mean) @ matrix
    projected /= np.maximum(np.linalg.norm(projected, axis=1, keepdims=True), 1e-9)
    return replace(side, projected=projected.astype(np.float32))


# --------------------------------------------------------------------------------------- link model


def fit_passes(examples: Sequence[Example], options: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """Fit the passes one after another; each later one sees the probabilities of the one before."""
    rng = np.random.default_rng(0)
    later = np.zeros((0, len(LINK_CLASSES), width()), dtype=np.float32)
    cells = [chosen_cells(example, rng) for example in examples]
    first = fit(*first_tables(examples, cells), options)
    probabilities = [probability(example, first, later) for example in examples]
    hopeful = [np.flatnonzero(table >= kernel.HOPELESS_PROBABILITY) for table in probabilities]
    for _ in range(options.passes - 1):
        fitted = fit(*later_tables(examples, hopeful, probabilities), options)
        later = np.concatenate([later, fitted[None]])
        probabilities = [probability(example, first, later) for example in examples]
    return first, later


Tables = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def first_tables(examples: Sequence[Example], cells: Sequence[tuple[np.ndarray, np.ndarray]]) -> Tables:
    """Features, classes, gold and weights of the cells that the first pass is fitted on."""
    parts = []
    for example, (kept, weight) in zip(examples, cells, strict=True):
        base, classes, _ = base_table(example.source, example.target, example.evidence)
        parts.append((base[kept], classes[kept], example.gold.ravel()[kept], weight * example.weight))
    return joined(parts)


def later_tables(
    examples: Sequence[Example], cells: Sequence[np.ndarray], probabilities: Sequence[np.ndarray]
) -> Tables:
    """The same for a later pass, which sees the probabilities of the pass before."""
    parts = []
    for example, kept, before in zip(examples, cells, probabilities, strict=True):
        base, classes, names = base_table(example.source, example.target, example.evidence)
        features = np.concatenate([base[kept], kernel.context_features(before, names)[kept]], 1)
        weight = np.full(len(kept), example.weight)
        parts.append((features, classes[kept], example.gold.ravel()[kept], weight))
    return joined(parts)


def joined(parts: Sequence[Tables]) -> Tables:
    """One table of the tables of all pairs."""
    features, classes, gold, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    print(f"{len(gold)} cells", file=sys.stderr, flush=True)
    return features, classes, gold, weights


def width() -> int:
    """Weights of a class in a later pass."""
    return len(BASE_FEATURES) + len(CONTEXT_FEATURES) + 1


def probability(example: Example, first: np.ndarray, later: np.ndarray) -> np.ndarray:
    """Link probabilities of a pair."""
    base, classes, names = base_table(example.source, example.target, example.evidence)
    return kernel.link_probabilities(base, classes, names, first, later)


def chosen_cells(example: Example, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """All cells that could be links and a weighted sample of the hopeless rest."""
    similar = example.source.projected @ example.target.projected.T
    across, along = (similar >= similar.max(axis, keepdims=True) for axis in (1, 0))
    second_across, second_along = (similar >= second_best(similar, axis) for axis in (1, 0))
    told = example.evidence & ~int(Evidence.FUNCTION | Evidence.PREPOSITION) != 0
    likely = example.gold | told | across | along | (second_across & second_along)
    sampled = ~likely & (rng.random(likely.shape) < SAMPLED)
    kept = np.flatnonzero(likely | sampled)
    return kept, np.where(likely.ravel()[kept], 1.0, 1 / SAMPLED).astype(np.float32)


def second_best(table: np.ndarray, axis: int) -> np.ndarray:
    """Second-highest value along an axis, which is kept; the highest where there is but one."""
    place = max(table.shape[axis] - 2, 0)
    return np.sort(table, axis=axis).take([place], axis)


def fit(
    features: np.ndarray,
    classes: np.ndarray,
    gold: np.ndarray,
    weights: np.ndarray,
    options: argparse.Namespace,
) -> np.ndarray:
    """Weighted logistic regression: weights that all classes share plus weights of each class."""
    import torch

    ridge = options.ridge
    names = (*BASE_FEATURES, *CONTEXT_FEATURES)[: features.shape[1]]
    left_out = [
        k for k, name in enumerate(names) if options.without and name.startswith(GROUPS[options.without])
    ]
    features[:, left_out] = 0  # the ridge keeps their weights at 0
    spread = features.std(0) + 1e-6
    count, size = len(LINK_CLASSES), features.shape[1]
    parts = []
    for c in range(count):
        rows = classes == c
        parts.append(
            (
                torch.from_numpy(features[rows] / spread),
                torch.from_numpy(gold[rows].astype(np.float32)),
                torch.from_numpy(weights[rows]),
            )
        )
    own = torch.zeros(count, size, requires_grad=True)
    shared = torch.zeros(size, requires_grad=True)
    bias = torch.full((count,), -2.0, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [own, shared, bias], max_iter=60, history_size=10, line_search_fn="strong_wolfe"
    )
    total = float(weights.sum())

    def closure():  # type: ignore[no-untyped-def]
        optimizer.zero_grad()
        loss = ridge * (own**2).sum() + 0.1 * ridge * (shared**2).sum()
        for c, (rows, labels, weight) in enumerate(parts):
            if len(labels):
                score = rows @ (own[c] + shared) + bias[c]
                loss = (
                    loss
                    + torch.nn.functional.binary_cross_entropy_with_logits(
                        score, labels, weight, reduction="sum"
                    )
                    / total
                )
        loss.backward()
        return loss

    before = optimizer.step(closure).item()
    print(f"loss {before:.5f} at first, {closure().item():.5f} at last", file=sys.stderr, flush=True)
    matrix = (own + shared).detach().numpy() / spread
    return np.concatenate([matrix, bias.detach().numpy()[:, None]], 1).astype(np.float32)


# -------------------------------------------------------------------------------------- measurement


def measure(model: LinkModel, examples: Sequence[Example]) -> Iterator[str]:
    """Scores at several thresholds and the calibration, corpus by corpus."""
    for corpus in dict.fromkeys(e.corpus for e in examples):
        chosen = [e for e in examples if e.corpus == corpus]
        tables = [probability(e, model.first, model.later) for e in chosen]
        values = np.concatenate([t.ravel() for t in tables])
        right = np.concatenate([e.gold.ravel() for e in chosen])
        for threshold in (0.4, 0.45, 0.5, 0.55, 0.6):
            yield json.dumps(
                {"corpus": corpus, "pairs": len(chosen), "threshold": threshold}
                | macro(tables, chosen, threshold)
            )
        error = calibration_error(values, right)
        yield f"{corpus}: expected calibration error {error:.4f} over cells with p ≥ 0.05"


def macro(tables: Sequence[np.ndarray], examples: Sequence[Example], threshold: float) -> dict[str, float]:
    """Macro-averaged precision, recall, their F1, and the share of exact pairs, in per cent."""
    precision, recall, exact = [], [], []
    for table, example in zip(tables, examples, strict=True):
        linked = table >= threshold
        both = (linked & example.gold).sum()
        precision.append(both / linked.sum() if linked.any() else 1.0)
        recall.append(both / example.gold.sum() if example.gold.any() else 1.0)
        exact.append(bool((linked == example.gold).all()))
    p, r = float(np.mean(precision)), float(np.mean(recall))
    values = {"P": p, "R": r, "F1": 2 * p * r / (p + r), "E": float(np.mean(exact))}
    return {name: round(100 * value, 2) for name, value in values.items()}


def calibration_error(values: np.ndarray, right: np.ndarray) -> float:
    """Mean distance of predicted and observed link rate, in ten bins of the cells that matter."""
    matter = values >= 0.05
    values, right = values[matter], right[matter]
    bins = np.minimum((values * 10).astype(int), 9)
    return float(
        sum(
            abs(values[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
            for b in range(10)
            if (bins == b).any()
        )
    )


if __name__ == "__main__":
    sys.exit(main())
