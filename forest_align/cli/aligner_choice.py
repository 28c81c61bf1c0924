"""Loads the aligner that the options of a command ask for."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align._version import __version__
from forest_align.aligners.word_candidates import DEFAULT_WORDS, WORD_CANDIDATES, word_candidates
from forest_align.types import Alignment, InputError, Links, ModelError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.lexicon.candidates import Candidate

ALIGNERS = ("forest", "contextual", "semi-markov", "joint")
VARIANTS = ("default", "published")
ANNOTATORS = ("trees", "spacy")
WORDS = (*WORD_CANDIDATES, "given")

Pair = tuple[Sentence | str, Sentence | str]
Words = tuple[tuple[str, ...], tuple[str, ...]]


def load_aligner(options: Namespace, given: GivenLinks | None) -> Aligner:
    """Load an aligner by a command's options.

    They are ``aligner``, ``model``, ``variant``, ``parser``, ``annotator``, ``words`` and ``ppdb``.

    Raises
    ------
    ModelError
        If a model does not exist, or is one of another kind of aligner.
    InputError
        If an option does not go with the aligner.
    """
    from forest_align.aligners import load
    from forest_align.aligners.loading import kind_of

    kind = kind_of(options.model) if options.model else options.aligner or "forest"
    if options.aligner not in (None, kind):
        raise ModelError(f"the model in {options.model} is for the aligner {kind}, not {options.aligner}")
    settings: dict[str, Any] = {}
    if options.variant is not None:
        # Variants of the other aligners are models of their own.
        if kind not in ("forest", "contextual"):
            raise InputError(f"the {kind} aligner takes no --variant; the forest and contextual aligners do")
        settings["variant"] = options.variant
    if options.annotator is not None:
        _check_annotator(kind, options)
        settings["annotator"] = options.annotator
    if options.words is not None or options.ppdb is not None:
        settings |= _evidence(kind, options, given)
    if options.parser is not None:
        from forest_align.parsing.encoder_scorer import locate_parser

        # A wrong name is told before the output is touched; the aligner loads the parser when it needs it.
        locate_parser(options.parser)
        settings["parser"] = options.parser
    return load(options.model or kind, **settings)


def made_with(options: Namespace, kind: str) -> dict[str, str]:
    """What alignments come from besides the input, by the names of a command's options.

    Models, paraphrases and files of word links are told apart by their contents, too.
    """
    words = options.words or DEFAULT_WORDS
    return {
        "the version": __version__,
        "--aligner": kind,
        "--model": contents_of(options.model),
        "--variant": options.variant or VARIANTS[0],
        "--parser": contents_of(options.parser),
        "--annotator": options.annotator or "",
        "--words": words if words in WORDS else contents_of(words),
        "--ppdb": contents_of(options.ppdb),
    }


def contents_of(name: str | None) -> str:
    """A name, with a hash of the files if it is that of a folder or file."""
    if name is None or not (path := Path(name)).exists():
        return name or ""
    from forest_align.em.corpus import files_fingerprint

    files = [path]
    if path.is_dir():
        files = sorted(one for one in path.iterdir() if one.suffix in (".json", ".safetensors", ".bin"))
    return f"{path.name} ({files_fingerprint(files)})"


def _check_annotator(kind: str, options: Namespace) -> None:
    """Refuse ``--annotator`` for all but the published variant of the contextual aligner."""
    if kind != "contextual":
        raise InputError(f"the {kind} aligner takes no --annotator; the contextual aligner does")
    from forest_align.aligners.contextual_parameters import load_parameters

    variant = options.variant
    if variant is None and options.model is not None and load_parameters(options.model) is not None:
        variant = "published"
    if variant != "published":
        raise InputError("--annotator needs --variant published: no other reads dependencies and names")


def _evidence(kind: str, options: Namespace, given: GivenLinks | None) -> dict[str, Any]:
    """Settings of an aligner for ``--words`` and ``--ppdb``."""
    from forest_align.lexicon.pair_table import PairTable

    if kind != "forest" and options.words is not None:
        raise InputError(f"the {kind} aligner takes no --words; the forest aligner does")
    table = PairTable.load(options.ppdb) if options.ppdb else None
    if kind != "forest":
        return {"ppdb": table}
    return {"candidates": given or word_candidates(options.words or DEFAULT_WORDS, ppdb=table)}


class GivenLinks:
    """Word candidates that the user gives, pair by pair.

    An aligner asks for the candidates of two sentences; which pair of the input they are is told by their
    words. Two pairs with the same words and different links are never in the aligner's hands at once,
    see :meth:`align`.
    """

    uses_vectors = False

    def __init__(self) -> None:
        self._links: dict[Words, Links] = {}

    def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
        """Candidates of a pair that is being aligned.

        Raises
        ------
        InputError
            If a link points beyond a sentence.
        """
        from forest_align.lexicon.candidates import GivenCandidates

        links = self._links.get((source.words, target.words))
        if links is None:
            raise InputError("no word links are given for this pair")
        return GivenCandidates(links).candidates(source, target)

    def align(
        self,
        aligner: Aligner,
        pairs: Iterator[tuple[Pair, Links | None] | InputError],
        batch_size: int,
        workers: int,
    ) -> Iterator[Alignment]:
        """Align pairs with links, in order; see :meth:`~forest_align.Aligner.align_many`."""
        while batch := list(islice(pairs, batch_size)):
            waiting: list[Pair | InputError] = []
            for content in batch:
                if isinstance(content, InputError):
                    waiting.append(content)
                    continue
                pair, links = content[0], content[1] or Links()
                key = _words_of(pair)
                if self._links.get(key, links) != links:
                    yield from aligner.align_many(waiting, batch_size=batch_size, workers=workers)
                    waiting = []
                    self._links.clear()
                self._links[key] = links
                waiting.append(pair)
            yield from aligner.align_many(waiting, batch_size=batch_size, workers=workers)
            self._links.clear()


def _words_of(pair: Pair) -> Words:
    source, target = pair
    if not (isinstance(source, Sentence) and isinstance(target, Sentence)):
        raise InputError("given word links need tokens: use --tokenized, or an input format with tokens")
    return source.words, target.words


def links_of_file(path: str) -> Iterator[Links | InputError]:
    """Word links of a Pharaoh file, one line a pair; an error in the place of a broken line."""
    from forest_align.data.lines import InputLines
    from forest_align.data.pharaoh import read_links

    if not Path(path).is_file():
        raise InputError(
            f"expected a file of word links, or one of {', '.join(WORDS)}; found neither", file=path
        )

    def read() -> Iterator[Links | InputError]:
        with InputLines(path) as lines:
            yield from read_links(lines)

    return read()
