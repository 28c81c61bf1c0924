"""Score a file of predictions against a gold file: the core of ``forest-align evaluate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forest_align.eval.files.prediction_files import FilePrediction, JudgedPair, check_matching
from forest_align.eval.files.result_tables import Row, format_table, signature
from forest_align.eval.metrics.chunk_scores import CHUNK_F1S, chunk_relation_statistics, count_chunk_relations
from forest_align.eval.metrics.phrase_scores import score_phrases
from forest_align.eval.metrics.scores import Calibration, PooledScores, Scores, Statistic, calibrate
from forest_align.eval.metrics.significance import Comparison, approximate_randomization, bootstrap_interval
from forest_align.eval.metrics.word_scores import WordPair, WordScores, score_words


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Scores of one file of predictions.

    Attributes
    ----------
    words : WordScores
        Scores of the word links.
    phrases : PooledScores or None
        Scores of the phrases, if both gold and predictions have them.
    links : str
        The gold links that counted, ``sure`` or ``all``.
    calibration : Calibration or None
        Calibration of the links' probabilities, if the predictions have them.
    failed : int
        Number of pairs that could not be aligned; they are scored like the others.
    chunks : mapping of str to Statistic, optional
        F1s of aligned chunks with types and scores, if both gold and predictions have them.
    """

    words: WordScores
    phrases: PooledScores | None
    links: str
    calibration: Calibration | None = None
    failed: int = 0
    chunks: Mapping[str, Statistic] | None = None

    def statistics(self) -> dict[str, dict[str, Statistic]]:
        """All figures that can be tested, by part (``word``, ``phrases``, ``chunks``) and name."""
        parts = {"word": self.words.statistics()}
        if self.phrases is not None:
            parts["phrases"] = self.phrases.statistics()
        if self.chunks is not None:
            parts["chunks"] = dict(self.chunks)
        return parts


def evaluate(
    gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction], *, links: str = "sure"
) -> Evaluation:
    """Score predictions.

    Parameters
    ----------
    gold : sequence of JudgedPair
        The gold file.
    predictions : sequence of FilePrediction
        One per gold pair, in the same order (``prediction_files.check_matching``).
    links : {"sure", "all"}
        Which gold links count.

    Raises
    ------
    InputError
        If the numbers of predictions and pairs differ, ids or tokens differ, or a link is out of range: names
        the pair.
    """
    check_matching(gold, predictions)
    words = score_words(
        (
            WordPair(pair.source, pair.target, pair.links, prediction.links, pair.id)
            for pair, prediction in zip(gold, predictions, strict=True)
        ),
        links=links,
    )
    return Evaluation(
        words,
        _phrase_scores(gold, predictions),
        links,
        _calibration(gold, predictions, links),
        sum(prediction.failed for prediction in predictions),
        _chunk_f1s(gold, predictions),
    )


def _chunk_f1s(
    gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction]
) -> dict[str, Statistic] | None:
    rows = []
    for pair, prediction in zip(gold, predictions, strict=True):
        if pair.chunks is None or prediction.chunks is None:
            return None
        rows.append(count_chunk_relations(pair.source, pair.target, pair.chunks, prediction.chunks))
    return chunk_relation_statistics(rows) if rows else None


def _phrase_scores(gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction]) -> PooledScores | None:
    wanted = [pair.phrases for pair in gold if pair.phrases is not None]
    found = [prediction.phrases for prediction in predictions if prediction.phrases is not None]
    return score_phrases(found, wanted) if gold and len(wanted) == len(found) == len(gold) else None


def _calibration(
    gold: Sequence[JudgedPair], predictions: Sequence[FilePrediction], links: str
) -> Calibration | None:
    scores = [score for prediction in predictions for score in prediction.links.scores or ()]
    has_all = len(scores) == sum(len(prediction.links) for prediction in predictions)
    if not (scores and has_all and all(0 <= score <= 1 for score in scores)):
        return None
    right: list[bool] = []
    for pair, prediction in zip(gold, predictions, strict=True):
        wanted = {*(pair.links.only_sure() if links == "sure" else pair.links).pairs}
        right += [link in wanted for link in prediction.links.pairs]
    return calibrate(scores, right)


def compare(first: Evaluation, second: Evaluation, *, seed: int = 0) -> dict[str, dict[str, Comparison]]:
    """Test every figure of two systems on the same gold by approximate randomization."""
    ours, theirs = first.statistics(), second.statistics()
    return {
        part: {
            name: approximate_randomization(statistic, theirs[part][name], seed=seed)
            for name, statistic in ours[part].items()
        }
        for part in ours
        if part in theirs
    }


