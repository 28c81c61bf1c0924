"""Links between the words of two mentions of a name (Sultan et al. 2014, §3.3.2): full, acronym, partial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.aligners.sultan.sentence_view import is_punctuation
from forest_align.parsing.dependencies.entities import is_acronym, is_short_for

if TYPE_CHECKING:
    from forest_align.aligners.sultan.sentence_view import SentenceView
    from forest_align.parsing.dependencies.entities import Entity

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Mentions:
    """The names of two sentences."""

    source: SentenceView
    target: SentenceView
    # done_source, done_target: Words that are aligned so far; the sets grow while names are compared
    done_source: set[int]
    done_target: set[int]

    def full(self, a: Entity, b: Entity) -> list[Pair]:
        """Link the mentions word by word if they are the same."""
        left, right = self.source.words[a.start : a.end], self.target.words[b.start : b.end]
        return list(zip(range(a.start, a.end), range(b.start, b.end), strict=True)) if left == right else []

    def acronym(self, a: Entity, b: Entity) -> list[Pair]:
        """Link all words of a name to its acronym."""
        left, right = self.source.forms[a.start : a.end], self.target.forms[b.start : b.end]
        if (len(left) == 1 and is_acronym(left[0], right)) or (
            len(right) == 1 and is_acronym(right[0], left)
        ):
            return [(i, j) for i in range(a.start, a.end) for j in range(b.start, b.end)]
        return []

    def partial(self, a: Entity, b: Entity) -> list[Pair]:
        """Link equal terms; if the shorter name is one word, link it to the rest of the longer one too.

        The longer name must be one that the shorter can stand for, see :func:`is_short_for`: *Merino* and
        *Francisco* are Francisco Merino, *Washington* is not the Washington Post.
        """
        left, right = self.source.words[a.start : a.end], self.target.words[b.start : b.end]
        if (a.kind and b.kind and a.kind != b.kind) or left == right:
            return []
        same = [
            (a.start + x, b.start + y)
            for x, word in enumerate(left)
            for y, other in enumerate(right)
            if word == other and not is_punctuation(word)
        ]
        rest_left = set(range(a.start, a.end)) - {i for i, _ in same}
        rest_right = set(range(b.start, b.end)) - {j for _, j in same}
        if rest_left and rest_right:
            return []
        if (rest_left and not is_short_for(right, left)) or (rest_right and not is_short_for(left, right)):
            return []
        if min(len(left), len(right)) > 1:
            return same
        rest_left = {i for i in rest_left if self.unmatched(i, self.source, self.target, self.done_source)}
        rest_right = {j for j in rest_right if self.unmatched(j, self.target, self.source, self.done_target)}
        if rest_left:
            return same + [(i, j) for i in rest_left for j in range(b.start, b.end)]
        return same + [(i, j) for j in rest_right for i in range(a.start, a.end)]

    @staticmethod
    def unmatched(index: int, own: SentenceView, other: SentenceView, done: set[int]) -> bool:
        """Whether a term of a name is not aligned and is in no name of the other sentence."""
        word = own.words[index]
        return (
            index not in done
            and not own.stop[index]
            and not any(word in other.words[name.start : name.end] for name in other.entities)
        )
