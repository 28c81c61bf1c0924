from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.data.phrases._phrase_store import Example, PairCount, PairKey, PhraseStore, Sums
from forest_align.types import InputError

CAT = PairKey("cat", "feline", "NN", "NN")


def counted(count: int, units: int) -> PairCount:
    return PairCount(Sums(count, units), Example(1, "1", ""))


def test_relations_and_similarities_are_summed_over_additions_and_categories() -> None:
    other = CAT._replace(source_label="NP")
    example = Example(1, "1", "")
    with PhraseStore() as store:
        for key, numbers in ((CAT, range(11)), (CAT, range(10, 21)), (other, range(30, 41))):
            store.add({key: PairCount(Sums(*numbers), example)}, {"cat": (1, 0), "feline": (0, 1)}, {})
        (row,) = store.rows()
    assert row.counted == PairCount(Sums(*range(40, 73, 3)), example)
    assert row.counted.sums.relations == (52, 55, 58, 61, 64, 67, 70)


def test_a_file_goes_on_with_counts_and_state_or_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    with PhraseStore(path) as store:
        store.add({CAT: counted(1, 5)}, {"cat": (5, 0), "feline": (0, 5)}, {"lines": 3})
    with PhraseStore(path, resume=True) as store:
        assert store.state == {"lines": 3} and len(store) == 1
    with PhraseStore(path) as store:
        assert store.state == {} and len(store) == 0
        store.delete()
    assert not list(tmp_path.iterdir())


def test_an_addition_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with PhraseStore(tmp_path / "counts") as store:
        with pytest.raises(InputError, match="counts of phrases cannot be kept"):
            store.add({CAT: counted(1, 5)}, {"cat": (None, 0)}, {"lines": 3})  # type: ignore[dict-item]
        assert len(store) == 0
    with PhraseStore(tmp_path / "counts", resume=True) as store:
        assert store.state == {}


def test_another_file_or_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("no database, whatever it may be\n" * 50)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    for path in (text, other):
        before = path.read_bytes()
        for resume in (True, False):
            with pytest.raises(InputError, match=str(path)):
                PhraseStore(path, resume=resume)
        assert path.read_bytes() == before


names = st.text(st.characters(codec=None, categories=None) | st.sampled_from("a\0\ud800"), max_size=3)


@given(st.sets(st.tuples(names, names, names), min_size=1, max_size=5))
def test_any_characters_come_back_in_the_order_of_python(found: set[tuple[str, str, str]]) -> None:
    pairs = {PairKey(source, target, label, ""): counted(1, 1) for source, target, label in found}
    with PhraseStore() as store:
        store.add(pairs, {phrase: (1, 1) for key in pairs for phrase in key[:2]}, {})
        rows = [row.key[:3] for row in store.rows()]
    first: dict[tuple[str, str], str] = {}
    for source, target, label in sorted(found):
        first.setdefault((source, target), label)
    assert rows == [(*texts, label) for texts, label in first.items()]
