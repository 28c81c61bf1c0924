"""Takes the paraphrases that a user brings: as a table, or as the file of one."""

from __future__ import annotations

from pathlib import Path

from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError


def paraphrase_table(given: PairTable | str | Path | None) -> PairTable | None:
    """The table that is given, read if it is a file.

    Raises
    ------
    InputError
        If it is neither a table nor a path, or the file cannot be read, see :meth:`.PairTable.load`.
    """
    if given is None or isinstance(given, PairTable):
        return given
    if not isinstance(given, str | Path):
        raise InputError(
            f"expected a PairTable or the path of a file of pairs, found {type(given).__name__}", field="ppdb"
        )
    return PairTable.load(given)
