"""The result of an aligner: the alignment of one sentence pair."""

from __future__ import annotations

import importlib
import math
import reprlib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from forest_align.alignment._links import Links, read_links
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.types.brackets import check_tree
from forest_align.types.errors import InputError
from forest_align.types.json_fields import (
    Fields,
    check_number,
    check_probability,
    check_span,
    check_texts,
    format_json_object,
    read_json_object,
)
from forest_align.types.sentence import Sentence

JSON_VERSION = 1

# JSON keys of the links: pairs, classes, scores.
_LINKS = ("words", "word_sure", "word_probabilities")


@dataclass(frozen=True, slots=True, repr=False)
class Alignment:
    """The alignment of one sentence pair; ``print`` shows its phrases in two columns and its words.

    Attributes
    ----------
    source, target : Sentence
        The sentences.
    words : Links
        Word links, with probabilities as scores.
    phrases : tuple of PhrasePair
        If there is a derivation (:attr:`has_derivation`), its pairs, leaves included. They are in bottom-up
        order of the source tree, the shortest first. Otherwise the pairs that the aligner found, in the order
        of their ends. Empty for aligners that make no phrases.
    unaligned_source, unaligned_target : tuple of (int, int)
        Maximal half-open token spans that align to nothing.
    source_tree, target_tree : str
        The two trees that the alignment chose, in Penn brackets; empty when there are none.
    log_probability : float or None
        Log score of the whole alignment.
    root_aligned : bool
        Whether the two root phrases are aligned.
    aligner : str
        Name of the aligner that made it.
    id : str
        Name of the pair, as the input gave it.
    warnings : tuple of str
        Messages for the user, such as that a search was cut short.
    error : str
        Why the pair could not be aligned; empty when it could.
    word_evidence : tuple of tuple of str
        For each link of ``words`` the names of the evidence for it; empty unless requested.
    """

    source: Sentence
    target: Sentence
    words: Links = field(default_factory=Links)
    phrases: tuple[PhrasePair, ...] = ()
    unaligned_source: tuple[tuple[int, int], ...] = ()
    unaligned_target: tuple[tuple[int, int], ...] = ()
    source_tree: str = ""
    target_tree: str = ""
    log_probability: float | None = None
    root_aligned: bool = False
    aligner: str = ""
    id: str = ""
    warnings: tuple[str, ...] = ()
    error: str = ""
    word_evidence: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def failed(cls, error: str, *, id: str = "", aligner: str = "") -> Alignment:
        """The alignment of a pair that could not be read at all."""
        nothing = Sentence(())
        return cls(nothing, nothing, aligner=aligner, id=id, error=error)

    @property
    def has_derivation(self) -> bool:
        """Whether the phrases are nodes of two trees, so that either some or none cover whole sentences."""
        return self.root_aligned or bool(self.source_tree and self.target_tree)

    def swap(self) -> Alignment:
        """The same alignment seen from the target side, phrases in the order of the new source."""
        order_of = _bottom_up if self.has_derivation else _by_end
        phrases = sorted((pair.swap() for pair in self.phrases), key=order_of)
        order = sorted(range(len(self.words)), key=lambda k: self.words.pairs[k][::-1])
        return replace(
            self,
            source=self.target,
            target=self.source,
            words=self.words.swap(),
            phrases=tuple(phrases),
            unaligned_source=self.unaligned_target,
            unaligned_target=self.unaligned_source,
            source_tree=self.target_tree,
            target_tree=self.source_tree,
            word_evidence=tuple(self.word_evidence[k] for k in order) if self.word_evidence else (),
        )

    def above(self, probability: float) -> Alignment:
        """The alignment without the word links and phrase pairs that are less probable.

        Links without a probability are kept. A word that loses its last link becomes unaligned. The trees
        and the log-probability remain those of the whole alignment.

        Raises
        ------
        InputError
            If the value is not a probability.
        """
        least = check_probability(probability, "probability")
        words, scores = self.words, self.words.scores
        # NaN scores are kept: the writers that cannot hold them raise the error.
        kept = [k for k in range(len(words)) if scores is None or not scores[k] < least]
        links = Links(
            tuple(words.pairs[k] for k in kept),
            None if words.sure is None else tuple(words.sure[k] for k in kept),
            None if scores is None else tuple(scores[k] for k in kept),
        )
        phrases = tuple(pair for pair in self.phrases if not pair.probability < least)
        return replace(
            self,
            words=links,
            phrases=phrases,
            unaligned_source=_with_words(
                self.unaligned_source, {i for i, _ in words} - {i for i, _ in links}
            ),
            unaligned_target=_with_words(
                self.unaligned_target, {j for _, j in words} - {j for _, j in links}
            ),
            root_aligned=self.root_aligned and any(map(self.is_root_pair, phrases)),
            word_evidence=tuple(self.word_evidence[k] for k in kept) if self.word_evidence else (),
        )

    def is_root_pair(self, pair: PhrasePair) -> bool:
        """Whether a phrase pair covers both whole sentences."""
        roots = (0, len(self.source)), (0, len(self.target))
        return (pair.source_node.span, pair.target_node.span) == roots

    def texts_of(self, pair: PhrasePair) -> tuple[str, str]:
        """The words of the two sides of a phrase pair, with blanks between them."""
        source, target = pair.source_node, pair.target_node
        return (
            " ".join(self.source.words[source.start : source.end]),
            " ".join(self.target.words[target.start : target.end]),
        )

    def to_pharaoh(self) -> str:
        """The word links as ``"0-0 1-2"``."""
        return self.words.to_pharaoh()

    def to_html(self) -> str:
        """A page for any browser; :mod:`forest_align.alignment.html` puts several alignments on one."""
        # Views import the types, so a view is imported by name and only when needed.
        page: str = importlib.import_module("forest_align.alignment.html").to_html([self])
        return page

    def to_svg(self) -> str:
        """A picture of both trees and the links between their words; see :mod:`forest_align.alignment.svg`.

        Raises
        ------
        InputError
            If the alignment has no trees, or trees that are not over its tokens.
        """
        # As above.
        picture: str = importlib.import_module("forest_align.alignment.svg").to_svg(self)
        return picture

    def __str__(self) -> str:
        # As above.
        text: str = importlib.import_module("forest_align.alignment.text").to_text(self)
        return text.rstrip("\n")

    def __repr__(self) -> str:
        source, target = (reprlib.repr(sentence.text) for sentence in (self.source, self.target))
        found = (
            f"error {self.error!r}" if self.error else f"{len(self.words)} links, {len(self.phrases)} phrases"
        )
        return f"<Alignment of {source} and {target}: {found}>"

    def _repr_html_(self) -> str:
        """The view for notebooks."""
        # As above.
        frame: str = importlib.import_module("forest_align.alignment.html").to_frame(self)
        return frame

    def to_dict(self) -> dict[str, Any]:
        """JSON values, in the order of the public contract (version 1), without forests and word vectors.

        Raises
        ------
        InputError
            If a score or probability is not finite; JSON cannot hold that.
        """
        words = self.words
        values: dict[str, Any] = {"id": self.id, "aligner": self.aligner, "version": JSON_VERSION}
        for side, sentence, tree in (
            ("source", self.source, self.source_tree),
            ("target", self.target, self.target_tree),
        ):
            values[side] = sentence.to_dict(forest=False) | ({"tree": tree} if tree else {})
        values["words"] = [list(pair) for pair in words]
        if words.scores is not None:
            values["word_probabilities"] = [check_number(x, "word_probabilities") for x in words.scores]
        if words.sure is not None:
            values["word_sure"] = list(words.sure)
        if self.word_evidence:
            values["word_evidence"] = [list(names) for names in self.word_evidence]
        values["phrases"] = [pair.to_dict() for pair in self.phrases]
        values["unaligned"] = {
            "source": [list(span) for span in self.unaligned_source],
            "target": [list(span) for span in self.unaligned_target],
        }
        log_probability = self.log_probability
        if log_probability is not None and not math.isfinite(log_probability):
            log_probability = None
        values["log_probability"] = log_probability
        values["root_aligned"] = self.root_aligned
        if self.warnings:
            values["warnings"] = list(self.warnings)
        if self.error:
            values["error"] = self.error
        return values

    def to_json(self) -> str:
        """One line of JSON, without the line end; the format is documented in ``docs/reference/formats.md``.

        A log-probability that is not finite is written as null.

        Raises
        ------
        InputError
            If another number is not finite.
        """
        return format_json_object(self.to_dict())

    @classmethod
    def from_json(cls, text: str, *, file: str | None = None, line: int | None = None) -> Alignment:
        """Read one line of JSON that :meth:`to_json` wrote; unknown keys are ignored.

        Parameters
        ----------
        text : str
            The line.
        file, line : str, int, optional
            Where it comes from, for messages.

        Raises
        ------
        InputError
            If it is not JSON, or a field is missing, of a wrong type or out of range; names the field.
        """
        return read_json_object(text, cls.from_dict, file, line)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Alignment:
        """Read what :meth:`to_dict` wrote; see :meth:`from_json`."""
        fields = Fields(values)
        version = fields.integer("version", JSON_VERSION)
        if version != JSON_VERSION:
            raise InputError(
                f"expected version {JSON_VERSION}, found {version}: made by a newer forest-align",
                field="version",
            )
        sides = fields.fields("source"), fields.fields("target")
        source, target = (Sentence.from_dict(side, forest=False) for side in sides)
        words = read_links(fields, _LINKS, check_probability, (len(source), len(target)))
        evidence = fields.items("word_evidence", None, len(words)) or []
        unaligned = fields.fields("unaligned", {})
        return cls(
            source,
            target,
            words,
            tuple(
                PhrasePair.from_dict(pair, f"phrases[{k}]", len(source), len(target))
                for k, pair in enumerate(fields.items("phrases", []))
            ),
            _read_spans(unaligned, "source", len(source)),
            _read_spans(unaligned, "target", len(target)),
            _read_tree(sides[0], source),
            _read_tree(sides[1], target),
            fields.number("log_probability", None),
            fields.boolean("root_aligned", False),
            fields.text("aligner", ""),
            fields.text("id", ""),
            tuple(check_texts(fields.items("warnings", []), "warnings")),
            fields.text("error", ""),
            tuple(tuple(check_texts(names, f"word_evidence[{k}]")) for k, names in enumerate(evidence)),
        )


def _bottom_up(pair: PhrasePair) -> tuple[int, int]:
    """The order of the nodes of a forest."""
    node = pair.source_node
    return node.end - node.start, node.start


def _by_end(pair: PhrasePair) -> tuple[int, int]:
    node = pair.source_node
    return node.end, node.end - node.start


def _with_words(spans: tuple[tuple[int, int], ...], words: Set[int]) -> tuple[tuple[int, int], ...]:
    """Maximal spans of the words of some spans and of further words."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted([*spans, *((word, word + 1) for word in words)]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def _read_spans(fields: Fields, side: str, length: int) -> tuple[tuple[int, int], ...]:
    spans = fields.items(side, [])
    return tuple(check_span(span, f"{fields.name(side)}[{k}]", length) for k, span in enumerate(spans))


def _read_tree(fields: Fields, sentence: Sentence) -> str:
    tree = fields.text("tree", "")
    return check_tree(tree, sentence.words, fields.name("tree")) if tree else ""
