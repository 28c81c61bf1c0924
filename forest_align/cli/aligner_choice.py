"""``--aligner``: the names of the bundled aligners, and the one that a command's options name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align._version import __version__
from forest_align.aligners.words.choose import DEFAULT_WORDS, WORD_CANDIDATES, refuse_gone
from forest_align.alignment import Links
from forest_align.cli.arguments import option, refuse_for, refuse_with
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from forest_align.aligners import Aligner


#: Bundled aligners, and what each is for.
ALIGNERS = {
    "forest": "words, and phrases of both parse trees (the default)",
    "contextual": "words; the fastest",
    "semi-markov": "words, and phrases of up to three words, without trees or word vectors",
    "joint": "words and phrases; the best word links on Edinburgh++, the slowest",
    "projection": "words, and phrases of the best trees; phrases from your own links (--words FILE)",
    "sultan": "words, by the rules of Sultan et al. (2014); give it --ppdb, as in the paper",
    "forest-published": "the system of Arase and Tsujii (2017), with our parser",
    "joint-published": "trained as Thadani, Martin and White (2012) did",
    "semi-markov-phrasal": "the model of Yao et al. (2013), trained on phrasal links",
    "semi-markov-tokens": "the same with single words",
    "uniform": "forest with weights of zero, to compare with and to train from",
    "fixed": "forest with weights set by hand, to compare with",
}


class _ChooseAligner(argparse.Action):
    """Stores the name of an aligner; ``help`` prints what each is for."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, name: Any, *_: object
    ) -> None:
        if name != "help":
            setattr(namespace, self.dest, name)
            return
        width = max(map(len, ALIGNERS))
        for aligner, summary in ALIGNERS.items():
            print(f"{aligner:<{width}}  {summary}", flush=True)
        parser.exit()


def aligner_option(what: str) -> Any:
    """``--aligner`` with the names of the bundled aligners."""
    return option(
        "--aligner NAME",
        action=_ChooseAligner,
        choices=(*ALIGNERS, "help"),
        help=f"{what} ('--aligner help' explains the bundled ones); default: forest",
    )


ANNOTATORS = ("trees", "spacy")
WORDS = (*WORD_CANDIDATES, "given")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignerChoice:
    """The options of commands that decide which aligner aligns."""

    aligner: str | None = None
    model: str | None = None
    parser: str | None = None
    annotator: str | None = None
    words: str | None = None
    ppdb: str | None = None
    alignments: int = 1
    links: str = "sure"
    chunks: bool = False
    explain: bool = False
    device: str = "cpu"


def load_aligner(options: AlignerChoice) -> Aligner:
    """Load the chosen aligner.

    Raises ModelError if a model does not exist, or belongs to another kind of aligner. Raises InputError if
    an option does not apply to the aligner.
    """
    from forest_align.aligners import load
    from forest_align.aligners.loading import kind_of

    if options.chunks:
        refuse_with("--chunks", options)
        return load(options.model or "forest", parser=options.parser)
    name = options.model or options.aligner or "forest"
    kind = kind_of(name)
    if options.model and options.aligner not in (None, kind):
        raise ModelError(f"the model in {options.model} is for the aligner {kind}, not {options.aligner}")
    settings: dict[str, Any] = {}
    if uses_given_links(options.words):
        refuse_with("--words", options, f"--words {options.words}")
    for field, is_asked, flag in (
        ("annotator", options.annotator is not None, "--annotator"),
        ("alignments", options.alignments > 1, f"-k {options.alignments}"),
        ("links", options.links != "sure", "--links all"),
    ):
        if is_asked:
            refuse_for(kind, field, flag)
            settings[field] = getattr(options, field)
    if options.device != "cpu":
        settings["device"] = options.device
    if options.words is not None and not (kind == "projection" and uses_given_links(options.words)):
        refuse_for(kind, "words", f"--words {options.words}")
        # Given links come with the pairs, so these candidates are never used; they load no word vectors.
        settings["candidates"] = "dictionary" if uses_given_links(options.words) else options.words
    if options.ppdb is not None:
        from forest_align.lexicon.pair_table import PairTable

        settings["ppdb"] = PairTable.load(options.ppdb)
    if options.parser is not None:
        from forest_align.parsing.parser_loading import locate_parser

        # Report a wrong name before the output is changed; the aligner loads the parser when needed.
        locate_parser(options.parser)
        settings["parser"] = options.parser
    return load(name, **settings)


def made_with(options: AlignerChoice, aligner: Aligner) -> dict[str, str]:
    """Everything besides the input that alignments depend on, by option; files also by their contents."""
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
        "--chunks": "given" if options.chunks else "",
        "--links": "all" if options.links == "all" else "",
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


def uses_given_links(words: str | None) -> bool:
    """Whether ``--words`` is ``given`` or a file of links."""
    return words is not None and words not in WORD_CANDIDATES


def links_of_file(path: str) -> Iterator[Links | InputError]:
    """Word links of a Pharaoh file, one line per pair; a broken line yields an error."""
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
