"""Chooses word candidates by name: from the lexicon or from the contextual aligner."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from forest_align.aligners.link_convention import check_convention
from forest_align.aligners.words.candidate import Candidate, CandidateProvider
from forest_align.aligners.words.lexical import Dictionary, LexicalCandidates
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable, paraphrase_table
from forest_align.types import InputError, Sentence

#: Names that :func:`word_candidates` knows.
WORD_CANDIDATES = ("contextual", "dictionary")
#: Names of earlier versions.
_GONE = ("union", "encoder")
# Links of the contextual aligner below this probability never help the forest aligner.
_CONTEXTUAL_MINIMUM = 0.2
# The probability of all links where that of sure links is about 0.2.
_ALL_LINKS_MINIMUM = 0.3
#: The default name.
DEFAULT_WORDS = "contextual"


class _WithFallback:
    """Uses one provider for sentences with word vectors and another for all others."""

    uses_vectors = True

    def __init__(self, provider: CandidateProvider, fallback: CandidateProvider) -> None:
        self._provider, self._fallback = provider, fallback

    def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
        """Candidates in ascending order of their spans."""
        has_vectors = source.vectors is not None and target.vectors is not None
        return (self._provider if has_vectors else self._fallback).candidates(source, target)


def refuse_gone(name: str) -> None:
    """Refuse the names of word candidates that only earlier versions had."""
    if name in _GONE:
        raise InputError(f"word candidates {name!r} are gone: use {' or '.join(WORD_CANDIDATES)}")


def check_name(name: str) -> str:
    """Return the name if :func:`word_candidates` knows it."""
    refuse_gone(name)
    if name not in WORD_CANDIDATES:
        expected = ", ".join(WORD_CANDIDATES)
        raise InputError(f"expected word candidates to be one of {expected}, found {name!r}")
    return name


def word_candidates(
    name: str = DEFAULT_WORDS,
    *,
    ppdb: PairTable | str | Path | None = None,
    dictionary: Dictionary | None = None,
    minimum_score: float | None = None,
    links: str = "sure",
) -> CandidateProvider:
    """Make a provider of word candidates by name.

    Parameters
    ----------
    name : str
        ``contextual``: links of the contextual aligner with their probabilities; without word vectors,
        candidates of the dictionary. ``dictionary``: words that the lexicon relates, without probabilities,
        see :class:`~forest_align.aligners.words.lexical.LexicalCandidates`.
    ppdb : PairTable or str or Path, optional
        Paraphrase pairs of the user, or their file.
    dictionary : Dictionary, optional
        What a training corpus adds to the lexicon, for ``dictionary``.
    minimum_score : float, optional
        Links of the contextual aligner less likely than this are not proposed; by default 0.2, for all links
        0.3.
    links : {"sure", "all"}
        Whether the probabilities are those of sure links or of all, sure and possible.

    Raises
    ------
    InputError
        If there are no candidates of this name, or the minimum score is not from 0 to 1. Also if ``ppdb`` is
        neither a table nor the path of a readable one. Also if all links are wanted from the dictionary,
        which has no probabilities.

    Examples
    --------
    >>> from forest_align import Sentence
    >>> source, target = (Sentence.from_words(words) for words in (["a", "film"], ["a", "movie"]))
    >>> for found in word_candidates("dictionary").candidates(source, target):
    ...     print(found.source, found.target, found.evidence)
    (0, 1) (0, 1) ('identical', 'lemma', 'function')
    (1, 2) (1, 2) ('synonym',)
    """
    check_name(name)
    possible = check_convention(links)
    if possible and name == "dictionary":
        raise InputError(
            "word candidates of the dictionary have no probabilities: links 'all' needs those of contextual",
            field="links",
        )
    table = paraphrase_table(ppdb)
    from_dictionary = LexicalCandidates(load_lexicon(), dictionary, ppdb=table)
    if name == "dictionary":
        return from_dictionary
    from forest_align.aligners.contextual.aligner import ContextualAligner
    from forest_align.aligners.words.lexical import ContextualCandidates

    least = _ALL_LINKS_MINIMUM if possible else _CONTEXTUAL_MINIMUM
    provider = ContextualCandidates(
        ContextualAligner(ppdb=table, links=links),
        minimum_score=least if minimum_score is None else minimum_score,
    )
    return _WithFallback(provider, from_dictionary)


def word_candidate_files(name: str) -> list[Path]:
    """Files from which the candidates of a name are computed, so that a cache can detect changes."""
    found = [files("forest_align.data") / "resources"]
    if name == "contextual":
        found.append(files("forest_align.aligners") / "models" / "contextual")
    folders = [Path(str(folder)) for folder in found]
    return sorted(path for folder in folders for path in folder.iterdir() if path.is_file())
