"""The log-linear link model: how probable it is that two words correspond, given all evidence, and why.

A cell (i, j) has the features of :data:`BASE_FEATURES`; its class (:data:`LINK_CLASSES`) picks the weights.
The first pass scores cells apart; each later pass adds :data:`CONTEXT_FEATURES`, which read the
probabilities of the pass before around the cell, so that the context evidence of Sultan et al. (2014, §3.2)
enters as expectations. Every feature is symmetric in the two sentences.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.contextual_words import is_punctuation, is_stop
from forest_align.cext import contextual as kernel
from forest_align.types import ModelError

if TYPE_CHECKING:
    from forest_align.types import Sentence

_SIMILARITY_FEATURES = (
    "{}",
    *("{} over knot " + str(k) for k in range(1, 6)),
    *(
        f"{{}} {which} margin{part}"
        for which in ("smaller", "larger")
        for part in (" won", " lost", " near 0", " ≥ 0")
    ),
    "{} soft-max",
    "{} soft-max, worse side",
)
#: Features of the first pass, in the order of the kernel.
BASE_FEATURES: tuple[str, ...] = (
    *(name.format("cosine") for name in _SIMILARITY_FEATURES),
    *(name.format("projected cosine") for name in _SIMILARITY_FEATURES),
    "letter bigrams in common",
    "letter bigrams in common over 0.5",
    "same word several times",
    "same word elsewhere, either side",
    "same word elsewhere, both sides",
    "distance from diagonal",
    "length ratio",
    "shorter length",
    "identical sequence of 2",
    "identical sequence of 3",
    "length of identical sequence",
    *(f"similar neighbours at {sign}{step}" for step in (1, 2, 3) for sign in "+-"),
    "similar neighbours crosswise",
    "same content words around",
    "any same content word around",
    *(f"projected neighbours at {sign}{step}" for step in (1, 2) for sign in "+-"),
    "both first or both last",
    "same spelling",
    "same number",
    "abbreviation",
    "synonym",
    "derivation",
    "same stem",
    "substring",
    "both prepositions",
    "same function",
    "acronym",
    "both capitalised",
)
#: Features that later passes add, in the order of the kernel.
CONTEXT_FEATURES: tuple[str, ...] = (
    "log-odds before",
    "probability before",
    "stronger rival",
    "weaker rival",
    "odds against stronger rival",
    "odds against weaker rival",
    *(f"aligned neighbours at {sign}{step}" for step in (1, 2, 3) for sign in "+-"),
    "aligned on both sides",
    "aligned over a gap after",
    "aligned over a gap before",
    "aligned crosswise",
    "neighbour aligned to same word",
    "aligned words around",
    "unaligned neighbours",
    "off the neighbours' path, nearer side",
    "off the neighbours' path, farther side",
    "share aligned",
    "neighbour of a name aligned to same word",
)
#: Classes of cells; each has its own weights.
LINK_CLASSES: tuple[str, ...] = (
    "same content word",
    "same function word",
    "same punctuation",
    "same lemma",
    "two content words",
    "two function words",
    "two punctuation marks",
    "punctuation and word",
    "function and content word",
)
FORMAT_VERSION = 1
_SYNONYM, _PPDB = 32, 4096


@dataclass(frozen=True, slots=True, eq=False)
class SentenceFeatures:
    """What the link model asks of one sentence, computed once however many partners it has.

    Attributes
    ----------
    kinds : numpy.ndarray
        int32, shape (n,): 0 content word, 1 function word, 2 punctuation.
    capital : numpy.ndarray
        uint8, shape (n,): whether a word begins with a capital.
    letters, ends : numpy.ndarray
        int32: code points of all lower-cased words, and where each word's end.
    vectors, projected : numpy.ndarray
        float32, shapes (n, D) and (n, d): unit vectors, as they came and projected.
    """

    kinds: np.ndarray
    capital: np.ndarray
    letters: np.ndarray
    ends: np.ndarray
    vectors: np.ndarray
    projected: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class LinkModel:
    """Weights of the link model.

    Attributes
    ----------
    mean : numpy.ndarray
        float32, shape (D,): subtracted from word vectors before they are projected.
    projection : numpy.ndarray
        float32, shape (D, d).
    first : numpy.ndarray
        float32, shape (9, 69): weights of the first pass by class, the bias last.
    later : numpy.ndarray
        float32, shape (passes, 9, 92).
    threshold : float
        Probability from which on two words are linked.
    card : dict
        What the model was trained on and how, for people.
    """

    mean: np.ndarray
    projection: np.ndarray
    first: np.ndarray
    later: np.ndarray
    threshold: float = 0.5
    card: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str | Path) -> LinkModel:
        """Read ``model.safetensors`` and ``model.json`` from a folder.

        Raises
        ------
        ModelError
            If a file is missing, or its features are not those of this version.
        """
        from safetensors.numpy import load_file

        folder = Path(folder)
        try:
            card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
            arrays = load_file(folder / "model.safetensors")
        except (OSError, ValueError) as error:
            raise ModelError(f"cannot read a link model from {folder}: {error}") from error
        if card.get("format") != "contextual" or card.get("version") != FORMAT_VERSION:
            raise ModelError(f"{folder} holds no model of the contextual aligner, version {FORMAT_VERSION}")
        lists = {
            "base_features": BASE_FEATURES,
            "context_features": CONTEXT_FEATURES,
            "classes": LINK_CLASSES,
        }
        for name, expected in lists.items():
            if tuple(card.get(name, ())) != expected:
                raise ModelError(f"the link model in {folder} has other {name} than this version computes")
        if missing := {"mean", "projection", "first", "later"} - arrays.keys():
            raise ModelError(f"the link model in {folder} lacks {', '.join(sorted(missing))}")
        values = {name: np.ascontiguousarray(arrays[name], dtype=np.float32) for name in arrays}
        return cls(
            values["mean"],
            values["projection"],
            values["first"],
            values["later"],
            float(card["threshold"]),
            dict(card.get("card", {})),
        )

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, which is made if need be; see :meth:`load`."""
        from safetensors.numpy import save

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        arrays = {
            "mean": self.mean,
            "projection": self.projection.astype(np.float16),
            "first": self.first,
            "later": self.later,
        }
        (folder / "model.safetensors").write_bytes(save(arrays))
        card = {
            "format": "contextual",
            "version": FORMAT_VERSION,
            "threshold": self.threshold,
            "classes": LINK_CLASSES,
            "base_features": BASE_FEATURES,
            "context_features": CONTEXT_FEATURES,
            "card": self.card,
        }
        text = json.dumps(card, indent=1, ensure_ascii=False)
        (folder / "model.json").write_text(text + "\n", encoding="utf-8")

    def prepare(self, sentence: Sentence) -> SentenceFeatures:
        """Compute what the model asks of one sentence.

        Raises
        ------
        ModelError
            If the sentence has no word vectors, or vectors of another size than the model's.
        """
        if sentence.vectors is None:
            raise ModelError(
                "the contextual aligner's default variant needs word vectors, which the parser gives; "
                "parse the sentences, or choose the published variant"
            )
        if sentence.vectors.shape[1] != len(self.mean):
            raise ModelError(
                f"the link model expects word vectors of {len(self.mean)} numbers, "
                f"found {sentence.vectors.shape[1]}: it was trained with another parser"
            )
        vectors = np.ascontiguousarray(sentence.vectors, dtype=np.float32)
        return SentenceFeatures(*word_features(sentence), vectors, self.project(vectors))

    def project(self, vectors: np.ndarray) -> np.ndarray:
        """Project word vectors, float32 (n, D), to unit vectors, float32 (n, d)."""
        projected = (vectors - self.mean) @ self.projection
        norms = np.sqrt(np.einsum("nd,nd->n", projected, projected))
        return projected / np.maximum(norms, 1e-9)[:, None]

    def probabilities(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
    ) -> np.ndarray:
        """Probability of a link for every two words.

        Parameters
        ----------
        source, target : SentenceFeatures
            From :meth:`prepare`.
        evidence : numpy.ndarray
            int32, shape (n, m), from :func:`forest_align.lexicon.evidence.word_evidence`.

        Returns
        -------
        numpy.ndarray
            float32, shape (n, m).
        """
        base, classes, names = base_table(source, target, evidence)
        return kernel.link_probabilities(base, classes, names, self.first, self.later)

    def explain(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray, i: int, j: int
    ) -> dict[str, float]:
        """What each feature of a cell adds to the log-odds of its link, strongest first."""
        base, classes, names = base_table(source, target, evidence)
        cell = i * len(target.kinds) + j
        values = base[cell]
        weights = self.first[classes[cell]]
        if len(self.later):
            before = kernel.link_probabilities(base, classes, names, self.first, self.later[:-1])
            values = np.concatenate([values, kernel.context_features(before, names)[cell]])
            weights = self.later[-1, classes[cell]]
        parts = dict(zip((*BASE_FEATURES, *CONTEXT_FEATURES), weights[:-1] * values, strict=False))
        parts[f"being of class: {LINK_CLASSES[classes[cell]]}"] = weights[-1]
        ordered = sorted(parts.items(), key=lambda item: -abs(item[1]))
        return {name: float(value) for name, value in ordered if value}


