"""Keeps counts of phrases in an SQLite file, which saves memory and survives an interrupted run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

from forest_align.types import InputError

# Phrases are stored as bytes: SQLite's text cannot hold half of a surrogate pair, and some functions do not
# support null characters. UTF-8 bytes sort in the order of the characters.
_TABLES = """
CREATE TABLE pairs (
    source BLOB, target BLOB, source_label BLOB, target_label BLOB, example BLOB NOT NULL,
    {sums},
    PRIMARY KEY (source, target, source_label, target_label)
) WITHOUT ROWID;
CREATE TABLE phrases (
    phrase BLOB PRIMARY KEY, as_source INTEGER NOT NULL, as_target INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE state (json TEXT NOT NULL);
"""
_ADD_PAIRS = """
INSERT INTO main.pairs {rows}
ON CONFLICT (source, target, source_label, target_label) DO UPDATE SET
    example = min(example, excluded.example), {sums}
"""
_ADD_PHRASES = """
INSERT INTO main.phrases {rows}
ON CONFLICT (phrase) DO UPDATE SET
    as_source = as_source + excluded.as_source, as_target = as_target + excluded.as_target
"""
_ROWS = """
SELECT source, target, source_label, target_label, one.as_source, two.as_target, example, {names}
FROM (
    SELECT source, target, source_label, target_label, min(example) OVER pair AS example, {sums},
        row_number() OVER (
            PARTITION BY source, target ORDER BY units DESC, source_label, target_label
        ) AS place
    FROM pairs WINDOW pair AS (PARTITION BY source, target)
)
JOIN phrases AS one ON one.phrase = source JOIN phrases AS two ON two.phrase = target
WHERE place = 1 AND times >= ?
ORDER BY units DESC, source, target
"""
_KIND = 0x70687232  # identifies these files and this version of their layout
_CACHE = 32 * 1024  # KiB of memory for pages of the file, and for sorting
_STEPS = 100_000  # instructions of SQLite's virtual machine, some milliseconds
_DIGITS = 4  # bytes for the length of a name


class PairKey(NamedTuple):
    """The unit of counting: two phrases and their categories."""

    source: str
    target: str
    source_label: str
    target_label: str


class Example(NamedTuple):
    """Where a pair was found; of several, the smallest is kept.

    ``length`` is the length of ``name`` in characters; ``links`` are the word links inside the pair.
    """

    length: int
    name: str
    links: str


class Sums(NamedTuple):
    """What is summed over the occurrences of a pair.

    ``times`` is how often it was found, ``units`` its probabilities and ``similarity`` its similarities in
    whole units, ``similarities`` how many similarities these are. The others count its relations, in the
    order of :data:`forest_align.alignment.RELATION_NAMES`.
    """

    times: int
    units: int
    similarity: int = 0
    similarities: int = 0
    equivalent: int = 0
    more_specific: int = 0
    more_general: int = 0
    similar: int = 0
    related: int = 0
    opposite: int = 0
    different: int = 0

    @property
    def relations(self) -> tuple[int, ...]:
        """Counts of the relations."""
        return self[4:]

    def plus(self, other: Sums) -> Sums:
        """The sums over the occurrences of both."""
        return Sums(*map(add, self, other))


class PairCount(NamedTuple):
    """The sums of a pair, and the smallest example."""

    sums: Sums
    example: Example


class StoredPair(NamedTuple):
    """A pair with all its counts, the most probable of its categories, and the units of its phrases."""

    key: PairKey
    counted: PairCount
    source_units: int
    target_units: int


class PhraseStore(AbstractContextManager["PhraseStore"]):
    """Sums of counts, in a file (by default a temporary one) that one process uses at a time.

    SQLite keeps them, not :mod:`forest_align.storage`: it sums any number of phrases in little memory, and
    its transactions change the counts and the position in the input together. The table itself replaces an
    older one as all files do, by :mod:`forest_align.system.replacing`. ``state`` was passed with the last
    counts. All methods raise InputError if the file is of another kind, in use, or the disk is full.
    """

    def __init__(self, path: Path | None = None, *, resume: bool = False) -> None:
        self._path = path
        self.state: dict[str, Any] = {}
        with self._errors():
            self._connection = sqlite3.connect(path or "", timeout=1, isolation_level=None)
        try:
            self._open(resume)
        except BaseException:
            self.close()
            raise

    def _open(self, resume: bool) -> None:
        with self._errors():
            self._connection.execute(f"PRAGMA cache_size = -{_CACHE}")
            # Keep the lock until the end: a second run with the same output fails at once.
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            # Python checks for signals in this handler, so sorting can be interrupted.
            self._connection.set_progress_handler(lambda: 0, _STEPS)
        with self._errors(), self._transaction():
            tables = {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master")}
            (kind,) = self._connection.execute("PRAGMA application_id").fetchone()
            if tables and kind != _KIND:
                raise InputError("expected counts of phrases, found another database", file=str(self._path))
            if tables and resume:
                for (state,) in self._connection.execute("SELECT json FROM state"):
                    self.state = json.loads(state)
                return
            for name in sorted(tables):
                self._connection.execute(f"DROP TABLE {name}")
            self._connection.execute(f"PRAGMA application_id = {_KIND}")
            sums = ", ".join(f"{name} INTEGER NOT NULL" for name in Sums._fields)
            for statement in _TABLES.format(sums=sums).split(";"):
                self._connection.execute(statement)

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of distinct pairs of phrases."""
        with self._errors():
            query = "SELECT count(*) FROM (SELECT DISTINCT source, target FROM pairs)"
            return int(self._connection.execute(query).fetchone()[0])

    def add(
        self,
        pairs: Mapping[PairKey, PairCount],
        phrases: Mapping[str, tuple[int, int]],
        state: Mapping[str, Any],
    ) -> None:
        """Add counts and the state in one transaction; if interrupted, nothing is added.

        ``phrases`` has the units of each phrase as source and as target. ``state``, JSON values that identify
        everything counted so far, replaces the last state.
        """
        # Sorted in the file's order, so that each page is fetched once.
        pair_rows = sorted(
            (*map(_bytes, key), _pack(counted.example), *counted.sums) for key, counted in pairs.items()
        )
        phrase_rows = sorted((_bytes(phrase), *units) for phrase, units in phrases.items())
        with self._errors(), self._transaction():
            self._connection.executemany(
                _add_pairs(f"VALUES (?, ?, ?, ?, ?, {', '.join('?' * len(Sums._fields))})"), pair_rows
            )
            self._connection.executemany(_ADD_PHRASES.format(rows="VALUES (?, ?, ?)"), phrase_rows)
            self._set_state(state)

    def merge(self, other: Path, state: Mapping[str, Any]) -> None:
        """Add all counts of another such file, which nobody uses; see :meth:`add`."""
        with self._errors():
            self._connection.execute("ATTACH ? AS other", (str(other),))
        try:
            with self._errors(), self._transaction():
                names = ", ".join(("source, target, source_label, target_label, example", *Sums._fields))
                # Without WHERE, SQLite takes ON CONFLICT for a part of a join.
                self._connection.execute(_add_pairs(f"SELECT {names} FROM other.pairs WHERE true"))
                columns = "phrase, as_source, as_target"
                rows = f"SELECT {columns} FROM other.phrases WHERE true"
                self._connection.execute(_ADD_PHRASES.format(rows=rows))
                self._set_state(state)
        finally:
            with self._errors():
                self._connection.execute("DETACH other")

    def _set_state(self, state: Mapping[str, Any]) -> None:
        self._connection.execute("DELETE FROM main.state")
        self._connection.execute("INSERT INTO main.state VALUES (?)", (json.dumps(state),))
        self.state = dict(state)

    def rows(self, min_count: int = 1) -> Iterator[StoredPair]:
        """All pairs with at least ``min_count``: the highest units first, then in the order of characters."""
        query = _ROWS.format(
            names=", ".join(Sums._fields),
            sums=", ".join(f"sum({name}) OVER pair AS {name}" for name in Sums._fields),
        )
        with self._errors():
            for row in self._connection.execute(query, (min_count,)):
                key, (source, target, example), sums = PairKey(*map(_text, row[:4])), row[4:7], row[7:]
                yield StoredPair(key, PairCount(Sums(*sums), _unpack(example)), source, target)

    def close(self) -> None:
        """Close the file; it keeps everything that was added."""
        self._connection.close()

    def delete(self) -> None:
        """Close and delete the file."""
        self.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            # A killed run may have left this file, and a run that adds nothing does not process it.
            self._path.with_name(f"{self._path.name}-journal").unlink(missing_ok=True)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                raise KeyboardInterrupt from None
            message = f"counts of phrases cannot be kept in this file: {error}"
            raise InputError(message, file=str(self._path or "a temporary file")) from None


def _add_pairs(rows: str) -> str:
    sums = ", ".join(f"{name} = {name} + excluded.{name}" for name in Sums._fields)
    return _ADD_PAIRS.format(rows=rows, sums=sums)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


def _pack(example: Example) -> bytes:
    """Bytes that sort like the examples: names of equal length are never prefixes of each other."""
    return example.length.to_bytes(_DIGITS, "big") + _bytes(example.name + example.links)


def _unpack(content: bytes) -> Example:
    length, text = int.from_bytes(content[:_DIGITS], "big"), _text(content[_DIGITS:])
    return Example(length, text[:length], text[length:])
