"""Loads the aligner that the options of a command ask for."""

from __future__ import annotations

from argparse import Namespace
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align._version import __version__
from forest_align.aligners.words.choose import DEFAULT_WORDS, WORD_CANDIDATES
from forest_align.alignment import Alignment, Links
from forest_align.types import InputError, ModelError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.aligners.words.lexical import Candidate

ANNOTATORS = ("trees", "spacy")
WORDS = (*WORD_CANDIDATES, "given")

Pair = tuple[Sentence | str, Sentence | str]
Words = tuple[tuple[str, ...], tuple[str, ...]]
#: A pair with the links that are given for it, or what is wrong with it.
Content = tuple[Pair, Links | None] | InputError


def load_aligner(options: Namespace, given: GivenLinks | None) -> Aligner:
    """Load an aligner by a command's options.

    They are ``aligner``, ``model``, ``parser``, ``annotator``, ``words`` and ``ppdb``.

    Raises
    ------
    ModelError
        If a model does not exist, or is one of another kind of aligner.
    InputError
        If an option does not go with the aligner.
    """
    from forest_align.aligners import load
    from forest_align.aligners.loading import kind_of

    name = options.model or options.aligner or "forest"
    kind = kind_of(name)
    if options.model and options.aligner not in (None, kind):
        raise ModelError(f"the model in {options.model} is for the aligner {kind}, not {options.aligner}")
    settings: dict[str, Any] = {}
    if options.annotator is not None:
        check_annotator(kind)
        settings["annotator"] = options.annotator
    if options.words is not None or options.ppdb is not None:
        settings |= _evidence(kind, options, given)
    if options.parser is not None:
        from forest_align.parsing.networks.encoder_scorer import locate_parser

        # A wrong name is told before the output is touched; the aligner loads the parser when it needs it.
        locate_parser(options.parser)
        settings["parser"] = options.parser
    return load(name, **settings)


def made_with(options: Namespace, kind: str) -> dict[str, str]:
    """What alignments come from besides the input, by the names of a command's options.

    Models, paraphrases and files of word links are told apart by their contents, too.
    """
    words = options.words or DEFAULT_WORDS
    return {
        "the version": __version__,
        "--aligner": options.aligner or kind,
        "--model": contents_of(options.model),
        "--parser": contents_of(options.parser),
        "--annotator": options.annotator or "",
        "--words": words if words in WORDS else contents_of(words),
        "--ppdb": contents_of(options.ppdb),
    }


def contents_of(name: str | None) -> str:
    """A name, with a hash of the files if it is that of a folder or file."""
    if name is None or not (path := Path(name)).exists():
        return name or ""
    from forest_align.storage.fingerprints import files_fingerprint

    files = [path]
    if path.is_dir():
        files = sorted(one for one in path.iterdir() if one.suffix in (".json", ".safetensors", ".bin"))
    return f"{path.name} ({files_fingerprint(files)})"


def check_annotator(kind: str) -> None:
    """Refuse ``--annotator`` for all but Sultan's aligner."""
    if kind != "sultan":
        raise InputError(f"the {kind} aligner takes no --annotator; the sultan aligner does")


def _evidence(kind: str, options: Namespace, given: GivenLinks | None) -> dict[str, Any]:
    """Settings of an aligner for ``--words`` and ``--ppdb``."""
    from forest_align.lexicon.pair_table import PairTable

    if kind != "forest" and options.words is not None:
        raise InputError(f"the {kind} aligner takes no --words; the forest aligner does")
    # Links of the encoder and given ones are what they are, whatever is a paraphrase of what.
    if options.ppdb is not None and (given is not None or options.words == "encoder"):
        raise InputError(f"--words {options.words} takes no --ppdb: paraphrases would have no effect")
    settings: dict[str, Any] = {}
    if options.words is not None:
        settings["candidates"] = given or options.words
    if options.ppdb is not None:
        settings["ppdb"] = PairTable.load(options.ppdb)
    return settings


