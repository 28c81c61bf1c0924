"""An aligner that parses unparsed sentences, by default with the bundled parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.aligners.base import Aligner
from forest_align.aligners.pair import Text
from forest_align.lexicon.pair_table import PairTable, paraphrase_table
from forest_align.system.origin import Loaded
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.parsing import Parser

_NO_TREES = "this aligner reads trees, and the parser makes none: it was loaded with forest_size=0"


class ParsingAligner(Loaded, Aligner):
    """An aligner with a lexicon and a parser.

    One that :func:`forest_align.load` returned can be pickled (:mod:`forest_align.system.origin`).

    The parser makes one tree per sentence; subclasses may ask for more trees or for none.

    Parameters
    ----------
    parser : Parser or str or Path, optional
        A parser, or the name or folder of one, which is loaded when needed. By default the bundled English
        parser.
    lexicon : Lexicon, optional
        By default the bundled one, loaded when needed.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, or their file, which is read immediately.

    Attributes
    ----------
    ppdb : PairTable or None
        The paraphrases.

    Raises
    ------
    InputError
        If ``ppdb`` has another type, or its file cannot be read.
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
            device=self.device,
        )

    def _reads_trees(self) -> bool:
        """Whether the loaded parser should return trees."""
        return True

    def reads_vectors(self) -> bool:
        """Whether the loaded parser should return word vectors."""
        return True

    @cached_property
    def lexicon(self) -> Lexicon:
        """The lexicon."""
        from forest_align.lexicon.lexicon import load_lexicon

        return self._lexicon or load_lexicon()

    def prepare(self, sentences: Sequence[Text], batch_size: int = 32) -> list[Sentence | InputError]:
        """Parse raw text and sentences that lack trees or word vectors, as far as the aligner reads them.

        The forest of a given sentence is kept, with its tags and lemmas; only word vectors are added.
        """
        trees = self._reads_trees()

        def is_ready(sentence: Sentence) -> bool:
            return sentence.forest is not None or (not trees and sentence.vectors is not None)

        prepared = self._parse_unready(sentences, is_ready, batch_size)
        if trees:
            prepared = [
                InputError(_NO_TREES)
                if isinstance(sentence, Sentence) and sentence.forest is None
                else sentence
                for sentence in prepared
            ]
        if not self.reads_vectors():
            return prepared
        lacking = {
            place: sentence
            for place, (sentence, given) in enumerate(zip(prepared, sentences, strict=True))
            # Parsed sentences already have vectors, or the parser has none.
            if sentence is given and isinstance(sentence, Sentence) and sentence.vectors is None
        }
        if lacking:
            for place, sentence in zip(
                lacking, self.parser.with_vectors(list(lacking.values())), strict=True
            ):
                prepared[place] = sentence
        return prepared

    def _parse_unready(
        self, sentences: Sequence[Text], is_ready: Callable[[Sentence], bool], batch_size: int
    ) -> list[Sentence | InputError]:
        """Parse raw text and sentences that lack something; the parser is loaded only if there are any."""
        ready = [text if isinstance(text, Sentence) and is_ready(text) else None for text in sentences]
        waiting = [
            text if isinstance(text, str) else text.words
            for text, sentence in zip(sentences, ready, strict=True)
            if sentence is None
        ]
        parsed = iter(self.parser.parse_many(waiting, batch_size) if waiting else ())
        return [next(parsed) if sentence is None else sentence for sentence in ready]


def check_tokens(source: Sentence, target: Sentence) -> None:
    """Check that both sentences have tokens."""
    for side, sentence in (("source", source), ("target", target)):
        if not len(sentence):
            raise InputError("expected a sentence with at least one token", field=side)