def to_json(
    evaluation: Evaluation,
    comparison: Mapping[str, Mapping[str, Comparison]] | None = None,
    *,
    other_failed: int = 0,
    seed: int = 0,
) -> dict[str, object]:
    """All scores as plain numbers, in percent, for programs.

    ``word`` has precision, recall, F1, exact match, micro F1, the pairs' F1, scores by kind and the 95%
    interval of F1; ``against`` only occurs with a ``comparison``, see :func:`compare`.
    """
    parts = {part: _percent(statistics) for part, statistics in evaluation.statistics().items()}
    by_kind = {kind: _percent_scores(scores) for kind, scores in evaluation.words.by_kind().items()}
    result: dict[str, object] = {
        "pairs": len(evaluation.words),
        "failed": evaluation.failed,
        "word": {**parts.pop("word"), "by_kind": by_kind, "f1_interval": _interval(evaluation, seed)},
    }
    if evaluation.calibration is not None:
        result["word_probabilities"] = {"calibration_error": 100 * evaluation.calibration.expected_error}
    result |= parts
    if comparison is not None:
        result["against"] = {
            part: {
                name: {"difference": 100 * test.difference, "p_value": test.p_value}
                for name, test in tests.items()
            }
            for part, tests in comparison.items()
        }
        result["against_failed"] = other_failed
    result["signature"] = signature_of(evaluation, comparison, seed=seed)
    return result


def to_text(
    evaluation: Evaluation,
    comparison: Mapping[str, Mapping[str, Comparison]] | None = None,
    *,
    other_failed: int = 0,
    seed: int = 0,
) -> str:
    """The content of :func:`to_json` as readable tables."""
    parts = {part: _percent(statistics) for part, statistics in evaluation.statistics().items()}
    del parts["word"]["pair_f1"]
    main = list(parts["word"])
    rows = [Row("word links", parts["word"])]
    rows += [
        Row(f"… {kind.replace('_', '-')}", _percent_scores(scores))
        for kind, scores in evaluation.words.by_kind().items()
    ]
    if "phrases" in parts:
        rows.append(Row("phrases", parts["phrases"]))
    count = len(evaluation.words)
    lines = [
        f"{count} pair{'s' if count != 1 else ''}",
        *([f"pairs that could not be aligned: {evaluation.failed}"] if evaluation.failed else []),
        "",
        format_table(rows, main, first="percent"),
    ]
    if "chunks" in parts:
        lines += ["", format_table([Row("chunks", parts["chunks"])], CHUNK_F1S, first="percent")]
    interval = _interval(evaluation, seed)
    if interval:
        lines += ["", f"95% interval of word F1: {interval[0]:.1f} to {interval[1]:.1f}"]
    if evaluation.calibration is not None:
        error = 100 * evaluation.calibration.expected_error
        lines += ["", f"expected calibration error of link probabilities: {error:.1f}"]
    if other_failed:
        lines += ["", f"pairs that the other system could not align: {other_failed}"]
    for part, tests in (comparison or {}).items():
        shown = {name: test for name, test in tests.items() if name in (*main, *CHUNK_F1S)}
        gaps = Row("difference", {name: 100 * test.difference for name, test in shown.items()})
        lines += ["", f"against the other system, {part}:", format_table([gaps], first="percent")]
        lines.append("p: " + "  ".join(f"{name} {test.p_value:.4f}" for name, test in shown.items()))
    return "\n".join([*lines, "", signature_of(evaluation, comparison, seed=seed)])


def signature_of(evaluation: Evaluation, comparison: object = None, *, seed: int = 0) -> str:
    """The settings of the scores, on one line."""
    settings: dict[str, object] = {
        "links": evaluation.links,
        "average": "macro",
        "f1": "of-means",
        "empty": 1,
    }
    if comparison is not None:
        settings |= {"test": "approximate-randomization", "samples": 10_000}
    return signature({**settings, "interval": "bootstrap", "seed": seed})


def _interval(evaluation: Evaluation, seed: int) -> list[float] | None:
    if not len(evaluation.words):
        return None
    low, high = bootstrap_interval(evaluation.words.statistics()["f1"], samples=1_000, seed=seed)
    return [100 * low, 100 * high]


def _percent(statistics: Mapping[str, Statistic]) -> dict[str, float]:
    return {name: 100 * statistic.value for name, statistic in statistics.items()}


def _percent_scores(scores: Scores) -> dict[str, float]:
    return {"precision": 100 * scores.precision, "recall": 100 * scores.recall, "f1": 100 * scores.f1}
