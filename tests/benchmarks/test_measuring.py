"""The scripts that measure the search on corpora, and its trees against those of Stanford's parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import measure_forest
import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.choose import word_candidates
from forest_align.alignment import Alignment, Links
from forest_align.data.formats.format import SentencePair
from forest_align.types import InputError, Sentence

from ..em.forest.test_dev_set import GOLD, TREES, gold_pairs, parse_many


def test_figures_of_the_search_are_those_worked_out_by_hand() -> None:
    module = measure_forest
    words = [[1, 2, 1, 4, 1, 5, 0.25], [3, 3, 3, 4, 0, 2, 0.75]]
    assert module.figures(np.array(words)) == pytest.approx([50, 50, 80, 3.5, 500])
    # Two more columns: compatible pairs, and all predicted ones, of which some are not judged.
    chunks = [[1, 2, 1, 4, 3, 4, 1, 5, 0.25], [3, 3, 3, 4, 3, 6, 0, 2, 0.75]]
    assert module.figures(np.array(chunks)) == pytest.approx([50, 50, 80, 50, 60, 3.5, 500])


class OwnReader:
    """The reading of corpora for the script that measures the search: toy trees, no files."""

    def __init__(
        self, module: Any, patch: pytest.MonkeyPatch, pairs: list[SentencePair | InputError]
    ) -> None:
        self.parsed: list[list[str]] = []
        self.sizes: list[int] = []
        self.paths: list[Path] = []
        paths = SimpleNamespace(
            paths=lambda data, part: (data / "a.wa", data / "a.sent", data / "c", data / "d")
        )
        patch.setattr(module, "BENCHMARKS", {"edinburgh": paths, "ists": paths})
        patch.setattr(module, "parser_fingerprint", lambda name: name)
        patch.setattr(module, "load_parser_for_alignment", self.parser)
        patch.setattr(module, "read_pairs", self.read)
        self.pairs = pairs

    def read(self, path: Path) -> list[SentencePair | InputError]:
        self.paths.append(path)
        return self.pairs

    def parser(self, name: str, *, forest_size: int) -> Any:
        assert name == "toy"
        self.sizes.append(forest_size)
        return SimpleNamespace(parse_many=self.parse_many)

    def parse_many(self, texts: Sequence[list[str]]) -> Iterator[Sentence | InputError]:
        self.parsed += texts
        return parse_many(texts)


def measure_options(trees: str) -> argparse.Namespace:
    return argparse.Namespace(data=Path("data"), limit=None, trees=trees, forest_size=3, cache=None)


def test_pairs_are_measured_by_the_constituents_of_their_own_stanford_trees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = measure_forest
    first, second = gold_pairs()
    assert first.links is not None
    sure = Links.of([*first.links.pairs, (0, 0)], sure=[True] * len(first.links.pairs) + [False])
    unknown = replace(first, source=Sentence.from_words(["no", "tree"]))
    pairs = [InputError("broken"), replace(first, links=sure), unknown, second, replace(second, links=None)]
    OwnReader(module, monkeypatch, pairs)
    nothing = [(0, []), (0, [])]
    spans = [*nothing, (6, [(0, 6), (1, 3)]), (7, [(0, 7), (4, 7)]), (2, [(0, 2)]), (7, [(0, 7)])]
    spans += [(5, [(0, 5)]), (9, [(0, 9)]), (5, [(0, 5)]), (4, [(0, 4)])]
    brackets = ["(S (NN broken))"] * 2 + [TREES[one.source.text] for one in (first, first)]
    brackets[3] = TREES[first.target.text]
    brackets += ["(S (NN no) (NN tree))", TREES[first.target.text]]
    brackets += [TREES[side.text] for _ in range(2) for side in (second.source, second.target)]
    parses = SimpleNamespace(constituents=lambda: spans, brackets=lambda: brackets)
    monkeypatch.setattr(module, "StanfordParses", SimpleNamespace(read=lambda path: parses))
    for trees, names in (("toy", ["3-best forest", "1-best tree"]), ("stanford", ["Stanford tree"])):
        case, *others = module.edinburgh(measure_options(trees))
        assert len(others) == (trees == "stanford")  # knows the sentence without a tree, too
        assert list(case.systems) == names
        for system in case.systems.values():
            assert [side.words for side in system] == [first.source.words, first.target.words]
        assert case.links.pairs == first.links.pairs and case.count.keywords["links"] == case.links
        projection = case.count.keywords["projection"]
        assert projection.source_spans.tolist() == [[0, 6], [1, 3]]
        assert projection.target_spans.tolist() == [[0, 7], [4, 7]]


def test_each_variant_of_the_search_aligns_with_the_candidates_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = measure_forest
    source, target = (one for one in parse_many([text.split() for text in GOLD[0][:2]]))
    links = gold_pairs()[0].links
    calls: list[tuple[ForestOptions, tuple[Candidate, ...]]] = []
    align = ForestAligner.align_candidates

    def noted(self: ForestAligner, *given: Any) -> Alignment:
        calls.append((self.model.options, given[2]))
        return align(self, *given)

    monkeypatch.setattr(ForestAligner, "align_candidates", noted)
    case = module.Case({"toy": (source, target)}, links, lambda phrases: [1, 2, 1, len(list(phrases))])
    provider = word_candidates("dictionary")
    aligner = ForestAligner(candidates=provider)
    own = aligner.model.options
    monotonic = {"noncompositional_penalty": None}
    expected = [replace(own, **{**base, **one}) for base in ({}, module.PUBLISHED) for one in ({}, monotonic)]
    for gold in (True, False):
        calls.clear()
        table = module.measure(aligner, [case] * 2, "toy", gold)
        names = ["full", "monotonic", "published", "published, monotonic"]
        assert list(table) == [*names, "projection"]
        assert [options for options, _ in calls] == expected * 2
        wanted = module.GivenCandidates(links) if gold else provider
        assert all(given == wanted.candidates(source, target) for _, given in calls)
        for reached, recall, precision, phrases, _ in table.values():
            assert reached in (0, 100) and precision == 50
            assert recall == pytest.approx(100 / phrases)
    assert "ms a pair for the word candidates" in capsys.readouterr().out
    forest = replace(case, systems={"3-best forest": (source, target)})
    assert "projection" not in module.measure(aligner, [forest], "3-best forest", False)


def test_chunked_pairs_have_no_gold_word_links(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["measure_forest", "data", "ists", "--links", "gold"])
    with pytest.raises(SystemExit):
        measure_forest.main()
    assert "iSTS has no gold word links" in capsys.readouterr().err