class GivenLinks:
    """Word candidates that the user gives, pair by pair.

    An aligner asks for the candidates of two sentences; which pair of the input they are is told by their
    words. Two pairs with the same words and different links are never in the aligner's hands at once,
    see :meth:`align`.
    """

    uses_vectors = False

    def __init__(self) -> None:
        # Of each pair in the aligner's hands its words, in order; and the links of each of them, the same of
        # all that have the same words.
        self._in_hand: deque[Words | None] = deque()
        self._links: dict[Words, list[Links]] = {}

    def candidates(self, source: Sentence, target: Sentence) -> tuple[Candidate, ...]:
        """Candidates of a pair that is being aligned.

        Raises
        ------
        InputError
            If a link points beyond a sentence.
        """
        from forest_align.aligners.words.lexical import GivenCandidates

        links = self._links.get((source.words, target.words))
        if not links:
            raise InputError("no word links are given for this pair")
        return GivenCandidates(links[0]).candidates(source, target)

    def align(
        self,
        aligner: Aligner,
        pairs: Iterator[Content],
        batch_size: int,
        workers: int,
    ) -> Iterator[Alignment]:
        """Align pairs with links, in order; see :meth:`~forest_align.Aligner.align_many`.

        Which pairs are parsed together does not depend on ``workers``: a batch is cut in two where two of its
        pairs have the same words and different links.
        """
        batches = _batches(pairs, batch_size)
        held_back: list[Content] = []

        def compatible(batch: list[Content]) -> Iterator[Pair | InputError]:
            """A batch and those that follow, up to one with other links for words in hand."""
            nonlocal held_back
            while batch and not self._contradicts(batch):
                yield from map(self._take, batch)
                # The aligner would fill a short batch up with pairs of the next.
                batch = next(batches, []) if len(batch) == batch_size else []
            held_back = batch

        while batch := held_back or next(batches, []):
            held_back = []
            for alignment in aligner.align_many(compatible(batch), batch_size=batch_size, workers=workers):
                yield alignment
                self._let_go()
            self._in_hand.clear()
            self._links.clear()

    def _contradicts(self, batch: Iterable[Content]) -> bool:
        """Whether a pair in the aligner's hands has the words of one of these, and other links."""
        return any((held := self._links.get(words)) and held[0] != links for words, links in _links_of(batch))

    def _take(self, content: Content) -> Pair | InputError:
        """Note the links of a pair that is handed to the aligner, until :meth:`_let_go`."""
        if isinstance(content, InputError):
            self._in_hand.append(None)
            return content
        pair, links = content
        words = _words_of(pair)
        self._in_hand.append(words)
        self._links.setdefault(words, []).append(links or Links())
        return pair

    def _let_go(self) -> None:
        """Forget the links of the pair that was handed over first: it is aligned."""
        words = self._in_hand.popleft()
        if words is not None:
            self._links[words].pop()
            if not self._links[words]:
                del self._links[words]


def _batches(contents: Iterator[Content], batch_size: int) -> Iterator[list[Content]]:
    """Batches in which pairs with the same words have the same links."""
    while batch := list(islice(contents, batch_size)):
        known: dict[Words, Links] = {}
        start = 0
        for place, content in enumerate(batch):
            for words, links in _links_of([content]):
                if known.setdefault(words, links) != links:
                    yield batch[start:place]
                    start, known = place, {words: links}
        yield batch[start:]


def _links_of(contents: Iterable[Content]) -> Iterator[tuple[Words, Links]]:
    """Words and links of each pair that is no error."""
    for content in contents:
        if not isinstance(content, InputError):
            yield _words_of(content[0]), content[1] or Links()


def _words_of(pair: Pair) -> Words:
    source, target = pair
    if not (isinstance(source, Sentence) and isinstance(target, Sentence)):
        raise InputError("given word links need tokens: use --tokenized, or an input format with tokens")
    return source.words, target.words


def links_of_file(path: str) -> Iterator[Links | InputError]:
    """Word links of a Pharaoh file, one line a pair; an error in the place of a broken line."""
    from forest_align.data.formats.pharaoh import read_links
    from forest_align.data.text.lines import InputLines

    if not Path(path).is_file():
        raise InputError(
            f"expected a file of word links, or one of {', '.join(WORDS)}; found neither", file=path
        )

    def read() -> Iterator[Links | InputError]:
        with InputLines(path) as lines:
            yield from read_links(lines)

    return read()
