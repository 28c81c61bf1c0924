"""The readers on the public corpora themselves, where they are present beside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_align.data.corpora.published_corpora import majority_pairs
from forest_align.data.pairs import SentencePair, find_format, read_pairs

from ..places import SHARED
from .pair_files import good

DATA = SHARED / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"needs the corpora in {DATA}; set FOREST_ALIGN_SHARED to where they are"
)

# File, format, pairs, links.
FILES = [
    ("alignment/edinburgh/test.sure.json", "jacana", 306, 5766),
    ("alignment/edinburgh/test.sure+possible.json", "jacana", 306, 6637),
    ("alignment/msr_rte/RTE2_dev_A.align.txt", "msr-rte", 800, 8137),
    ("alignment/mtref/dev.tsv", "multimwa", 800, 15765),
    ("alignment/wiki/dev.tsv", "multimwa", 533, 15082),
    ("ists/STSint.input.answers-students.wa", "ists", 330, 9616),
    ("extrinsic/msrp/msr-para-val.tsv", "msrp", 500, None),
    ("extrinsic/qa/dev.csv", "qa", 1148, None),
    ("extrinsic/rte/rte1_dev.xml", "rte", 567, None),
    ("extrinsic/rte/rte3_test.xml", "rte", 800, None),
    ("extrinsic/sts2013/headlines.test.tsv", "sts", 750, None),
    ("spade_sample", "enju", 1, None),
    ("spade_sample/espada/s-0003.xml", "enju", 1, None),
]


def pairs_of(name: str) -> list[SentencePair]:
    return good(read_pairs(DATA / name))


def said(pair: SentencePair) -> tuple[object, ...]:
    texts = [(side.words, side.text) for side in (pair.source, pair.target)]
    return pair.id, pair.links, pair.label, pair.score, pair.group, pair.chunks, texts


@pytest.mark.parametrize(("name", "format_name", "count", "links"), FILES)
def test_every_pair_is_read_and_survives_a_round_trip(
    name: str, format_name: str, count: int, links: int | None, tmp_path: Path
) -> None:
    pairs = pairs_of(name)
    assert len(pairs) == count
    assert sum(len(pair.links or ()) for pair in pairs) == (links or 0)
    writer = find_format(format_name).writer
    if writer is None:
        return
    copy = tmp_path / Path(name).name
    copy.write_text(writer.header + writer.separator.join(map(writer.pair, pairs)) + writer.footer, "utf-8")
    assert list(map(said, good(read_pairs(copy)))) == list(map(said, pairs))


@pytest.mark.parametrize("part", ["dev", "test"])
def test_the_majority_of_the_annotators_is_the_published_one(part: str) -> None:
    """On the tokens of the published files; the dev file keeps one link a source token, the first."""
    folder = "alignment/msr_rte"
    gold = pairs_of(f"{folder}/{part}.majority.json")
    annotators = [pairs_of(f"{folder}/RTE2_{part}_{name}.align.txt") for name in "ABC"]
    found = list(majority_pairs(annotators, published=gold))
    assert len(found) == len(gold) == 800
    for ours, theirs in zip(found, gold, strict=True):
        assert isinstance(ours, SentencePair) and ours.links is not None
        links = list(ours.links.only_sure())
        if part == "dev":
            links = [link for link in links if link == min(other for other in links if other[0] == link[0])]
        assert (links, ours.source, ours.target) == (list(theirs.links or ()), theirs.source, theirs.target)
