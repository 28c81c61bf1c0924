"""Trees of the parser Enju, with the phrase alignments of SPADE's annotators."""

from __future__ import annotations

from dataclasses import dataclass, field

from forest_align.types import InputError
from forest_align.types.brackets import escape_word


@dataclass(frozen=True, slots=True)
class EnjuToken:
    """One word."""

    id: str  # Enju's name (``"t3"``)
    text: str
    base: str  # base form
    tag: str  # Penn tag
    start: int  # character offset in the sentence's text
    end: int


@dataclass(frozen=True, slots=True)
class EnjuNode:
    """One phrase (``cons``)."""

    id: str  # Enju's name (``"c3"``)
    label: str  # such as NP, NX, COOD
    start: int  # half-open token span
    end: int
    children: tuple[int, ...]  # one or two nodes, as indices; empty above a token
    head: int  # token index of the semantic head (``sem_head``)
    schema: str = ""  # HPSG schema; empty if there is none
    # Per annotator ids of corresponding phrases; none: judged unaligned.
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
    """A sentence without a valid tree."""

    def __init__(self, error: InputError, id: str, text: str) -> None:
        super().__init__(error.message, file=error.file, line=error.line, field=error.field)
        self.id, self.text = id, text

    def at(self, *, file: str | None = None, line: int | None = None) -> TreeError:
        """See :meth:`InputError.at`."""
        return TreeError(super().at(file=file, line=line), self.id, self.text)


def annotated_pairs(source: EnjuTree, target: EnjuTree, annotator: str) -> list[tuple[int, int]]:
    """Phrase pairs that an annotator aligned, as sorted indices into the two trees' ``nodes``.

    A pair counts when either side names it. Raises InputError if an alignment names a phrase that the other
    tree does not have.
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
