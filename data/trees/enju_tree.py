"""Trees of the parser Enju, with the phrase alignments of SPADE's annotators."""

from __future__ import annotations

from dataclasses import dataclass, field

from forest_align.types import InputError
from forest_align.types.brackets import escape_word


@dataclass(frozen=True, slots=True)
class EnjuToken:
    """One word.

    Attributes
    ----------
    id : str
        Enju's name of the token (``"t3"``).
    text, base, tag : str
        Surface form, base form, Penn tag.
    start, end : int
        Half-open character offsets into the sentence's text.
    """

    id: str
    text: str
    base: str
    tag: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EnjuNode:
    """One phrase (``cons``).

    Attributes
    ----------
    id : str
        Enju's name of the phrase (``"c3"``).
    label : str
        Category, such as ``NP``, ``NX``, ``COOD``.
    start, end : int
        Half-open token span.
    children : tuple of int
        One or two nodes, as indices into the tree's ``nodes``; empty if the phrase covers a token.
    head : int
        Token index of the semantic head, from ``sem_head``.
    schema : str
        Name of the HPSG schema; empty when there is none.
    aligned : tuple of (str, tuple of str)
        For each annotator that judged the phrase (``"pa1"``, …), the ids of the corresponding phrases in the
        other sentence; none for a phrase judged unaligned.
    """

    id: str
    label: str
    start: int
    end: int
    children: tuple[int, ...]
    head: int
    schema: str = ""
    aligned: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class EnjuTree:
    """One sentence: binary tree, children before parents.

    Attributes
    ----------
    id : str
        Name of the sentence as given in the file.
    text : str
        Raw text.
    tokens : tuple of EnjuToken
        The words. In Enju's own output, a full stop at the end of the sentence is not a token.
    nodes : tuple of EnjuNode
        The phrases; the last one is the root.
    line : int or None
        Number of its first line, for messages.
    """

    id: str
    text: str
    tokens: tuple[EnjuToken, ...]
    nodes: tuple[EnjuNode, ...]
    line: int | None = field(default=None, compare=False)

    @property
    def annotators(self) -> tuple[str, ...]:
        """Annotators that judged phrases of this tree, in order."""
        return tuple(sorted({name for node in self.nodes for name, _ in node.aligned}))

    def bracket(self) -> str:
        """The tree in Penn brackets, without its heads, and with tags between phrases and words."""
        written: list[str] = []
        for node in self.nodes:
            below = [written[child] for child in node.children]
            if not below:
                token = self.tokens[node.start]
                below = [f"({token.tag} {escape_word(token.text)})"]
            written.append(f"({node.label} {' '.join(below)})")
        return written[-1]


class TreeError(InputError):
    """A sentence without a valid tree.

    Parameters
    ----------
    error : InputError
        The error.
    id : str
        Name of the sentence.
    text : str
        Raw text.
    """

    def __init__(self, error: InputError, id: str, text: str) -> None:
        super().__init__(error.message, file=error.file, line=error.line, field=error.field)
        self.id, self.text = id, text

    def at(self, *, file: str | None = None, line: int | None = None) -> TreeError:
        """See :meth:`InputError.at`."""
        return TreeError(super().at(file=file, line=line), self.id, self.text)


def annotated_pairs(source: EnjuTree, target: EnjuTree, annotator: str) -> list[tuple[int, int]]:
    """Phrase pairs that an annotator aligned, as sorted indices into the two trees' ``nodes``.

    A pair counts when either side names it.

    Raises
    ------
    InputError
        If an alignment names a phrase that the other tree does not have.
    """
    pairs = set()
    for here, there, is_source in ((source, target, True), (target, source, False)):
        numbers = {node.id: number for number, node in enumerate(there.nodes)}
        for number, node in enumerate(here.nodes):
            for name in dict(node.aligned).get(annotator, ()):
                if name not in numbers:
                    raise InputError(
                        f"phrase {node.id} of sentence {here.id} is aligned to {name}, "
                        f"which sentence {there.id} does not have",
                        field=annotator,
                    )
                pairs.add((number, numbers[name]) if is_source else (numbers[name], number))
    return sorted(pairs)
