"""What an aligner returns: phrase pairs and the alignment of one sentence pair."""

from __future__ import annotations

from dataclasses import dataclass

from forest_align.types.forest import Node
from forest_align.types.links import Links
from forest_align.types.token import Sentence

JSON_VERSION = 1


@dataclass(frozen=True, slots=True)
class PhrasePair:
    """Two phrases that correspond.

    Attributes
    ----------
    source_node, target_node : Node
        The phrases, as nodes of the two trees of the alignment.
    probability : float
        Posterior probability of the pair, in [0, 1].
    compositional : bool
        False when the pair could only be formed by non-compositional alignment
        (Arase & Tsujii 2017, §4.3).
    """

    source_node: Node
    target_node: Node
    probability: float
    compositional: bool = True


@dataclass(frozen=True, slots=True)
class Alignment:
    """The alignment of one sentence pair.

    Attributes
    ----------
    source, target : Sentence
        The sentences.
    words : Links
        Word links, with probabilities as scores.
    phrases : tuple of PhrasePair
        The pairs of the derivation, leaves included, in bottom-up order of the source tree; empty for
        aligners that make no phrases.
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
        What the user should know, such as a search that was cut short.
    error : str
        Why the pair could not be aligned; empty when it could.
    """

    source: Sentence
    target: Sentence
    words: Links = Links()
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
