"""What every reader yields and every writer takes, and how a format describes itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from forest_align.data.enju import EnjuTree
from forest_align.data.lines import InputLines
from forest_align.types import Alignment, InputError, Links, Sentence

_SEPARATOR = re.compile(r"[\t\r\n]")
_BLANK = re.compile(r"[ \t\r\n]")

Span = tuple[int, int]
#: A tree in Penn brackets and its log-probability.
ScoredTree = tuple[str, float]


@dataclass(frozen=True, slots=True)
class ChunkLink:
    """Two chunks that correspond, or one that corresponds to nothing.

    Attributes
    ----------
    source, target : tuple of int
        Token indices from 0; empty when the other chunk corresponds to nothing.
    type : str
        Relation, such as ``EQUI`` or ``NOALI``.
    score : str
        Similarity as the file has it: ``0`` to ``5`` or ``NIL``.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    type: str
    score: str = "NIL"


@dataclass(frozen=True, slots=True, eq=False)
class SentencePair:
    """Two sentences and what a corpus says about them.

    Attributes
    ----------
    id : str
        Name of the pair: as the file gives it, else its number from 1.
    source, target : Sentence
        Raw text has no tokens yet: ``tokens`` is empty and ``text`` is not.
    links : Links or None
        Gold word links; None when the corpus has none (an empty set is an annotation).
    label : bool or None
        Paraphrase or not, entailed or not, right answer or not.
    score : float or None
        Semantic similarity.
    group : str
        Pairs of one group belong together: the answers to one question, the pairs of one task.
    source_trees, target_trees : tuple of (str, float)
        Trees that came with the sentences, in Penn brackets with log-probabilities, best first.
    chunks : tuple of ChunkLink or None
        Chunk alignment.
    source_chunks, target_chunks : tuple of (int, int)
        Half-open spans of all chunks, where the corpus has them.
    annotations : tuple of frozenset of ((int, int), (int, int))
        For each annotator the pairs of spans that correspond.
    source_enju, target_enju : EnjuTree or None
        Trees that came in Enju's XML.
    alignment : Alignment or None
        The whole alignment, when it was read from forest-align's own output.
    place : (str, int) or None
        File and line that it stands in, of formats with a pair a line: for messages.
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
    source_enju: EnjuTree | None = None
    target_enju: EnjuTree | None = None
    alignment: Alignment | None = None
    place: tuple[str, int] | None = field(default=None, compare=False)

    @property
    def error(self) -> str:
        """Why the pair could not be aligned, when it was read from forest-align's own output; else empty."""
        return "" if self.alignment is None else self.alignment.error

    def carries(self) -> frozenset[str]:
        """What there is besides the id and the two texts, in the words of :class:`Writer`."""
        tokens = (*self.source.tokens, *self.target.tokens)
        present = {
            "links": self.links is not None,
            "possible links": self.links is not None and self.links.sure is not None,
            "link probabilities": self.links is not None and self.links.scores is not None,
            "tags": any(token.tag for token in tokens),
            "lemmas": any(token.lemma for token in tokens),
            "label": self.label is not None,
            "score": self.score is not None,
            "group": bool(self.group),
            "trees": bool(self.source_trees or self.target_trees),
            "trees but the best": max(len(self.source_trees), len(self.target_trees)) > 1,
            "chunks": self.chunks is not None,
            "spans of all chunks": bool(self.source_chunks or self.target_chunks),
            "Enju trees": self.source_enju is not None,
            "phrases of annotators": bool(self.annotations),
            "phrases": self.alignment is not None and not self.error,
            "error": bool(self.error),
        }
        return frozenset(name for name, there in present.items() if there)


class PairError(InputError):
    """A pair that cannot be used, with what could be read of it: its alignment still says which pair it is.

    Parameters
    ----------
    error : InputError
        What is wrong.
    id : str
        Name of the pair.
    source, target : str
        Raw texts; empty where they could not be read.
    """

    def __init__(self, error: InputError, id: str, source: str = "", target: str = "") -> None:
        super().__init__(error.message, file=error.file, line=error.line, field=error.field)
        self.id, self.source, self.target = id, source, target

    def at(self, *, file: str | None = None, line: int | None = None) -> PairError:
        """See :meth:`InputError.at`."""
        return PairError(super().at(file=file, line=line), self.id, self.source, self.target)


@contextmanager
def reading_pair(id: str, source: str = "", target: str = "") -> Iterator[None]:
    """Turn an InputError that is raised inside into a :class:`PairError`."""
    try:
        yield
    except InputError as error:
        raise PairError(error, id, source, target) from None


