"""Objects that are pickled by what they were loaded from, with a small class in place of an aligner."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from forest_align.lexicon.pair_table import PairTable
from forest_align.system import origin
from forest_align.system.origin import KEPT, Loaded, Origin, loaded_again
from forest_align.types import ModelError

from ..command_line import written


class Note(Loaded):
    """What a file says."""

    loads = 0

    def __init__(self, text: str, size: int) -> None:
        Note.loads += 1
        self.text, self.size, self._used = text, size, 0


def load_note(path: str, **options: Any) -> Note:
    if not Path(path).exists():
        raise ModelError(f"no note {path!r}")
    text = Path(path).read_text()
    found = Note(text, options.get("size", 1))
    return found.loaded_from(load_note, {"path": path, **options}, {"the note": text})


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    file = written(tmp_path / "note", "first")
    Note.loads = 0
    yield str(file)
    origin._KEPT.recent.clear()


# Pickles hold a name for a function; with this one, they can be read wherever the tests are.
def pickled(note: Note) -> tuple[Any, ...]:
    function, arguments = note.__reduce__()
    assert function is loaded_again
    return tuple(arguments)


def test_the_pickle_has_the_origin_and_no_content(path: str) -> None:
    note = load_note(path, size=3)
    assert pickled(note) == (load_note, {"path": path, "size": 3}, {"the note": "first"})
    before = pickled(note)
    note._used += 1
    assert pickled(note) == before


def test_the_process_that_has_it_gets_the_object_itself(path: str) -> None:
    note = load_note(path)
    assert loaded_again(*pickled(note)) is note
    other = load_note(path, size=2)
    assert loaded_again(*pickled(other)) is other
    assert Note.loads == 2


def test_an_object_that_nobody_uses_any_more_is_loaded_once_again(path: str) -> None:
    sent = pickled(load_note(path))
    gc.collect()
    first = loaded_again(*sent)
    assert loaded_again(*sent) is first and Note.loads == 2
    before = id(first)
    del first
    gc.collect()
    assert id(loaded_again(*sent)) == before and Note.loads == 2  # it is kept


def test_only_the_last_ones_are_kept(path: str) -> None:
    many = [pickled(load_note(path, size=size)) for size in range(KEPT + 1)]
    gc.collect()
    for sent in many:
        loaded_again(*sent)
    Note.loads = 0
    gc.collect()
    for sent in many[1:]:
        loaded_again(*sent)
    assert Note.loads == 0
    loaded_again(*many[0])
    assert Note.loads == 1


def test_threads_that_ask_at_once_get_one_object(path: str) -> None:
    sent = pickled(load_note(path))
    gc.collect()
    Note.loads = 0
    barrier = Barrier(4)

    def ask(_: int) -> Loaded:
        barrier.wait()
        return loaded_again(*sent)

    with ThreadPoolExecutor(4) as pool:
        found = set(map(id, pool.map(ask, range(4))))
    assert len(found) == 1 and Note.loads == 1


def test_changed_content_is_refused_with_what_has_changed(path: str) -> None:
    sent = pickled(load_note(path))
    gc.collect()
    Path(path).write_text("second")
    with pytest.raises(ModelError) as refused:
        loaded_again(*sent)
    assert "expected the note first, found second here" in str(refused.value)


def test_a_missing_file_is_refused_with_its_name(path: str) -> None:
    sent = pickled(load_note(path))
    gc.collect()
    Path(path).unlink()
    with pytest.raises(ModelError, match=r"cannot load what was pickled: no note .*note"):
        loaded_again(*sent)


def test_an_object_that_was_not_loaded_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="this Note cannot be pickled, because it was not loaded"):
        pickle.dumps(Note("a", 1))


def test_an_object_that_was_changed_cannot_be_pickled_and_is_not_handed_out(path: str) -> None:
    note = load_note(path)
    sent = pickled(note)
    note.size = 7
    with pytest.raises(TypeError, match="cannot be pickled: size was changed after it was loaded"):
        pickle.dumps(note)
    again = loaded_again(*sent)
    assert isinstance(again, Note) and again.size == 1


def test_a_copy_has_no_origin_and_shares_the_rest(path: str) -> None:
    note = load_note(path)
    other = copy.copy(note)
    assert other is not note and other.text is note.text
    with pytest.raises(TypeError, match="not loaded"):
        pickle.dumps(other)


def test_equal_arguments_have_equal_keys_whichever_objects_they_are() -> None:
    def key(**arguments: Any) -> str | None:
        return Origin(load_note, arguments, {"the note": "first"}).key

    one, same = "some text", "".join(["some ", "text"])
    assert key(a=one, b=one) == key(b=same, a=one) != key(a=one, b="other")
    table = PairTable([("a", "b")])
    assert key(ppdb=table) == key(ppdb=pickle.loads(pickle.dumps(table))) != key(ppdb=PairTable([("a", "c")]))
    assert key(call=lambda: 1) is None
