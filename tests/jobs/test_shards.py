from __future__ import annotations

import argparse
import resource
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.jobs import shards
from forest_align.jobs.part_folder import PartFolder
from forest_align.jobs.shards import Shard, Share, joined_blocks, shard_size
from forest_align.types import InputError


@pytest.mark.parametrize(
    "text", ["", "3", "/", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1.0/2", "1/100000"]
)
def test_something_else_is_no_shard(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected I/N"):
        Shard.parse(text)


def test_shards_count_from_one() -> None:
    assert Shard.parse("1/1") == Shard(1, 1)
    assert Shard.parse("16/16") == Shard(16, 16)


@given(items=st.integers(0, 60), count=st.integers(1, 7), block=st.integers(1, 9))
def test_every_item_is_in_one_shard_and_blocks_stay_whole(items: int, count: int, block: int) -> None:
    all_shards = [Shard(number, count) for number in range(1, count + 1)]
    taken = []
    for shard in all_shards:
        share = Share(shard, block)
        own = [place for place in range(items) if share.takes([str(place)])]
        assert own == [place for place in range(items) if place // block % count == shard.number - 1]
        assert len(own) == shard_size(items, shard, block)
        assert share.items == items
        # What is together in an unsharded run is together in the shard.
        for start in range(0, len(own), block):
            group = own[start : start + block]
            assert group[0] % block == 0 and group == list(range(group[0], group[0] + len(group)))
        taken += own
    assert sorted(taken) == list(range(items))


def test_all_shards_identify_the_input_and_other_inputs_differ() -> None:
    def read(texts: list[tuple[str, ...]], number: int) -> tuple[dict[str, int | str], tuple[str, ...]]:
        share = Share(Shard(number, 3), 2)
        for text in texts:
            share.takes(text)
        return share.read(), tuple(share.first)

    texts = [(str(number), "a", "b \udc80") for number in range(7)]
    assert read(texts, 1) == read(texts, 3)
    assert read(texts, 1)[0]["items"] == 7 and read(texts, 1)[1] == texts[0]
    others = (texts[:-1], texts[::-1], [*texts[:-1], ("6", "a", "c")], [])
    assert len({str(read(other, 2)[0]) for other in (texts, *others)}) == 5
    assert read([], 2) == ({"items": 0, "digest": read([], 1)[0]["digest"]}, ())


@given(lengths=st.integers(0, 40), count=st.integers(1, 5), block=st.integers(1, 6))
def test_parts_are_joined_in_the_order_of_the_input(
    lengths: int, count: int, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = [f"{number} é\n" for number in range(lengths)]
    folder = PartFolder(tmp_path_factory.mktemp("parts"), "parse", count, ".txt", block, {})
    folder.begin()
    for number in range(1, count + 1):
        share = Share(Shard(number, count), block)
        own = [line for line in lines if share.takes([line])]
        folder.part(number).write_text("".join(own), encoding="utf-8")
        folder.finish(number, {"items": len(own)}, share.read())
    found = list(joined_blocks(folder, folder.reports()))
    assert "".join(found) == "".join(lines)
    assert all(text.count("\n") == block for text in found[:-1])


def test_parts_that_do_not_fit_the_input_are_not_joined(tmp_path: Path) -> None:
    folder = PartFolder(tmp_path, "parse", 2, ".txt", 2, {})
    folder.begin()
    read: dict[str, int | str] = {"items": 5, "digest": "0"}
    folder.part(1).write_text("a\nb\ne\n")
    folder.part(2).write_text("c\n")
    folder.finish(1, {"items": 3}, read)
    folder.finish(2, {"items": 1}, read)
    with pytest.raises(InputError, match=r"00002-of-00002.txt: expected 2 items in this part, found 1"):
        list(joined_blocks(folder, folder.reports()))
    folder.finish(2, {"items": 2}, read)
    with pytest.raises(
        InputError, match=r"00002-of-00002.txt: the part has fewer lines than its marker says"
    ):
        list(joined_blocks(folder, folder.reports()))


def test_more_parts_than_a_process_may_open_raise_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    monkeypatch.setattr(shards.resource, "setrlimit", lambda _, found: limits.append(found))
    for soft, hard in ((1024, 4096), (1024, 1500), (5000, 5000), (1024, resource.RLIM_INFINITY)):
        monkeypatch.setattr(shards.resource, "getrlimit", lambda _, found=(soft, hard): found)
        shards._allow_open_files(2000)
    assert limits == [(2000, 4096), (1500, 1500), (2000, resource.RLIM_INFINITY)]