@dataclass(frozen=True, slots=True)
class Writer:
    """How a format is written, pair by pair.

    Attributes
    ----------
    pair : callable
        Text of one pair; raises InputError if it lacks what the format needs.
    holds : frozenset of str
        What of :meth:`SentencePair.carries` the format keeps.
    header, separator, footer : str
        Text before, between and after the pairs.
    beside : (str, callable) or None
        Suffix of a second file and the text of a pair in it.
    id : callable or None
        What becomes of a pair's id. None if the format has no place for it: readers number the pairs.
    """

    pair: Callable[[SentencePair], str]
    holds: frozenset[str] = frozenset()
    header: str = ""
    separator: str = ""
    footer: str = ""
    beside: tuple[str, Callable[[SentencePair], str]] | None = None
    id: Callable[[str], str] | None = str


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    Attributes
    ----------
    name : str
        What ``--from`` and ``--to`` call it.
    summary : str
        One line for the help.
    read : callable
        Yields pairs from lines, and an InputError in place of each that is broken (a :class:`PairError` if
        any of it could be read). The flag says that plain text is tokenized already, by spaces; formats that
        are always tokenized ignore it.
    matches : callable
        Whether the first lines of a file look like this format.
    extensions : tuple of str
        Endings of file names that belong to this format alone.
    writer : Writer or None
        None for formats that are only read.
    """

    name: str
    summary: str
    read: Callable[[InputLines, bool], Iterator[SentencePair | InputError]]
    matches: Callable[[Sequence[str]], bool]
    extensions: tuple[str, ...] = ()
    writer: Writer | None = None


def read_line_by_line(
    lines: InputLines, parse: Callable[[str], SentencePair | None]
) -> Iterator[SentencePair | InputError]:
    """Parse each line by itself; a line that cannot be decoded or parsed becomes an InputError item.

    ``parse`` returns None for lines that are no pairs, such as a header.
    """
    for _, line in lines.numbered():
        try:
            if isinstance(line, InputError):
                raise line
            pair = parse(line)
        except InputError as error:
            yield error.at(file=lines.name, line=lines.number)
        else:
            if pair is not None:
                yield replace(pair, place=(lines.name, lines.number))


def most(head: Sequence[str], looks_right: Callable[[str], bool]) -> bool:
    """Whether more than half of the first lines look right: some of them may be broken."""
    return 2 * sum(map(looks_right, head)) > len(head)


def plain_sentence(text: str, tokenized: bool, field: str) -> Sentence:
    """A sentence of raw text, or of tokens split on spaces.

    Raises
    ------
    InputError
        If there is nothing but space; ``field`` names the column.
    """
    if not text.strip():
        raise InputError("expected a sentence, found nothing", field=field)
    return split_sentence(text) if tokenized else Sentence((), text=text)


def split_sentence(text: str) -> Sentence:
    """A sentence of tokens split on spaces and on nothing else (a no-break space stays in its token)."""
    return Sentence.from_words([word for word in text.split(" ") if word])


def text_of(sentence: Sentence) -> str:
    """The sentence as one field of a text format: tokens joined by spaces, or raw text, on one line."""
    return one_line(" ".join(sentence.words) if sentence.tokens else sentence.text)


def one_line(text: str) -> str:
    """A text as one field of a line: tabs and line ends become spaces."""
    return _SEPARATOR.sub(" ", text)


def cells(line: str, count: int) -> list[str]:
    """The first columns of a line, empty where it has fewer: what can be read of one that is broken."""
    return [*line.split("\t"), *[""] * count][:count]


def columns(line: str, least: int, expected: str) -> list[str]:
    """Split a line at tabs.

    Raises
    ------
    InputError
        If the line is blank or has fewer than ``least`` columns; ``expected`` lists them.
    """
    if not line.strip():
        raise InputError(f"blank line; expected {expected}")
    found = line.split("\t")
    if len(found) < least:
        raise InputError(f"expected {least} columns ({expected}), found {len(found)}")
    return found


def need_texts(pair: SentencePair, format_name: str) -> tuple[str, str]:
    """Source and target, each as :func:`text_of` gives it.

    Raises
    ------
    InputError
        If one of them is blank, as of a pair that could not be read when it was to be aligned.
    """
    texts = text_of(pair.source), text_of(pair.target)
    if not all(text.strip() for text in texts):
        raise InputError(f"pair {pair.id!r} lacks a sentence, which format {format_name} needs")
    return texts


def need_links(pair: SentencePair, format_name: str) -> Links:
    """The pair's word links.

    Raises
    ------
    InputError
        If it has none or could not be aligned, its text is not tokenized, or a token is empty or has a blank
        inside: the indices of links would mean other tokens when the text is read again.
    """
    if pair.error:
        raise InputError(f"pair {pair.id!r} could not be aligned: {pair.error}")
    if pair.links is None:
        raise InputError(f"pair {pair.id!r} has no word links, which format {format_name} needs")
    if not (pair.source.tokens and pair.target.tokens):
        raise InputError(f"pair {pair.id!r} is not tokenized, which format {format_name} needs")
    for word in (*pair.source.words, *pair.target.words):
        if not word or _BLANK.search(word):
            raise InputError(
                f"pair {pair.id!r} has the token {word!r}, which format {format_name} cannot hold"
            )
    return pair.links


def split_links(links: Links) -> tuple[str, str]:
    """Sure and possible links, each as ``"0-0 1-2"``."""
    sure = links.only_sure()
    possible = Links.of(set(links.pairs) - set(sure.pairs))
    return sure.to_pharaoh(), possible.to_pharaoh()


def join_links(sure: str, possible: str, names: tuple[str, str], lengths: tuple[int, int]) -> Links:
    """The opposite of :func:`split_links`; a link listed as both is sure.

    Raises
    ------
    InputError
        If an item is no link, or points beyond a sentence; ``names`` are the two fields.
    """
    pairs: list[tuple[int, int]] = []
    classes: list[bool] = []
    for text, name, is_sure in ((sure, names[0], True), (possible, names[1], False)):
        try:
            found = Links.from_pharaoh(text).check(*lengths)
        except InputError as error:
            raise InputError(error.message, field=name) from None
        pairs.extend(found)
        classes.extend([is_sure] * len(found))
    return Links.of(pairs, sure=None if all(classes) else classes)
