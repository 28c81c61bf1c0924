"""The pairs that readers yield and writers accept, and the description of a format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from forest_align.alignment import Alignment, Links
from forest_align.data.text.lines import InputLines
from forest_align.data.trees.enju import EnjuTree
from forest_align.types import InputError, Sentence
from forest_align.types.json_records import Index, JsonObject, Span

#: Names of the columns of source and target, as the user gives them.
ColumnNames = tuple[str, str]
#: A tree in Penn brackets and its log-probability.
ScoredTree = tuple[str, float]


class ChunkLink(JsonObject, frozen=True, omit_defaults=False):
    """Two chunks that correspond, or one that corresponds to nothing; token indices are from 0."""

    source: tuple[Index, ...]
    target: tuple[Index, ...]
    type: str  # such as ``EQUI`` or ``NOALI``
    score: str = "NIL"  # as written: ``0`` to ``5`` or ``NIL``


@dataclass(frozen=True, slots=True)
class PhraseUnit:
    """Phrases that people marked as corresponding, or words of one sentence alone.

    Token indices from 0, ascending, may have gaps. One side is empty if words were added or deleted, both for
    a change of the sentence as a whole.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    type: str  # as the corpus names it; empty if it names none
    keeps_meaning: bool = True


class MarkedSpans(JsonObject, frozen=True):
    """Two half-open spans of characters of raw text that were marked as corresponding."""

    source: Span
    target: Span
    same: bool  # whether they mean the same


@dataclass(frozen=True, slots=True, eq=False)
class SentencePair:
    """Two sentences and what a corpus says about them.

    Attributes
    ----------
    id : str
        Name of the pair as given in the file, else its number from 1.
    source, target : Sentence
        Raw text has no tokens yet: ``tokens`` is empty and ``text`` is not.
    links : Links or None
        Gold word links; None when the corpus has none (an empty set is an annotation).
    label : bool or None
        Whether the pair is a paraphrase, an entailment or a right answer.
    score : float or None
        Semantic similarity.
    group : str
        Pairs of one group belong together: the answers to one question, the pairs of one task.
    source_trees, target_trees : tuple of (str, float)
        Trees that came with the sentences, in Penn brackets with log-probabilities, best first.
    chunks : tuple of ChunkLink or None
        Chunk alignment.
    source_chunks, target_chunks : tuple of (int, int)
        Half-open spans of all chunks, if the corpus has them.
    annotations : tuple of frozenset of ((int, int), (int, int))
        For each annotator the corresponding pairs of spans.
    units : tuple of PhraseUnit or None
        Corresponding phrases with their types; None if the corpus has none.
    marked : tuple of MarkedSpans or None
        Corresponding spans of the raw texts; None if the corpus has none.
    source_enju, target_enju : EnjuTree or None
        Trees that came in Enju's XML.
    alignment : Alignment or None
        The whole alignment, when it was read from forest-align's own output.
    place : (str, int) or None
        File and line where it begins, for messages; None if it was not read from a file.
    """

    id: str
    source: Sentence
    target: Sentence
    links: Links | None = None
    label: bool | None = None
    score: float | None = None
    group: str = ""
    source_trees: tuple[ScoredTree, ...] = ()
    target_trees: tuple[ScoredTree, ...] = ()
    chunks: tuple[ChunkLink, ...] | None = None
    source_chunks: tuple[Span, ...] = ()
    target_chunks: tuple[Span, ...] = ()
    annotations: tuple[frozenset[tuple[Span, Span]], ...] = ()
    units: tuple[PhraseUnit, ...] | None = None
    marked: tuple[MarkedSpans, ...] | None = None
    source_enju: EnjuTree | None = None
    target_enju: EnjuTree | None = None
    alignment: Alignment | None = None
    place: tuple[str, int] | None = field(default=None, compare=False)

    @property
    def error(self) -> str:
        """Why the pair could not be aligned, if read from forest-align's own output; else empty."""
        return "" if self.alignment is None else self.alignment.error

    @property
    def brackets(self) -> tuple[tuple[ScoredTree, ...], tuple[ScoredTree, ...]]:
        """Trees of source and target in Penn brackets, best first; Enju trees are converted."""
        if self.source_enju is not None and self.target_enju is not None:
            return ((self.source_enju.bracket(), 0.0),), ((self.target_enju.bracket(), 0.0),)
        return self.source_trees, self.target_trees

    def located(self, error: InputError) -> InputError:
        """An error of this pair, with the pair's file and line if known."""
        file, line = self.place or (None, None)
        return error.at(file=file, line=line)

    def carries(self) -> frozenset[str]:
        """Names of the pair's contents besides the id and the two texts, as in :class:`Writer`."""
        tokens = (*self.source.tokens, *self.target.tokens)
        present = {
            "links": self.links is not None,
            "possible links": self.links is not None and self.links.sure is not None,
            "link probabilities": self.links is not None and self.links.scores is not None,
            "tags": any(token.tag for token in tokens),
            "lemmas": any(token.lemma for token in tokens),
            "label": self.label is not None,
            "score": self.score is not None,
            # If the group is the source itself (answers to one question), its name can be lost.
            "group": self.group not in ("", self.source.text),
            "trees": any(self.brackets),
            "trees but the best": max(len(self.source_trees), len(self.target_trees)) > 1,
            "chunks": self.chunks is not None,
            "spans of all chunks": bool(self.source_chunks or self.target_chunks),
            "heads of Enju's trees": self.source_enju is not None,
            "phrases of annotators": bool(self.annotations),
            "phrases with types": self.units is not None,
            "marked spans": self.marked is not None,
            "phrases": self.alignment is not None and not self.error,
            "error": bool(self.error),
        }
        return frozenset(name for name, there in present.items() if there)


