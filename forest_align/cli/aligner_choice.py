"""Loads the aligner that a command's options name."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align._version import __version__
from forest_align.aligners.words.choose import DEFAULT_WORDS, WORD_CANDIDATES, refuse_gone
from forest_align.alignment import Links
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from forest_align.aligners import Aligner

ANNOTATORS = ("trees", "spacy")
WORDS = (*WORD_CANDIDATES, "given")
#: Kinds of aligners that know both conventions of annotators.
ALL_LINKS = ("contextual", "forest", "joint")


def load_aligner(options: Namespace) -> Aligner:
    """Load an aligner by a command's options.

    The options are ``aligner``, ``model``, ``parser``, ``annotator``, ``words`` and ``ppdb``, and perhaps
    ``alignments``, ``links`` and ``chunks``.

    Raises
    ------
    ModelError
        If a model does not exist, or belongs to another kind of aligner.
    InputError
        If an option does not apply to the aligner.
    """
    from forest_align.aligners import load
    from forest_align.aligners.loading import kind_of

    if getattr(options, "chunks", False):
        return _chunk_aligner(options)
    name = options.model or options.aligner or "forest"
    kind = kind_of(name)
    if options.model and options.aligner not in (None, kind):
        raise ModelError(f"the model in {options.model} is for the aligner {kind}, not {options.aligner}")
    settings: dict[str, Any] = {}
    if options.annotator is not None:
        check_annotator(kind)
        settings["annotator"] = options.annotator
    alignments = getattr(options, "alignments", 1)
    if alignments > 1:
        if kind != "forest":
            raise InputError(f"the {kind} aligner takes no -k {alignments}; the forest aligner does")
        settings["alignments"] = alignments
    if getattr(options, "links", "sure") != "sure":
        check_links_of(kind)
        if uses_given_links(options):
            raise InputError(f"--words {options.words} takes no --links: given links stay as they are")
        settings["links"] = options.links
    if getattr(options, "device", "cpu") != "cpu":
        settings["device"] = options.device
    if options.words is not None or options.ppdb is not None:
        settings |= _evidence(kind, options)
    if options.parser is not None:
        from forest_align.parsing.parser_loading import locate_parser

        # Report a wrong name before the output is changed; the aligner loads the parser when needed.
        locate_parser(options.parser)
        settings["parser"] = options.parser
    return load(name, **settings)


def _chunk_aligner(options: Namespace) -> Aligner:
    """The aligner of given chunks; options of other aligners are refused."""
    from forest_align.aligners.chunks import ChunkAligner
    from forest_align.aligners.contextual.aligner import ContextualAligner

    for option in ("aligner", "annotator", "words", "ppdb", "explain"):
        if getattr(options, option):
            raise InputError(f"--chunks takes no --{option}")
    if options.device != "cpu":
        raise InputError("--chunks takes no --device")
    if options.alignments > 1:
        raise InputError("--chunks takes no -k")
    if options.links != "sure":
        raise InputError("--chunks takes no --links")
    words = ContextualAligner(parser=options.parser)
    return ChunkAligner.load(options.model or "chunks", words=words)


def made_with(options: Namespace, aligner: Aligner) -> dict[str, str]:
    """Everything that alignments depend on besides the input, by the names of a command's options.

    Models, paraphrases and files of word links are also identified by their contents.
    """
    # Aligners other than the forest aligner have no word candidates.
    words = options.words or getattr(getattr(aligner, "model", None), "words", DEFAULT_WORDS)
    return {
        "the version": __version__,
        "--aligner": options.aligner or aligner.name,
        "--model": contents_of(options.model),
        "--parser": contents_of(options.parser),
        "--annotator": options.annotator or "",
        "--words": words if words in WORDS else contents_of(words),
        "--ppdb": contents_of(options.ppdb),
        "--chunks": "given" if getattr(options, "chunks", False) else "",
        "--links": "all" if getattr(options, "links", "sure") == "all" else "",
        # A GPU gives other last digits.
        "--device": "" if aligner.device == "cpu" else "a GPU",
    }


def contents_of(name: str | None) -> str:
    """A name; for a folder or file, with a hash of its contents."""
    if name is None or not (path := Path(name)).exists():
        return name or ""
    from forest_align.storage.fingerprints import files_fingerprint, model_files

    files = model_files(path) if path.is_dir() else [path]
    return f"{path.name} ({files_fingerprint(files)})"


def check_annotator(kind: str) -> None:
    """Refuse ``--annotator`` for all aligners except Sultan's."""
    if kind != "sultan":
        raise InputError(f"the {kind} aligner takes no --annotator; the sultan aligner does")


def check_links_of(kind: str) -> None:
    """Refuse ``--links all`` for aligners that know sure links only."""
    if kind not in ALL_LINKS:
        raise InputError(f"the {kind} aligner takes no --links all; the aligners {', '.join(ALL_LINKS)} do")


def uses_given_links(options: Namespace) -> bool:
    """Whether ``--words`` is ``given`` or a file of links."""
    return options.words is not None and options.words not in WORD_CANDIDATES


def _evidence(kind: str, options: Namespace) -> dict[str, Any]:
    """Settings of an aligner for ``--words`` and ``--ppdb``."""
    from forest_align.lexicon.pair_table import PairTable

    projects = kind == "projection" and uses_given_links(options)
    if kind != "forest" and options.words is not None and not projects:
        raise InputError(f"the {kind} aligner takes no --words {options.words}; the forest aligner does")
    if options.ppdb is not None and uses_given_links(options):
        raise InputError(f"--words {options.words} takes no --ppdb: paraphrases would have no effect")
    settings: dict[str, Any] = {}
    if options.words is not None and not projects:
        # Given links come with the pairs, so these candidates are never used; they load no word vectors.
        settings["candidates"] = "dictionary" if uses_given_links(options) else options.words
    if options.ppdb is not None:
        settings["ppdb"] = PairTable.load(options.ppdb)
    return settings


def links_of_file(path: str) -> Iterator[Links | InputError]:
    """Word links of a Pharaoh file, one line a pair; a broken line yields an error."""
    from forest_align.data.formats.pharaoh import read_links
    from forest_align.data.text.lines import InputLines

    if not Path(path).is_file():
        refuse_gone(path)
        raise InputError(
            f"expected a file of word links, or one of {', '.join(WORDS)}; found neither", file=path
        )

    def read() -> Iterator[Links | InputError]:
        with InputLines(path) as lines:
            yield from read_links(lines)

    return read()
