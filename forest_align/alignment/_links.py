"""Word links, which join a source token and a target token, and pairs of dependency arcs, which join two."""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, structs

from forest_align.types.errors import InputError
from forest_align.types.json_fields import check_number
from forest_align.types.json_records import (
    WRITTEN,
    Index,
    JsonObject,
    check_length,
    convert_record,
    record_values,
)

if TYPE_CHECKING:
    import pandas

_SIDES = ("source", "target")
# Nine digits are enough for any sentence, and Python refuses to read numbers of thousands of digits.
_LINK = re.compile(r"([0-9]{1,9})([-p?])([0-9]{1,9})")


class _LinksObject(JsonObject, frozen=True):
    """The JSON object of links."""

    pairs: list[tuple[Index, Index]]
    sure: list[bool] | None = None
    scores: list[float] | None = None


@dataclass(frozen=True, slots=True)
class Links:
    """An immutable set of word links in ascending order.

    Build it with :meth:`of`, which sorts, removes duplicates and checks.

    Attributes
    ----------
    pairs : tuple of (int, int)
        Source and target token indices from 0, sorted, no duplicates.
    sure : tuple of bool or None
        Whether each link is *sure* (True) or only *possible* (False); None when not annotated: all sure.
    scores : tuple of float or None
        Score or probability of each link.
    """

    pairs: tuple[tuple[int, int], ...] = ()
    sure: tuple[bool, ...] | None = None
    scores: tuple[float, ...] | None = None

    @classmethod
    def of(
        cls,
        pairs: Iterable[tuple[int, int]],
        *,
        sure: Iterable[bool] | None = None,
        scores: Iterable[float] | None = None,
    ) -> Links:
        """Sort links and merge duplicates (a duplicate is sure if any is, and keeps its highest score).

        Raises
        ------
        InputError
            If an index is negative or not a whole number, a score is not finite, or ``sure`` or ``scores``
            differ from ``pairs`` in length.
        """
        if isinstance(pairs, str):
            raise InputError(f"expected pairs, found {reprlib.repr(pairs)}; Links.from_pharaoh reads a text")
        listed = [_indices(pair) for pair in pairs]
        sure_list = None if sure is None else [bool(x) for x in sure]
        score_list = None if scores is None else [float(x) for x in scores]
        for name, values in (("sure", sure_list), ("scores", score_list)):
            if values is not None and len(values) != len(listed):
                raise InputError(
                    f"expected {len(listed)} values, one per link, found {len(values)}", field=name
                )
        merged: dict[tuple[int, int], tuple[bool, float]] = {}
        for place, pair in enumerate(listed):
            if min(pair) < 0:
                raise InputError(f"expected token indices from 0, found {pair[0]}-{pair[1]}")
            is_sure = True if sure_list is None else sure_list[place]
            score = 0.0 if score_list is None else score_list[place]
            if not math.isfinite(score):
                raise InputError(
                    f"expected finite numbers, found {score} for {pair[0]}-{pair[1]}", field="scores"
                )
            old = merged.get(pair)
            merged[pair] = (is_sure, score) if old is None else (is_sure or old[0], max(score, old[1]))
        order = sorted(merged)
        return cls(
            tuple(order),
            None if sure_list is None else tuple(merged[p][0] for p in order),
            None if score_list is None else tuple(merged[p][1] for p in order),
        )

    @classmethod
    def from_pharaoh(cls, line: str) -> Links:
        """Read ``"0-0 1-2"``; ``"1p2"`` or ``"1?2"`` marks a possible link.

        Raises
        ------
        InputError
            If an item is not of the form ``i-j``, ``ipj`` or ``i?j``.
        """
        pairs, sure = [], []
        for item in line.split():
            link = _LINK.fullmatch(item)
            if link is None:
                raise InputError(f"expected links such as 0-0 or 1p2, found {item[:40]!r}")
            pairs.append((int(link[1]), int(link[3])))
            sure.append(link[2] == "-")
        return cls.of(pairs, sure=None if all(sure) else sure)

    def to_pharaoh(self) -> str:
        """Write ``"0-0 1-2"``, possible links as ``"1p2"``."""
        return " ".join(
            f"{i}{'-' if self.sure is None or self.sure[k] else 'p'}{j}"
            for k, (i, j) in enumerate(self.pairs)
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON values: ``pairs`` and, if annotated, ``sure`` and ``scores`` with one value per link.

        Raises
        ------
        InputError
            If a score is not finite; JSON cannot hold that.
        """
        sure = None if self.sure is None else list(self.sure)
        scores = None if self.scores is None else [check_number(score, "scores") for score in self.scores]
        return record_values(_LinksObject(list(self.pairs), sure, scores))

    @classmethod
    def from_dict(cls, values: Any, path: str = "") -> Links:
        """Read what :meth:`to_dict` wrote; unknown keys are ignored.

        Parameters
        ----------
        values : mapping
            JSON object with ``pairs`` and optionally ``sure`` and ``scores``.
        path : str
            Name of the object in the document, for messages.

        Raises
        ------
        InputError
            If a field is missing, of a wrong type or length, or a link is repeated; names the field.
        """
        listed = convert_record(_LinksObject, values, path)
        try:
            return links_of(listed.pairs, listed.sure, listed.scores, ("pairs", "sure", "scores"))
        except InputError as error:
            raise error.inside(path) from None

    def to_frame(self, source: Sequence[str] = (), target: Sequence[str] = ()) -> pandas.DataFrame:
        """A table with a row for each link: ``source`` and ``target`` are the numbers of its tokens.

        With the words of the sentences, ``source_word`` and ``target_word`` follow; then ``sure`` and
        ``score`` if the links have them. The score of an aligner's link is its probability.

        Parameters
        ----------
        source, target : sequence of str
            Words of the two sentences, such as ``alignment.source.words``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        InputError
            If a link points beyond the words.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("a table of links needs pandas: pip install pandas") from error
        columns: dict[str, Sequence[Any]] = {
            side: [pair[k] for pair in self.pairs] for k, side in enumerate(_SIDES)
        }
        if source or target:
            self.check(len(source), len(target))
            columns["source_word"] = [source[i] for i, _ in self.pairs]
            columns["target_word"] = [target[j] for _, j in self.pairs]
        if self.sure is not None:
            columns["sure"] = self.sure
        if self.scores is not None:
            columns["score"] = self.scores
        return pandas.DataFrame(columns)

    def swap(self) -> Links:
        """The same links seen from the target side."""
        return Links.of(((j, i) for i, j in self.pairs), sure=self.sure, scores=self.scores)

    def only_sure(self) -> Links:
        """The sure links alone."""
        if self.sure is None:
            return self
        sure = self.at([k for k, is_sure in enumerate(self.sure) if is_sure])
        return Links(sure.pairs, None, sure.scores)

    def at(self, places: Sequence[int]) -> Links:
        """The links at some places, which must be in order."""
        return Links(
            tuple([self.pairs[k] for k in places]),
            None if self.sure is None else tuple([self.sure[k] for k in places]),
            None if self.scores is None else tuple([self.scores[k] for k in places]),
        )

    def check(self, source_length: int, target_length: int) -> Links:
        """Return self if every link lies inside the two sentences.

        Raises
        ------
        InputError
            If a link points beyond the last token.
        """
        for i, j in self.pairs:
            if i >= source_length or j >= target_length:
                raise InputError(
                    f"link {i}-{j} is out of range: "
                    f"the sentences have {source_length} and {target_length} tokens"
                )
        return self

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __contains__(self, pair: Any) -> bool:
        return pair in self.pairs


def links_of(
    pairs: list[tuple[int, int]],
    sure: list[bool] | None,
    scores: list[float] | None,
    names: tuple[str, str, str],
    lengths: tuple[int, int] | None = None,
) -> Links:
    """Links from the lists of a JSON object, with the keys of pairs, classes and scores for messages."""
    for k, (i, j) in enumerate(pairs):
        if lengths is not None and not (i < lengths[0] and j < lengths[1]):
            raise InputError(
                f"link {i}-{j} is out of range: the sentences have {lengths[0]} and {lengths[1]} tokens",
                field=f"{names[0]}[{k}]",
            )
    if len(set(pairs)) != len(pairs):
        raise InputError("expected every link once", field=names[0])
    check_length(sure, len(pairs), names[1])
    for k, score in enumerate(check_length(scores, len(pairs), names[2]) or ()):
        check_number(score, f"{names[2]}[{k}]")
    links = Links(
        tuple(pairs), None if sure is None else tuple(sure), None if scores is None else tuple(scores)
    )
    return links.at(sorted(range(len(pairs)), key=pairs.__getitem__))


def _indices(pair: Any) -> tuple[int, int]:
    try:
        i, j = pair
        return int(index(i)), int(index(j))
    except (TypeError, ValueError):
        raise InputError(f"expected pairs of token indices, found {reprlib.repr(pair)}") from None


_Arc = Annotated[
    tuple[Annotated[int, Meta(ge=-1)], Annotated[int, Meta(ge=-1)]],
    Meta(description="Governor (-1 for a root) and dependent."),
]


class ArcPair(JsonObject, frozen=True, omit_defaults=False):
    """Two dependency arcs that correspond (Thadani et al. 2012, §5.1).

    Attributes
    ----------
    source, target : (int, int)
        Governor and dependent of each arc, as token indices; the governor of a root is -1.
    source_relation, target_relation : str
        Types of the two dependencies.
    """

    source: _Arc
    target: _Arc
    source_relation: Annotated[str, WRITTEN] = ""
    target_relation: Annotated[str, WRITTEN] = ""

    def swap(self) -> ArcPair:
        """The same pair seen from the target side."""
        return structs.replace(
            self,
            source=self.target,
            target=self.source,
            source_relation=self.target_relation,
            target_relation=self.source_relation,
        )

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """The word links below the pair: of the dependents, and of the governors unless both are roots."""
        (governor, dependent), (other, below) = self.source, self.target
        own = ((dependent, below),)
        return own if governor < 0 and other < 0 else ((governor, other), *own)

    def check_inside(self, path: str, source_length: int, target_length: int) -> ArcPair:
        """Return self if both arcs lie inside their sentences, or raise InputError."""
        sides = ("source", self.source, source_length), ("target", self.target, target_length)
        for side, arc, length in sides:
            if not (arc[0] < length and 0 <= arc[1] < length):
                expected = f"a governor (-1 for the root) and a dependent of {length} tokens"
                raise InputError(f"expected {expected}, found {list(arc)}", field=f"{path}.{side}")
        return self


def arc_order(pair: ArcPair) -> tuple[tuple[int, int], tuple[int, int]]:
    """Sort key of an alignment's pairs of arcs: dependent and governor of the source, then of the target."""
    return pair.source[::-1], pair.target[::-1]