def word_features(sentence: Sentence) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kinds, capitals, letters and word ends of a sentence; see :class:`SentenceFeatures`."""
    known = [_word(word) for word in sentence.words]
    letters = "".join([word[2] for word in known]).encode("utf-32-le")
    return (
        np.array([word[0] for word in known], dtype=np.int32),
        np.array([word[1] for word in known], dtype=np.uint8),
        np.frombuffer(letters, dtype="<i4").astype(np.int32, copy=False),
        np.cumsum([len(word[2]) for word in known], dtype=np.int32),
    )


def base_table(
    source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features and class of every cell, and which cells join two capitalised words.

    Returns
    -------
    base : numpy.ndarray
        float32, shape (n * m, 68): :data:`BASE_FEATURES`.
    classes : numpy.ndarray
        int32, shape (n * m,): index in :data:`LINK_CLASSES`.
    names : numpy.ndarray
        uint8, shape (n, m).
    """
    # A paraphrase table that the user brings counts as more synonyms.
    evidence = evidence | np.where(evidence & _PPDB, _SYNONYM, 0).astype(np.int32)
    base, classes = kernel.base_features(
        source.vectors @ target.vectors.T,
        source.projected @ target.projected.T,
        np.ascontiguousarray(evidence, dtype=np.int32),
        source.kinds,
        target.kinds,
        source.capital,
        target.capital,
        source.letters,
        source.ends,
        target.letters,
        target.ends,
    )
    return base, classes, source.capital[:, None] & target.capital[None]


@lru_cache(maxsize=100_000)
def _word(word: str) -> tuple[int, bool, str]:
    """Kind, capital and lower-cased form of a word; lone surrogates, which have no code, become ``?``."""
    lower = word.lower().encode("utf-8", "replace").decode()
    kind = 2 if is_punctuation(lower) else 1 if is_stop(lower) else 0
    return kind, word[:1].isupper(), lower