class PairError(InputError):
    """A pair that cannot be used, with its readable parts, so that its alignment still identifies it.

    Parameters
    ----------
    error : InputError
        The error.
    id : str
        Name of the pair.
    source, target : str
        Raw texts; empty where they could not be read.
    """

    def __init__(self, error: InputError, id: str, source: str = "", target: str = "") -> None:
        super().__init__(error.message, file=error.file, line=error.line, field=error.field)
        self.id, self.source, self.target = id, source, target
        self.args = (error, id, source, target)  # the arguments that pickle passes to __init__

    def at(self, *, file: str | None = None, line: int | None = None) -> PairError:
        """See :meth:`InputError.at`."""
        return PairError(super().at(file=file, line=line), self.id, self.source, self.target)

    def numbered(self, number: int) -> PairError:
        """The same error with the pair's number in its message, because a line may hold many pairs."""
        error = InputError(
            f"pair {number} of the file: {self.message}", file=self.file, line=self.line, field=self.field
        )
        return PairError(error, self.id, self.source, self.target)


@contextmanager
def reading_pair(id: str, source: str = "", target: str = "") -> Iterator[None]:
    """Turn an InputError that is raised inside into a :class:`PairError`."""
    try:
        yield
    except InputError as error:
        raise PairError(error, id, source, target) from None


@dataclass(frozen=True, slots=True)
class Writer:
    """How a format is written, pair by pair."""

    pair: Callable[[SentencePair], str]  # raises InputError if the pair lacks what the format needs
    holds: frozenset[str] = frozenset()  # items of SentencePair.carries that the format keeps
    header: str = ""
    separator: str = ""
    footer: str = ""
    # Suffix of a second file, and the text of a pair in it.
    beside: tuple[str, Callable[[SentencePair], str]] | None = None
    id: Callable[[str], str] = str  # pair's id -> written one
    # For a format without ids: makes, per file, a function from pair to the id that readers will assign.
    numbering: Callable[[], Callable[[SentencePair], str]] | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    Attributes
    ----------
    name : str
        Its name in ``--from`` and ``--to``.
    summary : str
        One line for the help.
    read : callable
        Yields pairs from lines, and an InputError in place of each broken pair (a :class:`PairError` if parts
        of it could be read). The flag says that plain text is already tokenized by spaces. Formats that are
        always tokenized ignore it.
    matches : callable
        Whether the first lines of a file look like this format.
    extensions : tuple of str
        Endings of file names that only this format uses.
    writer : Writer or None
        None for formats that can only be read.
    read_columns : callable or None
        For a format with named columns or fields: reads the sentences from those of two given names.
    """

    name: str
    summary: str
    read: Callable[[InputLines, bool], Iterator[SentencePair | InputError]]
    matches: Callable[[Sequence[str]], bool]
    extensions: tuple[str, ...] = ()
    writer: Writer | None = None
    read_columns: (
        Callable[[InputLines, bool, ColumnNames | None], Iterator[SentencePair | InputError]] | None
    ) = None


def read_line_by_line(
    lines: InputLines, parse: Callable[[str, str], SentencePair | None]
) -> Iterator[SentencePair | InputError]:
    """Parse each line by itself; a line that cannot be decoded or parsed becomes an InputError item.

    ``parse`` takes a line and its number, and returns None for lines that are not pairs, such as a header.
    """
    for number, line in lines.numbered(blank_end=False):
        try:
            if isinstance(line, InputError):
                raise line
            pair = parse(line, str(number))
        except InputError as error:
            yield error.at(file=lines.name, line=number)
        else:
            if pair is not None:
                yield replace(pair, place=(lines.name, number))


def most(head: Sequence[str], looks_right: Callable[[str], bool]) -> bool:
    """Whether more than half of the first lines look right; some of them may be broken."""
    return 2 * sum(map(looks_right, head)) > len(head)
