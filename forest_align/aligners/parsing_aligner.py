"""An aligner that parses what comes unparsed: with the bundled parser unless another one is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.aligners.base import Aligner, Text
from forest_align.lexicon.pair_table import PairTable, paraphrase_table
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.parsing import Parser


class ParsingAligner(Aligner):
    """An aligner with a lexicon and a parser, which makes one tree a sentence unless it wants more or none.

    Parameters
    ----------
    parser : Parser or str or Path, optional
        A parser, or the name or folder of one, which is loaded when needed; the bundled English one by
        default.
    lexicon : Lexicon, optional
        The bundled one by default, loaded when needed.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, or their file, which is read at once.

    Attributes
    ----------
    ppdb : PairTable or None
        The paraphrases.

    Raises
    ------
    InputError
        If ``ppdb`` is none of these, or its file cannot be read.
    """

    def __init__(
        self,
        parser: Parser | str | Path | None,
        lexicon: Lexicon | None,
        ppdb: PairTable | str | Path | None,
    ) -> None:
        self._parser, self._lexicon = parser, lexicon
        self.ppdb = paraphrase_table(ppdb)

    @cached_property
    def parser(self) -> Parser:
        """The parser for sentences that need one."""
        given = self._parser or "en"
        return self._load_parser(given) if isinstance(given, str | Path) else given

    def _load_parser(self, name: str | Path) -> Parser:
        from forest_align.parsing import load_parser

        return load_parser(
            name,
            forest_size=int(self._reads_trees()),
            lemmatizer=self.lexicon.lemma,
            posteriors=False,
            vectors=self.reads_vectors(),
        )

    def _reads_trees(self) -> bool:
        """Whether the parser that is loaded shall give a tree."""
        return True

    def reads_vectors(self) -> bool:
        """Whether the parser that is loaded shall give word vectors."""
        return True

    @cached_property
    def lexicon(self) -> Lexicon:
        """The lexicon."""
        from forest_align.lexicon.lexicon import load_lexicon

        return self._lexicon or load_lexicon()


def parse_unready(
    parser: Callable[[], Parser],
    sentences: Sequence[Text],
    is_ready: Callable[[Sentence], bool],
    batch_size: int,
) -> list[Sentence | InputError]:
    """Parse raw text and sentences that lack something; those that are ready pass as they are.

    The parser is asked for, and so loaded, only if something has to be parsed.
    """
    ready = [isinstance(text, Sentence) and is_ready(text) for text in sentences]
    waiting = [
        text if isinstance(text, str) else text.words
        for text, passes in zip(sentences, ready, strict=True)
        if not passes
    ]
    parsed = iter(parser().parse_many(waiting, batch_size) if waiting else ())
    return [
        text if passes and isinstance(text, Sentence) else next(parsed)
        for text, passes in zip(sentences, ready, strict=True)
    ]


def parse_or_complete(
    parser: Callable[[], Parser],
    sentences: Sequence[Text],
    *,
    forests: bool,
    vectors: bool,
    batch_size: int,
) -> list[Sentence | InputError]:
    """Parse raw text and sentences that lack all that is needed; those with a forest get word vectors alone.

    Parameters
    ----------
    parser : callable
        Asked for the parser if anything is lacking.
    sentences : sequence of str or Sentence
        In the order of the result.
    forests, vectors : bool
        What is needed.
    batch_size : int
        For the parser.
    """

    def is_ready(sentence: Sentence) -> bool:
        return sentence.forest is not None or (not forests and sentence.vectors is not None)

    found = parse_unready(parser, sentences, is_ready, batch_size)
    if forests:
        found = [_with_forest(one) for one in found]
    if not vectors:
        return found
    lacking = {
        place: one
        for place, (one, given) in enumerate(zip(found, sentences, strict=True))
        # What was parsed has vectors, or the parser has none to give.
        if one is given and isinstance(one, Sentence) and one.vectors is None
    }
    if lacking:
        for place, sentence in zip(lacking, parser().with_vectors(list(lacking.values())), strict=True):
            found[place] = sentence
    return found


def _with_forest(parsed: Sentence | InputError) -> Sentence | InputError:
    if isinstance(parsed, InputError) or parsed.forest is not None:
        return parsed
    return InputError("this aligner reads trees, and the parser makes none: it was loaded with forest_size=0")


def check_tokens(source: Sentence, target: Sentence) -> None:
    """Make sure that both sentences have tokens.

    Raises
    ------
    InputError
        If one has none; names the side.
    """
    for side, sentence in (("source", source), ("target", target)):
        if not len(sentence):
            raise InputError("expected a sentence with at least one token", field=side)
