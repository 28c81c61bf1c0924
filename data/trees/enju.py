"""Reads Enju's trees from XML, with the phrase alignments of SPADE's annotators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

from forest_align.data.text.lines import InputLines
from forest_align.data.text.xml_reader import read_document
from forest_align.types import InputError
from forest_align.types.brackets import escape_word, is_label


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
                    aligned = f"phrase {node.id} of sentence {here.id} is aligned to {name}"
                    message = f"{aligned}, which sentence {there.id} does not have"
                    raise InputError(message, field=annotator)
                pairs.add((number, numbers[name]) if is_source else (numbers[name], number))
    return sorted(pairs)


_ANNOTATOR = re.compile(r"pa\d+")
_UNALIGNED = "-1"
_ESCAPES = (("-COMMA-", ","), ("-PERIOD-", "."), ("-LRB-", "("), ("-RRB-", ")"))


def read_enju(path: str | Path) -> list[EnjuTree]:
    """Read a file of one or more ``<sentence>`` elements, with or without a root element.

    Raises
    ------
    InputError
        If the file is not XML, a parse failed, or a tree is not binary over its tokens; names the file.
    """
    with InputLines(path) as lines:
        text = lines.text()
    try:
        return list(parse_enju(text))
    except InputError as error:
        raise error.at(file=str(path)) from None


def parse_enju(text: str) -> Iterator[EnjuTree]:
    """Read the sentences of a text, see :func:`read_enju`."""
    for sentence in sentences_of(text):
        if isinstance(sentence, TreeError):
            raise sentence
        yield sentence


def sentences_of(text: str) -> Iterator[EnjuTree | TreeError]:
    """Read the sentences of a text, with an error in place of each sentence without a valid tree.

    Such an error names the first line of the sentence. Raises InputError if the text is not XML, or has no
    sentences.
    """
    # Enju writes one sentence per line without a root element around them.
    document = _Sentences()
    read_document(text, document, root="sentences")
    if not document.sentences:
        raise InputError("expected <sentence> elements, found none")
    for number, (sentence, line) in enumerate(document.sentences, 1):
        name = sentence.get("id") or str(number)
        try:
            yield replace(_read_sentence(sentence, name), line=line)
        except InputError as error:
            yield TreeError(error, name, _text_and_offsets(sentence)[0]).at(line=line)


class _Sentences:
    """Collects the ``<sentence>`` elements of a document, with the numbers of their first lines."""

    def __init__(self) -> None:
        self.sentences: list[tuple[ElementTree.Element, int]] = []
        self._builder = ElementTree.TreeBuilder()
        self._builder.start("sentences", {})
        self.end, self.data = self._builder.end, self._builder.data

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        element = self._builder.start(tag, attributes)
        if tag == "sentence":
            self.sentences.append((element, line))


def _read_sentence(sentence: ElementTree.Element, name: str) -> EnjuTree:
    status = sentence.get("parse_status", "success")
    roots = sentence.findall("cons")
    if len(roots) != 1:
        raise InputError(f"sentence {name}: expected one tree, found {len(roots)} (parse status: {status})")
    text, offsets = _text_and_offsets(sentence)
    elements = list(roots[0].iter())
    tokens: list[EnjuToken] = []
    for element in elements:
        if element.tag == "tok":
            start, end = offsets[element]
            if start == end:
                raise InputError(f"sentence {name}: token {element.get('id')} has no text")
            tag = _category(element, "pos", f"sentence {name}: token {element.get('id')}")
            base = _unescape(element.get("base", ""))
            tokens.append(EnjuToken(element.get("id", ""), text[start:end], base, tag, start, end))
    places: dict[ElementTree.Element, int] = {}
    positions = {element: i for i, element in enumerate(e for e in elements if e.tag == "tok")}
    nodes: list[EnjuNode] = []
    # Document order puts parents first; from its end, children come first.
    for element in reversed(elements):
        if element.tag == "cons":
            places[element] = len(nodes)
            nodes.append(_read_node(element, name, nodes, places, positions))
        elif element.tag != "tok":
            raise InputError(f"sentence {name}: expected <cons> and <tok>, found <{element.tag}>")
    return EnjuTree(name, text, tuple(tokens), tuple(nodes))


def _read_node(
    element: ElementTree.Element,
    sentence: str,
    nodes: list[EnjuNode],
    places: dict[ElementTree.Element, int],
    positions: dict[ElementTree.Element, int],
) -> EnjuNode:
    here = f"sentence {sentence}: phrase {element.get('id')}"
    parts = list(element)
    over_token = len(parts) == 1 and parts[0].tag == "tok"
    if not over_token and not (1 <= len(parts) <= 2 and all(part.tag == "cons" for part in parts)):
        raise InputError(f"{here}: expected one token, or one or two phrases, below it")
    wanted = element.get("sem_head") or element.get("head")
    heads = [part for part in parts if part.get("id") == wanted]
    if not heads:
        raise InputError(f"{here}: its sem_head is {wanted}, which is not below it", field="sem_head")
    children: tuple[int, ...] = ()
    if over_token:
        start = head = positions[parts[0]]
        end = start + 1
    else:
        children = tuple(places[part] for part in parts)
        start, end = nodes[children[0]].start, nodes[children[-1]].end
        head = nodes[places[heads[0]]].head
    aligned = tuple(
        (key, tuple(other for other in value.split() if other != _UNALIGNED))
        for key, value in sorted(element.items())
        if _ANNOTATOR.fullmatch(key)
    )
    label, schema = _category(element, "cat", here), element.get("schema", "")
    return EnjuNode(element.get("id", ""), label, start, end, children, head, schema, aligned)


def _category(element: ElementTree.Element, attribute: str, here: str) -> str:
    """A label that can be written in Penn brackets, the format of an alignment's trees."""
    label = element.get(attribute, "")
    if not is_label(label):
        message = f"{here}: expected a label without blanks, brackets and '::', found {label!r}"
        raise InputError(message, field=attribute)
    return label


def _text_and_offsets(
    sentence: ElementTree.Element,
) -> tuple[str, dict[ElementTree.Element, tuple[int, int]]]:
    """Raw text of a sentence, and the position of each token in it."""
    pieces: list[str] = []
    offsets: dict[ElementTree.Element, tuple[int, int]] = {}
    length = 0
    todo: list[ElementTree.Element | str] = [sentence]
    while todo:
        item = todo.pop()
        piece = item if isinstance(item, str) else item.text or ""
        piece = piece if length else piece.lstrip()
        if not isinstance(item, str):
            if item.tag == "tok":
                offsets[item] = (length, length + len(piece))
            for child in reversed(item):
                todo += (child.tail or "", child)
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces).rstrip(), offsets


def _unescape(base: str) -> str:
    for escape, character in _ESCAPES:
        base = base.replace(escape, character)
    return base
