from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest

from forest_align.system.processes import map_in_workers, release_free_memory, shared_with_forks


def test_the_collector_skips_present_objects_only_inside_of_the_block() -> None:
    assert gc.get_freeze_count() == 0
    with shared_with_forks():
        assert gc.get_freeze_count() > 1000
    assert gc.get_freeze_count() == 0
    with pytest.raises(KeyError), shared_with_forks():
        raise KeyError
    assert gc.get_freeze_count() == 0


def test_workers_are_forked_with_frozen_objects() -> None:
    found = list(map_in_workers(lambda _: gc.get_freeze_count(), range(3), 2))
    assert min(found) > 1000 and gc.get_freeze_count() == 0


def in_use() -> int:
    """Bytes of this process's own memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * 4096


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="needs the C library glibc")
def test_freed_memory_goes_back_to_the_system() -> None:
    # Small blocks, of which every hundredth stays: the library cannot give the others back by itself.
    blocks = [np.zeros(500) for _ in range(20_000)]
    kept = blocks[::100]
    full = in_use()
    del blocks
    release_free_memory()
    assert full - in_use() > 30_000_000
    assert all(block.sum() == 0 for block in kept)


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def without(name: str | None) -> object:
        asked.append(name)
        return object()

    monkeypatch.setattr(ctypes, "CDLL", without)
    release_free_memory()
    assert asked == [None]
